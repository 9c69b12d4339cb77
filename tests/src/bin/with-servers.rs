//! `with-servers [--fast] [--citus] [--] COMMAND …`: runs a command with PostgreSQL, RabbitMQ and Redis at hand.
//!
//! Whatever of `DATABASE_URL`, `AMQP_URL` (with `AMQP_MANAGEMENT_URL`) and `REDIS_URL` the environment does not name is
//! started, on free loopback ports with data in a temporary folder, and exported to the command. When the command ends,
//! the servers end; its exit code is ours. `--fast` makes PostgreSQL skip fsync: for tests, not for measuring. `--citus` starts a
//! coordinator and two more nodes of Citus, which must be installed in PostgreSQL, and has the `feedback` beside it make their tables.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tests::servers::{Durability, Servers};
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(status) => {
            let signalled = status.signal().map(|number| 128 + number);
            let code = status.code().or(signalled).unwrap_or(1);
            ExitCode::from(u8::try_from(code).unwrap_or(1))
        }
        Err(error) => {
            eprintln!("with-servers: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<ExitStatus> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut takes = |flag: &str| {
        let is_first = arguments.first().is_some_and(|first| first == flag);
        if is_first {
            arguments.remove(0);
        }
        is_first
    };
    let (fast, on_citus) = (takes("--fast"), takes("--citus"));
    if arguments.first().is_some_and(|first| first == "--") {
        arguments.remove(0);
    }
    let Some((program, arguments)) = arguments.split_first() else {
        bail!("usage: with-servers [--fast] [--citus] [--] COMMAND [ARGUMENT …]");
    };

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let durability = if fast {
        Durability::Fast
    } else {
        Durability::Full
    };
    let start = async {
        if on_citus {
            let feedback = std::env::current_exe()?.with_file_name("feedback");
            Servers::with_citus(durability, &feedback).await
        } else {
            Servers::start(durability).await
        }
    };
    let servers = tokio::select! {
        servers = start => servers?,
        _ = interrupt.recv() => bail!("interrupted"),
        _ = terminate.recv() => bail!("terminated"),
    };

    let mut command = Command::new(program)
        .args(arguments)
        .envs(servers.endpoints.variables())
        .spawn()
        .with_context(|| format!("starting {}", program.display()))?;
    let pid = Pid::from_raw(i32::try_from(
        command.id().context("the command has no id")?,
    )?);
    let status = loop {
        let passed_on = tokio::select! {
            status = command.wait() => break status?,
            _ = interrupt.recv() => Signal::SIGINT,
            _ = terminate.recv() => Signal::SIGTERM,
        };
        // It may have ended just now; then there is nobody to tell.
        let _ = kill(pid, passed_on);
    };
    servers.stop().await?;
    Ok(status)
}
