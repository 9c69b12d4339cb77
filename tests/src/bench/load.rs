//! Many requests at once, from programs that take little of the machine: `wrk` over HTTP, `pgbench` at the database.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use uuid::Uuid;

use crate::servers::{postgres_program, run};

/// How many ask at once.
pub const CONNECTIONS: u32 = 64;

/// What came of a load.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// How many answers there were.
    pub answers: u64,
    /// Answers a second.
    pub rate: f64,
    /// Milliseconds in which half of them came.
    pub p50: f64,
    /// Milliseconds in which 99 of 100 came.
    pub p99: f64,
}

/// Asks for `url` over `connections` until `time` is over. A `script` (Lua) says what is sent; without one it is GET.
///
/// # Errors
/// When `wrk` is not installed, or an answer was no 2xx or 3xx.
pub async fn wrk(
    url: &str,
    connections: u32,
    time: Duration,
    script: Option<&Path>,
) -> Result<Load> {
    let mut wrk = Command::new("wrk");
    wrk.args(["--latency", "--timeout", "10s", "-t", "2"])
        .args(["-c", &connections.to_string()])
        .args(["-d", &format!("{}s", time.as_secs())]);
    if let Some(script) = script {
        wrk.arg("-s").arg(script);
    }
    wrk.arg(url);
    let printed = run(wrk)
        .await
        .context("the command wrk is needed: `apt-get install wrk`")?;
    read(&printed).with_context(|| format!("wrk said: {printed}"))
}

/// A script that sends these headers with every GET; each connection rests for `pause` between an answer and its next
/// request.
///
/// # Errors
/// When it cannot be written.
pub fn getter(
    folder: &Path,
    headers: &[(&str, String)],
    pause: Option<Duration>,
) -> Result<PathBuf> {
    let mut script = String::new();
    for (name, value) in headers {
        // Writing to a string cannot fail.
        let _ = writeln!(script, "wrk.headers[\"{name}\"] = \"{value}\"");
    }
    if let Some(pause) = pause {
        let _ = writeln!(script, "function delay() return {} end", pause.as_millis());
    }
    let file = folder.join(format!("{}.lua", Uuid::new_v4().simple()));
    std::fs::write(&file, script)?;
    Ok(file)
}

fn read(printed: &str) -> Result<Load> {
    for bad in ["Non-2xx", "Socket errors"] {
        ensure!(
            !printed.contains(bad),
            "not every request was answered well"
        );
    }
    let after = |mark: &str| {
        printed
            .lines()
            .find_map(|line| line.trim().strip_prefix(mark))
            .map(str::trim)
            .with_context(|| format!("no {mark}"))
    };
    let answers = printed
        .lines()
        .find_map(|line| line.trim().split_once(" requests in "));
    Ok(Load {
        answers: answers.context("no requests")?.0.parse()?,
        rate: after("Requests/sec:")?.parse()?,
        p50: milliseconds(after("50%")?)?,
        p99: milliseconds(after("99%")?)?,
    })
}

/// `635.91us`, `12.99ms`, `1.02s` or `1.50m`.
fn milliseconds(text: &str) -> Result<f64> {
    for (unit, factor) in [("us", 0.001), ("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0)] {
        if let Some(number) = text.strip_suffix(unit) {
            return Ok(number.parse::<f64>()? * factor);
        }
    }
    anyhow::bail!("no time: {text}")
}

/// Transactions a second of the custom script `file` in the database at `url`.
///
/// # Errors
/// When it does not run to its end.
pub async fn pgbench(url: &str, file: &Path, time: Duration) -> Result<f64> {
    let mut pgbench = Command::new(postgres_program("pgbench")?);
    pgbench
        .args(["-n", "-M", "prepared", "-j", "2"])
        .args(["-c", &CONNECTIONS.to_string()])
        .args(["-T", &time.as_secs().to_string()])
        .arg("-f")
        .arg(file)
        .arg(url);
    let printed = run(pgbench).await?;
    printed
        .lines()
        .find_map(|line| line.strip_prefix("tps = "))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|rate| rate.parse().ok())
        .with_context(|| format!("pgbench said: {printed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wrk_prints_is_read() {
        let printed = "Running 2s test @ http://127.0.0.1:1/\n  2 threads and 64 connections\n\
            \x20 Latency Distribution\n     50%  635.91us\n     75%    1.00ms\n     99%   12.99ms\n\
            \x20 22464 requests in 2.00s, 3.00MB read\nRequests/sec:  11208.12\nTransfer/sec: 1MB\n";
        let load = read(printed).unwrap();
        assert_eq!(load.answers, 22_464);
        assert!((load.rate - 11_208.12).abs() < 1e-9);
        assert!((load.p50 - 0.635_91).abs() < 1e-9 && (load.p99 - 12.99).abs() < 1e-9);
        assert!(read(&format!("{printed}  Non-2xx or 3xx responses: 1\n")).is_err());
        assert!((milliseconds("1.50s").unwrap() - 1_500.0).abs() < 1e-9);
        assert!(milliseconds("fast").is_err());
    }
}
