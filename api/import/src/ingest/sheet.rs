//! The first sheet of an XLSX file as CSV: a row for each of its rows, blank ones too. Titles above the header are left blank.
//!
//! A reader of such files has to move about in them, so the file is written to a temporary one first, which has no name. Nothing in
//! it is trusted: what it unpacks to is counted before anything of it is read.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx, XlsxError};
use memchr::memmem;
use tempfile::tempfile_in;
use zip::ZipArchive;

use super::fault;
use super::source::Source;
use super::xml::{TextCount, Tokens};
use api_http::{Code, Problem, Result};

/// Bytes of the file, at most.
const MAX_FILE: u64 = 64 << 20;
/// Bytes of all that it unpacks to, at most.
const MAX_UNPACKED: u64 = 1 << 30;
/// Bytes of the rows, at most.
const MAX_TEXT: u64 = 256 << 20;
/// What the reader takes for each byte of what it reads whole: a text of one letter is eighteen bytes of XML, and a `String` more.
const HELD: u64 = 3;
/// Above this a number has not all of its digits.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
/// The parts of the file that are read piece by piece.
const SHEETS: &str = "xl/worksheets/";
/// The ends of the names of the parts with the texts and with the formats.
const TEXTS: &str = "sharedstrings.xml";
const STYLES: &str = "styles.xml";
/// Bytes of a text of nothing, at least, and what a place for one takes.
const LEAST_TEXT: u64 = 5;
const TEXT_PLACE: u64 = 24;
/// The parts of the file, at most.
const MAX_PARTS: usize = 10_000;
/// Sheets that are named, at most.
const MAX_NAMED: usize = 20;
/// The end of what a spreadsheet is refused with; pages say it in their own words.
pub const REMEDY: &str = ". Save it as CSV and try that";
/// What can be said of one that cannot be unpacked.
const UNREADABLE: &str = "it is damaged, or has a password";
/// What each entry of the file's directory begins with.
const PART: &[u8] = b"PK\x01\x02";

/// The rows and the columns of the largest sheet (ECMA-376). A cell beyond would make a small file a large one.
const MAX_PLACE: (u32, u32) = (1 << 20, 1 << 14);
/// Rows among which the header is looked for, where the first has one cell alone.
const TITLES: u32 = 10;

/// The rows, from their beginning, and the names of the sheets that are not read.
///
/// # Errors
/// The body is no such file, or one of too much.
pub fn as_csv(source: &mut Source, tmp_dir: &Path) -> Result<(File, Vec<String>)> {
    let mut file = spooled(source, tmp_dir)?;
    let held = held(&mut file, source)?;
    if !source.hold(held * HELD)? {
        let detail = format!("its texts take {} MiB, which is too much", held >> 20);
        return Err(too_large(detail));
    }
    file.rewind().map_err(|error| unwritable(&error))?;
    let source = &*source;
    let file = Wanted { file, source };
    let book = Xlsx::new(BufReader::new(file));
    source.go_on()?;
    let mut book = book.map_err(|error| broken(&error))?;
    let mut names = book.sheet_names().into_iter();
    let first = names.next().ok_or_else(|| no_sheet("it has no sheet"))?;
    let others: Vec<String> = names.take(MAX_NAMED).collect();
    let mut cells = book
        .worksheet_cells_reader(&first)
        .map_err(|error| broken(&error))?;
    let mut rows = Rows::new(tempfile_in(tmp_dir).map_err(|error| unwritable(&error))?);
    while let Some(cell) = cells.next_cell().map_err(|error| broken(&error))? {
        let text = text(cell.get_value());
        if !text.is_empty() {
            rows.add(cell.get_position(), &text)?;
        }
        source.go_on()?;
    }
    Ok((rows.end()?, others))
}

/// A file that is read for as long as somebody waits for the import: opening a large one takes a while.
struct Wanted<'a> {
    file: File,
    source: &'a Source,
}

impl Read for Wanted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.source.go_on().map_err(io::Error::other)?;
        self.file.read(buffer)
    }
}

impl Seek for Wanted<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
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

/// How many bytes the reader will hold whole.
fn held(file: &mut File, source: &Source) -> Result<u64> {
    if parts(file)? > MAX_PARTS {
        return Err(no_sheet("it has too many parts"));
    }
    file.rewind().map_err(|error| unwritable(&error))?;
    let archive = ZipArchive::new(BufReader::new(file));
    let mut archive = archive.map_err(|_| no_sheet("it is no XLSX"))?;
    let named = archive.decompressed_size();
    if named.is_some_and(|bytes| bytes > MAX_UNPACKED.into()) {
        return Err(unpacks_to_too_much());
    }
    let (mut all, mut held) = (0, 0);
    let mut buffer = vec![0; 1 << 16];
    for n in 0..archive.len() {
        let part = archive.by_index(n);
        let mut part = part.map_err(|_| no_sheet(UNREADABLE))?;
        let name = part.name().map_err(|_| no_sheet(UNREADABLE))?;
        let is_sheet = name.starts_with(SHEETS);
        let name = name.to_ascii_lowercase();
        let has_formats = name.ends_with(STYLES);
        let mut tokens = (is_sheet || has_formats).then(Tokens::default);
        let mut texts = name.ends_with(TEXTS).then(TextCount::default);
        let mut bytes = 0;
        loop {
            let read = part.read(&mut buffer).map_err(|_| no_sheet(UNREADABLE))?;
            if read == 0 {
                break;
            }
            bytes += read as u64;
            if all + bytes > MAX_UNPACKED {
                return Err(unpacks_to_too_much());
            }
            let piece = buffer.get(..read).unwrap_or_default();
            if let Some(tokens) = &mut tokens {
                tokens.read(piece);
            }
            if let Some(texts) = &mut texts {
                // Another encoding would hide how many there are.
                if piece.contains(&0) {
                    return Err(no_sheet(UNREADABLE));
                }
                texts.read(piece);
            }
            source.go_on()?;
        }
        all += bytes;
        if has_formats || !tokens.as_ref().is_some_and(Tokens::are_passing) {
            held += bytes;
        }
        if has_formats {
            held += tokens.map_or(0, |tokens| tokens.format_bytes()) / HELD;
        }
        let texts = texts.map_or(0, |texts| texts.largest());
        if texts > bytes / LEAST_TEXT {
            return Err(no_sheet("it says that it has more texts than it has"));
        }
        held += texts * TEXT_PLACE / HELD;
    }
    Ok(held)
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
    at: (u32, u32),
    /// The first cells, each alone in its row, until it is known whether they are titles.
    titles: Vec<((u32, u32), String)>,
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
    fn add(&mut self, at: (u32, u32), text: &str) -> Result<()> {
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

    fn write_cell(&mut self, (row, column): (u32, u32), text: &str) -> Result<()> {
        if (row, column) < self.at {
            return Err(no_sheet("its cells are not in order"));
        }
        if row >= MAX_PLACE.0 || column >= MAX_PLACE.1 {
            return Err(no_sheet("a cell is where no sheet has one"));
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

/// What a cell shows, as far as that can be stored.
fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        // As a spreadsheet shows numbers whose last digits it does not have.
        DataRef::Float(number) if number.abs() > MAX_EXACT => {
            format!("{number:E}").replace('E', "E+")
        }
        DataRef::Float(number) => number.to_string(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(is_true) => if *is_true { "TRUE" } else { "FALSE" }.to_owned(),
        DataRef::DateTime(at) => date(at),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

/// A day, and the time of day where it is not midnight; seconds where there are some.
fn date(at: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = at.to_ymd_hms_milli();
    let time = match second {
        0 => format!("{hour:02}:{minute:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    };
    match (at.as_f64() < 1.0, time.as_str()) {
        (true, _) => time,
        (false, "00:00") => format!("{year:04}-{month:02}-{day:02}"),
        (false, _) => format!("{year:04}-{month:02}-{day:02} {time}"),
    }
}

fn no_sheet(why: &str) -> Problem {
    let detail = format!("the file of the spreadsheet cannot be read: {why}{REMEDY}");
    Problem::new(Code::InvalidCsv, detail)
}

fn broken(error: &XlsxError) -> Problem {
    match error {
        XlsxError::Password => no_sheet("it has a password"),
        _ => no_sheet("it is damaged, or no XLSX"),
    }
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
