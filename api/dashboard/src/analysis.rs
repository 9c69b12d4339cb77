//! What detractors say that others do not: read from many comments, so it is found once a version of the report and kept.

use std::sync::Arc;

use api_http::{Problem, Result};
use chrono::{Days, NaiveDate};
use domain::date_range::{DateRange, day_of};
use domain::metrics::{Term, over_represented};
use moka::future::Cache;
use platform::cache::Cache as ReportCache;
use platform::places::Places;
use report::{FormLookup, FormQuery};
use store::Store;
use store::form::FormKey;
use store::report::{Version, has_words};
use tokio::task::spawn_blocking;

use crate::comments::comments;

/// Among so many comments terms are looked for, the latest.
const READ: usize = 2_000;
/// So many analyses are kept.
const KEPT: u64 = 1_000;

/// The analyses of this process.
pub struct Analyses {
    kept: Cache<Key, Arc<Analysis>>,
    /// One at a time: each reads as many comments as a page of a list, and takes a core meanwhile.
    places: Places,
}

/// A form, one of its business properties or all of it, and the version of its counts on these days.
type Key = (FormKey, Option<String>, DateRange, Version);

/// What was found.
#[derive(Default)]
pub struct Analysis {
    /// With the comments of detractors that the list of a term has.
    pub terms: Vec<(Term, i64)>,
    /// The comments among which terms were looked for.
    pub graded: i64,
    /// The first day of these comments, with all of its comments; `None`: even the last day has more than are looked at.
    pub since: Option<NaiveDate>,
}

impl Default for Analyses {
    fn default() -> Self {
        Self {
            kept: Cache::new(KEPT),
            places: Places::new(1),
        }
    }
}

impl Analyses {
    /// The analysis of a report, whose counts have this version.
    ///
    /// # Errors
    /// 503.
    pub async fn find(
        &self,
        store: &Store,
        cache: &ReportCache,
        query: FormQuery<'_>,
        version: Version,
    ) -> Result<Arc<Analysis>> {
        let bus_prop = query.bus_prop.map(ToOwned::to_owned);
        let key = (query.form, bus_prop, query.range, version);
        let found = self
            .kept
            .try_get_with(key, self.analyse(store, cache, query));
        found.await.map_err(|problem| Problem::clone(&problem))
    }

    async fn analyse(
        &self,
        store: &Store,
        cache: &ReportCache,
        query: FormQuery<'_>,
    ) -> Result<Arc<Analysis>> {
        let place = self.places.take(query.form.account_id).await;
        let query = FormQuery {
            comments: READ,
            ..query
        };
        let series = report::form_series(store, cache, query).await?;
        let FormLookup::Is(series) = series else {
            return Ok(Arc::default());
        };
        let content = series.form.content.for_reports();
        let (range, zone) = (query.range, query.time_zone);
        let analysing = spawn_blocking(move || {
            let _place = place;
            let oldest = series
                .comments
                .last()
                .filter(|_| series.comments.len() >= READ);
            let oldest = oldest.map(|row| day_of(row.submitted_at, zone));
            let since = oldest.map_or(range.start(), |day| day + Days::new(1));
            let since = Some(since).filter(|day| range.contains(*day));
            let graded = comments(&content, &series.comments);
            let is_read = |day| since.is_none_or(|since| day >= since);
            let graded = graded.filter(|comment| is_read(day_of(comment.at, zone)));
            let graded = graded.filter_map(|comment| Some((comment.text, comment.nps? <= 6)));
            let graded: Vec<_> = graded.collect();
            let listed = |term: &Term| {
                let detractors = graded.iter().filter(|(_, is_detractor)| *is_detractor);
                let words = || term.text.split_whitespace();
                let listed = detractors.filter(|(text, _)| has_words(text, words()));
                count(listed.count())
            };
            let terms = over_represented(&graded).into_iter();
            Analysis {
                terms: terms
                    .map(|term| {
                        let comments = listed(&term);
                        (term, comments)
                    })
                    .collect(),
                graded: count(graded.len()),
                since,
            }
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
