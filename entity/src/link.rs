//! An answer writes to a link only if it has `max_responses`, so that a busy link is no busy row. A campaign's link has the
//! id of its message. What comes through the link of a test message is not stored.

entity! { "link";
    key {
        account_id: Uuid,
        link_id: Uuid,
    }
    /// What the address of its page ends with.
    token: String,
    form_id: Uuid,
    /// As `domain::link::BusPropIds` writes them: `3_17`.
    bus_prop_ids: String,
    /// A `domain::link::TrackFields`, as JSON. Of an erased person what made a business property.
    track_fields: String,
    expires_at: Option<DateTimeUtc>,
    /// Null: any number.
    max_responses: Option<i64>,
    /// Stored answers, erased ones too. Counted only where `max_responses` is set.
    used: i64,
    created_at: DateTimeUtc,
    /// Null: it is not deleted.
    deleted_at: Option<DateTimeUtc>,
    /// Null: it is no message's.
    campaign_id: Option<Uuid>,
    is_test: bool,
    /// What its owner calls it.
    name: Option<String>,
    /// Many people answer from one address.
    kiosk: bool,
    /// The HMAC of the phone that its message went to, 32 bytes: once that is kept no longer, until the recipient is erased.
    phone_mac: Option<Vec<u8>>,
    /// The key or the person who made it, as `audit.name` has them. Null: a campaign did, or a program before schema 29.
    made_by: Option<String>,
    /// From where, as `audit.address` has it.
    made_from: Option<String>,
}
