//! The suppression list: phones that get no messages of the account, masked.

use api_http::{Problem, Result};
use api_send::operations;
use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use serde::Deserialize;
use store::send::contact::Suppressed;

use crate::done;
use crate::list::{PageQuery, ShownList};
use crate::page::{Frame, page};
use crate::reasons::reasons;
use crate::sent::SentChange;
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "suppressions.html")]
struct SuppressionsPage<'a> {
    f: &'a Frame,
    suppressed: ShownList<Suppressed>,
    /// Why a phone was not put on the list or taken off.
    refusal: Option<String>,
}

/// `GET /dashboard/suppressions`.
pub async fn show(person: SignedIn, Query(query): Query<PageQuery>) -> Result<Response> {
    answer(&person, &query, None).await
}

async fn answer(person: &SignedIn, query: &PageQuery, refusal: Option<String>) -> Result<Response> {
    let f = person.frame("recipients");
    let list = query.list(person, "suppressions", 50);
    let (state, position) = (&person.state.sending, list.position()?);
    let suppressed = operations::list_suppressed(state, &person.caller, position, list.limit);
    let template = SuppressionsPage {
        f: &f,
        suppressed: ShownList::new(&list, suppressed.await?),
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
    SentChange(Phone { phone }): SentChange<Phone>,
) -> Result<Response> {
    let (state, caller, phone) = (&person.state.sending, &person.caller, phone.trim());
    let changed = match &*action {
        "add" => operations::suppress(state, caller, phone).await,
        "remove" => operations::unsuppress(state, caller, phone).await,
        _ => return Err(Problem::not_found()),
    };
    let Err(problem) = changed else {
        let done = format!("suppression.{action}");
        return Ok(done::go("/dashboard/suppressions", &done));
    };
    let refusal = Some(reasons(person.t, &problem));
    answer(&person, &PageQuery::default(), refusal).await
}
