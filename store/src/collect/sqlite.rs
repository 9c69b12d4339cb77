//! Views and answers on SQLite: one after the other. The transaction is the only writer, so what it reads stays true
//! until it commits.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use uuid::Uuid;

use super::answers::{LinkKey, Stored};
use super::{NewAnswer, NewView, VisitKey};
use crate::tx::{Sql, values};
use crate::{Error, Tx};

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
    tx: &Tx,
    links: &[LinkKey],
) -> Result<BTreeMap<LinkKey, i64>, Error> {
    let mut rooms = BTreeMap::new();
    for link in links {
        if let Some(room) = tx.one(ROOM, values![link.0, link.1]).await? {
            rooms.insert(*link, room);
        }
    }
    Ok(rooms)
}

pub(super) async fn store_answers(tx: &Tx, answers: &[&NewAnswer]) -> Result<Vec<Stored>, Error> {
    let mut stored = Vec::new();
    for answer in answers {
        let (visit, view) = (answer.view.visit, &answer.view);
        let new = values![visit, answer.feedback_id, view.at];
        if tx.execute(STORE_VISIT, new).await? == 0 {
            continue;
        }
        let feedback = values![
            visit.account_id,
            visit.link_id,
            answer.feedback_id,
            view.day,
            view.at,
            answer.answers.as_str(),
            answer.nps,
            answer.happiness,
            answer.has_comment,
        ];
        tx.execute(STORE_FEEDBACK, feedback).await?;
        stored.push(Stored {
            feedback_id: answer.feedback_id,
            viewed: store_view(tx, view).await?,
        });
    }
    Ok(stored)
}

async fn store_view(tx: &Tx, view: &NewView) -> Result<bool, Error> {
    let values = values![view.visit, view.day, view.form_id, view.at];
    Ok(tx.execute(STORE_VIEW, values).await? == 1)
}

/// Takes room of links.
pub(super) async fn spend(tx: &Tx, spent: &BTreeMap<LinkKey, i64>) -> Result<(), Error> {
    for (link, spent) in spent {
        tx.execute(SPEND, values![link.0, link.1, *spent]).await?;
    }
    Ok(())
}

pub(super) async fn standing(tx: &Tx, visits: &[VisitKey]) -> Result<Vec<(VisitKey, Uuid)>, Error> {
    let mut standing = Vec::new();
    for visit in visits {
        let feedback_id = tx.one(STANDING, values![*visit]).await?;
        standing.extend(feedback_id.map(|feedback_id| (*visit, feedback_id)));
    }
    Ok(standing)
}

pub(super) async fn store_views(
    tx: &Tx,
    views: &[&NewView],
) -> Result<Vec<(VisitKey, NaiveDate)>, Error> {
    let mut new = Vec::new();
    for view in views {
        if store_view(tx, view).await? {
            new.push((view.visit, view.day));
        }
    }
    Ok(new)
}
