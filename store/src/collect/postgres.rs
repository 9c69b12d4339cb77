//! Views and answers on PostgreSQL: whole batches as arrays, each look-up a LATERAL one by key.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use sea_orm::sqlx::postgres::PgRow;
use sea_orm::sqlx::{self, PgConnection, Row};
use uuid::Uuid;

use super::answers::{LinkKey, Stored};
use super::{NewAnswer, NewView, VisitKey};
use crate::Error;

/// After a wait the lock shows the row's newest state. In the order of the links given.
const LOCK_LINKS: &str = "SELECT g.account_id, g.link_id, l.room
       FROM unnest($1::uuid[], $2::uuid[]) AS g(account_id, link_id)
      CROSS JOIN LATERAL (
            SELECT l.max_responses - l.used AS room FROM link l
             WHERE l.account_id = g.account_id AND l.link_id = g.link_id AND l.max_responses IS NOT NULL
               FOR NO KEY UPDATE) l";

/// One statement, so that a batch is one round trip. `stored` waits for whoever is storing the same visit just now and
/// leaves out what is there; the sort before the views keeps them after all visits.
const STORE_ANSWERS: &str = "WITH given AS (
            SELECT g.*, l.form_id, l.bus_prop_ids, l.track_fields
              FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::date[], $7::text[],
                          $8::smallint[], $9::smallint[], $10::boolean[])
                   AS g(account_id, link_id, visit, feedback_id, at, day, answers, nps, happiness, has_comment)
             CROSS JOIN LATERAL (
                   SELECT l.form_id, l.bus_prop_ids, l.track_fields FROM link l
                    WHERE l.account_id = g.account_id AND l.link_id = g.link_id AND l.deleted_at IS NULL
                      AND (l.expires_at IS NULL OR l.expires_at > g.at) LIMIT 1) l
             CROSS JOIN LATERAL (
                   SELECT FROM form f
                    WHERE f.account_id = g.account_id AND f.form_id = l.form_id AND f.status = 'PUBLISHED' LIMIT 1) f),
     stored AS (
            INSERT INTO visit (account_id, link_id, visit, feedback_id)
            SELECT account_id, link_id, visit, feedback_id FROM given ORDER BY account_id, link_id, visit
                ON CONFLICT DO NOTHING RETURNING feedback_id),
     kept AS (SELECT g.* FROM given g JOIN stored s ON s.feedback_id = g.feedback_id),
     feedbacks AS (
            INSERT INTO feedback (account_id, form_id, feedback_id, link_id, day, submitted_at, bus_prop_ids,
                   track_fields, answers, nps, happiness, has_comment)
            SELECT account_id, form_id, feedback_id, link_id, day, at, bus_prop_ids,
                   track_fields::jsonb, answers, nps, happiness, has_comment FROM kept),
     viewed AS (
            INSERT INTO visit_view (account_id, link_id, visit, day, form_id, seen_at)
            SELECT account_id, link_id, visit, day, form_id, at FROM kept ORDER BY account_id, link_id, visit
                ON CONFLICT DO NOTHING RETURNING account_id, link_id, visit)
     SELECT k.feedback_id, v.visit IS NOT NULL AS viewed
       FROM kept k LEFT JOIN viewed v
         ON v.account_id = k.account_id AND v.link_id = k.link_id AND v.visit = k.visit";

const SPEND: &str = "UPDATE link l SET used = l.used + g.spent
       FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS g(account_id, link_id, spent)
      WHERE l.account_id = g.account_id AND l.link_id = g.link_id";

const STANDING: &str = "SELECT g.account_id, g.link_id, g.visit, v.feedback_id
       FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS g(account_id, link_id, visit)
      CROSS JOIN LATERAL (
            SELECT v.feedback_id FROM visit v
             WHERE v.account_id = g.account_id AND v.link_id = g.link_id AND v.visit = g.visit LIMIT 1) v";

const STORE_VIEWS: &str = "INSERT INTO visit_view (account_id, link_id, visit, day, form_id, seen_at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::date[], $5::uuid[], $6::timestamptz[])
            AS g(account_id, link_id, visit, day, form_id, seen_at)
      ORDER BY account_id, link_id, visit, day
         ON CONFLICT DO NOTHING RETURNING account_id, link_id, visit, day";

/// One member of each, as an array.
fn column<'a, T, U>(rows: &'a [T], of: impl Fn(&'a T) -> U) -> Vec<U> {
    rows.iter().map(of).collect()
}

fn visit_of(row: &PgRow) -> Result<VisitKey, Error> {
    Ok(VisitKey {
        account_id: row.try_get("account_id")?,
        link_id: row.try_get("link_id")?,
        visit: row.try_get("visit")?,
    })
}

/// The room that limited links have left, locked until the transaction ends.
pub(super) async fn lock_links(
    connection: &mut PgConnection,
    links: &[LinkKey],
) -> Result<BTreeMap<LinkKey, i64>, Error> {
    sqlx::query(LOCK_LINKS)
        .bind(column(links, |link| link.0))
        .bind(column(links, |link| link.1))
        .fetch_all(connection)
        .await?
        .iter()
        .map(|row| {
            let link = (row.try_get("account_id")?, row.try_get("link_id")?);
            Ok((link, row.try_get("room")?))
        })
        .collect()
}

pub(super) async fn store_answers(
    connection: &mut PgConnection,
    answers: &[&NewAnswer],
) -> Result<Vec<Stored>, Error> {
    sqlx::query(STORE_ANSWERS)
        .bind(column(answers, |answer| answer.view.visit.account_id))
        .bind(column(answers, |answer| answer.view.visit.link_id))
        .bind(column(answers, |answer| answer.view.visit.visit))
        .bind(column(answers, |answer| answer.feedback_id))
        .bind(column(answers, |answer| answer.view.at))
        .bind(column(answers, |answer| answer.view.day))
        .bind(column(answers, |answer| answer.answers.as_str()))
        .bind(column(answers, |answer| answer.nps))
        .bind(column(answers, |answer| answer.happiness))
        .bind(column(answers, |answer| answer.has_comment))
        .fetch_all(connection)
        .await?
        .iter()
        .map(|row| {
            Ok(Stored {
                feedback_id: row.try_get("feedback_id")?,
                viewed: row.try_get("viewed")?,
            })
        })
        .collect()
}

/// Takes room of links that [`lock_links`] holds.
pub(super) async fn spend(
    connection: &mut PgConnection,
    spent: &BTreeMap<LinkKey, i64>,
) -> Result<(), Error> {
    let spent: Vec<_> = spent.iter().collect();
    sqlx::query(SPEND)
        .bind(column(&spent, |(link, _)| link.0))
        .bind(column(&spent, |(link, _)| link.1))
        .bind(column(&spent, |(_, spent)| **spent))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn standing(
    connection: &mut PgConnection,
    visits: &[VisitKey],
) -> Result<Vec<(VisitKey, Uuid)>, Error> {
    sqlx::query(STANDING)
        .bind(column(visits, |visit| visit.account_id))
        .bind(column(visits, |visit| visit.link_id))
        .bind(column(visits, |visit| visit.visit))
        .fetch_all(connection)
        .await?
        .iter()
        .map(|row| Ok((visit_of(row)?, row.try_get("feedback_id")?)))
        .collect()
}

pub(super) async fn store_views(
    connection: &mut PgConnection,
    views: &[&NewView],
) -> Result<Vec<(VisitKey, NaiveDate)>, Error> {
    sqlx::query(STORE_VIEWS)
        .bind(column(views, |view| view.visit.account_id))
        .bind(column(views, |view| view.visit.link_id))
        .bind(column(views, |view| view.visit.visit))
        .bind(column(views, |view| view.day))
        .bind(column(views, |view| view.form_id))
        .bind(column(views, |view| view.at))
        .fetch_all(connection)
        .await?
        .iter()
        .map(|row| Ok((visit_of(row)?, row.try_get("day")?)))
        .collect()
}
