//! One form's counts by day, of its whole or of one business property.

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::rollup::Delta;
use store::Store;
use store::form::{Form, FormKey};
use store::report::Version;
use store::rollup::WHOLE;

use super::Source;
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
    /// The commit time of the last change that is counted.
    pub as_of: DateTime<Utc>,
    pub form: Form,
    /// [`WHOLE`] where no business property was asked for.
    pub bus_prop_id: i64,
    /// In order; days on which nothing was counted may be missing.
    pub days: Vec<(NaiveDate, Delta)>,
    pub source: Source,
}

/// The counts of a form, of its whole or of the business property of the text `bus_prop` (`<name>:<value>`).
///
/// # Errors
/// The database is unavailable: without it no copy can be checked.
pub async fn form_series(
    store: &Store,
    _cache: &Cache,
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
        let Some(read) = store
            .form_days(form, bus_prop_id, range, |_, _| true)
            .await?
        else {
            return Ok(Found::NoForm);
        };
        // A draft's texts may have changed in between.
        if resolve(&read.head.form, bus_prop) != Some(bus_prop_id) {
            continue;
        }
        let days = read.read.into_iter().flat_map(|month| month.days);
        return Ok(Found::Is(FormSeries {
            version: read.head.version,
            as_of: read.head.as_of,
            form: read.head.form,
            bus_prop_id,
            days: days.filter(|(day, _)| range.contains(*day)).collect(),
            source: Source::Database,
        }));
    }
}

fn resolve(form: &Form, bus_prop: Option<&str>) -> Option<i64> {
    bus_prop.map_or(Some(WHOLE), |text| {
        let entry = form.content.bus_prop_by_text(text)?;
        Some(entry.id.into())
    })
}
