//! Pages that are shared: what whoever has a link reads, and what editors share and withdraw.

use std::collections::HashMap;
use std::sync::Arc;

use api_http::lines::hold;
use api_http::{Code, Network, Problem, Result, parse_id};
use api_report::{ShareItem, operations};
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use chrono::{TimeDelta, Utc};
use cookie::{Cookie, SameSite};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use store::account::{SharedPage, hash_secret};
use store::form::FormKey;
use uuid::Uuid;

use crate::cookies::cookie_of;
use crate::form::FormPageQuery;
use crate::names::names;
use crate::page::{Frame, page};
use crate::range::Range;
use crate::sent::SentChange;
use crate::session::redirect;
use crate::shared_pages::Drawn;
use crate::signed_in::SignedIn;
use crate::state::DashboardState;
use crate::{done, form, overview};
use api_language::{Text, of_request};

/// So many shares are listed, the newest: as many as there may be.
const SHARES: usize = 1_000;
/// The page of what is shared.
const PATH: &str = "/dashboard/shares";
/// The cookie with the secret of the share that a browser made last, of which the database has only the hash: the page after it shows
/// the link, also when it is loaded again.
const MADE: &str = "feedback_share";
const SHOWN: cookie::time::Duration = cookie::time::Duration::minutes(10);

/// `GET /dashboard/shared/{secret}`: the page as it is now, without anything to change or to go to. Many who read it at once make
/// it be drawn once.
///
/// # Errors
/// 410: nothing is shared under the secret, or no longer; 429: it is asked for too often, or the address tried too many; 503.
pub async fn open(
    State(state): State<DashboardState>,
    network: Network,
    headers: HeaderMap,
    Path(secret): Path<String>,
) -> Result<Response> {
    let (t, hash) = (of_request(&headers), hash_secret(&secret));
    let shared = find(&state, network, &secret, &hash).await?;
    let account_id = shared.account_id;
    state.app.shares_rate.check(&account_id)?;
    let pages = state.shared.clone();
    let drawing = pages.drawn.try_get_with((hash, t.code), async {
        // The page holds memory of the account until the last of its readers has taken it.
        let drawn = Box::pin(draw(&state, t, shared)).await?;
        let page = hold(&state.app, account_id, drawn)?;
        let (parts, body) = page.into_parts();
        let body = body.collect().await;
        let html = body.map_err(|error| Problem::internal(&error))?.to_bytes();
        let headers = parts.headers;
        Ok::<_, Problem>(Arc::new(Drawn { headers, html }))
    });
    let drawn = Box::pin(drawing).await;
    let drawn = drawn.map_err(|problem| Problem::clone(&problem))?;
    Ok((drawn.headers.clone(), drawn.html.clone()).into_response())
}

/// What is shared under a secret. One that nobody has is charged to the address.
async fn find(
    state: &DashboardState,
    network: Network,
    secret: &str,
    hash: &[u8; 32],
) -> Result<SharedPage> {
    let failures = &state.app.failures;
    let good = &state.shared.good;
    let _permit = failures.lookup_permit(network, good.contains(hash))?;
    state.app.share_rate.check(hash)?;
    let shared = state.app.store.shared_page(secret).await?;
    good.note(*hash, shared.is_some());
    if shared.is_none() {
        failures.take(network)?;
    }
    let detail = "the page is not shared, or no longer";
    shared.ok_or_else(|| Problem::new(Code::LinkGone, detail))
}

async fn draw(state: &DashboardState, t: &'static Text, shared: SharedPage) -> Result<Response> {
    let zone = shared.time_zone.parse().map_err(broken)?;
    let simulates = state.sending.only_simulates(&shared.account_name);
    let f = Frame {
        simulates,
        seals: shared.seals,
        ..Frame::of_reader(t, shared.company, zone)
    };
    let uri: Uri = shared.path.parse().map_err(broken)?;
    let Some(form_id) = uri.path().strip_prefix("/dashboard/form/") else {
        return overview::answer((state, None), shared.account_id, &f, &query(&uri)?).await;
    };
    let form = FormKey::new(shared.account_id, parse_id("form_id", form_id)?);
    form::answer((state, None), form, &f, &query(&uri)?).await
}

fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T> {
    Ok(Query::try_from_uri(uri).map_err(broken)?.0)
}

/// What was checked when it was stored.
fn broken(error: impl std::error::Error + 'static) -> Problem {
    Problem::internal(&error)
}

#[derive(Template)]
#[template(path = "shares.html")]
struct SharesPage<'a> {
    f: &'a Frame,
    /// With what each shows, in words.
    shares: Vec<(String, ShareItem)>,
    /// Of the share that was made lately.
    url: Option<String>,
}

/// What is shared, in words: a page, its days, and a business property if one is chosen.
fn words(share: &ShareItem, f: &Frame, names: &HashMap<String, String>) -> Result<String> {
    let uri: Uri = share.path.parse().map_err(broken)?;
    let FormPageQuery { bus_prop, range } = query(&uri)?;
    let of_form = uri.path().strip_prefix("/dashboard/form/");
    let of_form = of_form.map(|id| names.get(id).cloned().unwrap_or_else(|| f.t.get("form")));
    let title = of_form.unwrap_or_else(|| f.t.get("nav-overview"));
    let mut words = format!("{title} · {}", Range::read(&range, f.zone).words(f.t));
    if !bus_prop.is_empty() {
        words.push_str(" · ");
        let (_, value) = bus_prop.split_once(':').unwrap_or(("", &bus_prop));
        words.push_str(value);
    }
    Ok(words)
}

/// `GET /dashboard/shares`.
pub async fn list(person: SignedIn, headers: HeaderMap) -> Result<Response> {
    let f = person.frame("overview");
    let url = made_lately(&person, &headers).await?;
    let shares = operations::list_shares(&person.caller, None, SHARES).await?;
    let names = names(&person).await;
    let shares = shares.rows.into_iter();
    let shares = shares.map(|share| Ok((words(&share, &f, &names)?, share)));
    let template = SharesPage {
        f: &f,
        shares: shares.collect::<Result<_>>()?,
        url,
    };
    Ok(page(&f, &template))
}

/// A page to share, for so many days.
#[derive(Deserialize)]
pub struct ShareForm {
    path: String,
    days: String,
}

/// Shares a page and shows its link.
pub async fn create(
    person: SignedIn,
    SentChange(ShareForm { path, days }): SentChange<ShareForm>,
) -> Result<Response> {
    // What is no number of days the operation refuses.
    let days = days.parse::<u16>().unwrap_or_default();
    let expires_at = Utc::now() + TimeDelta::days(days.into());
    let made = operations::create_share(&person.caller, &path, Some(expires_at)).await?;
    let url = made.url.unwrap_or_default();
    let (_, secret) = url.rsplit_once('/').unwrap_or_default();
    let cookie = Cookie::build((MADE, secret))
        .path(PATH)
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(person.state.sessions.is_secure())
        .max_age(SHOWN)
        .build();
    let cookie = HeaderValue::try_from(cookie.to_string());
    let cookie = cookie.map_err(|error| Problem::internal(&error))?;
    Ok(redirect(cookie, PATH))
}

/// The link of the share that was made lately in this browser, as long as its account has it.
async fn made_lately(person: &SignedIn, headers: &HeaderMap) -> Result<Option<String>> {
    let Some(secret) = cookie_of(headers, MADE) else {
        return Ok(None);
    };
    let shared = person.store().shared_page(&secret).await?;
    let is_own = shared.is_some_and(|shared| shared.account_id == person.account_id);
    let url = || format!("{}/dashboard/shared/{secret}", person.state.app.public_url);
    Ok(is_own.then(url))
}

#[derive(Deserialize)]
pub struct Withdrawal {
    share_id: Uuid,
}

/// Withdraws a share.
pub async fn withdraw(
    person: SignedIn,
    SentChange(Withdrawal { share_id }): SentChange<Withdrawal>,
) -> Result<Response> {
    operations::withdraw_share(&person.caller, share_id).await?;
    Ok(done::go(PATH, "share.withdraw"))
}
