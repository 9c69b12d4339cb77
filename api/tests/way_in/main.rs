//! The api over an embedded database, without a worker: what callers see of the way in. The whole service, on every
//! backend and through real sockets, is tested in the crate `tests`.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod audit;
mod changes;
mod checks;
mod document;
mod forms;
mod import;
mod lists;
mod page;
mod reports;
mod send;
mod service;
mod sheets;
