//! What all benches do around their parts: the binaries, the servers, one table, one JSON file.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};

use super::binaries::Build;
use super::report::{self, Row};
use super::rows;
use super::settings::Settings;
use crate::app::{App, Backends, Setup};
use crate::servers::{Durability, Endpoints, Servers, psql};

/// A bench: its name and its parts.
#[derive(Clone, Copy, Debug)]
pub struct Bench {
    /// As `cargo bench -p tests --bench` knows it.
    pub name: &'static str,
    /// In the order in which they run.
    pub parts: &'static [&'static str],
    /// Those of them that need no servers.
    pub embedded: &'static [&'static str],
}

impl Bench {
    /// Runs the parts that the command line asks for; `prepare` finds what is missing before anything takes long, and
    /// adds facts to the JSON.
    pub async fn run(
        self,
        prepare: impl AsyncFnOnce(&Settings) -> Result<Value>,
        measure: impl AsyncFn(&str, &Settings, Option<&Endpoints>) -> Result<Vec<Row>>,
    ) -> ExitCode {
        match self.measured(prepare, measure).await {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("{}: {error:#}", self.name);
                ExitCode::FAILURE
            }
        }
    }

    /// Whether every part could be measured. A missed target is a finding, not a failure.
    async fn measured(
        self,
        prepare: impl AsyncFnOnce(&Settings) -> Result<Value>,
        measure: impl AsyncFn(&str, &Settings, Option<&Endpoints>) -> Result<Vec<Row>>,
    ) -> Result<bool> {
        let Some(settings) = Settings::read(self.parts)? else {
            eprintln!("measures nothing without --bench, which `cargo bench` gives");
            return Ok(true);
        };
        let mut facts = prepare(&settings).await?;
        let build = Build::of_this_bench()?;
        build.refresh_binaries()?;
        let wanted = self.parts.iter().filter(|part| settings.wants(part));
        let needs_servers = |part: &&str| !self.embedded.contains(part);
        let servers = if wanted.clone().any(needs_servers) {
            Some(Servers::start(Durability::Full).await?)
        } else {
            None
        };
        let endpoints = servers.as_ref().map(|servers| &servers.endpoints);
        if let Some(endpoints) = endpoints {
            facts["postgres"] = psql(&endpoints.database, "SHOW server_version")
                .await?
                .into();
        }

        let mut found: Vec<Row> = Vec::new();
        let mut whole = true;
        for part in wanted {
            eprintln!("--- {part}");
            match measure(part, &settings, endpoints).await {
                Ok(rows) => found.extend(rows),
                Err(error) => {
                    whole = false;
                    eprintln!("part {part}: {error:#}");
                }
            }
        }
        // What the parts share uses the servers.
        drop(measure);
        if let Some(servers) = servers {
            servers.stop().await?;
        }

        println!("{}", report::table(&found));
        let missed = found.iter().filter(|row| !row.met()).count();
        println!("{} rows, {missed} targets missed", found.len());
        if !build.release {
            println!("a debug build: these figures mean nothing");
        }
        for (fact, value) in [
            ("rounds", json!(settings.rounds)),
            ("release", json!(build.release)),
            ("complete", json!(whole)),
            ("cores", json!(std::thread::available_parallelism()?.get())),
        ] {
            facts[fact] = value;
        }
        let file = report::write_json(&build.target, self.name, facts, &found)?;
        println!("{}", file.display());
        Ok(whole)
    }
}

/// The service on servers as in production: one api and two workers, all settings at their defaults.
///
/// # Errors
/// When it does not get ready.
pub async fn on_servers(endpoints: &Endpoints) -> Result<App> {
    let backends = Backends::on(endpoints).await?;
    quiet(App::setup().workers(2).on(backends)).await
}

/// A service whose logs are shown only if it does not start, with the default limit of requests.
///
/// # Errors
/// When it does not get ready.
pub async fn quiet(setup: Setup) -> Result<App> {
    unlimited(setup.setting("FEEDBACK_KEY_RATE", "500")).await
}

/// The same without a limit, unless the setup has one.
///
/// # Errors
/// When it does not get ready.
pub async fn unlimited(setup: Setup) -> Result<App> {
    let mut app = setup.start().await?;
    for service in app.apis.iter_mut().chain(&mut app.workers) {
        service.process.hide_log();
    }
    Ok(app)
}

/// Nobody pays for what was written before: the next measurement starts on flushed tables and disks.
///
/// # Errors
/// When the server cannot be asked for a checkpoint.
pub async fn settle(app: &App) -> Result<()> {
    if !app.embedded() {
        app.backends().sql("CHECKPOINT").await?;
    }
    rows::flush_disks().await
}
