//! What the forms of pages send, read before their handlers: up to a limit, in memory that is shared out by account, with the
//! time-outs of all bodies. The token of the session comes first, and nothing behind a wrong one is read.

use api_http::body::{ContentType, FREE, plain, read, read_if, urlencoded};
use api_http::memory::MemoryPermit;
use api_http::{Code, Problem, Result};
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use platform::places::Place;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::page::forbidden;
use crate::signed_in::SignedIn;
use crate::state::DashboardState;

/// Bytes of what the editor of forms sends: the largest form has its texts twice, each byte as three.
pub const EDITOR_BYTES: usize = 8 << 20;
/// Bytes of what editors of campaigns and looks send: a logo, or a campaign's texts twice.
pub const MIDDLE_BYTES: usize = 512 << 10;
/// Bytes of what other pages send: a few names and numbers.
pub const SMALL_BYTES: usize = 8 << 10;
/// The name of the token, and its value in hexadecimal digits.
const TOKEN: &str = "token";
const TOKEN_BYTES: usize = TOKEN.len() + 1 + 64;

/// What a page's form sends, of one kind.
pub struct SentChange<T>(pub T);

/// What a button sends that says all by itself.
#[derive(Deserialize)]
pub struct NoFields {}

/// What a page's form sends, name by name in its order.
#[derive(Clone)]
pub struct SentPairs(pub Vec<(String, String)>);

/// What is held until a change is answered: memory for what was sent and, where that is large, one of the places that accounts
/// share.
pub struct Held {
    _permit: MemoryPermit,
    _place: Option<Place>,
}

/// Reads what was sent, and leaves its pairs where [`SentPairs`] and [`SentChange`] find them.
///
/// # Errors
/// 403: it does not begin with the token of the session; 400; 408; 413; 415; 503.
pub async fn receive(person: &SignedIn, request: &mut Request, limit: usize) -> Result<Held> {
    let (state, account_id) = (&person.state, person.account_id);
    check_kind(request)?;
    let body = std::mem::take(request.body_mut());
    let permit = state.memory.permit(account_id);
    let judge = |begin: &[u8]| check_token(person, begin);
    let judge = (TOKEN_BYTES, judge);
    let (bytes, permit) = read_if(permit, body, limit, Code::InvalidForm, judge).await?;
    let place = if bytes.len() > FREE {
        state.body_places.take(account_id).await
    } else {
        None
    };
    let mut pairs = parse(bytes).await?;
    // Read, it may not be larger than what the limit is made for: a page gives it back five times as large.
    if limit > SMALL_BYTES && size(&pairs) > limit / 3 {
        return Err(Problem::too_large(limit as u64 / 3));
    }
    pairs.retain(|(name, _)| name != TOKEN);
    request.extensions_mut().insert(SentPairs(pairs));
    Ok(Held {
        _permit: permit,
        _place: place,
    })
}

/// Bytes of all names and values.
pub fn size(pairs: &[(String, String)]) -> usize {
    let sizes = pairs.iter().map(|(name, value)| name.len() + value.len());
    sizes.sum()
}

fn check_kind(request: &Request) -> Result<()> {
    let kind = ContentType::of(request.headers());
    match kind {
        Some(kind) if kind.essence == "application/x-www-form-urlencoded" => {
            plain(request.headers())
        }
        _ => Err(not_the_form()),
    }
}

fn check_token(person: &SignedIn, begin: &[u8]) -> Result<()> {
    let token = begin.get(..TOKEN_BYTES).and_then(|begin| {
        let token = begin.strip_prefix(TOKEN.as_bytes())?.strip_prefix(b"=")?;
        str::from_utf8(token).ok()
    });
    person.check_token(token.ok_or_else(forbidden)?)
}

/// Of what is large this would hold up other requests on this thread.
async fn parse(bytes: Bytes) -> Result<Vec<(String, String)>> {
    if bytes.len() <= FREE {
        return urlencoded(&bytes);
    }
    let parsed = spawn_blocking(move || urlencoded(&bytes)).await;
    parsed.map_err(|error| Problem::internal(&error))?
}

fn of_pairs<T: DeserializeOwned>(pairs: Vec<(String, String)>) -> Result<T> {
    let change = serde_json::from_value(pairs.into_iter().collect());
    change.map_err(|_| not_the_form())
}

/// Reads what a page sends that needs no session.
///
/// # Errors
/// 400; 408; 413; 415.
pub async fn receive_small<T: DeserializeOwned>(
    state: &DashboardState,
    request: Request,
) -> Result<T> {
    check_kind(&request)?;
    let permit = state.memory.permit(Uuid::nil());
    let (bytes, _permit) =
        read(permit, request.into_body(), SMALL_BYTES, Code::InvalidForm).await?;
    of_pairs(urlencoded(&bytes)?)
}

impl<S: Sync> FromRequest<S> for SentPairs {
    type Rejection = Problem;

    async fn from_request(mut request: Request, _: &S) -> Result<Self> {
        request
            .extensions_mut()
            .remove()
            .ok_or_else(Problem::unauthenticated)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for SentChange<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let SentPairs(pairs) = SentPairs::from_request(request, state).await?;
        of_pairs(pairs).map(Self)
    }
}

pub fn not_the_form() -> Problem {
    Problem::new(Code::InvalidForm, "the form is not as the page has it")
}
