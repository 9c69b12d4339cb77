//! The second page of signing in, for people with a second factor: a code of their app, or a recovery code.
//!
//! Nothing is stored between the two: the page has a text, signed under the stored hash of the person's password, which says that
//! they have shown that they know it.

use api_http::{Network, Result};
use api_language::{Text, of_request};
use askama::Template;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use chrono::{TimeDelta, Utc};
use domain::person::PersonName;
use hmac::Mac;
use serde::Deserialize;
use store::account::Person;

use crate::known::signed;
use crate::page::html;
use crate::password::forget;
use crate::second_factor::take_code;
use crate::sent::receive_small;
use crate::session::inside;
use crate::state::DashboardState;
use crate::visitor::Visitor;

/// Signing in with a code, as the audit log names it.
const BY_CODE: &str = "sign-in.code";
const PASSWORD_SHOWN: &str = "password shown";
/// How long a password that was shown is good for a code.
const LIFE: TimeDelta = TimeDelta::minutes(5);

#[derive(Template)]
#[template(path = "second_step.html")]
struct SecondStepPage<'a> {
    t: &'a Text,
    shown: String,
    next: &'a str,
    wrong: bool,
}

/// What the page sends.
#[derive(Deserialize)]
pub struct SecondStep {
    /// As [`shown`] made it.
    shown: String,
    code: String,
    #[serde(default)]
    next: String,
}

/// Asks whoever has shown that they know the person's password for a code; then leads to a page.
pub fn ask(t: &Text, person: &Person, next: &str, wrong: bool) -> Response {
    let status = if wrong {
        StatusCode::UNAUTHORIZED
    } else {
        StatusCode::OK
    };
    let template = SecondStepPage {
        t,
        shown: shown(person, (Utc::now() + LIFE).timestamp()),
        next,
        wrong,
    };
    html(t, status, &template)
}

/// Says that somebody has shown that they know a person's password, until then.
fn shown(person: &Person, until: i64) -> String {
    let mac = signed(person, PASSWORD_SHOWN, until).map(|mac| mac.finalize().into_bytes());
    format!(
        "{until}.{}.{}",
        hex::encode(mac.unwrap_or_default()),
        person.name
    )
}

/// The name that a text of [`shown`] has, unproven.
fn claimed(shown: &str) -> Option<PersonName> {
    PersonName::parse(shown.splitn(3, '.').nth(2)?).ok()
}

/// Whether it is true of this person.
fn is_true(shown: &str, person: &Person) -> bool {
    let proven = || {
        let mut parts = shown.splitn(3, '.');
        let until: i64 = parts.next()?.parse().ok()?;
        let mac = hex::decode(parts.next()?).ok()?;
        signed(person, PASSWORD_SHOWN, until)?
            .verify_slice(&mac)
            .ok()?;
        Some(until > Utc::now().timestamp())
    };
    proven().unwrap_or(false)
}

/// Signs in with a code, after the password.
pub async fn confirm(
    State(state): State<DashboardState>,
    network: Network,
    request: Request,
) -> Result<Response> {
    let again = || Redirect::to("/dashboard/sign-in").into_response();
    let headers = request.headers().clone();
    let sent: SecondStep = receive_small(&state, request).await?;
    let Some(name) = claimed(&sent.shown) else {
        return Ok(again());
    };
    let (store, failures) = (&state.app.store, &state.app.failures);
    let _permit = failures.lookup_permit(network, false)?;
    let person = store.person(&name).await?;
    let Some(person) = person.filter(|person| is_true(&sent.shown, person)) else {
        failures.take(network)?;
        return Ok(again());
    };
    let tries = state.passwords.count_code(&headers, &person, &name)?;
    if !take_code(&state.app, &person, &sent.code).await? {
        let passwords = &state.passwords;
        passwords.note_refused(&state.app, network, &person, BY_CODE);
        return Ok(ask(of_request(&headers), &person, &sent.next, true));
    }
    forget(&tries);
    let visitor = Visitor::new(network, &headers);
    let sessions = &state.sessions;
    let to = (BY_CODE, inside(&sent.next));
    let signed_in = sessions.sign_in(store, &person, &name, &visitor, to);
    Ok(signed_in.await?.unwrap_or_else(again))
}

#[cfg(test)]
mod tests {
    use domain::person::Role;
    use uuid::Uuid;

    use store::retention::Seals;

    use super::*;

    #[test]
    fn a_shown_password_is_its_person_s_and_not_for_long() {
        let ada = Person {
            account_id: Uuid::nil(),
            account_name: "shop".to_owned(),
            company: "shop".to_owned(),
            time_zone: chrono_tz::UTC,
            name: "ada.b".to_owned(),
            role: Role::Viewer,
            password_hash: "hash".to_owned(),
            must_change_password: false,
            second_factor: None,
            demands_second_factor: false,
            identity: None,
            seals: Seals::default(),
        };
        let until = Utc::now().timestamp() + 60;
        let text = shown(&ada, until);
        assert_eq!(claimed(&text), PersonName::parse("ada.b").ok());
        assert!(is_true(&text, &ada));
        assert!(!is_true(&shown(&ada, until - 120), &ada));
        let changed = Person {
            password_hash: "another".to_owned(),
            ..ada
        };
        assert!(!is_true(&text, &changed));
        for forged in [
            "",
            "1.2",
            &text.replacen(&until.to_string(), "9999999999", 1),
        ] {
            assert!(!is_true(forged, &changed), "{forged}");
        }
    }
}
