//! The rules of feedback, pure: no I/O beyond a `Read` handed in, no async, no clock, no server.
//!
//! What comes from outside becomes one of these types at the border and is not distrusted again:
//!
//! - [`phone`], [`docid`], [`scope`], [`date_range`], [`month`]: single values,
//! - [`record`]: one import record, and everything that can be wrong with it,
//! - [`body`]: a whole import body (JSON, CSV or NDJSON), read record by record in bounded memory,
//! - [`dedupe`]: which docids a body has already shown,
//! - [`chunk`]: how accepted records lie in the ledger until a worker stores them,
//! - [`message`]: what the queue carries,
//! - [`form`]: forms, from a request's body to what is stored, and what an edit may change,
//! - [`link`]: what a link carries: its token, business properties and tracking fields,
//! - [`answer`]: what a person answered, judged by the form,
//! - [`rollup`]: counts of views and answers, how they add up and how they lie in the store,
//! - [`metrics`]: the figures of a report, made from these counts,
//! - [`invalid`]: what is wrong with a body, and the codes that forms and answers share.
//!
//! Queries live in `store`, HTTP shapes and status codes in `api`.

pub mod answer;
pub mod body;
pub mod chunk;
pub mod date_range;
pub mod dedupe;
pub mod docid;
pub mod form;
pub mod invalid;
pub mod link;
pub mod message;
pub mod metrics;
pub mod month;
pub mod phone;
pub mod record;
pub mod rollup;
pub mod scope;
mod varint;
