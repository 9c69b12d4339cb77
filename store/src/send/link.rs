//! The links of messages, and what comes through them: the first view and the first answer of each.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use domain::campaign::{Count, MessageKind, MessageStatus, SkipReason};
use domain::rollup::DayCounts;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::tally::Changes;
use super::{CampaignKey, MessageKey};
use crate::collect::{NewView, PendingDeltas};
use crate::form::{LinkToken, NEW_TOKEN};
use crate::tx::{BatchStatement, BatchWrites, Parsed, Sql, batch_row, statement};
use crate::{Result, Tx};

batch_row! {
    /// The link of a message, whose id it has.
    pub(super) struct MessageLink {
        account_id: Uuid,
        link_id: Uuid,
        form_id: Uuid,
        token: String,
        bus_prop_ids: String,
        track_fields: String,
        expires_at: Option<DateTime<Utc>>,
        created_at: DateTime<Utc>,
        campaign_id: Uuid,
        is_test: bool,
    }
}

/// It takes one answer. Of a message that is sent again it is open for as long as that of one which is sent now.
const NEW_LINK: &BatchStatement<MessageLink> = statement!(MessageLink:
    "INSERT INTO link (account_id, link_id, form_id, token, bus_prop_ids, track_fields, expires_at, created_at, campaign_id,
            is_test, max_responses)
     SELECT account_id, link_id, form_id, token, bus_prop_ids, track_fields, expires_at, created_at, campaign_id, is_test, 1
       FROM batch WHERE true ON CONFLICT (account_id, link_id) DO UPDATE SET expires_at = excluded.expires_at"
);

impl MessageLink {
    /// Leaves it to be written.
    pub(super) fn add_to(self, writes: &mut BatchWrites, tx: &Tx) {
        if tx.is_distributed() {
            let token = LinkToken {
                token: self.token.clone(),
                account_id: self.account_id,
            };
            writes.add(NEW_TOKEN, token);
        }
        writes.add(NEW_LINK, self);
    }
}

batch_row! {
    /// When a message's link was first used.
    struct FirstUse {
        message: MessageKey,
        at: DateTime<Utc>,
    }
}

/// Notes the first uses in a column. (SQLite returns no columns of a table that has another name in the statement.)
macro_rules! note {
    ($column:literal) => {
        statement!(FirstUse:
            "UPDATE message SET ", $column, " = batch.at FROM batch
              WHERE message.account_id = batch.account_id AND message.message_id = batch.message_id AND message.", $column, " IS NULL
             RETURNING message.account_id, message.campaign_id, message.message_id, message.kind, message.status, message.accepted_day"
        )
    };
}
const VIEWED: &BatchStatement<FirstUse> = note!("viewed_at");
const ANSWERED: &BatchStatement<FirstUse> = note!("answered_at");

#[derive(FromQueryResult)]
struct UsedMessage {
    #[sea_orm(nested)]
    key: MessageKey,
    #[sea_orm(nested)]
    campaign: CampaignKey,
    kind: Parsed<MessageKind>,
    status: Parsed<MessageStatus>,
    accepted_day: Option<NaiveDate>,
}

/// The first thing that came through each of the links of messages.
pub(crate) type FirstUses<'a> = BTreeMap<MessageKey, &'a NewView>;

impl Tx {
    /// Notes in the messages of these links that they were viewed and, where `answered`, answered, which no reminder follows, and appends the counts of what came. The last
    /// thing before the commit: messages are locked after visits and views, in the order of their keys.
    pub(crate) async fn note_uses(
        &self,
        uses: &FirstUses<'_>,
        answered: bool,
        deltas: PendingDeltas,
    ) -> Result<()> {
        let mut changes = Changes {
            reported: deltas,
            ..Changes::default()
        };
        let notes = [(Count::Viewed, VIEWED), (Count::Answered, ANSWERED)];
        for (count, note) in notes.into_iter().take(1 + usize::from(answered)) {
            let rows = uses.iter().map(|(message, first)| FirstUse {
                message: *message,
                at: first.at,
            });
            let messages: Vec<UsedMessage> = self.fetch_batch(note, rows.collect()).await?;
            if count == Count::Answered {
                let first = messages.iter();
                let first = first.filter(|message| message.kind.0 == MessageKind::First);
                let first = first.map(|message| message.key).collect();
                let reason = SkipReason::AlreadyAnswered;
                self.skip_reminders(first, reason, &mut changes).await?;
            }
            for message in messages {
                changes.of(message.campaign, message.kind.0).add(count, 1);
                if let Some(first) = uses.get(&message.key)
                    && count == Count::Answered
                    && let Some(day) = message.accepted_day
                {
                    let is_delivered = message.status.0 == MessageStatus::Delivered;
                    let before = DayCounts::message(is_delivered, false);
                    let more = DayCounts::message(is_delivered, true) + -before;
                    let (form, ids) = (first.form(), &first.bus_prop_ids);
                    changes.reported.add_messages(form, day, ids, more);
                }
            }
        }
        self.append_counts(changes).await
    }
}
