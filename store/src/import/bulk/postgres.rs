//! Rows into `recipient` on PostgreSQL.
//!
//! First optimistically: straight in, under a savepoint. Where a docid is stored already the server refuses them, and the
//! rows go through a staging table, in statements that are exact under READ COMMITTED. A batch's first conflict sends the
//! rest of it to staging at once. On Citus the same statements take the rows themselves, each time.

use domain::record::{COLUMNS, Record};
use sea_orm::sqlx::postgres::PgArguments;
use sea_orm::sqlx::query::Query;
use sea_orm::sqlx::{self, PgConnection, Postgres, Row};
use sea_orm::{FromQueryResult, QueryResult};

use super::StoredBefore;
use super::binary::CopyBuffer;
use super::columns::by_column;
use super::statements::{GIVEN_SQL, SQL};
use crate::import::chunk::{Claim, Outcomes};
use crate::tx::{Inner, Sql, Statement, statement, values};
use crate::{Error, Tx};

const SAVEPOINT: &Statement = statement!(postgres: "SAVEPOINT straight");
const ROLLBACK: &Statement = statement!(postgres: "ROLLBACK TO SAVEPOINT straight");

pub(super) async fn store(
    tx: &mut Tx,
    claim: &Claim,
    records: &[Record<'_>],
) -> Result<Outcomes, Error> {
    if !claim.staging {
        tx.execute(SAVEPOINT, vec![]).await?;
        let inserted = if records.len() <= FEW {
            insert_straight(connection(tx)?, claim, records).await
        } else {
            copy_straight(connection(tx)?, claim, records).await
        };
        match inserted {
            Ok(()) => {
                return Ok(Outcomes {
                    created: claim.records,
                    ..Outcomes::default()
                });
            }
            Err(error) if error.is_unique_violation() => {
                tx.execute(ROLLBACK, vec![]).await?;
            }
            Err(error) => return Err(error),
        }
    }
    staged(tx, claim, records).await
}

/// The connection itself, for COPY and for arrays of borrowed texts.
fn connection(tx: &mut Tx) -> Result<&mut PgConnection, Error> {
    match tx.inner() {
        Inner::Postgres(connection) => Ok(connection),
        Inner::Sqlite(_) => Err(Error::broken("no connection to PostgreSQL")),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "entities and batches bind no borrowed texts"
)]
fn query<'q>(statement: &Statement) -> Query<'q, Postgres, PgArguments> {
    sqlx::query(statement.postgres)
}

/// Binds the records, an array a column.
fn bind_records<'q>(
    query: Query<'q, Postgres, PgArguments>,
    records: &[Record<'q>],
) -> Query<'q, Postgres, PgArguments> {
    let columns = by_column(records).into_iter();
    columns.fold(query, Query::bind)
}

/// So few rows are inserted by one statement. The end of a COPY is a small message behind another, and sqlx 0.9.0 leaves Nagle's
/// algorithm on (transact-rs/sqlx#4335): the end waits until the server acknowledges the rows, 40 ms on Linux.
const FEW: usize = 500;

async fn insert_straight(
    connection: &mut PgConnection,
    claim: &Claim,
    records: &[Record<'_>],
) -> Result<(), Error> {
    let insert = with_rows(&SQL.insert, claim, records);
    insert.execute(connection).await?;
    Ok(())
}

/// A statement with the values of the batch's columns, then the records.
fn with_rows<'q>(
    statement: &Statement,
    claim: &Claim,
    records: &[Record<'q>],
) -> Query<'q, Postgres, PgArguments> {
    let of_batch = query(statement)
        .bind(claim.id.account_id)
        .bind(claim.id.batch_id)
        .bind(claim.seq)
        .bind(claim.claimed_at)
        .bind(claim.day());
    bind_records(of_batch, records)
}

/// A COPY is always finished, also a refused one: only then is the connection in step with the server again.
async fn copy_straight(
    connection: &mut PgConnection,
    claim: &Claim,
    records: &[Record<'_>],
) -> Result<(), Error> {
    let rows = straight_rows(claim, records)?;
    let mut copy = connection.copy_in_raw(SQL.copy.postgres).await?;
    let sent = copy.send(rows).await.map(drop);
    let finished = copy.finish().await;
    finished?;
    sent?;
    Ok(())
}

fn straight_rows(claim: &Claim, records: &[Record<'_>]) -> Result<Vec<u8>, Error> {
    let mut buffer = CopyBuffer::with_capacity(records.len() * 256);
    let day = claim.day();
    for record in records {
        buffer.row(6 + COLUMNS.len());
        buffer.field(claim.id.account_id)?;
        buffer.field(claim.id.batch_id)?;
        buffer.field(claim.seq)?;
        buffer.field(claim.claimed_at)?;
        buffer.field(claim.claimed_at)?;
        buffer.field(day)?;
        for (column, value) in COLUMNS.iter().zip(record.values()) {
            if column.is_json() {
                buffer.jsonb(value);
            } else {
                buffer.field(value)?;
            }
        }
    }
    Ok(buffer.finish())
}

async fn staged(tx: &mut Tx, claim: &Claim, records: &[Record<'_>]) -> Result<Outcomes, Error> {
    let mut outcomes = Outcomes {
        conflicted: true,
        ..Outcomes::default()
    };
    let differing;
    let records = if claim.older_open {
        records
    } else {
        differing = not_same(connection(tx)?, claim, records).await?;
        outcomes.unchanged = claim.records - count(differing.len() as u64)?;
        if differing.is_empty() {
            return Ok(outcomes);
        }
        &differing
    };
    let created = if tx.is_distributed() {
        let created = with_rows(&GIVEN_SQL.create, claim, records);
        created.fetch_one(connection(tx)?).await?.try_get(0)?
    } else {
        tx.execute(&SQL.stage, vec![]).await?;
        let fill = bind_records(query(&SQL.fill), records);
        fill.execute(connection(tx)?).await?;
        count(tx.execute(&SQL.create, values![claim]).await?)?
    };
    outcomes.created = created;
    if outcomes.created + outcomes.unchanged == claim.records {
        return Ok(outcomes);
    }
    let before: Option<StoredBefore> = if tx.is_distributed() {
        let lock = with_rows(&GIVEN_SQL.lock, claim, records);
        let before = QueryResult::from(lock.fetch_one(connection(tx)?).await?);
        Some(StoredBefore::from_query_result(&before, "")?)
    } else {
        let before = values![claim.id.account_id, claim.seq];
        tx.fetch_one(&SQL.lock, before).await?
    };
    let before = before.unwrap_or_default();
    outcomes.add(&before);
    let changed = before.revived + before.unchanged + before.updated;
    if changed > 0 {
        let written = if tx.is_distributed() {
            let update = with_rows(&GIVEN_SQL.update, claim, records);
            update.execute(connection(tx)?).await?.rows_affected()
        } else {
            tx.execute(&SQL.update, values![claim]).await?
        };
        if count(written)? != changed {
            return Err(Error::Conflict("a row changed under its lock".into()));
        }
    }
    Ok(outcomes)
}

/// The records that are not stored as they come.
async fn not_same<'a>(
    connection: &mut PgConnection,
    claim: &Claim,
    records: &[Record<'a>],
) -> Result<Vec<Record<'a>>, Error> {
    let differing = query(&SQL.not_same)
        .bind(claim.id.account_id)
        .bind(claim.seq);
    let rows = bind_records(differing, records)
        .fetch_all(connection)
        .await?;
    let ordinals = rows.iter().map(|row| row.try_get(0));
    let ordinals: Vec<i64> = ordinals.collect::<Result<_, _>>()?;
    let mut ordinals = ordinals.into_iter().peekable();
    let numbered = (1..).zip(records);
    let differing = numbered.filter(|(number, _)| ordinals.next_if_eq(number).is_some());
    Ok(differing.map(|(_, record)| *record).collect())
}

fn count(rows: u64) -> Result<i64, Error> {
    i64::try_from(rows).map_err(Error::broken)
}
