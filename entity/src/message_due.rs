//! A message that is still to be sent, or that was handed over without a known result. A row's absence proves that the
//! message's result is recorded.

entity! { "message_due";
    key {
        account_id: Uuid,
        campaign_id: Uuid,
        /// When its window opens, or when it is tried again.
        due_at: DateTimeUtc,
        message_id: Uuid,
    }
    sender: String,
    /// By which list of the campaign's senders it has its sender: an ISO code, or `*`. Empty: it stays with it. `-`: no other serves
    /// its phone. Null: the campaign's is the only one.
    sender_list: Option<String>,
    /// 0 while it waits; else that of the lease under which it was claimed.
    fence: i64,
    /// How often a provider certainly did not take it.
    failures: i64,
    /// Of a test, where it goes. Null: to the phone of the recipient.
    phone: Option<String>,
    /// Of a message that is claimed, where its provider echoes numbers: that of its first part, and a hash of its phone.
    echo: Option<String>,
    /// Of a reminder that waits, the link in it; older ones have none.
    link_id: Option<Uuid>,
    /// Of a message that is claimed: as what it is counted in [`send_usage`](super::send_usage), as JSON.
    charge: Option<String>,
}
