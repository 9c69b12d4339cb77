//! The page on which people change their own password.

use api_http::Result;
use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use domain::person::NewPassword;
use serde::Deserialize;
use store::account::Person;

use crate::page::{Frame, page};
use crate::sent::SentChange;
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "password.html")]
struct PasswordPage<'a> {
    f: &'a Frame,
    /// Why the change was refused.
    refusal: Option<String>,
}

/// The page on which somebody changes their own password.
pub async fn show(person: SignedIn) -> Response {
    let f = person.frame("password");
    page(
        &f,
        &PasswordPage {
            f: &f,
            refusal: None,
        },
    )
}

#[derive(Deserialize)]
pub struct PasswordChange {
    current: String,
    new: String,
}

/// Changes the password of whoever is signed in, and ends all of their sessions.
pub async fn change(
    person: SignedIn,
    SentChange(change): SentChange<PasswordChange>,
) -> Result<Response> {
    let f = person.frame("password");
    let wrong = |key| {
        let refusal = Some(f.t.get(key));
        Ok(page(&f, &PasswordPage { f: &f, refusal }))
    };
    let Ok(new) = NewPassword::parse(change.new) else {
        return wrong("password-too-short");
    };
    let passwords = &person.state.passwords;
    let session = hex::encode(person.session);
    let found = passwords.check_known(&session, Person::clone(&person), change.current);
    if found.await?.is_none() {
        return wrong("password-wrong");
    }
    let hash = passwords.hash(person.account_id, new).await?;
    let noted = person.caller.note("password.change", &person.name).await?;
    person.store().set_password(&person, &hash).await?;
    noted.record_status(StatusCode::OK).await;
    Ok(Redirect::to("/dashboard/sign-in").into_response())
}
