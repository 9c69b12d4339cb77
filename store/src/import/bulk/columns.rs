//! The columns of `recipient`, as parts of statements: those of the batch, then those of the record. The latter are listed in
//! [`domain::record`] alone, so the statements that store records are made from that list when they are first used, and are not
//! among the registered ones.

use domain::record::{COLUMNS, Column, Record};
use sea_orm::Value;

use crate::import::chunk::Claim;
use crate::tx::{IntoValues, Statement, values};

/// A statement that is made once and kept until the program ends.
pub(super) fn postgres(text: String) -> Statement {
    let text: &'static str = text.leak();
    Statement {
        postgres: text,
        citus: text,
        sqlite: "",
    }
}

/// The same for SQLite.
pub(super) fn sqlite(text: String) -> Statement {
    Statement {
        postgres: "",
        citus: "",
        sqlite: text.leak(),
    }
}

/// What the statements of both dialects bind for the columns of the batch: account, batch, `seq`, time and day.
pub(super) const BOUND: &str = "$1, $2, $3, $4, $4, $5";

/// The values of [`BOUND`].
impl IntoValues for &Claim {
    fn add_to(self, values: &mut Vec<Value>) {
        let id = self.id;
        let of_batch = values![
            id.account_id,
            id.batch_id,
            self.seq,
            self.claimed_at,
            self.day()
        ];
        values.extend(of_batch);
    }
}

/// The columns of the batch, in the order of [`BOUND`].
pub(super) const BATCH: &str = "account_id, batch_id, seq, created_at, updated_at, created_day";

/// The columns of a record that may change: all but the first, the docid.
pub(in crate::import) const VALUES: &[Column] = COLUMNS.split_at(1).1;

pub(super) fn insert_into(table: &str) -> String {
    format!("INSERT INTO {table} ({BATCH}, {})", names())
}

pub(super) fn names() -> String {
    join(&COLUMNS, ", ", |column| column.name.to_owned())
}

pub(super) fn join(
    columns: &[Column],
    separator: &str,
    part: impl Fn(&Column) -> String,
) -> String {
    let parts: Vec<_> = columns.iter().map(part).collect();
    parts.join(separator)
}

/// The records' values of each column.
pub(super) fn by_column<'a>(records: &[Record<'a>]) -> [Vec<&'a str>; COLUMNS.len()] {
    let mut columns = COLUMNS.map(|_| Vec::with_capacity(records.len()));
    for record in records {
        for (column, value) in columns.iter_mut().zip(record.values()) {
            column.push(value);
        }
    }
    columns
}
