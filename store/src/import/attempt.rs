//! One try to import a body, which keeps what it has stored so far as long as nobody takes it over.

use std::sync::Arc;

use entity::{idempotency, import_batch};
use sea_orm::{ColumnTrait, Condition, Value};
use uuid::Uuid;

use crate::Error;
use crate::tx::Parameters;

/// One try to import a body.
#[derive(Clone, Debug)]
pub struct ImportAttempt {
    pub account_id: Uuid,
    /// The batch that it writes.
    pub batch_id: Uuid,
    /// Tells it from others that have its key.
    pub attempt: Uuid,
    /// The idempotency key that it answers under.
    pub key: Option<Arc<str>>,
    /// The campaign that sends to the batch's recipients.
    pub campaign_id: Option<Uuid>,
}

impl ImportAttempt {
    /// A new attempt at a new batch.
    pub fn new(account_id: Uuid, key: Option<String>, campaign_id: Option<Uuid>) -> Self {
        Self {
            account_id,
            batch_id: Uuid::now_v7(),
            attempt: Uuid::new_v4(),
            key: key.map(Arc::from),
            campaign_id,
        }
    }

    /// The row of its batch.
    pub(super) fn batch(&self) -> Condition {
        Condition::all()
            .add(import_batch::Column::AccountId.eq(self.account_id))
            .add(import_batch::Column::BatchId.eq(self.batch_id))
            .add(import_batch::Column::Attempt.eq(self.attempt))
    }

    /// The row of its key, as long as no other attempt took it over; `None`: it has no key.
    pub(super) fn reservation(&self) -> Option<Condition> {
        let key = self.key.as_deref()?;
        let row = Condition::all()
            .add(idempotency::Column::AccountId.eq(self.account_id))
            .add(idempotency::Column::IdempotencyKey.eq(key))
            .add(idempotency::Column::Attempt.eq(self.attempt));
        Some(row)
    }
}

/// Account, batch and attempt.
impl Parameters for &ImportAttempt {
    fn add_to(self, values: &mut Vec<Value>) {
        values.extend([self.account_id, self.batch_id, self.attempt].map(Value::from));
    }
}

/// Whether a statement found the attempt's row: it touched one.
pub(super) fn still_held(rows: u64) -> Result<(), Error> {
    if rows == 1 { Ok(()) } else { Err(Error::Lost) }
}
