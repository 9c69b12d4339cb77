//! The page on which people set up a second factor of their own, or turn it off: an app that makes codes of a secret and the time
//! (TOTP, RFC 6238), and ten recovery codes.
//!
//! The database has what stands for the secret; under `FEEDBACK_PEPPER` it becomes the secret. Of recovery codes, which are 80 random
//! bits, it has the SHA-256.

use api_collect::pages::qr_svg;
use api_http::{AppState, Problem, Result};
use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::Utc;
use domain::pepper::Pepper;
use serde::Deserialize;
use store::account::{Person, hash_secret, random_text};
use totp_rs::{Builder, Secret, Totp};

use crate::own_password;
use crate::page::{Frame, page};
use crate::sent::SentChange;
use crate::signed_in::SignedIn;

/// Whoever must set one up has no other page.
pub const PATH: &str = "/dashboard/second-factor";
const RECOVERY_CODES: usize = 10;
/// Bytes of a recovery code.
const RECOVERY_BYTES: usize = 10;

#[derive(Template)]
#[template(path = "second_factor.html")]
struct SecondFactorPage<'a> {
    f: &'a Frame,
    /// Why a change was refused.
    refusal: Option<String>,
    /// The account demands it, so it is set up before anything else.
    is_demanded: bool,
    shown: Shown,
}

/// What the page shows.
enum Shown {
    /// There is no pepper, so nobody can have one.
    Unavailable,
    /// What somebody sets up.
    New {
        nonce: String,
        /// In groups of four characters.
        secret: String,
        /// The source of an image.
        qr: String,
    },
    /// How many recovery codes are left of the one that they have.
    Left(i64),
    /// The recovery codes of one that was just set up.
    Codes(Vec<String>),
}

/// What a person's app has of these secrets, the current one first.
fn apps(pepper: &Pepper, person: &Person, nonce: &str) -> impl Iterator<Item = Totp> {
    let secrets = pepper.second_factors(person.account_id, &person.name, nonce);
    // It takes a colon for the end of the one and the beginning of the other.
    let [company, name] = [&person.company, &person.name].map(|text| text.replace(':', " "));
    secrets.filter_map(move |secret| {
        let app = Builder::new().with_secret(Secret::new_stack(secret));
        let app = app.with_issuer(Some(company.as_str()));
        app.with_account_name(name.as_str()).build().ok()
    })
}

/// The step of time of a code, if it is one of these days.
fn step(pepper: Option<&Pepper>, person: &Person, nonce: &str, code: &str) -> Option<i64> {
    let now = u64::try_from(Utc::now().timestamp()).ok()?;
    let mut apps = apps(pepper?, person, nonce);
    let step = apps.find_map(|app| app.check(code, now))?;
    i64::try_from(step).ok()
}

/// A code as it is compared, however it was typed.
fn spelled(typed: &str) -> String {
    let code = typed.chars().filter(char::is_ascii_alphanumeric);
    code.collect::<String>().to_uppercase()
}

/// Whether a code is one of the person's app or a recovery code of theirs; it is used up.
///
/// # Errors
/// 503.
pub async fn take_code(app: &AppState, person: &Person, typed: &str) -> Result<bool> {
    let code = spelled(typed);
    let nonce = person.second_factor.as_deref().unwrap_or_default();
    let taken = match step(app.pepper.as_deref(), person, nonce, &code) {
        Some(step) => app.store.take_code(person, step).await?,
        None => app.store.take_recovery_code(person, &hash(&code)).await?,
    };
    Ok(taken)
}

fn hash(code: &str) -> String {
    hex::encode(hash_secret(code))
}

fn grouped(text: &str) -> String {
    let groups = text
        .as_bytes()
        .chunks(4)
        .filter_map(|group| str::from_utf8(group).ok());
    groups.collect::<Vec<_>>().join(" ")
}

fn new_recovery_code() -> String {
    let random = hash_secret(&random_text());
    let bytes = random.get(..RECOVERY_BYTES).unwrap_or(&random);
    Secret::from(bytes.to_vec()).to_base32()
}

/// `GET /dashboard/second-factor`.
pub async fn show(person: SignedIn) -> Result<Response> {
    // Whom a provider signs in has theirs there.
    if person.identity.is_some() {
        return Ok(Redirect::to(own_password::PATH).into_response());
    }
    let shown = match (&person.second_factor, person.state.app.pepper.as_deref()) {
        (Some(_), _) => {
            let codes = person.store().recovery_codes(&person).await?;
            Shown::Left(i64::try_from(codes.len()).unwrap_or_default())
        }
        (None, Some(pepper)) => set_up(pepper, &person, random_text())?,
        (None, None) => Shown::Unavailable,
    };
    Ok(answer(&person, shown, None))
}

fn set_up(pepper: &Pepper, person: &Person, nonce: String) -> Result<Shown> {
    let app = apps(pepper, person, &nonce).next();
    let app = app.ok_or_else(Problem::not_found)?;
    let url = app.to_url().map_err(|error| Problem::internal(&error))?;
    let qr = STANDARD.encode(qr_svg(&url).unwrap_or_default());
    Ok(Shown::New {
        nonce,
        secret: grouped(&app.secret().to_base32()),
        qr: format!("data:image/svg+xml;base64,{qr}"),
    })
}

fn answer(person: &SignedIn, shown: Shown, refusal: Option<&str>) -> Response {
    let f = person.frame("password");
    let template = SecondFactorPage {
        f: &f,
        refusal: refusal.map(|key| f.t.get(key)),
        is_demanded: person.demands_second_factor,
        shown,
    };
    page(&f, &template)
}

#[derive(Deserialize)]
pub struct NewFactor {
    nonce: String,
    code: String,
    #[serde(default)]
    password: String,
}

/// Sets up a second factor for whoever knows their password, ends their other sessions, and shows the recovery codes.
pub async fn turn_on(person: SignedIn, SentChange(new): SentChange<NewFactor>) -> Result<Response> {
    let pepper = person.state.app.pepper.as_deref();
    // The secret of the one that they have is not shown again.
    if person.second_factor.is_some() {
        return Ok(Redirect::to(PATH).into_response());
    }
    // Whom a provider signs in has none.
    let knows = person.identity.is_some() || person.knows(new.password).await?;
    let step = step(pepper, &person, &new.nonce, &spelled(&new.code));
    let Some(step) = step.filter(|_| knows) else {
        let pepper = pepper.ok_or_else(Problem::not_found)?;
        let shown = set_up(pepper, &person, new.nonce)?;
        let refusal = if knows {
            "second-factor-wrong"
        } else {
            "password-wrong"
        };
        return Ok(answer(&person, shown, Some(refusal)));
    };
    let codes: Vec<String> = (0..RECOVERY_CODES).map(|_| new_recovery_code()).collect();
    let hashes: Vec<String> = codes.iter().map(|code| hash(code)).collect();
    let noted = person
        .caller
        .note("second-factor.set", &person.name)
        .await?;
    let store = person.store();
    let set = store.set_second_factor(&person, (&new.nonce, step), &hashes, person.session);
    let set = set.await;
    let is_set = matches!(set, Ok(true));
    noted
        .record_status(if is_set {
            StatusCode::OK
        } else {
            StatusCode::CONFLICT
        })
        .await;
    person.state.sessions.forget(person.session).await;
    if !set? {
        return Ok(Redirect::to(PATH).into_response());
    }
    let codes = codes.iter().map(|code| grouped(code)).collect();
    Ok(answer(&person, Shown::Codes(codes), None))
}

#[derive(Deserialize)]
pub struct TurnedOff {
    password: String,
}

/// Turns off the second factor of whoever is signed in, and ends all of their sessions.
pub async fn turn_off(
    person: SignedIn,
    SentChange(off): SentChange<TurnedOff>,
) -> Result<Response> {
    if !person.knows(off.password).await? {
        let codes = person.store().recovery_codes(&person).await?;
        let left = Shown::Left(i64::try_from(codes.len()).unwrap_or_default());
        return Ok(answer(&person, left, Some("password-wrong")));
    }
    let noted = person
        .caller
        .note("second-factor.remove", &person.name)
        .await?;
    person.store().remove_second_factor(&person).await?;
    noted.record_status(StatusCode::OK).await;
    Ok(Redirect::to("/dashboard/sign-in").into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_the_same_however_it_is_typed() {
        assert_eq!(spelled(" 123 456 "), "123456");
        let code = new_recovery_code();
        assert_eq!(code.len(), 16);
        assert_eq!(spelled(&grouped(&code).to_lowercase()), code);
    }
}
