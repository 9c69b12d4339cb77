//! What can be done with campaigns, their messages, senders and the phones that get none: functions that routes and the dashboard call,
//! each with what it gives.

mod bus_props;
mod campaign;
mod columns;
mod preview;
mod sender;
mod usage;

use std::collections::HashSet;
use std::sync::Arc;

use ::sender::setting::Setting;
use api_http::accept::Kind;
use api_http::deadline::soon;
use api_http::lines::page_permit;
use api_http::spreadsheet::{self, SheetColumn, Spreadsheet};
use api_http::{Caller, Change, Problem, QUICK, Result, lines, within};
use api_language::Text;
use axum::http::StatusCode;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::campaign::{Message, MessageStatus, Receipt};
use domain::changes::{Changes, Logged};
use domain::docid::DocId;
use domain::invalid::{Invalid, code};
use domain::pepper::Pepper;
use domain::phone::{PhoneNumber, masked};
use domain::price::Money;
use domain::sms::SendSetting;
use serde::Serialize;
use store::ListPage;
use store::send::CampaignKey;
use store::send::contact::{Suppressed, SuppressedAt};
use store::send::failure::Failures;
use store::send::message::MessageFilter;
use utoipa::ToSchema;
use uuid::Uuid;

pub use self::bus_props::{add_bus_props, add_to_form};
pub(crate) use self::campaign::find_campaign;
pub use self::campaign::{
    CampaignBody, CampaignItem, act_on_campaign, create_campaign, delete_campaign, list_campaigns,
    read_campaign, replace_campaign, resend_messages, status_to_resend,
};
pub use self::columns::list_columns;
pub use self::preview::{SentTest, preview_campaign, preview_draft, read_test, test_campaign};
pub use self::sender::{SenderItem, list_senders, pause_sender};
pub use self::usage::{UsageDays, list_budgets, list_usage};
use crate::message_sheet::message_sheet;
use crate::state::SendState;
use crate::{SCOPE, schema};

const SUPPRESS: Change = Change::new(SCOPE, "suppression.add", StatusCode::NO_CONTENT);
const UNSUPPRESS: Change = Change::new(SCOPE, "suppression.remove", StatusCode::NO_CONTENT);
const REPLACE_SETTING: Change = Change::new(SCOPE, "setting.replace", StatusCode::OK);
/// An export, as the audit log names it.
pub(crate) const EXPORT_MESSAGES: &str = "messages.export";
pub(crate) const EXPORT_USAGE: &str = "usage.export";
/// The source of what the account puts on its list itself.
const SOURCE: &str = "api";

/// A message, and what its provider reported of it.
#[derive(Serialize, ToSchema)]
pub struct MessageHistory {
    #[serde(flatten)]
    #[schema(value_type = schema::Message)]
    pub message: Message,
    /// In the order in which they came; kept for 90 days.
    #[schema(value_type = Vec<schema::Receipt>)]
    pub receipts: Vec<Receipt>,
}

/// Lists the messages of a recipient before a position, newest first, with their receipts.
///
/// # Errors
/// 404: there is neither such a recipient nor a message to one; 503.
pub async fn list_recipient_messages(
    caller: &Caller,
    docid: &DocId,
    before: Option<Uuid>,
    limit: usize,
) -> Result<ListPage<MessageHistory>> {
    let list = soon(async {
        check_known(caller, docid).await?;
        let (store, account_id) = (&caller.app.store, caller.account_id());
        let messages = store.recipient_messages(account_id, docid.as_str(), before, limit);
        let messages = messages.await?;
        let mut receipts = store.receipts(account_id, docid.as_str()).await?;
        Ok(messages.map(|message| MessageHistory {
            receipts: receipts.remove(&message.message_id).unwrap_or_default(),
            message,
        }))
    });
    caller.read(SCOPE, list).await
}

/// Lists messages before a position, newest first. A page may be empty though the list goes on.
///
/// # Errors
/// 404: there is no such campaign; 503.
pub async fn list_messages(
    caller: &Caller,
    filter: &MessageFilter,
    before: Option<Uuid>,
    limit: usize,
) -> Result<ListPage<Message>> {
    let list = soon(async {
        if let Some(campaign_id) = filter.campaign_id {
            find_campaign(caller, campaign_id).await?;
        }
        let (store, account_id) = (&caller.app.store, caller.account_id());
        let messages = store.filtered_messages(account_id, filter, before, limit);
        Ok(lines::page(account_id, messages).await?)
    });
    caller.read(SCOPE, list).await
}

/// Tells why messages of a campaign did not arrive.
///
/// # Errors
/// 404; 503.
pub async fn list_failures(caller: &Caller, campaign_id: Uuid) -> Result<Failures> {
    let list = soon(async {
        find_campaign(caller, campaign_id).await?;
        let (app, account_id) = (&caller.app, caller.account_id());
        let _permit = page_permit(app, account_id).await?;
        let key = CampaignKey::new(account_id, campaign_id);
        Ok(lines::page(account_id, app.store.campaign_failures(key)).await?)
    });
    caller.read(SCOPE, list).await
}

/// All messages as a spreadsheet, newest first; `campaigns` are the names of campaigns by their ids. Of a campaign whose sender
/// reaches no phones, and of an account that has no other, it says so of what was delivered.
///
/// # Errors
/// 404: there is no such campaign; 413; 503.
pub async fn export_messages(
    state: &SendState,
    (caller, account_name): (&Caller, &str),
    filter: MessageFilter,
    campaigns: impl IntoIterator<Item = (String, String)>,
    t: &Text,
) -> Result<Response> {
    let mut sheet = message_sheet(t, caller.time_zone());
    let of_campaign = |column: &&mut SheetColumn| column.key == "campaign_id";
    if let Some(column) = sheet.columns.iter_mut().find(of_campaign) {
        column.words = campaigns.into_iter().collect();
    }
    let (store, account_id) = (caller.app.store.clone(), caller.account_id());
    let subject = filter
        .campaign_id
        .map_or_else(String::new, |id| id.to_string());
    let export = async {
        let is_simulated = match filter.campaign_id {
            Some(campaign_id) => {
                let campaign = find_campaign(caller, campaign_id).await?;
                state.simulates(&campaign.content.sender)
            }
            None => state.only_simulates(account_name),
        };
        if is_simulated {
            say_simulated(&mut sheet, t);
        }
        let filter = Arc::new(filter);
        let read = move |before, (limit, _)| {
            let (store, filter) = (store.clone(), Arc::clone(&filter));
            async move {
                let page = store.filtered_messages(account_id, &filter, before, limit);
                let page = page.await?;
                Ok(page.map(|message| (message.message_id, message)))
            }
        };
        spreadsheet::answer(&caller.app, account_id, sheet, read).await
    };
    caller
        .export((SCOPE, Kind::Xlsx), EXPORT_MESSAGES, &subject, export)
        .await
}

/// What was delivered reached no phone.
fn say_simulated(sheet: &mut Spreadsheet, t: &Text) {
    let mut columns = sheet.columns.iter_mut();
    let status = columns.find(|column| column.key == "status");
    let words = status.map(|column| &mut column.words);
    if let Some(word) = words.and_then(|words| words.get_mut(MessageStatus::Delivered.into_str())) {
        *word = t.get("status-delivered-simulated");
    }
}

/// Whether the account has a recipient of a docid, or messages tell of one: tests may be of none.
///
/// # Errors
/// 404.
pub(crate) async fn check_known(caller: &Caller, docid: &DocId) -> Result<()> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    if store.recipient(account_id, docid.as_str()).await?.is_some() {
        return Ok(());
    }
    let messages = store.recipient_messages(account_id, docid.as_str(), None, 1);
    if messages.await?.rows.is_empty() {
        return Err(Problem::not_found());
    }
    Ok(())
}

/// The phone of a row as it is shown, if it is the one of the row's MAC.
fn shown(row: &Suppressed, account_id: Uuid, pepper: &Pepper) -> Option<String> {
    let phone = row.phone.as_deref()?;
    let mut macs = pepper.phone_macs(account_id, phone);
    macs.any(|mac| mac[..] == row.phone_mac)
        .then(|| masked(phone))
}

/// Lists the phones before a position that get no messages, newest first and masked.
///
/// # Errors
/// 503.
pub async fn list_suppressed(
    state: &SendState,
    caller: &Caller,
    before: Option<SuppressedAt>,
    limit: usize,
) -> Result<ListPage<Suppressed, SuppressedAt>> {
    let list = soon(async {
        let (pepper, account_id) = (state.pepper()?, caller.account_id());
        let store = &caller.app.store;
        let mut page = store.suppressed(account_id, before, limit).await?;
        for row in &mut page.rows {
            row.phone = shown(row, account_id, pepper);
            row.docid = row.docid.take().filter(|_| row.phone.is_some());
        }
        let unknown = page.rows.iter().filter(|row| row.phone.is_none());
        let unknown: HashSet<_> = unknown.map(|row| row.phone_mac.clone()).collect();
        let place = if unknown.is_empty() {
            None
        } else {
            state.scans.take(account_id).await
        };
        let phones = store.phones_of(account_id, unknown, pepper).await?;
        drop(place);
        Ok(page.map(|mut row| {
            if let Some((phone, docid)) = phones.get(&row.phone_mac) {
                row.phone = Some(masked(phone));
                row.docid = Some(docid.clone());
            }
            row
        }))
    });
    caller.read(SCOPE, list).await
}

/// Since when a phone is on the list, and how it came there; `None`: it is not on it.
///
/// # Errors
/// 503.
pub async fn read_suppression(
    state: &SendState,
    caller: &Caller,
    phone: &str,
) -> Result<Option<(DateTime<Utc>, String)>> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let read = soon(async {
        Ok(store
            .suppression(account_id, phone, state.pepper()?)
            .await?)
    });
    caller.read(SCOPE, read).await
}

/// Puts a phone on the list. The audit log has it as lists do, masked.
///
/// # Errors
/// 422; 503.
pub async fn suppress(state: &SendState, caller: &Caller, phone: &str) -> Result<()> {
    let suppress = async {
        check_phone(phone)?;
        let (store, account_id) = (&caller.app.store, caller.account_id());
        let done = store.opt_out(account_id, phone, SOURCE, state.pepper()?);
        within(QUICK, done).await?;
        Ok(())
    };
    caller.change(SUPPRESS, &subject(phone), suppress).await
}

/// Takes a phone off the list.
///
/// # Errors
/// 422; 503.
pub async fn unsuppress(state: &SendState, caller: &Caller, phone: &str) -> Result<()> {
    let unsuppress = async {
        check_phone(phone)?;
        let (store, account_id) = (&caller.app.store, caller.account_id());
        within(QUICK, store.opt_in(account_id, phone, state.pepper()?)).await?;
        Ok(())
    };
    caller.change(UNSUPPRESS, &subject(phone), unsuppress).await
}

/// A phone as the audit log has it; of what is no phone nothing.
fn subject(phone: &str) -> String {
    PhoneNumber::parse(phone).map_or_else(|_| String::new(), |_| masked(phone))
}

fn check_phone(phone: &str) -> Result<()> {
    let wrong = wrong_phone(phone).map(|wrong| Problem::invalid(vec![wrong]));
    wrong.map_or(Ok(()), Err)
}

/// What is wrong with the member `phone` of a body.
fn wrong_phone(phone: &str) -> Option<Invalid> {
    let error = PhoneNumber::parse(phone).err()?;
    let detail = format!("phone {error}");
    Some(Invalid::of_member("phone", code::MALFORMED, detail))
}

/// Reads how phones are sent to, and texts from them taken.
///
/// # Errors
/// 503.
pub async fn read_setting(caller: &Caller) -> Result<SendSetting> {
    let setting = caller.app.store.send_setting(caller.account_id());
    caller.read(SCOPE, soon(async { Ok(setting.await?) })).await
}

/// Changes how phones are sent to, and texts from them taken, as a whole.
///
/// # Errors
/// 409 `upgrade_unfinished` of one with a gap or a budget; 422: a sender of the account has no price in the budget's currency; 503.
pub async fn replace_setting(
    state: &SendState,
    caller: &Caller,
    setting: &SendSetting,
) -> Result<()> {
    let checked = check_month_budget(state, caller, setting.month_budget.as_ref());
    let given = setting.clone();
    change_setting(caller, checked, |setting| *setting = given).await
}

/// Sets what all messages of a month may cost; the rest of the setting stays.
///
/// # Errors
/// As [`replace_setting`].
pub async fn set_month_budget(
    state: &SendState,
    caller: &Caller,
    budget: Option<Money>,
) -> Result<()> {
    let checked = check_month_budget(state, caller, budget.as_ref());
    change_setting(caller, checked, |setting| setting.month_budget = budget).await
}

/// Sets the least days between messages of any campaigns to a phone; the rest of the setting stays.
///
/// # Errors
/// 409 `upgrade_unfinished` of a setting with a gap or a budget; 503.
pub async fn set_min_gap(caller: &Caller, days: u32) -> Result<()> {
    change_setting(caller, Ok(()), move |setting| setting.min_gap_days = days).await
}

/// Changes the stored setting, unless what is to be set was found to be wrong.
async fn change_setting(
    caller: &Caller,
    checked: Result<()>,
    change: impl FnOnce(&mut SendSetting) + Send,
) -> Result<()> {
    let work = async {
        checked?;
        let store = &caller.app.store;
        let changing = store.change_send_setting(caller.account_id(), change);
        let (before, after) = within(QUICK, changing).await?;
        let changes = Changes::between(&before.logged(), &after.logged());
        Ok(((), changes))
    };
    caller.change_content(REPLACE_SETTING, "", work).await
}

/// Whether all that the account's senders send counts against its budget of a month; what is simulated may have no price.
fn check_month_budget(state: &SendState, caller: &Caller, budget: Option<&Money>) -> Result<()> {
    let Some(budget) = budget else {
        return Ok(());
    };
    let senders = state.senders.iter().map(|sender| &sender.setting);
    let mut senders = senders.filter(|sender| {
        let is_free = sender.kind.is_simulated && sender.prices.is_none();
        sender.allows(caller.account_name()) && !is_free
    });
    let is_other = |sender: &&Setting| {
        let prices = sender.prices.as_ref();
        prices.is_none_or(|prices| *prices.currency() != budget.currency)
    };
    let Some(other) = senders.find(is_other) else {
        return Ok(());
    };
    let currency = budget.currency.as_str();
    let detail = format!("sender {} has no price in {currency}", other.name);
    let wrong = Invalid::of_member("month_budget", code::NOT_OFFERED, detail);
    Err(Problem::invalid(vec![wrong]))
}

#[cfg(test)]
mod tests {
    use api_language::of_code;
    use chrono_tz::Tz;

    use super::*;

    #[test]
    fn a_sheet_says_that_deliveries_are_simulated() {
        let t = of_code("en");
        let mut sheet = message_sheet(t, Tz::UTC);
        say_simulated(&mut sheet, t);
        let mut columns = sheet.columns.iter();
        let status = columns.find(|column| column.key == "status").unwrap();
        assert_eq!(status.words["delivered"], "Delivered (simulated)");
        assert_eq!(status.words["failed"], "Failed");
    }

    #[test]
    fn a_phone_is_shown_only_where_it_is_the_one_and_then_masked() {
        let pepper = Pepper::parse(&"ab".repeat(32)).unwrap();
        let account = Uuid::from_u128(1);
        let mut row = Suppressed {
            phone_mac: pepper.phone_mac(account, "+491701234567").to_vec(),
            phone: Some("+491701234567".to_owned()),
            docid: None,
            source: "page".to_owned(),
            since: DateTime::UNIX_EPOCH,
        };
        let shown = |row: &Suppressed| shown(row, account, &pepper);
        assert_eq!(shown(&row).as_deref(), Some("+*********567"));
        row.phone = Some("+491701234568".to_owned());
        assert_eq!(shown(&row), None);
        row.phone = None;
        assert_eq!(shown(&row), None);
    }
}
