//! Where there is something to count, and what is stored there.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use domain::rollup::Delta;
use uuid::Uuid;

use super::read::Sums;
use crate::form::FormKey;
use crate::report::rollup::{RollupKey, read_row};
use crate::tx::get;
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
        let rows = self
            .rows("SELECT account_id FROM account ORDER BY account_id", vec![])
            .await?;
        rows.iter().map(|row| get(row, "account_id")).collect()
    }

    /// Every form of every account, deleted ones too.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn all_forms(&self) -> Result<Vec<FormKey>, Error> {
        let rows = self
            .rows(
                "SELECT account_id, form_id FROM form ORDER BY account_id, form_id",
                vec![],
            )
            .await?;
        let forms = rows
            .iter()
            .map(|row| Ok(FormKey::new(get(row, "account_id")?, get(row, "form_id")?)));
        forms.collect()
    }

    /// The slices of a form, as of now: later days need no look.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn slices(&self, form: FormKey) -> Result<Slices, Error> {
        let days = self
            .rows(
                "SELECT day FROM rollup WHERE account_id = $1 AND form_id = $2
                  UNION SELECT day FROM feedback WHERE account_id = $1 AND form_id = $2
                  UNION SELECT day FROM visit_view WHERE account_id = $1 AND form_id = $2
                  UNION SELECT day FROM pending_delta WHERE account_id = $1 AND form_id = $2 ORDER BY day",
                form.values(),
            )
            .await?;
        let ids = self
            .rows(
                "SELECT DISTINCT bus_prop_id FROM rollup WHERE account_id = $1 AND form_id = $2 ORDER BY bus_prop_id",
                form.values(),
            )
            .await?;
        Ok(Slices {
            days: days
                .iter()
                .map(|row| get(row, "day"))
                .collect::<Result<_, _>>()?,
            bus_prop_ids: ids
                .iter()
                .map(|row| get(row, "bus_prop_id"))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Tx {
    /// The pending counts of a form's day.
    pub(super) async fn pending(&mut self, form: FormKey, day: NaiveDate) -> Result<Sums, Error> {
        let mut values = form.values();
        values.push(day.into());
        let rows = self
            .rows(
                "SELECT bus_prop_ids, delta FROM pending_delta WHERE account_id = $1 AND form_id = $2 AND day = $3",
                values,
            )
            .await?;
        let mut sums = Sums::default();
        for row in &rows {
            let (bus_prop_ids, delta): (String, Vec<u8>) =
                (get(row, "bus_prop_ids")?, get(row, "delta")?);
            sums.add(
                &bus_prop_ids,
                &Delta::decode(&delta).map_err(Error::broken)?,
            )?;
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
        let ids: Vec<&i64> = ids.collect();
        if ids.is_empty() {
            return Ok(());
        }
        let mut values = form.values();
        values.extend::<[sea_orm::Value; 2]>([
            day.into(),
            serde_json::to_string(&ids).map_err(Error::broken)?.into(),
        ]);
        let delete = self.dialect(
            "DELETE FROM rollup WHERE account_id = $1 AND form_id = $2 AND day = $3 AND bus_prop_id = ANY (
                    ARRAY(SELECT CAST(k.id AS bigint) FROM json_array_elements_text(CAST($4 AS json)) AS k(id)))",
            "DELETE FROM rollup WHERE account_id = $1 AND form_id = $2 AND day = $3
                AND bus_prop_id IN (SELECT value FROM json_each($4))",
        );
        self.execute(delete, values).await?;
        Ok(())
    }
}
