//! What the black-box suite stands on: servers to lean on, the service under test, a client for it.
//!
//! - [`servers`]: private copies of PostgreSQL, RabbitMQ and Redis, which may be killed, frozen and emptied.
//! - [`app`]: one running service under test, embedded or on servers, of one or many processes.
//! - [`client`]: HTTP as an API client speaks it; [`raw`]: as only a broken one does.
//! - [`browser`]: a real browser, and what goes on in it.
//! - [`faults`]: a thousand faults of every kind beside load, and whether anything that was accepted suffered.
//! - [`fixture`]: a database of the first release that has migrations before it.
//! - [`form`]: forms and their links; [`visitor`]: whoever opens a link and answers.
//! - [`report`]: reports and lists of feedbacks; [`oracle`]: what they must say, counted anew.
//! - [`hostile`]: what an account sends that would hold up others; [`upload`]: bodies that arrive slowly.
//! - [`person`]: people who sign in to the dashboard.
//! - [`campaign`]: campaigns and their messages; [`webhook`]: what a receiver of messages signs.
//! - [`import`]: records, bodies, batches; [`check`]: what must hold for every batch; [`verdict`]: one record's.
//! - [`process`]: one child process that never outlives the test; [`tools`]: programs `tests/run` fetched.
//! - [`authority`] makes certificates.
//! - [`wait`]: the only place that waits.
//! - [`bench`]: what the benches in `tests/benches/` need besides.
//!
//! What is asserted lives in `tests/tests/`: `suite` runs on both sets of backends, `servers` needs servers. Nothing here
//! uses the service's own code: the suite knows its documents, its HTTP and its binaries, and nothing else.

pub mod app;
pub mod authority;
pub mod bench;
pub mod browser;
pub mod campaign;
pub mod check;
pub mod client;
pub mod faults;
pub mod fixture;
pub mod form;
pub mod hostile;
pub mod import;
pub mod oracle;
pub mod peer;
pub mod person;
pub mod process;
pub mod raw;
pub mod report;
pub mod servers;
pub mod tools;
pub mod upload;
pub mod verdict;
pub mod visitor;
pub mod wait;
pub mod webhook;
