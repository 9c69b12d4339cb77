//! Who had access on a day: people, keys and shared pages, and what nothing here can tell.

use std::collections::HashMap;

use api_http::{Problem, Result};
use api_report::operations::{AccessOnDay, Span, read_access};
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use chrono::Utc;
use domain::date_range::{day_of, parse_date};
use serde::Deserialize;

use crate::audit::{key_names, shared_words, who};
use crate::names::names;
use crate::page::{Frame, page};
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "access.html")]
struct AccessPage<'a> {
    f: &'a Frame,
    access: AccessOnDay,
    /// The last day that can be chosen.
    today: String,
    /// What forms and keys are called, by their ids.
    names: HashMap<String, String>,
}

impl AccessPage<'_> {
    /// Since when somebody had access, and by whom.
    fn since(&self, span: &Span) -> String {
        let since = match span.since {
            Some(at) => self.f.moment(at),
            None => self.f.t.get("access-before-log"),
        };
        self.by(since, span.given_by.as_deref())
    }

    /// Until when, and by whom; empty: it goes on.
    fn until(&self, span: &Span) -> String {
        let until = span.until.map(|at| self.f.moment(at));
        until.map_or_else(String::new, |until| {
            self.by(until, span.ended_by.as_deref())
        })
    }

    fn by(&self, moment: String, name: Option<&str>) -> String {
        let who = name.map(|name| who(name, self.f.t, &self.names));
        match who {
            Some(who) => format!("{moment}, {}", self.f.t.with("access-by", who)),
            None => moment,
        }
    }

    fn shared(&self, path: &str) -> String {
        shared_words(path, self.f.t, &self.names)
    }
}

#[derive(Deserialize)]
pub struct ChosenDay {
    /// Empty: today.
    #[serde(default)]
    day: String,
}

/// `GET /dashboard/audit/access`.
pub async fn show(person: SignedIn, Query(chosen): Query<ChosenDay>) -> Result<Response> {
    let f = person.frame("audit");
    let day = Some(&*chosen.day).filter(|day| !day.is_empty());
    let wrong = || Problem::invalid_parameter("day is not a date (YYYY-MM-DD)");
    let day = day.map(|text| parse_date(text).ok_or_else(wrong));
    let (access, permit) = read_access(&person.caller, day.transpose()?).await?;
    let mut names = names(&person).await;
    names.extend(key_names(&person).await?);
    let template = AccessPage {
        f: &f,
        access,
        today: day_of(Utc::now(), f.zone).to_string(),
        names,
    };
    Ok(permit.hold(page(&f, &template)))
}
