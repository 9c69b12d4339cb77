//! Every server and every concern of the process that is not the database, written once for all processes.
//!
//! # Layout
//! - [`start`]: what all commands have in common, and signals; [`config`]: the settings, read once; [`telemetry`]: logs, metrics
//!   and traces.
//! - [`backends`]: the only place that chooses a backend; [`migrate`]: whose schema is migrated, and what is kept of it before;
//!   [`copy`]: from the embedded database to a server; [`backup`]: from it to a file, and back;
//!   [`queue`]: notifications, in process or RabbitMQ;
//!   [`cache`]: Redis.
//! - [`doctor`]: what looks wrong with any of these; `away`: why a database does not answer; `authorities`: whom TLS trusts.
//! - [`oidc`]: the OpenID Connect provider through which people sign in.
//! - [`turns`]: whose turn it is where accounts share something; [`places`]: places that they share.
//! - [`client`]: HTTP as a client; [`http`]: the accept loop; [`request_id`]: the id of a request; [`health`]: checks and their outcome; [`one_line`]: an error as one line; [`ops`]: health
//!   and metrics pages.
//!
//! What is *not* here: SQL (in `store`), rules (in `domain`), the service's own routes (in `api`), jobs (in `worker`).

mod authorities;
mod away;
pub mod backends;
pub mod backup;
pub mod cache;
pub mod client;
pub mod config;
pub mod copy;
pub mod doctor;
pub mod health;
pub mod http;
pub mod migrate;
pub mod oidc;
mod one_line;
pub mod ops;
pub mod places;
pub mod queue;
pub mod request_id;
pub mod start;
pub mod telemetry;
pub mod turns;

pub use one_line::one_line;
