//! What a campaign would do if it started now, and a test message to any number.

use std::sync::LazyLock;

use api_http::deadline::soon;
use api_http::{Caller, Change, Problem, QUICK, Result, found, within};
use axum::http::StatusCode;
use domain::campaign::judge::Context;
use domain::campaign::{CampaignContent, CampaignStatus, Message, Preview};
use domain::docid::DocId;
use domain::form::FormStatus;
use domain::invalid::{Invalid, code};
use platform::places::Places;
use sender::setting::Setting;
use store::form::Form;
use store::send::CampaignKey;
use store::send::preview::{Served, Serves};
use uuid::Uuid;

use super::campaign::{check_batches, check_content, check_sendable, find_campaign, not_running};
use super::wrong_phone;
use crate::SCOPE;
use crate::state::{SendState, take_test};

const TEST: Change = Change::new(SCOPE, "campaign.test", StatusCode::OK);
/// Of a campaign that is not made yet so many recipients are judged: it may be previewed with each word that is typed.
const OF_DRAFT: u64 = 20_000;
/// Previews that look at recipients at once. Each gives its place to others now and then.
static PREVIEWS: LazyLock<Places> = LazyLock::new(|| Places::shared(2, 1));

/// Previews a campaign.
///
/// # Errors
/// 404; 422; 503.
pub async fn preview_campaign(
    state: &SendState,
    caller: &Caller,
    campaign_id: Uuid,
) -> Result<Preview> {
    let read = async {
        let content = find_campaign(caller, campaign_id).await?.content;
        let senders = state.choice(caller, &content.sender)?;
        let form = caller.app.store.form(caller.account_id(), content.form_id);
        let form = form.await?;
        let form = form.filter(|form| form.status != FormStatus::Deleted);
        let rests_on = (senders, form.as_ref());
        preview(state, caller, (campaign_id, &content), rests_on, u64::MAX).await
    };
    caller.read(SCOPE, read).await
}

/// Previews a campaign that is not made yet; of a large audience the first are judged.
///
/// # Errors
/// 422; 503.
pub async fn preview_draft(
    state: &SendState,
    caller: &Caller,
    content: &CampaignContent,
) -> Result<Preview> {
    let read = async {
        let (senders, form) = check_content(state, caller, content).await?;
        check_batches(caller, content).await?;
        let rests_on = (senders, Some(&form));
        // No campaign has this id.
        preview(state, caller, (Uuid::nil(), content), rests_on, OF_DRAFT).await
    };
    caller.read(SCOPE, read).await
}

async fn preview(
    state: &SendState,
    caller: &Caller,
    (campaign_id, content): (Uuid, &CampaignContent),
    (senders, form): (Vec<&Setting>, Option<&Form>),
    most: u64,
) -> Result<Preview> {
    let account_id = caller.account_id();
    let setting = caller.app.store.send_setting(account_id).await?;
    let known = Context {
        campaign_id,
        content,
        form: form.map(|form| &form.content),
        account_zone: caller.time_zone(),
        // Each message has those of its sender.
        countries: None,
        types: None,
        min_gap_days: setting.min_gap_days,
        link_prefix: &caller.app.link_url(""),
    };
    let served = senders.iter().map(|sender| {
        let of_sender = Serves {
            countries: sender.countries.as_deref(),
            types: sender.types.as_deref(),
            prices: sender.prices.as_deref(),
        };
        (sender.name.as_str(), of_sender)
    });
    let served: Served<'_> = served.collect();
    let pepper = state.pepper()?;
    // It looks at many recipients, and notes their phones.
    let turn = || PREVIEWS.take(account_id);
    let store = &caller.app.store;
    let preview = store.preview_campaign(account_id, pepper, (&known, &served), most, turn);
    Ok(preview.await?)
}

/// Schedules a test message to a phone, as the recipient of a docid would get it; without a docid, or for what the recipient lacks,
/// the text shows the names of its fields. What the campaign is refused for comes before what is wrong with these two.
///
/// # Errors
/// 404; 409 `campaign_not_running`, `form_not_published`; 422; 429: the account has sent too many; 503.
pub async fn test_campaign(
    state: &SendState,
    caller: &Caller,
    campaign_id: Uuid,
    phone_and_docid: Result<(String, Option<String>)>,
) -> Result<Message> {
    let test = async {
        let (store, account_id) = (&caller.app.store, caller.account_id());
        let campaign = find_campaign(caller, campaign_id).await?;
        if matches!(
            campaign.status,
            CampaignStatus::Finished | CampaignStatus::Cancelled
        ) {
            return Err(not_running(campaign.status));
        }
        let (phone, docid) = phone_and_docid?;
        let mut wrong: Vec<Invalid> = wrong_phone(&phone).into_iter().collect();
        if let Some(docid) = &docid {
            let is_known = match DocId::parse(&**docid) {
                Ok(docid) => within(QUICK, store.recipient(account_id, docid.as_str()))
                    .await?
                    .is_some(),
                Err(_) => false,
            };
            if !is_known {
                let detail = "there is no recipient of this docid";
                wrong.push(Invalid::of_member("docid", code::UNKNOWN_ID, detail));
            }
        }
        if !wrong.is_empty() {
            return Err(Problem::invalid(wrong));
        }
        check_sendable(state, caller, &campaign.content).await?;
        take_test(&state.tests, account_id)?;
        let key = CampaignKey::new(account_id, campaign_id);
        found(store.schedule_test(key, docid.as_deref(), &phone)).await
    };
    caller.change(TEST, &campaign_id, test).await
}

/// A test message, with its text and its link once it was handed over.
pub struct SentTest {
    pub message: Message,
    pub text: Option<String>,
    pub link: Option<String>,
}

/// Reads a test message of a campaign.
///
/// # Errors
/// 404; 503.
pub async fn read_test(caller: &Caller, campaign_id: Uuid, message_id: Uuid) -> Result<SentTest> {
    let read = soon(async {
        let (app, account_id) = (&caller.app, caller.account_id());
        let key = CampaignKey::new(account_id, campaign_id);
        let message = found(app.store.campaign_message(key, message_id)).await?;
        let campaign = find_campaign(caller, campaign_id).await?;
        let form = app.store.form(account_id, campaign.content.form_id).await?;
        let context = Context {
            campaign_id,
            content: &campaign.content,
            form: form.as_ref().map(|form| &form.content),
            account_zone: caller.time_zone(),
            countries: None,
            types: None,
            min_gap_days: 0,
            link_prefix: &app.link_url(""),
        };
        let sent = app.store.test_text(&context, account_id, message_id);
        let (text, link) = sent.await?.map_or((None, None), |sent| {
            (Some(sent.text), Some(app.link_url(sent.token)))
        });
        Ok(SentTest {
            message,
            text,
            link,
        })
    });
    caller.read(SCOPE, read).await
}
