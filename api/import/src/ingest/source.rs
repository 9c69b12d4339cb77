//! A body as the parser reads it: wire limit, decompression, decoded limit and memory, hash, in that order.

use std::io::{self, Read};
use std::sync::Arc;

use domain::body::BodyKind;
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::error::{broken, fault};
use super::feed::{Wire, wait};
use super::{Incoming, decoder};
use api_http::body::ArrivingBody;
use api_http::memory::MemoryPermit;
use api_http::{Problem, Result};

/// Memory is requested in steps of this size.
const MEMORY_STEP: u64 = 1 << 20;

/// The memory that a body may take once so many bytes of it are decoded. Each takes at most four: the shortest records
/// have a third of the size of a fingerprint, and lie in a run besides.
pub fn memory_of(decoded: u64) -> u64 {
    MEMORY_STEP / 2 + (decoded * 4).next_multiple_of(MEMORY_STEP)
}

/// A decoded body, on a thread that may block. Its errors hold a [`Problem`].
pub struct Source {
    decoder: Box<dyn Read + Send>,
    /// As it arrives.
    body: Arc<Mutex<ArrivingBody>>,
    kind: BodyKind,
    permit: MemoryPermit,
    stop: CancellationToken,
    limit: u64,
    /// The decoded bytes so far.
    decoded: u64,
    hash: Option<Sha256>,
}

impl Source {
    /// A source that ends with an error once `stop` is cancelled. The SHA-256 of the decoded bytes is taken if `hashed`.
    ///
    /// # Errors
    /// The decoder has no memory.
    pub fn new(incoming: Incoming, stop: CancellationToken, hashed: bool) -> Result<Self> {
        let Incoming {
            body,
            kind,
            encoding,
            permit,
            limit,
        } = incoming;
        let body = ArrivingBody::new(body, limit, permit.demand(), broken(kind));
        let body = Arc::new(Mutex::new(body));
        let wire = Wire::new(Arc::clone(&body), stop.clone());
        let decoder = decoder(encoding, wire).map_err(|_| fault("a decoder has no memory"))?;
        Ok(Self {
            decoder,
            body,
            kind,
            permit,
            stop,
            limit,
            decoded: 0,
            hash: hashed.then(Sha256::new),
        })
    }

    /// The SHA-256 of what was read, if it was asked for.
    pub fn hash(&self) -> Option<[u8; 32]> {
        self.hash
            .as_ref()
            .map(|hash| hash.clone().finalize().into())
    }

    pub fn kind(&self) -> BodyKind {
        self.kind
    }

    /// The body as it arrives.
    pub fn body(&self) -> MutexGuard<'_, ArrivingBody> {
        self.body.lock()
    }

    /// Counts bytes that were decoded, and waits for the memory that they need.
    fn count(&mut self, bytes: u64) -> Result<()> {
        self.decoded += bytes;
        if self.decoded > self.limit {
            return Err(Problem::too_large(self.limit));
        }
        wait(&self.stop, self.permit.grow_to(memory_of(self.decoded)))
    }

    /// What a failed read of the decoder comes to.
    fn explain(&self, error: io::Error) -> Problem {
        error.downcast().unwrap_or_else(|_| {
            let at = self.decoded;
            let detail =
                format!("the content encoding is broken or cut, after byte {at} of what it holds");
            Problem::new(broken(self.kind), detail)
        })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buffer);
        let read = read.map_err(|error| io::Error::other(self.explain(error)))?;
        self.count(read as u64).map_err(io::Error::other)?;
        if let (Some(hash), Some(bytes)) = (&mut self.hash, buffer.get(..read)) {
            hash.update(bytes);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use uuid::Uuid;

    use super::super::{Encoding, memory};
    use super::*;
    use api_http::error::Code;

    /// Reads a body; its decoded length and hash, or why not.
    async fn read(
        encoding: Encoding,
        body: Vec<u8>,
        limit: u64,
    ) -> Result<(usize, [u8; 32]), Code> {
        let incoming = Incoming {
            body: Body::from(body),
            kind: BodyKind::Json,
            encoding,
            permit: memory(1_000_000).permit(Uuid::nil()),
            limit,
        };
        let reading = tokio::task::spawn_blocking(move || {
            let mut source = Source::new(incoming, CancellationToken::new(), true)?;
            let mut bytes = Vec::new();
            let length = source.read_to_end(&mut bytes)?;
            Ok((length, source.hash().unwrap()))
        });
        reading
            .await
            .unwrap()
            .map_err(|problem: Problem| problem.code())
    }

    #[tokio::test]
    async fn the_hash_is_of_the_decoded_body() {
        let plain = b"[1,2,3]".to_vec();
        let packed = zstd::encode_all(plain.as_slice(), 1).unwrap();
        let one = read(Encoding::Identity, plain.clone(), 100).await.unwrap();
        assert_eq!(one, read(Encoding::Zstd, packed, 100).await.unwrap());
        assert_eq!(one, (7, Sha256::digest(&plain).into()));
    }

    #[tokio::test]
    async fn the_limit_counts_decoded_bytes_too() {
        let bomb = zstd::encode_all(&vec![b' '; 1 << 20][..], 1).unwrap();
        assert!(bomb.len() < 1_000);
        let refused = read(Encoding::Zstd, bomb.clone(), (1 << 20) - 1).await;
        assert_eq!(refused, Err(Code::BodyTooLarge));
        assert_eq!(
            read(Encoding::Zstd, bomb, 1 << 20).await.unwrap().0,
            1 << 20
        );
        let refused = read(Encoding::Identity, vec![b' '; 11], 10).await;
        assert_eq!(refused, Err(Code::BodyTooLarge));
    }

    #[tokio::test]
    async fn a_broken_encoding_is_a_broken_body() {
        for encoding in [Encoding::Gzip, Encoding::Zstd] {
            let refused = read(encoding, b"[]".to_vec(), 10).await;
            assert_eq!(refused, Err(Code::InvalidJson));
        }
    }
}
