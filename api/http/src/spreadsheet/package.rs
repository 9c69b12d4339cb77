//! The file of a spreadsheet, made piece by piece.
//!
//! The library (`rust_xlsxwriter`) makes all of it but the rows. In its constant-memory mode it would keep these as they are, which is
//! ten times as much, in a temporary folder that may be memory.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, Write};
use std::sync::Arc;

use indexmap::IndexSet;
use parking_lot::Mutex;
use rust_xlsxwriter::{Format, Workbook, XlsxError};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipArchive, ZipWriter};
use zstd::stream::read::Decoder;

use super::rows::unwritable;
use super::{ColumnKind, SheetRows, Spreadsheet};
use crate::parts::PIECE;
use crate::{Problem, Result};

/// The part of the file that has the rows.
const ROWS: &str = "xl/worksheets/sheet1.xml";
/// What stands before and behind them there.
const HEADERS_END: &str = "</row>";
const ROWS_END: &str = "</sheetData>";
/// Bytes of rows that are read at once.
const BLOCK: usize = 64 << 10;

/// The file of a spreadsheet.
pub(super) struct Package {
    rows: Decoder<'static, BufReader<File>>,
    block: Vec<u8>,
    /// What stands behind the rows.
    tail: String,
    /// `None`: its end is written.
    zip: Option<ZipWriter<StreamWriter<Pieces>>>,
    pieces: Pieces,
}

/// What is written and not taken yet.
#[derive(Clone, Default)]
struct Pieces(Arc<Mutex<Vec<u8>>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Package {
    /// # Errors
    /// 500: the rows cannot be written or read.
    pub fn new(rows: SheetRows) -> Result<Self> {
        let (sheet, fields, count, mut file) = rows.end()?;
        let template = template(&sheet, &fields, count);
        let template = template.map_err(|error| Problem::internal(&error))?;
        let package = file.rewind().and_then(|()| Self::begin(template, file));
        package.map_err(|error| unwritable(&error))
    }

    fn begin(template: Vec<u8>, rows: File) -> io::Result<Self> {
        let pieces = Pieces::default();
        let mut zip = ZipWriter::new_stream(pieces.clone());
        // As spreadsheets compress theirs.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(3));
        let mut parts = ZipArchive::new(Cursor::new(template))?;
        let mut with_rows = String::new();
        for n in 0..parts.len() {
            let mut part = parts.by_index(n)?;
            let name = part.name()?.into_owned();
            if name == ROWS {
                part.read_to_string(&mut with_rows)?;
            } else {
                zip.start_file(name, options)?;
                io::copy(&mut part, &mut zip)?;
            }
        }
        zip.start_file(ROWS, options)?;
        let missing = || io::Error::other("a sheet without rows");
        let (head, rest) = with_rows.split_once(HEADERS_END).ok_or_else(missing)?;
        let (_, tail) = rest.split_once(ROWS_END).ok_or_else(missing)?;
        write!(zip, "{head}{HEADERS_END}")?;
        Ok(Self {
            rows: Decoder::new(rows)?,
            block: vec![0; BLOCK],
            tail: format!("{ROWS_END}{tail}"),
            zip: Some(zip),
            pieces,
        })
    }

    /// The bytes of the file that has the rows.
    ///
    /// # Errors
    /// 500: it cannot be read.
    pub fn file_bytes(&self) -> Result<u64> {
        let file = self.rows.get_ref().get_ref().metadata();
        Ok(file.map_err(|error| unwritable(&error))?.len())
    }

    /// The next piece; `None`: there is none.
    ///
    /// # Errors
    /// The rows cannot be read.
    pub fn piece(&mut self) -> io::Result<Option<Vec<u8>>> {
        while let Some(mut zip) = self.zip.take() {
            let read = self.rows.read(&mut self.block)?;
            if read == 0 {
                zip.write_all(self.tail.as_bytes())?;
                zip.finish()?;
                break;
            }
            zip.write_all(self.block.get(..read).unwrap_or_default())?;
            self.zip = Some(zip);
            if self.pieces.0.lock().len() >= PIECE {
                break;
            }
        }
        let piece = std::mem::take(&mut *self.pieces.0.lock());
        Ok((!piece.is_empty()).then_some(piece))
    }
}

impl ColumnKind {
    /// The number of its style in [`template`].
    pub(super) fn style(self) -> Option<u32> {
        match self {
            Self::Plain | Self::Long => None,
            Self::Time => Some(2),
            Self::Share => Some(3),
            Self::Score => Some(4),
        }
    }

    /// In characters.
    fn width(self) -> u32 {
        match self {
            Self::Long => 60,
            Self::Plain | Self::Time | Self::Share | Self::Score => 20,
        }
    }
}

/// The whole file, of whose rows only the headers are there, and one that stands for the last.
fn template(
    sheet: &Spreadsheet,
    fields: &IndexSet<String>,
    count: u32,
) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    // The library numbers styles as they come.
    let header = Format::new().set_bold().set_text_wrap();
    // A date and a time as the reader's country writes them.
    let time = Format::new().set_num_format_index(22);
    let share = Format::new().set_num_format("0.0%");
    let score = Format::new().set_num_format("0.0");
    let (rows, last) = (count.max(1), sheet.columns.len() + fields.len() - 1);
    let last = u16::try_from(last).unwrap_or(u16::MAX);
    let page = book.add_worksheet().set_name(&sheet.name)?;
    for (place, column) in (0..).zip(&sheet.columns) {
        page.write_string_with_format(0, place, &column.header, &header)?;
        page.set_column_width(place, column.kind.width())?;
    }
    let title_of = |name: &String| sheet.field_headers.get(name).unwrap_or(name).clone();
    let first_field = u16::try_from(sheet.columns.len()).unwrap_or(u16::MAX);
    for (place, name) in (first_field..).zip(fields) {
        page.write_string_with_format(0, place, title_of(name), &header)?;
        page.set_column_width(place, ColumnKind::Plain.width())?;
    }
    for style in [&time, &share, &score] {
        page.write_blank(rows, last, style)?;
    }
    page.set_freeze_panes(1, 0)?;
    page.autofilter(0, 0, rows, last)?;

    let about = book.add_worksheet().set_name(&sheet.about)?;
    for (place, width) in [(0, 40), (1, 30), (2, 60)] {
        about.set_column_width(place, width)?;
    }
    let mut row = 0;
    for (name, value) in &sheet.facts {
        about.write_string_with_format(row, 0, name, &header)?;
        about.write_string(row, 1, value)?;
        row += 1;
    }
    row += 1;
    for (place, head) in (0..).zip(&sheet.heads) {
        about.write_string_with_format(row, place, head, &header)?;
    }
    let (member, meaning) = &sheet.fields;
    let fields = fields.iter();
    let fields = fields.map(|name| (title_of(name), format!("{member}.{name}"), meaning.clone()));
    let columns = sheet.columns.iter().map(|column| {
        let words = column
            .words
            .iter()
            .map(|(value, word)| format!("{value} = {word}"));
        let lines = [column.meaning.clone()]
            .into_iter()
            .filter(|text| !text.is_empty());
        let lines: Vec<_> = lines.chain(words).collect();
        (column.header.clone(), column.key.clone(), lines.join("\n"))
    });
    let wrapped = Format::new().set_text_wrap();
    for (header, key, meaning) in columns.chain(fields) {
        row += 1;
        about.write_string_with_format(row, 0, header, &wrapped)?;
        about.write_string(row, 1, key)?;
        let meaning: String = meaning.chars().take(16_000).collect();
        about.write_string_with_format(row, 2, meaning, &wrapped)?;
    }
    book.save_to_buffer()
}
