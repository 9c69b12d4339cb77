//! The service's binaries beside the bench, built if they are missing or older than their sources.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// Where this bench was built: `TARGET/PROFILE/deps/BENCH`.
#[derive(Clone, Debug)]
pub struct Build {
    /// The target folder.
    pub target: PathBuf,
    /// Whether figures mean anything: a debug build only shows that the bench works.
    pub release: bool,
}

impl Build {
    /// Of the running bench.
    ///
    /// # Errors
    /// When it does not run from a target folder.
    pub fn of_this_bench() -> Result<Self> {
        let bench = std::env::current_exe()?;
        let mut above = bench.ancestors().skip(2);
        let profile = above.next().context("no profile folder")?;
        let target = above.next().context("no target folder")?;
        Ok(Self {
            target: target.to_owned(),
            release: profile.file_name().is_some_and(|name| name == "release"),
        })
    }

    /// `cargo build --workspace --bins` of the same profile into the same folder; with `FEEDBACK_BENCH_BUILD=0` the
    /// binaries are taken as they are. Cargo knows best what is stale, and does nothing when nothing is.
    ///
    /// # Errors
    /// When the build fails.
    pub fn refresh_binaries(&self) -> Result<()> {
        if std::env::var("FEEDBACK_BENCH_BUILD").is_ok_and(|value| value == "0") {
            return Ok(());
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut build = Command::new(cargo);
        build
            .args(["build", "--workspace", "--bins"])
            .args(self.release.then_some("--release"))
            .env("CARGO_TARGET_DIR", &self.target)
            .current_dir(workspace()?)
            .stdin(Stdio::null());
        // What cargo told this bench of its own package would look like a change to build scripts.
        for (variable, _) in std::env::vars_os() {
            let name = variable.to_string_lossy();
            if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
            {
                build.env_remove(&variable);
            }
        }
        eprintln!("binaries of the service: {build:?} (minutes, if they are missing or stale)");
        let status = build.status().context("starting cargo")?;
        ensure!(status.success(), "the binaries do not build: {status}");
        Ok(())
    }
}

fn workspace() -> Result<&'static Path> {
    let room = Path::new(env!("CARGO_MANIFEST_DIR"));
    room.parent().context("no workspace folder")
}
