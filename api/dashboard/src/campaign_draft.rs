//! A campaign as its editor has it, read from JSON and written to it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::sent::Pairs;
use crate::service;

/// An audience that the page has no words for stays as it is.
const KEEP: &str = "keep";

/// What the page's form has. Lists are texts with commas.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct CampaignDraft {
    /// What is stored; what the page has no words for stays as it is.
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

impl From<Pairs> for CampaignDraft {
    fn from(Pairs(pairs): Pairs) -> Self {
        serde_json::from_value(pairs.into_iter().collect()).unwrap_or_default()
    }
}

impl CampaignDraft {
    pub fn read(campaign: &Value) -> Self {
        let text = |value: &Value| {
            if value.is_null() {
                String::new()
            } else {
                service::text(value)
            }
        };
        let pairs = campaign["bus_props_from"].as_object().into_iter().flatten();
        let pairs: Vec<_> = pairs
            .map(|(name, field)| format!("{name}={}", text(field)))
            .collect();
        Self {
            before: campaign.to_string(),
            name: text(&campaign["name"]),
            form_id: text(&campaign["form_id"]),
            sender: text(&campaign["sender"]),
            text: text(&campaign["text"]),
            audience: match campaign["audience"]["batch_ids"]
                .as_array()
                .map(Vec::as_slice)
            {
                Some([batch]) => text(batch),
                None if campaign["audience"]["on_import"] == json!(true) => String::new(),
                _ => KEEP.to_owned(),
            },
            track_fields: text(&campaign["track_fields"]),
            bus_props_from: pairs.join(", "),
            window_from: text(&campaign["send_window"]["from"]),
            window_to: text(&campaign["send_window"]["to"]),
            contact_gap_days: text(&campaign["contact_gap_days"]),
            max_parts: text(&campaign["max_parts"]),
            reminder_days: text(&campaign["reminder"]["after_days"]),
            reminder_text: text(&campaign["reminder"]["text"]),
        }
    }

    /// What it makes of what is stored, whose other members stay.
    pub fn write(&self) -> Value {
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
        let campaign = json!({
            "name": "n", "form_id": "f", "sender": "demo", "text": "t {link}", "audience": {"on_import": true},
            "track_fields": ["a", "b"], "bus_props_from": {"store": "store_code"},
            "send_window": {"from": "09:00", "to": "20:00"}, "contact_gap_days": 7, "max_parts": 3, "max_messages": 5,
            "reminder": {"after_days": 2, "text": "r {link}"},
        });
        assert_eq!(CampaignDraft::read(&campaign).write(), campaign);
        for audience in [
            json!({"batch_ids": ["a", "b"]}),
            json!({"fields": {"a": "b"}}),
            json!({"batch_ids": ["a"]}),
        ] {
            let mut other = campaign.clone();
            other["audience"] = audience;
            assert_eq!(CampaignDraft::read(&other).write(), other);
        }
        let sent = [("max_parts", "many"), ("token", "t")];
        let sent = sent.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(
            CampaignDraft::from(Pairs(sent.into())).write()["max_parts"],
            "many"
        );
    }
}
