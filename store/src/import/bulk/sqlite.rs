//! Rows into `recipient` on SQLite: the chunk as one bound JSON array, unrolled by `json_each`.
//!
//! The transaction is the only writer, so what it reads stays true until it commits.

use std::sync::LazyLock;

use domain::date_range::day_of;
use domain::record::{COLUMNS, Record};
use sea_orm::sqlx::query::Query;
use sea_orm::sqlx::sqlite::SqliteArguments;
use sea_orm::sqlx::{self, Row, Sqlite, Transaction};

use super::columns::{BOUND, VALUES, insert_into, join};
use crate::Error;
use crate::import::chunk::{Claim, Outcomes};

struct Statements {
    create: String,
    /// Counts the rows that were stored before. Those that `create` made bear the same `seq` and are left out.
    found: String,
    /// An upsert and no UPDATE … FROM: that one walks all of an account's recipients and unrolls the array for each.
    upsert: String,
}

static SQL: LazyLock<Statements> = LazyLock::new(Statements::new);

impl Statements {
    fn new() -> Self {
        let given = |name| {
            let place = COLUMNS.iter().position(|column| column.name == name);
            format!("s.value ->> {}", place.unwrap_or_default())
        };
        let all = join(&COLUMNS, ", ", |column| given(column.name));
        // The stored row is the given row.
        let found_same = join(VALUES, " AND ", |column| {
            format!("r.{} = {}", column.name, given(column.name))
        });
        let same = join(VALUES, " AND ", |column| {
            format!("r.{0} = excluded.{0}", column.name)
        });
        let set = join(VALUES, ", ", |column| {
            format!("{0} = excluded.{0}", column.name)
        });
        Self {
            create: format!(
                "{} SELECT {BOUND}, {all} FROM json_each($6) s WHERE true ON CONFLICT DO NOTHING",
                insert_into("recipient")
            ),
            found: format!(
                "SELECT count(*) FILTER (WHERE r.seq > $2) AS superseded,
                        count(*) FILTER (WHERE r.seq < $2 AND r.phone IS NULL) AS revived,
                        count(*) FILTER (WHERE r.seq < $2 AND {found_same}) AS unchanged,
                        count(*) FILTER (WHERE r.seq < $2 AND NOT ({found_same})) AS updated
                   FROM json_each($3) s CROSS JOIN recipient r ON r.account_id = $1 AND r.docid = {docid}
                  WHERE r.seq <> $2",
                docid = given("docid")
            ),
            upsert: format!(
                "{} SELECT {BOUND}, {all} FROM json_each($6) s WHERE true
                     ON CONFLICT (account_id, docid) DO UPDATE
                    SET {set}, seq = excluded.seq,
                        batch_id    = CASE WHEN {same} THEN r.batch_id ELSE excluded.batch_id END,
                        updated_at  = CASE WHEN {same} THEN r.updated_at ELSE excluded.updated_at END,
                        created_at  = CASE WHEN r.phone IS NULL THEN excluded.created_at ELSE r.created_at END,
                        created_day = CASE WHEN r.phone IS NULL THEN excluded.created_day ELSE r.created_day END
                  WHERE r.seq < excluded.seq AND ($7 OR ({same}) IS NOT TRUE)",
                insert_into("recipient AS r")
            ),
        }
    }
}

pub(super) async fn store(
    tx: &mut Transaction<'static, Sqlite>,
    claim: &Claim,
    records: &[Record<'_>],
) -> Result<Outcomes, Error> {
    let rows: Vec<_> = records.iter().map(Record::values).collect();
    let rows = serde_json::to_string(&rows).map_err(Error::broken)?;
    let created = bound(SQL.create.as_str(), claim)
        .bind(&rows)
        .execute(&mut **tx)
        .await?;
    let mut outcomes = Outcomes {
        created: i64::try_from(created.rows_affected()).map_err(Error::broken)?,
        ..Outcomes::default()
    };
    if outcomes.created == claim.records {
        return Ok(outcomes);
    }
    let found = sqlx::query(SQL.found.as_str())
        .bind(claim.id.account_id)
        .bind(claim.seq)
        .bind(&rows)
        .fetch_one(&mut **tx)
        .await?;
    let revived: i64 = found.try_get("revived")?;
    outcomes.updated = found.try_get("updated")?;
    outcomes.unchanged = found.try_get("unchanged")?;
    outcomes.superseded = found.try_get("superseded")?;
    outcomes.created += revived;
    outcomes.conflicted = true;
    let raise = claim.older_open && outcomes.unchanged > 0;
    if raise || revived + outcomes.updated > 0 {
        bound(SQL.upsert.as_str(), claim)
            .bind(&rows)
            .bind(claim.older_open)
            .execute(&mut **tx)
            .await?;
    }
    Ok(outcomes)
}

/// A statement with [`BOUND`] bound.
fn bound<'q>(sql: &'static str, claim: &Claim) -> Query<'q, Sqlite, SqliteArguments> {
    sqlx::query(sql)
        .bind(claim.id.account_id)
        .bind(claim.id.batch_id)
        .bind(claim.seq)
        .bind(claim.claimed_at)
        .bind(day_of(claim.claimed_at, claim.time_zone))
}
