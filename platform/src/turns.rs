//! Accounts that share something scarce take turns at it, so that none waits because another brought more.
//!
//! The next turn belongs to the account with the fewest turns under way; of those with as few, to the one that has used
//! least. What a turn uses is for the caller to measure: time, or bytes. An account that comes anew begins where those are
//! that were served last, so that nobody saves up turns, and nobody who waits is passed for long. Nothing is stored: where
//! each of several processes is fair, all together are.

use std::collections::HashMap;

use uuid::Uuid;

/// The accounts that have work, or a turn under way.
#[derive(Debug)]
pub struct Turns {
    /// How many turns an account may have under way.
    most: usize,
    accounts: HashMap<Uuid, AccountTurns>,
    /// The highest use of an account at the begin of one of its turns.
    floor: u64,
    /// Rises with everything that happens.
    clock: u64,
}

#[derive(Debug, Default)]
struct AccountTurns {
    /// Whether it may have work.
    waiting: bool,
    under_way: usize,
    used: u64,
    /// When it was served last, or came.
    since: u64,
    /// When it was last notified of work.
    notified_at: u64,
}

/// An account's turn, until [`Turns::end`].
#[derive(Debug)]
#[must_use]
pub struct Turn {
    pub account_id: Uuid,
    began: u64,
}

impl Default for Turns {
    fn default() -> Self {
        Self::with_most(usize::MAX)
    }
}

impl Turns {
    /// Turns of which an account has at most `most` under way.
    pub fn with_most(most: usize) -> Self {
        Self {
            most,
            accounts: HashMap::new(),
            floor: 0,
            clock: 0,
        }
    }

    /// Notes that an account has work.
    pub fn add(&mut self, account_id: Uuid) {
        let now = self.tick();
        let least = self.accounts.values().map(|share| share.used).min();
        let used = least.unwrap_or_default().max(self.floor);
        let share = self
            .accounts
            .entry(account_id)
            .or_insert_with(|| AccountTurns {
                used,
                since: now,
                ..AccountTurns::default()
            });
        share.waiting = true;
        share.notified_at = now;
    }

    /// The next turn. `None`: no account has work and may begin another turn. The account keeps its place, because it may
    /// have work for several turns.
    pub fn take(&mut self) -> Option<Turn> {
        let (now, most) = (self.tick(), self.most);
        let waiting = self.accounts.iter_mut();
        let waiting = waiting.filter(|(_, share)| share.waiting && share.under_way < most);
        let next = waiting.min_by_key(|(_, share)| (share.under_way, share.used, share.since));
        let (account_id, share) = next?;
        share.under_way += 1;
        share.since = now;
        self.floor = self.floor.max(share.used);
        Some(Turn {
            account_id: *account_id,
            began: now,
        })
    }

    /// Notes that the turn's account had no more work than this when the turn began. Work that it was notified of since stays.
    pub fn clear(&mut self, turn: &Turn) {
        if let Some(share) = self.accounts.get_mut(&turn.account_id)
            && share.notified_at <= turn.began
        {
            share.waiting = false;
        }
    }

    /// Ends a turn that used so much.
    pub fn end(&mut self, turn: &Turn, used: u64) {
        let Some(share) = self.accounts.get_mut(&turn.account_id) else {
            return;
        };
        share.under_way = share.under_way.saturating_sub(1);
        share.used = share.used.saturating_add(used);
        if !share.waiting && share.under_way == 0 {
            self.accounts.remove(&turn.account_id);
        }
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Uuid = Uuid::from_u128(1);
    const B: Uuid = Uuid::from_u128(2);
    const C: Uuid = Uuid::from_u128(3);

    fn of(accounts: &[Uuid]) -> Turns {
        let mut turns = Turns::default();
        for account in accounts {
            turns.add(*account);
        }
        turns
    }

    /// Whose turns come next, one after the other, each of which uses what `cost` says.
    fn served(turns: &mut Turns, times: usize, cost: impl Fn(Uuid) -> u64) -> Vec<Uuid> {
        (0..times)
            .map(|_| {
                let turn = turns.take().unwrap();
                turns.end(&turn, cost(turn.account_id));
                turn.account_id
            })
            .collect()
    }

    #[test]
    fn accounts_are_served_one_after_the_other() {
        let mut turns = of(&[A, B, C]);
        assert_eq!(served(&mut turns, 6, |_| 1), [A, B, C, A, B, C]);
    }

    #[test]
    fn an_account_whose_turns_use_more_gets_fewer() {
        let mut turns = of(&[A, B]);
        let served = served(&mut turns, 40, |account| if account == A { 9 } else { 1 });
        assert_eq!(served.iter().filter(|account| **account == A).count(), 4);
    }

    #[test]
    fn one_that_comes_late_waits_for_a_turn_of_each_other_and_makes_up_for_nothing() {
        let mut turns = of(&[A]);
        served(&mut turns, 100, |_| 1);
        turns.add(B);
        assert_eq!(served(&mut turns, 4, |_| 1), [A, B, A, B]);
    }

    #[test]
    fn one_without_a_turn_under_way_comes_before_one_that_has_used_less() {
        let mut turns = of(&[A]);
        served(&mut turns, 5, |_| 1);
        let first = turns.take().unwrap();
        turns.add(B);
        let second = turns.take().unwrap();
        assert_eq!((first.account_id, second.account_id), (A, B));
        turns.end(&second, 100);
        assert_eq!(turns.take().unwrap().account_id, B);
    }

    #[test]
    fn one_that_has_no_more_work_is_forgotten_unless_it_was_notified_meanwhile() {
        let mut turns = of(&[A]);
        let turn = turns.take().unwrap();
        turns.add(A);
        turns.clear(&turn);
        turns.end(&turn, 1);
        let turn = turns.take().unwrap();
        turns.clear(&turn);
        turns.end(&turn, 1);
        assert!(turns.take().is_none());
        assert!(turns.accounts.is_empty());
    }
}
