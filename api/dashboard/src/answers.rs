//! What people answered, one form at a time: an inbox of comments, or of all answers.

use std::collections::{BTreeMap, HashMap};

use api_http::accept::Kind;
use api_http::deadline::soon;
use api_http::{Problem, Result, parse_id};
use api_report::operations::{self, FeedbackSearch};
use api_report::{AnswerQuery, FeedbackItem, items};
use askama::Template;
use axum::extract::Query;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::form::{BusProp, FieldType, FormContent};
use domain::invalid::Fault;
use domain::link::TrackFields;
use domain::scope::Scope;
use serde::Deserialize;
use serde_json::Value;
use store::ListPage;
use url::form_urlencoded::Serializer;

use crate::list::{PageQuery, ShownList};
use crate::names::{FormChoice, published};
use crate::page::{self, Frame, page};
use crate::range::{Range, RangeQuery};
use crate::signed_in::SignedIn;

/// What the page is narrowed to.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct AnswersQuery {
    /// A form; of those that are published the one with the most responses unless it is named.
    form: String,
    bus_prop: String,
    /// `all`: also answers without a comment.
    show: String,
    /// Words of comments.
    q: String,
    /// Grades, such as `0-6`.
    nps: String,
    /// A tracking field of the link, `name=value`.
    track_field: String,
    #[serde(flatten)]
    page: PageQuery,
    #[serde(flatten)]
    range: RangeQuery,
}

#[derive(Template)]
#[template(path = "answers.html")]
struct AnswersPage<'a> {
    f: &'a Frame,
    range: &'a Range,
    forms: &'a [FormChoice],
    /// Unless the form is not published.
    chosen: Option<&'a FormContent>,
    form: &'a str,
    query: &'a AnswersQuery,
    /// What it is narrowed to, as parameters: beside the range, and with it.
    keep: [(&'a str, &'a str); 6],
    filter: String,
    found: ShownFeedbacks,
}

#[derive(Default)]
struct ShownFeedbacks {
    total: i64,
    list: ShownList<Feedback>,
}

/// What somebody answered, as the page shows it.
#[derive(Default)]
struct Feedback {
    submitted_at: DateTime<Utc>,
    bus_props: Vec<String>,
    track_fields: BTreeMap<String, String>,
    nps: Option<i16>,
    happiness: Option<i16>,
    comment: Option<String>,
    /// The labels of other fields, and how they were answered.
    others: Vec<(String, String)>,
}

impl Feedback {
    /// `form` has the labels of options.
    fn read(item: &FeedbackItem, form: Option<&FormContent>) -> Result<Self, serde_json::Error> {
        let others = item.answers.iter().filter(|answer| {
            let kind = answer.kind;
            !matches!(
                kind,
                FieldType::Nps | FieldType::Happiness | FieldType::Comment
            )
        });
        let others = others.map(|answer| {
            let value = serde_json::from_str(answer.value.get())?;
            let text = form.map(|form| text(form, answer.key, &value));
            let mut text = text.unwrap_or_else(|| page::text(&value));
            if let Some(beside) = answer.text {
                let beside: String = serde_json::from_str(beside.get())?;
                text = format!("{text}: {beside}");
            }
            Ok((answer.label.to_owned(), text))
        });
        let comment = item
            .comment
            .map(|comment| serde_json::from_str(comment.get()));
        let bus_props = item.bus_props.iter();
        Ok(Self {
            submitted_at: item.submitted_at,
            bus_props: bus_props.map(|text| (*text).to_owned()).collect(),
            track_fields: serde_json::from_str(item.track_fields.get())?,
            nps: item.nps,
            happiness: item.happiness,
            comment: comment.transpose()?,
            others: others.collect::<Result<_, _>>()?,
        })
    }
}

/// An answer to a field of a form as people read it: options by their labels.
fn text(form: &FormContent, key: &str, value: &Value) -> String {
    if let Value::Array(values) = value {
        let texts: Vec<_> = values.iter().map(|value| text(form, key, value)).collect();
        return texts.join(", ");
    }
    let field = form.fields.iter().find(|field| field.key.as_str() == key);
    let mut options = field.into_iter().flat_map(|field| field.kind.options());
    let option = options.find(|option| *value == option.value);
    option.map_or_else(|| page::text(value), |option| option.label.clone())
}

/// The form with the most responses in the range; empty if there is none.
async fn most_answered(person: &SignedIn, range: &Range, forms: &[FormChoice]) -> Result<String> {
    let count = soon(async {
        let (state, account_id) = (&person.state, person.account_id);
        // All days of all forms are in memory.
        let _place = state.places.take(account_id).await;
        let store = person.store();
        Ok(report::account_series(store, &state.cache, account_id, range.dates).await?)
    });
    let series = person.caller.read(Scope::Report, count).await?;
    let mut responses: HashMap<String, i64> = HashMap::new();
    for (form_id, _, counts) in &series.days {
        *responses.entry(form_id.to_string()).or_default() += counts.responses;
    }
    let responses = |choice: &&FormChoice| responses.get(&choice.form_id).copied().unwrap_or(0);
    // Of those with as many the newest, which is the first.
    let most = forms.iter().rev().max_by_key(responses);
    Ok(most.map_or_else(String::new, |choice| choice.form_id.clone()))
}

impl AnswersQuery {
    /// Whether only some of the answers of the range are asked for.
    fn is_narrowed(&self) -> bool {
        let given = [&self.bus_prop, &self.q, &self.nps, &self.track_field];
        given.iter().any(|text| !text.is_empty())
    }

    /// The feedbacks of a form that are asked for.
    async fn search(&self, person: &SignedIn, form: &str, range: &Range) -> Result<FeedbackSearch> {
        let form_id = parse_id("form_id", form)?;
        let given = |text| Some(text).filter(|text: &&str| !text.is_empty());
        let wrong = |error: Fault| Problem::invalid_parameter(error.to_string());
        let search = || {
            let bus_prop = given(&self.bus_prop).map(BusProp::parse).transpose();
            let mut track_fields = TrackFields::default();
            let track_field = given(&self.track_field).map(|text| track_fields.push(text));
            track_field.transpose().map_err(wrong)?;
            Ok(FeedbackSearch {
                form_id,
                range: range.dates,
                bus_prop: bus_prop.map_err(wrong)?,
                comments_only: self.show != "all",
                track_fields,
                answers: AnswerQuery::parse(given(self.q.trim()), given(&self.nps), None)?,
            })
        };
        person.caller.unless_missing(form_id, search()).await
    }
}

/// `GET /dashboard/answers.csv`: all that the page is narrowed to.
pub async fn export(person: SignedIn, Query(query): Query<AnswersQuery>) -> Result<Response> {
    let range = Range::read(&query.range, person.time_zone)?;
    let search = query.search(&person, &query.form, &range).await?;
    let list = operations::export_feedbacks(&person.caller, search, Kind::Csv);
    let mut list = list.await?.into_response();
    let name = HeaderValue::from_static("attachment; filename=\"answers.csv\"");
    list.headers_mut().insert(CONTENT_DISPOSITION, name);
    let nosniff = HeaderValue::from_static("nosniff");
    list.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, nosniff);
    Ok(list)
}

/// `GET /dashboard/answers`.
pub async fn show(person: SignedIn, Query(query): Query<AnswersQuery>) -> Result<Response> {
    let f = person.frame("answers");
    let range = Range::read(&query.range, f.zone)?;
    let forms = published(&person).await?;
    let form = if query.form.is_empty() {
        most_answered(&person, &range, &forms).await?
    } else {
        query.form.clone()
    };
    let chosen = match forms.iter().find(|choice| choice.form_id == form) {
        Some(choice) => {
            let form_id = parse_id("form_id", &choice.form_id)?;
            let form = person.state.app.form(person.account_id, form_id).await?;
            Some(form.content)
        }
        None => None,
    };
    let found = if form.is_empty() {
        ShownFeedbacks::default()
    } else {
        let search = query.search(&person, &form, &range).await?;
        let list = query.page.list(&person, "answers", 20);
        let read = operations::list_feedbacks(&person.caller, search, list.position()?, list.limit);
        let read = read.await?;
        let page = read.found.page;
        let items = items(&read.form, &page.rows)?;
        let shown = items
            .iter()
            .map(|item| Feedback::read(item, chosen.as_ref()));
        let shown = shown.collect::<Result<_, _>>();
        let (rows, next) = (shown.map_err(|error| Problem::internal(&error))?, page.next);
        ShownFeedbacks {
            total: read.found.total,
            list: ShownList::new(&list, ListPage { rows, next }),
        }
    };
    let keep = [
        ("form", &*form),
        ("bus_prop", &query.bus_prop),
        ("show", &query.show),
        ("q", &query.q),
        ("nps", &query.nps),
        ("track_field", &query.track_field),
    ];
    let mut filter = Serializer::new(range.query());
    let template = AnswersPage {
        f: &f,
        range: &range,
        chosen: chosen.as_ref(),
        forms: &forms,
        form: &form,
        query: &query,
        keep,
        filter: filter.extend_pairs(keep).finish(),
        found,
    };
    Ok(page(&f, &template))
}
