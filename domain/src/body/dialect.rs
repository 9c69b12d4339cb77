//! How a CSV file that people made is written: what stands between its cells, and its encoding.

use std::borrow::Cow;
use std::io::{self, Cursor, Read};

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};

use super::row::{self, RowFormat};

/// What separates the cells of a row.
pub(super) const COMMA: u8 = b',';
/// In the order in which they are preferred.
const DELIMITERS: [u8; 4] = [COMMA, b';', b'\t', b'|'];
/// With this Excel names the delimiter in a line before the header.
const NAMED: &[u8] = b"sep=";

/// What was found out about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialect {
    /// `,`, `;`, a tab or `|`.
    pub delimiter: char,
    /// `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`: this if any of its rows was no UTF-8.
    pub encoding: &'static str,
}

/// The delimiter that an Excel file names in its first line, and the length of that line.
pub(super) fn named(line: &[u8]) -> Option<u8> {
    match line.strip_prefix(NAMED)?.trim_ascii_end() {
        [delimiter] if DELIMITERS.contains(delimiter) => Some(*delimiter),
        _ => None,
    }
}

/// The delimiter of a file with this header: the one that gives it most of the columns that `is_wanted` knows, and of those the one
/// that gives it most columns.
pub(super) fn delimiter(header: &[u8], is_wanted: impl Fn(&str) -> bool) -> u8 {
    let rank = |delimiter: &u8| {
        let format = RowFormat {
            delimiter: *delimiter,
            has_free_quotes: true,
        };
        let mut cells = Vec::new();
        let Ok(Some(_)) = row::split(header, true, format, usize::MAX, &mut cells) else {
            return (0, 0);
        };
        let names = cells.iter().map(|cell| lenient(cell.bytes(header)));
        let wanted = names.filter(|name| is_wanted(name.trim())).count();
        // In `Surname, first name;Phone` the comma is one of a text.
        let names = cells.iter().map(|cell| cell.bytes(header));
        let columns = names.filter(|name| !name.starts_with(b" ")).count();
        (wanted, columns)
    };
    let mut best = COMMA;
    for delimiter in DELIMITERS {
        if rank(&delimiter) > rank(&best) {
            best = delimiter;
        }
    }
    best
}

/// Bytes as text: UTF-8, or else Windows-1252.
pub(super) fn lenient(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}

/// A file whose first bytes were read before.
type Whole<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// A file in UTF-8, or in UTF-16 with a byte order mark, as UTF-8.
pub(super) enum Utf8<R> {
    AsItIs(Whole<R>),
    Decoded(Box<DecodeReaderBytes<Whole<R>, Vec<u8>>>),
}

impl<R: Read> Utf8<R> {
    /// Of a file that is in UTF-8.
    pub(super) fn untouched(reader: R) -> Self {
        Self::AsItIs(Cursor::new(Vec::new()).chain(reader))
    }

    /// Looks at the mark.
    ///
    /// # Errors
    /// That of the reader.
    pub(super) fn of(mut reader: R) -> io::Result<(Self, &'static str)> {
        let mut mark = Vec::new();
        reader.by_ref().take(2).read_to_end(&mut mark)?;
        let encoding = Encoding::for_bom(&mark).map(|(encoding, _)| encoding);
        let whole = Cursor::new(mark).chain(reader);
        match encoding.filter(|encoding| [UTF_16LE, UTF_16BE].contains(encoding)) {
            None => Ok((Self::AsItIs(whole), "utf-8")),
            Some(encoding) => {
                let mut decoder = DecodeReaderBytesBuilder::new();
                let decoder = decoder.encoding(Some(encoding)).strip_bom(true);
                let name = if encoding == UTF_16LE {
                    "utf-16le"
                } else {
                    "utf-16be"
                };
                Ok((Self::Decoded(Box::new(decoder.build(whole))), name))
            }
        }
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::AsItIs(reader) => reader.read(buffer),
            Self::Decoded(reader) => reader.read(buffer),
        }
    }
}
