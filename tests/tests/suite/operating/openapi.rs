//! The service against its own OpenAPI document, and clients that know nothing of it but that document.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use chrono::{TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::on_import;
use tests::client::Client;
use tests::import::records;
use tests::tools::{Tool, npm, own};
use tests::visitor::Visitor;
use tests::wait::SOON;

/// A minute on idle cores; a debug build on busy ones gets some more.
const RUN: Duration = Duration::from_mins(5);

/// An SVG; `schemathesis/hooks.py` sets it too.
const LOGO: &str =
    "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";

/// The document, in a file of this folder.
async fn document(app: &App) -> Result<(Value, PathBuf)> {
    let answer = app.anonymous()?.get("/openapi.json").await?.expect(200)?;
    let path = app.folder().join("openapi.json");
    fs::write(&path, &answer.body)?;
    Ok((answer.json()?, path))
}

fn text<'a>(value: &'a Value, member: &str) -> Result<&'a str> {
    value[member]
        .as_str()
        .with_context(|| format!("no {member}: {value}"))
}

/// Identifiers of what is there to be found, as dictionaries of schemathesis.
async fn dictionaries(app: &App, client: &Client, folder: &Path) -> Result<()> {
    client.import_and_wait(&records("A", 20, "1"), SOON).await?;
    let branding = json!({"name": "Acme", "logo": LOGO});
    let branding = client.send_json(Method::PUT, "/api_v1/account", &branding);
    branding.await?.expect(200)?;
    let form = json!({
        "title": "How was it?",
        "bus_props": ["store:Berlin"],
        "fields": [{"key": "recommend", "type": "nps", "label": "Would you?"},
                   {"key": "more", "type": "comment", "label": "More?"}],
    });
    let form = client.published(&form).await?;
    let link = client.link(&form, "1", &[]).await?;
    let ended = client.link(&form, "1", &[]).await?;
    let visitor = Visitor::new(&app.anonymous()?, &link)?;
    let feedback = visitor.stored(&json!({"recommend": 9})).await?;
    let erasable = client.import_and_wait(&records("E", 2, "1"), SOON).await?;
    let mut stalled = stalled(app, client).await?;
    let cancelled = stalled.split_off(6);
    let mut campaigns = Vec::new();
    for number in 0..8 {
        let draft = client.campaign(|form| on_import(form, "demo")).await?;
        if number > 1 {
            client.act(&draft, "start").await?.expect(200)?;
        }
        campaigns.push(draft);
    }
    let mut shares = Vec::new();
    for _ in 0..8 {
        let page = json!({"path": "/dashboard", "expires_at": Utc::now() + TimeDelta::days(1)});
        let share = client.send_json(Method::POST, "/api_v1/report/share", &page);
        let share = share.await?.expect(201)?.json()?;
        shares.push(text(&share, "share_id")?.to_owned());
    }
    let ids = |of: Range<usize>| -> Result<Vec<String>> {
        let ids = campaigns[of]
            .iter()
            .map(|campaign| text(campaign, "campaign_id"));
        ids.map(|id| Ok(id?.to_owned())).collect()
    };
    for (name, values) in [
        ("forms", vec![text(&form, "form_id")?.to_owned()]),
        ("links", vec![text(&link, "token")?.to_owned()]),
        ("ended", vec![text(&ended, "token")?.to_owned()]),
        ("feedbacks", vec![feedback]),
        ("shares", shares),
        ("stalled", stalled),
        ("cancelled", cancelled),
        ("erasable", vec![text(&erasable, "batch_id")?.to_owned()]),
        ("drafts", ids(0..2)?),
        ("running", ids(2..4)?),
        ("finishing", ids(4..6)?),
        ("cancelling", ids(6..8)?),
        (
            "messages",
            vec![message_token(client, &campaigns[2]).await?],
        ),
    ] {
        let lines: Vec<_> = values
            .iter()
            .map(|value| format!("\"{value}\"\n"))
            .collect();
        fs::write(folder.join(format!("{name}.dict")), lines.concat())?;
    }
    Ok(())
}

/// The token of a message's link.
async fn message_token(client: &Client, campaign: &Value) -> Result<String> {
    client.imported_for(campaign, &records("M", 1, "1")).await?;
    client.until_first(campaign, "parts", 1).await?;
    let path = format!("/api_v1/form/{}/link", text(campaign, "form_id")?);
    let links: Value = client.get(&path).await?.expect(200)?.json()?;
    Ok(text(&links["items"][0], "token")?.to_owned())
}

/// Batches with a parked chunk, which nobody but the database can make at will.
async fn stalled(app: &App, client: &Client) -> Result<Vec<String>> {
    let mut ids = Vec::new();
    for number in 0..8 {
        let all = records(&format!("S{number}"), 1, "1");
        let batch = client.import_and_wait(&all, SOON).await?;
        ids.push(text(&batch, "batch_id")?.to_owned());
    }
    let payload = if app.embedded() { "x'ff'" } else { "'\\xff'" };
    let of = "FROM import_batch WHERE accepted = 1";
    for statement in [
        "UPDATE import_batch SET status = 'stalled', created = 0, failed = 1, parked_chunks = 1 WHERE accepted = 1",
        &format!(
            "INSERT INTO import_chunk (account_id, batch_id, chunk_no, records, parked, failures, retry_at) \
             SELECT account_id, batch_id, 0, 1, true, 5, created_at {of}"
        ),
        &format!(
            "INSERT INTO import_payload (account_id, batch_id, chunk_no, payload) \
             SELECT account_id, batch_id, 0, {payload} {of}"
        ),
    ] {
        app.sql(statement).await?;
    }
    Ok(ids)
}

#[tokio::test]
async fn schemathesis_finds_nothing_and_reaches_every_operation() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_ADDRESS_RATE", "0")
        .start()
        .await?;
    let client = app.client().await?;
    let folder = app.folder().join("schemathesis");
    fs::create_dir(&folder)?;
    for file in ["schemathesis.toml", "hooks.py"] {
        fs::copy(own("python/schemathesis").join(file), folder.join(file))?;
    }
    dictionaries(&app, &client, &folder).await?;
    let (document, _) = document(&app).await?;
    let [(_, api_key), (_, secret_key)] = client.key_headers()?;
    Tool::python("schemathesis")?
        .args(["run", &format!("{}/openapi.json", client.base())])
        .args(["--no-color", "--report-har-path", "report.har"])
        .env("FEEDBACK_API_KEY", &api_key)
        .env("FEEDBACK_SECRET_KEY", &secret_key)
        .run_in(&folder, RUN)
        .await?;
    let report: Value = serde_json::from_slice(&fs::read(folder.join("report.har"))?)?;
    let mut unreached = operations(&document)?;
    for entry in report["log"]["entries"].as_array().context("no entries")? {
        let status = entry["response"]["status"].as_u64().context("no status")?;
        if (200..300).contains(&status) {
            let path = text(&entry["request"], "url")?.trim_start_matches(client.base());
            let path = path.split('?').next().unwrap_or_default();
            let method = text(&entry["request"], "method")?.to_lowercase();
            unreached.remove(&operation(&document, &method, path)?);
        }
    }
    ensure!(unreached.is_empty(), "never answered 2xx: {unreached:?}");
    Ok(())
}

fn operations(document: &Value) -> Result<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for item in document["paths"].as_object().context("no paths")?.values() {
        for operation in item.as_object().context("no path")?.values() {
            all.insert(text(operation, "operationId")?.to_owned());
        }
    }
    ensure!(all.len() > 30, "only {} operations", all.len());
    Ok(all)
}

/// The operation that a path belongs to: the one with the fewest parameters in its own.
fn operation(document: &Value, method: &str, path: &str) -> Result<String> {
    let mut fitting = BTreeMap::new();
    for (template, item) in document["paths"].as_object().context("no paths")? {
        let mut segments = path.split('/').zip(template.split('/'));
        let same = segments.all(|(given, own)| own.starts_with('{') || own == given);
        let as_long = path.split('/').count() == template.split('/').count();
        if same && as_long && item[method].is_object() {
            let parameters = template.matches('{').count();
            fitting.insert(parameters, text(&item[method], "operationId")?);
        }
    }
    match fitting.first_key_value() {
        Some((_, operation)) => Ok((*operation).to_owned()),
        None => bail!("no operation: {method} {path}"),
    }
}

#[tokio::test]
async fn redocly_has_no_complaint() -> Result<()> {
    let app = App::start().await?;
    let (_, path) = document(&app).await?;
    Tool::npm("@redocly/cli/bin/cli.js")?
        .args(["lint".as_ref(), path.as_os_str()])
        .args(["--config".as_ref(), own("npm/redocly.yaml").as_os_str()])
        .env("REDOCLY_TELEMETRY", "off")
        .env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")
        .run_in(app.folder(), RUN)
        .await?;
    Ok(())
}

/// What a generated client is given: where the service is, and a new account's key.
async fn arguments(app: &App) -> Result<[String; 3]> {
    let client = app.client().await?;
    let [(_, api_key), (_, secret_key)] = client.key_headers()?;
    Ok([client.base().to_owned(), api_key, secret_key])
}

#[tokio::test]
async fn a_generated_python_client_does_it_all_without_a_warning() -> Result<()> {
    let app = App::start().await?;
    let (_, path) = document(&app).await?;
    let config = own("python/generated_client.yaml");
    Tool::python("openapi-python-client")?
        .args(["generate", "--fail-on-warning", "--meta", "none"])
        .args(["--path".as_ref(), path.as_os_str()])
        .args(["--config".as_ref(), config.as_os_str()])
        .args(["--output-path", "generated"])
        .run_in(app.folder(), RUN)
        .await?;
    Tool::python("python")?
        .args(["-W", "error"])
        .args([own("python/generated_client.py")])
        .args(arguments(&app).await?)
        .env("PYTHONPATH", &app.folder().display().to_string())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run_in(app.folder(), RUN)
        .await?;
    Ok(())
}

#[tokio::test]
async fn a_generated_typescript_client_does_it_all_without_a_warning() -> Result<()> {
    let app = App::start().await?;
    let (_, path) = document(&app).await?;
    let folder = app.folder();
    for file in ["client.ts", "tsconfig.json"] {
        fs::copy(own("npm").join(file), folder.join(file))?;
    }
    fs::write(folder.join("package.json"), r#"{"type": "module"}"#)?;
    std::os::unix::fs::symlink(npm("")?, folder.join("node_modules"))?;
    let said = Tool::npm("openapi-typescript/bin/cli.js")?
        .args([path.as_os_str()])
        .args(["--output", "generated.d.ts"])
        .env("NO_COLOR", "1")
        .run_in(folder, RUN)
        .await?;
    ensure!(
        !said.contains("warn") && !said.contains('⚠'),
        "warned: {said}"
    );
    Tool::npm("typescript/bin/tsc")?
        .args(["--project", "."])
        .run_in(folder, RUN)
        .await?;
    Tool::node(&folder.join("client.js"))?
        .args(arguments(&app).await?)
        .env("NODE_OPTIONS", "--throw-deprecation")
        .run_in(folder, RUN)
        .await?;
    Ok(())
}
