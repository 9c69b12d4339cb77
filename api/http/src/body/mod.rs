//! Small bodies, read whole: forms, links, answers. Imports stream instead, in the crate for them.
//!
//! `kind` is what a body says it is; `json` and `pairs` are how it is read. What is in it is judged elsewhere.

mod json;
mod kind;
mod pairs;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use self::json::{Limit, json};
pub use self::kind::{ContentType, Encoding, plain};
pub use self::pairs::{Pairs, multipart, urlencoded};
use crate::error::{Code, Problem};

/// Bytes of a body that is written for a program: a form, a link.
pub const SMALL: usize = 1 << 20;

/// A body must be there by then.
const PATIENCE: Duration = Duration::from_secs(30);
/// A body up to this size needs no room.
const ROOM: usize = 16 << 10;
/// So many pieces of that size, all larger bodies together.
const ROOMS: usize = 2_048;

/// The memory of bodies that are read whole. Cheap to clone.
#[derive(Clone)]
pub struct Buffers(Arc<Semaphore>);

/// A body, and the room that it takes.
pub struct Whole {
    pub bytes: Bytes,
    /// Of a small body none.
    pub room: Option<OwnedSemaphorePermit>,
}

impl Default for Buffers {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(ROOMS)))
    }
}

impl Buffers {
    /// The whole body, at most `limit` bytes.
    ///
    /// # Errors
    /// 413; 503 when too many large bodies come at once; `cut` with the place for a body that ends too early.
    pub async fn read(&self, mut body: Body, limit: usize, cut: Code) -> Result<Whole, Problem> {
        let too_large = || {
            Problem::new(
                Code::BodyTooLarge,
                format!("the body may have {limit} bytes here"),
            )
        };
        if body.size_hint().lower() > limit as u64 {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        let mut room: Option<OwnedSemaphorePermit> = None;
        let mut rooms = 0;
        let reading = async {
            while let Some(frame) = body.frame().await {
                let Ok(frame) = frame else {
                    return Err(ended(cut, bytes.len()));
                };
                let Ok(data) = frame.into_data() else {
                    continue;
                };
                if bytes.len() + data.len() > limit {
                    return Err(too_large());
                }
                bytes.extend_from_slice(&data);
                while rooms < bytes.len() / ROOM {
                    let more = self.0.clone().try_acquire_owned().map_err(|_| full())?;
                    rooms += 1;
                    match &mut room {
                        Some(room) => room.merge(more),
                        None => room = Some(more),
                    }
                }
            }
            Ok(())
        };
        match tokio::time::timeout(PATIENCE, reading).await {
            Ok(read) => read?,
            Err(_) => return Err(ended(cut, bytes.len())),
        }
        Ok(Whole {
            bytes: bytes.into(),
            room,
        })
    }
}

fn ended(cut: Code, at: usize) -> Problem {
    Problem::new(cut, format!("the body ended too early, at byte {at}"))
}

fn full() -> Problem {
    Problem::new(
        Code::Unavailable,
        "too many large bodies at once; try again",
    )
    .retry_after(1)
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;

    async fn read(buffers: &Buffers, length: usize, limit: usize) -> Result<Whole, Code> {
        let read = buffers.read(Body::from(vec![b'x'; length]), limit, Code::InvalidForm);
        read.await.map_err(|problem| problem.code())
    }

    #[tokio::test]
    async fn a_body_may_be_as_large_as_its_limit() {
        let buffers = Buffers::default();
        for length in [0, 1, 100] {
            assert_eq!(
                read(&buffers, length, 100).await.unwrap().bytes.len(),
                length
            );
        }
        assert_eq!(
            read(&buffers, 101, 100).await.err(),
            Some(Code::BodyTooLarge)
        );
        let pieces = stream::iter((0..11).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 10])));
        let body = Body::from_stream(pieces);
        let refused = buffers.read(body, 100, Code::InvalidForm).await;
        assert_eq!(refused.err().unwrap().code(), Code::BodyTooLarge);
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_told_with_its_place() {
        let pieces = [Ok(vec![b'x'; 10]), Err(std::io::Error::other("reset"))];
        let body = Body::from_stream(stream::iter(pieces));
        let refused = Buffers::default().read(body, 100, Code::InvalidJson).await;
        assert_eq!(refused.err().unwrap().code(), Code::InvalidJson);
    }

    #[tokio::test]
    async fn all_large_bodies_share_their_room_and_give_it_back() {
        let buffers = Buffers::default();
        let large = ROOM * ROOMS / 4;
        let mut held = Vec::new();
        for _ in 0..4 {
            held.push(read(&buffers, large, large).await.unwrap());
        }
        assert_eq!(
            read(&buffers, ROOM, large).await.err(),
            Some(Code::Unavailable)
        );
        assert!(read(&buffers, ROOM - 1, large).await.is_ok());
        held.pop();
        assert!(read(&buffers, large, large).await.is_ok());
    }
}
