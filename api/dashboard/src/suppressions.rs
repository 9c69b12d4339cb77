//! The suppression list: phones that get no messages of the account, masked; and the days that the account leaves between messages.

use api_http::{Problem, Result};
use api_import::operations::read_recipient;
use api_send::operations;
use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use domain::docid::DocId;
use domain::sms::SendSetting;
use serde::Deserialize;
use serde_json::json;
use store::send::contact::Suppressed;

use crate::done;
use crate::list::{PageQuery, ShownList};
use crate::page::{Frame, page};
use crate::phone::international;
use crate::reasons::reasons;
use crate::recipients;
use crate::sent::SentChange;
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "suppressions.html")]
struct SuppressionsPage<'a> {
    f: &'a Frame,
    suppressed: ShownList<Suppressed>,
    /// The least days between messages of any campaigns to a phone, as they are stored or were typed.
    gap_days: String,
    /// The phone that was typed and refused.
    phone: String,
    /// Why a phone was not put on the list or taken off, or the days were not saved.
    refusal: Option<String>,
}

/// `GET /dashboard/suppressions`.
pub async fn show(person: SignedIn, Query(query): Query<PageQuery>) -> Result<Response> {
    answer(&person, &query, Typed::default(), None).await
}

/// What was typed and refused.
#[derive(Default)]
struct Typed {
    phone: String,
    gap_days: Option<String>,
}

async fn answer(
    person: &SignedIn,
    query: &PageQuery,
    typed: Typed,
    refusal: Option<String>,
) -> Result<Response> {
    let f = person.frame("recipients");
    let list = query.list(person, "suppressions", 50);
    let (state, position) = (&person.state.sending, list.position()?);
    let suppressed = operations::list_suppressed(state, &person.caller, position, list.limit);
    let gap_days = if let Some(typed) = typed.gap_days {
        typed
    } else {
        let setting = operations::read_setting(&person.caller).await?;
        setting.min_gap_days.to_string()
    };
    let template = SuppressionsPage {
        f: &f,
        gap_days,
        phone: typed.phone,
        suppressed: ShownList::new(&list, suppressed.await?),
        refusal,
    };
    Ok(page(&f, &template))
}

/// A phone as somebody types it, or that of a recipient.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Number {
    phone: String,
    /// Empty: what was typed.
    docid: String,
    /// Where it was asked for; empty: the list.
    page: String,
}

impl Number {
    /// As it is stored; what is no phone stays as it was typed.
    async fn find(&self, person: &SignedIn) -> Result<String> {
        if self.docid.is_empty() {
            let typed = self.phone.trim();
            let number = international(person, typed).await?;
            return Ok(number.unwrap_or_else(|| typed.to_owned()));
        }
        // What is no docid may be a phone, which the audit log is not to have.
        let docid = DocId::parse(self.docid.clone()).map_err(|_| Problem::not_found())?;
        Ok(read_recipient(&person.caller, &docid).await?.phone)
    }
}

/// Puts a phone on the list, or takes it off.
pub async fn change(
    person: SignedIn,
    Path(action): Path<String>,
    SentChange(number): SentChange<Number>,
) -> Result<Response> {
    let (state, caller, phone) = (
        &person.state.sending,
        &person.caller,
        number.find(&person).await?,
    );
    let changed = match &*action {
        "add" => operations::suppress(state, caller, &phone).await,
        "remove" => operations::unsuppress(state, caller, &phone).await,
        _ => return Err(Problem::not_found()),
    };
    let Err(problem) = changed else {
        let done = format!("suppression.{action}");
        let page = match &*number.page {
            "recipient" => recipients::path(&number.docid),
            _ => "/dashboard/suppressions".to_owned(),
        };
        return Ok(done::go(&page, &done));
    };
    let refusal = Some(reasons(person.t, &problem));
    let typed = Typed {
        phone: number.phone,
        ..Typed::default()
    };
    answer(&person, &PageQuery::default(), typed, refusal).await
}

#[derive(Deserialize)]
pub struct Gap {
    days: String,
}

/// Sets the least days between messages of any campaigns to a phone; the rest of the account's setting stays.
pub async fn set_gap(
    person: SignedIn,
    SentChange(Gap { days }): SentChange<Gap>,
) -> Result<Response> {
    // What is no number is said to be wrong.
    let number: u32 = days.trim().parse().unwrap_or(u32::MAX);
    let changed = match SendSetting::parse(&json!({"min_gap_days": number})) {
        Ok(setting) => operations::set_min_gap(&person.caller, setting.min_gap_days).await,
        Err(wrong) => Err(Problem::invalid(wrong)),
    };
    match changed {
        Ok(()) => Ok(done::go("/dashboard/suppressions", "setting.replace")),
        Err(problem) => {
            let refusal = Some(reasons(person.t, &problem));
            let typed = Typed {
                gap_days: Some(days),
                ..Typed::default()
            };
            answer(&person, &PageQuery::default(), typed, refusal).await
        }
    }
}
