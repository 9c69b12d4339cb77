//! What a campaign rests on: its sender and its form.

use domain::campaign::CampaignContent;
use domain::form::FormStatus;
use domain::invalid::{Invalid, code};
use sender::setting::Setting;
use store::form::Form;

use crate::state::SendState;
use api_http::{Caller, Code, Problem, QUICK, Result, within};

/// Whether a campaign can have this content: the sender, and the form, which may be a DRAFT.
///
/// # Errors
/// 422.
pub async fn content<'s>(
    state: &'s SendState,
    caller: &Caller,
    content: &CampaignContent,
) -> Result<(&'s Setting, Form)> {
    let sender = state.sender(caller, &content.sender)?;
    let form = state.app.store.form(caller.account_id(), content.form_id);
    let form = within(QUICK, form).await?;
    let detail = match form {
        Some(form) if form.status != FormStatus::Deleted => return Ok((sender, form)),
        Some(_) => "the form is DELETED",
        None => "there is no such form",
    };
    let wrong = Invalid::of_member("form_id", code::UNKNOWN_ID, detail);
    Err(Problem::invalid(vec![wrong]))
}

/// Whether messages of this content can be sent.
///
/// # Errors
/// 422; 409 `form_not_published`.
pub async fn sendable<'s>(
    state: &'s SendState,
    caller: &Caller,
    content: &CampaignContent,
) -> Result<&'s Setting> {
    let (sender, form) = self::content(state, caller, content).await?;
    state.check_public_url(sender)?;
    if form.status == FormStatus::Published {
        Ok(sender)
    } else {
        Err(form_not_published())
    }
}

pub fn form_not_published() -> Problem {
    Problem::new(
        Code::FormNotPublished,
        "the campaign's form is not published, so its links would open nothing",
    )
}
