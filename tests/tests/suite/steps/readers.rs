//! Those who read what the model was told: two instances that share a Redis, where there is one, and what each of them has
//! seen so far.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use domain::date_range::DateRange;
use domain::link::TrackFields;
use domain::metrics::{FieldSummary, Metrics};
use domain::month::Month;
use domain::rollup::{DayCounts, Delta};
use platform::cache::Cache;
use report::{FormLookup, FormQuery, account_series, check_months, form_series, refresh_months};
use serde_json::{Value, json};
use store::form::FormKey;
use store::report::{AnswerFilter, FeedbackQuery};
use tests::oracle::{DayCounters, ReportScope, agrees};

use super::model::Subject;
use super::survey::Survey;

/// A part of a subject that is looked at.
#[derive(Clone, Copy)]
pub struct Snapshot<'a> {
    pub subject: &'a Subject,
    pub part: ReportScope<'a>,
}

pub struct Readers {
    caches: [Cache; 2],
    /// The newest version of each form that was seen, and when it was so.
    newest: BTreeMap<FormKey, (i64, DateTime<Utc>)>,
}

impl Readers {
    pub fn open(survey: &Survey) -> Result<Self> {
        Ok(Self {
            caches: [
                survey.ledger.another_cache()?,
                survey.ledger.another_cache()?,
            ],
            newest: BTreeMap::new(),
        })
    }

    /// An instance starts anew, with nothing in its memory.
    pub fn restart(&mut self, survey: &Survey) -> Result<String> {
        self.caches[0] = survey.ledger.another_cache()?;
        Ok("an instance started again".to_owned())
    }

    /// The reports of a form's part, as every instance has them, and its list.
    pub async fn form(&mut self, survey: &Survey, seen: Snapshot<'_>) -> Result<()> {
        let Snapshot { subject, part } = seen;
        let range = range(part.start, part.end)?;
        let store = &survey.ledger.store;
        let bus_prop = Some(part.bus_prop).filter(|text| !text.is_empty());
        let wanted = subject.rolled_up.form_report(part);
        for cache in &self.caches {
            let query = FormQuery {
                form: subject.key,
                bus_prop,
                range,
                time_zone: Tz::Pacific__Kiritimati,
                comments: 0,
                texts: 0,
            };
            let found = form_series(store, cache, query).await?;
            let FormLookup::Is(series) = found else {
                anyhow::bail!("{found:?} of {part:?}");
            };
            ensure!(
                series.days.is_sorted_by(|(one, _), (other, _)| one < other),
                "out of order"
            );
            let now = (series.version.number, series.as_of);
            let newest = self.newest.entry(subject.key).or_insert(now);
            ensure!(
                newest.0 <= now.0 && newest.1 <= now.1,
                "went back from {newest:?} to {now:?}"
            );
            *newest = now;
            let by_key = store.form_data_version(subject.key).await?;
            ensure!(by_key == Some(series.version), "{by_key:?} by key");
            let mut days: BTreeMap<NaiveDate, Delta> = series.days.into_iter().collect();
            let mut sum = Delta::default();
            let mut daily = Vec::new();
            for day in range.days() {
                let counted = days.remove(&day).unwrap_or_default();
                sum.merge(&counted);
                daily.push(shown(day, &counted.counts));
            }
            ensure!(days.is_empty(), "days that nobody asked for: {days:?}");
            let responses = sum.counts.responses;
            let fields = FieldSummary::of_form(&series.form.content, &sum.fields, responses);
            let found = json!({
                "metrics": Metrics::from(&sum.counts), "daily": daily, "fields": fields,
            });
            agrees(&found, &wanted).with_context(|| format!("{part:?}"))?;
        }
        self.list(survey, seen, range).await
    }

    /// What was committed is listed, rolled up or not.
    async fn list(&self, survey: &Survey, seen: Snapshot<'_>, range: DateRange) -> Result<()> {
        let Snapshot { subject, part } = seen;
        let store = &survey.ledger.store;
        let names = [("store:S1", 1), ("store:S2", 2), ("brand:B", 3)];
        let bus_prop = names.iter().find(|(name, _)| *name == part.bus_prop);
        for comments_only in [false, true] {
            let query = FeedbackQuery {
                form: subject.key,
                range,
                time_zone: Tz::Pacific__Kiritimati,
                bus_prop_id: bus_prop.map(|(_, id)| *id),
                comments_only,
                track_fields: TrackFields::default(),
                answers: AnswerFilter::default(),
            };
            let page = store.feedback_page(&query, None, 1_000).await?;
            let listed: Vec<String> = page
                .page
                .rows
                .iter()
                .map(|row| row.feedback_id.to_string())
                .collect();
            let rows = subject.history.part(part);
            let rows = rows.filter(|row| !comments_only || row.answers.get("words").is_some());
            let mut wanted: Vec<String> = rows.map(|row| row.id.clone()).collect();
            wanted.sort_unstable_by(|one, other| other.cmp(one));
            ensure!(
                listed == wanted,
                "{part:?} lists {listed:?}, not {wanted:?}"
            );
            ensure!(
                usize::try_from(page.total)? == wanted.len(),
                "{part:?}: a total of {}, {} listed",
                page.total,
                wanted.len()
            );
        }
        Ok(())
    }

    /// What a worker does after its commit, if it lives.
    pub async fn refresh(
        &self,
        survey: &Survey,
        form: FormKey,
        touched: BTreeSet<(i64, Month)>,
    ) -> Result<()> {
        for cache in &self.caches {
            refresh_months(&survey.ledger.store, cache, form, touched.clone()).await?;
        }
        Ok(())
    }

    /// What `feedback rebuild` does.
    pub async fn rebuild(&self, survey: &Survey, forms: &[FormKey]) -> Result<()> {
        let store = &survey.ledger.store;
        for form in forms {
            let slices = store.slices(*form).await?;
            for slice in slices.iter() {
                store.rebuild_slice(*form, &slices, slice).await?;
            }
            store.rebuild_links(*form).await?;
            store.restamp_form(*form).await?;
        }
        Ok(())
    }

    /// What `feedback verify` does: whatever waits or was rolled up, nothing differs.
    pub async fn verify(&self, survey: &Survey, forms: &[FormKey]) -> Result<()> {
        let store = &survey.ledger.store;
        for form in forms {
            let slices = store.slices(*form).await?;
            for slice in slices.iter() {
                let drifts = store.check_slice(*form, &slices, slice).await?;
                ensure!(drifts.is_empty(), "drift: {drifts:?}");
            }
            let drifts = store.check_links(*form).await?;
            ensure!(drifts.is_empty(), "drift of links: {drifts:?}");
            for cache in &self.caches {
                let drifts = check_months(store, cache, *form, &slices).await?;
                ensure!(drifts.is_empty(), "drift of copies: {drifts:?}");
            }
        }
        Ok(())
    }

    /// The overview is the sum of the forms.
    pub async fn account(
        &self,
        survey: &Survey,
        subjects: &[Subject],
        (start, end): (NaiveDate, NaiveDate),
    ) -> Result<()> {
        let store = &survey.ledger.store;
        let range = range(start, end)?;
        for cache in &self.caches {
            let account = survey.form.account_id;
            let series = account_series(store, cache, account, range).await?;
            let by_key = store.account_data_version(account).await?;
            ensure!(by_key == series.version, "{by_key:?} by key");
            for subject in subjects {
                let form = series
                    .forms
                    .iter()
                    .find(|form| form.form_id == subject.key.form_id)
                    .context("a form is not there")?;
                let title = &subject.history.form["title"];
                ensure!(*title == form.title.as_str(), "not {title}: {form:?}");
                let mut sum = DayCounters::default();
                let mut found = Delta::default();
                for day in range.days() {
                    let part = ReportScope {
                        start: day,
                        end: day,
                        bus_prop: "",
                    };
                    let wanted = subject.rolled_up.counts(part);
                    sum = sum.and(wanted);
                    let mut days = series.days.iter();
                    let counted = days.find(|(of, on, _)| (*of, *on) == (form.form_id, day));
                    let counted = counted.map(|(.., counts)| *counts).unwrap_or_default();
                    agrees(&shown(day, &counted), &wanted.daily(day))?;
                    found.merge(&Delta {
                        counts: counted,
                        ..Delta::default()
                    });
                }
                agrees(&json!(Metrics::from(&found.counts)), &sum.metrics())?;
            }
        }
        Ok(())
    }
}

fn range(start: NaiveDate, end: NaiveDate) -> Result<DateRange> {
    Ok(DateRange::parse(&start.to_string(), &end.to_string())?)
}

fn shown(day: NaiveDate, counts: &DayCounts) -> Value {
    json!({
        "date": day.to_string(), "views": counts.views, "responses": counts.responses, "comments": counts.comments,
        "happy": counts.happy, "happiness_answers": counts.happiness_answers, "promoters": counts.promoters,
        "passives": counts.passives, "detractors": counts.detractors, "nps_answers": counts.nps_answers,
    })
}
