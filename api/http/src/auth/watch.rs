//! A key that is revoked while a body still arrives, or an answer still leaves: both end.

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use futures::{StreamExt, stream};
use tokio::time::sleep;

use super::Caller;

/// How often a key is looked up. With the time for which a key that was found is fresh and the time of one query, it stays
/// below the 5 s in which a revocation holds.
const INTERVAL: Duration = Duration::from_millis(500);

/// The key was revoked.
#[derive(Debug, thiserror::Error)]
#[error("the key was revoked")]
struct Revoked;

/// Ends once a key, which has just been found good with the secret of this hash, is found revoked.
pub async fn revoked(Caller { app, key }: Caller, secret: [u8; 32]) {
    loop {
        sleep(INTERVAL).await;
        let found = app.keys.look_up(&app.store, &key.api_key, &secret);
        // A database that does not answer takes no key away.
        if let Ok(None) = found.await {
            return;
        }
    }
}

/// The response, which is cut with an error once `revoked` ends.
pub fn cut_when(
    revoked: impl Future<Output = ()> + Send + 'static,
    response: Response,
) -> Response {
    response.map(|body| {
        let begin = (body.into_data_stream(), Box::pin(revoked));
        Body::from_stream(stream::try_unfold(
            begin,
            |(mut body, mut revoked)| async move {
                tokio::select! {
                    biased;
                    () = &mut revoked => Err(axum::Error::new(Revoked)),
                    data = body.next() => Ok(data.transpose()?.map(|data| (data, (body, revoked)))),
                }
            },
        ))
    })
}
