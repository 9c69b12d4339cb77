//! Bodies of each kind, fed in small pieces through small windows.

mod csv;
mod files;
mod json;
mod json_law;
mod ndjson;

use std::collections::BTreeMap;
use std::io::{self, Read};

use super::{BodyError, BodyKind, RecordReader};
use crate::record::{BrokenRecord, ParsedRecord, RecordCode};

/// A reader that gives a few bytes at a time, and is interrupted now and then.
struct Pieces<'a> {
    rest: &'a [u8],
    sizes: Vec<usize>,
    next: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.next % self.sizes.len()];
        self.next += 1;
        if size == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let bytes = size.min(room.len()).min(self.rest.len());
        room[..bytes].copy_from_slice(&self.rest[..bytes]);
        self.rest = &self.rest[bytes..];
        Ok(bytes)
    }
}

/// An element as it was judged: docid, phone and fields of a valid record.
type Judged = Result<(String, String, String), BrokenRecord>;

fn owned(parsed: ParsedRecord) -> Judged {
    parsed.map(|record| {
        let (docid, phone) = (record.docid.get(), record.phone.get());
        (docid.to_owned(), phone.to_owned(), record.fields.to_owned())
    })
}

type Verdict = Result<(Vec<Judged>, &'static str), BodyError>;

fn drain<R: Read>(mut reader: RecordReader<R>) -> Verdict {
    let mut records = Vec::new();
    while let Some(parsed) = reader.next()? {
        records.push(owned(parsed));
    }
    assert!(matches!(reader.next(), Ok(None)), "the end stays the end");
    Ok((records, reader.pointer_prefix()))
}

/// All records and the pointer prefix, through a window of `window` bytes.
fn read(kind: BodyKind, body: &[u8], window: usize, sizes: &[usize]) -> Verdict {
    let pieces = Pieces {
        rest: body,
        sizes: sizes.to_vec(),
        next: 0,
    };
    drain(RecordReader::with_window(kind, pieces, window))
}

/// The same at once and through small windows, which must not matter.
fn records(kind: BodyKind, body: &[u8]) -> Vec<Judged> {
    let (records, _) = drain(RecordReader::new(kind, body)).unwrap();
    for window in [1, 7, 64] {
        let (again, _) = read(kind, body, window, &[1, 0, 3]).unwrap();
        assert_eq!(again, records);
    }
    records
}

/// Where the body is broken, and how.
fn broken_at(kind: BodyKind, body: &[u8]) -> (u64, String) {
    let at_once = syntax(drain(RecordReader::new(kind, body)));
    for window in [1, 7, 64] {
        let again = syntax(read(kind, body, window, &[1, 0, 3]));
        assert_eq!(again, at_once, "{}", String::from_utf8_lossy(body));
    }
    at_once
}

fn syntax(seen: Verdict) -> (u64, String) {
    match seen {
        Err(BodyError::Syntax { offset, detail }) => (offset, detail),
        other => panic!("expected a syntax error, not {other:?}"),
    }
}

/// The docids of valid records; the codes of broken ones.
fn verdicts(records: &[Judged]) -> Vec<Result<String, Vec<RecordCode>>> {
    records
        .iter()
        .map(|parsed| match parsed {
            Ok((docid, ..)) => Ok(docid.clone()),
            Err(broken) => Err(broken.problems.iter().map(|p| p.code).collect()),
        })
        .collect()
}

fn fields(record: &Judged) -> Vec<(String, String)> {
    let (_, _, fields) = record.as_ref().unwrap();
    let fields: BTreeMap<_, _> = serde_json::from_str(fields).unwrap();
    fields.into_iter().collect()
}

#[test]
fn a_reader_that_fails_is_no_end() {
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    for kind in [BodyKind::Json, BodyKind::Csv, BodyKind::Ndjson] {
        let begun = "[".as_bytes().chain(Fails);
        let mut reader = RecordReader::new(kind, begun);
        assert!(matches!(reader.next(), Err(BodyError::Read(_))));
    }
}
