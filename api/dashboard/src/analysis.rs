//! What detractors say that others do not: read from many comments and short texts, so it is found once a version of the report and
//! kept.

use std::sync::Arc;

use api_http::{Problem, Result};
use chrono::NaiveDate;
use chrono_tz::Tz;
use domain::date_range::{DateRange, day_of};
use domain::form::FieldType;
use domain::metrics::{Term, over_represented};
use moka::future::Cache;
use platform::cache::Cache as ReportCache;
use platform::places::Places;
use report::{FormLookup, FormQuery, WrittenAnswers};
use store::Store;
use store::form::FormKey;
use store::report::{Version, has_words};
use tokio::task::spawn_blocking;

use crate::comments::written;

/// Among so many answers with a comment or a short text terms are looked for, the latest.
const READ: usize = 2_000;
/// So many analyses are kept.
const KEPT: u64 = 1_000;

/// The analyses of this process.
pub struct Analyses {
    kept: Cache<Key, Arc<Analysis>>,
    /// One at a time: each reads as many answers as a page of a list, and takes a core meanwhile.
    places: Places,
}

/// A form, one of its business properties or all of it, the version of its counts on these days, and whether short texts are read.
type Key = (FormKey, Option<String>, DateRange, Version, bool);

/// What was found.
#[derive(Default)]
pub struct Analysis {
    /// With the answers of detractors that the list of a term has.
    pub terms: Vec<(Term, i64)>,
    /// The answers among which terms were looked for.
    pub graded: i64,
    /// The first day of these answers, with all of its answers; `None`: even the last day has more than are looked at.
    pub since: Option<NaiveDate>,
}

impl Analysis {
    /// Of answers in words.
    fn new(written_answers: WrittenAnswers, types: &[FieldType], (range, zone): Zoned) -> Self {
        let WrittenAnswers { form, rows, since } = written_answers;
        let content = form.content.for_reports();
        let is_read = |day| range.contains(day) && since.is_none_or(|since| day >= since);
        let rows = rows
            .iter()
            .filter(|row| is_read(day_of(row.submitted_at, zone)));
        let graded = rows.filter_map(|row| {
            let texts = written(&content, types, row);
            Some((texts, row.nps? <= 6)).filter(|(texts, _)| !texts.is_empty())
        });
        let graded: Vec<(Vec<String>, bool)> = graded.collect();
        let listed = |term: &Term| {
            let detractors = graded.iter().filter(|(_, is_detractor)| *is_detractor);
            let words = || term.text.split_whitespace();
            let has_all = |texts: &[String]| has_words(&texts.join("\n"), words());
            count(detractors.filter(|(texts, _)| has_all(texts)).count())
        };
        let texts = graded.iter().flat_map(|(texts, is_detractor)| {
            let texts = texts.iter().cloned();
            texts.map(|text| (text, *is_detractor))
        });
        let terms = over_represented(&texts.collect::<Vec<_>>()).into_iter();
        Self {
            terms: terms
                .map(|term| {
                    let answers = listed(&term);
                    (term, answers)
                })
                .collect(),
            graded: count(graded.len()),
            since,
        }
    }
}

/// Days, and the time zone in which they are.
type Zoned = (DateRange, Tz);

impl Default for Analyses {
    fn default() -> Self {
        Self {
            kept: Cache::new(KEPT),
            places: Places::new(1),
        }
    }
}

impl Analyses {
    /// The analysis of a report, whose counts have this version. With texts those of short text are read too.
    ///
    /// # Errors
    /// 503.
    pub async fn find(
        &self,
        store: &Store,
        cache: &ReportCache,
        query: FormQuery<'_>,
        (version, with_texts): (Version, bool),
    ) -> Result<Arc<Analysis>> {
        let bus_prop = query.bus_prop.map(ToOwned::to_owned);
        let key = (query.form, bus_prop, query.range, version, with_texts);
        let found = self
            .kept
            .try_get_with(key, self.analyse(store, cache, query, with_texts));
        found.await.map_err(|problem| Problem::clone(&problem))
    }

    async fn analyse(
        &self,
        store: &Store,
        cache: &ReportCache,
        query: FormQuery<'_>,
        with_texts: bool,
    ) -> Result<Arc<Analysis>> {
        let place = self.places.take(query.form.account_id).await;
        let read = report::written_answers(store, cache, query, (with_texts, READ));
        let FormLookup::Is(read) = read.await? else {
            return Ok(Arc::default());
        };
        let days = (query.range, query.time_zone);
        let analysing = spawn_blocking(move || {
            let _place = place;
            let types = [FieldType::Comment, FieldType::Text];
            let types = if with_texts { &types[..] } else { &types[..1] };
            Analysis::new(read, types, days)
        });
        let analysis = analysing.await;
        analysis
            .map(Arc::new)
            .map_err(|error| Problem::internal(&error))
    }
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
