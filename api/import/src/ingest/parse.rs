//! Reads a body record by record, on a thread that may block. What becomes of the records is [`super::collector`]'s.

use std::io::Read;
use std::path::Path;
use std::time::Instant;

use domain::body::{BodyError, BodyKind, FileKind, FileReader, Mapping, RecordReader};
use tokio::sync::mpsc::Sender;

use super::collector::{BodySummary, Collector, FileLayout, Piece, Place, SHOWN_CHARS};
use super::job::{FileRequest, Job};
use super::source::Source;
use super::{broken, sheet};
use api_http::{Code, Problem, Result};

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
        ..collector.summary()
    })
}

fn read(source: &mut Source, collector: &mut Collector) -> Result<()> {
    let kind = source.kind;
    let mut reader = RecordReader::new(kind, source);
    while let Some(parsed) = reader.next().map_err(|error| refused(kind, error))? {
        // The prefix is known from the first record on, but the record borrows the reader.
        if let Some(broken) = collector.take(parsed)? {
            let row = reader.row();
            collector.reject(reader.pointer_prefix(), broken, |_| Place {
                row,
                value: None,
            })?;
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
        let (rows, _) = sheet::as_csv(source, tmp_dir)?;
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
        } else {
            collector.note_place(reader.row());
        }
    }
    collector.note_layout(FileLayout {
        columns: reader.columns().to_vec(),
        dialect: reader.dialect(),
    });
    collector.finish()
}

/// Why a body is refused as a whole.
pub(super) fn refused(kind: BodyKind, error: BodyError) -> Problem {
    match error {
        BodyError::Syntax { .. } => Problem::new(broken(kind), error.to_string()),
        BodyError::RecordTooLarge { .. } => Problem::new(Code::BodyTooLarge, error.to_string()),
        BodyError::Read(error) => error.into(),
    }
}

#[cfg(test)]
mod tests;
