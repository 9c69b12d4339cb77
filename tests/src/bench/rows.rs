//! The rows a reference loads: dumped as stored, written in the order in which our import had them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// Writes the lines of `sorted` to `ordered`: first line `order[0]` (from 0), then line `order[1]`, and so on.
///
/// # Errors
/// When there are more or fewer lines than numbers, or a file cannot be read or written.
pub fn reorder(sorted: &Path, order: &[u32], ordered: &Path) -> Result<()> {
    let text = std::fs::read_to_string(sorted)?;
    let lines: Vec<&str> = text.lines().collect();
    ensure!(
        lines.len() == order.len(),
        "{} rows stored of {}",
        lines.len(),
        order.len()
    );
    let mut file = BufWriter::new(File::create(ordered)?);
    for number in order {
        let line = lines.get(usize::try_from(*number)?);
        file.write_all(line.context("a number without a row")?.as_bytes())?;
        file.write_all(b"\n")?;
    }
    file.flush()?;
    Ok(())
}

/// Writes everything the machine still holds in memory, so that nobody pays for what another wrote.
///
/// # Errors
/// When `sync` is not there.
pub async fn flush_disks() -> Result<()> {
    let status = Command::new("sync").status().await.context("sync")?;
    ensure!(status.success(), "sync: {status}");
    Ok(())
}

/// Runs a program with `input` to its end: all it printed, and how long it took.
///
/// # Errors
/// When it is not installed, or fails; what it says is in the message.
pub async fn run(mut program: Command, input: &str) -> Result<(String, Duration)> {
    let name = program.as_std().get_program().display().to_string();
    let start = Instant::now();
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("{name} is not installed, or cannot be started"))?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    stdin.write_all(input.as_bytes()).await?;
    drop(stdin);
    let output = child.wait_with_output().await?;
    let took = start.elapsed();
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success() && errors.is_empty(),
        "{name} ended with {}: {errors}",
        output.status
    );
    Ok((
        String::from_utf8(output.stdout)?.trim_end().to_owned(),
        took,
    ))
}
