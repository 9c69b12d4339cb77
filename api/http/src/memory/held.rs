//! Bytes that hold memory until their reader has taken them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use super::{FREE, MemoryPermit};

impl MemoryPermit {
    /// The response, whose body holds as much of this memory as it has bytes until its reader has taken them.
    pub fn hold(mut self, response: Response) -> Response {
        if let Some(bytes) = response.body().size_hint().exact() {
            self.shrink_to(bytes);
            if bytes <= FREE as u64 {
                return response;
            }
        }
        Arc::new(self).hold_too(response)
    }

    /// A response that shares its bytes with others: all of them hold this memory until the last reader has taken them.
    pub fn hold_too(self: Arc<Self>, response: Response) -> Response {
        response.map(|body| Body::new(HeldBody { body, permit: self }))
    }

    /// Bytes that hold this memory until the last of them is dropped.
    pub(crate) fn owned_by(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        Bytes::from_owner(HeldBytes {
            bytes,
            _permit: Arc::clone(self),
        })
    }
}

/// A body whose bytes hold memory. The body itself is gone as soon as the library has its last bytes.
struct HeldBody {
    body: Body,
    permit: Arc<MemoryPermit>,
}

struct HeldBytes {
    bytes: Bytes,
    _permit: Arc<MemoryPermit>,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let permit = &self.permit;
        let owned = |frame: Frame<Bytes>| frame.map_data(|bytes| permit.owned_by(bytes));
        Poll::Ready(frame.map(|frame| frame.map(owned)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
