//! What only servers can show: PostgreSQL, RabbitMQ and Redis that are killed, frozen, emptied and blocked, and several
//! instances beside each other. What runs on both sets of backends is in `tests/tests/suite`.

mod apis;
mod broker;
mod campaign;
mod citus;
mod commit;
mod database;
mod histories;
mod hosts;
mod replicas;
mod reports;
mod sending;
mod tls;
mod workers;
