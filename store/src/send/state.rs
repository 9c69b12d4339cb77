//! How senders are: as their drivers saw them last, and what waits for them.

use std::collections::{BTreeMap, HashMap};

use domain::campaign::{CampaignStatus, Counts, MessageStatus};
use entity::{account, campaign, sender_state};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use super::{CampaignKey, MessageKey};
use crate::tx::{Accounts, Sql, statement, values};
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
#[derive(Clone, Copy, Debug)]
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

    /// The messages that a sender accepted and has not reported. Those on nodes that are away are missing.
    pub async fn accepted_messages(&self, sender: &str) -> Result<Vec<AcceptedMessage>> {
        let accepted = statement!(accounts "c.account_id = ANY($2) AND m.account_id = ANY($2)":
            "SELECT c.account_id, m.message_id FROM campaign c
               JOIN message m ON m.account_id = c.account_id AND m.campaign_id = c.campaign_id
              WHERE c.sender = $1 AND m.status = 'accepted'"; ""
        );
        let mut messages: Vec<MessageKey> = Vec::new();
        for part in self.parts(Accounts::All).await?.there {
            let of_part = self.scan_part(&part, accepted, values![sender]).await?;
            messages.extend::<Vec<MessageKey>>(of_part.unwrap_or_default());
        }
        let numbers = account::Entity::find()
            .select_only()
            .columns([account::Column::AccountId, account::Column::Number]);
        let numbers: Vec<(Uuid, i32)> = numbers.into_tuple().all(self).await?;
        let numbers: HashMap<Uuid, i32> = numbers.into_iter().collect();
        let accepted = messages.into_iter().filter_map(|message| {
            Some(AcceptedMessage {
                account_number: *numbers.get(&message.account_id)?,
                message_id: message.message_id,
            })
        });
        Ok(accepted.collect())
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
