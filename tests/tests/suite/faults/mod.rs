//! Processes are killed at any moment. Nothing accepted is lost, doubled or half done.

mod api;
mod reports;
mod worker;
