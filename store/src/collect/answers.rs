//! Answers into the store: which stand, which are repeats, which came too late.
//!
//! The answers of a batch are stored at once on PostgreSQL, one after the other on SQLite, where the transaction is the only
//! writer.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use domain::rollup::Delta;
use uuid::Uuid;

use super::pending::PendingDeltas;
use super::{LinkKey, NewAnswer, NewView, VisitKey};
use crate::form::PublicLink;
use crate::send::FirstUses;
use crate::tx::{Sql, tuples, values};
use crate::{Committed, Error, Result, Store, Tx};

/// After a wait `LOCK` shows the row's newest state. In the order of the links given. Subqueries are look-ups by key, which the
/// planner cannot turn around.
const ROOM: &str = "WITH g(a, l) AS (ROWS)
     SELECT g.a, g.l, (SELECT l.max_responses - l.used FROM link l WHERE l.account_id = g.a AND l.link_id = g.l LOCK) FROM g";

/// One statement, so that a batch is one round trip. The link is held until the end, so that an erasure of its person finds the
/// answer, or the answer the link without the person. `stored` waits for whoever is storing the same visit just now and
/// leaves out what is there; the sort before the views keeps them after all visits.
const STORE_ANSWERS_POSTGRES: &str =
    "WITH g(account_id, link_id, visit, feedback_id, at, day, answers, nps, happiness, has_comment) AS (ROWS),
    given AS (
            SELECT g.*, l.form_id, l.bus_prop_ids, l.track_fields
              FROM g
            CROSS JOIN LATERAL (
                   SELECT l.form_id, l.bus_prop_ids, l.track_fields FROM link l
                    WHERE l.account_id = g.account_id AND l.link_id = g.link_id AND l.deleted_at IS NULL
                      AND (l.expires_at IS NULL OR l.expires_at > g.at) LIMIT 1 FOR KEY SHARE) l
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

/// These two take the same parameters.
const STORE_VISIT_SQLITE: &str = "INSERT INTO visit (account_id, link_id, visit, feedback_id)
     SELECT l.account_id, l.link_id, $3, $4 FROM link l
       JOIN form f ON f.account_id = l.account_id AND f.form_id = l.form_id
      WHERE l.account_id = $1 AND l.link_id = $2 AND l.deleted_at IS NULL
        AND (l.expires_at IS NULL OR l.expires_at > $5) AND f.status = 'PUBLISHED'
         ON CONFLICT DO NOTHING";
const STORE_FEEDBACK_SQLITE: &str = "INSERT INTO feedback (account_id, form_id, feedback_id, link_id, day, submitted_at,
            bus_prop_ids, track_fields, answers, nps, happiness, has_comment)
     SELECT l.account_id, l.form_id, $4, l.link_id, $6, $5, l.bus_prop_ids, l.track_fields, $7, $8, $9, $10 FROM link l
      WHERE l.account_id = $1 AND l.link_id = $2";

const STORE_VIEWS: &str = "WITH g(a, l, v, d, f, t) AS (ROWS)
     INSERT INTO visit_view (account_id, link_id, visit, day, form_id, seen_at)
     SELECT * FROM g WHERE true ORDER BY a, l, v, d
         ON CONFLICT DO NOTHING RETURNING account_id, link_id, visit, day";

/// Takes room of links that are locked.
const SPEND: &str = "WITH g(a, l, n) AS (ROWS) UPDATE link AS l SET used = l.used + g.n
       FROM g WHERE l.account_id = g.a AND l.link_id = g.l";

const STORED_FEEDBACKS: &str = "WITH g(a, l, v) AS (ROWS)
     SELECT g.a, g.l, g.v, (SELECT v.feedback_id FROM visit v WHERE v.account_id = g.a AND v.link_id = g.l AND v.visit = g.v)
       FROM g";

/// What became of an answer. The id is that of the feedback which stands for the visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    Stored(Uuid),
    /// The visit had answered before.
    Repeated(Uuid),
    /// The link was deleted, expired or used up, or its form deleted: nothing was stored.
    Gone,
}

impl Store {
    /// Stores answers in one transaction; one result an answer, in their order. Of a visit's answers the first stands,
    /// in this batch as in all before. Expiry is judged by each answer's own time.
    ///
    /// # Errors
    /// Giving the same answers again is safe and comes to the same.
    pub async fn record_answers(&self, answers: &[NewAnswer]) -> Result<Vec<Recorded>> {
        self.retry(|| self.try_answers(answers)).await
    }

    async fn try_answers(&self, answers: &[NewAnswer]) -> Result<Vec<Recorded>> {
        let mut given: BTreeMap<VisitKey, &NewAnswer> = BTreeMap::new();
        for answer in answers {
            given.entry(answer.view.visit).or_insert(answer);
        }
        let mut tx = self.begin_by_key().await?;
        let mut standing = HashMap::new();
        let fitting = tx.fit_limits(&given, &mut standing).await?;
        let stored = tx.store_answers(&fitting).await?;
        let mine = tx.count(&fitting, &stored).await?;
        standing.extend(mine);
        let open: Vec<VisitKey> = given
            .keys()
            .filter(|visit| !standing.contains_key(visit))
            .copied()
            .collect();
        standing.extend(tx.stored_feedbacks(&open).await?);
        if !stored.is_empty() {
            match tx.commit().await? {
                Committed::Done => {}
                // The same answers again find out what is stored.
                Committed::Unknown(error) => return Err(Error::Conflict(error.into())),
            }
        }
        Ok(answers
            .iter()
            .map(|answer| match standing.get(&answer.view.visit) {
                Some(id) if *id == answer.feedback_id => Recorded::Stored(*id),
                Some(id) => Recorded::Repeated(*id),
                None => Recorded::Gone,
            })
            .collect())
    }

    /// The feedback of a visit's stored answer, which a repeat is answered with, also when the link is gone.
    pub async fn first_answer(&self, link: &PublicLink, visit: Uuid) -> Result<Option<Uuid>> {
        let first =
            "SELECT feedback_id FROM visit WHERE account_id = $1 AND link_id = $2 AND visit = $3";
        self.one(first, values![link.account_id, link.link_id, visit])
            .await
    }
}

impl Tx {
    /// Locks the limited links among the answers'. Leaves out the answers for which they have no more room, and
    /// notes the repeats among them: those take none.
    async fn fit_limits<'a>(
        &self,
        given: &BTreeMap<VisitKey, &'a NewAnswer>,
        standing: &mut HashMap<VisitKey, Uuid>,
    ) -> Result<Vec<&'a NewAnswer>> {
        let limited = given.iter().filter(|(_, answer)| answer.limited);
        let limited: Vec<VisitKey> = limited.map(|(visit, _)| *visit).collect();
        let mut links: Vec<LinkKey> = limited.iter().map(|visit| visit.link).collect();
        links.dedup();
        let links = links.into_iter().map(|link| values![link.0, link.1]);
        let rooms = ROOM.replace("LOCK", &self.locking("", "FOR NO KEY UPDATE"));
        let rooms = self.for_rows(&rooms, links.collect()).await?;
        let rooms: Vec<(Uuid, Uuid, Option<i64>)> = tuples(&rooms)?;
        let rooms = rooms.into_iter();
        let mut room: HashMap<LinkKey, i64> = rooms
            .filter_map(|(account_id, link_id, room)| Some(((account_id, link_id), room?)))
            .collect();
        // Under the lock nobody else answers these links.
        standing.extend(self.stored_feedbacks(&limited).await?);
        let mut fits = |visit: &VisitKey| match room.get_mut(&visit.link) {
            Some(room) if *room > 0 && !standing.contains_key(visit) => {
                *room -= 1;
                true
            }
            _ => false,
        };
        Ok(given
            .iter()
            .filter(|(visit, answer)| !answer.limited || fits(visit))
            .map(|(_, answer)| *answer)
            .collect())
    }

    /// Stores those whose link and form still take answers, unless their visit has one. All are of different visits,
    /// in the order of these. Of what was stored the `feedback_id`, and whether it is also the visit's first sign on its day.
    async fn store_answers(&self, answers: &[&NewAnswer]) -> Result<HashMap<Uuid, bool>> {
        if !self.is_sqlite() {
            let rows = answers.iter().map(|answer| answer.row()).collect();
            let stored = self.for_rows(STORE_ANSWERS_POSTGRES, rows).await?;
            return Ok(tuples(&stored)?.into_iter().collect());
        }
        let mut stored = HashMap::new();
        for answer in answers {
            if self.execute(STORE_VISIT_SQLITE, answer.row()).await? == 1 {
                self.execute(STORE_FEEDBACK_SQLITE, answer.row()).await?;
                let views = self.store_views(&[&answer.view]).await?;
                stored.insert(answer.feedback_id, !views.is_empty());
            }
        }
        Ok(stored)
    }

    /// Counts what was stored: into `pending_delta`, and on limited links. The feedback that stands now, by visit.
    async fn count(
        &mut self,
        answers: &[&NewAnswer],
        stored: &HashMap<Uuid, bool>,
    ) -> Result<HashMap<VisitKey, Uuid>> {
        let mut deltas = PendingDeltas::default();
        let mut spent: BTreeMap<LinkKey, i64> = BTreeMap::new();
        let mut standing = HashMap::with_capacity(stored.len());
        let mut uses = FirstUses::new();
        let view = Delta::view();
        for answer in answers {
            let Some(viewed) = stored.get(&answer.feedback_id) else {
                continue;
            };
            answer.view.count(&answer.delta, &mut deltas);
            answer.view.add_use(&mut uses);
            if *viewed {
                answer.view.count(&view, &mut deltas);
            }
            let visit = answer.view.visit;
            if answer.limited {
                *spent.entry(visit.link).or_default() += 1;
            }
            standing.insert(visit, answer.feedback_id);
        }
        let spent = spent.into_iter();
        let spent = spent.map(|(link, spent)| values![link.0, link.1, spent]);
        self.for_rows(SPEND, spent.collect()).await?;
        self.note_uses(&uses, true, deltas).await?;
        Ok(standing)
    }

    /// The feedbacks that stand for visits.
    async fn stored_feedbacks(&self, visits: &[VisitKey]) -> Result<Vec<(VisitKey, Uuid)>> {
        let visits = visits.iter().map(|visit| values![*visit]).collect();
        let standing = self.for_rows(STORED_FEEDBACKS, visits).await?;
        let standing: Vec<(Uuid, Uuid, Uuid, Option<Uuid>)> = tuples(&standing)?;
        let standing = standing.into_iter();
        let standing = standing.filter_map(|(account_id, link_id, visit, feedback_id)| {
            let link = (account_id, link_id);
            Some((VisitKey { link, visit }, feedback_id?))
        });
        Ok(standing.collect())
    }

    /// Stores views that are new; which were. All are different, in the order of visit and day.
    pub(super) async fn store_views(
        &self,
        views: &[&NewView],
    ) -> Result<Vec<(VisitKey, NaiveDate)>> {
        let views = views.iter();
        let rows = views.map(|view| values![view.visit, view.day, view.form_id, view.at]);
        let new = self.for_rows(STORE_VIEWS, rows.collect()).await?;
        let new = tuples(&new)?.into_iter();
        let new = new.map(|(account_id, link_id, visit, day)| {
            let link = (account_id, link_id);
            (VisitKey { link, visit }, day)
        });
        Ok(new.collect())
    }
}
