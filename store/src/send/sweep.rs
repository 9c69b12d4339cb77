//! What of sending is kept for a time alone.

use chrono::TimeDelta;

use crate::tx::{Sql, values};
use crate::{Error, Store};

/// Tables, when their rows came, and for how long they stay.
const KEPT: [(&str, &str, TimeDelta); 5] = [
    // Providers repeat a text for a day at most.
    ("inbound", "received_at", TimeDelta::days(2)),
    // What waited longer is not sent any more. As long it is known that there was a reply that day.
    ("reply", "made_at", TimeDelta::days(2)),
    ("receipt", "received_at", TimeDelta::days(90)),
    // As long receipts by the provider's id lead to messages.
    ("provider_ref", "created_at", TimeDelta::days(90)),
    // For the answer that is still on its way.
    ("stray_receipt", "received_at", TimeDelta::hours(1)),
];

impl Store {
    /// Deletes what is older than it is kept.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn sweep_sending(&self) -> Result<(), Error> {
        let now = self.now().await?;
        for (table, since, kept) in KEPT {
            let delete = format!("DELETE FROM {table} WHERE {since} < $1");
            self.execute(delete, values![now - kept]).await?;
        }
        Ok(())
    }
}
