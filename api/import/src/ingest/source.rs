//! A body as the parser reads it: wire limit, decompression, decoded limit and memory, hash, in that order.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use api_http::body::ContentEncoding;
use bytes::{Buf, Bytes};
use domain::body::BodyKind;
use flate2::bufread::MultiGzDecoder;
use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::{Incoming, broken, fault};
use api_http::body::ArrivingBody;
use api_http::{Problem, Result};

/// A window of 8 MiB is what RFC 8878 asks decoders to support; a body that needs more is refused.
const MAX_WINDOW_LOG: u32 = 23;

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
    pub kind: BodyKind,
    stop: CancellationToken,
    /// The decoded bytes so far.
    decoded: u64,
    /// Bytes that are held beside them.
    held: u64,
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
        let body = ArrivingBody::new(body, limit, permit, broken(kind));
        let body = Arc::new(Mutex::new(body));
        let wire = Wire {
            body: Arc::clone(&body),
            stop: stop.clone(),
            current: Bytes::new(),
            ended: false,
        };
        let decoder = decoder(encoding, wire).map_err(|_| fault("a decoder has no memory"))?;
        Ok(Self {
            decoder,
            body,
            kind,
            stop,
            decoded: 0,
            held: 0,
            hash: hashed.then(Sha256::new),
        })
    }

    /// The SHA-256 of what was read, if it was asked for.
    pub fn hash(&self) -> Option<[u8; 32]> {
        self.hash
            .as_ref()
            .map(|hash| hash.clone().finalize().into())
    }

    /// The body as it arrives.
    pub fn body(&self) -> MutexGuard<'_, ArrivingBody> {
        self.body.lock()
    }

    /// Counts bytes that were decoded, and waits for the memory that they need.
    fn count(&mut self, bytes: u64) -> Result<()> {
        self.decoded += bytes;
        let mut body = self.body.lock();
        if self.decoded > body.limit {
            return Err(Problem::too_large(body.limit));
        }
        wait(
            &self.stop,
            body.permit.grow_to(memory_of(self.decoded) + self.held),
        )
    }

    /// Waits for memory for what is held beside the decoded bytes, from here on; false if no body may hold so much.
    ///
    /// # Errors
    /// The memory does not become free in time, or nobody waits for the import any more.
    pub fn hold(&mut self, bytes: u64) -> Result<bool> {
        if bytes > self.body.lock().permit.largest() {
            return Ok(false);
        }
        self.held = bytes;
        self.count(0).map(|()| true)
    }

    /// # Errors
    /// Nobody waits for it any more.
    pub fn go_on(&self) -> Result<()> {
        if self.stop.is_cancelled() {
            return Err(fault("nobody waits for the import any more"));
        }
        Ok(())
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

/// A body that is decoded as it is read.
///
/// # Errors
/// zstd has no memory.
fn decoder<'a>(
    encoding: ContentEncoding,
    body: impl BufRead + Send + 'a,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    Ok(match encoding {
        ContentEncoding::Identity => Box::new(body),
        ContentEncoding::Gzip => Box::new(MultiGzDecoder::new(body)),
        ContentEncoding::Zstd => {
            let mut decoder = ZstdDecoder::with_buffer(body)?;
            decoder.window_log_max(MAX_WINDOW_LOG)?;
            Box::new(decoder)
        }
    })
}

/// A body as it comes over the wire; an error once `stop` is cancelled. An error of it holds a [`Problem`].
struct Wire {
    body: Arc<Mutex<ArrivingBody>>,
    stop: CancellationToken,
    current: Bytes,
    ended: bool,
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
fn wait<T>(stop: &CancellationToken, future: impl Future<Output = Result<T>>) -> Result<T> {
    Handle::current()
        .block_on(stop.run_until_cancelled(future))
        .unwrap_or_else(|| Err(fault("nobody waits for the import any more")))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use axum::body::Body;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use futures::stream;
    use uuid::Uuid;

    use super::super::tests::pool;
    use super::*;
    use api_http::error::Code;
    use api_http::memory::{MemoryPool, PoolSize};

    /// Reads a body; its decoded length and hash, or why not.
    async fn read(
        encoding: ContentEncoding,
        body: Vec<u8>,
        limit: u64,
    ) -> Result<(usize, [u8; 32]), Code> {
        let incoming = Incoming {
            body: Body::from(body),
            kind: BodyKind::Json,
            encoding,
            permit: pool().permit(Uuid::nil()),
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
        let one = read(ContentEncoding::Identity, plain.clone(), 100)
            .await
            .unwrap();
        assert_eq!(one, read(ContentEncoding::Zstd, packed, 100).await.unwrap());
        assert_eq!(one, (7, Sha256::digest(&plain).into()));
    }

    #[tokio::test]
    async fn the_limit_counts_decoded_bytes_too() {
        let bomb = zstd::encode_all(&vec![b' '; 1 << 20][..], 1).unwrap();
        assert!(bomb.len() < 1_000);
        let refused = read(ContentEncoding::Zstd, bomb.clone(), (1 << 20) - 1).await;
        assert_eq!(refused, Err(Code::BodyTooLarge));
        assert_eq!(
            read(ContentEncoding::Zstd, bomb, 1 << 20).await.unwrap().0,
            1 << 20
        );
        let refused = read(ContentEncoding::Identity, vec![b' '; 11], 10).await;
        assert_eq!(refused, Err(Code::BodyTooLarge));
    }

    #[tokio::test]
    async fn a_broken_encoding_is_a_broken_body() {
        for encoding in [ContentEncoding::Gzip, ContentEncoding::Zstd] {
            let refused = read(encoding, b"[]".to_vec(), 10).await;
            assert_eq!(refused, Err(Code::InvalidJson));
        }
    }

    fn decode(encoding: ContentEncoding, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut decoded = Vec::new();
        decoder(encoding, bytes)?.read_to_end(&mut decoded)?;
        Ok(decoded)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn bodies_of_several_members_are_read_whole() {
        let members = [gzip(b"[1,"), gzip(b"2]")].concat();
        assert_eq!(decode(ContentEncoding::Gzip, &members).unwrap(), b"[1,2]");
        let frames = [
            zstd::encode_all(&b"[1,"[..], 1).unwrap(),
            zstd::encode_all(&b"2]"[..], 1).unwrap(),
        ]
        .concat();
        assert_eq!(decode(ContentEncoding::Zstd, &frames).unwrap(), b"[1,2]");
        assert_eq!(decode(ContentEncoding::Identity, b"[]").unwrap(), b"[]");
    }

    #[test]
    fn cut_and_broken_bodies_are_errors() {
        for (encoding, whole) in [
            (ContentEncoding::Gzip, gzip(&[b'x'; 1_000])),
            (
                ContentEncoding::Zstd,
                zstd::encode_all(&[b'x'; 1_000][..], 1).unwrap(),
            ),
        ] {
            assert!(decode(encoding, &whole[..whole.len() - 3]).is_err());
            assert!(decode(encoding, &[whole.as_slice(), b"rubbish"].concat()).is_err());
            assert!(decode(encoding, b"[]").is_err());
        }
    }

    #[test]
    fn a_window_larger_than_8_mib_is_refused() {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(24).unwrap();
        encoder.include_contentsize(false).unwrap();
        encoder.write_all(&vec![b'x'; 17 << 20]).unwrap();
        let frame = encoder.finish().unwrap();
        assert!(decode(ContentEncoding::Zstd, &frame).is_err());
    }

    async fn read_wire(body: Body, limit: u64, stop: CancellationToken) -> io::Result<Vec<u8>> {
        let size = PoolSize {
            total: 2,
            largest: 1,
            small: 1,
        };
        let permit = MemoryPool::new(size).permit(Uuid::nil());
        let body = ArrivingBody::new(body, limit, permit, Code::InvalidJson);
        let mut wire = Wire {
            body: Arc::new(Mutex::new(body)),
            stop,
            current: Bytes::new(),
            ended: false,
        };
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
        assert_eq!(read_wire(body, 5, stop.clone()).await.unwrap(), b"[1,2]");
        assert_eq!(read_wire(Body::empty(), 0, stop).await.unwrap(), b"");
    }

    #[tokio::test]
    async fn one_byte_too_many_is_refused() {
        let body = pieces(vec![Ok("[1"), Ok(",2]")]);
        let refused = read_wire(body, 4, CancellationToken::new())
            .await
            .unwrap_err();
        assert_eq!(Problem::from(refused).code(), Code::BodyTooLarge);
    }

    #[tokio::test]
    async fn a_broken_connection_is_no_end() {
        let body = pieces(vec![Ok("[1]"), Err(io::Error::other("reset"))]);
        let cut = read_wire(body, 10, CancellationToken::new())
            .await
            .unwrap_err();
        assert_eq!(Problem::from(cut).code(), Code::InvalidJson);
    }

    #[tokio::test]
    async fn a_request_that_was_given_up_is_no_end() {
        let stop = CancellationToken::new();
        let body = Body::from_stream(stream::pending::<Result<Bytes, io::Error>>());
        let (result, ()) = tokio::join!(read_wire(body, 10, stop.clone()), async { stop.cancel() });
        assert!(result.unwrap_err().downcast::<Problem>().is_ok());
    }
}
