//! Rows into `recipient` on SQLite: the chunk as one bound JSON array, unrolled by `json_each`.
//!
//! The transaction is the only writer, so what it reads stays true until it commits.

use std::sync::LazyLock;

use domain::record::{COLUMNS, Record};

use super::StoredBefore;
use super::columns::{BOUND, VALUES, insert_into, join, sqlite};
use crate::import::chunk::{Claim, Outcomes};
use crate::tx::{Sql, Statement, values};
use crate::{Error, Tx};

struct RecipientStatements {
    create: Statement,
    /// Counts the rows that were stored before. Those that `create` made bear the same `seq` and are left out.
    found: Statement,
    /// An upsert and no UPDATE … FROM: that one walks all of an account's recipients and unrolls the array for each.
    upsert: Statement,
}

static SQL: LazyLock<RecipientStatements> = LazyLock::new(RecipientStatements::new);

impl RecipientStatements {
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
            create: sqlite(format!(
                "{} SELECT {BOUND}, {all} FROM json_each($6) s WHERE true ON CONFLICT DO NOTHING",
                insert_into("recipient")
            )),
            found: sqlite(format!(
                "SELECT count(*) FILTER (WHERE r.seq > $2) AS superseded,
                        count(*) FILTER (WHERE r.seq < $2 AND r.phone IS NULL) AS revived,
                        count(*) FILTER (WHERE r.seq < $2 AND {found_same}) AS unchanged,
                        count(*) FILTER (WHERE r.seq < $2 AND r.phone IS NOT NULL AND ({found_same}) IS NOT TRUE) AS updated
                   FROM json_each($3) s CROSS JOIN recipient r ON r.account_id = $1 AND r.docid = {docid}
                  WHERE r.seq <> $2",
                docid = given("docid")
            )),
            upsert: sqlite(format!(
                "{} SELECT {BOUND}, {all} FROM json_each($6) s WHERE true
                     ON CONFLICT (account_id, docid) DO UPDATE
                    SET {set}, seq = excluded.seq,
                        batch_id    = CASE WHEN {same} THEN r.batch_id ELSE excluded.batch_id END,
                        updated_at  = CASE WHEN {same} THEN r.updated_at ELSE excluded.updated_at END,
                        created_at  = CASE WHEN r.phone IS NULL THEN excluded.created_at ELSE r.created_at END,
                        created_day = CASE WHEN r.phone IS NULL THEN excluded.created_day ELSE r.created_day END
                  WHERE r.seq < excluded.seq AND ($7 OR ({same}) IS NOT TRUE)",
                insert_into("recipient AS r")
            )),
        }
    }
}

pub(super) async fn store(
    tx: &Tx,
    claim: &Claim,
    records: &[Record<'_>],
) -> Result<Outcomes, Error> {
    let rows: Vec<_> = records.iter().map(Record::values).collect();
    let rows = serde_json::to_string(&rows).map_err(Error::broken)?;
    let created = tx.execute(&SQL.create, values![claim, rows.as_str()]);
    let mut outcomes = Outcomes {
        created: i64::try_from(created.await?).map_err(Error::broken)?,
        ..Outcomes::default()
    };
    if outcomes.created == claim.records {
        return Ok(outcomes);
    }
    let found = values![claim.id.account_id, claim.seq, rows.as_str()];
    let before: Option<StoredBefore> = tx.fetch_one(&SQL.found, found).await?;
    let before = before.unwrap_or_default();
    outcomes.add(&before);
    outcomes.conflicted = true;
    let raise = claim.older_open && before.unchanged > 0;
    if raise || before.revived + before.updated > 0 {
        let upsert = values![claim, rows, claim.older_open];
        tx.execute(&SQL.upsert, upsert).await?;
    }
    Ok(outcomes)
}
