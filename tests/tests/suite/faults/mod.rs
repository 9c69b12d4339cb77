//! Processes are killed at any moment, and disks are full. Nothing accepted is lost, doubled or half done.

mod api;
mod disk;
mod reports;
mod worker;
