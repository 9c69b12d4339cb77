//! Campaigns and their messages, as an account handles them through the API.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::form::short_form;
use crate::import::{IMPORT, JSON, array};
use crate::wait::{LATER, eventually};

/// Where campaigns are.
pub const CAMPAIGN: &str = "/api_v1/sms/campaign";

/// Every status of a message but `skipped`, which is told by reasons.
const STATUSES: [&str; 9] = [
    "scheduled",
    "sending",
    "accepted",
    "delivered",
    "undelivered",
    "expired",
    "failed",
    "unknown",
    "cancelled",
];

/// A campaign over what is imported for it, sent at any hour.
pub fn on_import(form: &Value, sender: &str) -> Value {
    json!({
        "name": "After the visit",
        "form_id": form["form_id"],
        "sender": sender,
        "text": "How was {store_code|our store}? {link}",
        "audience": {"on_import": true},
        "track_fields": ["store_code"],
        "send_window": null,
    })
}

/// The same with other members.
pub fn on_import_with(form: &Value, sender: &str, members: Value) -> Value {
    with(on_import(form, sender), members)
}

fn with(mut campaign: Value, members: Value) -> Value {
    if let (Value::Object(campaign), Value::Object(members)) = (&mut campaign, members) {
        campaign.extend(members);
    }
    campaign
}

/// The path of a campaign.
pub fn campaign_path(campaign: &Value) -> String {
    format!(
        "{CAMPAIGN}/{}",
        campaign["campaign_id"].as_str().unwrap_or_default()
    )
}

/// How many messages of a kind have a status.
pub fn count(campaign: &Value, kind: &str, name: &str) -> u64 {
    campaign["counts"][kind][name].as_u64().unwrap_or_default()
}

/// Checks that the counts of a kind add up.
///
/// # Errors
/// They do not.
pub fn check_sum(campaign: &Value, kind: &str) -> Result<()> {
    let skipped = &campaign["counts"][kind]["skipped"];
    let skipped = skipped.as_object().context("no skipped")?;
    let skipped: u64 = skipped.values().filter_map(Value::as_u64).sum();
    let others: u64 = STATUSES
        .iter()
        .map(|name| count(campaign, kind, name))
        .sum();
    let all = count(campaign, kind, "recipients");
    ensure!(all == skipped + others, "{all} recipients: {campaign}");
    Ok(())
}

impl Client {
    /// A published form, and a campaign in DRAFT that the function makes of it.
    ///
    /// # Errors
    /// When the service refuses.
    pub async fn campaign(&self, of: impl FnOnce(&Value) -> Value) -> Result<Value> {
        let form = self.published(&short_form("After the visit")).await?;
        let made = self.send_json(Method::POST, CAMPAIGN, &of(&form)).await?;
        made.expect(201)?.json()
    }

    /// The same, started.
    ///
    /// # Errors
    /// When the service refuses.
    pub async fn started(&self, of: impl FnOnce(&Value) -> Value) -> Result<Value> {
        let campaign = self.campaign(of).await?;
        self.act(&campaign, "start").await?.expect(200)?.json()
    }

    /// A campaign through a sender, started, and records imported for it.
    ///
    /// # Errors
    /// When the service refuses.
    pub async fn running(&self, sender: &str, records: &[Value]) -> Result<Value> {
        self.running_with(sender, json!({}), records).await
    }

    /// The same with other members of the campaign.
    ///
    /// # Errors
    /// When the service refuses.
    pub async fn running_with(
        &self,
        sender: &str,
        members: Value,
        records: &[Value],
    ) -> Result<Value> {
        let of = |form: &Value| on_import_with(form, sender, members);
        let campaign = self.started(of).await?;
        self.imported_for(&campaign, records).await?;
        Ok(campaign)
    }

    /// Changes members of a campaign: the campaign as it is then.
    ///
    /// # Errors
    /// When the service refuses.
    pub async fn changed(&self, campaign: &Value, members: Value) -> Result<Value> {
        let body = with(self.read_campaign(campaign).await?, members);
        let path = campaign_path(campaign);
        let changed = self.send_json(Method::PUT, &path, &body).await?;
        changed.expect(200)?.json()
    }

    /// Does something with a campaign.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn act(&self, campaign: &Value, action: &str) -> Result<Answer> {
        self.post(&format!("{}/{action}", campaign_path(campaign)))
            .await
    }

    /// A campaign once so many messages are made and none waits or is under way.
    ///
    /// # Errors
    /// It is not in time.
    pub async fn handed_over(&self, campaign: &Value, messages: usize) -> Result<Value> {
        let is_done = |now: &Value| {
            let open = count(now, "first", "scheduled") + count(now, "first", "sending");
            count(now, "first", "recipients") == messages as u64 && open == 0
        };
        self.until(campaign, is_done).await
    }

    /// A campaign with its counts, which add up.
    ///
    /// # Errors
    /// They do not.
    pub async fn read_campaign(&self, campaign: &Value) -> Result<Value> {
        let campaign: Value = self
            .get(&campaign_path(campaign))
            .await?
            .expect(200)?
            .json()?;
        check_sum(&campaign, "first")?;
        check_sum(&campaign, "reminder")?;
        Ok(campaign)
    }

    /// Waits until the campaign is as the condition wants it. Its counts add up all the while.
    ///
    /// # Errors
    /// It is not in time.
    pub async fn until(
        &self,
        campaign: &Value,
        condition: impl Fn(&Value) -> bool,
    ) -> Result<Value> {
        eventually(LATER, async || {
            let now = self.read_campaign(campaign).await?;
            ensure!(condition(&now), "not yet: {now}");
            Ok(now)
        })
        .await
    }

    /// The same, until so many of its first messages have a status.
    ///
    /// # Errors
    /// They have not in time.
    pub async fn until_first(&self, campaign: &Value, status: &str, all: u64) -> Result<Value> {
        self.until(campaign, |now| count(now, "first", status) == all)
            .await
    }

    /// The same, until it is over.
    ///
    /// # Errors
    /// It is not in time.
    pub async fn finished(&self, campaign: &Value) -> Result<Value> {
        self.until(campaign, |now| now["status"] == "FINISHED")
            .await
    }

    /// Imports records for a campaign.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn import_for(&self, campaign: &Value, records: &[Value]) -> Result<Answer> {
        let id = campaign["campaign_id"].as_str().unwrap_or_default();
        let path = format!("{IMPORT}?campaign={id}");
        self.call(Method::POST, &path)
            .body(JSON, array(records))
            .send()
            .await
    }

    /// The same, which is accepted: the answer.
    ///
    /// # Errors
    /// When the service refuses.
    pub async fn imported_for(&self, campaign: &Value, records: &[Value]) -> Result<Value> {
        let imported = self.import_for(campaign, records).await?;
        imported.expect(202)?.json()
    }
}
