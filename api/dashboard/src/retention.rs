//! The page of how long data is kept. What a change would delete is shown before, and asked.

use api_http::{Problem, Result};
use api_report::operations::{preview_retention, read_retention, set_retention};
use askama::Template;
use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use chrono::{DateTime, NaiveDate, Utc};
use domain::retention::{KEPT_AUDIT_DAYS, KEPT_DAYS, Retention};
use serde::Deserialize;
use serde_json::{Map, Value};
use store::retention::{StoredRetention, WouldGo};

use crate::done;
use crate::page::{Frame, page};
use crate::sent::SentChange;
use crate::signed_in::SignedIn;
use crate::state::DashboardState;

const PATH: &str = "/dashboard/retention";

/// The route of the page.
pub fn routes() -> Router<DashboardState> {
    Router::new().route(PATH, get(show).post(set))
}

/// Days as they are typed: empty, for ever. Left out, nothing was asked for.
#[derive(Deserialize)]
struct TypedRetention {
    #[serde(rename = "answers_days")]
    answers: Option<String>,
    #[serde(rename = "visits_days")]
    visits: Option<String>,
    #[serde(rename = "messages_days")]
    messages: Option<String>,
    #[serde(rename = "audit_days")]
    audit: Option<String>,
}

/// What is kept for so many days.
struct Kept {
    /// The name of its number, and of what it is in texts.
    name: &'static str,
    key: &'static str,
    typed: String,
    /// The fewest days.
    least: u16,
    /// The last day of which it is deleted.
    sealed: Option<NaiveDate>,
}

#[derive(Template)]
#[template(path = "retention.html")]
struct RetentionPage<'a> {
    f: &'a Frame,
    kept: [Kept; 4],
    most: u16,
    /// Until then the days that are set can be taken back.
    holds_from: Option<DateTime<Utc>>,
    /// What a change that is asked for would delete.
    would_go: Option<WouldGo>,
    /// Why a change was refused.
    refusal: Option<String>,
}

impl RetentionPage<'_> {
    /// What goes, a line each.
    fn goes(&self, would_go: &WouldGo) -> Vec<String> {
        let goes = [
            ("retention-goes-answers", would_go.answers),
            ("retention-goes-visits", would_go.visits),
            ("retention-goes-messages", would_go.messages),
            ("retention-goes-audit", would_go.audit),
        ];
        let goes = goes.into_iter().filter(|(_, count)| *count > 0);
        goes.map(|(key, count)| self.f.t.count(key, count))
            .collect()
    }
}

impl TypedRetention {
    fn texts(&self) -> [(&'static str, &Option<String>); 4] {
        [
            ("answers_days", &self.answers),
            ("visits_days", &self.visits),
            ("messages_days", &self.messages),
            ("audit_days", &self.audit),
        ]
    }

    fn is_asked(&self) -> bool {
        self.texts().iter().any(|(_, text)| text.is_some())
    }

    /// `None`: some are no numbers of days.
    fn read(&self) -> Option<Retention> {
        let texts = self.texts().into_iter();
        let given = texts.filter_map(|(name, text)| Some((name, text.as_deref()?.trim())));
        let given = given.filter(|(_, text)| !text.is_empty());
        let members: Map<String, Value> = given
            .map(|(name, text)| {
                // What is no number is not as if left out.
                let days = text.parse::<u64>();
                (
                    name.to_owned(),
                    days.map_or_else(|_| text.into(), Value::from),
                )
            })
            .collect();
        Retention::parse(&Value::Object(members)).ok()
    }
}

impl From<&Retention> for TypedRetention {
    fn from(retention: &Retention) -> Self {
        let typed = |days: Option<u16>| days.map(|days| days.to_string());
        Self {
            answers: typed(retention.answers_days),
            visits: typed(retention.visits_days),
            messages: typed(retention.messages_days),
            audit: typed(retention.audit_days),
        }
    }
}

/// `GET /dashboard/retention`; with days, what setting them would delete.
async fn show(person: SignedIn, Query(typed): Query<TypedRetention>) -> Result<Response> {
    let stored = read_retention(&person.caller).await?;
    if !typed.is_asked() {
        let typed = TypedRetention::from(&stored.retention);
        return Ok(draw(&person, &typed, &stored, None, None));
    }
    let would_go = match typed.read() {
        Some(asked) => Some(preview_retention(&person.caller, &asked).await?),
        None => None,
    };
    let refusal = would_go.is_none().then_some("retention-wrong");
    Ok(draw(&person, &typed, &stored, would_go, refusal))
}

fn draw(
    person: &SignedIn,
    typed: &TypedRetention,
    stored: &StoredRetention,
    would_go: Option<WouldGo>,
    refusal: Option<&str>,
) -> Response {
    let (f, seals) = (person.frame("people"), stored.sealed);
    let sealed = [seals.answers, seals.visits, seals.messages, None];
    let keys = [
        "retention-answers",
        "retention-visits",
        "retention-messages",
        "retention-audit",
    ];
    let texts = typed.texts();
    let kept = std::array::from_fn(|at| {
        let (name, text) = texts[at];
        let least = if name == "audit_days" {
            KEPT_AUDIT_DAYS
        } else {
            KEPT_DAYS
        };
        Kept {
            name,
            key: keys[at],
            typed: text.clone().unwrap_or_default(),
            least: *least.start(),
            sealed: sealed[at],
        }
    });
    let template = RetentionPage {
        kept,
        most: *KEPT_DAYS.end(),
        holds_from: stored.holds_from,
        would_go,
        refusal: refusal.map(|key| f.t.get(key)),
        f: &f,
    };
    page(&f, &template)
}

/// Sets how long what is kept.
async fn set(person: SignedIn, SentChange(typed): SentChange<TypedRetention>) -> Result<Response> {
    let Some(retention) = typed.read() else {
        return Err(Problem::not_found());
    };
    set_retention(&person.caller, &retention).await?;
    Ok(done::go(PATH, "account.retention"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_empty_is_kept_for_ever() {
        let typed = |answers: &str, audit: &str| TypedRetention {
            answers: Some(answers.to_owned()),
            visits: Some(String::new()),
            messages: None,
            audit: Some(audit.to_owned()),
        };
        let read = typed(" 365 ", "").read().unwrap();
        assert_eq!(read.answers_days, Some(365));
        assert_eq!((read.visits_days, read.audit_days), (None, None));
        for (answers, audit) in [("a year", ""), ("0", ""), ("", "89"), ("-1", "")] {
            assert_eq!(typed(answers, audit).read(), None, "{answers} {audit}");
        }
    }
}
