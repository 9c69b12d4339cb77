//! What can be done with feedbacks, shared pages, the audit log and how long all is kept: functions that routes and the dashboard call, each with what it gives.

mod access;
mod audit;
mod feedback;
mod retention;
mod share;

pub use self::access::{AccessOnDay, KeyAccess, PersonAccess, ShareAccess, Span, read_access};
pub(crate) use self::audit::audit_page;
pub use self::audit::{AuditKind, AuditQuery, export_audit};
pub use self::feedback::{
    FeedbackSearch, Feedbacks, erase_feedback, export_feedbacks, list_feedbacks,
};
pub use self::retention::{preview_retention, read_retention, set_retention};
pub use self::share::{ShareItem, create_share, list_shares, withdraw_share};
