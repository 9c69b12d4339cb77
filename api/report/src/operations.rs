//! What can be done with feedbacks, shared pages and the audit log: functions that routes and the dashboard call, each with what it gives.

mod audit;
mod feedback;
mod share;

pub(crate) use self::audit::audit_page;
pub use self::audit::{AuditKind, AuditQuery, export_audit};
pub use self::feedback::{
    FeedbackSearch, Feedbacks, erase_feedback, export_feedbacks, list_feedbacks,
};
pub use self::share::{ShareItem, create_share, list_shares, withdraw_share};
