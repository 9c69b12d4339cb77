//! What the document says of a campaign that is sent. `domain` reads the body as it is, because it notes everything that is
//! wrong with it; so the schema is built from `domain`'s limits and not from types.

use std::ops::RangeInclusive;

use api_http::schema::{line, object, read_only, written};
use domain::campaign::{
    CONTACT_GAP_DAYS, DELAY_MINUTES, LINK_EXPIRES_AFTER_DAYS, MAX_BATCHES, MAX_BUS_PROPS_FROM,
    MAX_COPIED_FIELDS, MAX_MESSAGES, MAX_NAME_CHARS, MAX_PARTS, MAX_SENDER_CHARS, READ_ONLY,
    REMINDER_AFTER_DAYS, SEND_WITHIN_HOURS,
};
use domain::sms::{MAX_TEMPLATE_CHARS, SendWindow};
use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A campaign to be made, or to replace another. `null` is as if left out, but for `send_window`.
pub struct CampaignRequest;

impl ToSchema for CampaignRequest {}

impl PartialSchema for CampaignRequest {
    fn schema() -> RefOr<Schema> {
        let texts = || json!({"type": "string", "minLength": 1});
        let mut properties = json!({
            "name": line(MAX_NAME_CHARS),
            "form_id": {"type": "string", "format": "uuid"},
            "sender": {"type": "string", "pattern": format!("^[a-z0-9-]{{1,{MAX_SENDER_CHARS}}}$"), "examples": ["demo"]},
            "text": template("How was it, {first_name|dear guest}? {link}"),
            "audience": audience(),
            "track_fields": {"type": ["array", "null"], "items": texts(), "maxItems": MAX_COPIED_FIELDS, "uniqueItems": true},
            "bus_props_from": {"type": ["object", "null"], "additionalProperties": texts(), "maxProperties": MAX_BUS_PROPS_FROM},
            "link_expires_after_days": number(LINK_EXPIRES_AFTER_DAYS, 30),
            "send_window": send_window(),
            "send_within_hours": number(SEND_WITHIN_HOURS, 72),
            "contact_gap_days": number(CONTACT_GAP_DAYS, 0),
            "max_parts": number(MAX_PARTS, 3),
            "max_messages": {"type": ["integer", "null"], "minimum": MAX_MESSAGES.start()},
            "starts_at": time(),
            "delay_minutes": number(DELAY_MINUTES, 0),
            "reminder": reminder(),
        });
        for name in READ_ONLY {
            properties[name] = read_only();
        }
        let required = ["name", "form_id", "sender", "text", "audience"];
        let mut campaign = object(&required, &properties);
        campaign["description"] = json!(
            "A campaign that was read can be put back as it is: what only the answer has is ignored"
        );
        written(&campaign)
    }
}

fn template(example: &str) -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_TEMPLATE_CHARS,
        "pattern": "\\{link\\}",
        "examples": [example],
        "description": "With `{link}` once, between white space or ends, and `{name}` or `{name|text}` of tracking fields",
    })
}

fn audience() -> Value {
    let on_import = json!({"on_import": {"type": "boolean", "enum": [true]}});
    let id = json!({"type": "string", "format": "uuid"});
    let batches = json!({
        "batch_ids": {"type": "array", "items": id, "minItems": 1, "maxItems": MAX_BATCHES, "uniqueItems": true},
    });
    let recipients = json!({
        "created_from": time(),
        "created_to": time(),
        "fields": {"type": ["object", "null"], "additionalProperties": {"type": "string"}},
    });
    let mut recipients = object(&[], &recipients);
    recipients["minProperties"] = json!(1);
    json!({
        "description": "Whoever comes with an import for the campaign; or the recipients of these batches; or those who were \
                        created in this time and have all of these tracking fields",
        "oneOf": [
            object(&["on_import"], &on_import),
            object(&["batch_ids"], &batches),
            recipients,
        ],
    })
}

fn send_window() -> Value {
    let mut window = json!(SendWindow::schema());
    window["type"] = json!(["object", "null"]);
    window["description"] =
        json!("In the recipient's time zone; `null` is any time, left out 09:00 to 20:00 each day");
    window
}

fn reminder() -> Value {
    let (lowest, highest) = REMINDER_AFTER_DAYS.into_inner();
    let properties = json!({
        "after_days": {"type": "integer", "minimum": lowest, "maximum": highest},
        "text": template("We would still like to know: {link}"),
    });
    let mut reminder = object(&["after_days", "text"], &properties);
    reminder["type"] = json!(["object", "null"]);
    reminder
}

fn number(range: RangeInclusive<u32>, default: u32) -> Value {
    let (lowest, highest) = range.into_inner();
    json!({"type": ["integer", "null"], "minimum": lowest, "maximum": highest, "default": default})
}

fn time() -> Value {
    json!({"type": ["string", "null"], "format": "date-time", "pattern": "Z$"})
}
