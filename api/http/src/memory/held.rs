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
        Arc::new(self).hold_too(response)
    }

    /// A response that shares its bytes with others: all of them hold this memory until the last reader has taken them.
    pub fn hold_too(self: Arc<Self>, response: Response) -> Response {
        response.map(|body| self.wrap(body))
    }

    /// Bytes that hold this memory until the last of them is dropped.
    pub(crate) fn owned_by(self: &Arc<Self>, bytes: Bytes) -> Bytes {
        Bytes::from_owner(HeldBytes {
            bytes,
            _permit: Arc::clone(self),
        })
    }
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

/// Lets the bytes of a body hold memory. The body itself is gone as soon as the library has its last bytes.
impl BodyWrapper for Arc<MemoryPermit> {
    fn pass(&mut self, polled: PolledFrame) -> PolledFrame {
        polled.map_ok(|frame| frame.map_data(|bytes| self.owned_by(bytes)))
    }
}
