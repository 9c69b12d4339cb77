//! What every route needs, whatever it is about.
//!
//! # Layout
//! - [`AppState`]: what all routes share. [`recent_changes`], [`notify`]: telling this process and the workers what
//!   changed.
//! - [`entry`]: the one layer around all routes, made of [`observe`] (log, metrics), [`drain`] (bodies refused early),
//!   [`error`] (the one mapping to `application/problem+json`) and [`auth`] (401, 429; `keys`: those used lately, `usage`: when). On groups of routes stands
//!   [`scoped`] (403).
//! - [`Caller`]: who asks for an operation, and where each begins: permissions, the account's turn, the audit log. [`deadline`]: when it ends.
//! - [`commit`]: what arrives together shares a commit, account by account. [`work`]: what keeps a core busy takes turns, account by account.
//! - Limits: [`rate`] by key and link, [`address`] by network, `refusals` and `abandoned` by who changes something.
//! - What handlers take: [`extract`] (paths and queries), [`body`], [`memory`] (shared out by account), [`accept`],
//!   [`precondition`] (`If-Match`).
//! - What handlers give: [`list`] (pages), [`lines`] (whole lists; `parts`: how they are read), [`csv_text`], [`spreadsheet`]. [`schema`]: what the document says where types cannot.
//! - `wrapper`: what is done with a body on its way, of a request or of an answer.
//!
//! What most handlers need is at the root too.
//!
//! What is *not* here: anything that only one capability knows, which is in the crates beside this one.

mod abandoned;
pub mod accept;
pub mod address;
pub mod auth;
pub mod body;
mod caller;
pub mod commit;
pub mod csv_text;
pub mod cut;
pub mod deadline;
pub mod drain;
pub mod entry;
pub mod error;
pub mod extract;
mod keys;
pub mod lines;
pub mod list;
pub mod memory;
pub mod notify;
pub mod observe;
mod parts;
pub mod precondition;
pub mod rate;
pub mod recent_changes;
mod refusals;
pub mod schema;
pub mod scoped;
pub mod spreadsheet;
mod state;
mod usage;
pub mod work;
mod wrapper;

pub use self::address::Network;
pub use self::caller::{AuditEntry, Caller, Change, made};
pub use self::deadline::{QUICK, found, within};
pub use self::error::{Code, Problem, Result};
pub use self::extract::{Parameters, PathId, parse_id, parse_uuid};
pub use self::list::{List, Page};
pub use self::state::AppState;
