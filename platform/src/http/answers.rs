//! Answers over HTTP/2 that nobody reads. A stream whose window is shut does not block the socket, so its time-out never
//! comes: an answer is not asked for more while its reader takes nothing, and that is what is watched here.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use super::connections::RequestPlace;

/// How long an answer may stand still.
pub(super) const STALLED: Duration = Duration::from_mins(1);
/// How long a connection may carry no request, though its peer acknowledges pings.
pub(super) const IDLE: Duration = Duration::from_mins(1);
/// What the library holds of an answer beyond what its reader takes. Larger parts are copied into pieces, because a slice
/// would keep the whole.
const PIECE: usize = 16 << 10;

/// The answers of a connection that wait for their reader, and since when.
#[derive(Default)]
pub(super) struct OpenAnswers(Mutex<OpenAnswersState>);

#[derive(Default)]
struct OpenAnswersState {
    next: u64,
    since: HashMap<u64, Instant>,
    /// Requests whose answer is not over.
    open: usize,
    /// Since when there is none. `None` also if there never was one.
    idle_since: Option<Instant>,
}

/// A request, until its answer is over.
pub(super) struct OpenRequest {
    answers: Arc<OpenAnswers>,
    /// `None`: there was none left.
    place: Option<RequestPlace>,
}

impl OpenRequest {
    pub(super) fn has_place(&self) -> bool {
        self.place.is_some()
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut waiting = self.answers.0.lock();
        waiting.open -= 1;
        if waiting.open == 0 {
            waiting.idle_since = Some(Instant::now());
        }
    }
}

impl OpenAnswers {
    /// Notes a request.
    pub(super) fn open(self: &Arc<Self>, place: Option<RequestPlace>) -> OpenRequest {
        let mut waiting = self.0.lock();
        waiting.open += 1;
        waiting.idle_since = None;
        OpenRequest {
            answers: Arc::clone(self),
            place,
        }
    }

    /// The body of a request's answer, watched until it is handed over or dropped.
    pub(super) fn watch(self: &Arc<Self>, open: OpenRequest, body: Body) -> Body {
        if body.is_end_stream() {
            return body;
        }
        let mut waiting = self.0.lock();
        let number = waiting.next;
        waiting.next += 1;
        waiting.since.insert(number, Instant::now());
        drop(waiting);
        Body::new(WatchedBody {
            body,
            rest: Bytes::new(),
            answers: Arc::clone(self),
            number,
            _open: open,
        })
    }

    /// Ends when no request was under way for too long.
    pub(super) async fn idle(&self) {
        loop {
            let since = self.0.lock().idle_since;
            if since.is_some_and(|since| since.elapsed() >= IDLE) {
                return;
            }
            sleep_until(since.unwrap_or_else(Instant::now) + IDLE).await;
        }
    }

    /// Ends when an answer stands still for too long.
    pub(super) async fn stalled(&self) {
        loop {
            let oldest = self.0.lock().since.values().min().copied();
            if oldest.is_some_and(|since| since.elapsed() >= STALLED) {
                return;
            }
            sleep_until(oldest.unwrap_or_else(Instant::now) + STALLED).await;
        }
    }
}

struct WatchedBody {
    body: Body,
    /// The rest of the part that was handed over last.
    rest: Bytes,
    answers: Arc<OpenAnswers>,
    number: u64,
    _open: OpenRequest,
}

impl WatchedBody {
    /// The next piece, for which its reader is waited for from now on.
    fn piece(&mut self) -> Frame<Bytes> {
        let since = Instant::now();
        self.answers.0.lock().since.insert(self.number, since);
        if self.rest.len() <= PIECE {
            return Frame::data(std::mem::take(&mut self.rest));
        }
        Frame::data(Bytes::copy_from_slice(&self.rest.split_to(PIECE)))
    }

    fn is_not_waiting(&self) {
        self.answers.0.lock().since.remove(&self.number);
    }
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            // While the body itself is waited for, nothing is wrong with its reader.
            self.is_not_waiting();
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        Poll::Ready(Some(Ok(self.piece())))
    }

    /// The end is told by itself, so that an answer is watched until its last piece has been taken.
    fn is_end_stream(&self) -> bool {
        false
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        self.is_not_waiting();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures::{FutureExt, StreamExt, stream};
    use tokio::time::advance;

    use super::super::connections::{Connections, Limits};
    use super::*;
    use crate::config::TrustedProxies;

    fn open(answers: &Arc<OpenAnswers>) -> OpenRequest {
        let connections = Connections::new(Limits::new(1, 1, TrustedProxies::default()));
        let connection = connections.admit(([192, 0, 2, 1], 1).into()).unwrap();
        answers.open(connection.request())
    }

    async fn next(body: &mut Body) -> Option<usize> {
        let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        frame.map(|frame| frame.unwrap().into_data().unwrap().len())
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_nobody_takes_is_stalled() {
        let answers = Arc::new(OpenAnswers::default());
        let mut body = answers.watch(open(&answers), Body::from(vec![0; PIECE + 1]));
        assert_eq!(body.size_hint().exact(), Some(PIECE as u64 + 1));
        for length in [Some(PIECE), Some(1)] {
            advance(STALLED.saturating_sub(Duration::from_secs(1))).await;
            assert!(answers.stalled().now_or_never().is_none());
            assert_eq!(next(&mut body).await, length);
        }
        assert!(!body.is_end_stream(), "its last piece may not be taken yet");
        advance(STALLED).await;
        assert!(answers.stalled().now_or_never().is_some());
        assert_eq!(next(&mut body).await, None);
        assert!(answers.stalled().now_or_never().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_not_ready_is_not_stalled() {
        let answers = Arc::new(OpenAnswers::default());
        let pieces = stream::once(async { Ok::<_, std::io::Error>("first") });
        let pieces = Body::from_stream(pieces.chain(stream::pending()));
        let mut body = answers.watch(open(&answers), pieces);
        assert_eq!(next(&mut body).await, Some(5));
        assert!(next(&mut body).now_or_never().is_none());
        advance(STALLED * 2).await;
        assert!(answers.stalled().now_or_never().is_none());
        assert!(answers.idle().now_or_never().is_none());
        drop(body);
        advance(IDLE).await;
        assert!(answers.idle().now_or_never().is_some());
    }
}
