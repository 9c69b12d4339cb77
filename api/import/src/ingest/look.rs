//! The beginning of a file of which it is not known yet what its columns are.

use std::io::Read;
use std::path::Path;

use domain::body::{BodyError, Dialect, FileKind, FileReader};

use super::collector::SHOWN_CHARS;
use super::parse::refused;
use super::sheet;
use super::source::Source;
use api_http::Result;

/// The rows that tell what a file has, at most.
const LOOKED_AT: usize = 100;

/// The beginning of a file.
#[derive(Debug)]
pub struct Look {
    /// The names of its columns, or of the members of its first records.
    pub columns: Vec<String>,
    /// What the first rows hold there, cut.
    pub rows: Vec<Vec<String>>,
    pub dialect: Option<Dialect>,
    /// The names of the sheets that are not read.
    pub other_sheets: Vec<String>,
}

/// Reads the beginning of a file.
///
/// # Errors
/// The body is refused.
pub fn look(kind: FileKind, tmp_dir: &Path, source: &mut Source) -> Result<Look> {
    let body = source.kind;
    if kind == FileKind::Sheet {
        let (rows, other_sheets) = sheet::as_csv(source, tmp_dir)?;
        look_at(kind, rows).map(|look| Look {
            other_sheets,
            ..look
        })
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
        other_sheets: Vec::new(),
    })
}
