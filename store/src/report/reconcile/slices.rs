//! Where there is something to count, and what is stored there.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use domain::rollup::Delta;
use uuid::Uuid;

use super::read::Sums;
use crate::form::FormKey;
use crate::report::rollup::{RollupKey, read_row};
use crate::tx::{Sql, get, values};
use crate::{Error, Store, Tx};

/// Where a form has counts or what is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slices {
    /// In order.
    pub days: Vec<NaiveDate>,
    /// Those in the rollup, also ids that the form has not.
    pub bus_prop_ids: Vec<i64>,
}

impl Store {
    /// Every account.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn all_accounts(&self) -> Result<Vec<Uuid>, Error> {
        self.all("SELECT account_id FROM account ORDER BY account_id", vec![])
            .await
    }

    /// Every form of every account, deleted ones too.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn all_forms(&self) -> Result<Vec<FormKey>, Error> {
        let forms = "SELECT account_id, form_id FROM form ORDER BY account_id, form_id";
        let forms = self.all(forms, vec![]).await?.into_iter();
        Ok(forms
            .map(|(account_id, form_id)| FormKey::new(account_id, form_id))
            .collect())
    }

    /// The slices of a form, as of now: later days need no look.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn slices(&self, form: FormKey) -> Result<Slices, Error> {
        let days = "SELECT day FROM rollup WHERE account_id = $1 AND form_id = $2
              UNION SELECT day FROM feedback WHERE account_id = $1 AND form_id = $2
              UNION SELECT day FROM visit_view WHERE account_id = $1 AND form_id = $2
              UNION SELECT day FROM pending_delta WHERE account_id = $1 AND form_id = $2 ORDER BY day";
        let ids = "SELECT DISTINCT bus_prop_id FROM rollup WHERE account_id = $1 AND form_id = $2 ORDER BY bus_prop_id";
        Ok(Slices {
            days: self.all(days, values![form]).await?,
            bus_prop_ids: self.all(ids, values![form]).await?,
        })
    }
}

impl Tx {
    /// The pending counts of a form's day.
    pub(super) async fn pending(&mut self, form: FormKey, day: NaiveDate) -> Result<Sums, Error> {
        let pending: Vec<(String, Vec<u8>)> = self
            .all(
                "SELECT bus_prop_ids, delta FROM pending_delta WHERE account_id = $1 AND form_id = $2 AND day = $3",
                values![form, day],
            )
            .await?;
        let mut sums = Sums::default();
        for (bus_prop_ids, delta) in &pending {
            let delta = Delta::decode(delta).map_err(Error::broken)?;
            sums.add(bus_prop_ids, &delta)?;
        }
        Ok(sums)
    }

    /// The rows of a form's day, found one by one by their key.
    pub(super) async fn rollup_of_day(
        &mut self,
        form: FormKey,
        day: NaiveDate,
        ids: &BTreeSet<i64>,
    ) -> Result<BTreeMap<i64, Delta>, Error> {
        let keys: Vec<RollupKey> = ids.iter().map(|id| (*id, day)).collect();
        let rows = self.rollup_at(form, &keys).await?;
        rows.iter()
            .map(|row| Ok((get(row, "bus_prop_id")?, read_row(row)?)))
            .collect()
    }

    /// Removes rows of a form's day. The form is this transaction's.
    pub(super) async fn remove_from_rollup(
        &mut self,
        form: FormKey,
        day: NaiveDate,
        ids: impl Iterator<Item = &i64>,
    ) -> Result<(), Error> {
        for id in ids {
            self.execute(
                "DELETE FROM rollup WHERE account_id = $1 AND form_id = $2 AND bus_prop_id = $3 AND day = $4",
                values![form, *id, day],
            )
            .await?;
        }
        Ok(())
    }
}
