//! A campaign plans so many messages at most. For whom it had no place left, comes after all once it has some.

use chrono::{DateTime, Utc};
use domain::campaign::{CampaignContent, Count, Counts, MessageKind, MessageStatus, SkipReason};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::due::{MAKE_DUE, Routes};
use super::tally::Changes;
use super::{Campaign, CampaignKey, MessageKey};
use crate::tx::{BatchStatement, Sql, Statement, batch_row, statement, values};
use crate::{Result, Tx};

/// Messages for which the campaign had no place left, in the order in which they were planned.
const LEFT_OUT: &Statement = statement!(
    "SELECT m.message_id, r.phone, r.fields ->> 'time_zone' AS time_zone
       FROM message m LEFT JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
      WHERE m.account_id = $1 AND m.campaign_id = $2 AND m.reason = 'limit_reached' AND m.kind = 'first' ORDER BY m.message_id LIMIT $3"
);

#[derive(FromQueryResult)]
struct LeftOut {
    message_id: Uuid,
    phone: Option<String>,
    time_zone: Option<String>,
}

batch_row! {
    /// A message that was skipped and is scheduled after all.
    pub(super) struct Readmitted {
        message: MessageKey,
        sender: Option<String>,
        scheduled_at: DateTime<Utc>,
    }
}

pub(super) const READMIT: &BatchStatement<Readmitted> = statement!(Readmitted:
    "UPDATE message AS m SET status = 'scheduled', reason = NULL, scheduled_at = batch.scheduled_at, sender = coalesce(batch.sender, m.sender)
       FROM batch WHERE m.account_id = batch.account_id AND m.message_id = batch.message_id"
);

impl Tx {
    /// Plans the next of those for whom a campaign, whose row this transaction holds, had no place left, as far as it has some now.
    /// How many.
    pub(super) async fn readmit(
        &self,
        key: CampaignKey,
        campaign: &Campaign,
        limit: u64,
    ) -> Result<u64> {
        let content = &campaign.content;
        let left = self.places_left(key, content).await?.unwrap_or(usize::MAX);
        let most = i64::try_from(left).unwrap_or(i64::MAX);
        let most = most.min(i64::try_from(limit).unwrap_or(i64::MAX));
        let left_out: Vec<LeftOut> = self.fetch_all(LEFT_OUT, values![key, most]).await?;
        if left_out.is_empty() {
            return Ok(0);
        }
        let planning = self.planning(key, Routes::of(campaign)).await?;
        let mut changes = Changes::default();
        let delta = changes.of(key, MessageKind::First);
        let (mut due, mut readmitted) = (Vec::new(), Vec::new());
        for message in &left_out {
            let scheduled = Count::Status(MessageStatus::Scheduled);
            let moved = Counts::moved(Count::Skipped(SkipReason::LimitReached), scheduled);
            delta.merge(&moved);
            let phone = message.phone.as_deref().unwrap_or_default();
            due.push(planning.due(message.message_id, message.time_zone.as_deref(), phone));
            readmitted.push(Readmitted {
                message: MessageKey {
                    account_id: key.account_id,
                    message_id: message.message_id,
                },
                sender: planning.carrier(phone),
                scheduled_at: planning.from,
            });
        }
        self.execute_batch(READMIT, readmitted).await?;
        self.execute_batch(MAKE_DUE, due).await?;
        self.append_counts(changes).await?;
        Ok(left_out.len() as u64)
    }

    /// How many more messages a campaign may plan; `None`: any number.
    pub(super) async fn places_left(
        &self,
        key: CampaignKey,
        content: &CampaignContent,
    ) -> Result<Option<usize>> {
        let Some(most) = content.max_messages else {
            return Ok(None);
        };
        let first = self.counts(key).await?.first;
        let has_none = [SkipReason::LimitReached, SkipReason::NotSampled];
        let has_none: i64 = has_none
            .map(|reason| first.get(Count::Skipped(reason)))
            .iter()
            .sum();
        let planned = first.get(Count::Recipients) - has_none;
        let left = most.saturating_sub(u64::try_from(planned).unwrap_or_default());
        Ok(Some(usize::try_from(left).unwrap_or(usize::MAX)))
    }
}
