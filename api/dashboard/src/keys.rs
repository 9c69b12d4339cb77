//! The API keys of an account: making, rotating and revoking them.

use api_http::{Problem, Result};
use askama::Template;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use chrono::TimeDelta;
use domain::scope::{Scope, Scopes};
use serde::Deserialize;
use store::account::{CreateKeyError, IssuedKey, KeySummary};
use strum::VariantArray;

use crate::done;
use crate::page::{Frame, page};
use crate::sent::{SentChange, SentPairs};
use crate::signed_in::SignedIn;

/// For so long the present secret still works.
const OVERLAP: TimeDelta = TimeDelta::hours(24);

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage<'a> {
    f: &'a Frame,
    keys: Vec<KeySummary>,
    scopes: &'static [Scope],
    /// Shown once.
    issued: Option<IssuedKey>,
}

/// `GET /dashboard/keys`.
pub async fn show(person: SignedIn) -> Result<Response> {
    answer(&person, None).await
}

async fn answer(person: &SignedIn, issued: Option<IssuedKey>) -> Result<Response> {
    let f = person.frame("keys");
    let template = KeysPage {
        f: &f,
        keys: keys(person).await?,
        scopes: Scope::VARIANTS,
        issued,
    };
    Ok(page(&f, &template))
}

async fn keys(person: &SignedIn) -> Result<Vec<KeySummary>> {
    let keys = person.store().list_keys(Some(person.account_id));
    let mut keys = keys.await?;
    // Those that work come first.
    keys.sort_by_key(|key| key.revoked_at.is_some());
    Ok(keys)
}

/// Makes a key with the scopes whose names are sent.
pub async fn create(person: SignedIn, SentPairs(sent): SentPairs) -> Result<Response> {
    let names = sent.iter().map(|(name, _)| name.parse());
    let scopes: Scopes = names.filter_map(Result::<Scope, _>::ok).collect();
    if scopes.iter().next().is_none() {
        return answer(&person, None).await;
    }
    let noted = person
        .caller
        .note("key.create", &scopes.to_string())
        .await?;
    let made = person.store();
    let made = made.create_key(&person.account_name, None, scopes);
    let issued = made.await.map_err(|error| match error {
        CreateKeyError::Store(error) => error.into(),
        other => Problem::internal(&other),
    })?;
    noted.record_status(StatusCode::OK).await;
    answer(&person, Some(issued)).await
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
        noted.record_status(StatusCode::OK).await;
        return answer(&person, issued).await;
    }
    store.revoke_key(&api_key).await?;
    noted.record_status(StatusCode::OK).await;
    Ok(done::go("/dashboard/keys", "key.revoke"))
}
