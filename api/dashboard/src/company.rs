//! The page of the company: what pages call it, its time zone, which can be changed while nothing is counted by its days, and whether
//! everybody needs a second factor; and the zones to choose from. The name is that of the branding: operators and senders know the account by another, which stays.

use api_form::operations::parse_branding;
use api_http::{Problem, Result};
use askama::Template;
use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use chrono_tz::{TZ_VARIANTS, Tz};
use domain::changes::Changes;
use serde::Deserialize;
use serde_json::json;
use store::{Error, Store};
use uuid::Uuid;

use crate::done;
use crate::page::{Frame, page};
use crate::sent::SentChange;
use crate::signed_in::SignedIn;
use crate::state::DashboardState;

/// The zones of a part of the world, such as `Europe`.
pub struct Region {
    pub name: &'static str,
    /// IANA names.
    pub zones: Vec<&'static str>,
}

/// Parts of the world that IANA's database still names its zones by. Other names stand for the same zones.
const REGIONS: [&str; 9] = [
    "Africa",
    "America",
    "Antarctica",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
];

/// All zones to choose from, by region; UTC has one of its own.
pub fn regions() -> Vec<Region> {
    let region = |name| {
        let names = TZ_VARIANTS.iter().map(|zone| zone.name());
        let zones = names.filter(|zone| zone.split('/').next() == Some(name));
        Region {
            name,
            zones: zones.collect(),
        }
    };
    REGIONS.into_iter().chain(["UTC"]).map(region).collect()
}

/// The name of a company as it was typed; `None`: it is none.
pub fn name(typed: &str) -> Option<String> {
    let branding = parse_branding(&json!({"name": typed.trim()}));
    branding.ok()?.name.filter(|name| !name.is_empty())
}

/// Sets what pages call the account, those behind its links too, and gives what that changed. The rest of its branding stays.
///
/// # Errors
/// The database is unavailable.
pub async fn rename(store: &Store, account_id: Uuid, name: String) -> Result<Changes, Error> {
    let change = store.change_branding(account_id, |branding| branding.name = Some(name));
    let (before, after) = change.await?;
    let [before, after] = [before, after].map(|branding| json!({"name": branding.name}));
    Ok(Changes::between(&before, &after))
}

const PATH: &str = "/dashboard/company";

/// The routes of the page.
pub fn routes() -> Router<DashboardState> {
    Router::new()
        .route(PATH, get(show).post(set_name))
        .route("/dashboard/company/time-zone", post(set_time_zone))
        .route("/dashboard/company/second-factor", post(demand_factor))
}

#[derive(Template)]
#[template(path = "company.html")]
struct CompanyPage<'a> {
    f: &'a Frame,
    time_zone: &'static str,
    /// None where the zone stays.
    regions: Vec<Region>,
    /// Whether everybody needs a second factor; `None`: nobody can have one.
    demands_factor: Option<bool>,
    /// Why a change was refused.
    refusal: Option<String>,
}

/// `GET /dashboard/company`.
async fn show(person: SignedIn) -> Result<Response> {
    answer(&person, None).await
}

async fn answer(person: &SignedIn, refusal: Option<&str>) -> Result<Response> {
    let f = person.frame("people");
    let is_counted = person.store().has_counted_days(person.account_id).await?;
    let is_demanded = person.demands_second_factor;
    let has_choice = is_demanded || person.state.app.pepper.is_some();
    let template = CompanyPage {
        time_zone: f.zone.name(),
        regions: (!is_counted).then(regions).unwrap_or_default(),
        demands_factor: has_choice.then_some(is_demanded),
        refusal: refusal.map(|key| f.t.get(key)),
        f: &f,
    };
    Ok(page(&f, &template))
}

#[derive(Deserialize)]
struct ChosenZone {
    time_zone: String,
}

/// Sets the account's time zone.
async fn set_time_zone(
    person: SignedIn,
    SentChange(chosen): SentChange<ChosenZone>,
) -> Result<Response> {
    let Ok(zone) = chosen.time_zone.parse::<Tz>() else {
        return answer(&person, Some("time-zone-choose")).await;
    };
    let noted = person.caller.note("account.time-zone", zone.name()).await?;
    let set = person.store().set_time_zone(person.account_id, zone);
    if !set.await? {
        noted.record_status(StatusCode::CONFLICT).await;
        return answer(&person, Some("time-zone-stays")).await;
    }
    let before = json!({"time_zone": person.caller.time_zone().name()});
    let changes = Changes::between(&before, &json!({"time_zone": zone.name()}));
    noted.record_changes(StatusCode::OK, &changes).await;
    Ok(changed(&person, "account.time-zone").await)
}

#[derive(Deserialize)]
struct DemandedFactor {
    /// `on` or `off`.
    demand: String,
}

/// Sets whether everybody needs a second factor.
async fn demand_factor(
    person: SignedIn,
    SentChange(chosen): SentChange<DemandedFactor>,
) -> Result<Response> {
    let action = match &*chosen.demand {
        "on" if person.state.app.pepper.is_some() => "account.factor-on",
        "off" => "account.factor-off",
        _ => return Err(Problem::not_found()),
    };
    let noted = person.caller.note(action, &person.company).await?;
    let (store, account_id) = (person.store(), person.account_id);
    let set = store.demand_second_factor(account_id, chosen.demand == "on");
    let set = set.await;
    let status = set
        .as_ref()
        .map_or(StatusCode::CONFLICT, |()| StatusCode::OK);
    noted.record_status(status).await;
    set?;
    Ok(changed(&person, action).await)
}

#[derive(Deserialize)]
struct ChosenName {
    company: String,
}

/// Sets what pages call the account.
async fn set_name(
    person: SignedIn,
    SentChange(chosen): SentChange<ChosenName>,
) -> Result<Response> {
    let Some(name) = name(&chosen.company) else {
        return answer(&person, Some("company-wrong")).await;
    };
    let noted = person.caller.note("account.name", &name).await?;
    let changes = rename(person.store(), person.account_id, name).await?;
    noted.record_changes(StatusCode::OK, &changes).await;
    Ok(changed(&person, "account.name").await)
}

/// Goes on to the page, which tells what was done.
async fn changed(person: &SignedIn, action: &str) -> Response {
    let state = &person.state;
    // What is remembered of its links, and of who is signed in, has what was before.
    state.app.recent_changes.record(person.account_id);
    state.sessions.forget(person.session).await;
    done::go(PATH, action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_company_s_name_is_a_line_that_says_something() {
        assert_eq!(name(" Bäckerei Sonne ").as_deref(), Some("Bäckerei Sonne"));
        let long = "a".repeat(101);
        for none in ["", "  ", "a\nb", &long] {
            assert_eq!(name(none), None, "{none:?}");
        }
    }

    #[test]
    fn every_zone_that_people_know_can_be_chosen() {
        let zones: Vec<_> = regions()
            .into_iter()
            .flat_map(|region| region.zones)
            .collect();
        for zone in ["Europe/Berlin", "America/Argentina/Ushuaia", "UTC"] {
            assert!(zones.contains(&zone), "{zone}");
        }
        for zone in ["Etc/GMT+5", "CET", "US/Pacific"] {
            assert!(!zones.contains(&zone), "{zone}");
        }
    }
}
