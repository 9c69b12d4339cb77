//! A campaign as its editor has it, and the content that it stands for.

use api_http::{Problem, Result};
use domain::campaign::{Audience, CampaignContent};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::sent::SentPairs;

/// An audience that the page has no words for stays as it is.
const KEEP: &str = "keep";

/// What the page's form has. Lists are texts with commas.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct CampaignDraft {
    /// What is stored, in JSON; what the page has no words for stays as it is.
    pub before: String,
    pub name: String,
    pub form_id: String,
    pub sender: String,
    pub text: String,
    /// Empty: whoever comes with an import for it; [`KEEP`]: what is stored; else a batch.
    pub audience: String,
    pub track_fields: String,
    /// `store=store_code`: a business property and the field that has its value.
    pub bus_props_from: String,
    /// Empty: any time.
    pub window_from: String,
    pub window_to: String,
    pub contact_gap_days: String,
    pub max_parts: String,
    pub reminder_days: String,
    pub reminder_text: String,
}

impl From<SentPairs> for CampaignDraft {
    fn from(SentPairs(pairs): SentPairs) -> Self {
        serde_json::from_value(pairs.into_iter().collect()).unwrap_or_default()
    }
}

impl CampaignDraft {
    pub fn read(content: &CampaignContent) -> Self {
        let pairs = content.bus_props_from.iter();
        let pairs: Vec<_> = pairs
            .map(|(name, field)| format!("{name}={field}"))
            .collect();
        let window = json!(content.send_window);
        let time = |name| window[name].as_str().unwrap_or_default().to_owned();
        let reminder = content.reminder.as_ref();
        let before = json!(content);
        Self {
            before: before.to_string(),
            name: content.name.clone(),
            form_id: content.form_id.to_string(),
            sender: content.sender.clone(),
            text: content.text.as_str().to_owned(),
            audience: match &content.audience {
                Audience::OnImport { .. } => String::new(),
                Audience::Batches { batch_ids } if batch_ids.len() == 1 => batch_ids[0].to_string(),
                _ => KEEP.to_owned(),
            },
            track_fields: content.track_fields.join(", "),
            bus_props_from: pairs.join(", "),
            window_from: time("from"),
            window_to: time("to"),
            contact_gap_days: content.contact_gap_days.to_string(),
            max_parts: content.max_parts.to_string(),
            reminder_days: reminder.map_or_else(String::new, |one| one.after_days.to_string()),
            reminder_text: reminder.map_or_else(String::new, |one| one.text.as_str().to_owned()),
        }
    }

    /// The content, or what is wrong with it.
    ///
    /// # Errors
    /// 422.
    pub fn content(&self) -> Result<CampaignContent> {
        CampaignContent::parse(&self.write()).map_err(Problem::invalid)
    }

    /// What it makes of what is stored, whose other members stay.
    fn write(&self) -> Value {
        let mut campaign: Map<String, Value> =
            serde_json::from_str(&self.before).unwrap_or_default();
        let items = |text: &str| {
            text.split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(ToOwned::to_owned)
                .collect::<Vec<_>>()
        };
        // What is no number is said to be wrong by the operation.
        let number = |text: &str| match text.trim() {
            "" => Value::Null,
            text => text
                .parse::<i64>()
                .map_or_else(|_| json!(text), |number| json!(number)),
        };
        let pairs = items(&self.bus_props_from);
        let pairs = pairs
            .iter()
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let pairs: Map<_, _> = pairs
            .map(|(name, field)| (name.trim().to_owned(), json!(field.trim())))
            .collect();
        let window = (!self.window_from.is_empty())
            .then(|| json!({"from": self.window_from, "to": self.window_to}));
        let reminder = (!self.reminder_text.trim().is_empty()).then(
            || json!({"after_days": number(&self.reminder_days), "text": self.reminder_text}),
        );
        for (name, value) in [
            ("name", json!(self.name)),
            ("form_id", json!(self.form_id)),
            ("sender", json!(self.sender)),
            ("text", json!(self.text)),
            ("track_fields", json!(items(&self.track_fields))),
            ("bus_props_from", Value::Object(pairs)),
            ("send_window", json!(window)),
            ("contact_gap_days", number(&self.contact_gap_days)),
            ("max_parts", number(&self.max_parts)),
            ("reminder", json!(reminder)),
        ] {
            campaign.insert(name.to_owned(), value);
        }
        let audience = match &*self.audience {
            KEEP => None,
            "" => Some(json!({"on_import": true})),
            batch => Some(json!({"batch_ids": [batch]})),
        };
        campaign.extend(audience.map(|audience| ("audience".to_owned(), audience)));
        Value::Object(campaign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_written_as_it_was() {
        let id = "0192f0c1-2345-7abc-8def-0123456789ab";
        let mut campaign = json!({
            "name": "n", "form_id": id, "sender": "demo", "text": "t {link}", "audience": {},
            "track_fields": ["a", "b"], "bus_props_from": {"store": "store_code"},
            "send_window": {"from": "08:00", "to": "20:30"}, "contact_gap_days": 7, "max_parts": 3, "max_messages": 5,
            "reminder": {"after_days": 2, "text": "r {link}"},
        });
        for audience in [
            json!({"on_import": true}),
            json!({"batch_ids": [id, "0192f0c1-2345-7abc-8def-0123456789ac"]}),
            json!({"fields": {"a": "b"}}),
            json!({"batch_ids": [id]}),
        ] {
            campaign["audience"] = audience;
            let content = CampaignContent::parse(&campaign).unwrap();
            assert_eq!(CampaignDraft::read(&content).content().unwrap(), content);
        }
        let sent = [("max_parts", "many"), ("token", "t")];
        let sent = sent.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let draft = CampaignDraft::from(SentPairs(sent.into()));
        let problem = draft.content().unwrap_err();
        let mut wrong = problem.members().iter();
        assert!(wrong.any(|one| one.pointer == "/max_parts"));
    }
}
