//! The page of the account's time zone, which can be changed while nothing is counted by its days; and the zones to choose from.

use api_http::Result;
use askama::Template;
use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use chrono_tz::{TZ_VARIANTS, Tz};
use serde::Deserialize;

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

/// The routes of the page.
pub fn routes() -> Router<DashboardState> {
    Router::new().route("/dashboard/time-zone", get(show).post(set))
}

#[derive(Template)]
#[template(path = "time_zone.html")]
struct TimeZonePage<'a> {
    f: &'a Frame,
    time_zone: &'static str,
    /// None where the zone stays.
    regions: Vec<Region>,
    /// Why a change was refused.
    refusal: Option<String>,
}

/// `GET /dashboard/time-zone`.
async fn show(person: SignedIn) -> Result<Response> {
    answer(&person, None).await
}

async fn answer(person: &SignedIn, refusal: Option<&str>) -> Result<Response> {
    let f = person.frame("people");
    let is_counted = person.store().has_counted_days(person.account_id).await?;
    let template = TimeZonePage {
        time_zone: f.zone.name(),
        regions: (!is_counted).then(regions).unwrap_or_default(),
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
async fn set(person: SignedIn, SentChange(chosen): SentChange<ChosenZone>) -> Result<Response> {
    let Ok(zone) = chosen.time_zone.parse::<Tz>() else {
        return answer(&person, Some("time-zone-choose")).await;
    };
    let noted = person.caller.note("account.time-zone", zone.name()).await?;
    let set = person.store().set_time_zone(person.account_id, zone);
    if !set.await? {
        noted.record_status(StatusCode::CONFLICT).await;
        return answer(&person, Some("time-zone-stays")).await;
    }
    noted.record_status(StatusCode::OK).await;
    // What is remembered of its links has the zone before.
    person.state.app.recent_changes.record(person.account_id);
    Ok(Redirect::to("/dashboard/time-zone").into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

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
