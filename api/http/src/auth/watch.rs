//! A key that is revoked while a body still arrives, or an answer still leaves: both end.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::FutureExt;
use futures::future::{BoxFuture, Fuse, Shared};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, sleep_until};

use super::Caller;
use crate::AppState;

/// How often a key is looked up. With the time for which a key that was found is fresh and the time of one query, it stays
/// below the 5 s in which a revocation holds.
const INTERVAL: Duration = Duration::from_millis(500);

/// Ends once the key of a request is found revoked.
pub struct KeyWatch(Shared<BoxFuture<'static, ()>>);

impl KeyWatch {
    /// Watches a key that has just been found good with the secret of this hash.
    pub fn new(state: &AppState, caller: &Caller, secret: [u8; 32]) -> Self {
        let (state, caller) = (state.clone(), caller.clone());
        let mut due = Instant::now() + INTERVAL;
        let revoked = async move {
            loop {
                sleep_until(due).await;
                let found = state
                    .keys()
                    .look_up(state.store(), &caller.0.api_key, &secret);
                // A database that does not answer takes no key away.
                if let Ok(None) = found.await {
                    return;
                }
                due = Instant::now() + INTERVAL;
            }
        };
        Self(revoked.boxed().shared())
    }

    /// Ends once the key is found revoked.
    pub async fn revoked(&self) {
        self.0.clone().await;
    }

    /// The response, which is cut once the key is revoked.
    pub fn response(self, response: Response) -> Response {
        response.map(|body| {
            Body::new(WatchedBody {
                body,
                revoked: self.0.fuse(),
            })
        })
    }
}

/// The key was revoked.
#[derive(Debug, thiserror::Error)]
#[error("the key was revoked")]
struct Revoked;

/// A body that ends with an error once its key is revoked.
struct WatchedBody {
    body: Body,
    revoked: Fuse<Shared<BoxFuture<'static, ()>>>,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.revoked.poll_unpin(context).is_ready() {
            self.body = Body::empty();
            return Poll::Ready(Some(Err(axum::Error::new(Revoked))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
