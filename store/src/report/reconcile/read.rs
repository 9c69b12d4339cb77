//! What is stored of a slice, read row by row and summed up.

use std::collections::{BTreeMap, HashMap};
use std::iter;

use chrono::NaiveDate;
use domain::answer::Answers;
use domain::form::FormContent;
use domain::link::BusPropIds;
use domain::rollup::{DayCounts, Delta};
use futures::TryStreamExt;
use sea_orm::Value;

use crate::collect::LinkCounts;
use crate::form::FormKey;
use crate::report::feedback::Bounds;
use crate::report::rollup::WHOLE;
use crate::tx::{get, values};
use crate::{Error, Tx};

/// Rows that say what they count: answers one by one, views as many as they are, pending rows that were taken with what they
/// count of links.
macro_rules! slice {
    () => {
        "SELECT f.bus_prop_ids, f.answers, CAST(0 AS bigint) AS views,
                CAST(NULL AS text) AS link_counts FROM feedback f
          WHERE f.account_id = $1 AND f.form_id = $2 AND f.day = $3 AND f.feedback_id >= $4 AND f.feedback_id < $5
          UNION ALL
         SELECT l.bus_prop_ids, NULL, count(*), NULL
           FROM visit_view v JOIN link l ON l.account_id = v.account_id AND l.link_id = v.link_id
          WHERE v.account_id = $1 AND v.form_id = $2 AND v.day = $3 GROUP BY l.bus_prop_ids"
    };
}

pub(super) const STORED: &str = slice!();
/// One statement, so one snapshot also where each statement has its own.
pub(super) const TAKING: &str = concat!(
    "WITH gone AS (DELETE FROM pending_delta WHERE account_id = $1 AND form_id = $2 AND day = $3
      RETURNING link_counts) ",
    slice!(),
    " UNION ALL SELECT '', NULL, 0, link_counts FROM gone"
);

pub(super) fn values(form: FormKey, day: NaiveDate) -> Vec<Value> {
    let bounds = Bounds::of_days(day, day);
    values![form, day, bounds.from, bounds.below]
}

/// Sums by the text of `bus_prop_ids`, of which there are few, while a row may name fifty business properties.
#[derive(Debug, Default)]
pub(super) struct Sums {
    alike: HashMap<String, Delta>,
    ids: HashMap<String, BusPropIds>,
    /// Pending rows that were taken, and what they count of links.
    pub taken: usize,
    pub links: LinkCounts,
}

impl Sums {
    pub(super) fn add(&mut self, bus_prop_ids: &str, delta: &Delta) -> Result<(), Error> {
        if let Some(sum) = self.alike.get_mut(bus_prop_ids) {
            sum.merge(delta);
            return Ok(());
        }
        let ids = bus_prop_ids.parse().map_err(Error::broken)?;
        self.ids.insert(bus_prop_ids.to_owned(), ids);
        self.alike.insert(bus_prop_ids.to_owned(), delta.clone());
        Ok(())
    }

    /// Notes a pending row that was taken.
    pub(super) fn take(&mut self, link_counts: &str) -> Result<(), Error> {
        self.taken += 1;
        self.links.merge(&LinkCounts::decode(link_counts)?);
        Ok(())
    }

    /// Of the whole and of each business property, those that count anything.
    pub(super) fn by_bus_prop(self) -> BTreeMap<i64, Delta> {
        let mut sums: BTreeMap<i64, Delta> = BTreeMap::new();
        for (text, sum) in &self.alike {
            let ids = self.ids.get(text).into_iter().flat_map(BusPropIds::iter);
            for id in iter::once(WHOLE).chain(ids.map(i64::from)) {
                sums.entry(id).or_default().merge(sum);
            }
        }
        sums.retain(|_, sum| !sum.is_zero());
        sums
    }
}

pub(super) async fn sums(
    tx: &mut Tx,
    sql: &'static str,
    values: Vec<Value>,
    content: &FormContent,
) -> Result<Sums, Error> {
    let mut sums = Sums::default();
    let mut rows = tx.stream(sql, values);
    while let Some(row) = rows.try_next().await? {
        let bus_prop_ids: String = get(&row, "bus_prop_ids")?;
        let answers: Option<String> = get(&row, "answers")?;
        if let Some(answers) = answers {
            let answers = serde_json::from_str(&answers).map_err(Error::broken)?;
            let answers = Answers::from_stored(content, answers).map_err(Error::broken)?;
            sums.add(&bus_prop_ids, &Delta::answer(content, &answers))?;
            continue;
        }
        if let Some(links) = get::<Option<String>>(&row, "link_counts")? {
            sums.take(&links)?;
            continue;
        }
        let counts = DayCounts {
            views: get(&row, "views")?,
            ..DayCounts::default()
        };
        let views = Delta {
            counts,
            ..Delta::default()
        };
        sums.add(&bus_prop_ids, &views)?;
    }
    Ok(sums)
}
