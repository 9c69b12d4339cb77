//! What detractors say that others do not: read from many comments and short texts, so it is found once a version of the report and
//! kept. Detractors of a business property are compared with everybody else: where nearly all are detractors, what they all say would
//! stand out from nothing.

use std::sync::Arc;

use api_http::{Problem, Result};
use chrono::NaiveDate;
use chrono_tz::Tz;
use domain::date_range::{DateRange, day_of};
use domain::metrics::{Term, over_represented};
use moka::future::Cache;
use platform::cache::Cache as ReportCache;
use platform::places::Places;
use report::{FormLookup, FormQuery, WrittenAnswers};
use store::Store;
use store::form::FormKey;
use store::report::{FeedbackRow, Version, has_words};
use tokio::task::spawn_blocking;

use crate::comments::written;

/// Among so many answers with a comment or a short text terms are looked for, the latest. Those of a business property are half of
/// them at most, and those of all the other half.
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
    /// The answers of the page among which terms were looked for.
    pub graded: i64,
    /// The first day of these answers, with all of its answers; `None`: even the last day has more than are looked at.
    pub since: Option<NaiveDate>,
}

impl Analysis {
    /// Of answers in words, beside those of others.
    fn new(
        written_answers: WrittenAnswers,
        others: &[FeedbackRow],
        with_texts: bool,
        (range, zone): Zoned,
    ) -> Self {
        let WrittenAnswers { form, rows, since } = written_answers;
        let content = form.content.for_reports();
        let is_read = |day| range.contains(day) && since.is_none_or(|since| day >= since);
        let rows = rows
            .iter()
            .filter(|row| is_read(day_of(row.submitted_at, zone)));
        let graded = |row: &FeedbackRow| {
            let texts = written(&content, with_texts, row);
            Some((texts, row.nps? <= 6)).filter(|(texts, _)| !texts.is_empty())
        };
        let of_others = others.iter().filter_map(graded);
        let of_others = of_others.flat_map(|(texts, _)| texts);
        let of_others: Vec<(String, bool)> = of_others.map(|text| (text, false)).collect();
        let graded: Vec<(Vec<String>, bool)> = rows.filter_map(graded).collect();
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
        let texts: Vec<_> = texts.chain(of_others).collect();
        let terms = over_represented(&texts).into_iter();
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
        let most = query.bus_prop.map_or(READ, |_| READ / 2);
        let read = report::written_answers(store, cache, query, (with_texts, most));
        let FormLookup::Is(read) = read.await? else {
            return Ok(Arc::default());
        };
        let mut others = Vec::new();
        if let Some(bus_prop) = query.bus_prop {
            let whole = FormQuery {
                bus_prop: None,
                ..query
            };
            let whole = report::written_answers(store, cache, whole, (with_texts, most));
            if let FormLookup::Is(whole) = whole.await? {
                others = without(whole, bus_prop);
            }
        }
        let days = (query.range, query.time_zone);
        let analysing = spawn_blocking(move || {
            let _place = place;
            Analysis::new(read, &others, with_texts, days)
        });
        let analysis = analysing.await;
        analysis
            .map(Arc::new)
            .map_err(|error| Problem::internal(&error))
    }
}

/// The answers that are not of a business property.
fn without(whole: WrittenAnswers, bus_prop: &str) -> Vec<FeedbackRow> {
    let WrittenAnswers { form, mut rows, .. } = whole;
    let entry = form.content.bus_prop_by_text(bus_prop);
    rows.retain(|row| entry.is_none_or(|entry| !row.bus_prop_ids.contains(&entry.id)));
    rows
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use domain::form::{FormContent, FormInput, FormStatus};
    use domain::link::BusPropIds;
    use serde_json::json;
    use store::form::Form;
    use uuid::Uuid;

    use super::*;

    fn form() -> Form {
        let form = json!({
            "title": "T", "bus_props": ["store:Berlin", "store:Hamburg"],
            "fields": [{"key": "a", "type": "nps", "label": "A", "required": true},
                       {"key": "b", "type": "comment", "label": "B", "required": false}],
        });
        let content = FormContent::new(FormInput::parse(&form).unwrap()).unwrap();
        Form {
            form_id: Uuid::nil(),
            status: FormStatus::Published,
            content,
            revision: 1,
            created_at: DateTime::UNIX_EPOCH,
            updated_at: DateTime::UNIX_EPOCH,
            published_at: None,
            deleted_at: None,
        }
    }

    fn rows(count: u32, store: &str, nps: i16, comment: &str) -> Vec<FeedbackRow> {
        let row = |place: u32| FeedbackRow {
            feedback_id: Uuid::from_u128(place.into()),
            submitted_at: DateTime::<Utc>::UNIX_EPOCH,
            bus_prop_ids: store.parse::<BusPropIds>().unwrap(),
            track_fields: "{}".to_owned(),
            answers: json!({"a": nps, "b": format!("{comment} {place}")}).to_string(),
            nps: Some(nps),
            happiness: None,
        };
        (0..count).map(row).collect()
    }

    #[test]
    fn detractors_of_a_store_are_compared_with_everybody_else() {
        let (bad, good) = (rows(25, "1", 2, "Endless queue"), rows(40, "2", 9, "Great"));
        let written = |rows: &[&[FeedbackRow]]| WrittenAnswers {
            form: form(),
            rows: rows.concat(),
            since: None,
        };
        let days = (
            DateRange::day(NaiveDate::from_ymd_opt(1970, 1, 1).unwrap()),
            Tz::UTC,
        );
        let found = |others: &[FeedbackRow]| {
            let analysis = Analysis::new(written(&[&bad]), others, true, days);
            let terms = analysis.terms.iter();
            let terms = terms.map(|(term, answers)| (term.text.clone(), *answers));
            (analysis.graded, terms.collect::<Vec<_>>())
        };
        assert_eq!(found(&[]), (25, Vec::new()));
        let others = without(written(&[&bad, &good]), "store:Berlin");
        assert_eq!(others, good);
        let expected = vec![("endless queue".to_owned(), 25)];
        assert_eq!(found(&others), (25, expected));
    }
}
