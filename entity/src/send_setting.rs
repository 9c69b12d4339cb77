//! How an account takes texts that come from phones. One without a row takes them by default.

entity! { "send_setting";
    key {
        account_id: Uuid,
    }
    /// A `domain::sms::SendSetting`, as JSON.
    content: String,
}
