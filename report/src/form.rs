//! One form's counts by day, of its whole or of one business property, and its latest comments.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use domain::answer::AnswerMatch;
use domain::date_range::DateRange;
use domain::form::{Field, FieldKind, FormContent};
use domain::link::TrackFields;
use domain::month::Month;
use domain::rollup::{DayCounts, DecodeCounts, Delta, FieldCount};
use platform::cache::Cache;
use platform::places::Place;
use store::form::{Form, FormKey};
use store::report::{AnswerFilter, FeedbackQuery, FeedbackRow, Version, WHOLE};
use store::{Store, Tx};
use uuid::Uuid;

use super::{ReportSource, snapshot};
use crate::days::{LoadedDays, days};
use crate::entry::{CacheEntry, offer};

/// So many fields of short text have their latest answers in a report, the first that are answered.
const TEXT_FIELDS: usize = 10;
/// Where texts are rarer, those of so many responses are looked for.
const AMONG: usize = 20_000;

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
    /// How many of the latest answers to each field of short text, of [`TEXT_FIELDS`] at most.
    pub texts: usize,
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
    /// The keys of fields of short text, each with its latest answers, newest first.
    pub texts: Vec<(String, Vec<FeedbackRow>)>,
    pub source: ReportSource,
}

/// The latest answers in words, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenAnswers {
    pub form: Form,
    pub rows: Vec<FeedbackRow>,
    /// The first day from which on all are among these; `None`: not even those of the last day.
    pub since: Option<NaiveDate>,
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
    let (snapshot, place) = snapshot(store, query.form.account_id).await?;
    let read = match read(snapshot, cache, query).await? {
        FormLookup::Is(read) => read,
        FormLookup::NoForm => return Ok(FormLookup::NoForm),
        FormLookup::NoBusProp => return Ok(FormLookup::NoBusProp),
    };
    let ReadSeries {
        mut snapshot,
        listed,
        mut series,
        missing,
    } = read;
    let days = &series.days;
    let counted = days
        .iter()
        .map(|(day, delta)| (*day, delta.counts.comments));
    let comments = FeedbackQuery {
        comments_only: true,
        ..listed.clone()
    };
    let most = (query.comments, query.comments);
    series.comments = snapshot.latest(&comments, counted, most).await?.rows;
    if query.texts > 0 {
        series.texts = latest_texts(&mut snapshot, &listed, &series, query.texts).await?;
    }
    drop((snapshot, place));
    offer(cache, &missing).await;
    Ok(FormLookup::Is(series))
}

/// The latest answers to the fields of short text that anybody answered.
async fn latest_texts(
    snapshot: &mut Tx,
    listed: &FeedbackQuery,
    series: &FormSeries,
    most: usize,
) -> Result<Vec<(String, Vec<FeedbackRow>)>, store::Error> {
    let content = series.form.content.clone().for_reports();
    let mut texts = Vec::new();
    for key in text_keys(&content) {
        let count = |delta: &Delta| delta.fields.get(key).map_or(0, FieldCount::answers);
        let counted = series.days.iter().map(|(day, delta)| (*day, count(delta)));
        let counted: Vec<_> = counted.filter(|(_, answers)| *answers > 0).collect();
        if counted.is_empty() || texts.len() == TEXT_FIELDS {
            continue;
        }
        let query = FeedbackQuery {
            answers: AnswerFilter {
                answers: AnswerMatch::read(&content, key).into_iter().collect(),
                ..AnswerFilter::default()
            },
            ..listed.clone()
        };
        let latest = snapshot.latest(&query, counted, (most, most)).await?;
        texts.push((key.to_owned(), latest.rows));
    }
    Ok(texts)
}

/// The keys of the fields of short text.
fn text_keys(form: &FormContent) -> impl Iterator<Item = &str> {
    let fields = form.fields.iter();
    let texts = fields.filter(|field| field.kind == FieldKind::Text);
    texts.map(|field| field.key.as_str())
}

/// At most `most` of the latest answers of a form that have a comment or, if these are wanted too, a short text or one beside an option.
///
/// # Errors
/// Those of [`form_series`].
pub async fn written_answers(
    store: &Store,
    cache: &Cache,
    query: FormQuery<'_>,
    (with_texts, most): (bool, usize),
) -> Result<FormLookup<WrittenAnswers>, store::Error> {
    let (snapshot, _place) = snapshot(store, query.form.account_id).await?;
    let read = match read(snapshot, cache, query).await? {
        FormLookup::Is(read) => read,
        FormLookup::NoForm => return Ok(FormLookup::NoForm),
        FormLookup::NoBusProp => return Ok(FormLookup::NoBusProp),
    };
    let ReadSeries {
        mut snapshot,
        mut listed,
        series,
        ..
    } = read;
    let content = series.form.content.clone().for_reports();
    let is_text =
        |field: &Field| field.kind != FieldKind::Comment && field.written_name().is_some();
    listed.comments_only = !(with_texts && content.fields.iter().any(is_text));
    let among = if listed.comments_only { most } else { AMONG };
    if !listed.comments_only {
        let fields = content.fields.iter();
        listed.answers.any_of = fields.filter_map(Field::written_name).collect();
    }
    let days = series.days.iter().map(|(day, delta)| {
        let counts = delta.counts;
        let among = if listed.comments_only {
            counts.comments
        } else {
            counts.responses
        };
        (*day, among)
    });
    let latest = snapshot.latest(&listed, days, (most, among)).await?;
    Ok(FormLookup::Is(WrittenAnswers {
        rows: latest.rows,
        since: latest.since,
        form: series.form,
    }))
}

/// The newest comments of several forms together ([`NEWEST`](store::report::NEWEST) at most), newest first, as far as they are on the
/// days of their form, each with the id of its form; and these forms.
///
/// # Errors
/// The database is unavailable.
pub async fn newest_comments(
    store: &Store,
    account_id: Uuid,
    forms: &[(Uuid, DateRange)],
) -> Result<(Vec<(Uuid, FeedbackRow)>, BTreeMap<Uuid, Form>), store::Error> {
    if forms.is_empty() {
        return Ok((Vec::new(), BTreeMap::new()));
    }
    let (snapshot, _place) = snapshot(store, account_id).await?;
    let newest = snapshot.newest_comments(account_id, forms).await?;
    let having: BTreeSet<Uuid> = newest.iter().map(|(form_id, _)| *form_id).collect();
    let forms = snapshot.forms(account_id, having).await?.into_iter();
    Ok((newest, forms.map(|form| (form.form_id, form)).collect()))
}

/// A series whose texts are still to be read, in the snapshot of its counts.
struct ReadSeries {
    snapshot: Tx,
    /// The list of all that is counted.
    listed: FeedbackQuery,
    series: FormSeries,
    /// Entries that Redis lacks.
    missing: Vec<(String, Bytes)>,
}

/// Reads the counts of a form.
async fn read(
    mut snapshot: Tx,
    cache: &Cache,
    query: FormQuery<'_>,
) -> Result<FormLookup<ReadSeries>, store::Error> {
    let FormQuery { form, range, .. } = query;
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
        comments_only: false,
        track_fields: TrackFields::default(),
        answers: AnswerFilter::default(),
    };
    let series = FormSeries {
        version: head.version,
        as_of: head.as_of,
        form: head.form,
        days,
        comments: Vec::new(),
        texts: Vec::new(),
        source,
    };
    Ok(FormLookup::Is(ReadSeries {
        snapshot,
        listed,
        series,
        missing,
    }))
}

/// The counts of a business property on a day, or those of the whole form ([`WHOLE`](store::report::WHOLE)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusPropDay {
    pub bus_prop_id: i64,
    pub day: NaiveDate,
    pub counts: DayCounts,
}

/// Reads the counts of all business properties of a form, all as of one moment, from the database: few ask for all of them at once.
pub struct BusPropReader {
    form: FormKey,
    snapshot: Tx,
    _place: Option<Place>,
}

impl BusPropReader {
    /// # Errors
    /// The database is unavailable.
    pub async fn open(store: &Store, form: FormKey) -> Result<Self, store::Error> {
        let (snapshot, place) = snapshot(store, form.account_id).await?;
        Ok(Self {
            form,
            snapshot,
            _place: place,
        })
    }

    /// The version of the form's counts. `None`: the account has no such form.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn version(&self) -> Result<Option<Version>, store::Error> {
        self.snapshot.form_data_version(self.form).await
    }

    /// The counts of each business property and of the whole form on the days of a range; those without any are missing.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn days(mut self, range: DateRange) -> Result<Vec<BusPropDay>, store::Error> {
        let days = self.snapshot.bus_prop_days(self.form, range).await?;
        let days = days.into_iter().map(|(bus_prop_id, day, counters)| {
            Ok(BusPropDay {
                bus_prop_id,
                day,
                counts: DayCounts::decode(&counters)?,
            })
        });
        days.collect()
    }
}
