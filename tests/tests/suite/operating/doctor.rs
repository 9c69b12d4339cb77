//! `feedback doctor` says what is well, what is not, and what to do.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tests::app::App;
use tests::campaign::on_import;

/// What it says about something, by its JSON.
async fn verdicts(app: &App, variables: &[(&str, &str)], about: &str) -> Result<Vec<String>> {
    let output = app.cli_with(&["doctor", "--json"], variables).await?;
    let findings: Value = serde_json::from_slice(&output.stdout)?;
    let findings = findings.as_array().context("no list")?;
    let is_wrong = findings.iter().any(|finding| finding["verdict"] == "wrong");
    ensure!(output.status.success() != is_wrong, "{findings:?}");
    let of_it = findings.iter().filter(|finding| finding["about"] == about);
    Ok(of_it
        .filter_map(|finding| finding["verdict"].as_str().map(str::to_owned))
        .collect())
}

#[tokio::test]
async fn a_service_that_runs_has_nothing_wrong() -> Result<()> {
    let app = App::start().await?;
    for about in [
        "database", "schema", "senders", "queue", "cache", "pepper", "tls",
    ] {
        let found = verdicts(&app, &[], about).await?;
        ensure!(found == ["ok"], "{about}: {found:?}");
    }
    let local = verdicts(&app, &[], "links").await?;
    ensure!(local == ["warning"], "{local:?}");
    Ok(())
}

#[tokio::test]
async fn a_sender_that_campaigns_need_and_the_settings_lack_is_found() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    client.started(|form| on_import(form, "demo")).await?;
    let other = [("FEEDBACK_SENDERS", "other=demo:")];
    let found = verdicts(&app, &other, "senders").await?;
    ensure!(found == ["ok", "warning"], "{found:?}");
    Ok(())
}

#[tokio::test]
async fn where_nothing_is_yet_nothing_is_made() -> Result<()> {
    let app = App::start().await?;
    let folder = app.folder().join("nothing");
    let variables = [
        ("DATABASE_URL", ""),
        ("FEEDBACK_DATA_DIR", folder.to_str().context("a name")?),
    ];
    let found = verdicts(&app, &variables, "database").await?;
    ensure!(found == ["ok"], "{found:?}");
    ensure!(!folder.exists(), "it made its directory");
    Ok(())
}

#[tokio::test]
async fn what_is_away_is_named() -> Result<()> {
    let app = App::start().await?;
    let nowhere = "127.0.0.1:1";
    for (variable, scheme, about, expected) in [
        ("DATABASE_URL", "postgres", "database", "wrong"),
        ("AMQP_URL", "amqp", "queue", "warning"),
        ("REDIS_URL", "redis", "cache", "warning"),
    ] {
        let url = format!("{scheme}://{nowhere}");
        let found = verdicts(&app, &[(variable, &url)], about).await?;
        ensure!(found == [expected], "{variable}: {found:?}");
    }
    Ok(())
}

#[tokio::test]
async fn connections_without_tls_are_told_and_refused_where_it_is_required() -> Result<()> {
    let app = App::start().await?;
    let plain = ("AMQP_URL", "amqp://guest:geheim@broker.invalid");
    let found = verdicts(&app, &[plain], "tls").await?;
    ensure!(found == ["warning"], "{found:?}");
    let required = [plain, ("FEEDBACK_REQUIRE_TLS", "on")];
    for command in ["doctor", "serve"] {
        let output = app.cli_with(&[command], &required).await?;
        let line = String::from_utf8_lossy(&output.stderr);
        let expected = "AMQP_URL: the connection to broker.invalid has no TLS, which FEEDBACK_REQUIRE_TLS=on requires\n";
        ensure!(line == expected && !output.status.success(), "{output:?}");
    }
    Ok(())
}
