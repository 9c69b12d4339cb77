//! Answers into the store: which stand, which are repeats, which came too late.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain::rollup::Delta;
use entity::visit;
use sea_orm::{EntityTrait, FromQueryResult};
use uuid::Uuid;

use super::pending::PendingDeltas;
use super::{LinkKey, NewAnswer, NewView, ViewKey, VisitKey};
use crate::form::PublicLink;
use crate::send::FirstUses;
use crate::tx::{BatchStatement, Dialect, Sql, batch_row, statement};
use crate::{Committed, Error, Result, Store, Tx};

/// The room of limited links, in the order in which they are given; after a wait for its lock a row's newest state. Subqueries are
/// look-ups by key, which the planner cannot turn around.
macro_rules! room {
    ($lock:literal) => {
        concat!(
            "SELECT batch.account_id, batch.link_id,
                    (SELECT l.max_responses - l.used FROM link l
                      WHERE l.account_id = batch.account_id AND l.link_id = batch.link_id ",
            $lock,
            ") AS room FROM batch"
        )
    };
}
const ROOM: &BatchStatement<LinkKey> =
    statement!(LinkKey: postgres: room!("FOR NO KEY UPDATE"); sqlite: room!(""));

#[derive(FromQueryResult)]
struct LinkRoom {
    #[sea_orm(nested)]
    link: LinkKey,
    /// `None`: it is not limited any more, or gone.
    room: Option<i64>,
}

batch_row! {
    #[derive(Clone)]
    pub(super) struct AnswerRow {
        view: ViewKey,
        feedback_id: Uuid,
        at: DateTime<Utc>,
        /// An object, as JSON.
        answers: String,
        nps: Option<i16>,
        happiness: Option<i16>,
        has_comment: bool,
    }
}

/// One statement, so that a batch is one round trip. The link is held until the end, so that an erasure of its person finds the
/// answer, or the answer the link without the person. `stored` waits for whoever is storing the same visit just now and
/// leaves out what is there; the sort before the views keeps them after all visits.
const STORE_ANSWERS: &BatchStatement<AnswerRow> = statement!(AnswerRow: postgres:
    ", given AS (
            SELECT batch.*, l.form_id, l.bus_prop_ids, l.track_fields
              FROM batch
             CROSS JOIN LATERAL (
                   SELECT l.form_id, l.bus_prop_ids, l.track_fields FROM link l
                    WHERE l.account_id = batch.account_id AND l.link_id = batch.link_id AND l.deleted_at IS NULL
                      AND (l.expires_at IS NULL OR l.expires_at > batch.at) LIMIT 1 FOR KEY SHARE) l
             CROSS JOIN LATERAL (
                   SELECT FROM form f
                    WHERE f.account_id = batch.account_id AND f.form_id = l.form_id AND f.status = 'PUBLISHED' LIMIT 1) f),
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
         ON v.account_id = k.account_id AND v.link_id = k.link_id AND v.visit = k.visit"; citus: ""; sqlite: ""
);

/// The same in three statements, of which the third is [`STORE_VIEWS`]. Citus would take what one gives the next to all nodes, and
/// fail where one is away. Its links are held before.
const HOLD_LINKS: &BatchStatement<LinkKey> = statement!(LinkKey: postgres: ""; citus:
    "SELECT l.link_id FROM batch JOIN link l ON l.account_id = batch.account_id AND l.link_id = batch.link_id
      ORDER BY l.link_id FOR KEY SHARE OF l"; sqlite: ""
);
const STORE_VISITS: &BatchStatement<AnswerRow> = statement!(AnswerRow: postgres: ""; citus:
    "INSERT INTO visit (account_id, link_id, visit, feedback_id)
     SELECT batch.account_id, batch.link_id, batch.visit, batch.feedback_id FROM batch
       JOIN link l ON l.account_id = batch.account_id AND l.link_id = batch.link_id
       JOIN form f ON f.account_id = l.account_id AND f.form_id = l.form_id
      WHERE l.deleted_at IS NULL AND (l.expires_at IS NULL OR l.expires_at > batch.at) AND f.status = 'PUBLISHED'
         ON CONFLICT DO NOTHING RETURNING feedback_id"; sqlite:
    "INSERT INTO visit (account_id, link_id, visit, feedback_id)
     SELECT batch.account_id, batch.link_id, batch.visit, batch.feedback_id FROM batch
      CROSS JOIN link l ON l.account_id = batch.account_id AND l.link_id = batch.link_id
      CROSS JOIN form f ON f.account_id = l.account_id AND f.form_id = l.form_id
      WHERE l.deleted_at IS NULL AND (l.expires_at IS NULL OR l.expires_at > batch.at) AND f.status = 'PUBLISHED'
         ON CONFLICT DO NOTHING RETURNING feedback_id"
);
const STORE_FEEDBACKS: &BatchStatement<AnswerRow> = statement!(AnswerRow: postgres: ""; citus:
    "INSERT INTO feedback (account_id, form_id, feedback_id, link_id, day, submitted_at, bus_prop_ids, track_fields,
            answers, nps, happiness, has_comment)
     SELECT l.account_id, l.form_id, batch.feedback_id, l.link_id, batch.day, batch.at, l.bus_prop_ids,
            CAST(l.track_fields AS jsonb), batch.answers, batch.nps, batch.happiness, batch.has_comment
       FROM batch JOIN link l ON l.account_id = batch.account_id AND l.link_id = batch.link_id"; sqlite:
    "INSERT INTO feedback (account_id, form_id, feedback_id, link_id, day, submitted_at, bus_prop_ids, track_fields,
            answers, nps, happiness, has_comment)
     SELECT l.account_id, l.form_id, batch.feedback_id, l.link_id, batch.day, batch.at, l.bus_prop_ids, l.track_fields,
            batch.answers, batch.nps, batch.happiness, batch.has_comment
       FROM batch CROSS JOIN link l ON l.account_id = batch.account_id AND l.link_id = batch.link_id"
);

/// What was stored of an answer.
#[derive(FromQueryResult)]
struct StoredAnswer {
    feedback_id: Uuid,
    /// It is also the visit's first sign on its day.
    viewed: bool,
}

batch_row! {
    struct ViewRow {
        view: ViewKey,
        form_id: Uuid,
        seen_at: DateTime<Utc>,
    }
}

const STORE_VIEWS: &BatchStatement<ViewRow> = statement!(ViewRow:
    "INSERT INTO visit_view ({columns}) SELECT {columns} FROM batch
      WHERE true ORDER BY account_id, link_id, visit, day
         ON CONFLICT DO NOTHING RETURNING account_id, link_id, visit, day"
);

batch_row! {
    struct SpentRoom {
        link: LinkKey,
        spent: i64,
    }
}

/// Takes room of links that are locked.
const SPEND: &BatchStatement<SpentRoom> = statement!(SpentRoom:
    "UPDATE link AS l SET used = l.used + batch.spent
       FROM batch WHERE l.account_id = batch.account_id AND l.link_id = batch.link_id"
);

const FIRST_ANSWERS: &BatchStatement<VisitKey> = statement!(VisitKey:
    "SELECT batch.account_id, batch.link_id, batch.visit,
            (SELECT v.feedback_id FROM visit v
              WHERE v.account_id = batch.account_id AND v.link_id = batch.link_id AND v.visit = batch.visit) AS feedback_id
       FROM batch"
);

#[derive(FromQueryResult)]
struct FeedbackOfVisit {
    #[sea_orm(nested)]
    visit: VisitKey,
    feedback_id: Option<Uuid>,
}

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
            given.entry(answer.view.key.visit).or_insert(answer);
        }
        let mut tx = self.begin_by_key().await?;
        let mut answered = HashMap::new();
        let fitting = tx.fit_limits(&given, &mut answered).await?;
        let stored = tx.store_answers(&fitting).await?;
        let mine = tx.count(&fitting, &stored).await?;
        answered.extend(mine);
        let open: Vec<VisitKey> = given
            .keys()
            .filter(|visit| !answered.contains_key(visit))
            .copied()
            .collect();
        answered.extend(tx.first_answers(&open).await?);
        if !stored.is_empty() {
            match tx.commit().await? {
                Committed::Done => {}
                // The same answers again find out what is stored.
                Committed::Unknown(error) => return Err(Error::Conflict(error.into())),
            }
        }
        Ok(answers
            .iter()
            .map(|answer| match answered.get(&answer.view.key.visit) {
                Some(id) if *id == answer.row.feedback_id => Recorded::Stored(*id),
                Some(id) => Recorded::Repeated(*id),
                None => Recorded::Gone,
            })
            .collect())
    }

    /// The feedback of a visit's stored answer, which a repeat is answered with, also when the link is gone.
    pub async fn first_answer(&self, link: &PublicLink, visit: Uuid) -> Result<Option<Uuid>> {
        let key = (link.account_id, link.link_id, visit);
        let first = visit::Entity::find_by_id(key).one(self).await?;
        Ok(first.map(|first| first.feedback_id))
    }
}

impl Tx {
    /// Locks the limited links among the answers'. Leaves out the answers for which they have no more room, and
    /// notes the repeats among them: those take none.
    async fn fit_limits<'a>(
        &self,
        given: &BTreeMap<VisitKey, &'a NewAnswer>,
        answered: &mut HashMap<VisitKey, Uuid>,
    ) -> Result<Vec<&'a NewAnswer>> {
        let limited = given.iter().filter(|(_, answer)| answer.limited);
        let limited: Vec<VisitKey> = limited.map(|(visit, _)| *visit).collect();
        let mut links: Vec<LinkKey> = limited.iter().map(|visit| visit.link()).collect();
        links.dedup();
        let rooms: Vec<LinkRoom> = self.fetch_batch(ROOM, links).await?;
        let rooms = rooms.into_iter();
        let mut room: HashMap<LinkKey, i64> = rooms
            .filter_map(|row| Some((row.link, row.room?)))
            .collect();
        // Under the lock nobody else answers these links.
        answered.extend(self.first_answers(&limited).await?);
        let mut fits = |visit: &VisitKey| match room.get_mut(&visit.link()) {
            Some(room) if *room > 0 && !answered.contains_key(visit) => {
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
        let rows = answers.iter().map(|answer| answer.row.clone()).collect();
        match self.dialect() {
            Dialect::Postgres => {
                let stored: Vec<StoredAnswer> = self.fetch_batch(STORE_ANSWERS, rows).await?;
                let stored = stored.into_iter();
                return Ok(stored.map(|row| (row.feedback_id, row.viewed)).collect());
            }
            Dialect::Citus => {
                let links = answers.iter().map(|answer| answer.view.key.visit.link());
                let links: BTreeSet<LinkKey> = links.collect();
                self.execute_batch(HOLD_LINKS, links.into_iter().collect())
                    .await?;
            }
            Dialect::Sqlite => {}
        }
        let stored: Vec<Uuid> = self.fetch_batch_values(STORE_VISITS, rows).await?;
        let stored: HashSet<Uuid> = stored.into_iter().collect();
        let answers = answers.iter().copied();
        let stored = answers.filter(|answer| stored.contains(&answer.row.feedback_id));
        let rows = stored.clone().map(|answer| answer.row.clone()).collect();
        self.execute_batch(STORE_FEEDBACKS, rows).await?;
        let views: Vec<_> = stored.clone().map(|answer| &answer.view).collect();
        let viewed: HashSet<_> = self.store_views(&views).await?.into_iter().collect();
        let stored = stored.map(|answer| {
            let viewed = viewed.contains(&answer.view.key);
            (answer.row.feedback_id, viewed)
        });
        Ok(stored.collect())
    }

    /// Counts what was stored: into `pending_delta`, and on limited links. The feedback that stands now, by visit.
    async fn count(
        &mut self,
        answers: &[&NewAnswer],
        stored: &HashMap<Uuid, bool>,
    ) -> Result<HashMap<VisitKey, Uuid>> {
        let mut deltas = PendingDeltas::default();
        let mut spent: BTreeMap<LinkKey, i64> = BTreeMap::new();
        let mut answered = HashMap::with_capacity(stored.len());
        let mut uses = FirstUses::new();
        let view = Delta::view();
        for answer in answers {
            let Some(viewed) = stored.get(&answer.row.feedback_id) else {
                continue;
            };
            answer.view.count(&answer.delta, &mut deltas);
            answer.view.add_use(&mut uses);
            if *viewed {
                answer.view.count(&view, &mut deltas);
            }
            let visit = answer.view.key.visit;
            if answer.limited {
                *spent.entry(visit.link()).or_default() += 1;
            }
            answered.insert(visit, answer.row.feedback_id);
        }
        let spent = spent.into_iter();
        let spent = spent.map(|(link, spent)| SpentRoom { link, spent });
        self.execute_batch(SPEND, spent.collect()).await?;
        self.note_uses(&uses, true, deltas).await?;
        Ok(answered)
    }

    /// The feedbacks that stand for visits.
    async fn first_answers(&self, visits: &[VisitKey]) -> Result<Vec<(VisitKey, Uuid)>> {
        let first: Vec<FeedbackOfVisit> = self.fetch_batch(FIRST_ANSWERS, visits.to_vec()).await?;
        let first = first.into_iter();
        let first = first.filter_map(|row| Some((row.visit, row.feedback_id?)));
        Ok(first.collect())
    }

    /// Stores views that are new; which were. All are different, in the order of visit and day.
    pub(super) async fn store_views(&self, views: &[&NewView]) -> Result<Vec<ViewKey>> {
        let rows = views.iter().map(|view| ViewRow {
            view: view.key,
            form_id: view.form_id,
            seen_at: view.at,
        });
        self.fetch_batch(STORE_VIEWS, rows.collect()).await
    }
}
