//! Bodies of requests.
//!
//! [`read()`] reads small ones whole: forms, links, answers. Imports stream instead. Both read from an [`ArrivingBody`].
//! `kind` is what a body says it is; `json` and `pairs` are how it is read. What is in it is judged elsewhere.

mod arriving;
mod json;
mod kind;
mod pairs;
mod unique;

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;

pub use self::arriving::ArrivingBody;
pub use self::json::{Limit, json, json_as};
pub use self::kind::{ContentEncoding, ContentType, plain};
pub use self::pairs::{Pairs, multipart, urlencoded};
pub use crate::memory::FREE;
use crate::memory::MemoryPermit;
use crate::{Code, Problem, Result};

/// Bytes of a body that is written for a program: a form, a link.
pub const SMALL: usize = 1 << 20;

/// How long a sender is waited for, all its pauses together.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads the whole body, of at most `limit` bytes, and the permit for the memory that it takes.
///
/// # Errors
/// 413; 503 `busy`; 408; `broken` with the place where the body ends too early.
pub async fn read(
    permit: MemoryPermit,
    body: Body,
    limit: usize,
    broken: Code,
) -> Result<(Bytes, MemoryPermit)> {
    read_if(permit, body, limit, broken, (0, |_: &[u8]| Ok(()))).await
}

/// As [`read()`], but first shows the beginning of the body to a judge. If it refuses, the rest is not read.
///
/// # Errors
/// As above, and that of the judge.
pub async fn read_if(
    permit: MemoryPermit,
    body: Body,
    limit: usize,
    broken: Code,
    (first, judge): (usize, impl FnOnce(&[u8]) -> Result<()>),
) -> Result<(Bytes, MemoryPermit)> {
    let mut body = ArrivingBody::new(body, limit as u64, permit, broken);
    let mut bytes = Vec::new();
    let mut judge = Some(judge);
    while let Some(data) = body.next().await? {
        if body.waited >= PATIENCE {
            return Err(Problem::body_too_slow());
        }
        let length = bytes.len() + data.len();
        if length > FREE {
            body.permit.grow_to(length as u64).await?;
        }
        bytes.extend_from_slice(&data);
        if bytes.len() >= first
            && let Some(judge) = judge.take()
        {
            judge(&bytes)?;
        }
    }
    if let Some(judge) = judge {
        judge(&bytes)?;
    }
    Ok((bytes.into(), body.permit))
}

#[cfg(test)]
mod tests {
    use crate::memory::{MemoryPool, PoolSize};
    use futures::{StreamExt, stream};
    use uuid::Uuid;

    use super::*;

    const POOL: PoolSize = PoolSize {
        total: 32 << 20,
        largest: 2 << 20,
        small: 0,
    };

    async fn read_of(
        pool: &MemoryPool,
        account: u128,
        length: usize,
    ) -> Result<(Bytes, MemoryPermit), Code> {
        let permit = pool.permit(Uuid::from_u128(account));
        let body = Body::from(vec![b'x'; length]);
        let read = read(permit, body, SMALL, Code::InvalidForm);
        read.await.map_err(|problem| problem.code())
    }

    #[tokio::test]
    async fn a_body_may_be_as_large_as_its_limit() {
        let pool = MemoryPool::new(POOL);
        for length in [0, 1, SMALL] {
            let (bytes, _) = read_of(&pool, 1, length).await.unwrap();
            assert_eq!(bytes.len(), length);
        }
        let refused = read_of(&pool, 1, SMALL + 1).await;
        assert_eq!(refused.err(), Some(Code::BodyTooLarge));
        let pieces = stream::iter((0..11).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 10])));
        let body = Body::from_stream(pieces);
        let refused = read(
            MemoryPool::new(POOL).permit(Uuid::nil()),
            body,
            100,
            Code::InvalidForm,
        )
        .await;
        assert_eq!(refused.err().unwrap().code(), Code::BodyTooLarge);
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_told_with_its_place() {
        let pieces = [Ok(vec![b'x'; 10]), Err(std::io::Error::other("reset"))];
        let body = Body::from_stream(stream::iter(pieces));
        let refused = read(
            MemoryPool::new(POOL).permit(Uuid::nil()),
            body,
            100,
            Code::InvalidJson,
        )
        .await;
        let refused = refused.err().unwrap();
        assert_eq!(refused.code(), Code::InvalidJson);
        assert!(
            refused.detail().ends_with("byte 10"),
            "{}",
            refused.detail()
        );
    }

    #[tokio::test]
    async fn nothing_is_read_behind_a_beginning_that_is_refused() {
        let read_of = async |pieces: Vec<&'static str>| {
            let pieces = stream::iter(pieces).map(|piece| {
                assert_ne!(piece, "unread");
                Ok::<_, std::io::Error>(piece)
            });
            let judge = |begin: &[u8]| match begin {
                [b'a', b'b', ..] => Ok(()),
                _ => Err(Problem::not_found()),
            };
            let permit = MemoryPool::new(POOL).permit(Uuid::nil());
            let body = Body::from_stream(pieces);
            let read = read_if(permit, body, SMALL, Code::InvalidForm, (2, judge));
            read.await.map_err(|problem| problem.code())
        };
        let (read, _) = read_of(vec!["a", "b", "c"]).await.unwrap();
        assert_eq!(read, "abc");
        for refused in [vec!["a", "x", "unread"], vec!["a"], vec![]] {
            assert_eq!(read_of(refused).await.err(), Some(Code::NotFound));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_account_that_holds_its_share_is_busy_and_no_other_is() {
        let pool = MemoryPool::new(POOL);
        let mut held = Vec::new();
        for _ in 0..15 {
            held.push(read_of(&pool, 1, SMALL).await.unwrap());
        }
        assert_eq!(read_of(&pool, 1, SMALL).await.err(), Some(Code::Busy));
        assert!(read_of(&pool, 1, FREE).await.is_ok());
        assert!(read_of(&pool, 2, SMALL).await.is_ok());
        held.pop();
        assert!(read_of(&pool, 1, SMALL).await.is_ok());
    }
}
