//! The suppression list: phones that get no messages of the account, masked.

use api_http::{Problem, Result};
use askama::Template;
use axum::extract::{Path, Query};
use axum::http::Method;
use axum::response::Response;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::json;

use crate::page::{Frame, page};
use crate::sent::Change;
use crate::service::{self, List, Operation, PageQuery};
use crate::signed_in::SignedIn;

const SUPPRESSIONS: &str = "/api_v1/sms/suppression";

#[derive(Template)]
#[template(path = "suppressions.html")]
struct SuppressionsPage<'a> {
    f: &'a Frame,
    suppressed: List<Suppressed>,
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
pub async fn show(person: SignedIn, Query(query): Query<PageQuery>) -> Result<Response> {
    answer(&person, &query, None).await
}

async fn answer(person: &SignedIn, query: &PageQuery, refusal: Option<String>) -> Result<Response> {
    let f = person.frame("recipients");
    let path = query.path(&format!("{SUPPRESSIONS}?limit=50"));
    let template = SuppressionsPage {
        f: &f,
        suppressed: person.get(&path).await?,
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
    person: SignedIn,
    Path(action): Path<String>,
    Change(Phone { phone }): Change<Phone>,
) -> Result<Response> {
    let (action, method) = match &*action {
        "add" => ("suppression.add", Method::PUT),
        "remove" => ("suppression.remove", Method::DELETE),
        _ => return Err(Problem::not_found()),
    };
    let phone = json!({"phone": phone.trim()});
    let operation = Operation::new(method, SUPPRESSIONS).body(phone);
    let page = "/dashboard/suppressions";
    // No phone is in the audit log.
    let changed = person.change_then(action, "", operation, page).await;
    let Err(problem) = changed else {
        return changed;
    };
    let refusal = Some(service::reasons(person.t, &problem));
    answer(&person, &PageQuery::default(), refusal).await
}
