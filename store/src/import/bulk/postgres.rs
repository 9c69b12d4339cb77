//! Rows into `recipient` on PostgreSQL.
//!
//! First optimistically: straight in, under a savepoint. Where a docid is stored already the server refuses them, and the
//! rows go through a staging table, in statements that are exact under READ COMMITTED. A batch's first conflict sends the
//! rest of it to staging at once.

use domain::record::{COLUMNS, Record};
use sea_orm::sqlx::postgres::PgArguments;
use sea_orm::sqlx::query::Query;
use sea_orm::sqlx::{self, PgConnection, Postgres, Transaction};

use super::binary::CopyBuffer;
use super::columns::by_column;
use super::statements::SQL;
use crate::Error;
use crate::import::chunk::{Claim, Outcomes};

pub(super) async fn store(
    tx: &mut Transaction<'static, Postgres>,
    claim: &Claim,
    records: &[Record<'_>],
) -> Result<Outcomes, Error> {
    if !claim.staging {
        sqlx::query("SAVEPOINT straight").execute(&mut **tx).await?;
        let inserted = if records.len() <= FEW {
            insert_straight(tx, claim, records).await
        } else {
            copy_straight(tx, claim, records).await
        };
        match inserted {
            Ok(()) => {
                return Ok(Outcomes {
                    created: claim.records,
                    ..Outcomes::default()
                });
            }
            Err(error) if error.is_unique_violation() => {
                sqlx::query("ROLLBACK TO SAVEPOINT straight")
                    .execute(&mut **tx)
                    .await?;
            }
            Err(error) => return Err(error),
        }
    }
    staged(tx, claim, records).await
}

/// So few rows are inserted by one statement. The end of a COPY is a small message behind another, and sqlx 0.9.0 leaves Nagle's
/// algorithm on (transact-rs/sqlx#4335): the end waits until the server acknowledges the rows, 40 ms on Linux.
const FEW: usize = 500;

async fn insert_straight(
    connection: &mut PgConnection,
    claim: &Claim,
    records: &[Record<'_>],
) -> Result<(), Error> {
    let mut insert = bound(SQL.insert.as_str(), claim);
    for column in by_column(records) {
        insert = insert.bind(column);
    }
    insert.execute(connection).await?;
    Ok(())
}

/// A statement with [`BOUND`](super::columns::BOUND) bound.
fn bound<'q>(sql: &'static str, claim: &Claim) -> Query<'q, Postgres, PgArguments> {
    sqlx::query(sql)
        .bind(claim.id.account_id)
        .bind(claim.id.batch_id)
        .bind(claim.seq)
        .bind(claim.claimed_at)
        .bind(claim.day)
}

/// A COPY is always finished, also a refused one: only then is the connection in step with the server again.
async fn copy_straight(
    connection: &mut PgConnection,
    claim: &Claim,
    records: &[Record<'_>],
) -> Result<(), Error> {
    let rows = straight_rows(claim, records)?;
    let mut copy = connection.copy_in_raw(SQL.copy.as_str()).await?;
    let sent = copy.send(rows).await.map(drop);
    let finished = copy.finish().await;
    finished?;
    sent?;
    Ok(())
}

fn straight_rows(claim: &Claim, records: &[Record<'_>]) -> Result<Vec<u8>, Error> {
    let mut buffer = CopyBuffer::with_capacity(records.len() * 256);
    for record in records {
        buffer.row(6 + COLUMNS.len());
        buffer.field(claim.id.account_id)?;
        buffer.field(claim.id.batch_id)?;
        buffer.field(claim.seq)?;
        buffer.field(claim.claimed_at)?;
        buffer.field(claim.claimed_at)?;
        buffer.field(claim.day)?;
        for (column, value) in COLUMNS.iter().zip(record.values()) {
            if column.is_json {
                buffer.jsonb(value);
            } else {
                buffer.field(value)?;
            }
        }
    }
    Ok(buffer.finish())
}

async fn staged(
    tx: &mut Transaction<'static, Postgres>,
    claim: &Claim,
    records: &[Record<'_>],
) -> Result<Outcomes, Error> {
    let mut outcomes = Outcomes {
        conflicted: true,
        ..Outcomes::default()
    };
    let differing;
    let records = if claim.older_open {
        records
    } else {
        differing = not_same(tx, claim, records).await?;
        outcomes.unchanged = claim.records - count(differing.len() as u64)?;
        if differing.is_empty() {
            return Ok(outcomes);
        }
        &differing
    };
    sqlx::query(SQL.stage.as_str()).execute(&mut **tx).await?;
    let mut fill = sqlx::query(SQL.fill.as_str());
    for column in by_column(records) {
        fill = fill.bind(column);
    }
    fill.execute(&mut **tx).await?;
    let created = bound(SQL.create.as_str(), claim).execute(&mut **tx).await?;
    outcomes.created = count(created.rows_affected())?;
    if outcomes.created + outcomes.unchanged == claim.records {
        return Ok(outcomes);
    }
    let (superseded, revived, unchanged, updated): (i64, i64, i64, i64) =
        sqlx::query_as(SQL.lock.as_str())
            .bind(claim.id.account_id)
            .bind(claim.seq)
            .fetch_one(&mut **tx)
            .await?;
    outcomes.superseded = superseded;
    outcomes.unchanged += unchanged;
    outcomes.updated = updated;
    outcomes.created += revived;
    let changed = revived + unchanged + updated;
    if changed > 0 {
        let written = bound(SQL.update.as_str(), claim).execute(&mut **tx).await?;
        if count(written.rows_affected())? != changed {
            return Err(Error::Conflict("a row changed under its lock".into()));
        }
    }
    Ok(outcomes)
}

/// The records that are not stored as they come.
async fn not_same<'a>(
    tx: &mut Transaction<'static, Postgres>,
    claim: &Claim,
    records: &[Record<'a>],
) -> Result<Vec<Record<'a>>, Error> {
    let mut query = sqlx::query_scalar(SQL.not_same.as_str())
        .bind(claim.id.account_id)
        .bind(claim.seq);
    for column in by_column(records) {
        query = query.bind(column);
    }
    let ordinals: Vec<i64> = query.fetch_all(&mut **tx).await?;
    let mut ordinals = ordinals.into_iter().peekable();
    let numbered = (1..).zip(records);
    let differing = numbered.filter(|(number, _)| ordinals.next_if_eq(number).is_some());
    Ok(differing.map(|(_, record)| *record).collect())
}

fn count(rows: u64) -> Result<i64, Error> {
    i64::try_from(rows).map_err(Error::broken)
}
