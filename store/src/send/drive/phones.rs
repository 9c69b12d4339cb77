//! Recipients who have another phone by now than when their message was planned: the phone is free for whoever shared it.

use domain::campaign::{Count, Counts, MessageKind, MessageStatus, SkipReason};
use uuid::Uuid;

use super::claims::Candidate;
use super::{DELETE_DUE, DueKey, LockedCampaign, StepTx, Wanted};
use crate::Result;
use crate::send::due::MAKE_DUE;
use crate::send::readmit::{READMIT, Readmitted};
use crate::send::{CampaignKey, MessageKey};
use crate::tx::{BatchStatement, Sql, Statement, batch_row, statement, values};

batch_row! {
    struct PhoneOfCampaign {
        campaign: CampaignKey,
        phone_mac: Vec<u8>,
    }
}

/// First messages that go to these phones.
const TO_PHONE: &BatchStatement<PhoneOfCampaign> = statement!(PhoneOfCampaign:
    "SELECT m.message_id FROM batch
       JOIN message m ON m.account_id = batch.account_id AND m.campaign_id = batch.campaign_id AND m.kind = 'first'
        AND m.phone_mac = batch.phone_mac
      WHERE m.kind <> 'test' AND m.reason IS DISTINCT FROM 'duplicate_phone'"
);
const FOLLOW: &Statement =
    statement!("UPDATE message SET phone_mac = $3 WHERE account_id = $1 AND message_id = $2");
const FOLLOW_TWICE: &Statement = statement!(
    "UPDATE message SET phone_mac = $3, status = 'skipped', reason = 'duplicate_phone' WHERE account_id = $1 AND message_id = $2"
);
const NEXT_OF_PHONE: &Statement = statement!(
    "SELECT message_id FROM message
      WHERE account_id = $1 AND campaign_id = $2 AND phone_mac = $3 AND reason = 'duplicate_phone' ORDER BY message_id LIMIT 1"
);

const PHONE: &Statement = statement!(
    "SELECT r.phone FROM message m JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
      WHERE m.account_id = $1 AND m.message_id = $2 AND r.phone IS NOT NULL"
);

impl StepTx<'_> {
    /// Lets messages go to the phones that their recipients have now, and gives those that may: one whose new phone has a message of the
    /// campaign is skipped. Who was skipped for the phone that is free now, comes after all. What was handed over once is left as it is.
    pub(super) async fn follow_phones(
        &mut self,
        (wanted, locked): (&Wanted, &LockedCampaign),
        candidates: Vec<Candidate>,
    ) -> Result<Vec<Candidate>> {
        let mut followed = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let planned = candidate.planned_mac.as_ref();
            let has_moved = candidate.due.kind == MessageKind::First
                && candidate.former_mac.is_none()
                && !candidate.macs.is_empty()
                && planned.is_some_and(|mac| !candidate.macs.contains(mac));
            if !has_moved || self.follow((wanted.campaign, locked), &candidate).await? {
                followed.push(candidate);
            }
        }
        Ok(followed)
    }

    /// Whether the message may go to its recipient's new phone.
    async fn follow(
        &mut self,
        (campaign, locked): (CampaignKey, &LockedCampaign),
        candidate: &Candidate,
    ) -> Result<bool> {
        let message_id = candidate.key.message_id;
        let [new, ..] = &candidate.macs[..] else {
            return Ok(true);
        };
        let phones = candidate.macs.iter().map(|mac| PhoneOfCampaign {
            campaign,
            phone_mac: mac.clone(),
        });
        let there: Vec<Uuid> = self
            .tx
            .fetch_batch_values(TO_PHONE, phones.collect())
            .await?;
        let is_free = there.is_empty();
        let follow = if is_free { FOLLOW } else { FOLLOW_TWICE };
        let message = values![candidate.key.message(), new.clone()];
        self.tx.execute(follow, message).await?;
        if !is_free {
            self.skip_now(campaign, SkipReason::DuplicatePhone);
            self.tx
                .execute_batch(DELETE_DUE, vec![candidate.key])
                .await?;
        }
        if let Some(planned) = &candidate.planned_mac {
            let next = values![campaign, planned.clone()];
            let next: Option<Uuid> = self.tx.fetch_value(NEXT_OF_PHONE, next).await?;
            if let Some(next) = next.filter(|next| *next != message_id) {
                self.come_after_all((campaign, locked), next).await?;
            }
        }
        Ok(is_free)
    }

    /// Counts a scheduled first message as skipped.
    fn skip_now(&mut self, campaign: CampaignKey, reason: SkipReason) {
        let first = (campaign, MessageKind::First);
        let skipped = Count::Skipped(reason);
        self.changes.moved(first, MessageStatus::Scheduled, skipped);
    }

    /// Schedules a message that was skipped because another one went to its phone.
    async fn come_after_all(
        &mut self,
        (campaign, locked): (CampaignKey, &LockedCampaign),
        message_id: Uuid,
    ) -> Result<()> {
        let skipped = Count::Skipped(SkipReason::DuplicatePhone);
        let scheduled = Count::Status(MessageStatus::Scheduled);
        let first = self.changes.of(campaign, MessageKind::First);
        first.merge(&Counts::moved(skipped, scheduled));
        let message = MessageKey {
            account_id: campaign.account_id,
            message_id,
        };
        let recipient = self.tx.fetch_value(PHONE, values![message]);
        let recipient: Option<String> = recipient.await?;
        let route = locked.routes().to(recipient.as_deref().unwrap_or_default());
        let message = Readmitted {
            message,
            sender: route.own(),
            scheduled_at: self.now,
        };
        let due = route.due(DueKey {
            campaign,
            due_at: self.now,
            message_id,
        });
        self.tx.execute_batch(READMIT, vec![message]).await?;
        self.tx.execute_batch(MAKE_DUE, vec![due]).await
    }
}
