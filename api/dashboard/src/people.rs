//! The people of an account: adding them, their roles, new passwords, removing them.

use std::collections::HashMap;

use api_http::{AuditEntry, Problem, Result};
use askama::Template;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::person::{NewPassword, PersonName, Role};
use serde::Deserialize;
use store::account::{Person, PersonChange, PersonSummary};
use strum::VariantArray;

use crate::done;
use crate::page::{Frame, page};
use crate::password::refusal_of;
use crate::sent::SentChange;
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "people.html")]
struct PeoplePage<'a> {
    f: &'a Frame,
    /// Why a change was refused.
    refusal: Option<String>,
    people: Vec<PersonSummary>,
    /// By name, as far as the audit log is kept.
    last_sign_ins: HashMap<String, DateTime<Utc>>,
    roles: &'static [Role],
    /// What was typed of a person who was not added.
    typed: NewPerson,
}

impl PeoplePage<'_> {
    /// Nobody else manages the account.
    fn is_only_admin(&self, person: &PersonSummary) -> bool {
        let is_admin = |person: &&PersonSummary| person.role == Role::Admin.as_str();
        is_admin(&person) && self.people.iter().filter(is_admin).count() == 1
    }

    fn last_sign_in(&self, person: &PersonSummary) -> String {
        let at = self.last_sign_ins.get(&person.name);
        // Not that of somebody who was called so before.
        match at.filter(|at| **at >= person.created_at) {
            Some(at) => self.f.t.with("last-sign-in", self.f.moment(*at)),
            None => self.f.t.get("no-sign-in"),
        }
    }
}

/// `GET /dashboard/people`.
pub async fn show(person: SignedIn) -> Result<Response> {
    answer(&person, None, NewPerson::default()).await
}

async fn answer(person: &SignedIn, refusal: Option<&str>, typed: NewPerson) -> Result<Response> {
    let f = person.frame("people");
    let template = PeoplePage {
        f: &f,
        refusal: refusal.map(|key| f.t.get(key)),
        people: person.store().people(Some(person.account_id)).await?,
        last_sign_ins: person.store().last_sign_ins(person.account_id).await?,
        roles: Role::VARIANTS,
        typed,
    };
    Ok(page(&f, &template))
}

#[derive(Default, Deserialize)]
pub struct NewPerson {
    name: String,
    password: String,
    role: String,
}

/// Adds a person.
pub async fn add(person: SignedIn, SentChange(new): SentChange<NewPerson>) -> Result<Response> {
    let (Ok(name), Ok(role)) = (PersonName::parse_new(&new.name), new.role.parse()) else {
        return answer(&person, Some("people-name-wrong"), new).await;
    };
    let names = [name.as_str(), &person.company, &person.account_name];
    let password = match NewPassword::parse(&*new.password, &names) {
        Ok(password) => password,
        Err(fault) => return answer(&person, Some(refusal_of(fault)), new).await,
    };
    let hash = person.hash(password).await?;
    let subject = format!("{} {role}", name.as_str());
    let noted = person.caller.note("person.add", &subject).await?;
    let store = person.store();
    let added = store.add_person(&person.account_name, &name, role, (&hash, true));
    answer_to(noted, added.await?, &person, ("add", new)).await
}

#[derive(Deserialize)]
pub struct PersonAction {
    name: String,
    #[serde(default)]
    value: String,
}

/// Changes a role or a password, takes a second factor that was lost, or removes a person.
pub async fn change(
    person: SignedIn,
    Path(action): Path<String>,
    SentChange(change): SentChange<PersonAction>,
) -> Result<Response> {
    let other = find(&person, &change.name).await?;
    let store = person.store();
    let note = async |action| person.caller.note(action, &other.name).await;
    let (noted, changed) = match &*action {
        "role" => {
            let role = change.value.parse().map_err(|_| Problem::not_found())?;
            let subject = other.with_role(role);
            let noted = person.caller.note("person.role", &subject).await?;
            (noted, store.set_role(&other, role).await?)
        }
        // One's own is changed with the old one, and one's second factor turned off with the password.
        "password" if other.name != person.name => {
            let password = match NewPassword::parse(change.value, &other.names()) {
                Ok(password) => password,
                Err(fault) => {
                    return answer(&person, Some(refusal_of(fault)), NewPerson::default()).await;
                }
            };
            let hash = person.hash(password).await?;
            let noted = note("person.password").await?;
            (noted, store.set_password(&other, &hash, true).await?)
        }
        "second-factor" if other.name != person.name => {
            let noted = note("person.second-factor").await?;
            (noted, store.remove_second_factor(&other).await?)
        }
        "remove" => {
            let noted = note("person.remove").await?;
            (noted, store.remove_person(&other).await?)
        }
        _ => return Err(Problem::not_found()),
    };
    answer_to(noted, changed, &person, (&*action, NewPerson::default())).await
}

/// Goes on to the people, or says there why nothing was changed.
async fn answer_to(
    noted: AuditEntry<'_>,
    change: PersonChange,
    person: &SignedIn,
    (action, typed): (&str, NewPerson),
) -> Result<Response> {
    let refusal = match change {
        PersonChange::Done => {
            noted.record_status(StatusCode::OK).await;
            return Ok(done::go("/dashboard/people", &format!("person.{action}")));
        }
        PersonChange::NotFound => return Err(Problem::not_found()),
        PersonChange::Taken => "people-name-taken",
        PersonChange::LastAdmin => "people-last-admin",
        PersonChange::NoPassword => "people-provider",
    };
    noted.record_status(StatusCode::CONFLICT).await;
    answer(person, Some(refusal), typed).await
}

/// A person of the same account.
async fn find(person: &SignedIn, name: &str) -> Result<Person> {
    let name = PersonName::parse(name).map_err(|_| Problem::not_found())?;
    let other = person.store().person(&name).await?;
    let other = other.filter(|other| other.account_id == person.account_id);
    other.ok_or_else(Problem::not_found)
}
