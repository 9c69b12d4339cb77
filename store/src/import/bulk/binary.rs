//! PostgreSQL's binary COPY format, as far as these rows need it.
//!
//! Source: PostgreSQL 15 documentation, COPY, "Binary Format". Binary, because the server then neither unescapes
//! text nor parses ids and times again for every row.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use uuid::Uuid;

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
/// 2000-01-01T00:00:00Z in microseconds since 1970.
const EPOCH_MICROS: i64 = 946_684_800_000_000;
/// 2000-01-01 counted in days since 0001-01-01 (that day being 1).
const EPOCH_DAYS: i32 = 730_120;

/// A growing COPY stream.
pub(super) struct CopyBuffer {
    bytes: Vec<u8>,
}

impl CopyBuffer {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        let mut buffer = Self {
            bytes: Vec::with_capacity(bytes + 32),
        };
        buffer.bytes.extend_from_slice(SIGNATURE);
        buffer.bytes.extend_from_slice(&[0; 8]);
        buffer
    }

    pub(super) fn row(&mut self, columns: usize) {
        let columns = i16::try_from(columns).unwrap_or(i16::MAX);
        self.bytes.extend_from_slice(&columns.to_be_bytes());
    }

    fn field(&mut self, parts: [&[u8]; 2]) {
        // A field is at most a chunk, and chunks are bounded far below 2 GiB.
        let length = i32::try_from(parts[0].len() + parts[1].len()).unwrap_or(i32::MAX);
        self.bytes.extend_from_slice(&length.to_be_bytes());
        self.bytes.extend_from_slice(parts[0]);
        self.bytes.extend_from_slice(parts[1]);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.field([text.as_bytes(), &[]]);
    }

    /// `json` in the wire format of jsonb: a version byte, then text.
    pub(super) fn jsonb(&mut self, json: &str) {
        self.field([&[1], json.as_bytes()]);
    }

    pub(super) fn uuid(&mut self, id: Uuid) {
        self.field([id.as_bytes(), &[]]);
    }

    pub(super) fn bigint(&mut self, number: i64) {
        self.field([&number.to_be_bytes(), &[]]);
    }

    pub(super) fn timestamptz(&mut self, at: DateTime<Utc>) {
        self.bigint(at.timestamp_micros() - EPOCH_MICROS);
    }

    pub(super) fn date(&mut self, day: NaiveDate) {
        let days = day.num_days_from_ce() - EPOCH_DAYS;
        self.field([&days.to_be_bytes(), &[]]);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(&(-1_i16).to_be_bytes());
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_count_from_2000() {
        let mut buffer = CopyBuffer::with_capacity(0);
        let day = NaiveDate::from_ymd_opt(2000, 1, 2).expect("a date");
        buffer.date(day);
        buffer.timestamptz(day.and_hms_opt(0, 0, 0).expect("a time").and_utc());
        let bytes = buffer.finish();
        assert_eq!(bytes[19..27], [0, 0, 0, 4, 0, 0, 0, 1]);
        assert_eq!(bytes[31..39], 86_400_000_000_i64.to_be_bytes());
    }
}
