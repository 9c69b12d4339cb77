//! From a body to runs of records and blocks of record errors, on a thread that may block.
//!
//! What is ready goes down a short channel, so that compressing and storing it ([`super::attempt`]) overlaps with
//! parsing; a full channel holds the parser back, and with it the sender of the body.

use std::time::{Duration, Instant};

use domain::body::{BodyError, BodyKind, RecordReader};
use domain::chunk::Run;
use domain::dedupe::DocIdSet;
use domain::record::{BrokenRecord, ParsedRecord, Record, RecordError};
use store::import::ChunkCut;
use tokio::sync::mpsc::Sender;

use super::OnError;
use super::source::Source;
use super::{broken, fault};
use api_http::{Code, Problem, Result};

/// The errors of an import that its answer has, at most.
const SHOWN_ERRORS: usize = 100;
/// The errors of an import that are kept, at most.
const MAX_ERRORS: usize = 100_000;
/// The errors of one stored block, at most.
const BLOCK_ERRORS: usize = 1_000;

/// How to read a body.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub on_error: OnError,
    /// Records, valid or not.
    pub max_records: u64,
    pub cut: ChunkCut,
}

/// What is ready to be stored.
pub enum Piece {
    /// Records, to be cut into chunks of at most `chunk_records`.
    Run {
        place: RunPlace,
        run: Run,
        chunk_records: usize,
    },
    /// Record errors; `first` is the ordinal of the first of them, from 0.
    Errors {
        first: i64,
        errors: Vec<RecordError>,
    },
}

/// The place of a run in the order in which the chunks of a body are stored.
///
/// Chunks of nearby docids are stored one after the other, so that they find the same pages of the index in memory. In a body in
/// the order of its docids, the next run begins where the last one ended, and its chunks follow. Where the docids of runs overlap,
/// the first chunks of all of them come first, then the second ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunPlace {
    /// Runs that overlap are a group.
    group: i64,
    number: i64,
}

impl RunPlace {
    /// The numbers of the run's chunks, in their order.
    pub fn chunk_numbers(self) -> impl Iterator<Item = i64> {
        let Self { group, number } = self;
        (0..).map(move |chunk: i64| group << 44 | chunk << 24 | number)
    }
}

/// What a body held.
#[derive(Debug, Default)]
pub struct BodySummary {
    pub received: u64,
    pub accepted: u64,
    /// Records, each with at least one error.
    pub rejected: u64,
    /// The first of the errors.
    pub errors: Vec<RecordError>,
    /// How many errors are not kept.
    pub errors_dropped: u64,
    pub chunks: i64,
    /// SHA-256 of the decoded body, if it was asked for.
    pub body_hash: Option<[u8; 32]>,
}

/// Reads the whole body.
///
/// # Errors
/// The body is refused, or nobody takes the pieces.
pub fn run(job: Job, mut source: Source, pieces: Sender<Piece>) -> Result<BodySummary> {
    let begin = Instant::now();
    let mut collector = Collector::new(job, pieces);
    let kind = source.kind;
    let end = read(kind, &mut source, &mut collector);
    let body = source.body();
    metrics::counter!("feedback_import_body_bytes_total").increment(body.bytes);
    let parsing = begin
        .elapsed()
        .saturating_sub(body.waited + collector.waited);
    metrics::histogram!("feedback_import_parse_seconds").record(parsing.as_secs_f64());
    end?;
    Ok(BodySummary {
        body_hash: source.hash(),
        ..collector.summary
    })
}

fn read(kind: BodyKind, source: &mut Source, collector: &mut Collector) -> Result<()> {
    let mut reader = RecordReader::new(kind, source);
    let refused = |error| match error {
        BodyError::Syntax { .. } => Problem::new(broken(kind), error.to_string()),
        BodyError::RecordTooLarge { .. } => Problem::new(Code::BodyTooLarge, error.to_string()),
        BodyError::Read(error) => error.into(),
    };
    while let Some(parsed) = reader.next().map_err(refused)? {
        // The prefix is known from the first record on, but the record borrows the reader.
        if let Some(broken) = collector.take(parsed)? {
            collector.reject(reader.pointer_prefix(), broken)?;
        }
    }
    collector.finish()
}

struct Collector {
    job: Job,
    pieces: Sender<Piece>,
    seen: DocIdSet,
    run: Run,
    place: RunPlace,
    /// The lowest and the highest docid of the run before.
    before: Option<[Vec<u8>; 2]>,
    block: Vec<RecordError>,
    kept_errors: usize,
    summary: BodySummary,
    /// The time spent waiting for the store.
    waited: Duration,
}

impl Collector {
    fn new(job: Job, pieces: Sender<Piece>) -> Self {
        Self {
            job,
            pieces,
            seen: DocIdSet::default(),
            run: Run::default(),
            place: RunPlace::default(),
            before: None,
            block: Vec::new(),
            kept_errors: 0,
            summary: BodySummary::default(),
            waited: Duration::ZERO,
        }
    }

    /// Counts a record and keeps it, or returns why it is not kept.
    fn take(&mut self, parsed: ParsedRecord<'_>) -> Result<Option<BrokenRecord>> {
        if self.summary.received == self.job.max_records {
            let detail = format!("an import may have {} records", self.job.max_records);
            return Err(Problem::new(Code::TooManyRecords, detail));
        }
        self.summary.received += 1;
        match parsed {
            Ok(record) if self.seen.insert(record.docid) => self.keep(&record).map(|()| None),
            Ok(record) => Ok(Some(BrokenRecord::duplicate(record.docid))),
            Err(broken) => Ok(Some(broken)),
        }
    }

    fn keep(&mut self, record: &Record<'_>) -> Result<()> {
        self.summary.accepted += 1;
        if !self.stores() {
            return Ok(());
        }
        self.run.push(record);
        if self.run.is_full(self.job.cut.run_records) {
            self.send_run()?;
        }
        Ok(())
    }

    fn reject(&mut self, prefix: &str, broken: BrokenRecord) -> Result<()> {
        let index = self.summary.received - 1;
        self.summary.rejected += 1;
        let BrokenRecord {
            docid,
            mut problems,
            dropped,
        } = broken;
        let kept = problems.len().min(MAX_ERRORS - self.kept_errors);
        self.summary.errors_dropped += dropped + (problems.len() - kept) as u64;
        problems.truncate(kept);
        problems.into_iter().try_for_each(|problem| {
            self.note(RecordError::new(prefix, index, docid.clone(), problem))
        })
    }

    fn note(&mut self, error: RecordError) -> Result<()> {
        self.kept_errors += 1;
        if self.summary.errors.len() < SHOWN_ERRORS {
            self.summary.errors.push(error.clone());
        }
        if self.stores() {
            self.block.push(error);
            if self.block.len() >= BLOCK_ERRORS {
                self.send_block()?;
            }
        }
        Ok(())
    }

    /// Whether what comes may still be stored; if not, it is only counted.
    fn stores(&self) -> bool {
        self.job.on_error == OnError::AcceptValid || self.summary.rejected == 0
    }

    fn finish(&mut self) -> Result<()> {
        if self.stores() && self.summary.accepted > 0 {
            if !self.run.is_empty() {
                self.send_run()?;
            }
            if !self.block.is_empty() {
                self.send_block()?;
            }
        }
        Ok(())
    }

    fn send_run(&mut self) -> Result<()> {
        let chunk_records = self.job.cut.chunk_records;
        let run = self.run.finish();
        self.summary.chunks += i64::try_from(run.chunks(chunk_records)).unwrap_or(i64::MAX);
        let place = self.next_place(&run);
        self.send(Piece::Run {
            place,
            run,
            chunk_records,
        })
    }

    fn next_place(&mut self, run: &Run) -> RunPlace {
        if let Some([lowest, highest]) = run.docids() {
            let is_apart =
                |[from, to]: &[Vec<u8>; 2]| to.as_slice() < lowest || highest < from.as_slice();
            if self.before.as_ref().is_some_and(is_apart) {
                self.place.group += 1;
            }
            self.before = Some([lowest.to_owned(), highest.to_owned()]);
        }
        self.place.number += 1;
        self.place
    }

    fn send_block(&mut self) -> Result<()> {
        let errors = std::mem::take(&mut self.block);
        let first = i64::try_from(self.kept_errors - errors.len()).unwrap_or(i64::MAX);
        self.send(Piece::Errors { first, errors })
    }

    fn send(&mut self, piece: Piece) -> Result<()> {
        let begin = Instant::now();
        let sent = self.pieces.blocking_send(piece);
        self.waited += begin.elapsed();
        sent.map_err(|_| fault("nobody takes what was parsed"))
    }
}

#[cfg(test)]
mod tests;
