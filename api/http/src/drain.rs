//! Reading on a body that its handler refused early, so that the caller sees the answer and not a reset.
//!
//! What the handler leaves unread is read in a task of its own once it has dropped the body, while the answer is on its way. A
//! caller who waits for `100 Continue` and has not been told to go on sends nothing, so there is nothing to read: hyper says
//! `100 Continue` when the body is first asked for.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::header::EXPECT;
use bytes::Bytes;
use http_body_util::BodyExt;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::wrapper::{BodyWrapper, PolledFrame};

/// The bytes that are read on, at most: an import as large as the default allows.
const MAX_BYTES: usize = 256 << 20;
/// How long a body is read on, at most.
const MAX_TIME: Duration = Duration::from_secs(10);

/// The request with a body that is read on once it is dropped, unless it has none.
pub fn read_on(request: Request) -> Request {
    if request.body().is_end_stream() {
        return request;
    }
    let expect = request.headers().get(EXPECT);
    let waits = expect.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"));
    request.map(|body| ReadOn { is_sent: !waits }.wrap(body))
}

/// Reads the rest of a body that is dropped unread. A caller that sends more, or more slowly, may see a reset.
struct ReadOn {
    /// Whether the caller sends the body: it does not wait for `100 Continue`, or has got it.
    is_sent: bool,
}

impl BodyWrapper for ReadOn {
    fn pass(&mut self, polled: PolledFrame) -> PolledFrame {
        self.is_sent = true;
        polled
    }

    fn end(&mut self, mut rest: Body) {
        if !self.is_sent || rest.is_end_stream() {
            return;
        }
        let reading = async move {
            let mut read = 0;
            while read < MAX_BYTES {
                match rest.frame().await {
                    Some(Ok(frame)) => read += frame.data_ref().map_or(0, Bytes::len),
                    Some(Err(_)) | None => break,
                }
            }
        };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(timeout(MAX_TIME, reading));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::Router;
    use axum::http::StatusCode;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use futures::stream;
    use tower::ServiceExt;

    use super::*;
    use crate::entry;

    const PIECE: usize = 1 << 20;

    /// Posts `pieces` of 1 MiB to a handler that reads `reads` of them, and counts what was read in all.
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
        // As long as what is read on may take.
        tokio::time::sleep(MAX_TIME).await;
        read.load(Ordering::Relaxed)
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_body_is_read_to_its_end() {
        assert_eq!(read_of(3, 0, false).await, 3);
        assert_eq!(read_of(3, 3, false).await, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_is_not_read_on_for_ever() {
        assert_eq!(read_of(300, 0, false).await, MAX_BYTES / PIECE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_who_waits_to_continue_is_just_answered() {
        assert_eq!(read_of(3, 0, true).await, 0);
        assert_eq!(read_of(3, 1, true).await, 3);
    }
}
