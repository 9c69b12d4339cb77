//! From a body to runs of records and blocks of record errors, on a thread that may block.
//!
//! What is ready goes down a short channel, so that compressing and storing it ([`super::attempt`]) overlaps with
//! parsing; a full channel holds the parser back, and with it the sender of the body.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use domain::body::{BodyError, BodyKind, Dialect, FileKind, FileReader, Mapping, RecordReader};
use domain::campaign::{BusPropsCheck, UnknownBusProps};
use domain::chunk::Run;
use domain::dedupe::{DocIdSet, RecordSet, Seen};
use domain::record::{BrokenRecord, ParsedRecord, Record, RecordError};
use serde_json::{Value, json};
use store::import::ChunkCut;
use tokio::sync::mpsc::Sender;

use super::OnError;
use super::source::Source;
use super::{broken, fault, sheet};
use api_http::{Code, Problem, Result};

/// The errors of an import that its answer has, at most.
const SHOWN_ERRORS: usize = 100;
/// The errors of an import that are kept, at most.
const MAX_ERRORS: usize = 100_000;
/// The errors of one stored block, at most.
const BLOCK_ERRORS: usize = 1_000;
/// The records that a preview shows, at most.
const SHOWN_RECORDS: usize = 20;
/// The characters that a preview shows of what stood somewhere, at most.
const SHOWN_CHARS: usize = 100;
/// The rows that tell what a file has, at most.
const LOOKED_AT: usize = 100;
/// The docids that a preview asks for at once.
const DOCIDS: usize = 5_000;

/// How a file of people is to be read.
#[derive(Clone, Debug)]
pub struct FileRequest {
    pub kind: FileKind,
    pub mapping: Mapping,
}

/// How to read a body.
#[derive(Clone, Debug)]
pub struct Job {
    /// Nothing is asked for: by the letter.
    pub file: Option<FileRequest>,
    /// It is only looked at.
    pub is_preview: bool,
    pub on_error: OnError,
    /// Of the campaign that it is for.
    pub bus_props: Option<BusPropsCheck>,
    /// Records, valid or not.
    pub max_records: u64,
    /// The directory of temporary files.
    pub tmp_dir: PathBuf,
    pub cut: ChunkCut,
}

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
        errors: Vec<RecordError>,
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
    /// Of a preview: the first records, as JSON, and how many errors there are of each code.
    pub sample: Vec<Value>,
    pub by_code: BTreeMap<&'static str, u64>,
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

/// What was found out about a file.
#[derive(Debug, Default)]
pub struct Found {
    /// The names of its columns.
    pub columns: Vec<String>,
    pub dialect: Option<Dialect>,
}

/// The beginning of a file.
#[derive(Debug)]
pub struct Look {
    /// The names of its columns, or of the members of its first records.
    pub columns: Vec<String>,
    /// What the first rows hold there, cut.
    pub rows: Vec<Vec<String>>,
    pub dialect: Option<Dialect>,
}

/// Where a record error stands in a file.
#[derive(Debug, Default)]
pub struct Place {
    /// The line of the file or the row of the sheet, from 1.
    pub row: Option<u64>,
    /// What stood there, cut.
    pub value: Option<String>,
}

/// Reads the whole body.
///
/// # Errors
/// The body is refused, or nobody takes the pieces.
pub fn run(job: Job, mut source: Source, pieces: Sender<Piece>) -> Result<BodySummary> {
    let begin = Instant::now();
    let (file, tmp_dir) = (job.file.clone(), job.tmp_dir.clone());
    let mut collector = Collector::new(job, pieces);
    let end = match file {
        None => read(&mut source, &mut collector),
        Some(FileRequest { kind, mapping }) => {
            read_file((kind, mapping), &tmp_dir, &mut source, &mut collector)
        }
    };
    let body = source.body();
    metrics::counter!("feedback_import_body_bytes_total").increment(body.bytes);
    let parsing = begin
        .elapsed()
        .saturating_sub(body.waited + collector.waited);
    metrics::histogram!("feedback_import_parse_seconds").record(parsing.as_secs_f64());
    end?;
    Ok(BodySummary {
        body_hash: source.hash(),
        bus_props_unknown: collector.job.bus_props.map(BusPropsCheck::unknown),
        ..collector.summary
    })
}

fn read(source: &mut Source, collector: &mut Collector) -> Result<()> {
    let kind = source.kind;
    let mut reader = RecordReader::new(kind, source);
    while let Some(parsed) = reader.next().map_err(|error| refused(kind, error))? {
        // The prefix is known from the first record on, but the record borrows the reader.
        if let Some(broken) = collector.take(parsed)? {
            collector.reject(reader.pointer_prefix(), broken, |_| Place::default())?;
        }
    }
    collector.finish()
}

fn read_file(
    (kind, mapping): (FileKind, Mapping),
    tmp_dir: &Path,
    source: &mut Source,
    collector: &mut Collector,
) -> Result<()> {
    let body = source.kind;
    let refused = |error| refused(body, error);
    if kind == FileKind::Sheet {
        let rows = sheet::as_csv(source, tmp_dir)?;
        let reader = FileReader::new(kind, mapping, rows).map_err(refused)?;
        read_rows(reader, collector, refused)
    } else {
        let reader = FileReader::new(kind, mapping, source).map_err(refused)?;
        read_rows(reader, collector, refused)
    }
}

fn read_rows<R: Read>(
    mut reader: FileReader<R>,
    collector: &mut Collector,
    refused: impl Fn(BodyError) -> Problem,
) -> Result<()> {
    while let Some(parsed) = reader.next().map_err(&refused)? {
        if let Some(broken) = collector.take(parsed)? {
            let row = reader.row();
            collector.reject(reader.pointer_prefix(), broken, |name| Place {
                row,
                value: reader
                    .text_of(name)
                    .map(|text| text.chars().take(SHOWN_CHARS).collect()),
            })?;
        }
    }
    collector.summary.found = Some(Found {
        columns: reader.columns().to_vec(),
        dialect: reader.dialect(),
    });
    collector.finish()
}

/// Reads the beginning of a file.
///
/// # Errors
/// The body is refused.
pub fn look(kind: FileKind, tmp_dir: &Path, source: &mut Source) -> Result<Look> {
    let body = source.kind;
    if kind == FileKind::Sheet {
        let rows = sheet::as_csv(source, tmp_dir)?;
        look_at(kind, rows)
    } else {
        look_at(kind, source)
    }
    .map_err(|error| refused(body, error))
}

fn look_at(kind: FileKind, reader: impl Read) -> Result<Look, BodyError> {
    let mut reader = FileReader::looking(kind, reader)?;
    let mut columns = Vec::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    while rows.len() < LOOKED_AT
        && let Some(texts) = reader.look()?
    {
        let mut row = vec![String::new(); columns.len()];
        for (name, text) in texts {
            let known = columns.iter().position(|column| column == name);
            let at = known.unwrap_or_else(|| {
                columns.push(name.to_owned());
                row.push(String::new());
                columns.len() - 1
            });
            if let Some(cell) = row.get_mut(at) {
                *cell = text.chars().take(SHOWN_CHARS).collect();
            }
        }
        rows.push(row);
    }
    // The header has those too that are empty, in its order.
    let header = reader.columns();
    if !header.is_empty() {
        let places: Vec<_> = header
            .iter()
            .map(|name| columns.iter().position(|column| column == name))
            .collect();
        for row in &mut rows {
            let cell = |place: &Option<usize>| place.and_then(|at| row.get(at).cloned());
            *row = places
                .iter()
                .map(|place| cell(place).unwrap_or_default())
                .collect();
        }
        columns = header.to_vec();
    }
    Ok(Look {
        columns,
        rows,
        dialect: reader.dialect(),
    })
}

fn refused(kind: BodyKind, error: BodyError) -> Problem {
    match error {
        BodyError::Syntax { .. } => Problem::new(broken(kind), error.to_string()),
        BodyError::RecordTooLarge { .. } => Problem::new(Code::BodyTooLarge, error.to_string()),
        BodyError::Read(error) => error.into(),
    }
}

struct Collector {
    job: Job,
    pieces: Sender<Piece>,
    seen: SeenRecords,
    /// Those that a preview has not asked for.
    docids: Vec<String>,
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
    fn new(job: Job, pieces: Sender<Piece>) -> Self {
        Self {
            seen: SeenRecords::of(job.file.as_ref()),
            job,
            pieces,
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
    fn take(&mut self, parsed: ParsedRecord<'_>) -> Result<Option<BrokenRecord>> {
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
            Seen::Same => self.summary.merged += 1,
            Seen::Other => return Ok(Some(BrokenRecord::duplicate(record.docid))),
        }
        Ok(None)
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
    fn reject(
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
        if self.job.is_preview {
            for problem in &problems {
                *self.summary.by_code.entry(problem.code.into()).or_default() += 1;
                if self.summary.places.len() < SHOWN_ERRORS {
                    let name = problem.pointer.strip_prefix('/').unwrap_or_default();
                    let name = name.replace("~1", "/").replace("~0", "~");
                    self.summary.places.push(place(&name));
                }
            }
        }
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
        !self.job.is_preview
            && (self.job.on_error == OnError::AcceptValid || self.summary.rejected == 0)
    }

    fn finish(&mut self) -> Result<()> {
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

#[cfg(test)]
mod tests;
