//! Rows into `recipient` on PostgreSQL.
//!
//! First optimistically: straight in, under a savepoint. Where a docid is stored already the server refuses them, and the
//! rows go through a staging table, in statements that are exact under READ COMMITTED. A batch's first conflict sends the
//! rest of it to staging at once.

use domain::chunk::{Chunk, Row};
use domain::date_range::day_of;
use sea_orm::sqlx::{self, PgConnection, Postgres, Row as _, Transaction};

use super::binary::CopyBuffer;
use crate::Error;
use crate::import::chunk::{Claim, Outcomes};

pub(super) async fn store(
    tx: &mut Transaction<'static, Postgres>,
    claim: &Claim,
    chunk: &Chunk,
) -> Result<Outcomes, Error> {
    if !claim.staging {
        sqlx::query("SAVEPOINT straight").execute(&mut **tx).await?;
        let inserted = if chunk.len() <= FEW {
            insert_straight(tx, claim, chunk).await
        } else {
            copy_straight(tx, claim, chunk).await
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
    staged(tx, claim, chunk).await
}

/// So few rows are inserted by one statement. The end of a COPY is a small message behind another, and sqlx 0.9.0 leaves Nagle's
/// algorithm on (transact-rs/sqlx#4335): the end waits until the server acknowledges the rows, 40 ms on Linux.
const FEW: usize = 500;

const INSERT_STRAIGHT: &str = "INSERT INTO recipient
            (account_id, docid, phone, fields, batch_id, seq, created_at, updated_at, created_day)
     SELECT $1, given.docid, given.phone, CAST(given.fields AS jsonb), $2, $3, $4, $4, $5
       FROM unnest($6, $7, $8) AS given (docid, phone, fields)";

async fn insert_straight(
    connection: &mut PgConnection,
    claim: &Claim,
    chunk: &Chunk,
) -> Result<(), Error> {
    sqlx::query(INSERT_STRAIGHT)
        .bind(claim.id.account_id)
        .bind(claim.id.batch_id)
        .bind(claim.seq)
        .bind(claim.claimed_at)
        .bind(day_of(claim.claimed_at, claim.time_zone))
        .bind(column(chunk.rows(), |row| row.docid))
        .bind(column(chunk.rows(), |row| row.phone))
        .bind(column(chunk.rows(), |row| row.fields))
        .execute(connection)
        .await?;
    Ok(())
}

/// The rows' values of one column.
fn column<'a>(rows: impl Iterator<Item = Row<'a>>, value: fn(Row<'a>) -> &'a str) -> Vec<&'a str> {
    rows.map(value).collect()
}

const COPY_STRAIGHT: &str = "COPY recipient (account_id, docid, phone, fields, batch_id, seq, created_at, updated_at, created_day)
     FROM STDIN (FORMAT binary)";

/// A COPY is always finished, also a refused one: only then is the connection in step with the server again.
async fn copy_straight(
    connection: &mut PgConnection,
    claim: &Claim,
    chunk: &Chunk,
) -> Result<(), Error> {
    let rows = straight_rows(claim, chunk);
    let mut copy = connection.copy_in_raw(COPY_STRAIGHT).await?;
    let sent = copy.send(rows).await.map(drop);
    let finished = copy.finish().await;
    finished?;
    sent?;
    Ok(())
}

fn straight_rows(claim: &Claim, chunk: &Chunk) -> Vec<u8> {
    let day = day_of(claim.claimed_at, claim.time_zone);
    let mut buffer = CopyBuffer::with_capacity(chunk.len() * 256);
    for row in chunk.rows() {
        buffer.row(9);
        buffer.uuid(claim.id.account_id);
        buffer.text(row.docid);
        buffer.text(row.phone);
        buffer.jsonb(row.fields);
        buffer.uuid(claim.id.batch_id);
        buffer.bigint(claim.seq);
        buffer.timestamptz(claim.claimed_at);
        buffer.timestamptz(claim.claimed_at);
        buffer.date(day);
    }
    buffer.finish()
}

/// The row stored is the row given, both person and fields.
macro_rules! same {
    () => {
        "(r.phone = s.phone AND r.fields = s.fields)"
    };
}

/// The staging table has no statistics, and `recipient` may have outgrown its own (an empty table that took a million
/// rows a second ago). Left alone the planner then walks all of an account's recipients for every row (330 s a
/// million instead of 3, measured): so every join below is a LATERAL lookup by key, which it cannot turn around.
const PLAN: &str = "SELECT set_config('enable_seqscan', 'off', true)";

const STAGE: &str = "CREATE TEMPORARY TABLE IF NOT EXISTS import_stage
            (docid text COLLATE \"C\" NOT NULL, phone text NOT NULL, fields jsonb NOT NULL) ON COMMIT DELETE ROWS";

/// The places, from 1, of the rows that are not stored as they come. Without an older batch open a row that is the
/// same needs neither lock nor write: nobody may still come with an older value, and whoever comes with a newer one
/// comes after this batch anyway. So it does not go to the staging table either.
const NOT_SAME: &str = concat!(
    "SELECT s.place FROM (
        SELECT place, docid COLLATE \"C\" AS docid, phone, CAST(fields AS jsonb) AS fields
          FROM unnest($3, $4, $5) WITH ORDINALITY AS given (docid, phone, fields, place)) s
       LEFT JOIN LATERAL (
            SELECT true AS found FROM recipient r
             WHERE r.account_id = $1 AND r.docid = s.docid AND r.seq < $2 AND ",
    same!(),
    " LIMIT 1) r ON true
      WHERE r.found IS NULL ORDER BY s.place"
);

const FILL: &str = "INSERT INTO import_stage (docid, phone, fields)
     SELECT given.docid, given.phone, CAST(given.fields AS jsonb) FROM unnest($1, $2, $3) AS given (docid, phone, fields)";

const CREATE: &str = "INSERT INTO recipient
            (account_id, docid, phone, fields, batch_id, seq, created_at, updated_at, created_day)
     SELECT $1, s.docid, s.phone, s.fields, $2, $3, $4, $4, $5 FROM import_stage s ORDER BY s.docid
         ON CONFLICT DO NOTHING";

/// The rows that stood there before, locked in the order of their docids: after the lock their values are the
/// newest committed ones, so this is the true state before ours.
const LOCK: &str = concat!(
    "SELECT count(*) FILTER (WHERE seq > $2) AS superseded,
            count(*) FILTER (WHERE seq < $2 AND erased) AS revived,
            count(*) FILTER (WHERE seq < $2 AND NOT erased AND same) AS unchanged,
            count(*) FILTER (WHERE seq < $2 AND NOT erased AND NOT same) AS updated
       FROM (SELECT * FROM import_stage ORDER BY docid) s
      CROSS JOIN LATERAL (
            SELECT r.seq, r.phone IS NULL AS erased, ",
    same!(),
    " IS TRUE AS same
              FROM recipient r WHERE r.account_id = $1 AND r.docid = s.docid AND r.seq <> $2
               FOR NO KEY UPDATE) held"
);

/// Runs after [`LOCK`], so a row stays where its ctid says.
const UPDATE: &str = concat!(
    "UPDATE recipient r
        SET phone = s.phone, fields = s.fields, seq = $3,
            batch_id    = CASE WHEN ",
    same!(),
    " THEN r.batch_id ELSE $2 END,
            updated_at  = CASE WHEN ",
    same!(),
    " THEN r.updated_at ELSE $4 END,
            created_at  = CASE WHEN r.phone IS NULL THEN $4 ELSE r.created_at END,
            created_day = CASE WHEN r.phone IS NULL THEN $5 ELSE r.created_day END
       FROM (SELECT i.*, found.place FROM import_stage i CROSS JOIN LATERAL (
                SELECT r.ctid AS place FROM recipient r
                 WHERE r.account_id = $1 AND r.docid = i.docid AND r.seq < $3 LIMIT 1) found) s
      WHERE r.ctid = s.place"
);

async fn staged(
    tx: &mut Transaction<'static, Postgres>,
    claim: &Claim,
    chunk: &Chunk,
) -> Result<Outcomes, Error> {
    let account = claim.id.account_id;
    let day = day_of(claim.claimed_at, claim.time_zone);
    sqlx::query(PLAN).execute(&mut **tx).await?;
    let mut outcomes = Outcomes {
        conflicted: true,
        ..Outcomes::default()
    };
    let differ;
    let rows: Vec<Row<'_>> = if claim.older_open {
        chunk.rows().collect()
    } else {
        differ = not_same(tx, claim, chunk).await?;
        outcomes.unchanged = claim.records - count(differ.len() as u64)?;
        if differ.is_empty() {
            return Ok(outcomes);
        }
        at(chunk, &differ).collect()
    };
    sqlx::query(STAGE).execute(&mut **tx).await?;
    let rows = || rows.iter().copied();
    sqlx::query(FILL)
        .bind(column(rows(), |row| row.docid))
        .bind(column(rows(), |row| row.phone))
        .bind(column(rows(), |row| row.fields))
        .execute(&mut **tx)
        .await?;
    let created = sqlx::query(CREATE)
        .bind(account)
        .bind(claim.id.batch_id)
        .bind(claim.seq)
        .bind(claim.claimed_at)
        .bind(day)
        .execute(&mut **tx)
        .await?;
    outcomes.created = count(created.rows_affected())?;
    if outcomes.created + outcomes.unchanged == claim.records {
        return Ok(outcomes);
    }
    let held = sqlx::query(LOCK)
        .bind(account)
        .bind(claim.seq)
        .fetch_one(&mut **tx)
        .await?;
    let revived: i64 = held.try_get("revived")?;
    let unchanged: i64 = held.try_get("unchanged")?;
    outcomes.updated = held.try_get("updated")?;
    outcomes.superseded = held.try_get("superseded")?;
    outcomes.unchanged += unchanged;
    outcomes.created += revived;
    if revived + unchanged + outcomes.updated > 0 {
        let written = sqlx::query(UPDATE)
            .bind(account)
            .bind(claim.id.batch_id)
            .bind(claim.seq)
            .bind(claim.claimed_at)
            .bind(day)
            .execute(&mut **tx)
            .await?;
        if count(written.rows_affected())? != revived + unchanged + outcomes.updated {
            return Err(Error::Conflict("a row changed under its lock".into()));
        }
    }
    Ok(outcomes)
}

async fn not_same(
    tx: &mut Transaction<'static, Postgres>,
    claim: &Claim,
    chunk: &Chunk,
) -> Result<Vec<i64>, Error> {
    Ok(sqlx::query_scalar(NOT_SAME)
        .bind(claim.id.account_id)
        .bind(claim.seq)
        .bind(column(chunk.rows(), |row| row.docid))
        .bind(column(chunk.rows(), |row| row.phone))
        .bind(column(chunk.rows(), |row| row.fields))
        .fetch_all(&mut **tx)
        .await?)
}

/// The rows at these places, which count from 1 and rise.
fn at<'a>(chunk: &'a Chunk, places: &'a [i64]) -> impl Iterator<Item = Row<'a>> {
    let mut places = places.iter().copied().peekable();
    (1..)
        .zip(chunk.rows())
        .filter(move |(place, _)| places.next_if_eq(place).is_some())
        .map(|(_, row)| row)
}

fn count(rows: u64) -> Result<i64, Error> {
    i64::try_from(rows).map_err(Error::broken)
}
