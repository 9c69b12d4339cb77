//! What holds for every operation, the service's documents, processes and command line.

mod backup;
mod command_line;
mod conventions;
mod copy;
mod doctor;
mod help;
mod metrics;
mod migrate;
mod naughty;
mod openapi;
mod service;
mod sockets;
mod tls;
mod traces;
mod uploads;
