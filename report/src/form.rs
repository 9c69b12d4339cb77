//! One form's counts by day, of its whole or of one business property, and its latest comments.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use domain::date_range::DateRange;
use domain::link::TrackFields;
use domain::month::Month;
use domain::rollup::{DayCounts, DecodeCounts, Delta};
use platform::cache::Cache;
use store::Store;
use store::form::{Form, FormKey};
use store::report::{AnswerFilter, FeedbackQuery, FeedbackRow, Version, WHOLE};

use super::{ReportSource, snapshot};
use crate::days::{LoadedDays, days};
use crate::entry::{CacheEntry, offer};

/// The form and days of a report.
#[derive(Clone, Copy, Debug)]
pub struct FormQuery<'a> {
    pub form: FormKey,
    /// The text of a business property (`<name>:<value>`); `None`: the whole.
    pub bus_prop: Option<&'a str>,
    pub range: DateRange,
    /// The time zone of the account.
    pub time_zone: Tz,
    /// How many of the latest comments.
    pub comments: usize,
}

/// The result of a query about a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormLookup<T> {
    /// The account has no such form.
    NoForm,
    /// The form has no such business property.
    NoBusProp,
    Is(T),
}

/// The counts of a form on the days of a range, all as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormSeries {
    /// The version of the form and its counts. The comments may differ at the same version: one that was just stored or
    /// erased is not counted yet.
    pub version: Version,
    /// The commit time of the last change that is counted.
    pub as_of: DateTime<Utc>,
    pub form: Form,
    /// In order; days on which nothing was counted may be missing.
    pub days: Vec<(NaiveDate, Delta)>,
    /// The latest, newest first.
    pub comments: Vec<FeedbackRow>,
    pub source: ReportSource,
}

/// The counts of a form.
///
/// # Errors
/// The database is unavailable: without it nobody knows which entries of the cache may be used.
pub async fn form_series(
    store: &Store,
    cache: &Cache,
    query: FormQuery<'_>,
) -> Result<FormLookup<FormSeries>, store::Error> {
    let FormQuery { form, range, .. } = query;
    let (mut snapshot, place) = snapshot(store, form.account_id).await?;
    let Some(head) = snapshot.form_head(form).await? else {
        return Ok(FormLookup::NoForm);
    };
    let bus_prop = query.bus_prop;
    let bus_prop = bus_prop.map(|text| head.form.content.bus_prop_by_text(text).ok_or(()));
    let Ok(bus_prop) = bus_prop.transpose() else {
        return Ok(FormLookup::NoBusProp);
    };
    let bus_prop = bus_prop.map(|entry| entry.id);
    let bus_prop_id = bus_prop.map_or(WHOLE, i64::from);
    let months = (Month::of(range.start()), Month::of(range.end()));
    let entries = CacheEntry::of_form(&mut snapshot, form, bus_prop_id, months).await?;
    let read = async || {
        let days = snapshot.form_days(form, bus_prop_id, months).await?;
        let days = days.into_iter();
        Ok(days
            .map(|(day, delta)| (form.form_id, day, delta))
            .collect())
    };
    let LoadedDays {
        items,
        source,
        missing,
    } = days::<Delta>(cache, &entries, read).await?;
    let days = items.into_iter().map(|(_, day, delta)| (day, delta));
    let days: Vec<_> = days.filter(|(day, _)| range.contains(*day)).collect();
    let listed = FeedbackQuery {
        form,
        range,
        time_zone: query.time_zone,
        bus_prop_id: bus_prop,
        comments_only: true,
        track_fields: TrackFields::default(),
        answers: AnswerFilter::default(),
    };
    let counted = days
        .iter()
        .map(|(day, delta)| (*day, delta.counts.comments));
    let comments = snapshot
        .latest_comments(&listed, counted, query.comments)
        .await?;
    drop((snapshot, place));
    offer(cache, &missing).await;
    Ok(FormLookup::Is(FormSeries {
        version: head.version,
        as_of: head.as_of,
        form: head.form,
        days,
        comments,
        source,
    }))
}

/// The counts of a business property on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusPropDay {
    pub bus_prop_id: i64,
    pub day: NaiveDate,
    pub counts: DayCounts,
}

/// The counts of each business property of a form on the days of a range; those without any are missing. They are read from the
/// database: few ask for all of them at once.
///
/// # Errors
/// The database is unavailable.
pub async fn bus_prop_days(
    store: &Store,
    form: FormKey,
    range: DateRange,
) -> Result<Vec<BusPropDay>, store::Error> {
    let (mut snapshot, _place) = snapshot(store, form.account_id).await?;
    let days = snapshot.bus_prop_days(form, range).await?.into_iter();
    let days = days.map(|(bus_prop_id, day, counters)| {
        Ok(BusPropDay {
            bus_prop_id,
            day,
            counts: DayCounts::decode(&counters)?,
        })
    });
    days.collect()
}
