//! Rows into `recipient` on SQLite: the chunk as one bound JSON array, unrolled by `json_each`.
//!
//! The transaction is the only writer, so what it reads stays true until it commits.

use domain::chunk::Chunk;
use domain::date_range::day_of;
use sea_orm::sqlx::{self, Row, Sqlite, Transaction};

use crate::Error;
use crate::import::chunk::{Claim, Outcomes};

const CREATE: &str = "INSERT INTO recipient
            (account_id, docid, phone, fields, batch_id, seq, created_at, updated_at, created_day)
     SELECT $1, s.value ->> 0, s.value ->> 1, s.value ->> 2, $3, $4, $5, $5, $6 FROM json_each($2) s WHERE true
         ON CONFLICT DO NOTHING";

const FOUND: &str = "SELECT count(*) FILTER (WHERE r.seq > $3) AS superseded,
            count(*) FILTER (WHERE r.seq < $3 AND r.phone IS NULL) AS revived,
            count(*) FILTER (WHERE r.seq < $3 AND r.phone = s.value ->> 1 AND r.fields = s.value ->> 2) AS unchanged,
            count(*) FILTER (WHERE r.seq < $3
                               AND (r.phone <> s.value ->> 1 OR r.fields <> s.value ->> 2)) AS updated
       FROM json_each($2) s CROSS JOIN recipient r ON r.account_id = $1 AND r.docid = s.value ->> 0
      WHERE r.seq <> $3";

/// An upsert and no UPDATE … FROM: that one walks all of an account's recipients and unrolls the array for each. Rows
/// that [`CREATE`] made bear the same `seq` and are left alone.
const UPSERT: &str = "INSERT INTO recipient AS r
            (account_id, docid, phone, fields, batch_id, seq, created_at, updated_at, created_day)
     SELECT $1, s.value ->> 0, s.value ->> 1, s.value ->> 2, $3, $4, $5, $5, $6 FROM json_each($2) s WHERE true
         ON CONFLICT (account_id, docid) DO UPDATE
        SET phone = excluded.phone, fields = excluded.fields, seq = excluded.seq,
            batch_id    = CASE WHEN r.phone = excluded.phone AND r.fields = excluded.fields
                               THEN r.batch_id ELSE excluded.batch_id END,
            updated_at  = CASE WHEN r.phone = excluded.phone AND r.fields = excluded.fields
                               THEN r.updated_at ELSE excluded.updated_at END,
            created_at  = CASE WHEN r.phone IS NULL THEN excluded.created_at ELSE r.created_at END,
            created_day = CASE WHEN r.phone IS NULL THEN excluded.created_day ELSE r.created_day END
      WHERE r.seq < excluded.seq
        AND ($7 OR (r.phone = excluded.phone AND r.fields = excluded.fields) IS NOT TRUE)";

pub(super) async fn store(
    tx: &mut Transaction<'static, Sqlite>,
    claim: &Claim,
    chunk: &Chunk,
) -> Result<Outcomes, Error> {
    let account = claim.id.account_id;
    let day = day_of(claim.claimed_at, claim.time_zone);
    let rows: Vec<[&str; 3]> = chunk
        .rows()
        .map(|row| [row.docid, row.phone, row.fields])
        .collect();
    let rows = serde_json::to_string(&rows).map_err(Error::broken)?;
    let created = sqlx::query(CREATE)
        .bind(account)
        .bind(&rows)
        .bind(claim.id.batch_id)
        .bind(claim.seq)
        .bind(claim.claimed_at)
        .bind(day)
        .execute(&mut **tx)
        .await?;
    let mut outcomes = Outcomes {
        created: i64::try_from(created.rows_affected()).map_err(Error::broken)?,
        ..Outcomes::default()
    };
    if outcomes.created == claim.records {
        return Ok(outcomes);
    }
    let found = sqlx::query(FOUND)
        .bind(account)
        .bind(&rows)
        .bind(claim.seq)
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
        sqlx::query(UPSERT)
            .bind(account)
            .bind(&rows)
            .bind(claim.id.batch_id)
            .bind(claim.seq)
            .bind(claim.claimed_at)
            .bind(day)
            .bind(claim.older_open)
            .execute(&mut **tx)
            .await?;
    }
    Ok(outcomes)
}
