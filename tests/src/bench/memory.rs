//! What a process has resident, and had at most.

use anyhow::{Context, Result};

use crate::process::Process;

/// Resident memory in MiB, now.
///
/// # Errors
/// When the process is gone.
pub fn resident(process: &Process) -> Result<f64> {
    status(process, "VmRSS:")
}

/// The most it had resident in MiB, since its start or the last [`forget_peak`].
///
/// # Errors
/// When the process is gone.
pub fn peak(process: &Process) -> Result<f64> {
    status(process, "VmHWM:")
}

/// Lets the peak begin anew from what is resident now. Where the kernel does not allow it the peak of the start stays,
/// which can only make a later one look larger.
///
/// # Errors
/// When the process has no id.
pub fn forget_peak(process: &Process) -> Result<()> {
    if let Err(error) = std::fs::write(format!("/proc/{}/clear_refs", process.pid()?), "5") {
        eprintln!("the peak of {} stays: {error}", process.name());
    }
    Ok(())
}

fn status(process: &Process, line: &str) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.pid()?))?;
    let value = status.lines().find_map(|text| text.strip_prefix(line));
    let kibibytes = value.and_then(|value| value.trim().strip_suffix(" kB"));
    let kibibytes: u32 = kibibytes
        .with_context(|| format!("no {line} of {}", process.name()))?
        .parse()?;
    Ok(f64::from(kibibytes) / 1024.0)
}
