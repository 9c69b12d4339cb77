//! The first sheet of an XLSX file as CSV: a row for each of its rows, blank ones too. Titles above the header are left blank.
//!
//! A reader of such files has to move about in them, so the file is written to a temporary one first, which has no name. Nothing in
//! it is trusted: [`book`] reads it a cell at a time, and only what cells need ([`value`]: what their numbers show); [`xml`] bounds what
//! a tag or a text of it may take.

mod book;
mod value;
mod xml;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use memchr::memmem;
use tempfile::tempfile_in;
use zip::ZipArchive;

use self::book::{Archive, Book, Place};
use super::fault;
use super::source::Source;
use api_http::{Code, Problem, Result};

/// Bytes of the file, at most.
const MAX_FILE: u64 = 64 << 20;
/// Bytes of all that it unpacks to, at most.
const MAX_UNPACKED: u64 = 1 << 30;
/// Bytes of the rows, at most.
const MAX_TEXT: u64 = 256 << 20;
/// The parts of the file, at most.
const MAX_PARTS: usize = 10_000;
/// The end of what a spreadsheet is refused with; pages say it in their own words.
pub const REMEDY: &str = ". Save it as CSV and try that";
/// What can be said of one that cannot be unpacked.
const UNREADABLE: &str = "it is damaged, or has a password";
/// What each entry of the file's directory begins with.
const PART: &[u8] = b"PK\x01\x02";

/// Rows among which the header is looked for, where the first has one cell alone.
const TITLES: u32 = 10;

/// The rows, from their beginning, and the names of the sheets that are not read.
///
/// # Errors
/// The body is no such file, or one of too much.
pub fn as_csv(source: &mut Source, tmp_dir: &Path) -> Result<(File, Vec<String>)> {
    let archive = archive(spooled(source, tmp_dir)?)?;
    let mut book = Book::open(archive, source)?;
    let others = std::mem::take(&mut book.others);
    let mut cells = book.cells()?;
    let mut rows = Rows::new(tempfile_in(tmp_dir).map_err(|error| unwritable(&error))?);
    while let Some((place, text)) = cells.next(source)? {
        if !text.is_empty() {
            rows.add(place, text)?;
        }
    }
    Ok((rows.end()?, others))
}

fn spooled(source: &mut Source, tmp_dir: &Path) -> Result<File> {
    let mut file = tempfile_in(tmp_dir).map_err(|error| unwritable(&error))?;
    let copied = io::copy(&mut source.by_ref().take(MAX_FILE + 1), &mut file)?;
    if copied > MAX_FILE {
        return Err(too_large(format!(
            "a file of a spreadsheet may have {} MiB",
            MAX_FILE >> 20
        )));
    }
    Ok(file)
}

/// The parts of the file, of which nothing is unpacked yet.
fn archive(mut file: File) -> Result<Archive> {
    if parts(&mut file)? > MAX_PARTS {
        return Err(no_sheet("it has too many parts"));
    }
    file.rewind().map_err(|error| unwritable(&error))?;
    let archive = ZipArchive::new(BufReader::new(file));
    let archive = archive.map_err(|_| no_sheet("it is no XLSX"))?;
    let unpacked = archive.decompressed_size();
    if unpacked.is_some_and(|bytes| bytes > MAX_UNPACKED.into()) {
        return Err(unpacks_to_too_much());
    }
    Ok(archive)
}

/// How many parts the file may have at most, each of which takes memory before anything of it is read.
fn parts(file: &mut File) -> Result<usize> {
    file.rewind().map_err(|error| unwritable(&error))?;
    let mut buffer = vec![0; 1 << 16];
    let (mut kept, mut parts) = (0, 0);
    loop {
        let free = buffer.get_mut(kept..).unwrap_or_default();
        let read = file.read(free).map_err(|error| unwritable(&error))?;
        if read == 0 {
            return Ok(parts);
        }
        let bytes = buffer.get(..kept + read).unwrap_or_default();
        parts += memmem::find_iter(bytes, PART).count();
        // One that begins at the end of these bytes ends among the next.
        let begin = bytes.len().saturating_sub(PART.len() - 1);
        kept = bytes.len() - begin;
        buffer.copy_within(begin..begin + kept, 0);
    }
}

/// Rows of CSV, as they are written.
struct Rows {
    out: BufWriter<File>,
    written: u64,
    /// Where the next cell stands, if it follows.
    at: Place,
    /// The first cells, each alone in its row, until it is known whether they are titles.
    titles: Vec<(Place, String)>,
    /// The first row with more cells was found, or there is none.
    has_header: bool,
}

impl Rows {
    fn new(file: File) -> Self {
        Self {
            out: BufWriter::new(file),
            written: 0,
            at: (0, 0),
            titles: Vec::new(),
            has_header: false,
        }
    }

    /// Adds a cell. Those that stand alone in the rows above the first that has more are titles, and left out.
    fn add(&mut self, at: Place, text: &str) -> Result<()> {
        if self.has_header {
            return self.write_cell(at, text);
        }
        let last = self.titles.last().map(|((row, _), _)| *row);
        if last == Some(at.0) {
            self.titles.drain(..self.titles.len() - 1);
            self.begin()?;
            return self.write_cell(at, text);
        }
        if at.0 >= TITLES {
            self.begin()?;
            return self.write_cell(at, text);
        }
        self.titles.push((at, text.to_owned()));
        Ok(())
    }

    /// Writes the cells that are no titles.
    fn begin(&mut self) -> Result<()> {
        self.has_header = true;
        for (at, text) in std::mem::take(&mut self.titles) {
            self.write_cell(at, &text)?;
        }
        Ok(())
    }

    fn write_cell(&mut self, (row, column): Place, text: &str) -> Result<()> {
        if (row, column) < self.at {
            return Err(no_sheet("its cells are not in order"));
        }
        while self.at.0 < row {
            self.write(b"\n")?;
            self.at = (self.at.0 + 1, 0);
        }
        // Before the first cell of a row there is no comma.
        let commas = column - self.at.1 + u32::from(self.at.1 > 0);
        for _ in 0..commas {
            self.write(b",")?;
        }
        self.at.1 = column + 1;
        if text.contains(['"', ',', '\n', '\r']) {
            let text = text.replace('"', "\"\"");
            self.write(format!("\"{text}\"").as_bytes())
        } else {
            self.write(text.as_bytes())
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.written += bytes.len() as u64;
        if self.written > MAX_TEXT {
            return Err(too_large(format!(
                "its first sheet has more than {} MiB of text",
                MAX_TEXT >> 20
            )));
        }
        self.out
            .write_all(bytes)
            .map_err(|error| unwritable(&error))
    }

    fn end(mut self) -> Result<File> {
        self.begin()?;
        let file = self.out.into_inner();
        let mut file = file.map_err(|error| unwritable(error.error()))?;
        file.rewind().map_err(|error| unwritable(&error))?;
        Ok(file)
    }
}

fn no_sheet(why: &str) -> Problem {
    let detail = format!("the file of the spreadsheet cannot be read: {why}{REMEDY}");
    Problem::new(Code::InvalidCsv, detail)
}

fn unpacks_to_too_much() -> Problem {
    too_large(format!(
        "it unpacks to more than {} MiB",
        MAX_UNPACKED >> 20
    ))
}

fn too_large(why: String) -> Problem {
    Problem::new(Code::BodyTooLarge, why + "; CSV may have more")
}

fn unwritable(error: &io::Error) -> Problem {
    tracing::warn!(%error, "a file that is imported cannot be written to the temporary folder");
    fault("no temporary file")
}

#[cfg(test)]
mod tests;
