//! What every bench stands on. The benches themselves are in `tests/benches/`, one folder each.
//!
//! A bench measures a thing of ours and, beside it in the same run, a reference: machines differ and are noisy, so only
//! their ratio is judged.
//!
//! - [`frame`]: what all of them do around their parts. [`report`]: rows, the table, the JSON; [`spread`]: median, least and most of some rounds.
//! - [`settings`]: what the environment says of a run; [`binaries`]: the service's release binaries, fresh.
//! - [`million`]: bodies of many records, in sequence or in random order; [`timed`]: posting them by the clock. [`year`]: an account with a year of feedbacks.
//! - [`copy`]: the reference load of PostgreSQL; [`sqlite`]: that of SQLite; [`rows`]: what both load.
//! - [`lag`]: from an answer's 201 into a report. [`memory`]: what a process has resident; [`cpu`]: how long processors were at work; [`hot`]: a link that many answer; [`load`]: many requests at once, by `wrk`, and `pgbench` beside it.

pub mod binaries;
pub mod copy;
pub mod cpu;
pub mod frame;
pub mod hot;
pub mod lag;
pub mod load;
pub mod memory;
pub mod million;
pub mod report;
pub mod rows;
pub mod settings;
pub mod spread;
pub mod sqlite;
pub mod timed;
pub mod year;
