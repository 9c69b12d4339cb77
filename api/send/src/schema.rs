//! What the document says of campaigns and their messages. `domain` reads what is sent as it is, because it notes everything that
//! is wrong with it; so the schema of a request is built from `domain`'s limits and not from types.

use std::ops::RangeInclusive;

use api_http::members;
use api_http::schema::{
    closed, count, flag, id, line, list_of, map_of, named, object, one_of, or_null, pattern,
    read_only, response, text, time, with,
};
use domain::campaign::{
    CONTACT_GAP_DAYS, CampaignStatus, Counts, DELAY_MINUTES, LINK_EXPIRES_AFTER_DAYS, MAX_BATCHES,
    MAX_BUS_PROPS_FROM, MAX_COPIED_FIELDS, MAX_MESSAGES, MAX_NAME_CHARS, MAX_PARTS,
    MAX_SENDER_CHARS, MAX_SENDERS, MessageKind, PER_DAY, READ_ONLY, REMINDER_AFTER_DAYS,
    ReceiptStatus, SEND_WITHIN_HOURS, WaitReason,
};
use domain::sms::{
    MAX_REPLY_CHARS, MAX_STOP_WORD_CHARS, MAX_STOP_WORDS, MAX_TEMPLATE_CHARS, MIN_GAP_DAYS,
    SendWindow as Window,
};
use serde_json::{Map, Value, json};

api_http::schemas! {
    CampaignRequest = campaign_request();
    SendSettingRequest = setting_request();
    /// How an account sends to phones, and takes texts that come from them. The default has no words, no replies, no gap and
    /// no budget.
    SendSetting = members! {
        /// What opts out besides the usual words: the whole text, of which letters and digits count, in any case.
        stop_words: with(list_of(text()), "default", json!([])),
        /// What whoever opts out is told, once a day.
        stop_reply: with(or_null(text()), "default", Value::Null),
        /// What whoever asks for help is told, once a day.
        help_reply: with(or_null(text()), "default", Value::Null),
        /// The least time between first messages of any campaigns to a phone; of this and a campaign's `contact_gap_days` the larger
        /// counts.
        min_gap_days: with(number(), "default", json!(0)),
        /// What all messages of a month may cost, by days of the account; null: no limit.
        month_budget: with(or_null(named("Cost")), "default", Value::Null),
    };
    /// A stored campaign.
    StoredCampaign = json!({"allOf": [named("CampaignContent"), members! {
        campaign_id: id(),
        status: with(one_of::<CampaignStatus>(), "example", "RUNNING"),
        created_at: time(),
        started_at: or_null(time()),
        finished_at: or_null(time()),
    }]});
    /// What a campaign sends to whom. Its JSON, which clients see, is what is stored; it is not checked again when it is read.
    CampaignContent = members! {
        name: text(),
        form_id: id(),
        sender: sender_choice(),
        /// With `{link}` once, and `{name}` or `{name|text}` of tracking fields.
        text: with(text(), "example", "How was it, {first_name|dear guest}? {link}"),
        audience: named("Audience"),
        /// The names of the recipient's tracking fields that the link gets; `docid`, which it always gets, is none of them.
        track_fields: list_of(text()),
        /// By the name of a business property the tracking field that has its value.
        bus_props_from: map_of(text()),
        link_expires_after_days: number(),
        send_window: or_null(with(named("SendWindow"), "description", "`null` is any time.")),
        send_within_hours: number(),
        contact_gap_days: number(),
        max_parts: number(),
        max_messages: or_null(natural()),
        /// The share of recipients that is asked, from 0 to 1; null: all.
        sample: with(or_null(json!({"type": "number"})), "example", 0.2),
        /// By the name of a business property how many first messages go out on a day, of the account, for each of its values.
        per_day: with(map_of(number()), "example", json!({"store": 20})),
        /// What it may cost, tests too; null: no limit.
        budget: or_null(named("Cost")),
        starts_at: or_null(time()),
        delay_minutes: number(),
        reminder: or_null(named("CampaignReminder")),
    };
    /// Who gets a message: the members of one kind.
    // One object with the members of all kinds: a union is more than many generators of clients can do.
    Audience = members! {
        ;
        /// `true`: whoever comes with an import for the campaign.
        on_import: flag(),
        /// The recipients whose stored values came with these batches.
        batch_ids: list_of(id()),
        created_from: or_null(time()),
        created_to: or_null(time()),
        /// The recipients that have all of these tracking fields.
        fields: map_of(text()),
    };
    /// The hours in which messages are sent, by the recipient's clock
    SendWindow = send_window();
    /// The message to those who have not answered.
    CampaignReminder = members! {
        after_days: number(),
        /// As the campaign's.
        text: with(text(), "example", "We would still like to know: {link}"),
    };
    /// The counts of a campaign's messages by kind. Tests are not counted.
    CampaignCounts = members! { first: named("MessageCounts"), reminder: named("MessageCounts"), };
    MessageCounts = message_counts();
    /// An amount of money: what parts cost by the prices that the operator gave the sender.
    Cost = members! { amount: with(json!({"type": "number"}), "example", 48.5), currency: with(text(), "example", "EUR"), };
    /// Messages that were handed over in a month through a sender to a country, without those that were certainly not sent.
    Usage = members! {
        month: with(pattern("^[0-9]{4}-(0[1-9]|1[0-2])$"), "example", "2026-11"),
        sender: with(text(), "example", "main"),
        /// By the phones' numbers; their calling code (`+1`) where that is not known.
        country: with(text(), "example", "DE"),
        parts: natural(),
        messages: natural(),
        /// By the prices of the moment at which each was handed over; null of a sender that had no price.
        cost: or_null(named("Cost")),
    };
    /// Messages that wait for the same reason.
    Waiting = members! {
        reason: one_of::<WaitReason>(),
        messages: natural(),
        /// When the first of them is due; null where no moment is known.
        until: or_null(time()),
        /// Of `sender_paused`, the sender that takes nothing.
        sender: or_null(text()),
    };
    /// Messages by a business property that the form does not have; at most 100.
    UnknownBusProps = with(map_of(natural()), "example", json!({"store:S9": 8}));
    /// What a campaign would do now.
    CampaignPreview = members! {
        /// The sum of `eligible` and all that is skipped.
        recipients: natural(),
        eligible: natural(),
        /// By reason.
        skipped: map_of(natural()),
        /// Messages by how many parts they have.
        parts: with(map_of(natural()), "example", json!({"1": 950, "2": 50})),
        encodings: named("Encodings"),
        /// Messages by the country of their phone, or by its calling code (`+1`) where that is not known.
        countries: with(map_of(natural()), "example", json!({"DE": 1000})),
        /// What all parts cost; null of a sender without a price.
        cost: or_null(named("Cost")),
        /// Business properties that the links would lack, because the form does not have them.
        bus_props_unknown: named("UnknownBusProps"),
        /// Tracking fields of the texts without which recipients get no message, or that nobody has under this name.
        fields_missing: list_of(named("MissingField")),
        samples: list_of(named("SampleMessage")),
        /// The audience is larger than what was judged.
        partial: flag(),
    };
    /// A tracking field of a text that recipients lack.
    MissingField = members! {
        name: with(text(), "example", "store_name"),
        recipients: natural(),
        /// A tracking field that recipients have, and whose name is nearly the same.
        similar: or_null(text()),
    };
    /// Messages by how they are encoded.
    Encodings = members! { gsm7: natural(), ucs2: natural(), };
    /// A message as it would be; its link is not one yet.
    SampleMessage = members! {
        docid: text(),
        text: text(),
        parts: json!({"type": "integer", "minimum": 0}),
        encoding: with(text(), "example", "gsm7"),
    };
    /// A message as its account sees it.
    Message = members! {
        message_id: id(),
        campaign_id: id(),
        /// `null` of a person who was erased, and of a test of nobody.
        docid: or_null(text()),
        kind: one_of::<MessageKind>(),
        status: with(text(), "example", "delivered"),
        skipped_reason: with(or_null(text()), "example", "opted_out"),
        /// 0 until it is taken to be sent.
        parts: count(),
        encoding: or_null(pattern("^(gsm7|ucs2)$")),
        sender: text(),
        /// The provider's: one a part, or one for all.
        provider_ids: list_of(text()),
        /// The provider's own, of the result or receipt that made the status.
        provider_code: or_null(text()),
        scheduled_at: time(),
        accepted_at: or_null(time()),
        delivered_at: or_null(time()),
        viewed_at: or_null(time()),
        answered_at: or_null(time()),
    };
    /// Why messages of a campaign did not arrive, most messages first.
    CampaignFailures = members! {
        items: list_of(named("Failure")),
        /// More messages did not arrive than were looked at.
        partial: flag(),
        /// The campaign's messages are kept no longer, and with them why they did not arrive.
        sealed: flag(),
    };
    /// Messages that did not arrive for the same reason.
    Failure = members! {
        status: pattern("^(undelivered|expired|failed|unknown)$"),
        /// The provider's own; null where it gave none.
        code: or_null(with(text(), "example", "30003")),
        /// Of the phone that the recipient has now; null where none is known, such as of a person who was erased.
        country: or_null(with(text(), "example", "DE")),
        messages: natural(),
    };
    /// What a provider reported of a message.
    Receipt = members! {
        /// The part, from 0; null of all.
        part: or_null(natural()),
        status: one_of::<ReceiptStatus>(),
        /// The provider's own.
        code: or_null(text()),
        received_at: time(),
    };
    /// A phone that gets no messages of the account.
    Suppressed = members! {
        /// But for three digits masked; null where no stored recipient has it. Of phones that were never sent to the first 20,000
        /// recipients are looked at.
        phone: with(or_null(text()), "example", "+*********567"),
        /// How it came onto the list.
        source: with(pattern("^(inbound|provider|page|api)$"), "example", "inbound"),
        since: time(),
    };
}

/// A campaign to be made, or to replace another. `null` is as if left out, but for `send_window`.
fn campaign_request() -> Value {
    let texts = || json!({"type": "string", "minLength": 1});
    let mut properties = json!({
        "name": line(MAX_NAME_CHARS),
        "form_id": {"type": "string", "format": "uuid"},
        "sender": sender_choice(),
        "text": template_request("How was it, {first_name|dear guest}? {link}"),
        "audience": audience_request(),
        "track_fields": {"type": ["array", "null"], "items": texts(), "maxItems": MAX_COPIED_FIELDS, "uniqueItems": true},
        "bus_props_from": {"type": ["object", "null"], "additionalProperties": texts(), "maxProperties": MAX_BUS_PROPS_FROM},
        "link_expires_after_days": number_request(LINK_EXPIRES_AFTER_DAYS, 30),
        "send_window": send_window_request(),
        "send_within_hours": number_request(SEND_WITHIN_HOURS, 72),
        "contact_gap_days": number_request(CONTACT_GAP_DAYS, 0),
        "max_parts": number_request(MAX_PARTS, 3),
        "max_messages": {"type": ["integer", "null"], "minimum": MAX_MESSAGES.start()},
        "sample": {"type": ["number", "null"], "minimum": 0, "maximum": 1, "examples": [0.2], "description": "The share of recipients that is asked: always the same of a campaign"},
        "per_day": per_day_request(),
        "budget": money_request("What it may cost, in the currency of its sender's price"),
        "starts_at": time_request(),
        "delay_minutes": number_request(DELAY_MINUTES, 0),
        "reminder": reminder_request(),
        "add_bus_props": {"type": ["boolean", "null"], "description": "`true` adds to the form what would be `bus_props_unknown`; it is not stored"},
    });
    for name in READ_ONLY {
        properties[name] = read_only();
    }
    let campaign =
        "A campaign that was read can be put back as it is: what only the answer has is ignored";
    let required = ["name", "form_id", "sender", "text", "audience"];
    with(object(&required, &properties), "description", campaign)
}

/// As it is sent and as it is answered.
fn sender_choice() -> Value {
    let name = json!({"type": "string", "pattern": format!("^[a-z0-9-]{{1,{MAX_SENDER_CHARS}}}$")});
    let names = json!({"type": "array", "items": name, "minItems": 1, "maxItems": MAX_SENDERS, "uniqueItems": true});
    let of_country = json!({"oneOf": [name, names]});
    let about = "A sender's name; or several: once one has been in error for a minute, the next takes what it certainly did not take; \
                 or either by the ISO code of the phone's country, `*` for all others";
    json!({
        "description": about,
        "oneOf": [
            name,
            names,
            {"type": "object", "additionalProperties": of_country, "minProperties": 1},
        ],
        "examples": ["demo", ["main", "second"], {"DE": "main", "*": ["second", "main"]}],
    })
}

fn template_request(example: &str) -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_TEMPLATE_CHARS,
        "pattern": "\\{link\\}",
        "examples": [example],
        "description": "With `{link}` once, between white space or ends, and `{name}` or `{name|text}` of tracking fields",
    })
}

fn audience_request() -> Value {
    let on_import = json!({"on_import": {"type": "boolean", "enum": [true]}});
    let id = json!({"type": "string", "format": "uuid"});
    let batches = json!({
        "batch_ids": {"type": "array", "items": id, "minItems": 1, "maxItems": MAX_BATCHES, "uniqueItems": true},
    });
    let recipients = json!({
        "created_from": time_request(),
        "created_to": time_request(),
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

fn send_window_request() -> Value {
    let mut window = send_window();
    window["type"] = json!(["object", "null"]);
    let about =
        "In the recipient's time zone; `null` is any time, left out 09:00 to 20:00 each day";
    with(window, "description", about)
}

fn reminder_request() -> Value {
    let (lowest, highest) = REMINDER_AFTER_DAYS.into_inner();
    let properties = json!({
        "after_days": {"type": "integer", "minimum": lowest, "maximum": highest},
        "text": template_request("We would still like to know: {link}"),
    });
    let mut reminder = object(&["after_days", "text"], &properties);
    reminder["type"] = json!(["object", "null"]);
    reminder
}

fn number_request(range: RangeInclusive<u32>, default: u32) -> Value {
    let (lowest, highest) = range.into_inner();
    json!({"type": ["integer", "null"], "minimum": lowest, "maximum": highest, "default": default})
}

fn per_day_request() -> Value {
    let (lowest, highest) = PER_DAY.into_inner();
    let about = "How many first messages go out on a day of the account for each value of a business property, which is one of `bus_props_from`";
    json!({
        "type": ["object", "null"],
        "additionalProperties": {"type": "integer", "minimum": lowest, "maximum": highest},
        "examples": [{"store": 20}],
        "description": about,
    })
}

fn money_request(about: &str) -> Value {
    let properties = json!({
        "amount": {"type": "number", "minimum": 0, "maximum": 9_000_000_000_u64, "examples": [500]},
        "currency": {"type": "string", "pattern": "^[A-Z]{3}$", "examples": ["EUR"]},
    });
    let mut money = object(&["amount", "currency"], &properties);
    money["type"] = json!(["object", "null"]);
    with(money, "description", about)
}

fn time_request() -> Value {
    json!({"type": ["string", "null"], "format": "date-time", "pattern": "Z$"})
}

fn setting_request() -> Value {
    let (word, mut reply) = (line(MAX_STOP_WORD_CHARS), line(MAX_REPLY_CHARS));
    reply["type"] = json!(["string", "null"]);
    let properties = json!({
        "stop_words": {"type": ["array", "null"], "items": word, "maxItems": MAX_STOP_WORDS},
        "stop_reply": reply,
        "help_reply": reply,
        "min_gap_days": number_request(MIN_GAP_DAYS, 0),
        "month_budget": money_request("What all messages of a month may cost, in the currency of the senders' prices"),
    });
    object(&[], &properties)
}

/// As it is sent and as it is answered.
fn send_window() -> Value {
    let default = json!(Window::default());
    let day = json!({"type": "string", "enum": default["days"]});
    let [mut from, mut to, mut days] = [
        pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$"),
        pattern("^((0[1-9]|1[0-9]|2[0-3]):[0-5][0-9]|00:(0[1-9]|[1-5][0-9])|24:00)$"),
        json!({"type": "array", "items": day, "minItems": 1, "maxItems": 7, "uniqueItems": true}),
    ];
    for (member, name) in [(&mut from, "from"), (&mut to, "to"), (&mut days, "days")] {
        member["default"] = default[name].clone();
    }
    closed(members! {
        ;
        from: from,
        /// After `from`.
        to: to,
        days: days,
    })
}

fn message_counts() -> Value {
    let counts = json!(Counts::default());
    let names = counts.as_object().into_iter().flat_map(Map::keys);
    let counts = names.map(|name| (name.as_str(), count())).collect();
    let mut counts = response(counts, vec![]);
    counts["properties"]["skipped"] = json!({
        "type": "object",
        "description": "Never to be sent, by reason.",
        "additionalProperties": count(),
        "examples": [{"opted_out": 2, "contact_gap": 1}],
    });
    let about = "A campaign's messages of one kind: `recipients` is the sum of all statuses, `parts` are those of messages that were \
                 handed over, `viewed` and `answered` the messages whose link was.";
    with(counts, "description", about)
}

fn number() -> Value {
    json!({"type": "integer", "format": "int32", "minimum": 0})
}

fn natural() -> Value {
    with(count(), "minimum", 0)
}

#[cfg(test)]
mod tests {
    use api_http::schema::assert_describes;
    use chrono::DateTime;
    use domain::campaign;
    use domain::price::Money;
    use domain::sms::{self, Encoding};
    use store::send::{contact, failure, usage};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn campaigns_have_the_members_that_the_document_says() {
        let content = campaign::CampaignContent::parse(&json!({
            "name": "Autumn",
            "form_id": Uuid::nil(),
            "sender": "demo",
            "text": "How was it? {link}",
            "audience": {"on_import": true},
            "reminder": {"after_days": 3, "text": "How was it? {link}"},
        }));
        let content = content.unwrap();
        assert_describes::<CampaignContent>(&content);
        assert_describes::<SendWindow>(&content.send_window);
        assert_describes::<CampaignReminder>(&content.reminder);
        let counts = campaign::CampaignCounts::default();
        assert_describes::<CampaignCounts>(&counts);
        assert_describes::<MessageCounts>(&counts.first);
        let preview = campaign::Preview::default();
        assert_describes::<CampaignPreview>(&preview);
        assert_describes::<Encodings>(&preview.encodings);
        let cost: Money = "0.05EUR".parse().unwrap();
        assert_describes::<Cost>(&cost);
        assert_describes::<Usage>(&usage::Usage {
            month: String::new(),
            sender: String::new(),
            country: String::new(),
            parts: 1,
            messages: 1,
            cost: Some(cost),
        });
        assert_describes::<Waiting>(&campaign::Waiting {
            reason: WaitReason::Delay,
            messages: 1,
            until: None,
            sender: None,
        });
        assert_describes::<MissingField>(&campaign::MissingField {
            name: String::new(),
            recipients: 1,
            similar: None,
        });
        assert_describes::<SampleMessage>(&campaign::Sample {
            docid: String::new(),
            text: String::new(),
            parts: 1,
            encoding: Encoding::Gsm7,
        });
        assert_describes::<SendSetting>(&sms::SendSetting::default());
    }

    #[test]
    fn messages_have_the_members_that_the_document_says() {
        let (id, at) = (Uuid::nil(), DateTime::UNIX_EPOCH);
        assert_describes::<Message>(&campaign::Message {
            message_id: id,
            campaign_id: id,
            docid: None,
            kind: MessageKind::First,
            status: campaign::MessageStatus::Scheduled,
            skipped_reason: None,
            parts: 0,
            encoding: None,
            sender: String::new(),
            provider_ids: vec![],
            provider_code: None,
            scheduled_at: at,
            accepted_at: None,
            delivered_at: None,
            viewed_at: None,
            answered_at: None,
        });
        assert_describes::<Receipt>(&campaign::Receipt {
            part: None,
            status: ReceiptStatus::Delivered,
            code: None,
            received_at: at,
        });
        let failure = failure::Failure {
            status: campaign::MessageStatus::Failed,
            code: None,
            country: None,
            messages: 1,
        };
        assert_describes::<Failure>(&failure);
        assert_describes::<CampaignFailures>(&failure::Failures::default());
        assert_describes::<Suppressed>(&contact::Suppressed {
            phone_mac: vec![],
            phone: None,
            docid: None,
            source: String::new(),
            since: at,
        });
    }
}
