//! Answers that end before their end, because whoever asked may no longer read them.

use axum::body::{Body, HttpBody as _};
use axum::response::Response;
use futures::{StreamExt, stream};
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument;

/// Whoever asked may no longer read it.
#[derive(Debug, thiserror::Error)]
#[error("whoever asked may no longer read it")]
struct Ended;

/// The response, which is cut with an error once `ended` is done. One of a known size, which lies ready, stays as it is.
pub fn cut_when(ended: impl Future<Output = ()> + Send + 'static, response: Response) -> Response {
    if response.body().size_hint().exact().is_some() {
        return response;
    }
    // A task of its own, because nobody polls the body of a reader that does not read: a look-up begun there would hold up all
    // others of the same caller.
    let ended = AbortOnDropHandle::new(tokio::spawn(ended.in_current_span()));
    response.map(|body| {
        let begin = (body.into_data_stream(), ended);
        Body::from_stream(stream::try_unfold(
            begin,
            |(mut body, mut ended)| async move {
                tokio::select! {
                    biased;
                    _ = &mut ended => Err(axum::Error::new(Ended)),
                    data = body.next() => Ok(data.transpose()?.map(|data| (data, (body, ended)))),
                }
            },
        ))
    })
}
