//! From records to runs of them and blocks of record errors.
//!
//! What is ready goes down a short channel, so that compressing and storing it ([`super::attempt`]) overlaps with
//! parsing; a full channel holds the parser back, and with it the sender of the body.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use domain::body::{Dialect, FileKind};
use domain::campaign::{BusPropsCheck, UnknownBusProps};
use domain::chunk::Run;
use domain::dedupe::{DocIdSet, RecordSet, Seen};
use domain::docid::DocId;
use domain::record::{BrokenRecord, KeptError, ParsedRecord, Record, RecordCode, RecordError};
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;

use super::job::{FileRequest, Job};
use super::{OnError, fault};
use crate::explained::kind;
use api_http::{Code, Problem, Result};

/// The errors of an import that its answer has, at most.
const SHOWN_ERRORS: usize = 100;
/// The errors of an import that are kept, at most.
const MAX_ERRORS: usize = 100_000;
/// The errors of one stored block, at most.
const BLOCK_ERRORS: usize = 1_000;
/// The records that a preview shows, at most.
const SHOWN_RECORDS: usize = 20;
/// The characters that are shown or kept of what stood somewhere, at most.
pub(super) const SHOWN_CHARS: usize = 100;
/// The docids that a preview asks for at once.
const DOCIDS: usize = 5_000;
/// The rows that are named of those that have something in common, at most.
const SHOWN_ROWS: usize = 10;

/// What is ready to be stored, or of a preview to be looked for.
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
        errors: Vec<KeptError>,
    },
    DocIds(Vec<String>),
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
    /// Records of a file that say the same as an earlier one.
    pub merged: u64,
    /// What was found out about a file.
    pub found: Option<Found>,
    /// Of a preview: the first records, as JSON, and how many errors there are of each code and its [kind].
    pub sample: Vec<Value>,
    pub by_kind: BTreeMap<(RecordCode, &'static str), u64>,
    /// Of a preview.
    pub same_phone: SamePhone,
    /// The rows of the first that repeat another, as [`Place`] has them.
    pub merged_rows: Vec<u64>,
    /// Of an import for a campaign.
    pub bus_props_unknown: Option<UnknownBusProps>,
    /// The first of the errors.
    pub errors: Vec<RecordError>,
    /// Of a preview: where each of them stands in the file, and what stood there.
    pub places: Vec<Place>,
    /// How many errors are not kept.
    pub errors_dropped: u64,
    pub chunks: i64,
    /// SHA-256 of the decoded body, if it was asked for.
    pub body_hash: Option<[u8; 32]>,
}

/// Accepted records whose phone an earlier one has, with another docid: a campaign sends to it once.
#[derive(Debug, Default)]
pub struct SamePhone {
    pub count: u64,
    /// Those of the first of them, as [`Place`] has them.
    pub rows: Vec<u64>,
}

/// What was found out about a file.
#[derive(Debug, Default)]
pub struct Found {
    /// The names of its columns.
    pub columns: Vec<String>,
    pub dialect: Option<Dialect>,
}

/// Where a record error stands in a file.
#[derive(Debug, Default)]
pub struct Place {
    /// The row as a spreadsheet shows it, from 1. Of JSON there is none.
    pub row: Option<u64>,
    /// What stood there, cut.
    pub value: Option<String>,
}

/// Takes the records of a body one by one.
pub(super) struct Collector {
    job: Job,
    pieces: Sender<Piece>,
    seen: SeenRecords,
    /// The phones that a preview has seen, and whether the last record has one of them.
    phones: DocIdSet,
    has_same_phone: bool,
    /// Whether the last record repeats another.
    is_repeated: bool,
    /// Those that a preview has not asked for.
    docids: Vec<String>,
    run: Run,
    place: RunPlace,
    /// The lowest and the highest docid of the run before.
    before: Option<[Vec<u8>; 2]>,
    block: Vec<KeptError>,
    kept_errors: usize,
    summary: BodySummary,
    /// The time spent waiting for the store.
    pub(super) waited: Duration,
}

/// The records that were kept.
enum SeenRecords {
    Docids(DocIdSet),
    /// Of a file whose rows may say the same again.
    Records(RecordSet),
}

impl SeenRecords {
    fn of(file: Option<&FileRequest>) -> Self {
        match file.map(|file| file.kind) {
            None | Some(FileKind::Strict(_)) => Self::Docids(DocIdSet::default()),
            Some(FileKind::AnyCsv | FileKind::Sheet) => Self::Records(RecordSet::default()),
        }
    }

    fn insert(&mut self, record: &Record<'_>) -> Seen {
        match self {
            Self::Docids(docids) => {
                if docids.insert(record.docid) {
                    Seen::Never
                } else {
                    Seen::Other
                }
            }
            Self::Records(records) => records.insert(record),
        }
    }
}

impl Collector {
    pub(super) fn new(job: Job, pieces: Sender<Piece>) -> Self {
        Self {
            seen: SeenRecords::of(job.file.as_ref()),
            job,
            pieces,
            phones: DocIdSet::default(),
            has_same_phone: false,
            is_repeated: false,
            docids: Vec::new(),
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
    pub(super) fn take(&mut self, parsed: ParsedRecord<'_>) -> Result<Option<BrokenRecord>> {
        if self.summary.received == self.job.max_records {
            let detail = format!("an import may have {} records", self.job.max_records);
            return Err(Problem::new(Code::TooManyRecords, detail));
        }
        self.summary.received += 1;
        let record = match parsed {
            Ok(record) => record,
            Err(broken) => return Ok(Some(broken)),
        };
        match self.seen.insert(&record) {
            Seen::Never => self.keep(&record)?,
            Seen::Same => {
                self.summary.merged += 1;
                self.is_repeated = true;
            }
            Seen::Other => return Ok(Some(BrokenRecord::duplicate(record.docid))),
        }
        Ok(None)
    }

    /// Says where the record that was taken last stands.
    pub(super) fn note_place(&mut self, row: Option<u64>) {
        let row = row.unwrap_or(self.summary.received);
        let merged = &mut self.summary.merged_rows;
        if std::mem::take(&mut self.is_repeated) && merged.len() < SHOWN_ROWS {
            merged.push(row);
        }
        if std::mem::take(&mut self.has_same_phone) {
            let same = &mut self.summary.same_phone;
            same.count += 1;
            if same.rows.len() < SHOWN_ROWS {
                same.rows.push(row);
            }
        }
    }

    /// Says what was found out about the file.
    pub(super) fn found(&mut self, found: Found) {
        self.summary.found = Some(found);
    }

    /// What the body held.
    pub(super) fn summary(self) -> BodySummary {
        BodySummary {
            bus_props_unknown: self.job.bus_props.map(BusPropsCheck::unknown),
            ..self.summary
        }
    }

    fn keep(&mut self, record: &Record<'_>) -> Result<()> {
        self.summary.accepted += 1;
        if let Some(bus_props) = &mut self.job.bus_props {
            bus_props.add_record(record);
        }
        if self.job.is_preview {
            return self.show(record);
        }
        if !self.stores() {
            return Ok(());
        }
        self.run.push(record);
        if self.run.is_full(self.job.cut.run_records) {
            self.send_run()?;
        }
        Ok(())
    }

    /// Takes a record of a preview.
    fn show(&mut self, record: &Record<'_>) -> Result<()> {
        if self.summary.sample.len() < SHOWN_RECORDS {
            // It was made of strings just now.
            let fields: Value = serde_json::from_str(record.fields).unwrap_or_default();
            let shown =
                json!({"docid": record.docid.get(), "phone": record.phone.get(), "fields": fields});
            self.summary.sample.push(shown);
        }
        if let Ok(phone) = DocId::parse(record.phone.get()) {
            self.has_same_phone = !self.phones.insert(phone);
        }
        self.docids.push(record.docid.get().to_owned());
        if self.docids.len() >= DOCIDS {
            self.ask()?;
        }
        Ok(())
    }

    fn ask(&mut self) -> Result<()> {
        let docids = std::mem::take(&mut self.docids);
        self.send(Piece::DocIds(docids))
    }

    /// Counts a record that is not kept; `place` says where one of its members stands.
    pub(super) fn reject(
        &mut self,
        prefix: &str,
        broken: BrokenRecord,
        place: impl Fn(&str) -> Place,
    ) -> Result<()> {
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
            let name = problem.pointer.strip_prefix('/').unwrap_or_default();
            let name = name.replace("~1", "/").replace("~0", "~");
            let error = RecordError::new(prefix, index, docid.clone(), problem);
            self.note(error, &name, place(&name))
        })
    }

    /// Keeps what is wrong with the member `name` of a record.
    fn note(&mut self, error: RecordError, name: &str, place: Place) -> Result<()> {
        self.kept_errors += 1;
        if self.job.is_preview {
            let kind = (error.code, kind(error.code, &error.detail));
            *self.summary.by_kind.entry(kind).or_default() += 1;
        }
        let kept = self.stores().then(|| {
            let is_phone = name == "phone" || name == "docid" && self.is_one_column();
            KeptError::new(error.clone(), place.row, place.value.as_deref(), is_phone)
        });
        if self.summary.errors.len() < SHOWN_ERRORS {
            self.summary.errors.push(error);
            self.summary.places.push(place);
        }
        if let Some(kept) = kept {
            self.block.push(kept);
            if self.block.len() >= BLOCK_ERRORS {
                self.send_block()?;
            }
        }
        Ok(())
    }

    /// Whether docids are phones.
    fn is_one_column(&self) -> bool {
        let file = self.job.file.as_ref();
        file.is_some_and(|file| file.mapping.is_one_column())
    }

    /// Whether what comes may still be stored; if not, it is only counted.
    fn stores(&self) -> bool {
        !self.job.is_preview
            && (self.job.on_error == OnError::AcceptValid || self.summary.rejected == 0)
    }

    pub(super) fn finish(&mut self) -> Result<()> {
        if !self.docids.is_empty() {
            self.ask()?;
        }
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
