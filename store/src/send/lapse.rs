//! Reminders that go to nobody any more, because whoever they are for has answered or wants no more messages.

use std::collections::BTreeMap;

use domain::campaign::{Count, MessageKind, MessageStatus, SkipReason};
use uuid::Uuid;

use super::drive::{DELETE_DUE, DueKey};
use super::tally::Changes;
use super::{CampaignKey, MessageKey};
use crate::tx::{BatchStatement, batch_row, statement};
use crate::{Result, Tx};

/// Those that are judged just now, or whose campaign is changed, are skipped in their turn.
const WAITING: &BatchStatement<MessageKey> = statement!(MessageKey lock "FOR UPDATE OF d SKIP LOCKED FOR SHARE OF c SKIP LOCKED":
    "SELECT d.account_id, d.campaign_id, d.due_at, d.message_id
       FROM batch
       JOIN message_due d ON d.account_id = batch.account_id AND d.link_id = batch.message_id
       JOIN campaign c ON c.account_id = d.account_id AND c.campaign_id = d.campaign_id AND c.status IN ('RUNNING', 'PAUSED')
      WHERE d.fence = 0"
);

batch_row! {
    struct Lapsed {
        message: MessageKey,
        reason: &'static str,
    }
}

const SKIP: &BatchStatement<Lapsed> = statement!(Lapsed:
    "UPDATE message SET status = 'skipped', reason = batch.reason FROM batch
      WHERE message.account_id = batch.account_id AND message.message_id = batch.message_id AND message.status = 'scheduled'
     RETURNING message.message_id"
);

impl Tx {
    /// Skips the reminders of first messages.
    pub(super) async fn skip_reminders(
        &self,
        first: Vec<MessageKey>,
        reason: SkipReason,
        changes: &mut Changes,
    ) -> Result<()> {
        let waiting: Vec<DueKey> = self.fetch_batch(WAITING, first).await?;
        if waiting.is_empty() {
            return Ok(());
        }
        let campaigns: BTreeMap<Uuid, CampaignKey> = waiting
            .iter()
            .map(|due| (due.message().message_id, due.campaign()))
            .collect();
        let lapsed = waiting.iter().map(|due| Lapsed {
            message: due.message(),
            reason: reason.into_str(),
        });
        let lapsed = lapsed.collect();
        self.execute_batch(DELETE_DUE, waiting).await?;
        let skipped: Vec<Uuid> = self.fetch_batch_values(SKIP, lapsed).await?;
        for campaign in skipped.iter().filter_map(|id| campaigns.get(id)) {
            let reminder = (*campaign, MessageKind::Reminder);
            changes.moved(reminder, MessageStatus::Scheduled, Count::Skipped(reason));
        }
        Ok(())
    }
}
