//! What a new campaign begins with.

use api_http::{QUICK, Result, parse_id, within};
use api_import::operations::list_batches;
use api_send::operations;
use axum::extract::Query;
use axum::response::Response;
use domain::form::FormStatus;
use serde::Deserialize;
use store::form::Form;

use crate::campaign_draft::CampaignDraft;
use crate::campaign_edit::SHOWN_BATCHES;
use crate::editor::{Draft, Editing};
use crate::imports::{is_for, newest_campaigns};
use crate::names::{bus_prop_names, import_people};
use crate::signed_in::SignedIn;

/// As a copy of another, for the people of an import, or with a form.
#[derive(Deserialize)]
pub struct NewQuery {
    #[serde(default)]
    copy: String,
    #[serde(default)]
    batch: String,
    #[serde(default)]
    form: String,
}

/// `GET /dashboard/campaigns/new`.
pub async fn new(
    person: SignedIn,
    Query(NewQuery { copy, batch, form }): Query<NewQuery>,
) -> Result<Response> {
    if !copy.is_empty() {
        let copied = CampaignDraft::find(&person, parse_id("id", &copy)?)
            .await?
            .0;
        let draft = copied.into_new(person.t);
        return draft.page(&person, &Editing::default()).await;
    }
    let mut draft = CampaignDraft::new(person.t);
    if batch.is_empty() {
        let mut free = without_campaign(&person).await?.into_iter();
        draft.audience = free.next().unwrap_or_default();
        draft.also = free.collect();
    } else {
        draft.audience = parse_id("batch", &batch)?.to_string();
    }
    let form = if form.is_empty() {
        latest_form(&person).await?
    } else {
        let (app, form_id) = (&person.state.app, parse_id("form", &form)?);
        Some(app.form(person.account_id, form_id).await?)
    };
    if let Some(form) = form {
        draft.form_id = form.form_id.to_string();
        let columns = operations::list_columns(&person.caller).await?;
        draft.group_by(person.t, &bus_prop_names(&form.content), &columns);
    }
    draft.page(&person, &Editing::default()).await
}

/// The imports with people for whom no campaign was made, of those that can be chosen, newest first.
async fn without_campaign(person: &SignedIn) -> Result<Vec<String>> {
    let batches = list_batches(&person.caller, None, SHOWN_BATCHES).await?;
    let batches = batches.rows.into_iter().map(|body| body.batch);
    let batches = batches.filter(|batch| batch.campaign_id.is_none());
    let campaigns = newest_campaigns(person).await;
    let free = batches.filter(|batch| {
        let is_used = |campaign| is_for(campaign, batch.batch_id);
        import_people(batch) > 0 && !batch.erasing && !campaigns.iter().any(is_used)
    });
    Ok(free.map(|batch| batch.batch_id.to_string()).collect())
}

/// The published form that was published last, or that of the newest campaign, whichever is later.
async fn latest_form(person: &SignedIn) -> Result<Option<Form>> {
    let (app, account_id) = (&person.state.app, person.account_id);
    let latest = app.store.latest_published_form(account_id);
    let Some((form_id, published_at)) = within(QUICK, latest).await? else {
        return Ok(None);
    };
    let campaigns = within(QUICK, app.store.campaigns(account_id, None, 1)).await?;
    let campaigns = campaigns.rows.into_iter();
    let mut used = campaigns.filter(|campaign| campaign.created_at > published_at);
    if let Some(campaign) = used.next() {
        let form = app.form(account_id, campaign.content.form_id).await?;
        if form.status == FormStatus::Published {
            return Ok(Some(form));
        }
    }
    app.form(account_id, form_id).await.map(Some)
}
