//! Whether every message was sent as it must be: never twice, nothing lost, all counted, and little unknown.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::campaign::{campaign_path, check_sum, count};
use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::account::Account;
use super::lost::Losses;
use super::provider::{self, Taken, WINDOW};
use super::senders;
use super::slice::Pool;
use super::stage::Stage;

/// What became of the messages of a sender.
#[derive(Debug, Default)]
struct Sent {
    /// By their status.
    messages: BTreeMap<String, u64>,
    /// Those that a change of hands left unknown at first.
    taken_over: u64,
}

/// Adds what is wrong with the messages of the accounts, and gives how many there are, by their status.
///
/// # Errors
/// When it cannot be found out.
pub async fn judge(
    stage: &Stage,
    accounts: &[Account<'_>],
    found: &mut Vec<String>,
) -> Result<BTreeMap<String, u64>> {
    let mut taken = stage.provider.reported().await?;
    let mut by_phone: HashMap<&str, Vec<(&str, &Taken)>> = HashMap::new();
    for (id, one) in &taken {
        by_phone.entry(&one.to).or_default().push((id, one));
    }
    for came in by_phone.into_values() {
        let times: u32 = came.iter().map(|(_, one)| one.times).sum();
        if times > 1 {
            found.push(format!("one phone got {times} messages: {came:?}"));
        }
    }
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for sender in [&[provider::NAME][..], &senders::NAMES].concat() {
        let mut sent = Sent::default();
        for account in accounts.iter().filter(|account| account.sender == sender) {
            if let Err(wrong) = account_is(account, &mut taken, &mut sent).await {
                found.push(format!("{sender}: {wrong:#}"));
            }
        }
        let fence = format!("SELECT coalesce(max(fence), 1) FROM lease WHERE name = '{sender}'");
        let takeovers = stage.sql(&fence).await?.parse::<u64>()? - 1;
        let by_takeover = WINDOW * takeovers;
        let by_loss = stage.losses.messages(sender);
        let by_peer = if sender == provider::NAME {
            stage.provider.uncertain()
        } else {
            0
        };
        let unknown = sent.messages.get("unknown").copied().unwrap_or_default();
        if sent.taken_over > by_takeover || unknown > by_takeover + by_peer + by_loss {
            found.push(format!(
                "{sender}: more unknown than {by_takeover} by takeovers, {by_peer} by the provider and {by_loss} by losses: {sent:?}"
            ));
        }
        for (status, messages) in sent.messages {
            *all.entry(status).or_default() += messages;
        }
    }
    // One that was lost was planned anew under another id, which did not go out.
    taken.retain(|_, one| !stage.losses.may_have_sent(one.at));
    found.extend(taken.keys().map(|id| format!("{id} came from nowhere")));
    Ok(all)
}

/// An account's messages are those that it imported for, and are what its provider took and reported.
async fn account_is(
    account: &Account<'_>,
    taken: &mut HashMap<String, Taken>,
    sent: &mut Sent,
) -> Result<()> {
    let client = account.clients.first().context("no api")?;
    let path = campaign_path(&account.campaign);
    let campaign = client.get(&path).await?.expect(200)?.json()?;
    check_sum(&campaign, "first")?;
    let is_reported = account.sender == provider::NAME;
    let mut numbers = if is_reported {
        HashMap::new()
    } else {
        account.stage.senders.took(account.sender)?
    };
    let posted = account.posted.borrow().clone();
    let posted = posted.iter().filter(|one| one.slice.pool == Pool::Sent);
    let mut wanted: BTreeSet<u64> = posted.flat_map(|one| one.slice.numbers()).collect();
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    for message in client.pages(&format!("{path}/message?limit=1000")).await?.0 {
        let text = |member: &str| message[member].as_str().unwrap_or_default();
        let number = text("docid").strip_prefix("M-").context("another docid")?;
        let number: u64 = number.parse()?;
        if !wanted.remove(&number) {
            bail!("a second message, or for nobody: {message}");
        }
        if is_reported {
            let taken = taken.remove(text("message_id"));
            message_is(&message, taken.as_ref(), &account.stage.losses)?;
        } else {
            came(&message, numbers.remove(&number).unwrap_or_default())?;
        }
        *statuses.entry(text("status").to_owned()).or_default() += 1;
        sent.taken_over += u64::from(message["provider_code"] == "takeover");
    }
    if !wanted.is_empty() || !numbers.is_empty() {
        bail!("no message for {wanted:?}, or messages from nowhere to {numbers:?}: {campaign}");
    }
    for (status, messages) in statuses {
        if count(&campaign, "first", &status) != messages {
            bail!("{messages} are {status}: {campaign}");
        }
        *sent.messages.entry(status).or_default() += messages;
    }
    Ok(())
}

/// A message came as often as its status says.
fn came(message: &Value, times: u32) -> Result<()> {
    let may = match message["status"].as_str().unwrap_or_default() {
        "accepted" | "delivered" => 1..=1,
        "unknown" => 0..=1,
        _ => 0..=0,
    };
    if !may.contains(&times) {
        bail!("came {times} times: {message}");
    }
    Ok(())
}

fn message_is(message: &Value, taken: Option<&Taken>, losses: &Losses) -> Result<()> {
    let status = message["status"].as_str().unwrap_or_default();
    let is_open = ["accepted", "unknown"].contains(&status);
    let fits = match taken {
        // A receipt finds no message whose acceptance is lost.
        Some(Taken {
            reported: Some((last, when)),
            at,
            ..
        }) => {
            let may_be_lost = losses.may_have(*when) || losses.may_have_outcome(*at);
            status == *last || is_open && may_be_lost
        }
        Some(_) => is_open,
        None => status == "unknown",
    };
    if !fits {
        bail!("the provider has {taken:?} of {message}");
    }
    Ok(())
}
