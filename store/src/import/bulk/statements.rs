//! The statements that put a chunk into `recipient` on PostgreSQL, and on Citus.

use std::sync::LazyLock;

use domain::record::COLUMNS;

use super::columns::{BATCH, BOUND, VALUES, insert_into, join, names, postgres};
use crate::tx::Statement;

/// The statements. The staging table has no statistics, and `recipient` may have outgrown its own (an empty table that
/// took a million rows a second ago). Left alone the planner then walks all of an account's recipients for every row
/// (330 s a million instead of 3, measured). So every join is a LATERAL lookup by key, which it cannot turn around, and
/// sequential scans are off in the transaction of a claim.
pub(super) struct RecipientStatements {
    pub(super) insert: Statement,
    pub(super) copy: Statement,
    /// Returns the ordinals, from 1, of the rows that are not stored as they come. Without an older batch open a row that
    /// is the same needs neither lock nor write: nobody may still come with an older value, and whoever comes with a newer
    /// one comes after this batch anyway. So it does not go to the staging table either.
    pub(super) not_same: Statement,
    pub(super) stage: Statement,
    pub(super) fill: Statement,
    pub(super) create: Statement,
    /// Locks the rows that were stored before, in the order of their docids, and counts them: after the lock their values
    /// are the newest committed ones, so this is the true state before ours.
    pub(super) lock: Statement,
    /// Runs after `lock`, so a row stays where its ctid says.
    pub(super) update: Statement,
}

pub(super) static SQL: LazyLock<RecipientStatements> = LazyLock::new(RecipientStatements::new);

/// Citus joins no temporary table to one that is distributed: each statement takes the rows themselves, behind the values of
/// [`BOUND`]. They go to one node, where plans are made for the values at hand.
pub(super) struct GivenStatements {
    /// Returns the number of rows created. (That of the rows touched would be of all that were read.)
    pub(super) create: Statement,
    pub(super) lock: Statement,
    pub(super) update: Statement,
}

pub(super) static GIVEN_SQL: LazyLock<GivenStatements> = LazyLock::new(GivenStatements::new);

/// The columns of given rows.
fn given() -> String {
    let values = join(VALUES, ", ", |column| {
        if column.is_json() {
            format!("CAST(given.{0} AS jsonb) AS {0}", column.name)
        } else {
            format!("given.{}", column.name)
        }
    });
    format!("given.docid COLLATE \"C\" AS docid, {values}")
}

/// The parameters of given rows, an array a column.
fn arrays(first: usize) -> String {
    let arrays = (first..).take(COLUMNS.len()).map(|n| format!("${n}"));
    arrays.collect::<Vec<_>>().join(", ")
}

fn staged() -> String {
    join(&COLUMNS, ", ", |column| format!("s.{}", column.name))
}

/// The stored row is the given row.
fn same() -> String {
    join(VALUES, " AND ", |column| {
        format!("r.{0} = s.{0}", column.name)
    })
}

/// What rows that were stored before are to the given ones. `seq` is the parameter of the batch's.
fn lock(rows: &str, seq: &str) -> Statement {
    let same = same();
    postgres(format!(
        "SELECT count(*) FILTER (WHERE seq > {seq}) AS superseded,
                count(*) FILTER (WHERE seq < {seq} AND erased) AS revived,
                count(*) FILTER (WHERE seq < {seq} AND NOT erased AND same) AS unchanged,
                count(*) FILTER (WHERE seq < {seq} AND NOT erased AND NOT same) AS updated
           FROM (SELECT * FROM {rows} ORDER BY docid) s
          CROSS JOIN LATERAL (
                SELECT r.seq, r.phone IS NULL AS erased, ({same}) IS TRUE AS same
                  FROM recipient r WHERE r.account_id = $1 AND r.docid = s.docid AND r.seq <> {seq}
                   FOR NO KEY UPDATE) held"
    ))
}

/// Sets stored rows to the given ones `s`.
fn update(from: &str) -> Statement {
    let set = join(VALUES, ", ", |column| format!("{0} = s.{0}", column.name));
    let same = same();
    postgres(format!(
        "UPDATE recipient r
            SET {set}, seq = $3,
                batch_id    = CASE WHEN {same} THEN r.batch_id ELSE $2 END,
                updated_at  = CASE WHEN {same} THEN r.updated_at ELSE $4 END,
                created_at  = CASE WHEN r.phone IS NULL THEN $4 ELSE r.created_at END,
                created_day = CASE WHEN r.phone IS NULL THEN $5 ELSE r.created_day END
           FROM {from}"
    ))
}

impl GivenStatements {
    fn new() -> Self {
        let rows = format!(
            "(SELECT {} FROM unnest({}) AS given ({}))",
            given(),
            arrays(6),
            names()
        );
        Self {
            create: postgres(format!(
                "WITH created AS ({} SELECT {BOUND}, {} FROM {rows} s ORDER BY s.docid ON CONFLICT DO NOTHING RETURNING 1)
                 SELECT count(*) FROM created",
                insert_into("recipient"),
                staged()
            )),
            lock: lock(&format!("{rows} given"), "$3"),
            update: update(&format!(
                "{rows} s WHERE r.account_id = $1 AND r.docid = s.docid AND r.seq < $3"
            )),
        }
    }
}

impl RecipientStatements {
    fn new() -> Self {
        let names = names();
        let (given, staged, same) = (given(), staged(), same());
        let insert_into = insert_into("recipient");
        // It stays in its session, which behind a pooler another release may use.
        let stage = format!("import_stage_{}", COLUMNS.len());
        Self {
            insert: postgres(format!(
                "{insert_into} SELECT {BOUND}, {given} FROM unnest({}) AS given ({names})",
                arrays(6)
            )),
            copy: postgres(format!(
                "COPY recipient ({BATCH}, {names}) FROM STDIN (FORMAT binary)"
            )),
            not_same: postgres(format!(
                "SELECT s.ordinality FROM (
                    SELECT ordinality, {given} FROM unnest({}) WITH ORDINALITY AS given ({names}, ordinality)) s
                   LEFT JOIN LATERAL (
                        SELECT true AS found FROM recipient r
                         WHERE r.account_id = $1 AND r.docid = s.docid AND r.seq < $2 AND {same} LIMIT 1) r ON true
                  WHERE r.found IS NULL ORDER BY s.ordinality",
                arrays(3)
            )),
            stage: postgres(format!(
                "CREATE TEMPORARY TABLE IF NOT EXISTS {stage} ON COMMIT DELETE ROWS
                     AS SELECT {names} FROM recipient WITH NO DATA"
            )),
            fill: postgres(format!(
                "INSERT INTO {stage} ({names}) SELECT {given} FROM unnest({}) AS given ({names})",
                arrays(1)
            )),
            create: postgres(format!(
                "{insert_into} SELECT {BOUND}, {staged} FROM {stage} s ORDER BY s.docid ON CONFLICT DO NOTHING"
            )),
            lock: lock(&stage, "$2"),
            update: update(&format!(
                "(SELECT i.*, found.row_id FROM {stage} i CROSS JOIN LATERAL (
                    SELECT r.ctid AS row_id FROM recipient r
                     WHERE r.account_id = $1 AND r.docid = i.docid AND r.seq < $3 LIMIT 1) found) s
                  WHERE r.ctid = s.row_id"
            )),
        }
    }
}
