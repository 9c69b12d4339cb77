//! Where the recipients of messages came from, for traces.

use chrono::{DateTime, Utc};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::MessageKey;
use super::drive::Claimed;
use crate::tx::{BatchStatement, statement};
use crate::{Result, Store};

/// The import whose values a message's recipient has.
#[derive(Debug, FromQueryResult)]
pub struct MessageOrigin {
    pub message_id: Uuid,
    /// As the import keeps it.
    pub request_id: String,
    /// The import was for the message's campaign, and of one chunk.
    pub is_cause: bool,
    pub queued_at: Option<DateTime<Utc>>,
}

const ORIGINS: &BatchStatement<MessageKey> = statement!(MessageKey:
    "SELECT m.message_id, b.request_id, b.queued_at,
            b.lane = 'small' AND b.campaign_id IS NOT NULL AND b.campaign_id = m.campaign_id AS is_cause
       FROM batch
       JOIN message m ON m.account_id = batch.account_id AND m.message_id = batch.message_id
       JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
       JOIN import_batch b ON b.account_id = r.account_id AND b.batch_id = r.batch_id"
);

impl Store {
    /// The imports of claimed messages, as far as they are known yet.
    pub async fn message_origins(&self, claimed: &[Claimed]) -> Result<Vec<MessageOrigin>> {
        let keys = claimed.iter().map(|claimed| claimed.key.message());
        let tx = self.snapshot().await?;
        tx.fetch_batch(ORIGINS, keys.collect()).await
    }
}
