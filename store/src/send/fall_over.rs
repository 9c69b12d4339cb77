//! What the next sender takes while one is away: what waits, due by now, and is certainly not sent. What may have been sent stays where
//! it is, and what is due later waits for its turn.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use domain::campaign::{CampaignStatus, SenderList};
use domain::sms::SenderState;
use sea_orm::FromQueryResult;

use super::drive::DueKey;
use super::due::{CARRIED_BY, Carrier, GO_TO, NewDue};
use super::state::StoredSender;
use super::{Campaign, CampaignKey};
use crate::tx::{Sql, Statement, statement, values};
use crate::{Result, Store};

/// How long a sender takes nothing before the next one does.
pub const AWAY_FOR: TimeDelta = TimeDelta::seconds(60);
/// How long a message is due before the next sender takes it: its own may try it, and be well again.
const TRIED_FOR: TimeDelta = TimeDelta::seconds(5);
/// Messages that one transaction moves.
const SLICE: i64 = 1_000;

const OF_SEVERAL: &Statement = statement!(accounts "account_id = ANY($1)":
    "SELECT account_id, campaign_id, senders FROM campaign
      WHERE senders IS NOT NULL AND status IN ('RUNNING', 'PAUSED') AND status = 'RUNNING'"; ""
);

#[derive(FromQueryResult)]
struct CampaignOfSeveral {
    #[sea_orm(nested)]
    key: CampaignKey,
    senders: String,
}

const DUE: &Statement = statement!(
    "SELECT account_id, campaign_id, due_at, message_id FROM message_due
      WHERE account_id = $1 AND campaign_id = $2 AND sender = $3 AND sender_list = $4 AND sender_list IS NOT NULL AND fence = 0
        AND due_at <= $5
      ORDER BY due_at, message_id LIMIT $6"
);

/// How the senders are at a moment.
struct Senders {
    now: DateTime<Utc>,
    by_name: BTreeMap<String, StoredSender>,
}

impl Senders {
    fn is_ok(&self, name: &str) -> bool {
        let sender = self.by_name.get(name);
        sender.is_some_and(|sender| sender.state == SenderState::Ok)
    }

    /// Up to when messages must have been due that the next sender takes; `None`: they wait. Of a sender that never was driven it is
    /// not known since when it is away.
    fn gives_up(&self, name: &str) -> Option<DateTime<Utc>> {
        let long_ago = self.now - AWAY_FOR;
        match self.by_name.get(name) {
            Some(sender) if sender.is_away_since(long_ago) => Some(self.now - TRIED_FOR),
            Some(sender) if sender.was_driven() => None,
            _ => Some(long_ago),
        }
    }

    /// The next one that is well, after the last of the list the first again.
    fn next<'l>(&self, list: &'l SenderList, name: &str) -> Option<&'l str> {
        let names = list.names();
        let place = names.iter().position(|one| one == name)?;
        let (before, after) = names.split_at(place);
        let mut next = after.iter().chain(before).skip(1).map(String::as_str);
        next.find(|next| self.is_ok(next))
    }
}

impl Store {
    /// Lets what is due go to the next sender of its list where its own has been away for a minute: some of each campaign. How many
    /// messages; 0: none is left.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn fall_over(&self) -> Result<u64> {
        let campaigns: Vec<CampaignOfSeveral> = self.scan(OF_SEVERAL, vec![]).await?;
        if campaigns.is_empty() {
            return Ok(0);
        }
        let by_name = self.senders().await?.into_iter();
        let senders = Senders {
            now: self.now().await?,
            by_name: by_name.map(|one| (one.name.clone(), one)).collect(),
        };
        let mut moved = 0;
        for campaign in campaigns {
            let names = campaign.senders.split_whitespace();
            let away: BTreeSet<&str> = names
                .filter(|name| senders.gives_up(name).is_some())
                .collect();
            if !away.is_empty() {
                let of_campaign = self.retry(|| self.try_fall_over(campaign.key, &senders, &away));
                moved += self.unless_away(campaign.key.account_id, of_campaign.await)?;
            }
        }
        Ok(moved)
    }

    async fn try_fall_over(
        &self,
        key: CampaignKey,
        senders: &Senders,
        away: &BTreeSet<&str>,
    ) -> Result<u64> {
        let mut tx = self.begin_by_key().await?;
        // Nobody claims its messages meanwhile.
        let Some(row) = tx.lock_campaign(key).await? else {
            return Ok(0);
        };
        let campaign = Campaign::read(&row)?;
        if campaign.status != CampaignStatus::Running {
            return Ok(0);
        }
        let mut moved = 0;
        for (list_key, list) in campaign.content.sender.lists() {
            let from = list.names().iter().map(String::as_str);
            for name in from.filter(|name| away.contains(name)) {
                let (Some(next), Some(until)) = (senders.next(list, name), senders.gives_up(name))
                else {
                    continue;
                };
                let due = values![key, name, list_key, until, SLICE];
                let due: Vec<DueKey> = tx.fetch_all(DUE, due).await?;
                moved += due.len() as u64;
                let rows = due.iter().map(|&key| NewDue {
                    key,
                    sender: next.to_owned(),
                    sender_list: Some(list_key.to_owned()),
                    link_id: None,
                });
                tx.execute_batch(GO_TO, rows.collect()).await?;
                let carriers = due.into_iter().map(|due| Carrier {
                    message: due.message(),
                    sender: next.to_owned(),
                });
                tx.execute_batch(CARRIED_BY, carriers.collect()).await?;
            }
        }
        tx.note_work(key.account_id).await?;
        tx.commit_surely().await?;
        Ok(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_sender_is_one_that_is_well_and_after_the_last_comes_the_first() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::hours(1);
        let sender = |name: &str, state, seconds| {
            let since = now - TimeDelta::seconds(seconds);
            (name.to_owned(), StoredSender::of_state(name, state, since))
        };
        let senders = Senders {
            now,
            by_name: BTreeMap::from([
                sender("a", SenderState::Error, 60),
                sender("b", SenderState::Error, 59),
                sender("c", SenderState::Ok, 600),
                sender("d", SenderState::Paused, 600),
                sender("e", SenderState::Unattended, 600),
            ]),
        };
        let gives_up = |name| senders.gives_up(name);
        for waits in ["b", "c", "d"] {
            assert_eq!(gives_up(waits), None, "{waits}");
        }
        let tried = Some(now - TRIED_FOR);
        assert_eq!((gives_up("a"), gives_up("e")), (tried, tried));
        assert_eq!(gives_up("f"), Some(now - AWAY_FOR));
        for (list, name, next) in [
            (vec!["a", "b", "c"], "a", Some("c")),
            (vec!["c", "a"], "a", Some("c")),
            (vec!["a", "b", "d", "e", "f"], "a", None),
            (vec!["a"], "a", None),
            (vec!["c", "b"], "a", None),
        ] {
            let names = list.into_iter().map(str::to_owned);
            let list = SenderList::InOrder(names.collect());
            assert_eq!(senders.next(&list, name), next, "{list:?}");
        }
    }
}
