//! Answers into the store: which stand, which are repeats, which came too late.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use domain::rollup::Delta;
use uuid::Uuid;

use super::pending::PendingDeltas;
use super::statements::{
    ROOM, SPEND, STANDING, STORE_ANSWERS_POSTGRES, STORE_FEEDBACK_SQLITE, STORE_VIEWS,
    STORE_VISIT_SQLITE,
};
use super::{LinkKey, NewAnswer, NewView, VisitKey};
use crate::form::PublicLink;
use crate::send::FirstUses;
use crate::tx::{Sql, tuples, values};
use crate::{Committed, Error, Store, Tx};

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
    /// See [`Error`]. Giving the same answers again is safe and comes to the same.
    pub async fn record_answers(&self, answers: &[NewAnswer]) -> Result<Vec<Recorded>, Error> {
        self.retry(|| self.try_answers(answers)).await
    }

    async fn try_answers(&self, answers: &[NewAnswer]) -> Result<Vec<Recorded>, Error> {
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
        standing.extend(tx.standing(&open).await?);
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
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn first_answer(
        &self,
        link: &PublicLink,
        visit: Uuid,
    ) -> Result<Option<Uuid>, Error> {
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
    ) -> Result<Vec<&'a NewAnswer>, Error> {
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
        standing.extend(self.standing(&limited).await?);
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
    async fn store_answers(&self, answers: &[&NewAnswer]) -> Result<HashMap<Uuid, bool>, Error> {
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
    ) -> Result<HashMap<VisitKey, Uuid>, Error> {
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
    async fn standing(&self, visits: &[VisitKey]) -> Result<Vec<(VisitKey, Uuid)>, Error> {
        let visits = visits.iter().map(|visit| values![*visit]).collect();
        let standing = self.for_rows(STANDING, visits).await?;
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
    ) -> Result<Vec<(VisitKey, NaiveDate)>, Error> {
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
