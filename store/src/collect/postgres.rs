//! Views and answers on PostgreSQL: whole batches as arrays, each look-up a LATERAL one by key.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use sea_orm::QueryResult;
use sea_orm::sqlx::{self, PgConnection};
use uuid::Uuid;

use super::answers::{LinkKey, Stored};
use super::{NewAnswer, NewView, VisitKey};
use crate::tx::{Sql, get, values};
use crate::{Error, Tx};

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

/// A column for each part of the visits' keys.
fn keys(visits: impl Iterator<Item = VisitKey>) -> (Vec<Uuid>, Vec<Uuid>, Vec<Uuid>) {
    let keys = visits.map(|visit| (visit.account_id, visit.link_id, visit.visit));
    keys.collect()
}

fn visit_of(row: &QueryResult) -> Result<VisitKey, Error> {
    Ok(VisitKey {
        account_id: get(row, "account_id")?,
        link_id: get(row, "link_id")?,
        visit: get(row, "visit")?,
    })
}

/// The room that limited links have left, locked until the transaction ends.
pub(super) async fn lock_links(
    tx: &Tx,
    links: &[LinkKey],
) -> Result<BTreeMap<LinkKey, i64>, Error> {
    let (accounts, ids): (Vec<Uuid>, Vec<Uuid>) = links.iter().copied().unzip();
    let rooms: Vec<(Uuid, Uuid, i64)> = tx.all(LOCK_LINKS, values![accounts, ids]).await?;
    let rooms = rooms.into_iter();
    let rooms = rooms.map(|(account_id, link_id, room)| ((account_id, link_id), room));
    Ok(rooms.collect())
}

pub(super) async fn store_answers(
    connection: &mut PgConnection,
    answers: &[&NewAnswer],
) -> Result<Vec<Stored>, Error> {
    let (accounts, links, visits) = keys(answers.iter().map(|answer| answer.view.visit));
    let stored: Vec<(Uuid, bool)> = sqlx::query_as(STORE_ANSWERS)
        .bind(accounts)
        .bind(links)
        .bind(visits)
        .bind(column(answers, |answer| answer.feedback_id))
        .bind(column(answers, |answer| answer.view.at))
        .bind(column(answers, |answer| answer.view.day))
        .bind(column(answers, |answer| answer.answers.as_str()))
        .bind(column(answers, |answer| answer.nps))
        .bind(column(answers, |answer| answer.happiness))
        .bind(column(answers, |answer| answer.has_comment))
        .fetch_all(connection)
        .await?;
    let stored = stored.into_iter();
    let stored = stored.map(|(feedback_id, viewed)| Stored {
        feedback_id,
        viewed,
    });
    Ok(stored.collect())
}

/// Takes room of links that [`lock_links`] holds.
pub(super) async fn spend(tx: &Tx, spent: &BTreeMap<LinkKey, i64>) -> Result<(), Error> {
    let (accounts, links): (Vec<Uuid>, Vec<Uuid>) = spent.keys().copied().unzip();
    let spent: Vec<i64> = spent.values().copied().collect();
    tx.execute(SPEND, values![accounts, links, spent]).await?;
    Ok(())
}

pub(super) async fn standing(tx: &Tx, visits: &[VisitKey]) -> Result<Vec<(VisitKey, Uuid)>, Error> {
    let (accounts, links, ids) = keys(visits.iter().copied());
    let rows = tx.rows(STANDING, values![accounts, links, ids]).await?;
    let standing = rows
        .iter()
        .map(|row| Ok((visit_of(row)?, get(row, "feedback_id")?)));
    standing.collect()
}

pub(super) async fn store_views(
    tx: &Tx,
    views: &[&NewView],
) -> Result<Vec<(VisitKey, NaiveDate)>, Error> {
    let (accounts, links, visits) = keys(views.iter().map(|view| view.visit));
    let days = column(views, |view| view.day);
    let forms = column(views, |view| view.form_id);
    let times = column(views, |view| view.at);
    let values = values![accounts, links, visits, days, forms, times];
    let rows = tx.rows(STORE_VIEWS, values).await?;
    let new = rows
        .iter()
        .map(|row| Ok((visit_of(row)?, get(row, "day")?)));
    new.collect()
}
