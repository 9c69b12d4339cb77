//! The rules of feedback, pure: no I/O beyond a `Read` that is passed in, no async, no clock, no server.
//!
//! Input becomes one of these types where it enters and is not checked again:
//!
//! - [`phone`], [`national`], [`docid`], [`scope`], [`date_range`], [`period`], [`month`], [`networks`]: single values,
//! - [`record`]: one import record, and everything that can be wrong with it,
//! - [`body`]: a whole import body (JSON, CSV or NDJSON), read record by record in bounded memory,
//! - [`dedupe`]: which docids a body has had,
//! - [`chunk`]: the encoding of accepted records until a worker stores them,
//! - [`message`]: what the queue carries,
//! - [`form`]: forms, from a request's body to what is stored, the types of fields, and what an edit may change,
//! - [`branding`]: what makes the pages behind an account's links its own,
//! - [`link`]: the token, business properties and tracking fields of a link,
//! - [`answer`]: answers, checked by the form,
//! - [`campaign`]: campaigns, the statuses of their messages, how these are judged and counted,
//! - [`changes`]: what a change made of a form, a campaign or settings,
//! - [`rollup`]: counts of views and answers, how they are merged and encoded,
//! - [`metrics`]: the figures of a report, computed from these counts,
//! - [`price`]: what messages cost,
//! - [`retention`]: how long an account keeps what,
//! - [`sms`]: what a message to a phone is, and when it may be sent,
//! - [`pepper`]: what is derived from the operator's secret,
//! - [`key`]: what an API key is made with,
//! - [`person`]: people who sign in to the dashboard, [`oidc`]: what an OpenID Connect provider says of them,
//! - [`invalid`]: what is wrong with a body, and the codes that forms and answers share.
//!
//! Queries are in `store`, HTTP and status codes in `api`.

pub mod answer;
pub mod body;
pub mod branding;
pub mod campaign;
pub mod changes;
pub mod chunk;
pub mod date_range;
pub mod dedupe;
pub mod docid;
pub mod form;
pub mod invalid;
pub mod key;
pub mod link;
pub mod members;
pub mod message;
pub mod metrics;
pub mod month;
pub mod national;
pub mod networks;
pub mod oidc;
pub mod pepper;
pub mod period;
pub mod person;
pub mod phone;
pub mod price;
pub mod record;
pub mod retention;
pub mod rollup;
pub mod scope;
pub mod sms;
mod svg;
pub mod text;
mod varint;
