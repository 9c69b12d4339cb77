//! Reading on a body that its handler refused early, so that the caller sees the answer and not a reset.
//!
//! The handler gets the body on loan: what it leaves unread is read here once it has dropped it. A caller who waits
//! for `100 Continue` and has not been told to go on sends nothing, so there is nothing to read: hyper says
//! `100 Continue` when the body is first asked for.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::EXPECT;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;

/// The bytes that are read on, at most.
const MAX_BYTES: usize = 1 << 20;
/// How long a body is read on, at most.
const MAX_TIME: Duration = Duration::from_secs(1);

/// Lends the request's body, unless it has none.
pub fn lend(request: Request) -> (Request, Option<Loan>) {
    if request.body().is_end_stream() {
        return (request, None);
    }
    let expect = request.headers().get(EXPECT);
    let waits = expect.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"));
    let (parts, body) = request.into_parts();
    let lent = Arc::new(Mutex::new(Lent { body, asked: false }));
    let body = Body::new(Borrowed(lent.clone()));
    (Request::from_parts(parts, body), Some(Loan { lent, waits }))
}

/// A body on loan.
pub struct Loan {
    lent: Arc<Mutex<Lent>>,
    /// Whether the caller sends nothing before it is told to.
    waits: bool,
}

impl Loan {
    /// Reads on what was left unread, unless somebody still holds the body. Whoever sends more, or slower, may see a reset.
    pub async fn read_on(self) {
        let Some(lent) = Arc::into_inner(self.lent) else {
            return;
        };
        let Lent { mut body, asked } = lent.into_inner();
        if self.waits && !asked {
            return;
        }
        let reading = async {
            let mut read = 0;
            while read < MAX_BYTES {
                match body.frame().await {
                    Some(Ok(frame)) => read += frame.data_ref().map_or(0, Bytes::len),
                    Some(Err(_)) | None => break,
                }
            }
        };
        let _ = tokio::time::timeout(MAX_TIME, reading).await;
    }
}

/// A body, and whether it was asked for.
struct Lent {
    body: Body,
    asked: bool,
}

/// The body as its handler has it.
struct Borrowed(Arc<Mutex<Lent>>);

impl HttpBody for Borrowed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut lent = self.0.lock();
        lent.asked = true;
        let polled = Pin::new(&mut lent.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            // Nothing is to be read on, and a body must not be asked again after its end.
            lent.body = Body::empty();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::Router;
    use axum::http::StatusCode;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use futures::stream;
    use tower::ServiceExt;

    use super::*;
    use crate::entry;

    const PIECE: usize = 64 << 10;

    /// Posts `pieces` of 64 KiB to a handler that reads `reads` of them, and counts what was read in all.
    async fn read_of(pieces: usize, reads: usize, expect: bool) -> usize {
        let read = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&read);
        let body = Body::from_stream(stream::iter((0..pieces).map(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok::<_, std::io::Error>(Bytes::from(vec![0; PIECE]))
        })));
        let handler = move |mut body: Body| async move {
            for _ in 0..reads {
                let _ = body.frame().await;
            }
            StatusCode::FORBIDDEN
        };
        let mut request = Request::post("/");
        if expect {
            request = request.header(EXPECT, "100-continue");
        }
        let router = Router::new()
            .route("/", post(handler))
            .layer(from_fn_with_state(Arc::default(), entry::open));
        let response = router.oneshot(request.body(body).unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
        read.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn a_refused_body_is_read_to_its_end() {
        assert_eq!(read_of(3, 0, false).await, 3);
        assert_eq!(read_of(3, 3, false).await, 3);
    }

    #[tokio::test]
    async fn a_long_body_is_read_on_for_a_mebibyte() {
        assert_eq!(read_of(100, 0, false).await, MAX_BYTES / PIECE);
    }

    #[tokio::test]
    async fn a_caller_who_waits_to_continue_is_just_answered() {
        assert_eq!(read_of(3, 0, true).await, 0);
        assert_eq!(read_of(3, 1, true).await, 3);
    }
}
