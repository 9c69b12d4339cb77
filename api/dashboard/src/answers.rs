//! What people answered, one form at a time: an inbox of comments, or of all answers.

use std::collections::BTreeMap;

use api_http::{Result, parse_id};
use askama::Template;
use axum::body::Body;
use axum::extract::Query;
use axum::http::header::{ACCEPT, CONTENT_DISPOSITION, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::form::FormContent;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;
use url::form_urlencoded::Serializer;

use crate::names::{FormChoice, published};
use crate::page::{Frame, page};
use crate::range::{Range, RangeQuery};
use crate::service::{self, List, PageQuery};
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
    found: Feedbacks,
}

#[derive(Default, Deserialize)]
struct Feedbacks {
    total: i64,
    #[serde(flatten)]
    list: List<Feedback>,
}

#[derive(Default, Deserialize)]
struct Feedback {
    submitted_at: DateTime<Utc>,
    bus_props: Vec<String>,
    track_fields: BTreeMap<String, String>,
    nps: Option<i64>,
    happiness: Option<i64>,
    comment: Option<String>,
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    key: String,
    label: String,
    #[serde(rename = "type")]
    kind: String,
    value: Value,
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
    option.map_or_else(|| service::text(value), |option| option.label.clone())
}

/// The form with the most responses in the range; empty if there is none.
async fn most_answered(person: &SignedIn, range: &Range, forms: &[FormChoice]) -> Result<String> {
    let (start, end) = (range.dates.start(), range.dates.end());
    let path = format!("/api_v1/report/overview/{start}/{end}");
    let overview: Value = person.get(&path).await?;
    let responses = |choice: &&FormChoice| {
        let mut figures = overview["forms"].as_array().into_iter().flatten();
        let of_form = figures.find(|form| form["form_id"] == *choice.form_id);
        of_form.and_then(|form| form["metrics"]["responses"].as_i64())
    };
    // Of those with as many the newest, which is the first.
    let most = forms.iter().rev().max_by_key(responses);
    Ok(most.map_or_else(String::new, |choice| choice.form_id.clone()))
}

impl Feedback {
    /// Answers to the form that are shown apart from score, smiley and comment.
    fn others(&self, form: Option<&FormContent>) -> Vec<(&str, String)> {
        let others = self
            .answers
            .iter()
            .filter(|answer| !matches!(&*answer.kind, "nps" | "happiness" | "comment"));
        let shown = |answer: &Answer| match form {
            Some(form) => text(form, &answer.key, &answer.value),
            None => service::text(&answer.value),
        };
        let shown = others.map(|answer| (&*answer.label, shown(answer)));
        shown.collect()
    }
}

impl AnswersQuery {
    /// Whether only some of the answers of the range are asked for.
    fn is_narrowed(&self) -> bool {
        let given = [&self.bus_prop, &self.q, &self.nps, &self.track_field];
        given.iter().any(|text| !text.is_empty())
    }

    /// The path of the API's list, or of a page of it.
    fn path(&self, form: &str, range: &Range, limit: &str) -> String {
        let comments = if self.show == "all" { "" } else { "comment/" };
        let (start, end) = (range.dates.start(), range.dates.end());
        let bus_prop = utf8_percent_encode(&self.bus_prop, NON_ALPHANUMERIC);
        let form = utf8_percent_encode(form, NON_ALPHANUMERIC);
        let given = [
            ("limit", limit),
            ("q", self.q.trim()),
            ("nps", &*self.nps),
            ("track_field", &*self.track_field),
        ];
        let given = given.iter().filter(|(_, value)| !value.is_empty());
        let query = Serializer::new(String::new()).extend_pairs(given).finish();
        format!("/api_v1/report/feedbacks/{comments}{start}/{end}/{form}/{bus_prop}?{query}")
    }
}

/// `GET /dashboard/answers.csv`: all that the page is narrowed to.
pub async fn export(person: SignedIn, Query(query): Query<AnswersQuery>) -> Result<Response> {
    let range = Range::read(&query.range, person.time_zone)?;
    let path = query.path(&query.form, &range, "");
    let csv = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("text/csv"))]);
    let list = person.call(Method::GET, &path, csv, Body::empty());
    let mut list = list.await?;
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
    let found = if form.is_empty() {
        Feedbacks::default()
    } else {
        let list = query.path(&form, &range, "20");
        person.get(&query.page.path(&list)).await?
    };
    let chosen = match forms.iter().find(|choice| choice.form_id == form) {
        Some(choice) => {
            let form_id = parse_id("form_id", &choice.form_id)?;
            let form = person.state.app.form(person.account_id, form_id).await?;
            Some(form.content)
        }
        None => None,
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
