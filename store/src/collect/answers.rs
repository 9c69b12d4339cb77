//! Answers into the store: which stand, which are repeats, which came too late.

use std::collections::{BTreeMap, HashMap};

use chrono::NaiveDate;
use domain::rollup::Delta;
use uuid::Uuid;

use super::pending::PendingDeltas;
use super::{NewAnswer, NewView, VisitKey, postgres, sqlite};
use crate::form::PublicLink;
use crate::send::FirstUses;
use crate::tx::{Inner, Sql, values};
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

/// A link: its account and its id.
pub(super) type LinkKey = (Uuid, Uuid);

/// An answer that was stored, by its `feedback_id`.
pub(super) struct Stored {
    pub feedback_id: Uuid,
    /// It is also the visit's first sign on its day.
    pub viewed: bool,
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
        &mut self,
        given: &BTreeMap<VisitKey, &'a NewAnswer>,
        standing: &mut HashMap<VisitKey, Uuid>,
    ) -> Result<Vec<&'a NewAnswer>, Error> {
        let limited: Vec<VisitKey> = given
            .iter()
            .filter(|(_, answer)| answer.limited)
            .map(|(visit, _)| *visit)
            .collect();
        if limited.is_empty() {
            return Ok(given.values().copied().collect());
        }
        let mut links: Vec<LinkKey> = limited.iter().map(|v| (v.account_id, v.link_id)).collect();
        links.dedup();
        let mut room = if self.is_sqlite() {
            sqlite::lock_links(self, &links).await?
        } else {
            postgres::lock_links(self, &links).await?
        };
        // Under the lock nobody else answers these links.
        standing.extend(self.standing(&limited).await?);
        let mut fits = |visit: &VisitKey| {
            let room = room.get_mut(&(visit.account_id, visit.link_id));
            match room {
                Some(room) if *room > 0 && !standing.contains_key(visit) => {
                    *room -= 1;
                    true
                }
                _ => false,
            }
        };
        Ok(given
            .iter()
            .filter(|(visit, answer)| !answer.limited || fits(visit))
            .map(|(_, answer)| *answer)
            .collect())
    }

    /// Stores those whose link and form still take answers, unless their visit has one. All are of different visits,
    /// in the order of these.
    async fn store_answers(&mut self, answers: &[&NewAnswer]) -> Result<Vec<Stored>, Error> {
        if answers.is_empty() {
            return Ok(vec![]);
        }
        match self.inner() {
            Inner::Postgres(tx) => postgres::store_answers(tx, answers).await,
            Inner::Sqlite(_) => sqlite::store_answers(self, answers).await,
        }
    }

    /// Counts what was stored: into `pending_delta`, and on limited links. The feedback that stands now, by visit.
    async fn count(
        &mut self,
        answers: &[&NewAnswer],
        stored: &[Stored],
    ) -> Result<HashMap<VisitKey, Uuid>, Error> {
        let viewed: HashMap<Uuid, bool> =
            stored.iter().map(|s| (s.feedback_id, s.viewed)).collect();
        let mut deltas = PendingDeltas::default();
        let mut spent: BTreeMap<LinkKey, i64> = BTreeMap::new();
        let mut standing = HashMap::with_capacity(stored.len());
        let mut uses = FirstUses::new();
        let view = Delta::view();
        for answer in answers {
            let Some(viewed) = viewed.get(&answer.feedback_id) else {
                continue;
            };
            answer.view.count(&answer.delta, &mut deltas);
            answer.view.add_use(&mut uses);
            if *viewed {
                answer.view.count(&view, &mut deltas);
            }
            let visit = answer.view.visit;
            if answer.limited {
                *spent.entry((visit.account_id, visit.link_id)).or_default() += 1;
            }
            standing.insert(visit, answer.feedback_id);
        }
        if self.is_sqlite() {
            sqlite::spend(self, &spent).await?;
        } else if !spent.is_empty() {
            postgres::spend(self, &spent).await?;
        }
        self.note_uses(&FirstUses::new(), &uses, deltas).await?;
        Ok(standing)
    }

    /// The feedbacks that stand for visits.
    async fn standing(&mut self, visits: &[VisitKey]) -> Result<Vec<(VisitKey, Uuid)>, Error> {
        if visits.is_empty() {
            return Ok(vec![]);
        }
        if self.is_sqlite() {
            sqlite::standing(self, visits).await
        } else {
            postgres::standing(self, visits).await
        }
    }

    /// Stores views that are new; which were. All are different, in the order of visit and day.
    pub(super) async fn store_views(
        &mut self,
        views: &[&NewView],
    ) -> Result<Vec<(VisitKey, NaiveDate)>, Error> {
        if views.is_empty() {
            return Ok(vec![]);
        }
        if self.is_sqlite() {
            sqlite::store_views(self, views).await
        } else {
            postgres::store_views(self, views).await
        }
    }
}
