//! Whom an account may not send to.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::invalid::code;
use domain::pepper::Pepper;
use domain::phone::PhoneNumber;
use serde::Serialize;
use store::send::contact::Suppressed;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::member::{FEW, invalid, texts};
use crate::state::SendState;
use api_http::auth::Caller;
use api_http::body::json;
use api_http::deadline::{QUICK, within};
use api_http::error::Problem;
use api_http::list::{List, ListQuery, Page};

const PATH: &str = "/api_v1/sms/suppression";
/// The source of what the account puts on its list itself.
const SOURCE: &str = "api";
/// Digits of a phone that are shown.
const SHOWN: usize = 3;

/// A phone that gets no messages of the account.
#[derive(Serialize, ToSchema)]
#[schema(as = Suppressed)]
pub struct SuppressedItem {
    /// But for three digits masked; null where no stored recipient has it.
    #[schema(required = true, example = "+*********567")]
    phone: Option<String>,
    /// How it came onto the list.
    #[schema(example = "inbound", pattern = "^(inbound|provider|page|api)$")]
    source: String,
    since: DateTime<Utc>,
}

/// A phone.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PhoneRequest {
    #[schema(pattern = "^\\+[1-9][0-9]{6,14}$", example = "+491701234567")]
    phone: String,
}

impl SuppressedItem {
    fn new(row: &Suppressed, account_id: Uuid, pepper: &Pepper) -> Self {
        let is_same = |phone: &&str| {
            let mut macs = pepper.phone_macs(account_id, phone);
            macs.any(|mac| mac[..] == row.phone_mac)
        };
        Self {
            phone: row.phone.as_deref().filter(is_same).map(masked),
            source: row.source.clone(),
            since: row.since,
        }
    }
}

/// A phone of which the last digits are shown.
fn masked(phone: &str) -> String {
    let hidden = phone.chars().count().saturating_sub(SHOWN);
    let mask = |(place, c)| if c == '+' || place >= hidden { c } else { '*' };
    phone.chars().enumerate().map(mask).collect()
}

/// List the phones that get no messages.
#[utoipa::path(
    get,
    path = "/api_v1/sms/suppression",
    params(ListQuery),
    responses(
        (status = 200, description = "A page of phones, in no order that means anything", body = Page<SuppressedItem>),
    ),
)]
pub async fn list_suppressed(
    State(state): State<SendState>,
    caller: Caller,
    query: ListQuery,
) -> Result<Response, Problem> {
    let account_id = caller.account_id();
    let list = List::new(account_id, PATH);
    let after: Option<[u8; 32]> = list.position(&query)?;
    let pepper = state.pepper()?;
    let page = state
        .app
        .store()
        .suppressed(account_id, after, query.limit.into());
    let page = page.await?;
    let position = |mac: &[u8]| mac.try_into().unwrap_or([0; 32]);
    let items = page.rows.iter();
    let items = items.map(|row| {
        let item = SuppressedItem::new(row, account_id, pepper);
        (position(&row.phone_mac), item)
    });
    list.answer(&query, items, page.next.as_deref().map(position))
}

/// Put a phone on the list.
///
/// From the answer on the account sends nothing to it.
#[utoipa::path(
    put,
    path = "/api_v1/sms/suppression",
    request_body = PhoneRequest,
    responses(
        (status = 204, description = "It is on the list, now or before"),
        (status = 400, description = "`invalid_json`"),
    ),
)]
pub async fn suppress(
    State(state): State<SendState>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Problem> {
    let account_id = caller.account_id();
    let phone = phone_of(&state, account_id, &headers, body).await?;
    let store = state.app.store();
    within(
        QUICK,
        store.opt_out(account_id, &phone, SOURCE, state.pepper()?),
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Take a phone off the list.
#[utoipa::path(
    delete,
    path = "/api_v1/sms/suppression",
    request_body = PhoneRequest,
    responses(
        (status = 204, description = "It is not on the list"),
        (status = 400, description = "`invalid_json`"),
    ),
)]
pub async fn unsuppress(
    State(state): State<SendState>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Problem> {
    let account_id = caller.account_id();
    let phone = phone_of(&state, account_id, &headers, body).await?;
    let store = state.app.store();
    within(QUICK, store.opt_in(account_id, &phone, state.pepper()?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The phone that a body names, and nothing else.
async fn phone_of(
    state: &SendState,
    account_id: Uuid,
    headers: &HeaderMap,
    body: Body,
) -> Result<String, Problem> {
    let permit = state.app.memory().permit(account_id);
    let body = json(permit, headers, body, FEW).await?;
    let [phone] = texts(&body, ["phone"])?;
    match PhoneNumber::parse(&phone) {
        Ok(_) => Ok(phone),
        Err(error) => {
            let wrong = invalid("phone", code::MALFORMED, format!("phone {error}"));
            Err(Problem::invalid(vec![wrong]))
        }
    }
}

#[cfg(test)]
mod tests {
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
        let shown = |row: &Suppressed| SuppressedItem::new(row, account, &pepper).phone;
        assert_eq!(shown(&row).as_deref(), Some("+*********567"));
        row.phone = Some("+491701234568".to_owned());
        assert_eq!(shown(&row), None);
        row.phone = None;
        assert_eq!(shown(&row), None);
    }
}
