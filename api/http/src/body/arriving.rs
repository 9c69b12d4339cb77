//! A body as it arrives, and the minimum throughput that it must have while others wait for memory.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::time::{Instant, timeout};

use crate::memory::MemoryPermit;
use crate::{Code, Problem, Result};

/// How long a sender may be slower than [`MINIMUM`].
const GRACE: Duration = Duration::from_secs(10);
/// Bytes a second, over the whole body.
const MINIMUM: u128 = 64 << 10;
/// The time between two checks of a body of which nothing arrives.
const TICK: Duration = Duration::from_secs(1);
/// A sender that sends nothing for this long counts as gone, even if its connection is open.
const SILENCE: Duration = Duration::from_mins(1);

/// A body that is being received.
pub struct ArrivingBody {
    body: Body,
    /// The limit of the body, in bytes.
    pub limit: u64,
    /// The permit for the memory that the body takes.
    pub permit: MemoryPermit,
    broken: Code,
    /// Bytes that have arrived.
    pub bytes: u64,
    /// The time spent waiting for the sender.
    pub waited: Duration,
}

impl ArrivingBody {
    /// A body of at most `limit` bytes; `broken` is the problem of one that breaks off.
    pub fn new(body: Body, limit: u64, permit: MemoryPermit, broken: Code) -> Self {
        Self {
            body,
            limit,
            permit,
            broken,
            bytes: 0,
            waited: Duration::ZERO,
        }
    }

    /// The next bytes, at least one; `None` at the end of the body.
    ///
    /// # Errors
    /// 413; 408; `broken` with the place where the connection ended too early.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        let mut silent = Duration::ZERO;
        loop {
            // A size that was declared, or what has come.
            if self.bytes + self.body.size_hint().lower() > self.limit {
                return Err(Problem::too_large(self.limit));
            }
            let begin = Instant::now();
            let frame = timeout(TICK, self.body.frame()).await;
            self.waited += begin.elapsed();
            silent += begin.elapsed();
            let data = match frame {
                Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
                Ok(Some(Err(_))) => {
                    let at = self.bytes;
                    let detail = format!("the connection ended before the body did, at byte {at}");
                    return Err(Problem::new(self.broken, detail));
                }
                Ok(None) => return Ok(None),
                Err(_) => Bytes::new(),
            };
            self.bytes += data.len() as u64;
            let late = self.waited.saturating_sub(GRACE);
            let is_slow = u128::from(self.bytes) * 1_000 < late.as_millis() * MINIMUM;
            if silent >= SILENCE || is_slow && self.permit.others_wait() {
                return Err(Problem::body_too_slow());
            }
            if !data.is_empty() && self.bytes <= self.limit {
                return Ok(Some(data));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, StreamExt, stream};
    use tokio::time::sleep;

    use super::*;
    use crate::memory::{MemoryPool, PoolSize};

    const SECOND: Duration = Duration::from_secs(1);

    fn pool() -> MemoryPool {
        MemoryPool::new(PoolSize {
            total: 2,
            largest: 1,
            small: 1,
        })
    }

    /// Reads a body of which `bytes` arrive each `pause`. How it ends, and how many bytes came in.
    async fn read(
        permit: MemoryPermit,
        bytes: usize,
        pause: Duration,
        pieces: usize,
    ) -> (Option<Code>, u64) {
        let pieces = stream::iter(0..pieces).then(move |_| async move {
            sleep(pause).await;
            Ok::<_, std::io::Error>(vec![b' '; bytes])
        });
        let mut body = ArrivingBody::new(
            Body::from_stream(pieces),
            u64::MAX,
            permit,
            Code::InvalidJson,
        );
        loop {
            match body.next().await {
                Ok(Some(data)) => assert!(!data.is_empty()),
                Ok(None) => return (None, body.bytes),
                Err(problem) => return (Some(problem.code()), body.bytes),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_is_read_to_its_end_while_nobody_waits_for_memory() {
        let permit = || pool().permit(uuid::Uuid::nil());
        assert_eq!(read(permit(), 1, SECOND, 1_000).await, (None, 1_000));
        assert_eq!(read(permit(), 1, SECOND * 59, 10).await, (None, 10));
        let silence = read(permit(), 1, SECOND * 61, 10).await;
        assert_eq!(silence, (Some(Code::BodyTooSlow), 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_is_cut_while_others_wait_for_memory() {
        let pool = pool();
        let permit = || pool.permit(uuid::Uuid::nil());
        let (mut oldest, mut waiting) = (permit(), permit());
        oldest.grow_to(1).await.unwrap();
        assert!(waiting.grow_to(1).now_or_never().is_none(), "it waits");
        let (cut, bytes) = read(permit(), 40_000, SECOND, 1_000).await;
        assert_eq!(cut, Some(Code::BodyTooSlow));
        // What was sent in 26 s: 10 s of grace, and 16 s at 64 KiB are more than that.
        assert_eq!(bytes, 40_000 * 26);
        let (cut, _) = read(permit(), 100, SECOND / 10, 1_000).await;
        assert_eq!(cut, Some(Code::BodyTooSlow));
        assert_eq!(read(permit(), 64 << 10, SECOND, 1_000).await.0, None);
        assert_eq!(read(permit(), 1, SECOND, 10).await.0, None);
        let alone = read(waiting, 1, SECOND, 100).await.0;
        assert_eq!(alone, None, "nobody else waits");
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_time_spent_waiting_for_the_sender_counts() {
        let permit = pool().permit(uuid::Uuid::nil());
        let pieces = stream::iter([Ok::<_, std::io::Error>("x"), Ok("y")]);
        let mut body = ArrivingBody::new(Body::from_stream(pieces), 2, permit, Code::InvalidJson);
        while let Ok(Some(_)) = body.next().await {
            sleep(SECOND * 100).await;
        }
        assert_eq!((body.bytes, body.waited), (2, Duration::ZERO));
    }
}
