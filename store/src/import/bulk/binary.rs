//! PostgreSQL's binary COPY format, as far as these rows need it.
//!
//! Source: PostgreSQL 15 documentation, COPY, "Binary Format". Binary, because the server then neither unescapes
//! text nor parses ids and times again for every row.

use sea_orm::sqlx::postgres::PgArgumentBuffer;
use sea_orm::sqlx::{Encode, Postgres};

use crate::Error;

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";

/// A growing COPY stream.
pub(super) struct CopyBuffer {
    bytes: PgArgumentBuffer,
}

impl CopyBuffer {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        let mut buffer = PgArgumentBuffer::default();
        buffer.reserve(bytes + 32);
        buffer.extend_from_slice(SIGNATURE);
        buffer.extend_from_slice(&[0; 8]);
        Self { bytes: buffer }
    }

    pub(super) fn row(&mut self, columns: usize) {
        let columns = i16::try_from(columns).unwrap_or(i16::MAX);
        self.bytes.extend_from_slice(&columns.to_be_bytes());
    }

    pub(super) fn field<'q>(&mut self, value: impl Encode<'q, Postgres>) -> Result<(), Error> {
        let start = self.begin_field();
        // None of these is null.
        let _ = value.encode(&mut self.bytes).map_err(Error::broken)?;
        self.end_field(start);
        Ok(())
    }

    /// `json` in the wire format of jsonb: a version byte, then text.
    pub(super) fn jsonb(&mut self, json: &str) {
        let start = self.begin_field();
        self.bytes.push(1);
        self.bytes.extend_from_slice(json.as_bytes());
        self.end_field(start);
    }

    /// Leaves room for the length of a field; where the field starts.
    fn begin_field(&mut self) -> usize {
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.len()
    }

    fn end_field(&mut self, start: usize) {
        // A field is at most a chunk, and chunks are bounded far below 2 GiB.
        let length = i32::try_from(self.bytes.len() - start).unwrap_or(i32::MAX);
        self.bytes[start - 4..start].copy_from_slice(&length.to_be_bytes());
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(&(-1_i16).to_be_bytes());
        std::mem::take(&mut *self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::*;

    #[test]
    fn dates_and_times_count_from_2000() {
        let mut buffer = CopyBuffer::with_capacity(0);
        let day = NaiveDate::from_ymd_opt(2000, 1, 2).expect("a date");
        let midnight = day.and_hms_opt(0, 0, 0).expect("a time").and_utc();
        buffer.field(day).expect("a field");
        buffer.field(midnight).expect("a field");
        let bytes = buffer.finish();
        assert_eq!(bytes[19..27], [0, 0, 0, 4, 0, 0, 0, 1]);
        assert_eq!(bytes[31..39], 86_400_000_000_i64.to_be_bytes());
    }
}
