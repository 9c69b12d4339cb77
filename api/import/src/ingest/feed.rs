//! The bytes of a body, on a thread that may block.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use bytes::{Buf, Bytes};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::error::fault;
use api_http::Result;
use api_http::body::ArrivingBody;

/// A body as it comes over the wire. An error of it holds a [`Problem`].
pub struct Wire {
    body: Arc<Mutex<ArrivingBody>>,
    stop: CancellationToken,
    current: Bytes,
    ended: bool,
}

impl Wire {
    /// The bytes of `body`; none once `stop` is cancelled.
    pub fn new(body: Arc<Mutex<ArrivingBody>>, stop: CancellationToken) -> Self {
        Self {
            body,
            stop,
            current: Bytes::new(),
            ended: false,
        }
    }
}

impl BufRead for Wire {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.current.is_empty() && !self.ended {
            let mut body = self.body.lock();
            let next = wait(&self.stop, body.next()).map_err(io::Error::other)?;
            self.ended = next.is_none();
            self.current = next.unwrap_or_default();
        }
        Ok(&self.current)
    }

    fn consume(&mut self, amount: usize) {
        self.current.advance(amount.min(self.current.len()));
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

/// Waits for a future on this thread, which must be one that may block.
///
/// # Errors
/// `stop` was cancelled.
pub fn wait<T>(stop: &CancellationToken, future: impl Future<Output = Result<T>>) -> Result<T> {
    Handle::current()
        .block_on(stop.run_until_cancelled(future))
        .unwrap_or_else(|| Err(fault("nobody waits for the import any more")))
}

#[cfg(test)]
mod tests {
    use api_http::Problem;
    use axum::body::Body;
    use futures::stream;
    use uuid::Uuid;

    use super::*;
    use api_http::error::Code;
    use api_http::memory::{MemoryPool, PoolSize};

    async fn read(body: Body, limit: u64, stop: CancellationToken) -> io::Result<Vec<u8>> {
        let size = PoolSize {
            total: 2,
            largest: 1,
            small: 1,
        };
        let permit = MemoryPool::new(size).permit(Uuid::nil());
        let body = ArrivingBody::new(body, limit, permit.demand(), Code::InvalidJson);
        let mut wire = Wire::new(Arc::new(Mutex::new(body)), stop);
        let reading = tokio::task::spawn_blocking(move || {
            let mut bytes = Vec::new();
            wire.read_to_end(&mut bytes).map(|_| bytes)
        });
        reading.await.unwrap()
    }

    fn pieces(pieces: Vec<Result<&'static str, io::Error>>) -> Body {
        Body::from_stream(stream::iter(pieces))
    }

    #[tokio::test]
    async fn a_body_is_read_as_it_comes() {
        let stop = CancellationToken::new();
        let body = pieces(vec![Ok("[1"), Ok(""), Ok(",2]")]);
        assert_eq!(read(body, 5, stop.clone()).await.unwrap(), b"[1,2]");
        assert_eq!(read(Body::empty(), 0, stop).await.unwrap(), b"");
    }

    #[tokio::test]
    async fn one_byte_too_many_is_refused() {
        let body = pieces(vec![Ok("[1"), Ok(",2]")]);
        let refused = read(body, 4, CancellationToken::new()).await.unwrap_err();
        assert_eq!(Problem::from(refused).code(), Code::BodyTooLarge);
    }

    #[tokio::test]
    async fn a_broken_connection_is_no_end() {
        let body = pieces(vec![Ok("[1]"), Err(io::Error::other("reset"))]);
        let cut = read(body, 10, CancellationToken::new()).await.unwrap_err();
        assert_eq!(Problem::from(cut).code(), Code::InvalidJson);
    }

    #[tokio::test]
    async fn a_request_that_was_given_up_is_no_end() {
        let stop = CancellationToken::new();
        let body = Body::from_stream(stream::pending::<Result<Bytes, io::Error>>());
        let (result, ()) = tokio::join!(read(body, 10, stop.clone()), async { stop.cancel() });
        assert!(result.unwrap_err().downcast::<Problem>().is_ok());
    }
}
