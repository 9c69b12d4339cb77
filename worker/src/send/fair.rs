//! Whose messages are next: accounts take turns by the parts that they used, and an account's campaigns one after the other.

use std::collections::{BTreeMap, VecDeque};

use platform::turns::{Turn, Turns};
use store::send::CampaignKey;
use store::send::drive::{Claimed, Wanted};
use uuid::Uuid;

/// The campaigns that may have messages due, by account.
#[derive(Debug, Default)]
pub(super) struct DueCampaigns {
    campaigns: BTreeMap<Uuid, VecDeque<CampaignKey>>,
    turns: Turns,
}

impl DueCampaigns {
    pub(super) fn is_empty(&self) -> bool {
        self.campaigns.is_empty()
    }

    /// Adds those that are new.
    pub(super) fn add(&mut self, campaigns: impl IntoIterator<Item = CampaignKey>) {
        for key in campaigns {
            let of_account = self.campaigns.entry(key.account_id).or_default();
            if !of_account.contains(&key) {
                of_account.push_back(key);
            }
            self.turns.add(key.account_id);
        }
    }

    /// Removes a campaign that has nothing due.
    pub(super) fn remove(&mut self, key: CampaignKey) {
        if let Some(of_account) = self.campaigns.get_mut(&key.account_id) {
            of_account.retain(|other| *other != key);
            if of_account.is_empty() {
                self.campaigns.remove(&key.account_id);
            }
        }
    }

    /// Shares places out among accounts, with the turns that they take.
    pub(super) fn share(&mut self, places: usize) -> Vec<(Turn, Wanted)> {
        let accounts = self.campaigns.len();
        if accounts == 0 {
            return Vec::new();
        }
        let each = places.div_ceil(accounts);
        let mut left = places;
        let mut wanted = Vec::new();
        while left > 0 && wanted.len() < accounts {
            let Some(turn) = self.turns.take() else { break };
            let Some(of_account) = self.campaigns.get_mut(&turn.account_id) else {
                self.turns.clear(&turn);
                self.turns.end(&turn, 0);
                continue;
            };
            of_account.rotate_left(1);
            let Some(campaign) = of_account.back().copied() else {
                break;
            };
            let messages = each.min(left);
            left -= messages;
            wanted.push((turn, Wanted { campaign, messages }));
        }
        wanted
    }

    /// Ends turns with what was claimed in them. One in which all were skipped counts as a part: it took as long.
    pub(super) fn end(&mut self, turns: &[Turn], claimed: &[Claimed]) {
        for turn in turns {
            let of_account = claimed
                .iter()
                .filter(|claimed| claimed.key.campaign.account_id == turn.account_id);
            let parts: usize = of_account.map(|claimed| claimed.parts.texts.len()).sum();
            self.turns.end(turn, parts.max(1) as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chrono::DateTime;
    use domain::sms::Parts;
    use store::send::drive::DueKey;

    use super::*;

    fn key(account: u128, campaign: u128) -> CampaignKey {
        CampaignKey::new(Uuid::from_u128(account), Uuid::from_u128(campaign))
    }

    /// A message of one part.
    fn claimed(campaign: CampaignKey) -> Claimed {
        Claimed {
            key: DueKey {
                campaign,
                due_at: DateTime::UNIX_EPOCH,
                message_id: Uuid::nil(),
            },
            attempt: 0,
            kind: None,
            timeline: 0,
            account_number: 1,
            phone: String::new(),
            text: String::new(),
            parts: Parts::of("text"),
            number: 0,
            validity: Duration::ZERO,
        }
    }

    #[test]
    fn an_account_that_only_skips_leaves_others_their_turns() {
        let mut waiting = DueCampaigns::default();
        waiting.add([key(1, 1), key(2, 2)]);
        let mut sent = 0;
        for _ in 0..20 {
            let shared = waiting.share(1);
            let (turns, wanted): (Vec<_>, Vec<_>) = shared.into_iter().unzip();
            let sends = wanted.iter().filter(|one| one.campaign == key(2, 2));
            let claimed: Vec<_> = sends.map(|one| claimed(one.campaign)).collect();
            sent += claimed.len();
            waiting.end(&turns, &claimed);
        }
        assert_eq!(sent, 10);
    }

    #[test]
    fn accounts_share_places_and_campaigns_take_turns() {
        let mut waiting = DueCampaigns::default();
        waiting.add([key(1, 1), key(1, 2), key(2, 3)]);
        let mut seen = Vec::new();
        for _ in 0..2 {
            let shared = waiting.share(10);
            let (turns, wanted): (Vec<_>, Vec<_>) = shared.into_iter().unzip();
            assert_eq!(wanted.iter().map(|w| w.messages).sum::<usize>(), 10);
            seen.extend(wanted.iter().map(|w| (w.campaign, w.messages)));
            waiting.end(&turns, &[]);
        }
        seen.sort_unstable();
        assert_eq!(
            seen,
            [
                (key(1, 1), 5),
                (key(1, 2), 5),
                (key(2, 3), 5),
                (key(2, 3), 5)
            ]
        );
        waiting.remove(key(2, 3));
        assert_eq!(waiting.share(3).len(), 1);
    }
}
