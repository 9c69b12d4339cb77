//! Bytes that hold memory until their reader has taken them.

use std::sync::Arc;

use axum::body::HttpBody;
use axum::response::Response;
use bytes::Bytes;

use super::{FREE, MemoryPermit};
use crate::wrapper::{BodyWrapper, PolledFrame};

impl MemoryPermit {
    /// The response, whose body holds as much of this memory as it has bytes until its reader has taken them.
    pub fn hold(mut self, response: Response) -> Response {
        if let Some(bytes) = response.body().size_hint().exact() {
            self.shrink_to(bytes);
            if bytes <= FREE as u64 {
                return response;
            }
        }
        hold_too(Arc::new(self), response)
    }

    /// Bytes that hold this memory until the last of them is dropped.
    pub(crate) fn owned_by(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        owned_by(self, bytes)
    }
}

/// A response that shares its bytes with others. Whatever has the memory for them is kept until the last reader has taken them.
pub fn hold_too<T: Send + Sync + 'static>(holder: Arc<T>, response: Response) -> Response {
    response.map(|body| Holder(holder).wrap(body))
}

fn owned_by<T: Send + Sync + 'static>(holder: &Arc<T>, bytes: Bytes) -> Bytes {
    Bytes::from_owner(HeldBytes {
        bytes,
        _holder: Arc::clone(holder),
    })
}

struct HeldBytes<T> {
    bytes: Bytes,
    _holder: Arc<T>,
}

impl<T> AsRef<[u8]> for HeldBytes<T> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Lets the bytes of a body hold memory. The body itself is gone as soon as the library has its last bytes.
struct Holder<T>(Arc<T>);

impl<T: Send + Sync + 'static> BodyWrapper for Holder<T> {
    fn pass(&mut self, polled: PolledFrame) -> PolledFrame {
        polled.map_ok(|frame| frame.map_data(|bytes| owned_by(&self.0, bytes)))
    }
}
