//! What reports say, against figures counted by hand; how they are cached, listed, streamed and refused;
//! and that `feedback verify` finds whatever does not agree.
//!
//! A report is about days long gone, and HTTP takes answers of today only: views and answers of other days are recorded
//! through the service's own `store`, beside the running service. Everything is read as any client reads it.

mod alike;
mod bad_input;
mod caching;
mod changes;
mod days;
mod drift;
mod figures;
mod lists;
mod overview;
mod racing;
mod stage;
mod streams;
mod terminal;
mod week;
