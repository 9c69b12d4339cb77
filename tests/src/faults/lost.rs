//! What a failover to a standby that lagged may have lost: what was accepted just before it, each thing as a whole, and nothing else.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::account::{Account, Stand};
use super::provider::WINDOW;
use super::slice::Pool;

/// How long what a lost commit claimed may still be handed over: as long as a lease is trusted, and a moment for the call.
const CLAIMED: Duration = Duration::from_secs(6);

/// When something was accepted.
#[derive(Clone, Copy, Debug)]
pub struct When {
    /// Before the attempt that was answered, or when it was seen to be there later.
    pub tried: Instant,
    /// After the answer.
    pub acked: Instant,
}

impl When {
    /// Something that is there now.
    pub fn now() -> Self {
        let now = Instant::now();
        Self {
            tried: now,
            acked: now,
        }
    }

    fn is_seen(&mut self) {
        self.tried = Instant::now();
    }
}

/// One failover that lost commits.
struct Loss {
    /// What was answered before, the standby has.
    from: Instant,
    /// What was begun later, the standby has, because it is the primary.
    until: Option<Instant>,
    /// Messages that senders handed over meanwhile.
    messages: BTreeMap<&'static str, u64>,
}

/// All of a stage.
#[derive(Default)]
pub struct Losses {
    all: RefCell<Vec<Loss>>,
    /// How many accounts posted again what the last one may have taken.
    pub posted_again: Cell<usize>,
    /// Whether messages that were handed over before may still come back. New ones would stand in line with them.
    pub comes_back: Cell<bool>,
}

impl Losses {
    /// From here on what is accepted may be lost.
    pub fn begin(&self) {
        self.posted_again.set(0);
        self.all.borrow_mut().push(Loss {
            from: Instant::now(),
            until: None,
            messages: BTreeMap::new(),
        });
    }

    /// From here on nothing is; senders handed over so many messages since it began.
    pub fn end(&self, messages: BTreeMap<&'static str, u64>) {
        self.comes_back.set(true);
        if let Some(last) = self.all.borrow_mut().last_mut() {
            last.until = Some(Instant::now());
            last.messages = messages;
        }
    }

    /// How many have ended.
    pub fn ended(&self) -> usize {
        let all = self.all.borrow();
        all.iter().filter(|loss| loss.until.is_some()).count()
    }

    /// Whether what was accepted then may be gone.
    pub fn may_have(&self, when: When) -> bool {
        self.all.borrow().iter().any(|loss| {
            when.acked >= loss.from && loss.until.is_none_or(|until| when.tried <= until)
        })
    }

    /// Whether nobody may know of a message that came then.
    pub fn may_have_sent(&self, at: Instant) -> bool {
        let tried = at.checked_sub(CLAIMED).unwrap_or(at);
        self.may_have(When { tried, acked: at })
    }

    /// Whether what a message came to that came then may be gone: it is stored some seconds later.
    pub fn may_have_outcome(&self, at: Instant) -> bool {
        let acked = at + CLAIMED;
        self.may_have(When { tried: at, acked })
    }

    /// How many messages of a sender may be unknown for that.
    pub fn messages(&self, sender: &str) -> u64 {
        // Those of the beginning and of the end were under way.
        let more = |loss: &Loss| loss.messages.get(sender).copied().unwrap_or_default();
        let all = self.all.borrow();
        all.iter().map(|loss| more(loss) + 2 * WINDOW).sum()
    }
}

/// Versions of imports of an account.
#[derive(Default)]
struct Versions {
    lost: HashSet<u64>,
    /// Lost, and accepted again by an attempt that nobody waited for any more: nobody knows when.
    anew: HashSet<u64>,
}

impl Account<'_> {
    /// Takes what was lost out of what must be there. Whether a thing was lost is what the database says; what is not whole then is
    /// found by those who judge.
    ///
    /// # Errors
    /// When that cannot be found out, or what was lost is shown.
    pub async fn forgive(&self) -> Result<()> {
        if self.stage.losses.ended() == 0 {
            return Ok(());
        }
        let versions = self.forgive_imports().await?;
        self.forgive_erasures(&versions).await?;
        self.forgive_visits().await
    }

    async fn forgive_imports(&self) -> Result<Versions> {
        let accepted = format!(
            "SELECT idempotency_key, batch_id, import_batch.status FROM idempotency JOIN import_batch USING (account_id, batch_id) \
             WHERE account_id = '{}' AND idempotency.status = 202",
            self.id
        );
        let mut by_key = HashMap::new();
        for row in self.stage.sql(&accepted).await?.lines() {
            let mut columns = row.split('|').map(str::to_owned);
            let mut column = || columns.next().context("no column");
            by_key.insert(column()?, (column()?, column()?));
        }
        let (losses, mut versions) = (&self.stage.losses, Versions::default());
        let mut there = Vec::new();
        for mut one in self.posted.take() {
            let stored = by_key.get(&one.key);
            if losses.may_have(one.when) {
                let Some((batch_id, _)) = stored else {
                    // Each api is asked.
                    for _ in &self.clients {
                        let shown = self.batch(&one).await?;
                        ensure!(shown.is_none(), "lost, and shown: {shown:?}");
                    }
                    self.count_lost("imports lost");
                    versions.lost.insert(one.version);
                    continue;
                };
                if *batch_id != one.batch_id {
                    one.accepted_anew(batch_id.clone(), When::now());
                    versions.anew.insert(one.version);
                }
                one.when.is_seen();
            }
            let is_completed = stored.is_some_and(|(_, status)| status == "completed");
            let cancelled = one.cancelled.as_ref();
            if is_completed && cancelled.is_some_and(|was| losses.may_have(was.when)) {
                self.count_lost("cancellations lost");
                one.cancelled = None;
            }
            there.push(one);
        }
        self.posted.replace(there);
        Ok(versions)
    }

    async fn forgive_erasures(&self, versions: &Versions) -> Result<()> {
        let select = format!(
            "SELECT docid, fields->>'version' FROM recipient \
             WHERE account_id = '{}' AND phone IS NOT NULL AND docid LIKE 'E-%'",
            self.id
        );
        let mut stored: HashMap<String, u64> = HashMap::new();
        for row in self.stage.sql(&select).await?.lines() {
            let (docid, version) = row.split_once('|').context("no version")?;
            stored.insert(docid.to_owned(), version.parse()?);
        }
        for (number, stands) in (0..).zip(self.erased.borrow_mut().iter_mut()) {
            let is = stored.get(&Pool::Erased.docid(number)).copied();
            let may_go = |stand: &Stand| match stand.version {
                Some(version) => versions.lost.contains(&version),
                None => self.stage.losses.may_have(stand.when),
            };
            while stands
                .last()
                .is_some_and(|last| last.version != is && may_go(last))
            {
                stands.pop();
                self.count_lost("changes of a docid lost");
            }
            if is.is_some_and(|version| versions.anew.contains(&version)) {
                stands.push(Stand::now(is));
            }
            // What stands now stands for good.
            let last = stands.pop().context("nothing stands")?;
            *stands = vec![Stand::now(last.version)];
        }
        Ok(())
    }

    async fn forgive_visits(&self) -> Result<()> {
        let id = &self.id;
        let answers = format!("SELECT visit, feedback_id FROM visit WHERE account_id = '{id}'");
        let answers = self.stage.sql(&answers).await?;
        let answers: HashMap<&str, &str> = answers
            .lines()
            .filter_map(|row| row.split_once('|'))
            .collect();
        let views = format!("SELECT visit FROM visit_view WHERE account_id = '{id}'");
        let views = self.stage.sql(&views).await?;
        let views: HashSet<&str> = views.lines().collect();
        let mut answered = self.answered.borrow_mut();
        answered.retain_mut(|one| {
            if !self.stage.losses.may_have(one.when) {
                return true;
            }
            let Some(feedback_id) = answers.get(one.visit.as_str()) else {
                self.count_lost("answers lost");
                return false;
            };
            // It, or what an attempt that nobody waited for any more stored since.
            (*feedback_id).clone_into(&mut one.feedback_id);
            one.when.is_seen();
            true
        });
        let answered: HashSet<&str> = answered.iter().map(|one| one.visit.as_str()).collect();
        self.seen.borrow_mut().retain(|visit, when| {
            if !self.stage.losses.may_have(*when) || answered.contains(visit.as_str()) {
                return true;
            }
            let is_there = views.contains(visit.as_str());
            if is_there {
                when.is_seen();
            } else {
                self.count_lost("views lost");
            }
            is_there
        });
        Ok(())
    }

    /// Counts something that was lost.
    pub fn count_lost(&self, what: &'static str) {
        *self.lost.borrow_mut().entry(what).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_under_way_while_a_standby_lagged_may_be_lost() {
        let (losses, before) = (Losses::default(), When::now());
        losses.begin();
        let mut within = When::now();
        let over = When {
            tried: before.tried,
            acked: Instant::now(),
        };
        losses.end(BTreeMap::from([("peer", 3)]));
        let after = When::now();
        let may_have = [before, within, over, after].map(|when| losses.may_have(when));
        assert_eq!(may_have, [false, true, true, false]);
        assert_eq!(losses.messages("peer"), 3 + 2 * WINDOW);
        within.is_seen();
        assert!(!losses.may_have(within));
    }
}
