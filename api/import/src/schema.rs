//! What the document says of an import's body, and of what is stored of it.

use api_http::members;
use api_http::schema::{
    count, flag, id, list_of, map_of, named, one_of, or_null, response, text, time, told, with,
};
use domain::record::{COLUMNS, MAX_FIELDS, MAX_NAME_BYTES, MAX_VALUE_BYTES, NAME_PATTERN};
use serde_json::{Value, json};
use store::import::BatchStatus;

api_http::schemas! {
    /// The records as the member `data`, or as an array alone
    // One schema for both, without a choice: generators of clients make a type of the object's part, and of a choice none. What
    // is said of members holds for objects, what is said of items for arrays.
    Records = json!({
        "properties": {"data": {"type": "array", "items": named("Record"), "minItems": 1}},
        "required": ["data"],
        "additionalProperties": false,
        "items": named("Record"),
        "minItems": 1,
        "not": {"type": ["string", "number", "boolean", "null"]},
    });
    Record = record();
    /// What is wrong with a record.
    RecordError = members! {
        /// Which record of the body, from 0.
        index: with(count(), "minimum", 0),
        /// The record's docid, if it has a string there.
        docid: or_null(text()),
        /// Where in the body, as a JSON pointer.
        pointer: with(text(), "example", "/1/phone"),
        /// What is wrong, for programs.
        code: with(text(), "example", "phone_invalid"),
        /// What is wrong, for people.
        detail: text(),
    };
    /// An accepted batch. All counts but `errors_dropped` are records; `received = accepted + rejected + merged`, and `accepted` is the sum
    /// of the outcomes, `pending`, `failed` and `cancelled`.
    Batch = members! {
        batch_id: id(),
        /// Of the file, as its caller named it; null without one.
        name: or_null(with(text(), "example", "people.csv")),
        status: with(one_of::<BatchStatus>(), "example", "processing"),
        received: count(),
        accepted: count(),
        rejected: count(),
        /// Records that say the same as an earlier one of the body.
        merged: count(),
        /// Record errors that are not kept.
        errors_dropped: count(),
        outcomes: named("BatchOutcomes"),
        /// Records that wait for a worker.
        pending: count(),
        /// Records in parked chunks.
        failed: count(),
        cancelled: count(),
        /// Recipients that it created and that were erased with it, because somebody asked for that.
        erased: count(),
        /// More of them are being erased.
        erasing: flag(),
        /// The API key or the person who imported it, as the audit log names them; null: it is not known.
        made_by: or_null(with(text(), "example", "ada")),
        /// From where, as the audit log has it; null: it is not known.
        made_from: or_null(with(text(), "example", "192.0.2.1")),
        created_at: time(),
        started_at: or_null(time()),
        completed_at: or_null(time()),
        ;
        /// The campaign that it was imported for; absent without one.
        campaign_id: id(),
    };
    /// What storing came to, in records.
    BatchOutcomes = members! {
        created: count(),
        updated: count(),
        unchanged: count(),
        /// A batch accepted later had already stored that docid, or the person was erased since.
        superseded: count(),
    };
    /// What is stored of a person.
    StoredPerson = members! {
        docid: text(),
        recipient: or_null(named("RecipientBody")),
        /// The import whose values stand.
        batch: or_null(named("Batch")),
        /// What is known of the phone: when it was last sent to, through which senders, and whether it opted out.
        contact: or_null(members! {
            last_sent_at: or_null(time()),
            opted_out_at: or_null(time()),
            source: or_null(text()),
            senders: list_of(text()),
        }),
        /// Newest first, each with its receipts: as they are listed of a recipient.
        messages: list_of(json!({"type": "object"})),
        /// With the docid among their tracking fields, or of the messages.
        links: list_of(members! {
            link_id: id(),
            token: text(),
            form_id: id(),
            campaign_id: or_null(id()),
            track_fields: map_of(text()),
            created_at: time(),
            expires_at: or_null(time()),
            deleted_at: or_null(time()),
            /// When its page was seen: at most 1,000.
            views: list_of(time()),
            /// What came through it: at most 1,000.
            answers: list_of(members! {
                feedback_id: id(),
                submitted_at: time(),
                track_fields: map_of(text()),
                /// By the keys of the form's fields.
                answers: json!({"type": "object"}),
            }),
        }),
    };
    /// A stored recipient.
    RecipientBody = response(recipient(), Vec::new());
}

/// A record as it is sent: every member that fills no column of its own is a tracking field.
fn record() -> Value {
    let required = COLUMNS.iter().filter(|column| column.is_required());
    let required: Vec<_> = required.map(|column| column.name).collect();
    let texts = COLUMNS.iter().filter_map(|column| {
        let text = column.text?;
        let schema = json!({
            "type": "string",
            "description": text.about,
            "maxLength": text.max_bytes,
            "pattern": text.pattern,
            "examples": [text.example],
        });
        let is_required = column.is_required();
        Some((
            column.name,
            if is_required { schema } else { or_null(schema) },
        ))
    });
    json!({
        "type": "object",
        "required": required,
        "properties": texts.collect::<Value>(),
        "propertyNames": {"type": "string", "maxLength": MAX_NAME_BYTES, "pattern": NAME_PATTERN},
        "additionalProperties": {
            "type": ["string", "null"],
            "description": "A tracking field: at most 1,024 bytes, its name at most 64; null is as if left out",
            "maxLength": MAX_VALUE_BYTES,
            "pattern": "^[^\\u0000]*$",
        },
        "maxProperties": MAX_FIELDS + COLUMNS.len() - 1,
    })
}

/// The members of a stored recipient.
pub(crate) fn recipient() -> Vec<(&'static str, Value)> {
    let columns = COLUMNS.iter().map(|column| match column.text {
        Some(stored) => (column.name, with(text(), "example", stored.example)),
        None => (column.name, told(&["Tracking fields."], map_of(text()))),
    });
    let batch_id = told(&["The batch whose values stand."], id());
    let others = [
        ("batch_id", batch_id),
        ("created_at", time()),
        ("updated_at", time()),
    ];
    columns.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use api_http::schema::assert_describes;
    use chrono::DateTime;
    use domain::invalid::Invalid;
    use domain::record::{self, RecordCode};
    use store::import;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_is_stored_has_the_members_that_the_document_says() {
        let (id, at) = (Uuid::nil(), DateTime::UNIX_EPOCH);
        let problem = Invalid {
            pointer: String::new(),
            code: RecordCode::DocidMissing,
            detail: String::new(),
        };
        assert_describes::<RecordError>(&record::RecordError::new("", 0, None, problem));
        let batch = import::Batch {
            batch_id: id,
            name: None,
            status: BatchStatus::Queued,
            received: 0,
            accepted: 0,
            rejected: 0,
            merged: 0,
            errors_dropped: 0,
            outcomes: import::Outcomes::default(),
            pending: 0,
            failed: 0,
            cancelled: 0,
            erased: 0,
            erasing: false,
            campaign_id: Some(id),
            made_by: None,
            made_from: None,
            created_at: at,
            started_at: None,
            completed_at: None,
        };
        assert_describes::<Batch>(&batch);
        assert_describes::<BatchOutcomes>(&batch.outcomes);
        assert_describes::<RecipientBody>(&import::Recipient::default());
    }
}
