//! The overview: an account's figures on some days, how they changed, and each of its forms.

use std::collections::BTreeMap;

use api_http::{Caller, Result};
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use chrono::NaiveDate;
use domain::answer::Counted;
use domain::campaign::MessageSet;
use domain::form::FormStatus;
use domain::metrics::Metrics;
use domain::rollup::DayCounts;
use report::AccountSeries;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use crate::chart::{share, sparkline};
use crate::figure::{ALL_FORMS, AnswerFigures, Figure};
use crate::figures::{Card, Change, ShownFigures, cards};
use crate::first_steps::{FirstStep, first_steps};
use crate::form::ShownText;
use crate::messages::MessageFigures;
use crate::page::{Frame, page_of_days};
use crate::range::{Range, RangeQuery};
use crate::signed_in::SignedIn;
use crate::state::DashboardState;

/// So many forms are shown, the newest first.
const FORMS: usize = 200;

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage<'a> {
    f: &'a Frame,
    range: &'a Range,
    /// Other parameters of the page.
    keep: [(&'a str, &'a str); 0],
    cards: Vec<Card>,
    figures: ShownFigures,
    steps: Vec<OverviewStep>,
    forms: Vec<FormRow>,
    comments: Vec<ShownText>,
    /// None on a shared page, and where there is nothing to compare.
    stores: Option<ShownStores>,
    /// What is left to do until the first answer, and what is done of it.
    first_steps: Vec<FirstStep>,
}

impl OverviewPage<'_> {
    /// Whether the first answer is still to come.
    fn is_new(&self) -> bool {
        self.first_steps.last().is_some_and(|step| !step.is_done)
    }

    /// How many of the first steps are done, of all.
    fn done(&self) -> String {
        let done = self.first_steps.iter().filter(|step| step.is_done);
        let counted = self.first_steps.iter().filter(|step| step.is_counted());
        format!("{} / {}", done.count(), counted.count())
    }
}

/// The stores that differ by more than chance.
struct ShownStores {
    form_id: String,
    /// The title of the form that is compared.
    form: String,
    differing: Vec<ShownStore>,
    /// The page that compares all.
    href: String,
}

/// A store that differs.
struct ShownStore {
    name: String,
    /// Its page.
    href: String,
    nps: Option<f64>,
    responses: i64,
    /// From what it differs, as the key of a text.
    changes: Vec<(&'static str, Change)>,
}

/// A step of the funnel.
struct OverviewStep {
    label: String,
    count: Figure,
    /// Of the largest step, 0 to 100.
    width: i64,
    /// Of the step before, unless that is smaller: those who were imported may get more than one message.
    share: Option<f64>,
}

/// A form of the table.
struct FormRow {
    form_id: String,
    title: String,
    status: FormStatus,
    metrics: Metrics,
    responses: Figure,
    /// Responses a day.
    spark: String,
}

/// `GET /dashboard`.
pub async fn show(person: SignedIn, Query(query): Query<RangeQuery>) -> Result<Response> {
    let f = person.frame("overview");
    let reader = Some(&person.caller);
    answer((&person.state, reader), person.account_id, &f, &query).await
}

/// The page, of an account's days. The audit log tells that its `reader` sees what people wrote; `None`: whoever has the link of a page
/// that is shared.
///
/// # Errors
/// 503.
pub async fn answer(
    (state, reader): (&DashboardState, Option<&Caller>),
    account_id: Uuid,
    f: &Frame,
    query: &RangeQuery,
) -> Result<Response> {
    let range = Range::read(query, f.zone);
    let _place = state.places.take(account_id).await;
    let counted = ShownFigures::counted(&range);
    let series =
        report::account_series(&state.app.store, &state.cache, account_id, counted).await?;
    let mut days: BTreeMap<NaiveDate, DayCounts> = BTreeMap::new();
    for (_, day, counts) in &series.days {
        *days.entry(*day).or_default() += *counts;
    }
    let answers = AnswerFigures::new(f, &range, ALL_FORMS, "");
    let mut figures = ShownFigures::new(&days, &range, answers);
    let news = async {
        if f.is_shared() {
            return Ok((Vec::new(), None));
        }
        Box::pin(news(state, account_id, (f, &range), &series)).await
    };
    let ((comments, stores), first_steps) =
        tokio::try_join!(news, first_steps(state, account_id, f))?;
    if let Some(reader) = reader.filter(|_| !comments.is_empty()) {
        // Of all forms, as a list of their answers.
        reader.note_list("answers.read", "").await?;
    }
    if let (Some(dip), Some(stores)) = (&mut figures.dip, &stores) {
        dip.stores = AnswerFigures::new(f, &range, &stores.form_id, "").stores_of(dip.days);
        dip.form.clone_from(&stores.form);
    }
    let template = OverviewPage {
        f,
        range: &range,
        keep: [],
        cards: cards(f.t, &figures, answers, true),
        steps: funnel(f, &series, &range, &figures.now),
        forms: forms(f, &series, &range),
        comments,
        stores,
        first_steps,
        figures,
    };
    Ok(page_of_days(f, &range, &template))
}

/// The newest comments and the stores that differ.
async fn news(
    state: &DashboardState,
    account_id: Uuid,
    (f, range): (&Frame, &Range),
    series: &AccountSeries,
) -> Result<(Vec<ShownText>, Option<ShownStores>)> {
    let days = (f, range);
    let (news, app) = (&state.news, &state.app);
    let counted = (app, &*state.counted_values);
    // At once: both read what nobody asked for before.
    let (found, stores) = tokio::try_join!(
        news.comments(&app.store, account_id, range, series),
        news.stores(counted, account_id, days, series),
    )?;
    let comments = found.iter().map(|new| ShownText {
        href: AnswerFigures::new(f, range, &new.form_id, "").one(new.comment.feedback_id),
        page: format!("/dashboard/form/{}?{}", new.form_id, range.query()),
        comment: new.comment.clone(),
    });
    let comments = comments.collect();
    let Some(stores) = &*stores else {
        return Ok((comments, None));
    };
    let differing = stores.differing.iter().map(|store| {
        let mut query = Serializer::new(range.query());
        query.append_pair("bus_prop", &store.bus_prop);
        let href = format!("/dashboard/form/{}?{}", stores.form_id, query.finish());
        ShownStore {
            name: store.value.clone(),
            href,
            nps: store.nps,
            responses: store.responses,
            changes: store.changes(f),
        }
    });
    let shown = ShownStores {
        form_id: stores.form_id.clone(),
        form: stores.title.clone(),
        differing: differing.collect(),
        href: AnswerFigures::new(f, range, &stores.form_id, "").stores(&stores.property),
    };
    Ok((comments, Some(shown)))
}

fn funnel(f: &Frame, series: &AccountSeries, range: &Range, now: &Metrics) -> Vec<OverviewStep> {
    let recipients = series
        .recipients
        .iter()
        .filter(|(day, _)| range.dates.contains(*day));
    let imported = recipients.map(|(_, count)| count).sum();
    let messages = MessageFigures::of_days(f, range);
    let messages = |key, set, value| (f.t.get(key), messages.counted(set, value));
    let plain = |key, value| {
        let href = String::new();
        (f.t.get(key), Figure { value, href })
    };
    let counts = DayCounts {
        responses: now.responses,
        ..DayCounts::default()
    };
    let answered = AnswerFigures::new(f, range, ALL_FORMS, "");
    let answered = answered.figure(&Counted::Responses, &counts.into());
    let steps = [
        Some(plain("step-imported", imported)),
        now.sent
            .map(|sent| messages("step-sent", MessageSet::Sent, sent)),
        now.delivered
            .map(|delivered| messages(f.delivered(), MessageSet::DELIVERED, delivered)),
        Some(plain("step-opened", now.views)),
        Some((f.t.get("step-answered"), answered)),
    ];
    let steps: Vec<_> = steps.into_iter().flatten().collect();
    let largest = steps.iter().map(|(_, count)| count.value).max();
    let largest = largest.unwrap_or(0).max(1);
    let mut before = None;
    let step = |(label, count): (String, Figure)| OverviewStep {
        label,
        width: 100 * count.value / largest,
        share: before
            .replace(count.value)
            .filter(|before| *before > 0 && *before >= count.value)
            .map(|before| share(count.value, before)),
        count,
    };
    steps.into_iter().map(step).collect()
}

fn forms(f: &Frame, series: &AccountSeries, range: &Range) -> Vec<FormRow> {
    let mut days: BTreeMap<Uuid, BTreeMap<NaiveDate, DayCounts>> = BTreeMap::new();
    for (form_id, day, counts) in series
        .days
        .iter()
        .filter(|(_, day, _)| range.dates.contains(*day))
    {
        *days.entry(*form_id).or_default().entry(*day).or_default() += *counts;
    }
    let row = |form: &store::report::FormEntry| {
        let days = days.remove(&form.form_id).unwrap_or_default();
        let sum: DayCounts = days.values().copied().sum();
        let form_id = form.form_id.to_string();
        let answered = AnswerFigures::new(f, range, &form_id, "");
        let answered = answered.figure(&Counted::Responses, &sum.into());
        let responses = range
            .dates
            .days()
            .map(|day| days.get(&day).map_or(0, |counts| counts.responses));
        let shown = form.status == FormStatus::Published || sum != DayCounts::default();
        shown.then(|| FormRow {
            form_id,
            responses: answered,
            title: form.title.clone(),
            status: form.status,
            metrics: Metrics::from(&sum),
            spark: sparkline(&responses.collect::<Vec<_>>()),
        })
    };
    series
        .forms
        .iter()
        .rev()
        .filter_map(row)
        .take(FORMS)
        .collect()
}
