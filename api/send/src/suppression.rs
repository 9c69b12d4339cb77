//! Whom an account may not send to.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::invalid::{Invalid, code};
use domain::pepper::Pepper;
use domain::phone::{PhoneNumber, masked};
use serde::Serialize;
use store::send::contact::{Suppressed, SuppressedAt};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::state::SendState;
use api_http::{Caller, List, ListQuery, Page, Problem, QUICK, Result, within};

const PATH: &str = "/api_v1/sms/suppression";
/// The source of what the account puts on its list itself.
const SOURCE: &str = "api";

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

/// List the phones that get no messages, newest first.
#[utoipa::path(
    get,
    path = "/api_v1/sms/suppression",
    params(ListQuery),
    responses(
        (status = 200, description = "A page of phones", body = Page<SuppressedItem>),
    ),
)]
pub async fn list_suppressed(
    State(state): State<SendState>,
    caller: Caller,
    query: ListQuery,
) -> Result<Response> {
    let account_id = caller.account_id();
    let list = List::new(account_id, PATH);
    let before = list.position(&query)?.and_then(|at| read_position(&at));
    let pepper = state.pepper()?;
    let store = &state.app.store;
    let page = store
        .suppressed(account_id, before, query.limit.into())
        .await?;
    let items = page.rows.iter().map(|row| {
        let item = SuppressedItem::new(row, account_id, pepper);
        (position(row.since, &row.phone_mac), item)
    });
    let next = page.next.map(|(since, mac)| position(since, &mac));
    list.answer(&query, items, next)
}

/// A place in the list as a cursor has it: the moment in microseconds, and the MAC.
fn position(since: DateTime<Utc>, mac: &[u8]) -> [u8; 40] {
    let bytes = [&since.timestamp_micros().to_be_bytes(), mac].concat();
    bytes.try_into().unwrap_or([0; 40])
}

fn read_position(position: &[u8; 40]) -> Option<SuppressedAt> {
    let (since, mac) = position.split_first_chunk()?;
    let since = DateTime::from_timestamp_micros(i64::from_be_bytes(*since))?;
    Some((since, mac.to_vec()))
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
) -> Result<StatusCode> {
    let phone = phone_of(&state, &caller, &headers, body).await?;
    let (store, account_id) = (&state.app.store, caller.account_id());
    let done = store.opt_out(account_id, &phone, SOURCE, state.pepper()?);
    within(QUICK, done).await?;
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
) -> Result<StatusCode> {
    let phone = phone_of(&state, &caller, &headers, body).await?;
    let (store, account_id) = (&state.app.store, caller.account_id());
    within(QUICK, store.opt_in(account_id, &phone, state.pepper()?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The phone that a body names, and nothing else.
async fn phone_of(
    state: &SendState,
    caller: &Caller,
    headers: &HeaderMap,
    body: Body,
) -> Result<String> {
    let [phone] = state.texts(caller, headers, body, ["phone"]).await?;
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
