//! Counts of views, answers and erasures that no rollup has yet: appended in the transaction of what they count, taken by the
//! roll-up ([`crate::report`]).

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::rollup::Delta;
use uuid::Uuid;

use super::LinkCounts;
use crate::form::FormKey;
use crate::tx::{Sql, sqlite_now, values};
use crate::{Error, Tx};

/// The counts of one transaction, also by link. Those of the same form, day and `bus_prop_ids` are one row.
#[derive(Debug, Default)]
pub(crate) struct PendingDeltas(BTreeMap<(FormKey, NaiveDate, String), (Delta, LinkCounts)>);

/// `created_at` is the server's clock by default.
const APPEND_POSTGRES: &str =
    "INSERT INTO pending_delta (account_id, form_id, day, bus_prop_ids, delta, link_counts)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::bytea[], $6::text[])";
const APPEND_SQLITE: &str = "INSERT INTO pending_delta (account_id, form_id, day, bus_prop_ids, delta, link_counts, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)";

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
}

impl Tx {
    /// Appends the counts.
    pub(crate) async fn append_pending(&mut self, deltas: PendingDeltas) -> Result<(), Error> {
        if deltas.0.is_empty() {
            return Ok(());
        }
        if self.is_sqlite() {
            let now = sqlite_now();
            for ((form, day, bus_prop_ids), (delta, links)) in deltas.0 {
                let (delta, links) = (delta.encode(), links.encode()?);
                let row = values![form, day, bus_prop_ids, delta, links, now];
                self.execute(APPEND_SQLITE, row).await?;
            }
            return Ok(());
        }
        let mut columns = (vec![], vec![], vec![], vec![], vec![], vec![]);
        for ((form, day, bus_prop_ids), (delta, links)) in deltas.0 {
            columns.0.push(form.account_id);
            columns.1.push(form.form_id);
            columns.2.push(day);
            columns.3.push(bus_prop_ids);
            columns.4.push(delta.encode());
            columns.5.push(links.encode()?);
        }
        let (accounts, forms, days, bus_props, deltas, links) = columns;
        let columns = values![accounts, forms, days, bus_props, deltas, links];
        self.execute(APPEND_POSTGRES, columns).await?;
        Ok(())
    }
}
