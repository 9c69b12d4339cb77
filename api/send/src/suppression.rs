//! Whom an account may not send to.

use std::collections::HashSet;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::invalid::{Invalid, code};
use domain::members::texts;
use domain::pepper::Pepper;
use domain::phone::{PhoneNumber, masked};
use store::send::contact::Suppressed;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::schema;
use crate::state::{FEW, SendState};
use api_http::{Caller, List, Page, Problem, QUICK, Result, within};

/// The source of what the account puts on its list itself.
const SOURCE: &str = "api";

/// A phone.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PhoneRequest {
    #[schema(pattern = "^\\+[1-9][0-9]{6,14}$", example = "+491701234567")]
    phone: String,
}

/// The phone of a row as it is shown, if it is the one of the row's MAC.
fn shown(row: &Suppressed, account_id: Uuid, pepper: &Pepper) -> Option<String> {
    let phone = row.phone.as_deref()?;
    let mut macs = pepper.phone_macs(account_id, phone);
    macs.any(|mac| mac[..] == row.phone_mac)
        .then(|| masked(phone))
}

/// List the phones that get no messages, newest first.
#[utoipa::path(
    get,
    path = "/api_v1/sms/suppression",
    params(List),
    responses((status = 200, description = "A page of phones", body = Page<schema::Suppressed>)),
)]
pub async fn list_suppressed(
    State(state): State<SendState>,
    caller: Caller,
    list: List,
) -> Result<Response> {
    let (before, pepper) = (list.position()?, state.pepper()?);
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let page = store.suppressed(account_id, before, list.limit).await?;
    let mut rows = page.rows;
    for row in &mut rows {
        row.phone = shown(row, account_id, pepper);
    }
    let unknown = rows.iter().filter(|row| row.phone.is_none());
    let unknown: HashSet<_> = unknown.map(|row| row.phone_mac.clone()).collect();
    let place = if unknown.is_empty() {
        None
    } else {
        state.scans.take(account_id).await
    };
    let phones = store.phones_of(account_id, unknown, pepper).await?;
    drop(place);
    let items = rows.into_iter().map(|mut row| {
        let found = phones.get(&row.phone_mac);
        row.phone = row.phone.or_else(|| found.map(|phone| masked(phone)));
        ((row.since, row.phone_mac.clone()), row)
    });
    list.answer(items, page.next)
}

/// Put a phone on the list.
///
/// From the answer on the account sends nothing to it.
#[utoipa::path(
    put,
    path = "/api_v1/sms/suppression",
    request_body = PhoneRequest,
    responses((status = 204, description = "It is on the list, now or before")),
)]
pub async fn suppress(
    State(state): State<SendState>,
    caller: Caller,
    request: Request,
) -> Result<StatusCode> {
    let phone = phone_of(&caller, request).await?;
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let done = store.opt_out(account_id, &phone, SOURCE, state.pepper()?);
    within(QUICK, done).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Take a phone off the list.
#[utoipa::path(
    delete,
    path = "/api_v1/sms/suppression",
    request_body = PhoneRequest,
    responses((status = 204, description = "It is not on the list")),
)]
pub async fn unsuppress(
    State(state): State<SendState>,
    caller: Caller,
    request: Request,
) -> Result<StatusCode> {
    let phone = phone_of(&caller, request).await?;
    let (store, account_id) = (&caller.app.store, caller.account_id());
    within(QUICK, store.opt_in(account_id, &phone, state.pepper()?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The phone that a body names, and nothing else.
async fn phone_of(caller: &Caller, request: Request) -> Result<String> {
    let body = caller.json(request, FEW).await?;
    let [phone] = texts(body, ["phone"]).map_err(Problem::invalid)?;
    match wrong_phone(&phone) {
        None => Ok(phone),
        Some(wrong) => Err(Problem::invalid(vec![wrong])),
    }
}

/// What is wrong with the member `phone` of a body.
pub fn wrong_phone(phone: &str) -> Option<Invalid> {
    let error = PhoneNumber::parse(phone).err()?;
    let detail = format!("phone {error}");
    Some(Invalid::of_member("phone", code::MALFORMED, detail))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    #[test]
    fn a_phone_is_shown_only_where_it_is_the_one_and_then_masked() {
        let pepper = Pepper::parse(&"ab".repeat(32)).unwrap();
        let account = Uuid::from_u128(1);
        let mut row = Suppressed {
            phone_mac: pepper.phone_mac(account, "+491701234567").to_vec(),
            phone: Some("+491701234567".to_owned()),
            source: "page".to_owned(),
            since: DateTime::UNIX_EPOCH,
        };
        let shown = |row: &Suppressed| shown(row, account, &pepper);
        assert_eq!(shown(&row).as_deref(), Some("+*********567"));
        row.phone = Some("+491701234568".to_owned());
        assert_eq!(shown(&row), None);
        row.phone = None;
        assert_eq!(shown(&row), None);
    }
}
