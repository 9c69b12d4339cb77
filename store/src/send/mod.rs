//! Sending: campaigns, the messages they plan, and what becomes of each.
//!
//! - [`campaign`]: campaigns, as their account changes them; [`end`]: how they end. `tally`: the counts of their messages;
//!   [`usage`]: what was handed over, and what it cost.
//! - `progress`: why messages wait; `moving`: where they go once a running campaign was changed.
//! - [`fall_over`]: what the next sender takes while one is away.
//! - `plan`: from recipients (of its `audience`, or of an import) to messages that are `due`; `readmit`: those for whom there was no
//!   place. `lapse`: reminders that an answer makes needless. [`lease`]: who drives a sender.
//! - [`drive`]: one step of a driver: results in, due messages out.
//! - [`receipt`]: what providers report; `link`: what comes through the links of messages.
//! - `provider_id`: the names under which providers know messages; [`provider_receipt`]: receipts by these. [`inbound`]: what comes
//!   to hooks.
//! - [`contact`]: the suppression list. [`reply`]: what texts are answered. [`message`]: messages as their account sees them; [`resend`]:
//!   what a person has sent again; [`failure`]: why they did not arrive.
//! - [`preview`]: what a campaign would do, by the `columns` of recipients. [`state`]: how senders are; [`figures`]: what an account has with them. `pepper`: which secret made the hashes of phones.
//! - [`origin`]: where recipients came from. `past` (feature `demo`): what a demo begins with.
//!
//! A message is sent at most once, because the commit that claims it comes before the first byte to the provider, and a claimed
//! message is not claimed again. The row of `message_due` says how far it is: with fence 0 it waits; with a fence it was handed
//! over under the lease of that number, and its result is not recorded; absent, the result is in `message`.
//!
//! Locks are taken in this order: lease, campaign, the account's setting, due, contacts (by MAC), messages (by id).

mod audience;
pub mod campaign;
mod columns;
pub mod contact;
pub mod drive;
mod due;
pub mod end;
pub mod failure;
pub mod fall_over;
pub mod figures;
pub mod inbound;
mod lapse;
pub mod lease;
mod link;
pub mod message;
mod moving;
pub mod origin;
#[cfg(feature = "demo")]
mod past;
mod pepper;
mod plan;
pub mod preview;
mod progress;
mod provider_id;
pub mod provider_receipt;
mod readmit;
pub mod receipt;
mod reconcile;
pub mod reply;
pub mod resend;
mod restore;
pub mod state;
mod tally;
pub mod usage;

/// The lowest number of a program from which on all of them keep to budgets.
pub(crate) const BUDGETS: i64 = 18;

/// The lowest number of a program from which on all of them know all reasons why messages are skipped.
pub(crate) const REASONS: i64 = 15;
/// The lowest number of a program from which on all of them know campaigns that name several senders, or other ones than at their start.
const SEVERAL_SENDERS: i64 = 19;

pub use self::campaign::{Campaign, CampaignChange, CampaignKey};
pub(crate) use self::link::FirstUses;
pub(crate) use self::message::MessageKey;
#[cfg(feature = "demo")]
pub use self::past::PastMessage;
pub use self::provider_id::key as provider_id_key;
pub(crate) use self::tally::Changes;
