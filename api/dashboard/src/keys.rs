//! The API keys of an account: making, rotating and revoking them.

use std::collections::HashMap;

use api_http::{Problem, Result};
use api_language::Text;
use askama::Template;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::date_range::{parse_date, start_of};
use domain::key::{NewKey, has_ended};
use domain::scope::{Scope, Scopes};
use serde::Deserialize;
use store::account::{CreateKeyError, IssuedKey, KeySummary};

use crate::audit::who;
use crate::done;
use crate::page::{Alert, Frame, page};
use crate::sent::{SentChange, SentPairs};
use crate::signed_in::SignedIn;

const PATH: &str = "/dashboard/keys";
/// For so long the present secret still works.
const OVERLAP: TimeDelta = TimeDelta::hours(24);

/// A key, and how it is now.
struct ShownKey {
    key: KeySummary,
    /// It works no more.
    is_over: bool,
    ends_soon: bool,
}

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage<'a> {
    f: &'a Frame,
    keys: Vec<ShownKey>,
    /// Who made them, by key, as far as the audit log is kept.
    makers: HashMap<String, String>,
    /// Those that a key may have.
    scopes: &'a [Scope],
    /// What was typed of a key that was not made, and why.
    typed: TypedKey,
    refusal: Option<String>,
    /// Shown once.
    issued: Option<IssuedKey>,
}

impl KeysPage<'_> {
    /// When a key was made, and by whom if the log has it.
    fn made(&self, shown: &ShownKey) -> String {
        let t = self.f.t;
        let at = t.with("key-made-at", self.f.moment(shown.key.created_at));
        let by = self.makers.get(&shown.key.api_key);
        let by = by.map(|name| t.with("access-by", who(name, t, &HashMap::new())));
        by.map_or(at.clone(), |by| format!("{at} {by}"))
    }
}

/// A key to be made, as it is typed.
struct TypedKey {
    scopes: Scopes,
    name: String,
    /// The last day on which it works; empty: it works for ever.
    last_day: String,
    networks: String,
}

impl Default for TypedKey {
    fn default() -> Self {
        Self {
            scopes: Scopes::ALL,
            name: String::new(),
            last_day: String::new(),
            networks: String::new(),
        }
    }
}

impl TypedKey {
    fn of(sent: &[(String, String)]) -> Self {
        let text = |name| {
            let sent = sent.iter().find(|(sent, _)| sent == name);
            sent.map(|(_, value)| value.trim().to_owned())
                .unwrap_or_default()
        };
        let names = sent.iter().map(|(name, _)| name.parse());
        Self {
            scopes: names.filter_map(Result::<Scope, _>::ok).collect(),
            name: text("name"),
            last_day: text("last_day"),
            networks: text("networks"),
        }
    }

    /// The key, or the text that says what is wrong with it.
    fn read(&self, zone: Tz, now: DateTime<Utc>) -> std::result::Result<NewKey, &'static str> {
        if self.scopes == Scopes::NONE {
            return Err("key-scopes-wrong");
        }
        let name = (!self.name.is_empty()).then(|| self.name.parse());
        let expires_at = if self.last_day.is_empty() {
            None
        } else {
            let last = parse_date(&self.last_day).and_then(|day| day.succ_opt());
            Some(start_of(last.ok_or("key-last-day-wrong")?, zone))
        };
        if has_ended(expires_at, now) {
            return Err("key-last-day-wrong");
        }
        Ok(NewKey {
            api_key: NewKey::new_id(),
            scopes: self.scopes,
            name: name.transpose().map_err(|_| "key-name-wrong")?,
            expires_at,
            networks: self.networks.parse().map_err(|_| "key-networks-wrong")?,
        })
    }
}

/// `GET /dashboard/keys`.
pub async fn show(person: SignedIn) -> Result<Response> {
    answer(&person, None).await
}

async fn answer(person: &SignedIn, issued: Option<IssuedKey>) -> Result<Response> {
    answer_to(person, TypedKey::default(), None, issued).await
}

async fn answer_to(
    person: &SignedIn,
    typed: TypedKey,
    refusal: Option<&str>,
    issued: Option<IssuedKey>,
) -> Result<Response> {
    let f = person.frame("keys");
    let now = Utc::now();
    let shown = |key: KeySummary| ShownKey {
        is_over: key.is_over(now),
        ends_soon: key.ends_soon(now),
        key,
    };
    let mut keys: Vec<_> = keys(person).await?.into_iter().map(shown).collect();
    // Those that work come first.
    keys.sort_by_key(|shown| shown.is_over);
    let scopes: Vec<Scope> = person.store().known_scopes().await?.iter().collect();
    let template = KeysPage {
        f: &f,
        keys,
        makers: person.store().makers_of_keys(person.account_id).await?,
        scopes: &scopes,
        typed,
        refusal: refusal.map(|key| f.t.get(key)),
        issued,
    };
    Ok(page(&f, &template))
}

async fn keys(person: &SignedIn) -> Result<Vec<KeySummary>> {
    Ok(person.store().list_keys(Some(person.account_id)).await?)
}

/// What every page tells admins while keys are about to end.
pub fn alert(t: &Text, ending: i64) -> Option<Alert> {
    (ending > 0).then(|| Alert {
        text: t.count("alert-keys", ending),
        path: PATH.to_owned(),
        name: t.get("nav-keys"),
    })
}

/// Makes a key, with the scopes whose names are sent.
pub async fn create(person: SignedIn, SentPairs(sent): SentPairs) -> Result<Response> {
    let typed = TypedKey::of(&sent);
    let new = match typed.read(person.time_zone, Utc::now()) {
        Ok(new) => new,
        Err(refusal) => return answer_to(&person, typed, Some(refusal), None).await,
    };
    let noted = person.caller.note("key.create", &new.subject()).await?;
    let made = person.store().create_key(&person.account_name, None, new);
    match made.await {
        Ok(issued) => {
            noted.record_status(StatusCode::OK).await;
            changed(&person).await;
            answer(&person, Some(issued)).await
        }
        Err(error) => {
            let problem = refusal_of(error);
            noted.record_status(problem.code().status()).await;
            Err(problem)
        }
    }
}

/// Why no key was made. An account that ends is as good as gone.
fn refusal_of(error: CreateKeyError) -> Problem {
    match error {
        CreateKeyError::Ending => Problem::not_found(),
        CreateKeyError::Store(error) => error.into(),
        other => Problem::internal(&other),
    }
}

/// What pages tell of keys may be otherwise.
async fn changed(person: &SignedIn) {
    person.state.sender_alerts.forget(person.account_id).await;
}

#[derive(Deserialize)]
pub struct KeyAction {
    api_key: String,
}

/// Rotates or revokes a key.
pub async fn change(
    person: SignedIn,
    Path(action): Path<String>,
    SentChange(KeyAction { api_key }): SentChange<KeyAction>,
) -> Result<Response> {
    let is_own = |key: &KeySummary| key.api_key == api_key;
    if !matches!(&*action, "rotate" | "revoke") || !keys(&person).await?.iter().any(is_own) {
        return Err(Problem::not_found());
    }
    let noted = person
        .caller
        .note(&format!("key.{action}"), &api_key)
        .await?;
    let store = person.store();
    if action == "rotate" {
        let issued = store.rotate_key(&api_key, OVERLAP).await?;
        let rotated = issued.ok_or_else(Problem::not_found);
        let status = |problem: &Problem| problem.code().status();
        let status = rotated.as_ref().map_or_else(status, |_| StatusCode::OK);
        noted.record_status(status).await;
        return answer(&person, Some(rotated?)).await;
    }
    store.revoke_key(&api_key).await?;
    noted.record_status(StatusCode::OK).await;
    changed(&person).await;
    Ok(done::go(PATH, "key.revoke"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_works_through_its_last_day_in_the_account_s_zone() {
        let zone = Tz::Europe__Berlin;
        let now = "2026-06-01T21:00:00Z".parse().unwrap();
        let read = |more: &[(&str, &str)]| {
            let pairs = [("report", "on")].iter().chain(more);
            let pairs = pairs.map(|&(name, value)| (name.to_owned(), value.to_owned()));
            TypedKey::of(&pairs.collect::<Vec<_>>()).read(zone, now)
        };
        let plain = read(&[("name", " "), ("last_day", ""), ("networks", "")]).unwrap();
        assert!(plain.name.is_none() && plain.expires_at.is_none() && plain.networks.is_empty());
        let today = read(&[("last_day", "2026-06-01"), ("networks", "10.0.0.0/8")]).unwrap();
        let end = "2026-06-01T22:00:00Z".parse().unwrap();
        assert_eq!(today.expires_at, Some(end));
        assert_eq!(today.networks.to_string(), "10.0.0.0/8");
        for (name, value, expected) in [
            ("last_day", "2026-05-31", "key-last-day-wrong"),
            ("last_day", "soon", "key-last-day-wrong"),
            ("networks", "office", "key-networks-wrong"),
            ("name", &*"x".repeat(81), "key-name-wrong"),
        ] {
            assert_eq!(read(&[(name, value)]).err(), Some(expected), "{value}");
        }
        assert_eq!(
            TypedKey::of(&[]).read(zone, now).err(),
            Some("key-scopes-wrong")
        );
    }
}
