//! `feedback report …`: the same figures in a terminal.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tests::app::{App, IssuedKey};
use tests::report::Of;
use tests::wait::{LATER, SOON};
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::stage::Stage;
use super::week::{self, WEEK};

async fn printed(stage: &Stage, keys: &IssuedKey, arguments: &[&str]) -> Result<String> {
    let base = stage.owner.base().to_owned();
    let variables = [
        ("FEEDBACK_URL", base.as_str()),
        ("FEEDBACK_API_KEY", &keys.api_key),
        ("FEEDBACK_SECRET_KEY", &keys.secret_key),
    ];
    let output = stage.app.cli_with(arguments, &variables).await?;
    ensure!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}

#[tokio::test]
async fn every_report_is_a_table_and_json_the_same_as_over_http() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    let keys = stage
        .app
        .create_key("shop", &["--scopes", "report"])
        .await?;
    let form_id = week.form["form_id"].as_str().unwrap_or_default();
    let overview = stage.owner.overview(WEEK).await?;
    let arguments = ["report", "overview", WEEK.0, WEEK.1, "--json"];
    let json: Value = serde_json::from_str(&printed(&stage, &keys, &arguments).await?)?;
    ensure!(json == overview, "not the same: {json} {overview}");
    let table = printed(&stage, &keys, &arguments[..4]).await?;
    for text in ["How was your visit?", "PUBLISHED", "11", "7"] {
        ensure!(table.contains(text), "no {text} in {table}");
    }
    for (name, of, texts) in [
        (
            "form",
            Of::Form,
            &["Would you recommend us?", "Shelf B", "Too loud", "=SUM(A1)"][..],
        ),
        ("summary", Of::Summary, &["11", "7", "2026-03-02"]),
        ("feedbacks", Of::Feedbacks, &["Great", "2026-03-08"]),
        ("comments", Of::Comments, &["Great", "Fine"]),
    ] {
        for bus_prop in ["", "store:Berlin"] {
            let mut arguments = vec!["report", name, form_id, WEEK.0, WEEK.1];
            if !bus_prop.is_empty() {
                arguments.extend(["--bus-prop", bus_prop]);
            }
            let table = printed(&stage, &keys, &arguments).await?;
            for text in texts {
                ensure!(
                    table.contains(text) || !bus_prop.is_empty(),
                    "no {text} in {table}"
                );
            }
            arguments.push("--json");
            let json: Value = serde_json::from_str(&printed(&stage, &keys, &arguments).await?)?;
            let report = stage.owner.report(of, &week.form, WEEK, bus_prop).await?;
            ensure!(json == report, "{name}: {json} is not {report}");
        }
    }
    let bad = ["report", "form", form_id, "2026-13-01", "2026-03-08"];
    ensure!(printed(&stage, &keys, &bad).await.is_err(), "no month 13");
    Ok(())
}

/// What a terminal of so many columns shows for a line, each of its lines without spaces at its ends.
async fn on_terminal(
    stage: &Stage,
    keys: &IssuedKey,
    columns: u16,
    line: &str,
) -> Result<Vec<String>> {
    let line = format!("script -qec 'stty rows 24 cols {columns}; {line}' /dev/null");
    let output = stage
        .app
        .shell(&line)?
        .env("FEEDBACK_URL", stage.owner.base())
        .env("FEEDBACK_API_KEY", &keys.api_key)
        .env("FEEDBACK_SECRET_KEY", &keys.secret_key)
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .output()
        .await?;
    ensure!(output.status.success(), "{output:?}");
    let shown = String::from_utf8(output.stdout)?;
    Ok(shown.lines().map(|line| line.trim().to_owned()).collect())
}

#[tokio::test]
async fn a_report_draws_its_days_where_there_are_any() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    let keys = stage.app.create_key("shop", &[]).await?;
    let form_id = week.form["form_id"].as_str().unwrap_or_default();
    let (first, last) = WEEK;
    // Two responses on the 2nd, 3rd and 5th, one on the 8th.
    let dates = "by day       largest  2026-03-02        2026-03-08";
    let wide = "responses          2  ████████    ████        ▄▄▄▄";
    for arguments in [
        &["report", "overview", first, last][..],
        &["report", "form", form_id, first, last],
        &["report", "summary", form_id, first, last],
    ] {
        let plain = printed(&stage, &keys, arguments).await?;
        for line in [dates, wide] {
            let mut lines = plain.lines();
            ensure!(lines.any(|shown| shown == line), "no {line} in {plain}");
        }
        ensure!(!plain.contains('\u{1b}'), "colours in {plain}");
    }
    let summary = format!("feedback report summary {form_id} {first} {last}");
    let narrow = "responses          2  ██████   ███      ▄▄▄";
    let shown = on_terminal(&stage, &keys, 45, &format!("NO_COLOR=1 {summary}")).await?;
    ensure!(shown.contains(&narrow.to_owned()), "{shown:#?}");
    ensure!(!shown.concat().contains('\u{1b}'), "colours in {shown:#?}");
    let shown = on_terminal(&stage, &keys, 80, &summary).await?;
    let coloured = wide.replace("2  ", "2  \u{1b}[36m") + "\u{1b}[0m";
    ensure!(shown.contains(&coloured), "{shown:#?}");

    let empty = ["report", "summary", form_id, "2026-05-01", "2026-05-31"];
    let empty = printed(&stage, &keys, &empty).await?;
    ensure!(!empty.contains("by day"), "drawn: {empty}");
    Ok(())
}

#[tokio::test]
async fn a_signal_ends_a_report_that_is_waited_for() -> Result<()> {
    let app = App::start().await?;
    let never_answers = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}", never_answers.local_addr()?);
    let mut report = app
        .shell("exec feedback report overview 2026-03-02 2026-03-08")?
        .env("FEEDBACK_URL", url)
        .env("FEEDBACK_API_KEY", "a")
        .env("FEEDBACK_SECRET_KEY", "b")
        .spawn()?;
    let _asked = timeout(LATER, never_answers.accept()).await??;
    let pid = report.id().context("it ended")?;
    kill(Pid::from_raw(pid.try_into()?), Signal::SIGTERM)?;
    let ended = timeout(SOON, report.wait()).await??;
    ensure!(ended.signal() == Some(15), "{ended}");
    Ok(())
}
