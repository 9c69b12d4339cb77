//! The binary `api`: the HTTP side alone, beside workers in processes of their own.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;
use platform::backends::Backends;
use platform::config::{Args, ProcessRole};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The HTTP side of the feedback service. Workers store what it accepts.
#[derive(Parser)]
#[command(name = "api", version)]
struct Cli {
    #[command(flatten)]
    settings: Args,
}

fn main() -> ExitCode {
    let settings = Cli::parse().settings;
    platform::start::run(async |process| {
        let config = settings.config(ProcessRole::Api)?;
        match Backends::open(&config, &process.shutdown).await? {
            Some(backends) => api::serve(&config, backends, &process, Vec::new()).await,
            None => Ok(()),
        }
    })
}
