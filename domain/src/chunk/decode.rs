//! From a payload back to rows. Nothing in a payload is believed: a bad disk must not become bad data.

use std::fmt;

use zstd::zstd_safe::get_frame_content_size;

use super::{MAX_DECODED_BYTES, VERSION};
use crate::phone;
use crate::varint;

/// A decoded chunk.
pub struct Chunk {
    /// All docids, then all phones, then all fields.
    text: String,
    /// Where each row's docid, phone and fields end in `text`.
    ends: Vec<[usize; 3]>,
    /// Where the columns begin.
    starts: [usize; 3],
}

/// One record of a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    pub docid: &'a str,
    pub phone: &'a str,
    /// The tracking fields, a canonical JSON object: `{"a":"1","b":"2"}`.
    pub fields: &'a str,
}

impl fmt::Debug for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mask = fmt::from_fn(|f| phone::masked(self.phone, f));
        f.debug_struct("Row")
            .field("docid", &self.docid)
            .field("phone", &mask)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunk")
            .field("rows", &self.len())
            .finish_non_exhaustive()
    }
}

/// Why a payload cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChunkError {
    /// Written by a newer (or much older) version: left for one that knows it.
    #[error("chunk payload of unknown version {0}")]
    UnknownVersion(u8),
    #[error("chunk payload is corrupt: {0}")]
    Corrupt(&'static str),
}

impl Chunk {
    /// Reads what [`super::Run::compress`] wrote, in at most [`MAX_DECODED_BYTES`].
    pub fn decode(payload: &[u8]) -> Result<Self, ChunkError> {
        let mut bytes = match payload.split_first() {
            Some((&VERSION, frame)) => decompress(frame)?,
            Some((version, _)) => return Err(ChunkError::UnknownVersion(*version)),
            None => return Err(ChunkError::Corrupt("it is empty")),
        };
        let mut rest = bytes.as_slice();
        let (ends, starts) = read_ends(&mut rest).ok_or(ChunkError::Corrupt("its lengths"))?;
        let head = bytes.len() - rest.len();
        bytes.drain(..head);
        let text = String::from_utf8(bytes).map_err(|_| ChunkError::Corrupt("not UTF-8"))?;
        let chunk = Self { text, ends, starts };
        chunk.verify()?;
        Ok(chunk)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The rows in the byte order of their docids.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        let mut from = self.starts;
        self.ends.iter().map(move |to| {
            let [docid, phone, fields] = [0, 1, 2].map(|n| self.text.get(from[n]..to[n]));
            from = *to;
            // `verify` has seen that every piece is there.
            Row {
                docid: docid.unwrap_or_default(),
                phone: phone.unwrap_or_default(),
                fields: fields.unwrap_or_default(),
            }
        })
    }

    fn verify(&self) -> Result<(), ChunkError> {
        let last = self.ends.last().unwrap_or(&self.starts);
        if last[2] != self.text.len() {
            return Err(ChunkError::Corrupt("its lengths do not fill it"));
        }
        let whole = |end: &usize| self.text.is_char_boundary(*end);
        if !self.ends.iter().flatten().all(whole) {
            return Err(ChunkError::Corrupt("a length cuts a character"));
        }
        if !self.rows().is_sorted_by(|a, b| a.docid < b.docid) {
            return Err(ChunkError::Corrupt("its docids are out of order"));
        }
        Ok(())
    }
}

fn decompress(frame: &[u8]) -> Result<Vec<u8>, ChunkError> {
    // The size is asked for first, so that no more memory is taken than the chunk needs.
    let size = get_frame_content_size(frame).ok().flatten();
    let size = size.and_then(|size| usize::try_from(size).ok());
    match size {
        None => Err(ChunkError::Corrupt("not a zstd frame with a size")),
        Some(size) if size > MAX_DECODED_BYTES => Err(ChunkError::Corrupt("it is too large")),
        Some(size) => zstd::bulk::decompress(frame, size)
            .map_err(|_| ChunkError::Corrupt("zstd cannot read it")),
    }
}

/// The ends of all rows in the text, and where its columns begin; `rest` is left at the text. `None` when the
/// lengths are cut off or lead outside.
fn read_ends(rest: &mut &[u8]) -> Option<(Vec<[usize; 3]>, [usize; 3])> {
    let rows = varint::read_len(rest)?;
    // A row has three lengths of at least a byte: a lie about the rows costs no memory.
    if rows > rest.len() / 3 {
        return None;
    }
    let mut ends = vec![[0; 3]; rows];
    let mut starts = [0; 3];
    let mut end = 0_usize;
    for column in 0..3 {
        starts[column] = end;
        for row in &mut ends {
            end = end.checked_add(varint::read_len(rest)?)?;
            row[column] = end;
        }
    }
    (end <= rest.len()).then_some((ends, starts))
}
