//! From the body that makes or replaces a campaign to its content, or to the list of its problems.

use chrono::{DateTime, Utc};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::content::{Audience, CampaignContent, Reminder};
use super::limits::{
    Bounds, CONTACT_GAP_DAYS, DELAY_MINUTES, LINK_EXPIRES_AFTER_DAYS, MAX_BATCHES,
    MAX_BUS_PROPS_FROM, MAX_COPIED_FIELDS, MAX_MESSAGES, MAX_NAME_CHARS, MAX_PARTS,
    REMINDER_AFTER_DAYS, SEND_WITHIN_HOURS,
};
use super::value::{
    bus_prop_name, entry_text, field_name, field_value, sender_name, template, time, uuid,
};
use crate::invalid::{Fault, Invalid, Problems, code};
use crate::members::Members;
use crate::record::MAX_FIELDS;
use crate::sms::SendWindow;

/// Members that only a response has. A campaign that was read can be put back with them.
pub const READ_ONLY: [&str; 6] = [
    "campaign_id",
    "status",
    "created_at",
    "started_at",
    "finished_at",
    "counts",
];

const CONTENT: [&str; 16] = [
    "name",
    "form_id",
    "sender",
    "text",
    "audience",
    "track_fields",
    "bus_props_from",
    "link_expires_after_days",
    "send_window",
    "send_within_hours",
    "contact_gap_days",
    "max_parts",
    "max_messages",
    "starts_at",
    "delay_minutes",
    "reminder",
];

const KINDS_OF_AUDIENCE: &str = "audience is {\"on_import\": true}, {\"batch_ids\": […]}, or at least one of \
    created_from, created_to and fields; {\"fields\": {}} is everybody";

impl CampaignContent {
    /// Reads the members of a campaign. `name`, `form_id`, `sender`, `text` and `audience` must be there.
    ///
    /// # Errors
    /// Everything that is wrong, up to [`MAX_PROBLEMS`](crate::invalid::MAX_PROBLEMS).
    pub fn parse(body: &Value) -> Result<Self, Vec<Invalid>> {
        let problems = Problems::default();
        let campaign = Members::of(body, String::new(), &problems);
        let content = campaign.and_then(|campaign| read_campaign(&campaign));
        let problems = problems.into_vec();
        content.filter(|_| problems.is_empty()).ok_or(problems)
    }
}

fn read_campaign(campaign: &Members) -> Option<CampaignContent> {
    campaign.only(&[&CONTENT[..], &READ_ONLY[..]].concat());
    let name = campaign.line("name", MAX_NAME_CHARS);
    let form_id = campaign.parsed("form_id", uuid);
    let sender = campaign.parsed("sender", sender_name);
    let text = campaign.parsed("text", template);
    let audience = read_audience(campaign);
    let track_fields = read_track_fields(campaign);
    let bus_props_from = read_bus_props_from(campaign);
    let number =
        |name, bounds: Bounds, default| campaign.number(name, bounds.range()).unwrap_or(default);
    let link_expires_after_days = number("link_expires_after_days", LINK_EXPIRES_AFTER_DAYS, 30);
    let send_window = read_send_window(campaign);
    let send_within_hours = number("send_within_hours", SEND_WITHIN_HOURS, 72);
    let contact_gap_days = number("contact_gap_days", CONTACT_GAP_DAYS, 0);
    let max_parts = number("max_parts", MAX_PARTS, 3);
    let max_messages = campaign.number("max_messages", MAX_MESSAGES.range());
    let starts_at = read_time(campaign, "starts_at");
    let delay_minutes = number("delay_minutes", DELAY_MINUTES, 0);
    let reminder = read_reminder(campaign);
    Some(CampaignContent {
        name: name?,
        form_id: form_id?,
        sender: sender?,
        text: text?,
        audience: audience?,
        track_fields,
        bus_props_from,
        link_expires_after_days,
        send_window,
        send_within_hours,
        contact_gap_days,
        max_parts,
        max_messages,
        starts_at,
        delay_minutes,
        reminder,
    })
}

fn read_audience(campaign: &Members) -> Option<Audience> {
    if campaign.get("audience").is_none() {
        campaign.note("audience", code::MISSING, KINDS_OF_AUDIENCE);
    }
    let audience = campaign.member("audience")?;
    audience.only(&[
        "on_import",
        "batch_ids",
        "created_from",
        "created_to",
        "fields",
    ]);
    let of_recipients = ["created_from", "created_to", "fields"];
    // What is neither true nor false is noted, and not taken for another kind.
    let is_odd = |value: &Value| !value.is_boolean();
    let kinds = [
        audience.flag("on_import") || audience.get("on_import").is_some_and(is_odd),
        audience.get("batch_ids").is_some(),
        of_recipients
            .iter()
            .any(|name| audience.get(name).is_some()),
    ];
    match kinds {
        [true, false, false] => Some(Audience::OnImport { on_import: true }),
        [false, true, false] => Some(Audience::Batches {
            batch_ids: read_batches(&audience)?,
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
fn read_batches(audience: &Members) -> Option<Vec<Uuid>> {
    let mut batches = Vec::new();
    let mut entries = audience.list("batch_ids", MAX_BATCHES)?.peekable();
    if entries.peek().is_none() {
        audience.note("batch_ids", code::MISSING, "batch_ids is empty");
    }
    for (pointer, entry) in entries {
        match entry_text(entry).and_then(uuid) {
            Ok(batch) if batches.contains(&batch) => {
                let detail = "the batch comes before in the list";
                audience.problems.push(pointer, code::DUPLICATE, detail);
            }
            Ok(batch) => batches.push(batch),
            Err(fault) => note_entry(audience, pointer, "batch_id", &fault),
        }
    }
    Some(batches)
}

fn read_recipients(audience: &Members) -> Audience {
    let created_from = read_time(audience, "created_from");
    let created_to = read_time(audience, "created_to");
    if let (Some(from), Some(to)) = (created_from, created_to)
        && from > to
    {
        let detail = "created_to is before created_from";
        audience.note("created_to", code::OUT_OF_RANGE, detail);
    }
    let fields = read_texts(audience, "fields", MAX_FIELDS, field_name, field_value);
    Audience::Recipients {
        created_from,
        created_to,
        fields,
    }
}

fn read_track_fields(campaign: &Members) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let entries = campaign.list("track_fields", MAX_COPIED_FIELDS);
    for (pointer, entry) in entries.into_iter().flatten() {
        match entry_text(entry).and_then(|name| field_name(name).map(|()| name)) {
            Ok(name) if names.iter().any(|known| known == name) => {
                let detail = "the name comes before in the list";
                campaign.problems.push(pointer, code::DUPLICATE, detail);
            }
            Ok(name) => names.push(name.to_owned()),
            Err(fault) => note_entry(campaign, pointer, "the name", &fault),
        }
    }
    names
}

fn read_bus_props_from(campaign: &Members) -> IndexMap<String, String> {
    let name = "bus_props_from";
    read_texts(
        campaign,
        name,
        MAX_BUS_PROPS_FROM,
        bus_prop_name,
        field_name,
    )
}

/// An object of strings; left out, it is empty. An entry that is null is refused: without it, a message could go to more
/// people than are meant.
fn read_texts(
    object: &Members,
    name: &str,
    max: usize,
    check_name: fn(&str) -> Result<(), Fault>,
    check_value: fn(&str) -> Result<(), Fault>,
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
        if let Err(fault) = check_name(name) {
            entries.note(name, fault.code, format!("the name {fault}"));
        } else if let Some(text) = entries.text(name) {
            match check_value(text) {
                Ok(()) => drop(texts.insert(name.to_owned(), text.to_owned())),
                Err(fault) => entries.note(name, fault.code, format!("{name} {fault}")),
            }
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

fn read_reminder(campaign: &Members) -> Option<Reminder> {
    let reminder = campaign.member("reminder")?;
    reminder.only(&["after_days", "text"]);
    if reminder.get("after_days").is_none() {
        let detail = "after_days is absent or null";
        reminder.note("after_days", code::MISSING, detail);
    }
    let after_days = reminder.number("after_days", REMINDER_AFTER_DAYS.range());
    let text = reminder.parsed("text", template);
    Some(Reminder {
        after_days: after_days?,
        text: text?,
    })
}

/// A time that may be left out.
fn read_time(object: &Members, name: &str) -> Option<DateTime<Utc>> {
    object.get(name)?;
    object.parsed(name, time)
}

fn note_entry(list: &Members, pointer: String, what: &str, fault: &Fault) {
    let detail = format!("{what} {fault}");
    list.problems.push(pointer, fault.code, detail);
}
