//! From a payload back to records. Everything in a payload is checked: a bad disk must not become bad data.

use zstd::zstd_safe::get_frame_content_size;

use super::{MAX_DECODED_BYTES, VERSION};
use crate::record::{COLUMNS, Record};
use crate::varint::{self, DecodeError};

/// A decoded chunk.
pub struct Chunk {
    /// All values of the first column, then those of the next.
    text: String,
    /// Where the columns begin in `text`, then where the values of each record end.
    bounds: Vec<[usize; COLUMNS.len()]>,
}

impl Chunk {
    /// Reads what [`super::Run::compress`] wrote, in at most [`MAX_DECODED_BYTES`].
    pub fn decode(payload: &[u8]) -> Result<Self, DecodeError> {
        let mut bytes = decompress(varint::versioned(payload, VERSION)?)?;
        let mut rest = bytes.as_slice();
        let bounds = read_bounds(&mut rest).ok_or(DecodeError::Corrupt("its lengths"))?;
        let head = bytes.len() - rest.len();
        bytes.drain(..head);
        let text = String::from_utf8(bytes).map_err(|_| DecodeError::Corrupt("not UTF-8"))?;
        let chunk = Self { text, bounds };
        chunk.verify()?;
        Ok(chunk)
    }

    pub fn len(&self) -> usize {
        self.values().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The records in the byte order of their docids.
    pub fn records(&self) -> impl ExactSizeIterator<Item = Record<'_>> {
        self.values().map(Record::from_valid)
    }

    fn values(&self) -> impl ExactSizeIterator<Item = [&str; COLUMNS.len()]> {
        self.bounds.windows(2).map(|pair| {
            let text = |n: usize| self.text.get(pair[0][n]..pair[1][n]);
            std::array::from_fn(|n| text(n).unwrap_or_default())
        })
    }

    fn verify(&self) -> Result<(), DecodeError> {
        if self.bounds.as_flattened().last() != Some(&self.text.len()) {
            return Err(DecodeError::Corrupt("its lengths do not fill it"));
        }
        let whole = |end: &usize| self.text.is_char_boundary(*end);
        if !self.bounds.as_flattened().iter().all(whole) {
            return Err(DecodeError::Corrupt("a length cuts a character"));
        }
        if !self.values().all(Record::are_valid) {
            return Err(DecodeError::Corrupt("a record is not valid"));
        }
        if !self.records().is_sorted_by(|a, b| a.docid < b.docid) {
            return Err(DecodeError::Corrupt("its docids are out of order"));
        }
        Ok(())
    }
}

fn decompress(frame: &[u8]) -> Result<Vec<u8>, DecodeError> {
    // The size is asked for first, so that no more memory is taken than the chunk needs.
    let size = get_frame_content_size(frame).ok().flatten();
    let size = size.and_then(|size| usize::try_from(size).ok());
    match size {
        None => Err(DecodeError::Corrupt("not a zstd frame with a size")),
        Some(size) if size > MAX_DECODED_BYTES => Err(DecodeError::Corrupt("it is too large")),
        Some(size) => zstd::bulk::decompress(frame, size)
            .map_err(|_| DecodeError::Corrupt("zstd cannot read it")),
    }
}

/// Reads where the columns begin in the text, and where all values end; `rest` is the text afterwards. `None` if the lengths
/// are cut off or point outside.
fn read_bounds(rest: &mut &[u8]) -> Option<Vec<[usize; COLUMNS.len()]>> {
    let records = varint::read_len(rest)?;
    // Each length takes a byte at least: a false number of records costs no memory.
    if records > rest.len() / COLUMNS.len() {
        return None;
    }
    let mut bounds = vec![[0; COLUMNS.len()]; records + 1];
    let mut end = 0_usize;
    for column in 0..COLUMNS.len() {
        bounds[0][column] = end;
        for record in &mut bounds[1..] {
            end = end.checked_add(varint::read_len(rest)?)?;
            record[column] = end;
        }
    }
    (end <= rest.len()).then_some(bounds)
}
