//! The suppression list: phones that get no messages of the account, masked.

use api_http::{Network, Problem, Result};
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::json;

use crate::imports::PageQuery;
use crate::page::{Frame, page};
use crate::service::{self, Operation};
use crate::signed_in::{Change, SignedIn};
use crate::state::DashboardState;

const SUPPRESSIONS: &str = "/api_v1/sms/suppression";

#[derive(Template)]
#[template(path = "suppressions.html")]
struct SuppressionsPage<'a> {
    f: &'a Frame,
    suppressed: Vec<Suppressed>,
    next: Option<String>,
    /// Why a phone was not put on the list or taken off.
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Suppressed {
    phone: Option<String>,
    source: String,
    since: DateTime<Utc>,
}

/// `GET /dashboard/suppressions`.
pub async fn show(
    State(state): State<DashboardState>,
    person: SignedIn,
    Query(query): Query<PageQuery>,
) -> Result<Response> {
    answer(&state, &person, &query, None).await
}

async fn answer(
    state: &DashboardState,
    person: &SignedIn,
    query: &PageQuery,
    refusal: Option<String>,
) -> Result<Response> {
    let f = person.frame("recipients");
    let path = query.path(&format!("{SUPPRESSIONS}?limit=50"));
    let found: service::List<Suppressed> = service::get(state, person, &path).await?;
    let next = found.next(&[]);
    let template = SuppressionsPage {
        f: &f,
        suppressed: found.items,
        next,
        refusal,
    };
    Ok(page(&f, &template))
}

#[derive(Deserialize)]
pub struct Phone {
    phone: String,
}

/// Puts a phone on the list, or takes it off.
pub async fn change(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Path(action): Path<String>,
    Change(Phone { phone }): Change<Phone>,
) -> Result<Response> {
    let (action, method) = match &*action {
        "add" => ("suppression.add", Method::PUT),
        "remove" => ("suppression.remove", Method::DELETE),
        _ => return Err(Problem::not_found()),
    };
    let operation = Operation {
        action,
        // No phone is in the audit log.
        subject: "",
        method,
        path: SUPPRESSIONS,
        body: Some(json!({"phone": phone.trim()})),
    };
    match service::change(&state, &person, network, operation).await {
        Ok(_) => Ok(Redirect::to("/dashboard/suppressions").into_response()),
        Err(problem) => {
            let refusal = Some(service::reasons(&problem));
            answer(&state, &person, &PageQuery::default(), refusal).await
        }
    }
}
