//! Campaigns: made, read, listed, replaced and deleted, and led through their life: DRAFT → RUNNING ⇄ PAUSED → FINISHED or CANCELLED.
//! Messages that may have been sent or not are sent again because a person asks for it.

use api_http::deadline::{patiently, soon};
use api_http::lines::page_permit;
use api_http::memory::MemoryPermit;
use api_http::precondition::{IfMatch, changed};
use api_http::{Caller, Change, Code, Problem, QUICK, Result, found, made, within};
use axum::http::StatusCode;
use domain::campaign::{
    Audience, CampaignAction, CampaignContent, CampaignCounts, CampaignStatus, MessageStatus,
    UnknownBusProps, Waiting,
};
use domain::changes::{Changes, Logged};
use domain::form::FormStatus;
use domain::invalid::{Invalid, code};
use domain::price::{Money, Prices};
use sender::setting::Setting;
use serde::Serialize;
use serde_json::Value;
use store::ListPage;
use store::form::Form;
use store::send::resend::MAY_BE_RESENT;
use store::send::{Campaign, CampaignChange, CampaignKey};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::state::SendState;
use crate::{SCOPE, schema};

const CREATE: Change = Change::new(SCOPE, "campaign.create", StatusCode::CREATED);
const REPLACE: Change = Change::new(SCOPE, "campaign.replace", StatusCode::OK);
const DELETE: Change = Change::new(SCOPE, "campaign.delete", StatusCode::NO_CONTENT);
const RESEND: Change = Change::new(SCOPE, "campaign.resend", StatusCode::OK);

/// A campaign with the counts of its messages.
#[derive(Serialize, ToSchema)]
pub struct CampaignItem {
    #[serde(flatten)]
    #[schema(value_type = schema::StoredCampaign)]
    pub campaign: Campaign,
    #[schema(value_type = schema::CampaignCounts)]
    pub counts: CampaignCounts,
}

/// A campaign, and where it stands.
#[derive(Serialize, ToSchema)]
#[schema(as = Campaign)]
pub struct CampaignBody {
    #[serde(flatten)]
    pub item: CampaignItem,
    /// Of what was handed over, by the prices of that moment, in the currency of the first sender that has one; null of senders without
    /// a price.
    #[schema(required = true, value_type = Option<schema::Cost>)]
    pub cost: Option<Money>,
    /// Why what is scheduled is not sent yet.
    #[schema(value_type = Vec<schema::Waiting>)]
    pub waiting: Vec<Waiting>,
    /// Of its newest 5,000 messages those whose recipients have a value that the form does not list as business property, by
    /// that property: their links lack it.
    #[schema(value_type = schema::UnknownBusProps)]
    pub bus_props_unknown: UnknownBusProps,
}

pub(crate) async fn find_campaign(caller: &Caller, campaign_id: Uuid) -> Result<Campaign> {
    let key = CampaignKey::new(caller.account_id(), campaign_id);
    found(caller.app.store.campaign(key)).await
}

async fn with_progress(
    state: &SendState,
    caller: &Caller,
    campaign: Campaign,
) -> Result<CampaignBody> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let key = CampaignKey::new(account_id, campaign.campaign_id);
    let prices = state.prices(&campaign.content.sender);
    let progress = store.campaign_progress(key, &campaign, &prices);
    let (counts, spent, waiting) = within(QUICK, progress).await?;
    let mut bus_props_unknown = UnknownBusProps::default();
    if !campaign.content.bus_props_from.is_empty() {
        let form = store.form(account_id, campaign.content.form_id);
        if let Some(form) = within(QUICK, form).await? {
            let unknown = store.campaign_bus_props_unknown(key, &campaign, &form.content);
            bus_props_unknown = within(QUICK, unknown).await?;
        }
    }
    Ok(CampaignBody {
        cost: cost(spent, prices.first().copied()),
        item: CampaignItem { campaign, counts },
        waiting,
        bus_props_unknown,
    })
}

/// What a campaign has spent in the currency of its first sender that has a price; in another one where none has any more.
fn cost(mut spent: Vec<Money>, prices: Option<&Prices>) -> Option<Money> {
    let Some(prices) = prices else {
        return spent.pop();
    };
    Some(Money::sum_of(prices.currency(), spent))
}

/// Makes a campaign, which is a DRAFT. The audit log has its id, and its `name`, also where the content is wrong.
///
/// # Errors
/// 409 `upgrade_unfinished` of one that asks only some, has a budget, or names several senders; 422; 503.
pub async fn create_campaign(
    state: &SendState,
    caller: &Caller,
    name: &str,
    content: Result<CampaignContent>,
) -> Result<CampaignBody> {
    let campaign_id = Uuid::now_v7();
    let create = async {
        let content = content?;
        check_content(state, caller, &content).await?;
        check_batches(caller, &content).await?;
        let key = CampaignKey::new(caller.account_id(), campaign_id);
        let campaign = caller.app.store.create_campaign_as(key, &content);
        let campaign = within(QUICK, campaign).await?;
        tracing::info!(campaign.id = %campaign_id, "campaign made");
        let changes = Changes::of_new(&campaign.content.logged());
        Ok((with_progress(state, caller, campaign).await?, changes))
    };
    let subject = made(campaign_id, name);
    caller.change_content(CREATE, &subject, create).await
}

/// Reads a campaign, and where it stands.
///
/// # Errors
/// 404; 503.
pub async fn read_campaign(
    state: &SendState,
    caller: &Caller,
    campaign_id: Uuid,
) -> Result<CampaignBody> {
    let read = soon(async {
        let campaign = find_campaign(caller, campaign_id).await?;
        with_progress(state, caller, campaign).await
    });
    caller.read(SCOPE, read).await
}

/// Lists the campaigns before a position, newest first, and the memory that they hold.
///
/// # Errors
/// 503.
pub async fn list_campaigns(
    caller: &Caller,
    before: Option<Uuid>,
    limit: usize,
) -> Result<(ListPage<CampaignItem>, MemoryPermit)> {
    let list = soon(async {
        let (store, account_id) = (&caller.app.store, caller.account_id());
        let permit = page_permit(&caller.app, account_id).await?;
        let page = store.campaigns(account_id, before, limit).await?;
        let ids: Vec<_> = page.rows.iter().map(|row| row.campaign_id).collect();
        let counts = store.campaign_counts(account_id, &ids).await?;
        let rows = page.rows.into_iter().zip(counts);
        let rows = rows.map(|(campaign, counts)| CampaignItem { campaign, counts });
        let page = ListPage {
            rows: rows.collect(),
            next: page.next,
        };
        Ok((page, permit))
    });
    caller.read(SCOPE, list).await
}

/// Replaces a campaign as a whole: a DRAFT, or what may still change of one that was started. What it is against comes before what is
/// wrong with the content.
///
/// # Errors
/// 404; 412; 409 `campaign_transition`; of one that was started, asks only some, or names several senders, also 409
/// `upgrade_unfinished`; 422; 503.
pub async fn replace_campaign(
    state: &SendState,
    caller: &Caller,
    campaign_id: Uuid,
    if_match: &IfMatch,
    content: Result<CampaignContent>,
) -> Result<CampaignBody> {
    let replace = async {
        let mut before = find_campaign(caller, campaign_id).await?;
        if_match.check(before.revision)?;
        check_open(&before)?;
        let content = content?;
        loop {
            let fixed_change = before.content.fixed_change(&content);
            if let Some(name) = fixed_change.filter(|_| before.status != CampaignStatus::Draft) {
                return Err(fixed(name));
            }
            check_content(state, caller, &content).await?;
            check_batches(caller, &content).await?;
            let key = CampaignKey::new(caller.account_id(), campaign_id);
            let revision = Some(before.revision);
            let change = caller.app.store.replace_campaign(key, revision, &content);
            let change = within(QUICK, change).await?;
            // The log has what stood there, which others have changed meanwhile.
            if matches!(change, CampaignChange::Changed) && !if_match.names_versions() {
                before = find_campaign(caller, campaign_id).await?;
                check_open(&before)?;
                continue;
            }
            let campaign = done(change, "be changed")?;
            tracing::info!(campaign.id = %campaign_id, "campaign replaced");
            let changes = Changes::between(&before.content.logged(), &campaign.content.logged());
            return Ok((with_progress(state, caller, campaign).await?, changes));
        }
    };
    caller.change_content(REPLACE, &campaign_id, replace).await
}

/// Whether the campaign may be changed: it is not over.
fn check_open(campaign: &Campaign) -> Result<()> {
    let status = campaign.status;
    if status == CampaignStatus::Draft || status.is_open() {
        Ok(())
    } else {
        Err(transition(status, "be changed"))
    }
}

/// Deletes a DRAFT.
///
/// # Errors
/// 404; 409 `campaign_transition`; 503.
pub async fn delete_campaign(caller: &Caller, campaign_id: Uuid) -> Result<()> {
    let delete = patiently(async {
        let key = CampaignKey::new(caller.account_id(), campaign_id);
        let deleted = done(caller.app.store.delete_campaign(key).await?, "be deleted")?;
        tracing::info!(campaign.id = %campaign_id, "campaign deleted");
        let changes = Changes::between(&deleted.content.logged(), &Value::Null);
        Ok(((), changes))
    });
    caller.change_content(DELETE, &campaign_id, delete).await
}

/// Starts, pauses, resumes, finishes or cancels a campaign.
///
/// # Errors
/// 404; 409 `campaign_transition`; of a start also 409 `form_not_published` and 422; 503.
pub async fn act_on_campaign(
    state: &SendState,
    caller: &Caller,
    campaign_id: Uuid,
    action: CampaignAction,
) -> Result<CampaignBody> {
    let (name, what) = match action {
        CampaignAction::Start => ("campaign.start", "be started"),
        CampaignAction::Pause => ("campaign.pause", "be paused"),
        CampaignAction::Resume => ("campaign.resume", "be resumed"),
        CampaignAction::Finish => ("campaign.finish", "finish"),
        CampaignAction::Cancel => ("campaign.cancel", "be cancelled"),
    };
    let act = patiently(async {
        if action == CampaignAction::Start {
            let campaign = find_campaign(caller, campaign_id).await?;
            if campaign.status != CampaignStatus::Draft {
                return Err(transition(campaign.status, what));
            }
            check_sendable(state, caller, &campaign.content).await?;
        }
        let key = CampaignKey::new(caller.account_id(), campaign_id);
        let acted = caller.app.store.act_on_campaign(key, action).await?;
        let campaign = done(acted, what)?;
        tracing::info!(campaign.id = %campaign_id, campaign.status = campaign.status.into_str(), "campaign led on");
        // With what it was started.
        let changes = match action {
            CampaignAction::Start => Changes::of_new(&campaign.content.logged()),
            _ => Changes::default(),
        };
        Ok((with_progress(state, caller, campaign).await?, changes))
    });
    let change = Change::new(SCOPE, name, StatusCode::OK);
    caller.change_content(change, &campaign_id, act).await
}

/// The status of messages that are to be sent again.
///
/// # Errors
/// 422: none that may be.
pub fn status_to_resend(text: &str) -> Result<MessageStatus> {
    let mut statuses = MAY_BE_RESENT.into_iter();
    let status = statuses.find(|status| status.into_str() == text);
    status.ok_or_else(|| {
        let detail = "status must be unknown, failed, undelivered or expired";
        let wrong = Invalid::of_member("status", code::NOT_OFFERED, detail);
        Problem::invalid(vec![wrong])
    })
}

/// Sends the messages again that have a status: that nobody knows of, that failed, or that were not delivered.
///
/// # Errors
/// 404; 409 `campaign_not_running`; 503.
pub async fn resend_messages(
    state: &SendState,
    caller: &Caller,
    campaign_id: Uuid,
    status: MessageStatus,
) -> Result<CampaignBody> {
    let resend = async {
        let key = CampaignKey::new(caller.account_id(), campaign_id);
        let campaign = match caller.app.store.resend_messages(key, status).await? {
            CampaignChange::Refused(status) => return Err(not_running(status)),
            change => done(change, "send again")?,
        };
        tracing::info!(campaign.id = %campaign_id, message.status = status.into_str(), "messages are sent again");
        with_progress(state, caller, campaign).await
    };
    caller.change(RESEND, &campaign_id, resend).await
}

/// Whether a campaign can have this content: its senders, and the form, which may be a DRAFT.
///
/// # Errors
/// 422.
pub(super) async fn check_content<'s>(
    state: &'s SendState,
    caller: &Caller,
    content: &CampaignContent,
) -> Result<(Vec<&'s Setting>, Form)> {
    let senders = state.choice(caller, &content.sender)?;
    check_budget(&senders, content)?;
    let form = state.app.store.form(caller.account_id(), content.form_id);
    let form = within(QUICK, form).await?;
    let detail = match form {
        Some(form) if form.status != FormStatus::Deleted => return Ok((senders, form)),
        Some(_) => "the form is DELETED",
        None => "there is no such form",
    };
    let wrong = Invalid::of_member("form_id", code::UNKNOWN_ID, detail);
    Err(Problem::invalid(vec![wrong]))
}

/// Whether what is spent counts against the budget.
fn check_budget(senders: &[&Setting], content: &CampaignContent) -> Result<()> {
    let Some(budget) = &content.budget else {
        return Ok(());
    };
    let wrong = senders.iter().find_map(|sender| match &sender.prices {
        Some(prices) if *prices.currency() == budget.currency => None,
        Some(_) => Some((sender, "is in another currency")),
        None => Some((sender, "is not known, so nothing says what is spent")),
    });
    let Some((sender, what)) = wrong else {
        return Ok(());
    };
    let detail = format!("the price of sender {} {what}", sender.name);
    let wrong = Invalid::of_member("budget", code::NOT_OFFERED, detail);
    Err(Problem::invalid(vec![wrong]))
}

/// Whether the account has the batches of the audience: nobody would be in one that it has not.
///
/// # Errors
/// 422.
pub(super) async fn check_batches(caller: &Caller, content: &CampaignContent) -> Result<()> {
    let Audience::Batches { batch_ids } = &content.audience else {
        return Ok(());
    };
    let known = caller
        .app
        .store
        .known_batches(caller.account_id(), batch_ids);
    let known = within(QUICK, known).await?;
    let unknown = batch_ids.iter().enumerate();
    let unknown = unknown.filter(|(_, batch_id)| !known.contains(*batch_id));
    let wrong: Vec<Invalid> = unknown
        .map(|(place, _)| Invalid {
            pointer: format!("/audience/batch_ids/{place}"),
            code: code::UNKNOWN_ID,
            detail: "there is no such batch".to_owned(),
        })
        .collect();
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Problem::invalid(wrong))
    }
}

/// Whether messages of this content can be sent.
///
/// # Errors
/// 422; 409 `form_not_published`.
pub(super) async fn check_sendable(
    state: &SendState,
    caller: &Caller,
    content: &CampaignContent,
) -> Result<()> {
    let (senders, form) = check_content(state, caller, content).await?;
    for sender in senders {
        state.check_public_url(sender)?;
    }
    match form.status {
        FormStatus::Published => Ok(()),
        _ => Err(form_not_published()),
    }
}

fn form_not_published() -> Problem {
    Problem::new(
        Code::FormNotPublished,
        "the campaign's form is not published, so its links would open nothing",
    )
}

/// Nothing of the campaign is sent.
pub(super) fn not_running(status: CampaignStatus) -> Problem {
    let status = status.into_str();
    let detail = format!("the campaign is {status} and sends nothing");
    Problem::new(Code::CampaignNotRunning, detail)
}

/// The campaign as a change left it.
fn done(change: CampaignChange, what: &str) -> Result<Campaign> {
    match change {
        CampaignChange::Done(campaign) => Ok(*campaign),
        CampaignChange::NotFound => Err(Problem::not_found()),
        CampaignChange::Changed => Err(changed()),
        CampaignChange::Refused(status) => Err(transition(status, what)),
        CampaignChange::Fixed(name) => Err(fixed(name)),
        CampaignChange::FormNotPublished => Err(form_not_published()),
    }
}

fn transition(status: CampaignStatus, what: &str) -> Problem {
    let status = status.into_str();
    Problem::new(
        Code::CampaignTransition,
        format!("the campaign is {status} and cannot {what}"),
    )
}

fn fixed(name: &str) -> Problem {
    let detail = format!("the campaign was started, and its {name} cannot change any more");
    Problem::new(Code::CampaignTransition, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_code() {
        for (change, code) in [
            (CampaignChange::NotFound, Code::NotFound),
            (CampaignChange::Changed, Code::PreconditionFailed),
            (
                CampaignChange::Refused(CampaignStatus::Finished),
                Code::CampaignTransition,
            ),
            (CampaignChange::FormNotPublished, Code::FormNotPublished),
        ] {
            let problem = done(change, "be started").unwrap_err();
            assert_eq!(problem.code(), code);
        }
        let problem = transition(CampaignStatus::Running, "be deleted");
        assert_eq!(
            problem.detail(),
            "the campaign is RUNNING and cannot be deleted"
        );
    }
}
