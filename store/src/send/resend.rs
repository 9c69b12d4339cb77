//! Sending messages again: because a person asks for it, and for no other reason.

use chrono::{DateTime, NaiveDate, Utc};
use domain::campaign::{CampaignStatus, Count, MessageStatus};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::drive::DueKey;
use super::due::{MAKE_DUE, NewDue, OWN_SENDER, Routes};
use super::tally::{Changes, Counted};
use super::{Campaign, CampaignChange, CampaignKey, MessageKey};
use crate::retention::Sealed;
use crate::tx::{BatchStatement, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Store};

/// Messages that one transaction schedules again.
const SLICE: i64 = 5_000;

/// Whoever answered got it.
const TO_SEND_AGAIN: &Statement = statement!(
    "SELECT message_id FROM message
      WHERE account_id = $1 AND campaign_id = $2 AND status = $3 AND kind <> 'test' AND answered_at IS NULL AND message_id > $4
      ORDER BY message_id LIMIT $5"
);

batch_row! {
    struct ToSend {
        message: MessageKey,
        status: &'static str,
    }
}

/// Those that are as they were found, and whose recipients were neither erased nor blocked.
const LOCK: &BatchStatement<ToSend> = statement!(ToSend lock "FOR NO KEY UPDATE OF m":
    "SELECT m.account_id, m.message_id, m.kind, m.status, m.parts, m.accepted_day, m.answered_at IS NOT NULL AS is_answered,
            m.sender, r.phone, l.form_id, l.bus_prop_ids, CASE WHEN m.kind = 'reminder' THEN m.link_id END AS reminded_link_id
       FROM batch JOIN message m ON m.account_id = batch.account_id AND m.message_id = batch.message_id AND m.status = batch.status
        AND m.answered_at IS NULL
       JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid AND r.phone IS NOT NULL
       LEFT JOIN contact c ON c.account_id = m.account_id AND c.phone_mac = m.sent_mac
       LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
      WHERE c.opted_out_at IS NULL
      ORDER BY m.account_id, m.message_id"
);

/// A receipt may have come before the result of the call.
const UNDER_WAY: &Statement = statement!(
    "SELECT message_id FROM message_due WHERE account_id = $1 AND campaign_id = $2 AND sender = $3 AND fence > 0"
);

#[derive(FromQueryResult)]
struct MessageToSend {
    message_id: Uuid,
    sender: Option<String>,
    phone: Option<String>,
    accepted_day: Option<NaiveDate>,
    reminded_link_id: Option<Uuid>,
    #[sea_orm(nested)]
    counted: Counted,
}

batch_row! {
    struct ScheduledAgain {
        message: MessageKey,
        scheduled_at: DateTime<Utc>,
    }
}

/// What receipts said stays until it is handed over, and so does its sender, whose receipts count as long: one that tells that it arrived
/// after all keeps it from being sent again. One that went nowhere may go to another phone by now, which then must have no message of the
/// campaign.
const SCHEDULE_AGAIN: &BatchStatement<ScheduledAgain> = statement!(ScheduledAgain:
    "UPDATE message AS m SET status = 'scheduled', code = NULL, scheduled_at = batch.scheduled_at, accepted_at = NULL, accepted_day = NULL,
            sent_mac = CASE WHEN m.status = 'unknown' THEN m.sent_mac END
       FROM batch WHERE m.account_id = batch.account_id AND m.message_id = batch.message_id"
);

/// The results after which a person may have a message sent again.
pub const MAY_BE_RESENT: [MessageStatus; 4] = [
    MessageStatus::Unknown,
    MessageStatus::Failed,
    MessageStatus::Undelivered,
    MessageStatus::Expired,
];

impl Store {
    /// Schedules the messages of a campaign again that have one of the statuses [`MAY_BE_RESENT`] and were not answered, but those of
    /// people who were erased or blocked. A campaign that is FINISHED runs again for them. What was counted of the first attempt is not counted any more.
    ///
    /// # Errors
    /// Some may be scheduled then; doing it again is safe.
    pub async fn resend_messages(
        &self,
        key: CampaignKey,
        status: MessageStatus,
    ) -> Result<CampaignChange> {
        // Each message once, whatever becomes of it meanwhile.
        let mut last = Uuid::nil();
        loop {
            let found = values![key, status.into_str(), last, SLICE];
            let found: Vec<Uuid> = self.fetch_values(TO_SEND_AGAIN, found).await?;
            // Of none too it is said whether it may be.
            if let Some(refused) = self.resend_slice(key, status, &found).await? {
                return Ok(refused);
            }
            match found.last() {
                Some(&newest) => last = newest,
                None => break,
            }
        }
        let campaign = self.campaign(key).await?;
        Ok(campaign.map_or(CampaignChange::NotFound, |campaign| {
            CampaignChange::Done(Box::new(campaign))
        }))
    }

    /// Schedules these again; why not.
    async fn resend_slice(
        &self,
        key: CampaignKey,
        of_status: MessageStatus,
        found: &[Uuid],
    ) -> Result<Option<CampaignChange>> {
        let mut tx = self.begin_long().await?;
        let Some(mut row) = tx.lock_campaign(key).await? else {
            return Ok(Some(CampaignChange::NotFound));
        };
        let status: CampaignStatus = row.status.parse().map_err(Error::broken)?;
        let is_over = matches!(status, CampaignStatus::Draft | CampaignStatus::Cancelled);
        // It would count anew what is gone.
        if is_over || tx.is_campaign_sealed(key).await? {
            return Ok(Some(CampaignChange::Refused(status)));
        }
        let now = tx.now().await?;
        // Nothing of the campaign is claimed while its row is locked.
        let senders = row.senders.as_deref().unwrap_or(&row.sender);
        let mut under_way: Vec<Uuid> = Vec::new();
        for sender in senders.split_whitespace() {
            under_way.extend(
                tx.fetch_values::<Uuid>(UNDER_WAY, values![key, sender])
                    .await?,
            );
        }
        let found = found.iter().filter(|id| !under_way.contains(id));
        let found = found.map(|&message_id| ToSend {
            message: MessageKey {
                account_id: key.account_id,
                message_id,
            },
            status: of_status.into_str(),
        });
        let again: Vec<MessageToSend> = tx.fetch_batch(LOCK, found.collect()).await?;
        let campaign = Campaign::read(&row)?;
        let (routes, campaign_sender) = (Routes::of(&campaign), row.sender.clone());
        let (mut changes, mut rows, mut due) = (Changes::default(), Vec::new(), Vec::new());
        for message in again {
            let counted = &message.counted;
            let kind = counted.kind.0;
            changes.count_change(key, counted, MessageStatus::Scheduled, message.accepted_day);
            changes.of(key, kind).add(Count::Parts, -counted.parts);
            let message_key = MessageKey {
                account_id: key.account_id,
                message_id: message.message_id,
            };
            let phone = message.phone.as_deref().unwrap_or_default();
            let sender = message.sender.as_deref().unwrap_or(&campaign_sender);
            let mut route = routes.keeping(phone, Some(sender));
            if of_status == MessageStatus::Unknown && route.sender == sender {
                // It may have been sent.
                route.sender_list = Some(OWN_SENDER.to_owned());
            }
            rows.push(ScheduledAgain {
                message: message_key,
                scheduled_at: now,
            });
            let key = DueKey {
                campaign: key,
                due_at: now,
                message_id: message.message_id,
            };
            due.push(NewDue {
                link_id: message.reminded_link_id,
                ..route.due(key)
            });
        }
        if status == CampaignStatus::Finished && !due.is_empty() {
            CampaignStatus::Running
                .into_str()
                .clone_into(&mut row.status);
            row.finished_at = None;
            row.updated_at = now;
            row.revision += 1;
            tx.update(row).await?;
        }
        tx.execute_batch(SCHEDULE_AGAIN, rows).await?;
        tx.execute_batch(MAKE_DUE, due).await?;
        tx.append_counts(changes).await?;
        tx.commit_surely().await?;
        Ok(None)
    }
}
