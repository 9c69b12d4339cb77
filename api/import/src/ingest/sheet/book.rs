//! A workbook: where its parts are, the texts and formats that its cells share, and the cells of its first sheet (ECMA-376).

use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::rc::Rc;

use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;
use zip::read::ZipFile;

use super::super::source::Source;
use super::value::{Format, shown};
use super::xml::{Xml, attribute, push_unescaped};
use super::{UNREADABLE, no_sheet, too_large};
use api_http::{Problem, Result};

/// Sheets that are named, at most, and characters of a name.
const MAX_NAMED: usize = 20;
const MAX_NAME: usize = 100;
/// Formats, at most: Excel has 65,490.
const MAX_FORMATS: usize = 1 << 16;
/// The rows and the columns of the largest sheet (ECMA-376). A cell beyond would make a small file a large one.
const MAX_PLACE: (u32, u32) = (1 << 20, 1 << 14);
/// The shared texts are held in steps of so many bytes.
const TEXT_STEP: usize = 1 << 20;
/// What they take for each byte while they grow.
const HELD: usize = 3;

/// Where a cell stands: its row and its column, from 0.
pub type Place = (u32, u32);

pub type Archive = ZipArchive<BufReader<File>>;
type Part<'a> = Xml<ZipFile<'a, BufReader<File>>>;

/// A workbook, of which everything but the cells has been read.
pub struct Book {
    parts: Parts,
    /// The path of its first sheet.
    sheet: String,
    /// The names of the others.
    pub others: Vec<String>,
    texts: Texts,
    formats: Vec<Format>,
    is_1904: bool,
}

impl Book {
    /// Reads the workbook of an archive.
    ///
    /// # Errors
    /// It has none, or one of too much.
    pub fn open(archive: Archive, source: &mut Source) -> Result<Self> {
        let unpacked = Rc::new(Cell::new(0));
        let mut parts = Parts { archive, unpacked };
        let root = parts.related("", source, |_, kind| kind == "officeDocument")?;
        let workbook = root.unwrap_or_else(|| "xl/workbook.xml".to_owned());
        let Named {
            first,
            others,
            is_1904,
        } = named(&mut parts, &workbook, source)?;
        let sheet = parts.related(&workbook, source, |id, _| id == first)?;
        let sheet = sheet.ok_or_else(|| no_sheet("its first sheet is missing"))?;
        let mut beside = |name: &str, kind: &str, source: &Source| {
            let known = parts.related(&workbook, source, |_, other| other == kind)?;
            Ok::<_, Problem>(known.unwrap_or_else(|| format!("{}{name}", folder(&workbook))))
        };
        let styles = beside("styles.xml", "styles", source)?;
        let texts = beside("sharedStrings.xml", "sharedStrings", source)?;
        let formats = formats(&mut parts, &styles, source)?;
        let texts = Texts::read(&mut parts, &texts, source)?;
        Ok(Self {
            parts,
            sheet,
            others,
            texts,
            formats,
            is_1904,
        })
    }

    /// The cells of the first sheet.
    ///
    /// # Errors
    /// There is none.
    pub fn cells(&mut self) -> Result<Cells<'_>> {
        let sheet = self.parts.open(&self.sheet)?;
        let xml = sheet.ok_or_else(|| no_sheet("its first sheet is missing"))?;
        Ok(Cells {
            xml,
            texts: &self.texts,
            formats: &self.formats,
            is_1904: self.is_1904,
            next: (0, 0),
            text: String::new(),
        })
    }
}

/// The parts of a file.
struct Parts {
    archive: Archive,
    /// The bytes of all that was unpacked of it.
    unpacked: Rc<Cell<u64>>,
}

impl Parts {
    /// One of them, if the file has it. Some programs write names in other letters or with the wrong slashes.
    fn open(&mut self, name: &str) -> Result<Option<Part<'_>>> {
        let index = self.archive.file_names().position(|other| {
            other.is_ok_and(|other| other.replace('\\', "/").eq_ignore_ascii_case(name))
        });
        let Some(index) = index else { return Ok(None) };
        let part = self.archive.by_index(index);
        let part = part.map_err(|_| no_sheet(UNREADABLE))?;
        Ok(Some(Xml::new(part, Rc::clone(&self.unpacked))))
    }

    /// The path of the first part to which another one, or the file itself, has a relation that is so, by its id and its kind.
    fn related(
        &mut self,
        path: &str,
        source: &Source,
        is_it: impl Fn(&str, &str) -> bool,
    ) -> Result<Option<String>> {
        let folder = folder(path);
        let name = path.strip_prefix(folder).unwrap_or_default();
        let Some(mut xml) = self.open(&format!("{folder}_rels/{name}.rels"))? else {
            return Ok(None);
        };
        loop {
            match xml.next(source)? {
                Event::Start(element) if element.local_name().as_ref() == "Relationship" => {
                    let of = |name| attribute(&element, name).unwrap_or_default();
                    let kind = of("Type");
                    let kind = kind.rsplit('/').next().unwrap_or_default();
                    if is_it(&of("Id"), kind) {
                        return Ok(Some(resolved(folder, &of("Target"))));
                    }
                }
                Event::End(element) if element.local_name().as_ref() == "Relationships" => {
                    return Ok(None);
                }
                _ => {}
            }
        }
    }
}

/// The folder of a part, with its slash.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| path.split_at(at + 1).0)
}

/// The path that a target stands for, beginning in a folder unless it has a slash first.
fn resolved(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let whole = match target.strip_prefix('/') {
        Some(whole) => whole.to_owned(),
        None => format!("{folder}{target}"),
    };
    let mut steps = Vec::new();
    for step in whole.split('/') {
        match step {
            "." => {}
            ".." => drop(steps.pop()),
            _ => steps.push(step),
        }
    }
    steps.join("/")
}

/// What a workbook says of its sheets.
struct Named {
    /// The id of the relation that leads to the first.
    first: String,
    others: Vec<String>,
    is_1904: bool,
}

fn named(parts: &mut Parts, workbook: &str, source: &Source) -> Result<Named> {
    let xml = parts.open(workbook)?;
    let mut xml = xml.ok_or_else(|| no_sheet("it is no XLSX"))?;
    let (mut first, mut others, mut is_1904) = (None, Vec::new(), false);
    loop {
        match xml.next(source)? {
            Event::Start(element) => match element.local_name().as_ref() {
                "workbookPr" => {
                    let since = attribute(&element, "date1904");
                    is_1904 |= since.is_some_and(|since| matches!(&*since, "1" | "true"));
                }
                "sheet" if first.is_none() => {
                    first = Some(attribute(&element, "id").unwrap_or_default().into_owned());
                }
                "sheet" if others.len() < MAX_NAMED => {
                    let name = attribute(&element, "name").unwrap_or_default();
                    others.push(name.chars().take(MAX_NAME).collect());
                }
                _ => {}
            },
            Event::End(element)
                if matches!(element.local_name().as_ref(), "sheets" | "workbook") =>
            {
                break;
            }
            _ => {}
        }
    }
    let first = first.ok_or_else(|| no_sheet("it has no sheet"))?;
    Ok(Named {
        first,
        others,
        is_1904,
    })
}

/// The formats of cells, by the numbers that cells have of them.
fn formats(parts: &mut Parts, styles: &str, source: &Source) -> Result<Vec<Format>> {
    let (mut own, mut formats) = (HashMap::new(), Vec::new());
    let Some(mut xml) = parts.open(styles)? else {
        return Ok(formats);
    };
    let mut is_of_cells = false;
    loop {
        match xml.next(source)? {
            Event::Start(element) => match element.local_name().as_ref() {
                "numFmt" => {
                    if let Some(id) = number(&element, "numFmtId") {
                        let code = attribute(&element, "formatCode").unwrap_or_default();
                        own.insert(id, Format::of_code(&code));
                    }
                }
                "cellXfs" => is_of_cells = true,
                "xf" if is_of_cells => {
                    let id = number(&element, "numFmtId").unwrap_or_default();
                    let known = own.get(&id).copied();
                    formats.push(known.unwrap_or_else(|| Format::built_in(id)));
                }
                _ => {}
            },
            Event::End(element)
                if matches!(element.local_name().as_ref(), "cellXfs" | "styleSheet") =>
            {
                return Ok(formats);
            }
            _ => {}
        }
        if own.len().max(formats.len()) > MAX_FORMATS {
            return Err(no_sheet("it has too many formats"));
        }
    }
}

fn number(element: &BytesStart<'_>, name: &str) -> Option<u32> {
    attribute(element, name)?.parse().ok()
}

/// The texts that cells share, behind one another.
#[derive(Default)]
struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Reads those of a part, whose memory the import holds.
    fn read(parts: &mut Parts, path: &str, source: &mut Source) -> Result<Self> {
        let mut texts = Self::default();
        let Some(mut xml) = parts.open(path)? else {
            return Ok(texts);
        };
        let (mut held, mut text) = (0, String::new());
        loop {
            let is_text = match xml.next(source)? {
                Event::Start(element) => element.local_name().as_ref() == "si",
                Event::End(element) if element.local_name().as_ref() == "sst" => return Ok(texts),
                _ => false,
            };
            if !is_text {
                continue;
            }
            text.clear();
            xml.add_rich_text(source, &mut text)?;
            let bytes = texts.all.len() + text.len() + (texts.ends.len() + 1) * size_of::<usize>();
            if bytes > held {
                held = bytes + TEXT_STEP;
                if !source.hold((held * HELD) as u64)? {
                    let detail = format!("its texts take more than {} MiB", bytes >> 20);
                    return Err(too_large(detail));
                }
            }
            texts.all.push_str(&text);
            texts.ends.push(texts.all.len());
        }
    }

    fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let begin = index
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        self.all.get(begin.copied().unwrap_or_default()..end)
    }
}

/// What the value of a cell is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    /// The number of a shared text.
    Shared,
    Boolean,
    /// A text, also that of an error or a date.
    Text,
    /// A text that is in the cell, beside which a value is not looked at.
    Inline,
}

/// The cells of a sheet, in their order.
pub struct Cells<'a> {
    xml: Part<'a>,
    texts: &'a Texts,
    formats: &'a [Format],
    is_1904: bool,
    /// Where the next one stands if it does not say.
    next: Place,
    text: String,
}

impl Cells<'_> {
    /// The next cell, and what it shows.
    ///
    /// # Errors
    /// The sheet cannot be read on.
    pub fn next(&mut self, source: &Source) -> Result<Option<(Place, &str)>> {
        loop {
            let (kind, format) = match self.xml.next(source)? {
                Event::Start(element) => match element.local_name().as_ref() {
                    "row" => {
                        let row = number(&element, "r").and_then(|row| row.checked_sub(1));
                        self.next = (row.unwrap_or(self.next.0), 0);
                        continue;
                    }
                    "c" => {
                        if let Some(place) = attribute(&element, "r") {
                            self.next = place_of(&place)?;
                        }
                        let kind = match attribute(&element, "t").as_deref() {
                            None | Some("n") => Kind::Number,
                            Some("s") => Kind::Shared,
                            Some("b") => Kind::Boolean,
                            Some("inlineStr") => Kind::Inline,
                            Some(_) => Kind::Text,
                        };
                        (kind, number(&element, "s"))
                    }
                    _ => continue,
                },
                Event::End(element) => match element.local_name().as_ref() {
                    "row" => {
                        self.next = (self.next.0.saturating_add(1), 0);
                        continue;
                    }
                    "sheetData" => return Ok(None),
                    _ => continue,
                },
                _ => continue,
            };
            self.read_text(kind, source)?;
            let place = self.next;
            if place.0 >= MAX_PLACE.0 || place.1 >= MAX_PLACE.1 {
                return Err(nowhere());
            }
            self.next.1 = place.1.saturating_add(1);
            return Ok(Some((place, self.shown(kind, format)?)));
        }
    }

    /// Reads on up to the end of the cell.
    fn read_text(&mut self, kind: Kind, source: &Source) -> Result<()> {
        self.text.clear();
        loop {
            let (is_value, is_inline) = match self.xml.next(source)? {
                Event::Start(element) => {
                    let name = element.local_name();
                    (name.as_ref() == "v", name.as_ref() == "is")
                }
                Event::End(_) => return Ok(()),
                _ => continue,
            };
            if is_inline {
                self.xml.add_rich_text(source, &mut self.text)?;
            } else if is_value && kind != Kind::Inline {
                self.text.clear();
                push_unescaped(self.xml.text(source)?, &mut self.text);
            } else {
                self.xml.skip(source)?;
            }
        }
    }

    fn shown(&mut self, kind: Kind, format: Option<u32>) -> Result<&str> {
        match kind {
            Kind::Shared if !self.text.is_empty() => {
                let text = self
                    .text
                    .parse()
                    .ok()
                    .and_then(|index| self.texts.get(index));
                return text.ok_or_else(|| no_sheet("a cell has a text that is not there"));
            }
            Kind::Boolean if !self.text.is_empty() => {
                let is_true = matches!(self.text.as_str(), "1" | "true");
                if is_true { "TRUE" } else { "FALSE" }.clone_into(&mut self.text);
            }
            Kind::Number => {
                let index = format.and_then(|format| usize::try_from(format).ok());
                let format = index.and_then(|index| self.formats.get(index));
                let format = format.copied().unwrap_or(Format::Number);
                self.text = shown(&self.text, format, self.is_1904);
            }
            Kind::Shared | Kind::Boolean | Kind::Text | Kind::Inline => {}
        }
        Ok(&self.text)
    }
}

/// The place that is written as `B3`, also one that no sheet has.
fn place_of(text: &str) -> Result<Place> {
    let digits = text.find(|character: char| !character.is_ascii_alphabetic());
    let (letters, row) = text.split_at(digits.unwrap_or(text.len()));
    let mut column: u32 = 0;
    for letter in letters.bytes() {
        let number = u32::from(letter.to_ascii_uppercase() - b'A') + 1;
        column = column.saturating_mul(26).saturating_add(number);
    }
    let row = row.parse().ok().and_then(|row: u32| row.checked_sub(1));
    row.zip(column.checked_sub(1)).ok_or_else(nowhere)
}

fn nowhere() -> Problem {
    no_sheet("a cell is where no sheet has one")
}
