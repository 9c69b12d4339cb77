//! Imports whose sender is slow: records in pieces, at a rate of the test's choice.

use std::fmt::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use futures::stream;
use reqwest::Body;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::task::AbortOnDropHandle;

use crate::client::{Answer, Client};
use crate::import::{NDJSON, record};

/// How often a piece is sent.
const PAUSE: Duration = Duration::from_millis(100);

/// How a body is sent.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// At least so many bytes at once, …
    pub at_once: usize,
    /// … and then about so many a second, …
    pub rate: usize,
    /// … until there were so many records.
    pub records: usize,
}

/// An import on its way. Dropped, it is given up.
#[derive(Debug)]
pub struct Upload {
    answer: AbortOnDropHandle<Result<Answer>>,
    begun: watch::Receiver<bool>,
}

impl Upload {
    /// Begins to send records, `PREFIX-0` and on.
    pub fn start(client: &Client, prefix: &str, pace: Pace) -> Self {
        let (has_begun, begun) = watch::channel(false);
        let mut tick = interval(PAUSE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let state = (prefix.to_owned(), 0, tick, has_begun);
        let pieces = stream::unfold(
            state,
            move |(prefix, sent, mut tick, has_begun)| async move {
                let size = if sent == 0 {
                    pace.at_once
                } else {
                    // Asked for more: what was sent at once is on its way.
                    has_begun.send_replace(true);
                    tick.tick().await;
                    pace.rate / 10
                };
                let (piece, next) = piece(&prefix, sent, size, pace.records)?;
                Some((
                    Ok::<_, std::io::Error>(piece),
                    (prefix, next, tick, has_begun),
                ))
            },
        );
        let client = client.clone();
        let sending = async move { client.import_as(NDJSON, Body::wrap_stream(pieces)).await };
        Self {
            answer: AbortOnDropHandle::new(tokio::spawn(sending)),
            begun,
        }
    }

    /// Waits until what is sent at once is on its way.
    ///
    /// # Errors
    /// When the service answers before.
    pub async fn begun(&mut self) -> Result<()> {
        self.begun
            .wait_for(|begun| *begun)
            .await
            .map(|_| ())
            .context("answered too early")
    }

    /// Whether the service has not answered.
    pub fn is_on_its_way(&self) -> bool {
        !self.answer.is_finished()
    }

    /// What the service answers.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn answer(self) -> Result<Answer> {
        self.answer.await?
    }
}

/// The lines of at least one record, from the record `first` on, and which comes next; `None` when there is none left.
fn piece(prefix: &str, first: usize, size: usize, records: usize) -> Option<(Bytes, usize)> {
    let mut piece = String::new();
    let mut next = first;
    while next < records && (next == first || piece.len() < size) {
        // Writing to a string cannot fail.
        let _ = writeln!(piece, "{}", record(&format!("{prefix}-{next}")));
        next += 1;
    }
    (next > first).then(|| (piece.into(), next))
}
