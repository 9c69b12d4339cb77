//! Sending messages again: because a person asks for it, and for no other reason.

use chrono::{DateTime, NaiveDate, Utc};
use domain::campaign::{CampaignStatus, Count, MessageStatus};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::drive::DueKey;
use super::due::{MAKE_DUE, NewDue};
use super::tally::{Changes, Counted};
use super::{CampaignChange, CampaignKey, MessageKey};
use crate::tx::{BatchStatement, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Store};

/// Messages that one transaction schedules again.
const SLICE: i64 = 5_000;

/// Whoever answered got it.
const TO_SEND_AGAIN: &Statement = statement!(lock "FOR NO KEY UPDATE OF m":
    "SELECT m.account_id, m.message_id, m.kind, m.status, m.parts, m.accepted_day, false AS is_answered, l.form_id, l.bus_prop_ids
       FROM message m LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
      WHERE m.account_id = $1 AND m.campaign_id = $2 AND m.status = $3 AND m.kind <> 'test' AND m.answered_at IS NULL
      ORDER BY m.account_id, m.message_id LIMIT $4"
);

#[derive(FromQueryResult)]
struct MessageToSend {
    message_id: Uuid,
    accepted_day: Option<NaiveDate>,
    #[sea_orm(nested)]
    counted: Counted,
}

batch_row! {
    struct ScheduledAgain {
        message: MessageKey,
        scheduled_at: DateTime<Utc>,
    }
}

/// A receipt may still tell that one of an unknown result was sent, so that it is not sent again; of the others all is known.
const SCHEDULE_AGAIN: &BatchStatement<ScheduledAgain> = statement!(ScheduledAgain:
    "UPDATE message AS m SET status = 'scheduled', code = NULL, scheduled_at = batch.scheduled_at, accepted_at = NULL, accepted_day = NULL,
            part_states = CASE WHEN m.status = 'unknown' THEN m.part_states ELSE '' END
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
    /// Schedules the messages of a campaign again that have one of the statuses [`MAY_BE_RESENT`] and were not answered. A campaign that
    /// is FINISHED runs again for them. What was counted of the first attempt is not counted any more.
    ///
    /// # Errors
    /// Some may be scheduled then; doing it again is safe.
    pub async fn resend_messages(
        &self,
        key: CampaignKey,
        status: MessageStatus,
    ) -> Result<CampaignChange> {
        loop {
            match self.resend_slice(key, status).await? {
                Err(refused) => return Ok(refused),
                Ok(scheduled) if i64::try_from(scheduled).is_ok_and(|all| all >= SLICE) => {}
                Ok(_) => break,
            }
        }
        let campaign = self.campaign(key).await?;
        Ok(campaign.map_or(CampaignChange::NotFound, |campaign| {
            CampaignChange::Done(Box::new(campaign))
        }))
    }

    /// How many it scheduled, or why none.
    async fn resend_slice(
        &self,
        key: CampaignKey,
        of_status: MessageStatus,
    ) -> Result<std::result::Result<usize, CampaignChange>> {
        let mut tx = self.begin_long().await?;
        let Some(mut row) = tx.lock_campaign(key).await? else {
            return Ok(Err(CampaignChange::NotFound));
        };
        let status: CampaignStatus = row.status.parse().map_err(Error::broken)?;
        if matches!(status, CampaignStatus::Draft | CampaignStatus::Cancelled) {
            return Ok(Err(CampaignChange::Refused(status)));
        }
        let now = tx.now().await?;
        let values = values![key, of_status.into_str(), SLICE];
        let again: Vec<MessageToSend> = tx.fetch_all(TO_SEND_AGAIN, values).await?;
        let (mut changes, mut rows, mut due) = (Changes::default(), Vec::new(), Vec::new());
        let scheduled = again.len();
        for message in again {
            let counted = &message.counted;
            let kind = counted.kind.0;
            changes.count_change(key, counted, MessageStatus::Scheduled, message.accepted_day);
            changes.of(key, kind).add(Count::Parts, -counted.parts);
            let message_key = MessageKey {
                account_id: key.account_id,
                message_id: message.message_id,
            };
            rows.push(ScheduledAgain {
                message: message_key,
                scheduled_at: now,
            });
            let key = DueKey {
                campaign: key,
                due_at: now,
                message_id: message.message_id,
            };
            let sender = row.sender.clone();
            due.push(NewDue { key, sender });
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
        Ok(Ok(scheduled))
    }
}
