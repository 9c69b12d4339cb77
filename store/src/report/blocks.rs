//! Months of a form for those who keep copies of them.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use domain::month::Month;
use serde_json::json;

use super::MonthDays;
use crate::form::FormKey;
use crate::report::rollup::read_row;
use crate::tx::{Patience, get};
use crate::{Error, Store};

/// Months of a form, all as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormBlocks {
    pub epoch: i64,
    /// By `bus_prop_id` and month, in order.
    pub blocks: Vec<(i64, MonthDays)>,
}

const VERSIONS: &str = "SELECT e.epoch, m.month, m.version FROM cache_epoch e
       LEFT JOIN rollup_month m ON m.account_id = $1 AND m.form_id = $2 AND m.month BETWEEN $3 AND $4";

/// OFFSET keeps it a scan of the primary key for each block.
const DAYS_POSTGRES: &str = "SELECT r.* FROM json_array_elements(CAST($3 AS json)) AS k(value)
      CROSS JOIN LATERAL (
            SELECT r.* FROM rollup r
             WHERE r.account_id = $1 AND r.form_id = $2 AND r.bus_prop_id = CAST(k.value ->> 0 AS bigint)
               AND r.day BETWEEN CAST(k.value ->> 1 AS date) AND CAST(k.value ->> 2 AS date)
             OFFSET 0) r ORDER BY r.day";
const DAYS_SQLITE: &str = "SELECT r.* FROM json_each($3) k CROSS JOIN rollup r
         ON r.account_id = $1 AND r.form_id = $2 AND r.bus_prop_id = k.value ->> 0
        AND r.day BETWEEN k.value ->> 1 AND k.value ->> 2 ORDER BY r.day";

impl Store {
    /// The blocks of these places, by `bus_prop_id` and month; of months without data none.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn form_blocks(
        &self,
        form: FormKey,
        places: &BTreeSet<(i64, Month)>,
    ) -> Result<FormBlocks, Error> {
        let months: BTreeSet<Month> = places.iter().map(|(_, month)| *month).collect();
        let (Some(first), Some(last)) = (months.first(), months.last()) else {
            return Ok(FormBlocks {
                epoch: 0,
                blocks: Vec::new(),
            });
        };
        let mut tx = self.snapshot(Patience::Job).await?;
        let mut values = form.values();
        values.extend::<[sea_orm::Value; 2]>([first.first().into(), last.first().into()]);
        let (mut epoch, mut blocks) = (0, Vec::new());
        for row in tx.rows(VERSIONS, values).await? {
            epoch = get(&row, "epoch")?;
            let Some(month) = get::<Option<NaiveDate>>(&row, "month")?.map(Month::of) else {
                continue;
            };
            let version: i64 = get(&row, "version")?;
            let here = places.iter().filter(|place| place.1 == month);
            blocks.extend(here.map(|(id, month)| {
                let block = MonthDays {
                    month: *month,
                    version,
                    days: Vec::new(),
                };
                (*id, block)
            }));
        }
        blocks.sort_unstable_by_key(|(id, block)| (*id, block.month));
        let ends: Vec<_> = blocks
            .iter()
            .map(|(id, block)| json!([id, block.month.first(), block.month.last()]))
            .collect();
        let mut values = form.values();
        values.push(serde_json::Value::from(ends).to_string().into());
        let days = tx.dialect(DAYS_POSTGRES, DAYS_SQLITE);
        for row in tx.rows(days, values).await? {
            let (id, day): (i64, _) = (get(&row, "bus_prop_id")?, get(&row, "day")?);
            let place = (id, Month::of(day));
            if let Ok(found) = blocks.binary_search_by_key(&place, |(id, block)| (*id, block.month))
            {
                blocks[found].1.days.push((day, read_row(&row)?));
            }
        }
        Ok(FormBlocks { epoch, blocks })
    }
}
