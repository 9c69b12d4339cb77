//! Free loopback ports.

use std::collections::hash_map::RandomState;
use std::fs::{File, TryLockError};
use std::hash::BuildHasher;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};

/// Below the kernel's range for outgoing connections (from 32768), so that none of them takes the port of a server
/// that is down for a moment.
const FIRST: u64 = 12_000;
const COUNT: u64 = 20_000;

/// What this process has drawn: locked files, since its servers do not listen yet, or not for a moment, while other tests
/// draw theirs. The system unlocks them when the process ends, however it does.
static DRAWN: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// A loopback port nobody listens on, this process's own until it ends.
///
/// # Errors
/// When none is found.
pub fn free_port() -> Result<u16> {
    let folder = std::env::temp_dir().join("feedback-ports");
    std::fs::create_dir_all(&folder)?;
    for attempt in 0..200_u32 {
        let port = u16::try_from(FIRST + RandomState::new().hash_one(attempt) % COUNT)?;
        let file = File::create(folder.join(port.to_string()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => continue,
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
            drawn.push(file);
            return Ok(port);
        }
    }
    bail!("no free loopback port found")
}
