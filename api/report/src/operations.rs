//! What can be done with feedbacks and with shared pages: functions that routes and the dashboard call, each with what it gives.

mod feedback;
mod share;

pub use self::feedback::{
    FeedbackSearch, Feedbacks, erase_feedback, export_feedbacks, list_feedbacks,
};
pub use self::share::{ShareItem, create_share, list_shares, withdraw_share};
