//! Counts of views, answers, erasures and messages that no rollup has yet: appended in the transaction of what they count, taken by the
//! roll-up ([`crate::report`]).

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use domain::rollup::{DayCounts, Delta};
use uuid::Uuid;

use super::LinkCounts;
use crate::form::FormKey;
use crate::tx::{BatchStatement, batch_row, sqlite_now, statement};
use crate::{Error, Result, Tx};

/// The counts of one transaction, also by link. Those of the same form, day and `bus_prop_ids` are one row.
#[derive(Debug, Default)]
pub(crate) struct PendingDeltas(BTreeMap<(FormKey, NaiveDate, String), (Delta, LinkCounts)>);

batch_row! {
    struct PendingDelta {
        form: FormKey,
        day: NaiveDate,
        bus_prop_ids: String,
        delta: Vec<u8>,
        link_counts: String,
        created_at: DateTime<Utc>,
    }
}

/// On PostgreSQL `created_at` is the server's clock by default.
const APPEND: &BatchStatement<PendingDelta> = statement!(PendingDelta:
    postgres: "INSERT INTO pending_delta (account_id, form_id, day, bus_prop_ids, delta, link_counts)
     SELECT account_id, form_id, day, bus_prop_ids, delta, link_counts FROM batch";
    sqlite: "INSERT INTO pending_delta ({columns}) SELECT {columns} FROM batch"
);

impl PendingDeltas {
    pub(crate) fn add(
        &mut self,
        form: FormKey,
        link_id: Uuid,
        day: NaiveDate,
        bus_prop_ids: &str,
        delta: &Delta,
    ) {
        let key = (form, day, bus_prop_ids.to_owned());
        let (sum, links) = self.0.entry(key).or_default();
        sum.merge(delta);
        links.add(link_id, delta.counts.views, delta.counts.responses);
    }

    /// Adds counts that are no link's.
    pub(crate) fn add_messages(
        &mut self,
        form: FormKey,
        day: NaiveDate,
        bus_prop_ids: &str,
        counts: DayCounts,
    ) {
        if counts != DayCounts::default() {
            let key = (form, day, bus_prop_ids.to_owned());
            self.0.entry(key).or_default().0.counts += counts;
        }
    }
}

impl Tx {
    /// Appends the counts.
    pub(crate) async fn append_pending(&self, deltas: PendingDeltas) -> Result<()> {
        let accounts = deltas.0.keys().map(|(form, ..)| form.account_id);
        self.note_work_of(accounts).await?;
        let created_at = sqlite_now();
        let rows = deltas.0.into_iter();
        let rows = rows.map(|((form, day, bus_prop_ids), (delta, links))| {
            Ok(PendingDelta {
                form,
                day,
                bus_prop_ids,
                delta: delta.encode(),
                link_counts: serde_json::to_string(&links).map_err(Error::broken)?,
                created_at,
            })
        });
        let rows = rows.collect::<Result<_>>()?;
        self.execute_batch(APPEND, rows).await
    }
}
