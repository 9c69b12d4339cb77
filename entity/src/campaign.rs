//! A campaign: who gets which message.

entity! { "campaign";
    key {
        account_id: Uuid,
        campaign_id: Uuid,
    }
    /// As `domain::campaign::CampaignStatus` writes it.
    status: String,
    /// Of messages that have none of their own: what stood first in the content when it was started.
    sender: String,
    /// Between spaces all senders that its messages may have; `None`: `sender` is the only one.
    senders: Option<String>,
    /// Also in the content.
    form_id: Uuid,
    /// A `domain::campaign::CampaignContent`, as JSON.
    content: String,
    /// 1 at first, one more with every change of any kind.
    revision: i64,
    /// Its imports plan it.
    on_import: bool,
    /// It takes no more imports and ends once nothing is left to do.
    finishing: bool,
    /// Nothing of its audience is left to plan.
    planned: bool,
    /// The last docid of its audience that was planned.
    planned_to: String,
    /// The last of what waits that has its place by the newest content; `None`: all have.
    moved_to: Option<String>,
    created_at: DateTimeUtc,
    updated_at: DateTimeUtc,
    started_at: Option<DateTimeUtc>,
    finished_at: Option<DateTimeUtc>,
}
