//! What people answered, one form at a time: an inbox of comments, or of all answers.

use api_http::Result;
use askama::Template;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::header::{ACCEPT, CONTENT_DISPOSITION};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::Response;
use chrono::{DateTime, Utc};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Map, Value};
use url::form_urlencoded::Serializer;

use crate::page::{Frame, page};
use crate::range::{Range, RangeQuery};
use crate::service;
use crate::signed_in::SignedIn;
use crate::state::DashboardState;

/// What the page is narrowed to.
#[derive(Deserialize)]
pub struct AnswersQuery {
    /// A form; the newest one that is published unless it is named.
    #[serde(default)]
    form: String,
    #[serde(default)]
    bus_prop: String,
    /// `all`: also answers without a comment.
    #[serde(default)]
    show: String,
    /// Words of comments.
    #[serde(default)]
    q: String,
    /// Grades, such as `0-6`.
    #[serde(default)]
    nps: String,
    #[serde(default)]
    cursor: String,
    #[serde(flatten)]
    range: RangeQuery,
}

#[derive(Template)]
#[template(path = "answers.html")]
struct AnswersPage<'a> {
    f: &'a Frame,
    range: &'a Range,
    forms: Vec<FormChoice>,
    form: &'a str,
    bus_prop: &'a str,
    /// `all`: also answers without a comment.
    show: &'a str,
    q: &'a str,
    nps: &'a str,
    total: i64,
    items: Vec<Feedback>,
    /// The query of this page, without a place in the list.
    filter: String,
    /// The query of the next page.
    next: Option<String>,
}

/// A form to choose.
#[derive(Deserialize)]
pub struct FormChoice {
    pub form_id: String,
    pub title: String,
    #[serde(default)]
    pub bus_props: Vec<BusProp>,
}

#[derive(Deserialize)]
pub struct BusProp {
    pub bus_prop: String,
}

#[derive(Deserialize)]
struct Feedbacks {
    total: i64,
    items: Vec<Feedback>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Feedback {
    submitted_at: DateTime<Utc>,
    bus_props: Vec<String>,
    track_fields: Map<String, Value>,
    nps: Option<i64>,
    happiness: Option<i64>,
    comment: Option<String>,
    answers: Vec<Answer>,
}

#[derive(Deserialize)]
struct Answer {
    label: String,
    #[serde(rename = "type")]
    kind: String,
    value: Value,
}

impl Feedback {
    fn docid(&self) -> Option<&str> {
        self.track_fields.get("docid")?.as_str()
    }

    /// Answers that are shown apart from score, smiley and comment.
    fn others(&self) -> impl Iterator<Item = (&str, String)> {
        let others = self
            .answers
            .iter()
            .filter(|answer| !matches!(&*answer.kind, "nps" | "happiness" | "comment"));
        others.map(|answer| (&*answer.label, service::text(&answer.value)))
    }
}

impl AnswersQuery {
    /// The path of the API's list, with these parameters more.
    fn path(&self, form: &str, range: &Range, more: &[(&str, &str)]) -> String {
        let comments = if self.show == "all" { "" } else { "comment/" };
        let (start, end) = (range.dates.start(), range.dates.end());
        let bus_prop = utf8_percent_encode(&self.bus_prop, NON_ALPHANUMERIC);
        let form = utf8_percent_encode(form, NON_ALPHANUMERIC);
        let given = [("q", self.q.trim()), ("nps", &*self.nps)];
        let given = given
            .iter()
            .chain(more)
            .filter(|(_, value)| !value.is_empty());
        let query = Serializer::new(String::new()).extend_pairs(given).finish();
        format!("/api_v1/report/feedbacks/{comments}{start}/{end}/{form}/{bus_prop}?{query}")
    }
}

/// `GET /dashboard/answers.csv`: all that the page is narrowed to.
pub async fn export(
    State(state): State<DashboardState>,
    person: SignedIn,
    Query(query): Query<AnswersQuery>,
) -> Result<Response> {
    let range = Range::read(&query.range, person.time_zone)?;
    let path = query.path(&query.form, &range, &[]);
    let csv = [(ACCEPT, HeaderValue::from_static("text/csv"))];
    let headers = HeaderMap::from_iter(csv);
    let mut list =
        service::call(&state, &person, Method::GET, &path, Body::empty(), headers).await?;
    let name = HeaderValue::from_static("attachment; filename=\"answers.csv\"");
    list.headers_mut().insert(CONTENT_DISPOSITION, name);
    Ok(list)
}

/// `GET /dashboard/answers`.
pub async fn show(
    State(state): State<DashboardState>,
    person: SignedIn,
    Query(query): Query<AnswersQuery>,
) -> Result<Response> {
    let f = person.frame("answers");
    let range = Range::read(&query.range, f.zone)?;
    let forms: service::List<FormChoice> =
        service::get(&state, &person, "/api_v1/form/list/PUBLISHED?limit=200").await?;
    let forms = forms.items;
    let first = forms
        .first()
        .map(|form| form.form_id.clone())
        .unwrap_or_default();
    let form = if query.form.is_empty() {
        first
    } else {
        query.form.clone()
    };
    let empty = Feedbacks {
        total: 0,
        items: Vec::new(),
        next_cursor: None,
    };
    let found = if form.is_empty() {
        empty
    } else {
        let part = [("limit", "20"), ("cursor", &query.cursor)];
        let path = query.path(&form, &range, &part);
        service::get(&state, &person, &path).await?
    };
    let filter = Serializer::new(range.query())
        .append_pair("form", &form)
        .append_pair("bus_prop", &query.bus_prop)
        .append_pair("show", &query.show)
        .append_pair("q", &query.q)
        .append_pair("nps", &query.nps)
        .finish();
    let next = found.next_cursor.map(|cursor| {
        Serializer::new(filter.clone())
            .append_pair("cursor", &cursor)
            .finish()
    });
    let template = AnswersPage {
        f: &f,
        range: &range,
        forms,
        form: &form,
        bus_prop: &query.bus_prop,
        show: &query.show,
        q: &query.q,
        nps: &query.nps,
        total: found.total,
        items: found.items,
        filter,
        next,
    };
    Ok(page(&f, &template))
}
