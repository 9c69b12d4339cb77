//! The frame around every page, with its navigation, and the headers that keep pages safe; a problem as a page.

use std::borrow::Borrow;

use api_http::{Code, Problem};
use askama::Template;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::campaign::{Message, MessageStatus};
use domain::date_range::day_of;
use domain::person::Role;
use serde_json::Value;
use store::retention::Seals;

use crate::range::Range;
use api_language::Text;

/// Everything comes from this service, and nothing stands in the page itself.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

/// The pages in the navigation: their paths, their names, and the lowest roles that may open them.
const NAVIGATION: [(&str, &str, Role); 11] = [
    ("/dashboard", "overview", Role::Viewer),
    ("/dashboard/answers", "answers", Role::Viewer),
    ("/dashboard/stores", "stores", Role::Viewer),
    ("/dashboard/campaigns", "campaigns", Role::Viewer),
    ("/dashboard/imports", "imports", Role::Viewer),
    ("/dashboard/recipients", "recipients", Role::Viewer),
    ("/dashboard/senders", "senders", Role::Viewer),
    ("/dashboard/forms", "forms", Role::Viewer),
    ("/dashboard/people", "people", Role::Admin),
    ("/dashboard/keys", "keys", Role::Admin),
    ("/dashboard/audit", "audit", Role::Admin),
];

/// What all pages tell while it is so.
#[derive(Clone)]
pub struct Alert {
    pub text: String,
    /// The page that tells more.
    pub path: String,
    pub name: String,
}

/// What every page of somebody who is signed in has.
pub struct Frame {
    pub t: &'static Text,
    pub person: String,
    /// What pages call the account.
    pub account: String,
    pub role: Role,
    pub zone: Tz,
    /// The page's name in the navigation.
    pub current: &'static str,
    /// What was done just before, if something was.
    pub done: Option<String>,
    /// What is wrong with senders, of which budget little is left, or that keys end, for those who can do something about it.
    pub alerts: Vec<Alert>,
    /// Whether the account's messages are simulated: none reaches a phone.
    pub simulates: bool,
    /// Whether the account has a sender that reaches phones.
    pub reaches_phones: bool,
    /// What forms of the page send with a change; empty on a shared page, which has none.
    pub token: String,
    /// What is sealed of the account.
    pub seals: Seals,
    /// The parameters that its links keep.
    pub kept: String,
}

impl Frame {
    /// Of a shared page.
    pub fn of_reader(t: &'static Text, account: String, zone: Tz) -> Self {
        Self {
            t,
            person: String::new(),
            account,
            role: Role::Viewer,
            zone,
            current: "",
            done: None,
            alerts: Vec::new(),
            simulates: false,
            reaches_phones: false,
            token: String::new(),
            seals: Seals::default(),
            kept: String::new(),
        }
    }

    /// Pages in the navigation: where they are, and their names.
    pub fn links(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let links = NAVIGATION.iter();
        links.filter_map(|&(path, name, role)| (self.role >= role).then_some((path, name)))
    }

    /// Whether nobody is signed in: the page has its report and nothing else.
    pub fn is_shared(&self) -> bool {
        self.token.is_empty()
    }

    /// Whether the page shows messages that are simulated, and so has to say it.
    pub fn says_simulated(&self) -> bool {
        let shows_messages = [
            "overview",
            "stores",
            "campaigns",
            "imports",
            "recipients",
            "senders",
        ];
        self.simulates && shows_messages.contains(&self.current)
    }

    /// The text for messages that were delivered.
    pub fn delivered(&self) -> &'static str {
        delivered(self.simulates)
    }

    /// Whether it is the page of this path.
    pub fn is_at(&self, path: &str) -> bool {
        path.strip_prefix("/dashboard/") == Some(self.current)
    }

    /// What is told of days of which answers, or on the pages of campaigns messages, are deleted.
    pub fn sealed_note(&self, range: &Range) -> Option<String> {
        let (sealed, note) = if self.current == "campaigns" {
            (self.seals.messages, "sealed-campaigns")
        } else {
            (self.seals.answers, "sealed-answers")
        };
        let last = sealed.filter(|last| range.dates.start() <= *last)?;
        Some(self.t.with(note, self.t.date(last)))
    }

    /// What is told of messages of whatever campaigns.
    pub fn gone_messages_note(&self) -> Option<String> {
        let last = self.seals.messages?;
        Some(self.t.with("sealed-campaigns", self.t.date(last)))
    }

    /// Whether the messages of a campaign that ended at some time are deleted.
    pub fn are_messages_gone(&self, ended_at: impl Borrow<Option<DateTime<Utc>>>) -> bool {
        let ended = ended_at.borrow().map(|at| day_of(at, self.zone));
        ended.is_some() && ended <= self.seals.messages
    }

    pub fn may_edit(&self) -> bool {
        self.role >= Role::Editor
    }

    pub fn may_read_log(&self) -> bool {
        self.role >= Role::Admin
    }

    /// A moment in the account's zone.
    pub fn moment(&self, at: impl Borrow<DateTime<Utc>>) -> String {
        self.t.moment(at.borrow(), self.zone)
    }

    /// The same with seconds.
    pub fn exact_moment(&self, at: impl Borrow<DateTime<Utc>>) -> String {
        self.t.exact_moment(at.borrow(), self.zone)
    }
}

/// The text for messages that were delivered, or whose delivery was simulated.
pub fn delivered(is_simulated: bool) -> &'static str {
    if is_simulated {
        "step-delivered-simulated"
    } else {
        "step-delivered"
    }
}

/// The name of a message's status, in which a delivery may be simulated.
pub fn status(message: &Message, is_simulated: bool) -> &'static str {
    match message.status {
        MessageStatus::Delivered if is_simulated => "delivered-simulated",
        status => status.into_str(),
    }
}

/// Whether two texts are the same, however a template holds them.
pub fn same(one: impl AsRef<str>, other: impl AsRef<str>) -> bool {
    one.as_ref() == other.as_ref()
}

/// A value of JSON as people read it.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// A page, 200.
pub fn page(f: &Frame, template: &impl Template) -> Response {
    html(f.t, StatusCode::OK, template)
}

/// A page about some days: 400 where these are not those that were asked for.
pub fn page_of_days(f: &Frame, range: &Range, template: &impl Template) -> Response {
    html(f.t, range.status(), template)
}

/// A page with a status.
pub fn html(t: &Text, status: StatusCode, template: &impl Template) -> Response {
    let html = match template.render() {
        Ok(html) => html,
        Err(error) => return Problem::internal(&error).into_response(),
    };
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "same-origin"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
        (HeaderName::from_static("content-language"), t.code),
    ];
    (status, headers, html).into_response()
}

#[derive(Template)]
#[template(path = "trouble.html")]
struct Trouble<'a> {
    t: &'a Text,
    heading: String,
    detail: String,
}

/// A problem as a page.
pub fn trouble(t: &'static Text, problem: &Problem) -> Response {
    let detail = t.refused(problem.code().as_str(), "", problem.detail());
    explained(t, problem, detail)
}

/// What the role of whoever is signed in does not allow, or what did not come from a page of theirs.
pub fn forbidden() -> Problem {
    Problem::new(Code::Forbidden, "not with this role, or not from this page")
}

/// What the role of whoever is signed in does not allow, as a page.
pub fn not_with_role(t: &'static Text, role: Role) -> Response {
    let detail = t.with("refused-role", t.of("role", role));
    explained(t, &forbidden(), detail)
}

/// A problem as a page that tells it in these words.
pub fn explained(t: &'static Text, problem: &Problem, detail: String) -> Response {
    let heading = match problem.code() {
        Code::NotFound => t.get("trouble-not-found"),
        Code::Forbidden => t.get("trouble-forbidden"),
        Code::RateLimited => t.get("trouble-too-many"),
        Code::Unavailable | Code::Busy => t.get("trouble-unavailable"),
        Code::LinkGone => t.get("trouble-link-gone"),
        _ => t.get("trouble-other"),
    };
    let template = Trouble { t, heading, detail };
    let status = problem.clone().into_response().status();
    let mut response = html(t, status, &template);
    response.headers_mut().extend(problem.headers());
    // For the log.
    response.extensions_mut().insert(problem.clone());
    response
}
