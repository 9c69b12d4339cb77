//! Business properties that a campaign's form lacks, added to it.

use api_http::deadline::soon;
use api_http::{Caller, Change, Problem, Result, found};
use axum::http::StatusCode;
use domain::campaign::UnknownBusProps;
use domain::changes::{Changes, Logged};
use domain::scope::Scope;
use store::form::{FormChange, FormEdit};
use uuid::Uuid;

use super::{preview_campaign, read_campaign};
use crate::state::SendState;

const ADD: Change = Change::new(Scope::Form, "form.replace", StatusCode::OK);

/// Adds to the form of a campaign what it and its preview count as unknown, as long as the form may have more.
///
/// # Errors
/// 403: the key lacks the scope `form`; 404; 422; 503.
pub async fn add_bus_props(
    state: &SendState,
    caller: &Caller,
    campaign_id: Uuid,
    also_similar: bool,
) -> Result<()> {
    let body = read_campaign(state, caller, campaign_id).await?;
    let preview = preview_campaign(state, caller, campaign_id).await?;
    let unknown = [&preview.bus_props_unknown, &body.bus_props_unknown];
    let form_id = body.item.campaign.content.form_id;
    add_to_form(caller, form_id, &unknown, also_similar).await
}

/// Adds to a form what was counted as unknown, as long as it may have more; what is nearly the same as another value, and so likely to be
/// mistyped, only if `also_similar`.
///
/// # Errors
/// 403; 404; 503.
pub async fn add_to_form(
    caller: &Caller,
    form_id: Uuid,
    unknown: &[&UnknownBusProps],
    also_similar: bool,
) -> Result<()> {
    let add = soon(async {
        let (app, account_id) = (&caller.app, caller.account_id());
        loop {
            let form = found(app.store.form(account_id, form_id)).await?;
            let texts = unknown.iter().flat_map(|unknown| {
                let entries = form.content.bus_props.iter();
                let known = entries.filter(|entry| !entry.retired);
                let similar = unknown.similar(known.map(|entry| &entry.text));
                let texts = unknown.iter().map(|(text, _)| text);
                texts.filter(move |text| also_similar || !similar.contains_key(text))
            });
            let texts: Vec<_> = texts.collect();
            let content = form.content.clone().with_bus_props(texts);
            let (revision, edit) = (Some(form.revision), FormEdit::Replace(&content));
            match app
                .store
                .edit_form(account_id, form_id, revision, edit)
                .await?
            {
                FormChange::Changed => {}
                FormChange::Done(_) => {
                    app.recent_changes.record(form_id);
                    let changes = Changes::between(&form.content.logged(), &content.logged());
                    return Ok(((), changes));
                }
                FormChange::NotFound | FormChange::Refused(_) => return Err(Problem::not_found()),
            }
        }
    });
    caller.change_content(ADD, &form_id, add).await
}
