//! The rows of a sheet as they stand in its XML, in a compressed file.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use indexmap::IndexSet;
use serde_json::{Map, Value};
use tempfile::tempfile_in;
use zstd::stream::write::Encoder;

use super::{ColumnKind, MAX_FIELDS, MAX_FILE, MAX_ROWS, MAX_UNPACKED, SheetColumn, Spreadsheet};
use crate::{AppState, Code, Problem, Result};

/// The library's fastest level, which makes a file of about a tenth of the rows.
const LEVEL: i32 = 1;
/// Bytes that are compressed at once.
const BLOCK: usize = 64 << 10;
/// Characters of a cell, at most, in UTF-16 units.
const MAX_CELL: usize = 32_767;
/// Milliseconds of a day.
const DAY: i64 = 86_400_000;
/// The days between where spreadsheets begin to count and 1970.
const BEFORE_1970: i64 = 25_569;

/// The rows of a sheet that is being written.
pub struct SheetRows {
    pub(super) sheet: Spreadsheet,
    /// The names of tracking fields, each of which has a column behind the others.
    pub(super) fields: IndexSet<String>,
    /// How many there are.
    pub(super) count: u32,
    out: Encoder<'static, File>,
    /// What is not compressed yet.
    block: String,
    unpacked: u64,
}

impl SheetRows {
    /// # Errors
    /// 500: there can be no file.
    pub fn new(app: &AppState, sheet: Spreadsheet) -> Result<Self> {
        Self::in_directory(&app.tmp_dir, sheet)
    }

    pub(super) fn in_directory(directory: &Path, sheet: Spreadsheet) -> Result<Self> {
        let file = tempfile_in(directory);
        let out = file.and_then(|file| Encoder::new(file, LEVEL));
        Ok(Self {
            sheet,
            fields: IndexSet::new(),
            count: 0,
            out: out.map_err(|error| unwritable(&error))?,
            block: String::with_capacity(BLOCK),
            unpacked: 0,
        })
    }

    pub(super) fn file_name(&self) -> &'static str {
        self.sheet.file
    }

    /// Adds an item of a list: the members that have columns, and its fields.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    pub fn add_item(&mut self, item: &Value) -> Result<()> {
        let keys: Vec<_> = self
            .sheet
            .columns
            .iter()
            .map(|column| &item[&column.key])
            .collect();
        let fields = item[self.sheet.fields.0].as_object();
        self.add(keys.into_iter().map(Cow::Borrowed), fields)
    }

    /// Adds a row: the cells of the columns in their order, and tracking fields.
    ///
    /// # Errors
    /// 413: a sheet has no room for it; 500: it cannot be written.
    pub fn add<'v>(
        &mut self,
        cells: impl IntoIterator<Item = Cow<'v, Value>>,
        fields: Option<&Map<String, Value>>,
    ) -> Result<()> {
        if self.count == MAX_ROWS {
            return Err(too_many("1,048,575 rows"));
        }
        self.count += 1;
        // The first row has the headers.
        let mut row = Row {
            out: &mut self.block,
            number: self.count + 1,
        };
        let _ = write!(row.out, "<row r=\"{}\">", row.number);
        let columns = self.sheet.columns.iter().enumerate();
        for ((place, column), value) in columns.zip(cells) {
            row.value(place, column, &value, self.sheet.time_zone);
        }
        let mut placed = Vec::new();
        for (name, value) in fields.into_iter().flatten() {
            let place = self.fields.get_index_of(name);
            let place = place.unwrap_or_else(|| self.fields.insert_full(name.clone()).0);
            placed.push((self.sheet.columns.len() + place, value));
        }
        if self.fields.len() > MAX_FIELDS {
            return Err(too_many("1,000 different tracking fields"));
        }
        // Cells stand in the order of their columns.
        placed.sort_unstable_by_key(|(place, _)| *place);
        for (place, value) in placed {
            row.text(place, &text(value));
        }
        self.block.push_str("</row>");
        if self.block.len() >= BLOCK {
            self.compress()?;
        }
        Ok(())
    }

    fn compress(&mut self) -> Result<()> {
        let written = self.out.write_all(self.block.as_bytes());
        self.unpacked += self.block.len() as u64;
        self.block.clear();
        let length = written.and_then(|()| Ok(self.out.get_ref().metadata()?.len()));
        let length = length.map_err(|error| unwritable(&error))?;
        if length > MAX_FILE || self.unpacked > MAX_UNPACKED {
            return Err(too_many("as much text as this"));
        }
        Ok(())
    }

    /// What the sheets say, the tracking fields, how many rows there are, and their file.
    ///
    /// # Errors
    /// 500: it cannot be written.
    pub(super) fn end(mut self) -> Result<(Spreadsheet, IndexSet<String>, u32, File)> {
        self.compress()?;
        let file = self.out.finish().map_err(|error| unwritable(&error))?;
        Ok((self.sheet, self.fields, self.count, file))
    }
}

/// A row that is being written. (Writing to a string cannot fail.)
struct Row<'a> {
    out: &'a mut String,
    /// From 1.
    number: u32,
}

impl Row<'_> {
    /// A value in the column at a place from 0.
    fn value(&mut self, place: usize, column: &SheetColumn, value: &Value, zone: Tz) {
        let word = |text: &str| column.words.get(text).cloned();
        match value {
            Value::Null => {}
            Value::Number(number) => self.number(place, column.kind, number),
            Value::String(text) => {
                let at = (column.kind == ColumnKind::Time)
                    .then(|| text.parse().ok())
                    .flatten();
                match at.and_then(|at| serial(at, zone)) {
                    Some(serial) => self.number(place, column.kind, serial),
                    None => self.text(place, word(text).as_deref().unwrap_or(text)),
                }
            }
            Value::Array(values) => {
                let texts = values.iter().map(text);
                let texts = texts.map(|text| word(&text).map_or(text, Cow::Owned));
                self.text(place, &texts.collect::<Vec<_>>().join("; "));
            }
            other => self.text(place, &other.to_string()),
        }
    }

    fn number(&mut self, place: usize, kind: ColumnKind, number: impl Display) {
        let name = ColumnName(place);
        let _ = write!(self.out, "<c r=\"{name}{}\"", self.number);
        if let Some(style) = kind.style() {
            let _ = write!(self.out, " s=\"{style}\"");
        }
        let _ = write!(self.out, "><v>{number}</v></c>");
    }

    /// A text, which is never a formula. What is longer than a cell can be ends with `…`.
    fn text(&mut self, place: usize, text: &str) {
        if text.is_empty() {
            return;
        }
        let (name, number) = (ColumnName(place), self.number);
        let _ = write!(
            self.out,
            "<c r=\"{name}{number}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">"
        );
        let mut units = 0;
        for (at, char) in text.char_indices() {
            units += char.len_utf16();
            if units >= MAX_CELL {
                self.out.push('…');
                break;
            }
            match char {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                // Lines of a cell end with a line feed alone.
                '\r' => {}
                '\t' | '\n' => self.out.push(char),
                '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => self.escaped(char),
                // What looks like an escape is not to be read as one.
                '_' if is_escape(&text[at..]) => self.escaped(char),
                _ => self.out.push(char),
            }
        }
        self.out.push_str("</t></is></c>");
    }

    /// A character that XML cannot have, as spreadsheets write it.
    fn escaped(&mut self, char: char) {
        let _ = write!(self.out, "_x{:04X}_", u32::from(char));
    }
}

fn is_escape(text: &str) -> bool {
    let digits = text
        .strip_prefix("_x")
        .and_then(|rest| rest.split_at_checked(4));
    digits.is_some_and(|(digits, rest)| {
        rest.starts_with('_') && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// A value that stands in a text.
fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// A local time as spreadsheets count: in days, with their fraction. They have none before 1900.
fn serial(at: DateTime<Utc>, zone: Tz) -> Option<String> {
    let local = at.with_timezone(&zone).naive_local().and_utc();
    let since = local.timestamp_millis() + BEFORE_1970 * DAY;
    let fraction = (since % DAY * 1_000_000_000 + DAY / 2) / DAY;
    (since >= DAY).then(|| format!("{}.{fraction:09}", since / DAY))
}

/// `A` of 0, `AA` of 26.
struct ColumnName(usize);

impl Display for ColumnName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(before) = (self.0 / 26).checked_sub(1) {
            Self(before).fmt(f)?;
        }
        f.write_char(char::from(
            b'A' + u8::try_from(self.0 % 26).unwrap_or_default(),
        ))
    }
}

fn too_many(what: &str) -> Problem {
    let detail =
        format!("a spreadsheet has no room for more than {what}; CSV has, or ask for fewer");
    Problem::new(Code::TooManyRecords, detail)
}

pub(super) fn unwritable(error: &io::Error) -> Problem {
    tracing::warn!(%error, "a spreadsheet cannot be written to the temporary folder");
    Problem::internal(error)
}
