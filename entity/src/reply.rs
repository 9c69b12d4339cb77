//! What a text from a phone is answered: one reply of a kind to a phone and day.

entity! { "reply";
    key {
        account_id: Uuid,
        /// The HMAC of the phone, 32 bytes.
        phone_mac: Vec<u8>,
        /// As `domain::sms::Keyword` writes it.
        kind: String,
        /// Of `made_at`, in the account's time zone.
        day: Date,
    }
    /// Null, as are phone and text, once it was handed over or the person was erased.
    sender: Option<String>,
    phone: Option<String>,
    text: Option<String>,
    made_at: DateTimeUtc,
}
