//! How campaigns end: by themselves, once nothing is left to do, or cancelled.

use chrono::{DateTime, TimeDelta, Utc};
use domain::campaign::{CampaignContent, Count, MessageKind, MessageStatus};
use sea_orm::FromQueryResult;

use super::drive::DueKey;
use super::tally::Changes;
use super::{CampaignKey, MessageKey};
use crate::tx::{BatchStatement, JsonText, Sql, Statement, statement, values};
use crate::{Result, Store, Tx};

/// How long after the last moment at which it may arrive a message's receipt may come.
const REPORTED_WITHIN: TimeDelta = TimeDelta::hours(72);

/// Messages of a cancelled campaign that one transaction ends.
const SLICE: i64 = 1_000;

/// Running campaigns whose audience is planned, which take no more imports, and of which nothing is due.
const ENDED: &Statement = statement!(accounts "c.account_id = ANY($1)":
    "SELECT c.account_id, c.campaign_id, c.content FROM campaign c
      WHERE c.status = 'RUNNING' AND c.planned AND (c.finishing OR NOT c.on_import)
        AND NOT EXISTS (SELECT 1 FROM message_due d WHERE d.account_id = c.account_id AND d.campaign_id = c.campaign_id)
        AND NOT EXISTS (SELECT 1 FROM import_batch b WHERE b.account_id = c.account_id AND b.campaign_id = c.campaign_id
                           AND b.status IN ('receiving', 'queued', 'processing', 'stalled'))"; ""
);

#[derive(FromQueryResult)]
struct EndedCampaign {
    #[sea_orm(nested)]
    key: CampaignKey,
    content: JsonText<CampaignContent>,
}

const LAST_SCHEDULED: &Statement = statement!(
    "SELECT scheduled_at FROM message WHERE account_id = $1 AND campaign_id = $2 ORDER BY message_id DESC LIMIT 1"
);

const FINISH: &Statement = statement!(
    "UPDATE campaign SET status = 'FINISHED', finished_at = $3, updated_at = $3, revision = revision + 1
      WHERE account_id = $1 AND campaign_id = $2 AND status = 'RUNNING'
        AND NOT EXISTS (SELECT 1 FROM message_due d WHERE d.account_id = $1 AND d.campaign_id = $2)"
);

macro_rules! cancelled {
    ($of_campaigns:literal, $of_messages:literal) => {
        concat!(
            "SELECT c.account_id, c.campaign_id FROM campaign c WHERE c.status = 'CANCELLED' ", $of_campaigns, " AND EXISTS (
                    SELECT 1 FROM message_due d WHERE d.account_id = c.account_id AND d.campaign_id = c.campaign_id
                       AND d.fence = 0 ", $of_messages, ")"
        )
    };
}
/// Cancelled campaigns of which messages are left.
const CANCELLED: &Statement = statement!(
    postgres: cancelled!("", "");
    citus: cancelled!("AND c.account_id = ANY($1)", "AND d.account_id = ANY($1)");
    sqlite: cancelled!("", "")
);

/// Found apart from ending them: a statement that deletes what it finds up to a limit finds it again for each row, as soon as the
/// table was empty when it was analysed.
const LEFT: &Statement = statement!(
    "SELECT account_id, campaign_id, due_at, message_id FROM message_due
      WHERE account_id = $1 AND campaign_id = $2 AND fence = 0 LIMIT $3"
);

const DELETE_UNCLAIMED: &BatchStatement<DueKey> = statement!(DueKey:
    "DELETE FROM message_due WHERE ({columns}) IN (SELECT {columns} FROM batch) AND fence = 0
     RETURNING account_id, message_id"
);

pub(super) const CANCEL: &BatchStatement<MessageKey> = statement!(MessageKey:
    "UPDATE message AS m SET status = 'cancelled'
       FROM batch WHERE m.account_id = batch.account_id AND m.message_id = batch.message_id AND m.status = 'scheduled'"
);

impl Store {
    /// Makes campaigns FINISHED that have nothing left to do. How many.
    ///
    /// One with a reminder stays RUNNING while first messages are with the provider whose reminders are not planned: until the last
    /// of them can neither be sent nor be reported any more.
    pub async fn finish_campaigns(&self) -> Result<u64> {
        let now = self.now().await?;
        let mut finished = 0;
        let ended: Vec<EndedCampaign> = self.scan(ENDED, vec![]).await?;
        for campaign in ended {
            let account_id = campaign.key.account_id;
            let of_campaign = self.finish_campaign(campaign, now).await;
            finished += self.unless_away(account_id, of_campaign)?;
        }
        Ok(finished)
    }

    async fn finish_campaign(&self, campaign: EndedCampaign, now: DateTime<Utc>) -> Result<u64> {
        let EndedCampaign {
            key,
            content: JsonText(content),
        } = campaign;
        if content.reminder.is_some() {
            let counts = self.snapshot().await?.counts(key).await?;
            let planned = counts.reminder.get(Count::Recipients);
            let accepted = counts.first.status(MessageStatus::Accepted);
            let delivered = counts.first.status(MessageStatus::Delivered);
            let waits = accepted > 0 && accepted + delivered > planned;
            let last: Option<DateTime<Utc>> =
                self.fetch_value(LAST_SCHEDULED, values![key]).await?;
            let within = TimeDelta::hours(content.send_within_hours.into()) + REPORTED_WITHIN;
            if waits && last.is_some_and(|last| last + within > now) {
                return Ok(0);
            }
        }
        let mut tx = self.begin().await?;
        // Whoever gives it something to do holds the row, and is seen once that is done.
        tx.lock_campaign(key).await?;
        let finished = tx.execute(FINISH, values![key, now]).await?;
        tx.commit_surely().await?;
        Ok(finished)
    }

    /// Ends messages of cancelled campaigns, which were counted as cancelled at once: some of each. How many; 0: none is left.
    pub async fn end_cancelled_messages(&self) -> Result<u64> {
        let cancelled: Vec<CampaignKey> = self.scan_by_key(CANCELLED, vec![]).await?;
        let mut ended = 0;
        for key in cancelled {
            let of_campaign = self.retry(|| self.try_end(key)).await;
            ended += self.unless_away(key.account_id, of_campaign)?;
        }
        Ok(ended)
    }

    async fn try_end(&self, key: CampaignKey) -> Result<u64> {
        let tx = self.begin_by_key().await?;
        let due = tx.fetch_all(LEFT, values![key, SLICE]).await?;
        let ended: Vec<MessageKey> = tx.fetch_batch(DELETE_UNCLAIMED, due).await?;
        if ended.is_empty() {
            return Ok(0);
        }
        let count = ended.len() as u64;
        tx.execute_batch(CANCEL, ended).await?;
        tx.commit_surely().await?;
        Ok(count)
    }
}

impl Tx {
    /// Counts all scheduled messages of a campaign as cancelled. Its row is locked, so nobody claims or plans; the messages
    /// follow in [`Store::end_cancelled_messages`].
    pub(super) async fn cancel_due(&self, key: CampaignKey) -> Result<()> {
        let counts = self.counts(key).await?;
        let mut changes = Changes::default();
        for (kind, counts) in [
            (MessageKind::First, counts.first),
            (MessageKind::Reminder, counts.reminder),
        ] {
            let scheduled = counts.status(MessageStatus::Scheduled);
            let delta = changes.of(key, kind);
            delta.add(Count::Status(MessageStatus::Scheduled), -scheduled);
            delta.add(Count::Status(MessageStatus::Cancelled), scheduled);
        }
        self.append_counts(changes).await
    }
}
