//! The messages of a person who is erased, and what the account knows of the person's phones.

use std::collections::BTreeSet;

use domain::campaign::{Count, Counts, MessageKind, MessageStatus, SkipReason};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::ErasedPerson;
use crate::send::{CampaignKey, Changes};
use crate::tx::{Parsed, Sql, Statement, statement, values};
use crate::{Result, Tx};

/// What the person's messages were sent to, or would have been; of those that are kept no longer their links have it.
macro_rules! macs {
    () => {
        "SELECT coalesce(sent_mac, phone_mac) FROM message WHERE account_id = $1 AND docid = $2
          UNION ALL
         SELECT l.phone_mac FROM form f CROSS JOIN link_track_field t
           JOIN link l ON l.account_id = t.account_id AND l.link_id = t.link_id
          WHERE f.account_id = $1 AND t.account_id = f.account_id AND t.form_id = f.form_id AND t.track_field = $3"
    };
}

#[derive(FromQueryResult, PartialEq, Eq, PartialOrd, Ord)]
struct ScheduledMessage {
    campaign_id: Uuid,
    message_id: Uuid,
}

const SKIP: &Statement = statement!(
    "UPDATE message SET status = 'skipped', reason = 'erased' WHERE account_id = $1 AND message_id = $2 RETURNING kind"
);

impl Tx {
    /// Skips the person's scheduled messages. Campaigns are locked until the end, those that have none yet too: planning makes no
    /// message of what it read before. What was cancelled is counted as such, and ends by itself.
    pub(super) async fn skip_messages(&self, person: &ErasedPerson<'_>) -> Result<()> {
        let (account_id, docid) = (person.account_id, person.docid);
        let values = || values![account_id, docid];
        let campaigns = statement!(lock "FOR SHARE":
            "SELECT campaign_id FROM campaign
              WHERE account_id = $1 AND (status IN ('DRAFT', 'RUNNING', 'PAUSED') OR status <> 'CANCELLED'
                AND campaign_id IN (SELECT campaign_id FROM message WHERE account_id = $1 AND docid = $2))
              ORDER BY campaign_id"
        );
        let locked: Vec<Uuid> = self.fetch_values(campaigns, values()).await?;
        let locked: BTreeSet<Uuid> = locked.into_iter().collect();
        let scheduled = statement!(
            "SELECT campaign_id, message_id FROM message WHERE account_id = $1 AND docid = $2 AND status = 'scheduled'"
        );
        let mut scheduled: Vec<ScheduledMessage> = self.fetch_all(scheduled, values()).await?;
        // For an ORDER BY SQLite walks all messages of the account.
        scheduled.sort_unstable();
        let moved = Counts::moved(
            Count::Status(MessageStatus::Scheduled),
            Count::Skipped(SkipReason::Erased),
        );
        let mut changes = Changes::default();
        for message in scheduled {
            let (campaign_id, message_id) = (message.campaign_id, message.message_id);
            let key = CampaignKey::new(account_id, campaign_id);
            if !locked.contains(&campaign_id) || !self.delete_unclaimed(key, message_id).await? {
                continue;
            }
            let skipped = self.fetch_value(SKIP, values![account_id, message_id]);
            if let Some(Parsed::<MessageKind>(kind)) = skipped.await? {
                changes.of(key, kind).merge(&moved);
            }
        }
        // Planning goes on after whoever comes before the person.
        let cursor = statement!(
            "UPDATE campaign SET planned_to = coalesce((
                    SELECT r.docid FROM recipient r WHERE r.account_id = $1 AND r.docid < $2 AND r.phone IS NOT NULL
                     ORDER BY r.docid DESC LIMIT 1), '')
              WHERE account_id = $1 AND planned_to = $2"
        );
        self.execute(cursor, values()).await?;
        self.append_counts(changes).await
    }

    /// Skips tests that wait to be sent to the phone, whoever's fields they have.
    pub(super) async fn skip_tests(&self, account_id: Uuid, phone: &str) -> Result<()> {
        // Only tests have a phone: the index has them alone.
        let due = statement!(
            postgres: "DELETE FROM message_due WHERE account_id = $1 AND phone = $2 AND fence = 0 RETURNING message_id";
            sqlite: "DELETE FROM message_due INDEXED BY message_due_test
                      WHERE account_id = $1 AND phone = $2 AND fence = 0 RETURNING message_id"
        );
        let due: Vec<Uuid> = self.fetch_values(due, values![account_id, phone]).await?;
        for message_id in due {
            self.execute(SKIP, values![account_id, message_id]).await?;
        }
        Ok(())
    }

    /// Forgets whom phones of these MACs were, and what was to be replied to them.
    pub(super) async fn forget_phones(
        &self,
        person: &ErasedPerson<'_>,
        macs: impl Iterator<Item = [u8; 32]>,
    ) -> Result<()> {
        let account_id = person.account_id;
        for mac in macs {
            let whom = statement!(
                "UPDATE contact SET docid = NULL WHERE account_id = $1 AND phone_mac = $2 AND docid = $3"
            );
            self.execute(whom, values![account_id, mac.to_vec(), person.docid])
                .await?;
            let forget = statement!(
                "UPDATE reply SET sender = NULL, phone = NULL, text = NULL
                  WHERE account_id = $1 AND phone_mac = $2 AND sender IS NOT NULL"
            );
            self.execute(forget, values![account_id, mac.to_vec()])
                .await?;
        }
        Ok(())
    }

    /// Forgets whom the phones were that messages to the person went to, and what was to be replied to them. That they
    /// opted out stays.
    pub(super) async fn forget_contacts(&self, person: &ErasedPerson<'_>) -> Result<()> {
        let field = format!("docid={}", person.docid);
        let values = || values![person.account_id, person.docid, field.as_str()];
        let whom = statement!(
            "UPDATE contact SET docid = NULL WHERE account_id = $1 AND docid = $2 AND phone_mac IN (",
            macs!(),
            ")"
        );
        self.execute(whom, values()).await?;
        let reply = statement!(
            "UPDATE reply SET sender = NULL, phone = NULL, text = NULL
              WHERE account_id = $1 AND sender IS NOT NULL AND phone_mac IN (",
            macs!(),
            ")"
        );
        self.execute(reply, values()).await?;
        Ok(())
    }

    /// Forgets whose the messages are, but for what stands for the docid. How many they were.
    pub(super) async fn forget_messages(
        &self,
        person: &ErasedPerson<'_>,
        stand_in: &str,
    ) -> Result<u64> {
        let forget = statement!(
            "UPDATE message SET docid = $3, phone_mac = NULL, sent_mac = NULL
              WHERE account_id = $1 AND docid = $2 AND (docid <> $3 OR phone_mac IS NOT NULL OR sent_mac IS NOT NULL)"
        );
        let values = values![person.account_id, person.docid, stand_in];
        self.execute(forget, values).await
    }
}
