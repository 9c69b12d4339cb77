//! The black-box suite, on either set of backends. One folder a capability, as in the service; `faults` kills what runs,
//! `steps` steps the worker by hand. What needs servers of its own is in `tests/tests/servers`.
//!
//! A module `servers_only` or `embedded_only` is for that set alone: `tests/run` leaves it out on the other one.
//!
//! One binary, so that the suite is linked once.

mod account;
mod collect;
mod dashboard;
mod fair;
mod faults;
mod form;
mod import;
mod operating;
mod report;
mod send;
mod steps;
