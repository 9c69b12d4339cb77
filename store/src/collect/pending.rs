//! Counts of views, answers and erasures that no rollup has yet: appended in the transaction of what they count, taken by the
//! roll-up ([`crate::report`]).

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::rollup::Delta;
use sea_orm::sqlx;

use crate::form::FormKey;
use crate::tx::{Inner, sqlite_now};
use crate::{Error, Tx};

/// The counts of one transaction. Those of the same form, day and `bus_prop_ids` are one row.
#[derive(Debug, Default)]
pub(crate) struct PendingDeltas(BTreeMap<(FormKey, NaiveDate, String), Delta>);

impl PendingDeltas {
    pub(crate) fn add(&mut self, form: FormKey, day: NaiveDate, bus_prop_ids: &str, delta: &Delta) {
        self.0
            .entry((form, day, bus_prop_ids.to_owned()))
            .or_default()
            .merge(delta);
    }
}

impl Tx {
    /// Appends the counts.
    pub(crate) async fn append_pending(&mut self, deltas: PendingDeltas) -> Result<(), Error> {
        if deltas.0.is_empty() {
            return Ok(());
        }
        // On PostgreSQL `created_at` is the server's clock by default.
        match &mut self.inner {
            Inner::Postgres(tx) => {
                let mut columns = (vec![], vec![], vec![], vec![], vec![]);
                for ((form, day, bus_prop_ids), delta) in deltas.0 {
                    columns.0.push(form.account_id);
                    columns.1.push(form.form_id);
                    columns.2.push(day);
                    columns.3.push(bus_prop_ids);
                    columns.4.push(delta.encode());
                }
                sqlx::query(
                    "INSERT INTO pending_delta (account_id, form_id, day, bus_prop_ids, delta)
                     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::date[], $4::text[], $5::bytea[])",
                )
                .bind(columns.0)
                .bind(columns.1)
                .bind(columns.2)
                .bind(columns.3)
                .bind(columns.4)
                .execute(&mut **tx)
                .await?;
            }
            Inner::Sqlite(tx) => {
                let now = sqlite_now();
                for ((form, day, bus_prop_ids), delta) in deltas.0 {
                    sqlx::query(
                        "INSERT INTO pending_delta (account_id, form_id, day, bus_prop_ids, delta, created_at)
                         VALUES ($1, $2, $3, $4, $5, $6)",
                    )
                    .bind(form.account_id)
                    .bind(form.form_id)
                    .bind(day)
                    .bind(bus_prop_ids)
                    .bind(delta.encode())
                    .bind(now)
                    .execute(&mut **tx)
                    .await?;
                }
            }
        }
        Ok(())
    }
}
