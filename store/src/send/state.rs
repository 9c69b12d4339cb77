//! How senders are: as their drivers saw them last, and what waits for them.

use std::collections::BTreeMap;

use domain::campaign::{Counts, MessageStatus};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::CampaignKey;
use crate::tx::{Sql, read, values};
use crate::{Result, Store};

/// A sender as its driver saw it last.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct SenderState {
    pub name: String,
    /// `ok`, `paused` or `error`.
    pub state: String,
    /// A code, never a provider's text.
    pub reason: Option<String>,
}

impl Store {
    /// Notes how a sender is.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn set_sender_state(
        &self,
        name: &str,
        state: &str,
        reason: Option<&str>,
    ) -> Result<()> {
        let insert = "INSERT INTO sender_state (name, state, reason) VALUES ($1, $2, $3)
                 ON CONFLICT (name) DO UPDATE SET state = excluded.state, reason = excluded.reason";
        self.execute(insert, values![name, state, reason]).await?;
        Ok(())
    }

    /// The senders of which something was noted.
    pub async fn sender_states(&self) -> Result<Vec<SenderState>> {
        let rows = "SELECT name, state, reason FROM sender_state ORDER BY name";
        let rows = self.rows(rows, vec![]).await?;
        read(&rows)
    }

    /// The messages that a sender accepted and has not reported: the number of the account, and the message.
    pub async fn accepted_messages(&self, sender: &str) -> Result<Vec<(i32, Uuid)>> {
        let accepted = "SELECT a.number, m.message_id FROM campaign c JOIN account a ON a.account_id = c.account_id
               JOIN message m ON m.account_id = c.account_id AND m.campaign_id = c.campaign_id
              WHERE c.sender = $1 AND m.status = 'accepted'";
        self.all(accepted, values![sender]).await
    }

    /// How many messages of an account are scheduled through each sender, by its name.
    pub async fn waiting_by_sender(&self, account_id: Uuid) -> Result<BTreeMap<String, i64>> {
        let tx = self.snapshot().await?;
        let open = "SELECT campaign_id, sender FROM campaign WHERE account_id = $1 AND status IN ('RUNNING', 'PAUSED')";
        let open: Vec<(Uuid, String)> = tx.all(open, values![account_id]).await?;
        let mut waiting = BTreeMap::new();
        for (campaign_id, sender) in open {
            let counts = tx.counts(CampaignKey::new(account_id, campaign_id)).await?;
            let scheduled = |counts: &Counts| counts.status(MessageStatus::Scheduled);
            *waiting.entry(sender).or_default() +=
                scheduled(&counts.first) + scheduled(&counts.reminder);
        }
        Ok(waiting)
    }
}
