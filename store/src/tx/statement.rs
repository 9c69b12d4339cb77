//! Statements that are written by hand, and the list of all of them, which a test prepares against both databases.

use std::marker::PhantomData;

use chrono::{DateTime, NaiveDate, Utc};
use linkme::distributed_slice;
use uuid::Uuid;

use super::IntoValues;

/// How a database is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Postgres,
    /// PostgreSQL whose tables lie on several nodes: Citus, after `feedback migrate distribute`.
    Citus,
    Sqlite,
}

/// A statement in SQL, made by [`statement!`]. Its text in a dialect is empty where only another one runs it.
#[derive(Debug)]
pub(crate) struct Statement {
    pub postgres: &'static str,
    pub citus: &'static str,
    pub sqlite: &'static str,
}

impl Statement {
    pub(super) fn text(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Postgres => self.postgres,
            Dialect::Citus => self.citus,
            Dialect::Sqlite => self.sqlite,
        }
    }

    pub(crate) fn registered(&self, dialect: Dialect) -> Option<String> {
        let text = self.text(dialect);
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// A statement for many rows at once, made by [`statement!`]. Its text follows `WITH batch (columns of R) AS (rows)`; in it
/// `{columns}` stands for the names of the columns.
#[derive(Debug)]
pub(crate) struct BatchStatement<R> {
    pub text: BatchText,
    pub row: PhantomData<fn(R)>,
}

/// The text of a [`BatchStatement`], and the columns of its rows.
#[derive(Debug)]
pub(crate) struct BatchText {
    pub add_columns: fn(&'static str, &mut Vec<BatchColumn>),
    pub postgres: &'static str,
    pub citus: &'static str,
    pub sqlite: &'static str,
}

/// The column that says on which node a row lies.
const ACCOUNT: &str = "account_id";

impl BatchText {
    pub(super) fn columns(&self) -> Vec<BatchColumn> {
        let mut columns = Vec::new();
        (self.add_columns)("", &mut columns);
        columns
    }

    /// PostgreSQL: an array a column, so that the text is the same for any number of rows.
    pub(super) fn with_arrays(&self) -> String {
        let columns = self.columns();
        let arrays = columns.iter().zip(1..);
        let arrays = arrays.map(|(column, n)| format!("${n}::{}[]", column.kind));
        let arrays: Vec<_> = arrays.collect();
        let rows = format!("SELECT * FROM unnest({})", arrays.join(", "));
        with_rows(self.postgres, &columns, &rows)
    }

    /// Citus: the same for rows of one account, whose id is one value, so that the statement is sent to the node where it lies.
    pub(super) fn with_account_and_arrays(&self) -> String {
        let columns = self.columns();
        let parameter = |(column, n): (&BatchColumn, usize)| {
            let array = if column.name == ACCOUNT { "" } else { "[]" };
            (column.name, format!("${n}::{}{array}", column.kind))
        };
        let parameters: Vec<_> = columns.iter().zip(1..).map(parameter).collect();
        let (account, arrays): (Vec<_>, Vec<_>) = parameters
            .into_iter()
            .partition(|(name, _)| *name == ACCOUNT);
        let selected = columns.iter().map(|column| match &account[..] {
            [(ACCOUNT, account)] if column.name == ACCOUNT => account,
            _ => column.name,
        });
        let selected: Vec<_> = selected.collect();
        let (names, arrays): (Vec<_>, Vec<_>) = arrays.into_iter().unzip();
        let rows = format!(
            "SELECT {} FROM unnest({}) AS rows ({})",
            selected.join(", "),
            arrays.join(", "),
            names.join(", ")
        );
        with_rows(self.citus, &columns, &rows)
    }

    /// SQLite: the values of so many rows.
    pub(super) fn with_values(&self, rows: usize) -> String {
        let columns = self.columns();
        let row = format!("({})", vec!["?"; columns.len()].join(","));
        let rows = format!("VALUES {}", vec![row; rows].join(","));
        with_rows(self.sqlite, &columns, &rows)
    }

    /// Which of its columns has the account that a row belongs to; of rows that belong to none, none.
    pub(super) fn account_column(&self) -> Option<usize> {
        let columns = self.columns();
        columns.iter().position(|column| column.name == ACCOUNT)
    }

    pub(crate) fn registered(&self, dialect: Dialect) -> Option<String> {
        let (text, whole): (_, fn(&Self) -> String) = match dialect {
            Dialect::Postgres => (self.postgres, Self::with_arrays),
            Dialect::Citus if self.account_column().is_some() => {
                (self.citus, Self::with_account_and_arrays)
            }
            Dialect::Citus => (self.citus, Self::with_arrays),
            Dialect::Sqlite => (self.sqlite, |text| text.with_values(1)),
        };
        (!text.is_empty()).then(|| whole(self))
    }
}

fn with_rows(text: &str, columns: &[BatchColumn], rows: &str) -> String {
    let names: Vec<_> = columns.iter().map(|column| column.name).collect();
    let names = names.join(", ");
    let text = text.replace("{columns}", &names);
    format!("WITH batch ({names}) AS ({rows}) {text}")
}

/// A column of a batch.
#[derive(Debug)]
pub(crate) struct BatchColumn {
    pub name: &'static str,
    /// Its type in PostgreSQL.
    pub kind: &'static str,
}

/// A row of a batch, made by [`batch_row!`], or a field of one: a value, which is a column, or a key, whose fields are columns.
pub(crate) trait BatchRow: IntoValues {
    /// Adds its columns, in the order of its values. That of a value has the name of the field.
    fn add_columns(field: &'static str, columns: &mut Vec<BatchColumn>);
}

macro_rules! batch_values {
    ($($value:ty: $kind:literal,)+) => {
        $(batch_values!($value, $kind);
        batch_values!(Option<$value>, $kind);)+
    };
    ($value:ty, $kind:literal) => {
        impl BatchRow for $value {
            fn add_columns(name: &'static str, columns: &mut Vec<BatchColumn>) {
                columns.push(BatchColumn { name, kind: $kind });
            }
        }
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

/// Makes a struct a [`BatchRow`], and [`IntoValues`] of any statement.
macro_rules! batch_row {
    ($(#[$attribute:meta])* $visible:vis struct $row:ident { $($(#[$doc:meta])* $field:ident: $kind:ty,)+ }) => {
        $(#[$attribute])*
        $visible struct $row {
            $($(#[$doc])* pub $field: $kind,)+
        }

        impl $crate::tx::IntoValues for $row {
            fn add_to(self, values: &mut Vec<sea_orm::Value>) {
                $($crate::tx::IntoValues::add_to(self.$field, values);)+
            }
        }

        impl $crate::tx::BatchRow for $row {
            fn add_columns(_: &'static str, columns: &mut Vec<$crate::tx::BatchColumn>) {
                $(<$kind as $crate::tx::BatchRow>::add_columns(stringify!($field), columns);)+
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
    pub text: fn(Dialect) -> Option<String>,
}

/// All statements that are written by hand.
#[distributed_slice]
pub static STATEMENTS: [Registered];

/// Makes and registers a statement. Its text is put together from literals, and from macros that are literals:
/// - `statement!("…", …)`: a [`Statement`] of all dialects,
/// - `statement!(postgres: "…"; sqlite: "…")`: one text each, `statement!(postgres: "…")` and `statement!(sqlite: "…")`: of one
///   alone. That of PostgreSQL is also that of Citus, unless `citus: "…"` stands between them,
/// - `statement!(citus: "…")`: of Citus alone,
/// - `statement!(lock "FOR UPDATE": "…")`: a SELECT that locks its rows. On SQLite whoever may write is alone,
/// - `statement!(accounts "account_id = ANY($2)": "SELECT … WHERE …"; "ORDER BY …")`: of a scan over all accounts, which on Citus is
///   about those of one node, its last parameter,
/// - `statement!(Row: "…")`: a [`BatchStatement`] for rows of a [`BatchRow`], and the same with dialects or a lock. Citus runs it
///   for each account by itself.
macro_rules! statement {
    ($row:ty: postgres: $($postgres:expr),+; citus: $($citus:expr),+; sqlite: $($sqlite:expr),+ $(,)?) => {{
        static STATEMENT: $crate::tx::BatchStatement<$row> = $crate::tx::BatchStatement {
            text: $crate::tx::BatchText {
                add_columns: <$row as $crate::tx::BatchRow>::add_columns,
                postgres: concat!($($postgres),+),
                citus: concat!($($citus),+),
                sqlite: concat!($($sqlite),+),
            },
            row: std::marker::PhantomData,
        };
        $crate::tx::register!(STATEMENT.text);
        &STATEMENT
    }};
    ($row:ty: postgres: $($postgres:expr),+; sqlite: $($sqlite:expr),+ $(,)?) => {
        $crate::tx::statement!($row: postgres: $($postgres),+; citus: $($postgres),+; sqlite: $($sqlite),+)
    };
    (postgres: $($postgres:expr),+; citus: $($citus:expr),+; sqlite: $($sqlite:expr),+ $(,)?) => {{
        static STATEMENT: $crate::tx::Statement = $crate::tx::Statement {
            postgres: concat!($($postgres),+),
            citus: concat!($($citus),+),
            sqlite: concat!($($sqlite),+),
        };
        $crate::tx::register!(STATEMENT);
        &STATEMENT
    }};
    (postgres: $($postgres:expr),+; sqlite: $($sqlite:expr),+ $(,)?) => {
        $crate::tx::statement!(postgres: $($postgres),+; citus: $($postgres),+; sqlite: $($sqlite),+)
    };
    (postgres: $($text:expr),+ $(,)?) => { $crate::tx::statement!(postgres: $($text),+; sqlite: "") };
    (citus: $($text:expr),+ $(,)?) => { $crate::tx::statement!(postgres: ""; citus: $($text),+; sqlite: "") };
    (sqlite: $($text:expr),+ $(,)?) => { $crate::tx::statement!(postgres: ""; sqlite: $($text),+) };
    (accounts $accounts:literal: $($text:expr),+; $($rest:expr),+ $(,)?) => {
        $crate::tx::statement!(
            postgres: $($text),+, " ", $($rest),+;
            citus: $($text),+, " AND ", $accounts, " ", $($rest),+;
            sqlite: $($text),+, " ", $($rest),+
        )
    };
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
            text: |dialect| $statement.registered(dialect),
        };
    };
}
pub(crate) use register;
