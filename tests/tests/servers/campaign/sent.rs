//! Whether every message was sent as it must be: never twice, nothing lost, all counted, and little unknown.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tests::campaign::{campaign_path, check_sum, count};

use super::account::Account;
use super::provider::{NAME, Provider, Taken, WINDOW};
use super::slice::Pool;
use super::stage::Stage;

/// What became of the messages of all accounts.
#[derive(Debug, Default)]
pub struct Sent {
    /// By their status.
    pub messages: BTreeMap<String, u64>,
    /// Those that a change of hands left unknown at first.
    pub taken_over: u64,
    /// How often the sender changed hands.
    pub takeovers: u64,
}

/// Adds what is wrong with the messages of the accounts.
///
/// # Errors
/// When it cannot be found out.
pub async fn judge(
    stage: &Stage,
    accounts: &[Account<'_>],
    provider: &Provider,
    found: &mut Vec<String>,
) -> Result<Sent> {
    let mut taken = provider.reported().await?;
    for (id, taken) in &taken {
        if taken.times > 1 {
            found.push(format!("{id} came {} times", taken.times));
        }
    }
    let fence = format!("SELECT fence FROM lease WHERE name = '{NAME}'");
    let mut sent = Sent {
        takeovers: stage.sql(&fence).await?.parse::<u64>()? - 1,
        ..Sent::default()
    };
    for account in accounts {
        if let Err(wrong) = account_is(account, &mut taken, &mut sent).await {
            found.push(format!("{wrong:#}"));
        }
    }
    found.extend(taken.keys().map(|id| format!("{id} came from nowhere")));
    let unknown = sent.messages.get("unknown").copied().unwrap_or_default();
    let (by_takeover, by_peer) = (WINDOW * sent.takeovers, provider.uncertain());
    if sent.taken_over > by_takeover || unknown > by_takeover + by_peer {
        found.push(format!(
            "more unknown than {by_takeover} by takeovers and {by_peer} by the provider: {sent:?}"
        ));
    }
    Ok(sent)
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
    let posted = account.posted.borrow().clone();
    let posted = posted.iter().filter(|one| one.slice.pool == Pool::Sent);
    let mut wanted: BTreeSet<u64> = posted.flat_map(|one| one.slice.numbers()).collect();
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    for message in client.pages(&format!("{path}/message?limit=1000")).await?.0 {
        let text = |member: &str| message[member].as_str().unwrap_or_default();
        let number = text("docid").strip_prefix("M-").context("another docid")?;
        if !wanted.remove(&number.parse()?) {
            bail!("a second message, or for nobody: {message}");
        }
        message_is(&message, taken.remove(text("message_id")))?;
        *statuses.entry(text("status").to_owned()).or_default() += 1;
        sent.taken_over += u64::from(message["provider_code"] == "takeover");
    }
    if !wanted.is_empty() {
        bail!("no message for {wanted:?}: {campaign}");
    }
    for (status, messages) in statuses {
        if count(&campaign, "first", &status) != messages {
            bail!("{messages} are {status}: {campaign}");
        }
        *sent.messages.entry(status).or_default() += messages;
    }
    Ok(())
}

fn message_is(message: &Value, taken: Option<Taken>) -> Result<()> {
    let status = message["status"].as_str().unwrap_or_default();
    let fits = match taken {
        Some(Taken {
            reported: Some(last),
            ..
        }) => status == last,
        Some(_) => ["accepted", "unknown"].contains(&status),
        None => status == "unknown",
    };
    if !fits {
        bail!("the provider has {taken:?} of {message}");
    }
    Ok(())
}
