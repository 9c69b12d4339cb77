//! Statements that are written by hand, and the list of all of them, which a test prepares against both databases.

use std::marker::PhantomData;

use chrono::{DateTime, NaiveDate, Utc};
use linkme::distributed_slice;
use sea_orm::{DbBackend, Value};
use uuid::Uuid;

/// A statement in SQL, made by [`statement!`]. Its text in a dialect is empty where only the other one runs it.
#[derive(Debug)]
pub(crate) struct Statement {
    pub postgres: &'static str,
    pub sqlite: &'static str,
}

impl Statement {
    pub(super) fn text(&self, database: DbBackend) -> &'static str {
        match database {
            DbBackend::Sqlite => self.sqlite,
            _ => self.postgres,
        }
    }

    pub(crate) fn registered(&self, database: DbBackend) -> Option<String> {
        let text = self.text(database);
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// A statement for many rows at once, made by [`statement!`]. Its text follows `WITH batch (columns of R) AS (rows)`.
#[derive(Debug)]
pub(crate) struct BatchStatement<R> {
    pub text: BatchText,
    pub row: PhantomData<fn(R)>,
}

/// The text of a [`BatchStatement`], and the columns of its rows.
#[derive(Debug)]
pub(crate) struct BatchText {
    pub columns: &'static [BatchColumn],
    pub postgres: &'static str,
    pub sqlite: &'static str,
}

impl BatchText {
    /// PostgreSQL: an array a column, so that the text is the same for any number of rows.
    pub(super) fn with_arrays(&self) -> String {
        let arrays = self.columns.iter().zip(1..);
        let arrays = arrays.map(|(column, n)| format!("${n}::{}[]", column.kind));
        let arrays: Vec<_> = arrays.collect();
        self.with_rows(
            self.postgres,
            &format!("SELECT * FROM unnest({})", arrays.join(", ")),
        )
    }

    /// SQLite: the values of so many rows.
    pub(super) fn with_values(&self, rows: usize) -> String {
        let row = format!("({})", vec!["?"; self.columns.len()].join(","));
        self.with_rows(
            self.sqlite,
            &format!("VALUES {}", vec![row; rows].join(",")),
        )
    }

    fn with_rows(&self, text: &str, rows: &str) -> String {
        let columns: Vec<_> = self.columns.iter().map(|column| column.name).collect();
        format!("WITH batch ({}) AS ({rows}) {text}", columns.join(", "))
    }

    pub(crate) fn registered(&self, database: DbBackend) -> Option<String> {
        match database {
            DbBackend::Sqlite => (!self.sqlite.is_empty()).then(|| self.with_values(1)),
            _ => (!self.postgres.is_empty()).then(|| self.with_arrays()),
        }
    }
}

/// A column of a batch.
#[derive(Debug)]
pub(crate) struct BatchColumn {
    pub name: &'static str,
    /// Its type in PostgreSQL.
    pub kind: &'static str,
}

/// A row of a batch: a struct whose fields are its columns, made by [`batch_row!`].
pub(crate) trait BatchRow: Sized {
    const COLUMNS: &'static [BatchColumn];

    /// The values in the order of [`Self::COLUMNS`].
    fn into_values(self) -> Vec<Value>;
}

/// A type that a column of a batch may have.
pub(crate) trait BatchValue: Into<Value> {
    /// Its type in PostgreSQL.
    const KIND: &'static str;
}

macro_rules! batch_values {
    ($($value:ty: $kind:literal,)+) => {
        $(impl BatchValue for $value {
            const KIND: &'static str = $kind;
        }
        impl BatchValue for Option<$value> {
            const KIND: &'static str = $kind;
        })+
    };
}

batch_values! {
    Uuid: "uuid",
    String: "text",
    &str: "text",
    Vec<u8>: "bytea",
    i16: "smallint",
    i64: "bigint",
    bool: "boolean",
    NaiveDate: "date",
    DateTime<Utc>: "timestamptz",
}

/// Makes a struct a [`BatchRow`].
macro_rules! batch_row {
    ($(#[$attribute:meta])* $visible:vis struct $row:ident { $($(#[$doc:meta])* $column:ident: $kind:ty,)+ }) => {
        $(#[$attribute])*
        $visible struct $row {
            $($(#[$doc])* pub $column: $kind,)+
        }

        impl $crate::tx::BatchRow for $row {
            const COLUMNS: &'static [$crate::tx::BatchColumn] = &[$($crate::tx::BatchColumn {
                name: stringify!($column),
                kind: <$kind as $crate::tx::BatchValue>::KIND,
            }),+];

            fn into_values(self) -> Vec<sea_orm::Value> {
                vec![$(self.$column.into()),+]
            }
        }
    };
}
pub(crate) use batch_row;

/// A statement that is written by hand, as a test prepares it.
#[derive(Debug)]
pub struct Registered {
    /// The file and line where it is written.
    pub place: &'static str,
    /// Its text in the dialect of a database; `None` where it is for the other one alone.
    pub text: fn(DbBackend) -> Option<String>,
}

/// All statements that are written by hand.
#[distributed_slice]
pub static STATEMENTS: [Registered];

/// Makes and registers a statement. Its text is put together from literals, and from macros that are literals:
/// - `statement!("…", …)`: a [`Statement`] of both dialects,
/// - `statement!(postgres: "…"; sqlite: "…")`: one text each, `statement!(postgres: "…")` and `statement!(sqlite: "…")`: of one
///   alone,
/// - `statement!(lock "FOR UPDATE": "…")`: a SELECT that locks its rows. On SQLite whoever may write is alone,
/// - `statement!(Row: "…")`: a [`BatchStatement`] for rows of a [`BatchRow`], and the same with dialects or a lock.
macro_rules! statement {
    ($row:ty: postgres: $($postgres:expr),+; sqlite: $($sqlite:expr),+ $(,)?) => {{
        static STATEMENT: $crate::tx::BatchStatement<$row> = $crate::tx::BatchStatement {
            text: $crate::tx::BatchText {
                columns: <$row as $crate::tx::BatchRow>::COLUMNS,
                postgres: concat!($($postgres),+),
                sqlite: concat!($($sqlite),+),
            },
            row: std::marker::PhantomData,
        };
        $crate::tx::register!(STATEMENT.text);
        &STATEMENT
    }};
    (postgres: $($postgres:expr),+; sqlite: $($sqlite:expr),+ $(,)?) => {{
        static STATEMENT: $crate::tx::Statement = $crate::tx::Statement {
            postgres: concat!($($postgres),+),
            sqlite: concat!($($sqlite),+),
        };
        $crate::tx::register!(STATEMENT);
        &STATEMENT
    }};
    (postgres: $($text:expr),+ $(,)?) => { $crate::tx::statement!(postgres: $($text),+; sqlite: "") };
    (sqlite: $($text:expr),+ $(,)?) => { $crate::tx::statement!(postgres: ""; sqlite: $($text),+) };
    (lock $lock:literal: $($text:expr),+ $(,)?) => {
        $crate::tx::statement!(postgres: $($text),+, " ", $lock; sqlite: $($text),+)
    };
    ($row:ident lock $lock:literal: $($text:expr),+ $(,)?) => {
        $crate::tx::statement!($row: postgres: $($text),+, " ", $lock; sqlite: $($text),+)
    };
    ($row:ident: $($text:expr),+ $(,)?) => {
        $crate::tx::statement!($row: postgres: $($text),+; sqlite: $($text),+)
    };
    ($($text:expr),+ $(,)?) => {
        $crate::tx::statement!(postgres: $($text),+; sqlite: $($text),+)
    };
}
pub(crate) use statement;

/// Puts a statement into [`STATEMENTS`].
macro_rules! register {
    ($statement:expr) => {
        #[expect(unsafe_code, reason = "the linker puts it into the list")]
        #[linkme::distributed_slice($crate::tx::STATEMENTS)]
        static REGISTERED: $crate::tx::Registered = $crate::tx::Registered {
            place: concat!(file!(), ":", line!()),
            text: |database| $statement.registered(database),
        };
    };
}
pub(crate) use register;
