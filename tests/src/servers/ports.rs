//! Free loopback ports.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Result, bail};

/// Below the kernel's range for outgoing connections (from 32768), so that none of them takes the port of a server
/// that is down for a moment.
const FIRST: u64 = 12_000;
const COUNT: u64 = 20_000;

/// A loopback port nobody listens on, drawn at random so that tests which ask at once get different ones.
///
/// # Errors
/// When none is found.
pub fn free_port() -> Result<u16> {
    for attempt in 0..200_u32 {
        let port = u16::try_from(FIRST + RandomState::new().hash_one(attempt) % COUNT)?;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no free loopback port found")
}
