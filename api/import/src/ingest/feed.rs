//! From the network to a thread that may block: the body's frames over a short channel, and reading them there.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use axum::body::Body;
use bytes::{Buf, Bytes};
use http_body_util::BodyExt;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::{Instant, timeout};

/// A body that is waited for so long without enough of it coming counts as ended before its end.
const PATIENCE: Duration = Duration::from_secs(30);
/// What is enough: a slow line's worth while the body is small, more once it takes a share of the memory that all
/// large imports have together.
const ENOUGH: u64 = 64 << 10;
const ENOUGH_OF_A_LARGE_BODY: u64 = 1 << 20;
/// Frames on their way: enough to keep the reader busy, few enough to hold the sender back.
const FRAMES: usize = 4;

/// What is on its way.
pub enum Frame {
    Data(Bytes),
    /// The body's true end.
    End,
    Cut(Cut),
}

/// Why a body ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The connection broke, or the request was given up.
    Broken,
    Slow,
}

/// The channel from [`pump`] to [`Wire`].
pub fn channel() -> (Sender<Frame>, Receiver<Frame>) {
    mpsc::channel(FRAMES)
}

/// Sends the body's frames, until it ends or nobody takes them any more. Only the time spent waiting for the sender
/// counts as slow, not the time spent waiting for whoever takes the frames.
pub async fn pump(mut body: Body, frames: Sender<Frame>) {
    let mut patience = PATIENCE;
    let (mut came, mut all) = (0, 0);
    loop {
        let begin = Instant::now();
        let frame = match timeout(patience, body.frame()).await {
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) if data.has_remaining() => Frame::Data(data),
                // An empty piece, or trailers.
                _ => Frame::Data(Bytes::new()),
            },
            Ok(Some(Err(_))) => Frame::Cut(Cut::Broken),
            Ok(None) => Frame::End,
            Err(_) => Frame::Cut(Cut::Slow),
        };
        patience = patience.saturating_sub(begin.elapsed());
        if let Frame::Data(data) = &frame {
            came += data.len() as u64;
            all += data.len() as u64;
            if came >= enough(all) {
                (came, patience) = (0, PATIENCE);
            }
            if data.is_empty() {
                continue;
            }
        }
        let last = !matches!(frame, Frame::Data(_));
        if frames.send(frame).await.is_err() || last {
            return;
        }
    }
}

fn enough(all: u64) -> u64 {
    if all > ENOUGH_OF_A_LARGE_BODY {
        ENOUGH_OF_A_LARGE_BODY
    } else {
        ENOUGH
    }
}

/// The body's bytes as they come. Waits on the thread that it is read on.
pub struct Wire {
    frames: Receiver<Frame>,
    current: Bytes,
    ended: bool,
    limit: u64,
    /// The bytes so far.
    pub bytes: u64,
    /// The time spent waiting for the network.
    pub waited: Duration,
    /// Why reading failed.
    pub fault: Option<WireFault>,
}

/// Why a body cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFault {
    TooLarge,
    Cut(Cut),
}

impl Wire {
    /// At most `limit` bytes.
    pub fn new(frames: Receiver<Frame>, limit: u64) -> Self {
        Self {
            frames,
            current: Bytes::new(),
            ended: false,
            limit,
            bytes: 0,
            waited: Duration::ZERO,
            fault: None,
        }
    }

    fn next(&mut self) -> Frame {
        if let Ok(frame) = self.frames.try_recv() {
            return frame;
        }
        let begin = Instant::now();
        let frame = self.frames.blocking_recv();
        self.waited += begin.elapsed();
        frame.unwrap_or(Frame::Cut(Cut::Broken))
    }

    fn fail(&mut self, fault: WireFault) -> io::Error {
        self.fault = Some(fault);
        io::Error::other("the body cannot be read on")
    }
}

impl BufRead for Wire {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if let Some(fault) = self.fault {
            return Err(self.fail(fault));
        }
        if self.current.is_empty() && !self.ended {
            match self.next() {
                Frame::Data(data) => {
                    self.bytes += data.len() as u64;
                    if self.bytes > self.limit {
                        return Err(self.fail(WireFault::TooLarge));
                    }
                    self.current = data;
                }
                Frame::End => self.ended = true,
                Frame::Cut(cut) => return Err(self.fail(WireFault::Cut(cut))),
            }
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

#[cfg(test)]
mod tests {
    use futures::{StreamExt, stream};

    use super::*;

    async fn read(body: Body, limit: u64) -> (io::Result<Vec<u8>>, Wire) {
        let (sender, receiver) = channel();
        let reading = tokio::task::spawn_blocking(move || {
            let mut wire = Wire::new(receiver, limit);
            let mut bytes = Vec::new();
            let result = wire.read_to_end(&mut bytes).map(|_| bytes);
            (result, wire)
        });
        pump(body, sender).await;
        reading.await.unwrap()
    }

    fn pieces(pieces: Vec<Result<&'static str, io::Error>>) -> Body {
        Body::from_stream(stream::iter(pieces))
    }

    #[tokio::test]
    async fn a_body_is_read_as_it_comes() {
        let (bytes, wire) = read(pieces(vec![Ok("[1"), Ok(""), Ok(",2]")]), 5).await;
        assert_eq!(
            (bytes.unwrap(), wire.bytes, wire.fault),
            (b"[1,2]".to_vec(), 5, None)
        );
        assert_eq!(read(Body::empty(), 0).await.0.unwrap(), b"");
    }

    #[tokio::test]
    async fn one_byte_too_many_is_a_fault() {
        let (bytes, wire) = read(pieces(vec![Ok("[1"), Ok(",2]")]), 4).await;
        assert!(bytes.is_err());
        assert_eq!(wire.fault, Some(WireFault::TooLarge));
    }

    #[tokio::test]
    async fn a_broken_connection_is_no_end() {
        let (bytes, mut wire) =
            read(pieces(vec![Ok("[1]"), Err(io::Error::other("reset"))]), 10).await;
        assert!(bytes.is_err());
        assert_eq!(wire.fault, Some(WireFault::Cut(Cut::Broken)));
        assert!(wire.read(&mut [0]).is_err(), "and stays one");
    }

    #[tokio::test]
    async fn a_request_that_was_given_up_is_no_end() {
        let (sender, receiver) = channel();
        drop(sender);
        let reading = tokio::task::spawn_blocking(move || {
            let mut wire = Wire::new(receiver, 10);
            (wire.read(&mut [0]).is_err(), wire.fault)
        });
        assert_eq!(
            reading.await.unwrap(),
            (true, Some(WireFault::Cut(Cut::Broken)))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_no_end() {
        let (sender, mut receiver) = channel();
        let body = Body::from_stream(stream::pending::<Result<Bytes, io::Error>>());
        pump(body, sender).await;
        assert!(matches!(receiver.recv().await, Some(Frame::Cut(Cut::Slow))));
    }

    /// How a body ends whose pieces of `bytes` come every `pause`, and how much of it was taken.
    async fn ends(bytes: usize, pause: Duration, pieces: usize) -> (bool, usize) {
        let (sender, mut receiver) = channel();
        let pieces = stream::iter(0..pieces).then(move |_| async move {
            tokio::time::sleep(pause).await;
            Ok::<_, io::Error>(Bytes::from(vec![b' '; bytes]))
        });
        let pumping = tokio::spawn(pump(Body::from_stream(pieces), sender));
        let mut taken = 0;
        let well = loop {
            match receiver.recv().await {
                Some(Frame::Data(data)) => taken += data.len(),
                Some(Frame::End) => break true,
                Some(Frame::Cut(_)) | None => break false,
            }
        };
        pumping.await.unwrap();
        (well, taken)
    }

    #[tokio::test(start_paused = true)]
    async fn a_trickle_is_no_body_and_a_large_one_must_come_faster() {
        let second = Duration::from_secs(1);
        let (well, taken) = ends(100, second, 1_000).await;
        assert!(!well && taken < 3_100, "{taken}");
        assert!(!ends(4 << 10, second, 1_000).await.0);
        assert_eq!(ends(4 << 10, second, 200).await, (true, 200 << 12));
        assert!(ends(64 << 10, second, 1_000).await.0);
        // Waiting for whoever reads is nobody's slowness.
        let (sender, mut receiver) = channel();
        let body = Body::from_stream(stream::iter(0..20).map(|_| Ok::<_, io::Error>("x")));
        let pumping = tokio::spawn(pump(body, sender));
        tokio::time::sleep(PATIENCE * 10).await;
        let mut taken = 0;
        while let Some(Frame::Data(_)) = receiver.recv().await {
            taken += 1;
        }
        pumping.await.unwrap();
        assert_eq!(taken, 20);
    }
}
