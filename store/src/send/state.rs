//! How senders are: as their drivers saw them last, and what waits for them.

use std::collections::BTreeMap;

use domain::campaign::{CampaignStatus, Counts, MessageStatus};
use entity::{campaign, sender_state};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::CampaignKey;
use crate::tx::{Sql, statement, values};
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

/// A message that a sender accepted.
#[derive(Clone, Copy, Debug, FromQueryResult)]
pub struct AcceptedMessage {
    /// The account's.
    pub account_number: i32,
    pub message_id: Uuid,
}

/// Where messages may still be sent.
const OPEN: [&str; 2] = [
    CampaignStatus::Running.into_str(),
    CampaignStatus::Paused.into_str(),
];

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
        let row = sender_state::Model {
            name: name.to_owned(),
            state: state.to_owned(),
            reason: reason.map(str::to_owned),
        };
        self.upsert(row).await
    }

    /// The senders of which something was noted.
    pub async fn sender_states(&self) -> Result<Vec<SenderState>> {
        let states = sender_state::Entity::find().order_by_asc(sender_state::Column::Name);
        Ok(states.into_model().all(self).await?)
    }

    /// The messages that a sender accepted and has not reported.
    pub async fn accepted_messages(&self, sender: &str) -> Result<Vec<AcceptedMessage>> {
        let accepted = statement!(
            "SELECT a.number AS account_number, m.message_id FROM campaign c JOIN account a ON a.account_id = c.account_id
               JOIN message m ON m.account_id = c.account_id AND m.campaign_id = c.campaign_id
              WHERE c.sender = $1 AND m.status = 'accepted'"
        );
        self.fetch_all(accepted, values![sender]).await
    }

    /// How many messages of an account are scheduled through each sender, by its name.
    pub async fn waiting_by_sender(&self, account_id: Uuid) -> Result<BTreeMap<String, i64>> {
        let tx = self.snapshot().await?;
        let open = campaign::Entity::find()
            .select_only()
            .columns([campaign::Column::CampaignId, campaign::Column::Sender])
            .filter(campaign::Column::AccountId.eq(account_id))
            .filter(campaign::Column::Status.is_in(OPEN));
        let open: Vec<(Uuid, String)> = open.into_tuple().all(&tx).await?;
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
