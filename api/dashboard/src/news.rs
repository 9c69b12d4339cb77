//! What the overview says beside its figures: the newest comments, and the stores that differ. Both are kept by the version of the
//! counts, because they cost more than these.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use api_http::{AppState, Problem, Result};
use chrono::NaiveDate;
use domain::date_range::DateRange;
use domain::form::{FormContent, FormStatus};
use moka::future::Cache;
use report::{AccountSeries, BusPropReader};
use store::Store;
use store::form::FormKey;
use store::report::{NEWEST, Version};
use uuid::Uuid;

use crate::comments::{Comment, comments};
use crate::figure::{ALL_FORMS, AnswerFigures};
use crate::figures::{Change, Verdict};
use crate::page::Frame;
use crate::range::Range;
use crate::stores::comparison::{BusPropComparison, default_property, points};
use crate::stores::counts::{CountedDays, CountedValues};

/// So many characters of each are kept, more than are shown.
const CHARS: usize = 400;
/// Of so many forms at most, where many have new ones; among as many with the most answers one with stores is looked for.
const FORMS: usize = 8;
/// So many stores are shown.
const STORES: usize = 5;
/// So many accounts and ranges are kept.
const KEPT: u64 = 1_000;
/// How long stores may be those of a version before: where answers come all the time, they are not compared anew for each.
const MAX_AGE: Duration = Duration::from_secs(5);

/// An account, some days, those that they are compared with, and a version of its counts.
type Key = (Uuid, DateRange, Option<DateRange>, Version);

/// What this process has found.
pub struct News {
    comments: Cache<Key, Arc<Vec<NewComment>>>,
    stores: Cache<Key, Arc<Option<Stores>>>,
    /// The version whose stores are shown.
    compared: Cache<(Uuid, DateRange, Option<DateRange>), Version>,
}

/// A comment, and the form that has it.
pub struct NewComment {
    pub form_id: String,
    pub comment: Comment,
}

/// The comparison of the stores of the form with the most responses, of those that have stores.
pub struct Stores {
    pub form_id: String,
    pub title: String,
    /// The name of the business property that is compared.
    pub property: String,
    /// Those that differ by more than chance: first those below the rest, then the others, each lowest first.
    pub differing: Vec<DifferingStore>,
}

/// A store that differs from the rest, or from the days before, or both.
pub struct DifferingStore {
    pub bus_prop: String,
    pub value: String,
    pub nps: Option<f64>,
    pub responses: i64,
    rest: Option<(f64, bool)>,
    change: Option<(f64, bool)>,
}

impl DifferingStore {
    /// How it differs by more than chance, each with the text that says from what.
    pub fn changes(&self, f: &Frame) -> Vec<(&'static str, Change)> {
        let both = [("stores-rest", self.rest), ("stores-change", self.change)];
        let marked = both
            .into_iter()
            .filter(|(_, of)| of.is_some_and(|(_, differs)| differs));
        let changes = marked.filter_map(|(key, of)| {
            let (above, _) = of?;
            Some((key, points(f.t, above, Verdict::Clear)))
        });
        changes.collect()
    }

    /// Whether it is below the rest by more than chance.
    fn is_below_rest(&self) -> bool {
        self.rest
            .is_some_and(|(points, differs)| differs && points < 0.0)
    }

    /// The lowest of the differences that are more than chance.
    fn lowest(&self) -> f64 {
        let marked = [self.rest, self.change].into_iter().flatten();
        let marked = marked.filter(|(_, differs)| *differs);
        let points = marked.map(|(points, _)| points);
        points.fold(f64::INFINITY, f64::min)
    }
}

impl Default for News {
    fn default() -> Self {
        Self {
            comments: Cache::new(KEPT),
            stores: Cache::new(KEPT),
            compared: Cache::builder()
                .max_capacity(KEPT)
                .time_to_live(MAX_AGE)
                .build(),
        }
    }
}

impl News {
    /// The newest comments on these days, newest first.
    ///
    /// # Errors
    /// 503.
    pub async fn comments(
        &self,
        store: &Store,
        account_id: Uuid,
        range: &Range,
        series: &AccountSeries,
    ) -> Result<Arc<Vec<NewComment>>> {
        let key = (account_id, range.dates, None, series.version);
        let read = async {
            let forms = newest(series, range.dates);
            let newest = report::newest_comments(store, account_id, &forms);
            let (newest, forms) = newest.await?;
            let forms = forms.into_iter();
            let contents = forms.map(|(form_id, form)| (form_id, form.content.for_reports()));
            let contents: BTreeMap<Uuid, FormContent> = contents.collect();
            let found = newest.iter().filter_map(|(form_id, row)| {
                let content = contents.get(form_id)?;
                let mut comment = comments(content, slice::from_ref(row)).next()?;
                let head = comment.text.chars().take(CHARS);
                comment.text = head.collect();
                let form_id = form_id.to_string();
                Some(NewComment { form_id, comment })
            });
            Ok::<_, Problem>(Arc::new(found.collect()))
        };
        let found = self.comments.try_get_with(key, read).await;
        found.map_err(|problem| Problem::clone(&problem))
    }

    /// How stores differ; `None`: there are none to compare.
    ///
    /// # Errors
    /// 503.
    pub async fn stores(
        &self,
        (app, counted_values): (&AppState, &CountedValues),
        account_id: Uuid,
        (f, range): (&Frame, &Range),
        series: &AccountSeries,
    ) -> Result<Arc<Option<Stores>>> {
        let days = (account_id, range.dates, range.compared);
        let version = async { series.version };
        let version = self.compared.get_with(days, version).await;
        let key = (account_id, range.dates, range.compared, version);
        let compare = async {
            let counted = (app, counted_values);
            let compared = compare(counted, account_id, (f, range), series).await?;
            Ok::<_, Problem>(Arc::new(compared))
        };
        let found = self.stores.try_get_with(key, compare).await;
        found.map_err(|problem| Problem::clone(&problem))
    }
}

/// The forms that have the newest comments, each with the days on which these are.
fn newest(series: &AccountSeries, dates: DateRange) -> Vec<(Uuid, DateRange)> {
    let mut by_day: BTreeMap<NaiveDate, Vec<(Uuid, i64)>> = BTreeMap::new();
    for (form_id, day, counts) in &series.days {
        if dates.contains(*day) && counts.comments > 0 {
            let day = by_day.entry(*day).or_default();
            day.push((*form_id, counts.comments));
        }
    }
    let mut forms: HashMap<Uuid, DateRange> = HashMap::new();
    let mut found = 0;
    for (day, of_forms) in by_day.into_iter().rev() {
        if found >= NEWEST {
            break;
        }
        let day = DateRange::day(day);
        for (form_id, comments) in of_forms {
            if forms.len() < FORMS || forms.contains_key(&form_id) {
                let days = forms.entry(form_id).or_insert(day);
                *days = days.spanning(day);
                found += usize::try_from(comments).unwrap_or_default();
            }
        }
    }
    forms.into_iter().collect()
}

async fn compare(
    (app, counted_values): (&AppState, &CountedValues),
    account_id: Uuid,
    (f, range): (&Frame, &Range),
    series: &AccountSeries,
) -> Result<Option<Stores>> {
    let published = series.forms.iter();
    let published = published.filter(|form| form.status == FormStatus::Published);
    let published: BTreeMap<Uuid, Version> =
        published.map(|form| (form.form_id, form.version)).collect();
    let mut responses: BTreeMap<Uuid, i64> = BTreeMap::new();
    for (form_id, day, counts) in &series.days {
        if range.dates.contains(*day) && published.contains_key(form_id) {
            *responses.entry(*form_id).or_default() += counts.responses;
        }
    }
    let mut forms: Vec<(Uuid, i64)> = responses.into_iter().collect();
    forms.sort_by_key(|(_, responses)| Reverse(*responses));
    let Some((form_id, content)) = first_with_stores(app, account_id, &forms).await? else {
        return Ok(None);
    };
    let property = default_property(&content);
    let days = CountedDays {
        dates: range.dates,
        compared: range.compared,
        by_month: false,
    };
    let key = FormKey::new(account_id, form_id);
    let Some(&version) = published.get(&form_id) else {
        return Ok(None);
    };
    let reader = BusPropReader::open(&app.store, key);
    let counts = counted_values.find(key, days, version, reader).await?;
    let figures = AnswerFigures::new(f, range, ALL_FORMS, "");
    let compared = (&content, property);
    let comparison = BusPropComparison::new(compared, &counts, Vec::new(), figures);
    if comparison.judged == 0 {
        return Ok(None);
    }
    let marked = comparison.rows.iter().filter(|row| row.is_marked());
    let differing = marked.map(|row| DifferingStore {
        bus_prop: row.bus_prop.to_owned(),
        value: row.value.to_owned(),
        nps: row.metrics.nps,
        responses: row.metrics.responses,
        rest: row.rest,
        change: row.change,
    });
    let mut differing: Vec<_> = differing.collect();
    differing.sort_by(|one, other| {
        let below_first = other.is_below_rest().cmp(&one.is_below_rest());
        below_first.then(one.lowest().total_cmp(&other.lowest()))
    });
    differing.truncate(STORES);
    Ok(Some(Stores {
        form_id: form_id.to_string(),
        title: content.title.clone(),
        property: property.to_owned(),
        differing,
    }))
}

/// The first of these forms that has stores or groups, of as many as are looked at.
async fn first_with_stores(
    app: &AppState,
    account_id: Uuid,
    forms: &[(Uuid, i64)],
) -> Result<Option<(Uuid, FormContent)>> {
    for (form_id, _) in forms.iter().take(FORMS) {
        let form = app.form(account_id, *form_id).await?;
        let content = form.content.for_reports();
        if !default_property(&content).is_empty() {
            return Ok(Some((*form_id, content)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use domain::rollup::DayCounts;
    use report::ReportSource;

    use super::*;

    fn day(day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 3, day).unwrap()
    }

    #[test]
    fn comments_are_looked_for_where_the_newest_are() {
        let form = Uuid::from_u128;
        let days = [(1, 1, 50), (1, 9, 2), (2, 9, 1), (3, 8, 1), (2, 20, 9)];
        let series = AccountSeries {
            version: Version::default(),
            as_of: None,
            forms: Vec::new(),
            days: days
                .map(|(id, number, comments)| {
                    let counts = DayCounts {
                        comments,
                        ..DayCounts::default()
                    };
                    (form(id), day(number), counts)
                })
                .to_vec(),
            recipients: Vec::new(),
            source: ReportSource::Database,
        };
        let found = |first, last| {
            let dates = DateRange::day(day(first)).spanning(DateRange::day(day(last)));
            let mut found = newest(&series, dates);
            found.sort_unstable_by_key(|(form_id, _)| *form_id);
            found
        };
        let on = DateRange::day;
        let three = [
            (form(1), on(day(9))),
            (form(2), on(day(9))),
            (form(3), on(day(8))),
        ];
        assert_eq!(found(1, 10), three);
        assert_eq!(found(1, 8), [(form(1), on(day(1))), (form(3), on(day(8)))]);
        assert_eq!(found(1, 31), [(form(2), on(day(20)))]);
        assert_eq!(found(2, 7), []);
    }

    #[test]
    fn the_lowest_difference_that_is_no_chance_counts() {
        let store = |rest, change| DifferingStore {
            bus_prop: "store:Berlin".to_owned(),
            value: "Berlin".to_owned(),
            nps: None,
            responses: 0,
            rest,
            change,
        };
        let both = store(Some((-40.0, false)), Some((-20.0, true)));
        assert!((both.lowest() + 20.0).abs() < 1e-9);
        let both = store(Some((-40.0, true)), Some((20.0, true)));
        assert!((both.lowest() + 40.0).abs() < 1e-9);
        for (rest, is_below) in [((-40.0, true), true), ((-40.0, false), false)] {
            let store = store(Some(rest), Some((-60.0, true)));
            assert_eq!(store.is_below_rest(), is_below);
        }
        assert!(!store(Some((40.0, true)), None).is_below_rest());
    }
}
