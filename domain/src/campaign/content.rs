//! What a campaign sends to whom.

use chrono::{DateTime, Utc};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::sample::SampleShare;
use super::sender_choice::SenderChoice;
use crate::changes::Logged;
use crate::form::{BusProp, FormContent};
use crate::price::Money;
use crate::sms::{SendWindow, Template};

/// What a campaign sends to whom. Its JSON, which clients see, is what is stored; it is not checked again when it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignContent {
    pub name: String,
    pub form_id: Uuid,
    pub sender: SenderChoice,
    /// With `{link}` once, and `{name}` or `{name|text}` of tracking fields.
    pub text: Template,
    pub audience: Audience,
    /// The names of the recipient's tracking fields that the link gets; `docid`, which it always gets, is none of them.
    pub track_fields: Vec<String>,
    /// By the name of a business property the tracking field that has its value.
    pub bus_props_from: IndexMap<String, String>,
    pub link_expires_after_days: u32,
    /// `null` is any time.
    #[serde(default = "default_send_window")]
    pub send_window: Option<SendWindow>,
    pub send_within_hours: u32,
    pub contact_gap_days: u32,
    pub max_parts: u32,
    pub max_messages: Option<u64>,
    /// The share of recipients that is asked; `None`: all.
    #[serde(default)]
    pub sample: Option<SampleShare>,
    /// By the name of a business property how many first messages go out on a day, of the account, for each of its values.
    #[serde(default)]
    pub per_day: IndexMap<String, u32>,
    /// What it may cost, tests too; `None`: no limit.
    #[serde(default)]
    pub budget: Option<Money>,
    pub starts_at: Option<DateTime<Utc>>,
    pub delay_minutes: u32,
    pub reminder: Option<Reminder>,
}

impl CampaignContent {
    /// The first member in which another content differs although it stays as it is once a campaign was started.
    pub fn fixed_change(&self, other: &Self) -> Option<&'static str> {
        let members = [
            ("form_id", self.form_id == other.form_id),
            ("audience", self.audience == other.audience),
            ("track_fields", self.track_fields == other.track_fields),
            (
                "bus_props_from",
                self.bus_props_from == other.bus_props_from,
            ),
            ("sample", self.sample == other.sample),
            ("starts_at", self.starts_at == other.starts_at),
            ("delay_minutes", self.delay_minutes == other.delay_minutes),
        ];
        let changed = members.into_iter().find(|(_, is_same)| !is_same);
        changed.map(|(name, _)| name)
    }

    /// Whether the campaign of this id asks the recipient of a docid.
    pub fn asks(&self, campaign_id: Uuid, docid: &str) -> bool {
        let sample = self.sample;
        sample.is_none_or(|sample| sample.has(campaign_id, docid))
    }

    /// The business properties of a recipient, by their fields, of which only so many are asked a day: as the form has them, or else as
    /// they are written.
    pub fn quotas<'v>(
        &self,
        form: Option<&FormContent>,
        field: impl Fn(&str) -> Option<&'v str>,
    ) -> Vec<(BusProp, u32)> {
        let per_day = self.per_day.iter();
        let quotas = per_day.filter_map(|(name, most)| {
            let value = field(self.bus_props_from.get(name)?)?;
            let known = form.and_then(|form| form.bus_prop_of(name, value));
            let bus_prop = match known {
                Some(entry) => entry.text.clone(),
                None => BusProp::parse(&format!("{name}:{}", value.trim())).ok()?,
            };
            Some((bus_prop, *most))
        });
        quotas.collect()
    }

    /// Whether it asks only some, which programs before that know nothing of would overlook.
    pub fn asks_only_some(&self) -> bool {
        self.sample.is_some() || !self.per_day.is_empty()
    }
}

impl Logged for CampaignContent {
    /// Of the tracking fields that its audience must have, the names alone: a value may lead to a person.
    fn logged(&self) -> Value {
        let mut content = json!(self);
        if let Audience::Recipients { fields, .. } = &self.audience {
            content["audience"]["fields"] = fields.keys().map(String::as_str).collect();
        }
        content
    }
}

/// Who gets a message. In JSON one object with the members of its kind; the first kind whose members are there is meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Audience {
    /// Whoever comes with an import for the campaign: `true`.
    OnImport { on_import: bool },
    /// The recipients whose stored values came with these batches.
    Batches { batch_ids: Vec<Uuid> },
    /// The recipients that were created in this time, both ends included, and have all of these tracking fields.
    Recipients {
        created_from: Option<DateTime<Utc>>,
        created_to: Option<DateTime<Utc>>,
        fields: IndexMap<String, String>,
    },
}

/// The message to those who have not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reminder {
    pub after_days: u32,
    /// As the campaign's.
    pub text: Template,
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the default of an optional member"
)]
fn default_send_window() -> Option<SendWindow> {
    Some(SendWindow::default())
}
