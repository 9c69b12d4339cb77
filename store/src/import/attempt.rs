//! One try to import a body, which keeps what it has stored so far as long as nobody takes it over.

use std::sync::Arc;

use sea_orm::Value;
use uuid::Uuid;

use crate::Error;
use crate::tx::{IntoValues, values};

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
    /// Of the file, as its caller named it.
    pub name: Option<String>,
    /// The key or the person who imports, as the audit log names them.
    pub made_by: Option<String>,
    /// From where, as the audit log has it.
    pub made_from: Option<String>,
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
            name: None,
            made_by: None,
            made_from: None,
        }
    }

    /// Account, key and attempt, which lead to the row of its key as long as no other attempt took it over; `None`: it has no key.
    pub(super) fn reservation(&self) -> Option<Vec<Value>> {
        let key = self.key.as_deref()?;
        Some(values![self.account_id, key, self.attempt])
    }
}

/// Account, batch and attempt.
impl IntoValues for &ImportAttempt {
    fn add_to(self, values: &mut Vec<Value>) {
        values.extend([self.account_id, self.batch_id, self.attempt].map(Value::from));
    }
}

/// Whether a statement found the attempt's row: it touched one.
pub(super) fn still_held(rows: u64) -> Result<(), Error> {
    if rows == 1 { Ok(()) } else { Err(Error::Lost) }
}
