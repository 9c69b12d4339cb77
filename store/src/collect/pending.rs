//! Counts of views, answers and erasures that no rollup has yet: appended in the transaction of what they count, taken by the
//! roll-up ([`crate::report`]).

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::rollup::Delta;
use sea_orm::sqlx;
use uuid::Uuid;

use super::LinkCounts;
use crate::form::FormKey;
use crate::tx::{Inner, sqlite_now};
use crate::{Error, Tx};

/// The counts of one transaction, also by link. Those of the same form, day and `bus_prop_ids` are one row.
#[derive(Debug, Default)]
pub(crate) struct PendingDeltas(BTreeMap<(FormKey, NaiveDate, String), (Delta, LinkCounts)>);

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
        // On PostgreSQL `created_at` is the server's clock by default.
        match self.inner() {
            Inner::Postgres(tx) => {
                let mut columns = (vec![], vec![], vec![], vec![], vec![], vec![]);
                for ((form, day, bus_prop_ids), (delta, links)) in deltas.0 {
                    columns.0.push(form.account_id);
                    columns.1.push(form.form_id);
                    columns.2.push(day);
                    columns.3.push(bus_prop_ids);
                    columns.4.push(delta.encode());
                    columns.5.push(links.encode()?);
                }
                sqlx::query(
                    "INSERT INTO pending_delta (account_id, form_id, day, bus_prop_ids, delta, link_counts)
                     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::bytea[], $6::text[])",
                )
                .bind(columns.0)
                .bind(columns.1)
                .bind(columns.2)
                .bind(columns.3)
                .bind(columns.4)
                .bind(columns.5)
                .execute(&mut **tx)
                .await?;
            }
            Inner::Sqlite(tx) => {
                let now = sqlite_now();
                for ((form, day, bus_prop_ids), (delta, links)) in deltas.0 {
                    sqlx::query(
                        "INSERT INTO pending_delta (account_id, form_id, day, bus_prop_ids, delta, link_counts,
                                created_at)
                         VALUES ($1, $2, $3, $4, $5, $6, $7)",
                    )
                    .bind(form.account_id)
                    .bind(form.form_id)
                    .bind(day)
                    .bind(bus_prop_ids)
                    .bind(delta.encode())
                    .bind(links.encode()?)
                    .bind(now)
                    .execute(&mut **tx)
                    .await?;
                }
            }
        }
        Ok(())
    }
}
