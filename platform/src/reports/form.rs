//! One form's counts by day, of its whole or of one business property.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::month::Month;
use domain::rollup::{Delta, month};
use store::Store;
use store::form::{Form, FormKey};
use store::report::{FormHead, Version, WHOLE};

use super::blocks::{self, Copy};
use super::{Source, turn};
use crate::cache::Cache;

/// What was asked for, or what of it there is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<T> {
    /// The account has no such form.
    NoForm,
    /// The form has no such business property.
    NoBusProp,
    Is(T),
}

/// The counts of a form on the days of a range, all as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormSeries {
    pub version: Version,
    /// When the last change that is counted was made.
    pub as_of: DateTime<Utc>,
    pub form: Form,
    /// [`WHOLE`] where no business property was asked for.
    pub bus_prop_id: i64,
    /// In order; days on which nothing was counted may be missing.
    pub days: Vec<(NaiveDate, Delta)>,
    pub source: Source,
}

/// Months that are in hand, with the version that each is of.
type Known = BTreeMap<Month, (i64, Vec<(NaiveDate, Delta)>)>;

/// The counts of a form, of its whole or of the business property of the text `bus_prop` (`<name>:<value>`).
///
/// # Errors
/// The database is unavailable: without it no copy can be checked.
pub async fn form_series(
    store: &Store,
    cache: &Cache,
    form: FormKey,
    bus_prop: Option<&str>,
    range: DateRange,
) -> Result<Found<FormSeries>, store::Error> {
    loop {
        let Some(head) = store.form_head(form, range).await? else {
            return Ok(Found::NoForm);
        };
        let Some(bus_prop_id) = resolve(&head.form, bus_prop) else {
            return Ok(Found::NoBusProp);
        };
        let mut known = copies(cache, form, bus_prop_id, &head).await;
        if !known.is_empty() && known.len() == head.months.len() {
            let series = series(head, bus_prop_id, known, range, Source::Cache);
            return Ok(Found::Is(series));
        }
        let turn = turn().await;
        let wanted = |month, version| known.get(&month).is_none_or(|(known, _)| *known != version);
        let read = store.form_days(form, bus_prop_id, range, wanted).await?;
        drop(turn);
        let Some(read) = read else {
            return Ok(Found::NoForm);
        };
        // In between a draft's texts may have changed, or a rebuild have ended.
        let epoch = read.head.version.epoch;
        if epoch != head.version.epoch || resolve(&read.head.form, bus_prop) != Some(bus_prop_id) {
            continue;
        }
        let fresh = read.read.iter();
        let fresh = fresh
            .map(|block| Copy::of(epoch, form, bus_prop_id, block))
            .collect();
        blocks::offer(cache, fresh).await;
        let read_months = read.read.into_iter();
        known.extend(read_months.map(|block| (block.month, (block.version, block.days))));
        let series = series(read.head, bus_prop_id, known, range, Source::Database);
        return Ok(Found::Is(series));
    }
}

fn resolve(form: &Form, bus_prop: Option<&str>) -> Option<i64> {
    bus_prop.map_or(Some(WHOLE), |text| {
        let entry = form.content.bus_prop_by_text(text)?;
        Some(entry.id.into())
    })
}

/// Those months of the head of which the cache has right copies.
async fn copies(cache: &Cache, form: FormKey, bus_prop_id: i64, head: &FormHead) -> Known {
    let key = |month| blocks::key(head.version.epoch, form, bus_prop_id, month);
    let months = head.months.iter();
    let wanted: Vec<_> = months
        .map(|(month, version)| (key(*month), *version))
        .collect();
    let copies = cache.get_many(&wanted).await;
    let months = head.months.iter().zip(copies);
    let known = months.filter_map(|((month, version), bytes)| {
        // What cannot be read, a newer process wrote.
        let days = month::decode(*month, &bytes?).ok()?;
        Some((*month, (*version, days)))
    });
    known.collect()
}

/// All months of the head are known in its versions.
fn series(
    head: FormHead,
    bus_prop_id: i64,
    known: Known,
    range: DateRange,
    source: Source,
) -> FormSeries {
    let days = known.into_values().flat_map(|(_, days)| days);
    FormSeries {
        version: head.version,
        as_of: head.as_of,
        form: head.form,
        bus_prop_id,
        days: days.filter(|(day, _)| range.contains(*day)).collect(),
        source,
    }
}
