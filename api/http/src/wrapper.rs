//! A body with a wrapper, which sees what passes and what is left unread.

use std::mem::take;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

/// What a body answers when it is asked for its next frame.
pub(crate) type PolledFrame = Poll<Option<Result<Frame<Bytes>, axum::Error>>>;

/// What is done with a body on its way to its reader. Its length stays known.
pub(crate) trait BodyWrapper: Send + Sized + Unpin + 'static {
    /// What the reader gets of what was polled.
    fn pass(&mut self, polled: PolledFrame) -> PolledFrame;

    /// The body is dropped; after its end, or an error, nothing of it is left.
    fn end(&mut self, _rest: Body) {}

    fn wrap(self, body: Body) -> Body {
        let wrapper = self;
        Body::new(WrappedBody { body, wrapper })
    }
}

struct WrappedBody<W: BodyWrapper> {
    body: Body,
    wrapper: W,
}

impl<W: BodyWrapper> HttpBody for WrappedBody<W> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> PolledFrame {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            // A body must not be asked again after its end.
            self.body = Body::empty();
        }
        self.wrapper.pass(polled)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<W: BodyWrapper> Drop for WrappedBody<W> {
    fn drop(&mut self) {
        let rest = take(&mut self.body);
        self.wrapper.end(rest);
    }
}
