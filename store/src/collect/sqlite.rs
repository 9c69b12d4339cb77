//! Views and answers on SQLite: one after the other. The transaction is the only writer, so what it reads stays true
//! until it commits.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use sea_orm::sqlx::{self, Row, SqliteConnection};
use uuid::Uuid;

use super::answers::{LinkKey, Stored};
use super::{NewAnswer, NewView, VisitKey};
use crate::Error;

const ROOM: &str = "SELECT max_responses - used AS room FROM link
      WHERE account_id = $1 AND link_id = $2 AND max_responses IS NOT NULL";

const STORE_VISIT: &str = "INSERT INTO visit (account_id, link_id, visit, feedback_id)
     SELECT l.account_id, l.link_id, $3, $4 FROM link l
       JOIN form f ON f.account_id = l.account_id AND f.form_id = l.form_id
      WHERE l.account_id = $1 AND l.link_id = $2 AND l.deleted_at IS NULL
        AND (l.expires_at IS NULL OR l.expires_at > $5) AND f.status = 'PUBLISHED'
         ON CONFLICT DO NOTHING";

const STORE_FEEDBACK: &str = "INSERT INTO feedback (account_id, form_id, feedback_id, link_id, day, submitted_at,
            bus_prop_ids, track_fields, answers, nps, happiness, has_comment)
     SELECT l.account_id, l.form_id, $3, l.link_id, $4, $5, l.bus_prop_ids, l.track_fields, $6, $7, $8, $9 FROM link l
      WHERE l.account_id = $1 AND l.link_id = $2";

const STORE_VIEW: &str =
    "INSERT INTO visit_view (account_id, link_id, visit, day, form_id, seen_at)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";

const SPEND: &str = "UPDATE link SET used = used + $3 WHERE account_id = $1 AND link_id = $2";

const STANDING: &str =
    "SELECT feedback_id FROM visit WHERE account_id = $1 AND link_id = $2 AND visit = $3";

/// The room that limited links have left.
pub(super) async fn lock_links(
    connection: &mut SqliteConnection,
    links: &[LinkKey],
) -> Result<BTreeMap<LinkKey, i64>, Error> {
    let mut rooms = BTreeMap::new();
    for link in links {
        let row = sqlx::query(ROOM)
            .bind(link.0)
            .bind(link.1)
            .fetch_optional(&mut *connection)
            .await?;
        if let Some(row) = row {
            rooms.insert(*link, row.try_get("room")?);
        }
    }
    Ok(rooms)
}

pub(super) async fn store_answers(
    connection: &mut SqliteConnection,
    answers: &[&NewAnswer],
) -> Result<Vec<Stored>, Error> {
    let mut stored = Vec::new();
    for answer in answers {
        let visit = answer.view.visit;
        let new = sqlx::query(STORE_VISIT)
            .bind(visit.account_id)
            .bind(visit.link_id)
            .bind(visit.visit)
            .bind(answer.feedback_id)
            .bind(answer.view.at)
            .execute(&mut *connection)
            .await?;
        if new.rows_affected() == 0 {
            continue;
        }
        sqlx::query(STORE_FEEDBACK)
            .bind(visit.account_id)
            .bind(visit.link_id)
            .bind(answer.feedback_id)
            .bind(answer.view.day)
            .bind(answer.view.at)
            .bind(&answer.answers)
            .bind(answer.nps)
            .bind(answer.happiness)
            .bind(answer.has_comment)
            .execute(&mut *connection)
            .await?;
        stored.push(Stored {
            feedback_id: answer.feedback_id,
            viewed: store_view(connection, &answer.view).await?,
        });
    }
    Ok(stored)
}

async fn store_view(connection: &mut SqliteConnection, view: &NewView) -> Result<bool, Error> {
    let new = sqlx::query(STORE_VIEW)
        .bind(view.visit.account_id)
        .bind(view.visit.link_id)
        .bind(view.visit.visit)
        .bind(view.day)
        .bind(view.form_id)
        .bind(view.at)
        .execute(connection)
        .await?;
    Ok(new.rows_affected() == 1)
}

/// Takes room of links.
pub(super) async fn spend(
    connection: &mut SqliteConnection,
    spent: &BTreeMap<LinkKey, i64>,
) -> Result<(), Error> {
    for (link, spent) in spent {
        sqlx::query(SPEND)
            .bind(link.0)
            .bind(link.1)
            .bind(spent)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

pub(super) async fn standing(
    connection: &mut SqliteConnection,
    visits: &[VisitKey],
) -> Result<Vec<(VisitKey, Uuid)>, Error> {
    let mut standing = Vec::new();
    for visit in visits {
        let row = sqlx::query(STANDING)
            .bind(visit.account_id)
            .bind(visit.link_id)
            .bind(visit.visit)
            .fetch_optional(&mut *connection)
            .await?;
        if let Some(row) = row {
            standing.push((*visit, row.try_get("feedback_id")?));
        }
    }
    Ok(standing)
}

pub(super) async fn store_views(
    connection: &mut SqliteConnection,
    views: &[&NewView],
) -> Result<Vec<(VisitKey, NaiveDate)>, Error> {
    let mut new = Vec::new();
    for view in views {
        if store_view(connection, view).await? {
            new.push((view.visit, view.day));
        }
    }
    Ok(new)
}
