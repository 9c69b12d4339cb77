//! A body as the parser reads it: wire limit, decompression, decoded limit and room, hash, in that order.

use std::io::{self, Read};
use std::time::Duration;

use domain::body::BodyKind;
use sha2::{Digest, Sha256};

use super::feed::{Cut, Wire, WireFault};
use super::{Decoder, Encoding, Refusal, Room};

/// A decoded body. Waits on the thread that it is read on.
pub struct Source {
    decoder: Decoder<Wire>,
    room: Room,
    limit: u64,
    /// The decoded bytes so far.
    decoded: u64,
    hash: Option<Sha256>,
    /// Why reading failed, unless the wire or the decoder knows.
    refusal: Option<Refusal>,
}

impl Source {
    /// At most `limit` decoded bytes; their SHA-256 is taken if `hashed`.
    ///
    /// # Errors
    /// The decoder has no memory.
    pub fn new(
        wire: Wire,
        encoding: Encoding,
        limit: u64,
        room: Room,
        hashed: bool,
    ) -> Result<Self, Refusal> {
        let decoder = Decoder::new(encoding, wire).map_err(|_| Refusal::NoRoom)?;
        let hash = hashed.then(Sha256::new);
        Ok(Self {
            decoder,
            room,
            limit,
            decoded: 0,
            hash,
            refusal: None,
        })
    }

    /// The SHA-256 of what was read, if it was asked for.
    pub fn hash(&self) -> Option<[u8; 32]> {
        self.hash
            .as_ref()
            .map(|hash| hash.clone().finalize().into())
    }

    /// The bytes as they came, and the time spent waiting for them.
    pub fn traffic(&self) -> (u64, Duration) {
        let wire = self.decoder.inner();
        (wire.bytes, wire.waited)
    }

    /// What a failed read comes to, for a body of this kind.
    pub fn refusal(&mut self, kind: BodyKind) -> Refusal {
        if let Some(refusal) = self.refusal.take() {
            return refusal;
        }
        let at = self.decoded;
        let detail = match self.decoder.inner().fault {
            Some(WireFault::TooLarge) => return Refusal::BodyTooLarge { limit: self.limit },
            Some(WireFault::Cut(Cut::Broken)) => {
                format!("the connection ended before the body did, at byte {at}")
            }
            Some(WireFault::Cut(Cut::Slow)) => {
                format!("the body came too slowly, which ends it too early, at byte {at}")
            }
            None => {
                format!("the content encoding is broken or cut, after byte {at} of what it holds")
            }
        };
        Refusal::Syntax { kind, detail }
    }

    fn check(&mut self) -> Result<(), Refusal> {
        if self.decoded > self.limit {
            return Err(Refusal::BodyTooLarge { limit: self.limit });
        }
        self.room.hold(self.decoded)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buffer)?;
        self.decoded += read as u64;
        if let Err(refusal) = self.check() {
            self.refusal = Some(refusal);
            return Err(io::Error::other("the body is refused"));
        }
        if let (Some(hash), Some(bytes)) = (&mut self.hash, buffer.get(..read)) {
            hash.update(bytes);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::super::Admission;
    use super::super::feed::{channel, pump};
    use super::*;

    /// Reads a body; its decoded length and hash, or why not.
    async fn read(
        encoding: Encoding,
        body: Vec<u8>,
        limit: u64,
    ) -> Result<(usize, [u8; 32]), Refusal> {
        let (sender, receiver) = channel();
        let room = Admission::new().enter(None).await?;
        let reading = tokio::task::spawn_blocking(move || {
            let mut source = Source::new(Wire::new(receiver, limit), encoding, limit, room, true)?;
            let mut bytes = Vec::new();
            match source.read_to_end(&mut bytes) {
                Ok(length) => Ok((length, source.hash().unwrap())),
                Err(_) => Err(source.refusal(BodyKind::Json)),
            }
        });
        pump(Body::from(body), sender).await;
        reading.await.unwrap()
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
        assert!(matches!(refused, Err(Refusal::BodyTooLarge { .. })));
        assert_eq!(
            read(Encoding::Zstd, bomb, 1 << 20).await.unwrap().0,
            1 << 20
        );
        let refused = read(Encoding::Identity, vec![b' '; 11], 10).await;
        assert!(matches!(refused, Err(Refusal::BodyTooLarge { limit: 10 })));
    }

    #[tokio::test]
    async fn a_broken_encoding_is_a_broken_body() {
        let refused = read(Encoding::Gzip, b"[]".to_vec(), 10).await;
        assert!(matches!(
            refused,
            Err(Refusal::Syntax {
                kind: BodyKind::Json,
                ..
            })
        ));
    }
}
