//! The people of an account: adding them, their roles, new passwords, removing them.

use api_http::{Network, Problem, Result};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use domain::person::{NewPassword, PersonName, Role};
use serde::Deserialize;
use store::account::{Person, PersonChange, PersonSummary};
use strum::VariantArray;

use crate::page::{Frame, page};
use crate::signed_in::{Change, SignedIn};
use crate::state::DashboardState;

#[derive(Template)]
#[template(path = "people.html")]
struct PeoplePage<'a> {
    f: &'a Frame,
    /// Why a change was refused.
    refusal: Option<String>,
    people: Vec<PersonSummary>,
    roles: &'static [Role],
}

/// `GET /dashboard/people`.
pub async fn show(State(state): State<DashboardState>, person: SignedIn) -> Result<Response> {
    answer(&state, &person, None).await
}

async fn answer(
    state: &DashboardState,
    person: &SignedIn,
    refusal: Option<String>,
) -> Result<Response> {
    let f = person.frame("people");
    let people = state.app.store.people(Some(person.account_id)).await?;
    let template = PeoplePage {
        f: &f,
        refusal,
        people,
        roles: Role::VARIANTS,
    };
    Ok(page(&f, &template))
}

#[derive(Deserialize)]
pub struct NewPerson {
    name: String,
    password: String,
    role: String,
}

/// Adds a person.
pub async fn add(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Change(new): Change<NewPerson>,
) -> Result<Response> {
    let refused = |key| answer(&state, &person, Some(person.t.get(key)));
    let (Ok(name), Ok(role)) = (PersonName::parse(&new.name), new.role.parse()) else {
        return refused("people-name-wrong").await;
    };
    let Ok(password) = NewPassword::parse(new.password) else {
        return refused("password-too-short").await;
    };
    let hash = state.passwords.hash(password).await?;
    let noted = person
        .note(
            &state,
            network,
            "person.add",
            &format!("{} {role}", name.as_str()),
        )
        .await?;
    let added = state
        .app
        .store
        .add_person(&person.account_name, &name, role, &hash)
        .await?;
    let is_done = added == PersonChange::Done;
    noted.came_to(&state, if is_done { 200 } else { 409 }).await;
    if is_done {
        Ok(Redirect::to("/dashboard/people").into_response())
    } else {
        refused("people-name-taken").await
    }
}

#[derive(Deserialize)]
pub struct PersonAction {
    name: String,
    #[serde(default)]
    value: String,
}

/// Changes a role or a password, or removes a person.
pub async fn change(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Path(action): Path<String>,
    Change(change): Change<PersonAction>,
) -> Result<Response> {
    let other = find(&state, &person, &change.name).await?;
    let store = &state.app.store;
    let note = async |action| person.note(&state, network, action, &other.name).await;
    let (noted, done) = match &*action {
        "role" => {
            let role = change.value.parse().map_err(|_| Problem::not_found())?;
            (
                note("person.role").await?,
                store.set_role(&other, role).await?,
            )
        }
        "password" => {
            let Ok(password) = NewPassword::parse(change.value) else {
                let refused = Some(person.t.get("password-too-short"));
                return answer(&state, &person, refused).await;
            };
            let hash = state.passwords.hash(password).await?;
            (
                note("person.password").await?,
                store.set_password(&other, &hash).await?,
            )
        }
        "remove" => (
            note("person.remove").await?,
            store.remove_person(&other).await?,
        ),
        _ => return Err(Problem::not_found()),
    };
    if done == PersonChange::NotFound {
        return Err(Problem::not_found());
    }
    let is_done = done == PersonChange::Done;
    noted.came_to(&state, if is_done { 200 } else { 409 }).await;
    if is_done {
        Ok(Redirect::to("/dashboard/people").into_response())
    } else {
        answer(&state, &person, Some(person.t.get("people-last-admin"))).await
    }
}

/// A person of the same account.
async fn find(state: &DashboardState, person: &SignedIn, name: &str) -> Result<Person> {
    let name = PersonName::parse(name).map_err(|_| Problem::not_found())?;
    let other = state.app.store.person(&name).await?;
    let other = other.filter(|other| other.account_id == person.account_id);
    other.ok_or_else(Problem::not_found)
}
