//! What this process handed over lately, so that nobody gets a message twice from a database that lost commits: a standby that is
//! promoted may lack the last ones of its primary, and its timeline is another. A message that it made due again, or that an import
//! done again planned under another id, is known here.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::mem::take;
use std::time::{Duration, Instant};

use domain::campaign::MessageKind;
use parking_lot::Mutex;
use store::send::drive::Claimed;

/// How long a message is remembered at least, …
const LATELY: Duration = Duration::from_mins(10);
/// … unless so many came after it. All of them take 15 MB at most.
const MOST: usize = 200_000;
/// How long it is known after a failover what was handed over before: longer than a window of hours is closed.
const AFTERWARDS: Duration = Duration::from_hours(72);

/// The messages that this process handed over lately, through all senders.
#[derive(Default)]
pub(super) struct HandedOver {
    hasher: RandomState,
    remembered: Mutex<Remembered>,
}

#[derive(Default)]
struct Remembered {
    /// Under this timeline: the newest, and those before.
    timeline: i64,
    newest: HashSet<u64>,
    before: HashSet<u64>,
    /// When those before were the newest.
    turned_at: Option<Instant>,
    /// Under earlier timelines, when these ended.
    earlier: HashSet<u64>,
    /// When the timeline became another one.
    moved_at: Option<Instant>,
}

impl HandedOver {
    /// Notes a message that is to be handed over. False: it was already, under an earlier timeline; the next time that it comes
    /// somebody wants it sent again.
    pub(super) fn note(&self, claimed: &Claimed, now: Instant) -> bool {
        // An embedded database has none.
        if claimed.timeline == 0 {
            return true;
        }
        let message = self.hash(claimed);
        let mut remembered = self.remembered.lock();
        if claimed.timeline < remembered.timeline {
            // Of a primary that is none any more: what it says is lost, and the message may come again.
            let is_known =
                remembered.newest.contains(&message) || remembered.before.contains(&message);
            return remembered.earlier.insert(message) && !is_known;
        }
        remembered.turn(claimed.timeline, now);
        remembered.newest.insert(message);
        !remembered.earlier.remove(&message)
    }

    /// Forgets a message that was certainly not sent.
    pub(super) fn forget(&self, message: u64) {
        let mut remembered = self.remembered.lock();
        remembered.newest.remove(&message);
        remembered.before.remove(&message);
        remembered.earlier.remove(&message);
    }

    /// What somebody gets once: of a campaign a first message and a reminder, else what came due at a moment.
    pub(super) fn hash(&self, claimed: &Claimed) -> u64 {
        let due_at = match claimed.kind {
            Some(MessageKind::First | MessageKind::Reminder) => None,
            Some(MessageKind::Test) | None => Some(claimed.key.due_at),
        };
        let kind = claimed.kind.as_ref().map(MessageKind::into_str);
        let campaign = claimed.key.campaign;
        self.hasher
            .hash_one((campaign, kind, &claimed.phone, due_at))
    }
}

impl Remembered {
    fn turn(&mut self, timeline: i64, now: Instant) {
        let is_over = |span| self.moved_at.is_some_and(|at| now >= at + span);
        if is_over(AFTERWARDS) || self.timeline != timeline && is_over(LATELY) {
            self.earlier.clear();
            self.moved_at = None;
        }
        if self.timeline != timeline {
            self.timeline = timeline;
            self.moved_at = Some(now);
            self.earlier.extend(take(&mut self.newest));
            self.earlier.extend(take(&mut self.before));
        }
        let is_old = self.turned_at.is_none_or(|at| now >= at + LATELY);
        if is_old || self.newest.len() >= MOST {
            self.before = take(&mut self.newest);
            self.turned_at = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};
    use domain::sms::Parts;
    use store::send::CampaignKey;
    use store::send::drive::DueKey;
    use uuid::Uuid;

    use super::*;

    fn claimed(kind: Option<MessageKind>, phone: &str, timeline: i64) -> Claimed {
        Claimed {
            key: DueKey {
                campaign: CampaignKey::new(Uuid::nil(), Uuid::nil()),
                due_at: DateTime::<Utc>::UNIX_EPOCH,
                // After an import that is done again it is another.
                message_id: Uuid::new_v4(),
            },
            attempt: 0,
            kind,
            timeline,
            account_number: 1,
            phone: phone.to_owned(),
            text: String::new(),
            parts: Parts::of(""),
            number: 0,
            validity: Duration::ZERO,
        }
    }

    #[test]
    fn what_was_handed_over_before_a_failover_is_not_handed_over_after_it() {
        let (handed_over, now) = (HandedOver::default(), Instant::now());
        let note = |kind, phone, timeline| handed_over.note(&claimed(kind, phone, timeline), now);
        let first = Some(MessageKind::First);
        for (kind, before) in [(first, 1), (Some(MessageKind::Test), 3), (None, 5)] {
            let after = before + 1;
            assert!(note(kind, "1", before));
            // A try after one that was not taken.
            assert!(note(kind, "1", before));
            assert!(!note(kind, "1", after));
            // A person wants it.
            assert!(note(kind, "1", after));
            assert!(note(kind, "2", after));
            // Of a primary that is none any more.
            assert!(!note(kind, "2", before));
            assert!(note(kind, "3", before));
            assert!(!note(kind, "3", after));
        }
        assert!(note(Some(MessageKind::Reminder), "1", 7));
        assert!(note(first, "4", 7));
        handed_over.forget(handed_over.hash(&claimed(first, "4", 7)));
        assert!(note(first, "4", 8));
    }

    #[test]
    fn a_test_or_a_reply_is_one_of_its_moment_and_an_embedded_database_loses_nothing() {
        let (handed_over, now) = (HandedOver::default(), Instant::now());
        let mut reply = claimed(None, "1", 1);
        assert!(handed_over.note(&reply, now));
        (reply.timeline, reply.key.due_at) = (2, reply.key.due_at + TimeDelta::seconds(1));
        assert!(handed_over.note(&reply, now));
        for _ in 0..2 {
            assert!(handed_over.note(&claimed(None, "2", 0), now));
        }
    }

    #[test]
    fn what_was_handed_over_long_ago_is_forgotten() {
        let (handed_over, now) = (HandedOver::default(), Instant::now());
        let first = Some(MessageKind::First);
        let note = |phone, minutes, timeline| {
            let at = now + Duration::from_mins(minutes);
            handed_over.note(&claimed(first, phone, timeline), at)
        };
        for (phone, minutes) in [("1", 0), ("2", 11), ("3", 22), ("4", 23)] {
            assert!(note(phone, minutes, 1));
        }
        let again = ["1", "2", "3", "4"].map(|phone| note(phone, 24, 2));
        assert_eq!(again, [true, false, false, false]);
    }
}
