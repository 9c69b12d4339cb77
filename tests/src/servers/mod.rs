//! Private copies of the servers the service leans on: PostgreSQL, its standby, pgbouncer before it, Citus, RabbitMQ, Redis.
//!
//! Each listens on a free loopback port, keeps its data in a temporary folder and ends with the test that started it.
//! Each can be stopped, killed, frozen, started again on the same port, and emptied; a proxy before PostgreSQL loses
//! connections around a COMMIT, and wires to any of them are cut, slow or silent. The service itself is not here.

mod broker;
mod citus;
mod commit;
mod disk;
mod held;
mod link;
mod pgbouncer;
mod places;
mod ports;
mod postgres;
mod rabbit;
mod redis;
mod set;

pub use broker::Broker;
pub use citus::Citus;
pub(crate) use citus::TEMPLATE;
pub use commit::{CommitProxy, Cut, Trap};
pub use disk::SmallDisk;
pub use link::Link;
pub use pgbouncer::PgBouncer;
pub use places::Account;
pub(crate) use places::postgres_program;
pub use ports::free_port;
pub(crate) use postgres::run;
pub use postgres::{Durability, Postgres, psql, psql_within};
pub use rabbit::Rabbit;
pub use redis::{Redis, flush_redis};
pub use set::{Endpoints, Servers};
