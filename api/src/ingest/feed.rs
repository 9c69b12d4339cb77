//! From the network to a thread that may block: the body's frames over a short channel, and reading them there.

use std::io::{self, BufRead, Read};
use std::time::{Duration, Instant};

use axum::body::Body;
use bytes::{Buf, Bytes};
use http_body_util::BodyExt;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::timeout;

/// A body of which no byte comes for so long counts as ended before its end.
const SILENCE: Duration = Duration::from_secs(30);
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
    Silent,
}

/// The channel from [`pump`] to [`Wire`].
pub fn channel() -> (Sender<Frame>, Receiver<Frame>) {
    mpsc::channel(FRAMES)
}

/// Sends the body's frames, until it ends or nobody takes them any more.
pub async fn pump(mut body: Body, frames: Sender<Frame>) {
    loop {
        let frame = match timeout(SILENCE, body.frame()).await {
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) if data.has_remaining() => Frame::Data(data),
                // An empty piece, or trailers.
                _ => continue,
            },
            Ok(Some(Err(_))) => Frame::Cut(Cut::Broken),
            Ok(None) => Frame::End,
            Err(_) => Frame::Cut(Cut::Silent),
        };
        let last = !matches!(frame, Frame::Data(_));
        if frames.send(frame).await.is_err() || last {
            return;
        }
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
    use futures::stream;

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
        assert!(matches!(
            receiver.recv().await,
            Some(Frame::Cut(Cut::Silent))
        ));
    }
}
