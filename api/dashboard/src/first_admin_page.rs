//! The page of the link with which the first admin signs in. They choose their name, their password, what the company is called, and its
//! time zone.

use api_http::{Network, Result};
use api_language::Text;
use askama::Template;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use chrono_tz::Tz;
use domain::changes::Changes;
use domain::person::{NewPassword, PersonName, Role};
use serde::Deserialize;
use store::account::PersonChange;

use crate::company::{self, Region};
use crate::first_admin::FirstAdmin;
use crate::page::html;
use crate::password::refusal_of;
use crate::sent::receive_small;
use crate::sign_in_link::{BY_LINK, used_up};
use crate::state::DashboardState;
use crate::visitor::Visitor;

#[derive(Template)]
#[template(path = "first_admin.html")]
struct FirstAdminPage<'a> {
    t: &'a Text,
    name: &'a str,
    company: &'a str,
    time_zone: &'a str,
    /// None where the zone stays.
    regions: Vec<Region>,
    /// Why what was chosen was refused.
    refusal: Option<String>,
}

/// What the page sends.
#[derive(Default, Deserialize)]
struct Chosen {
    name: String,
    password: String,
    company: String,
    #[serde(default)]
    time_zone: String,
}

/// The page of the link.
///
/// # Errors
/// 410: it was used, or somebody was added otherwise; 503.
pub async fn show(first: &FirstAdmin, state: &DashboardState, t: &Text) -> Result<Response> {
    check_unused(first, state, *first.is_used.lock().await).await?;
    answer(first, state, t, &Chosen::default(), None).await
}

async fn check_unused(first: &FirstAdmin, state: &DashboardState, is_used: bool) -> Result<()> {
    let people = state.app.store.people(Some(first.account_id)).await?;
    if is_used || !people.is_empty() {
        return Err(used_up());
    }
    Ok(())
}

async fn answer(
    first: &FirstAdmin,
    state: &DashboardState,
    t: &Text,
    chosen: &Chosen,
    refusal: Option<&str>,
) -> Result<Response> {
    let status = match refusal {
        None => StatusCode::OK,
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let is_counted = state.app.store.has_counted_days(first.account_id).await?;
    let template = FirstAdminPage {
        t,
        name: &chosen.name,
        company: &chosen.company,
        time_zone: &chosen.time_zone,
        regions: (!is_counted).then(company::regions).unwrap_or_default(),
        refusal: refusal.map(|key| t.get(key)),
    };
    Ok(html(t, status, &template))
}

/// Adds the first admin as they chose, and signs them in.
///
/// # Errors
/// 410: it was used, or somebody was added otherwise; 503.
pub async fn add(
    first: &FirstAdmin,
    state: &DashboardState,
    t: &Text,
    network: Network,
    request: Request,
) -> Result<Response> {
    let visitor = Visitor::new(network, request.headers());
    let chosen: Chosen = receive_small(state, request).await?;
    let mut is_used = first.is_used.lock().await;
    check_unused(first, state, *is_used).await?;
    let store = &state.app.store;
    let refuse = async |key| answer(first, state, t, &chosen, Some(key)).await;
    let Ok(name) = PersonName::parse_new(&chosen.name) else {
        return refuse("people-name-wrong").await;
    };
    let names = [name.as_str(), &chosen.company, &first.account_name];
    let password = match NewPassword::parse(chosen.password.as_str(), &names) {
        Ok(password) => password,
        Err(fault) => return refuse(refusal_of(fault)).await,
    };
    let Some(company) = company::name(&chosen.company) else {
        return refuse("company-wrong").await;
    };
    let zone = match &*chosen.time_zone {
        // Something was counted, so there was none to choose.
        "" if store.has_counted_days(first.account_id).await? => None,
        zone => match zone.parse::<Tz>() {
            Ok(zone) => Some(zone),
            Err(_) => return refuse("time-zone-choose").await,
        },
    };
    let hash = state.passwords.hash(first.account_id, password).await?;
    if let Some(zone) = zone
        && !store.set_time_zone(first.account_id, zone).await?
    {
        return refuse("time-zone-stays").await;
    }
    company::rename(store, first.account_id, company).await?;
    state.app.recent_changes.record(first.account_id);
    let added = store.add_person(&first.account_name, &name, Role::Admin, (&hash, false));
    if added.await? != PersonChange::Done {
        return refuse("people-name-taken").await;
    }
    *is_used = true;
    let person = store.person(&name).await?.ok_or_else(used_up)?;
    let subject = format!("{} {}", person.name, person.role);
    let address = network.to_string();
    let by = (person.name.as_str(), address.as_str());
    let noted = store.note_change(person.account_id, by, "person.add", &subject);
    let (noted, done) = (noted.await?, Changes::default());
    let outcome = state
        .app
        .note_outcome(person.account_id, noted, StatusCode::OK, done);
    outcome.await;
    let sessions = &state.sessions;
    let to = (BY_LINK, "/dashboard");
    let signed_in = sessions.sign_in(store, &person, &name, &visitor, to);
    signed_in.await?.ok_or_else(used_up)
}
