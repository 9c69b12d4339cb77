//! From the body that makes or replaces a campaign to its content, or to the list of its problems.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::content::{Audience, CampaignContent, Reminder};
use super::sample::SampleShare;
use super::sender_choice::SenderChoice;
use super::value::{bus_prop_name, field_name, once, time, uuid};
use super::{
    CONTACT_GAP_DAYS, DELAY_MINUTES, LINK_EXPIRES_AFTER_DAYS, MAX_BATCHES, MAX_BUS_PROPS_FROM,
    MAX_COPIED_FIELDS, MAX_MESSAGES, MAX_NAME_CHARS, MAX_PARTS, PER_DAY, REMINDER_AFTER_DAYS,
    SEND_WITHIN_HOURS,
};
use crate::invalid::{Fault, Invalid, code};
use crate::link::track_field::read_value;
use crate::members::{Members, read_body};
use crate::price::Money;
use crate::record::MAX_FIELDS;
use crate::sms::{SendWindow, Template};

/// Members that only a response has. A campaign that was read can be put back with them.
pub const READ_ONLY: [&str; 9] = [
    "campaign_id",
    "status",
    "created_at",
    "started_at",
    "finished_at",
    "counts",
    "cost",
    "waiting",
    "bus_props_unknown",
];

const KINDS_OF_AUDIENCE: &str = "audience is {\"on_import\": true}, {\"batch_ids\": […]}, or at least one of \
    created_from, created_to and fields; {\"fields\": {}} is everybody";

impl CampaignContent {
    /// Reads the members of a campaign. `name`, `form_id`, `sender`, `text` and `audience` must be there.
    ///
    /// # Errors
    /// Everything that is wrong, up to [`MAX_PROBLEMS`](crate::invalid::MAX_PROBLEMS).
    pub fn parse(body: &Value) -> Result<Self, Vec<Invalid>> {
        read_body(body, &READ_ONLY, read_campaign)
    }
}

fn read_campaign(campaign: &Members) -> Option<CampaignContent> {
    let name = campaign.line("name", MAX_NAME_CHARS);
    let form_id = campaign.parsed("form_id", uuid);
    let sender = SenderChoice::read(campaign);
    let text = campaign.parsed("text", Template::parse);
    let audience = read_audience(campaign);
    let number = |name, range, default| campaign.number(name, range).unwrap_or(default);
    let track_field = once(|name| field_name(name).map(str::to_owned));
    Some(CampaignContent {
        track_fields: campaign.strings("track_fields", MAX_COPIED_FIELDS, "the name", track_field),
        bus_props_from: read_texts(
            campaign,
            "bus_props_from",
            MAX_BUS_PROPS_FROM,
            bus_prop_name,
            field_name,
        ),
        link_expires_after_days: number("link_expires_after_days", LINK_EXPIRES_AFTER_DAYS, 30),
        send_window: read_send_window(campaign),
        send_within_hours: number("send_within_hours", SEND_WITHIN_HOURS, 72),
        contact_gap_days: number("contact_gap_days", CONTACT_GAP_DAYS, 0),
        max_parts: number("max_parts", MAX_PARTS, 3),
        max_messages: campaign.number("max_messages", MAX_MESSAGES),
        sample: read_sample(campaign),
        per_day: read_per_day(campaign),
        budget: Money::read(campaign, "budget"),
        starts_at: campaign.optional("starts_at", time),
        delay_minutes: number("delay_minutes", DELAY_MINUTES, 0),
        reminder: read_reminder(campaign),
        name: name?,
        form_id: form_id?,
        sender: sender?,
        text: text?,
        audience: audience?,
    })
}

fn read_audience(campaign: &Members) -> Option<Audience> {
    if campaign.get("audience").is_none() {
        campaign.note("audience", code::MISSING, KINDS_OF_AUDIENCE);
    }
    let audience = campaign.member("audience")?;
    let of_recipients = ["created_from", "created_to", "fields"].map(|name| audience.get(name));
    // A value that is no boolean is a problem of this kind, not a sign of another.
    let is_odd = |value: &Value| !value.is_boolean();
    let kinds = [
        audience.flag("on_import") || audience.get("on_import").is_some_and(is_odd),
        audience.get("batch_ids").is_some(),
        of_recipients.iter().any(Option::is_some),
    ];
    audience.no_others(&[]);
    match kinds {
        [true, false, false] => Some(Audience::OnImport { on_import: true }),
        [false, true, false] => Some(Audience::Batches {
            batch_ids: read_batches(&audience),
        }),
        [false, false, true] => Some(read_recipients(&audience)),
        kinds => {
            let code = if kinds.contains(&true) {
                code::MALFORMED
            } else {
                code::MISSING
            };
            campaign.note("audience", code, KINDS_OF_AUDIENCE);
            None
        }
    }
}

/// At least one batch, each once.
fn read_batches(audience: &Members) -> Vec<Uuid> {
    let batches = audience.strings("batch_ids", MAX_BATCHES, "batch_id", once(uuid));
    if audience.get("batch_ids") == Some(&json!([])) {
        audience.note("batch_ids", code::MISSING, "batch_ids is empty");
    }
    batches
}

fn read_recipients(audience: &Members) -> Audience {
    let created_from = audience.optional("created_from", time);
    let created_to = audience.optional("created_to", time);
    if let (Some(from), Some(to)) = (created_from, created_to)
        && from > to
    {
        let detail = "created_to is before created_from";
        audience.note("created_to", code::OUT_OF_RANGE, detail);
    }
    let fields = read_texts(audience, "fields", MAX_FIELDS, field_name, read_value);
    Audience::Recipients {
        created_from,
        created_to,
        fields,
    }
}

/// An object of strings; left out, it is empty. An entry that is null is refused: without it, a message could go to more
/// people than are meant.
fn read_texts(
    object: &Members,
    name: &str,
    max: usize,
    read_name: fn(&str) -> Result<&str, Fault>,
    read_value: fn(&str) -> Result<&str, Fault>,
) -> IndexMap<String, String> {
    let mut texts = IndexMap::new();
    let Some(entries) = object.member(name) else {
        return texts;
    };
    let count = entries.names().count();
    if count > max {
        let detail = format!("{count} members; at most {max} are taken");
        object.note(name, code::TOO_MANY, detail);
        return texts;
    }
    for name in entries.names() {
        if let Err(fault) = read_name(name) {
            entries.note(name, fault.code, format!("the name {fault}"));
        } else if let Some(text) = entries.parsed(name, read_value) {
            texts.insert(name.to_owned(), text.to_owned());
        }
    }
    texts
}

fn read_send_window(campaign: &Members) -> Option<SendWindow> {
    match campaign.get_or_null("send_window") {
        None => Some(SendWindow::default()),
        Some(Value::Null) => None,
        Some(window) => {
            let noted = |error: String| {
                let detail = format!("send_window: {error}");
                campaign.note("send_window", code::MALFORMED, detail);
            };
            // A list would be read as the members in their order.
            if !window.is_object() {
                noted("not an object".to_owned());
                return None;
            }
            let read = SendWindow::deserialize(window);
            read.map_err(|error| noted(error.to_string())).ok()
        }
    }
}

fn read_sample(campaign: &Members) -> Option<SampleShare> {
    let sample = campaign.get("sample")?;
    let Some(share) = sample.as_f64() else {
        campaign.note("sample", code::WRONG_TYPE, "sample is not a number");
        return None;
    };
    let share = SampleShare::try_from(share);
    let noted = |error| campaign.note("sample", code::OUT_OF_RANGE, format!("sample {error}"));
    share.map_err(noted).ok()
}

/// By the name of a business property that recipients have.
fn read_per_day(campaign: &Members) -> IndexMap<String, u32> {
    let mut per_day = IndexMap::new();
    let Some(entries) = campaign.member("per_day") else {
        return per_day;
    };
    let from = campaign.get("bus_props_from");
    for name in entries.names() {
        if from.is_none_or(|from| from.get(name).is_none()) {
            let detail = format!("{name} is none of bus_props_from");
            entries.get(name);
            entries.note(name, code::UNKNOWN_KEY, detail);
        } else if entries.require(name).is_some() {
            let most = entries.number(name, PER_DAY);
            per_day.extend(most.map(|most| (name.to_owned(), most)));
        }
    }
    per_day
}

fn read_reminder(campaign: &Members) -> Option<Reminder> {
    let reminder = campaign.member("reminder")?;
    reminder.require("after_days");
    let after_days = reminder.number("after_days", REMINDER_AFTER_DAYS);
    let text = reminder.parsed("text", Template::parse);
    reminder.no_others(&[]);
    Some(Reminder {
        after_days: after_days?,
        text: text?,
    })
}
