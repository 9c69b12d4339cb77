//! Health, metrics, the service's own documents, and how processes start and end.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use futures::future::join_all;
use nix::sys::signal::Signal;
use serde_json::Value;
use tests::app::{App, Program};
use tests::check;
use tests::import::records;
use tests::process::Process;
use tests::servers::free_port;
use tests::wait::{LATER, SOON, eventually};

mod embedded_only;

#[tokio::test]
async fn health_names_the_servers_it_needs() -> Result<()> {
    let app = App::start().await?;
    let client = app.anonymous()?;
    client.get("/health/live").await?.expect(200)?;
    // Queue and cache may still be connecting, which is told as degraded.
    eventually(SOON, async || {
        let ready = client.get("/health/ready").await?.expect(200)?;
        let lines: Vec<&str> = ready.text()?.lines().collect();
        for server in ["database", "queue", "cache"] {
            ensure!(
                lines.iter().any(|line| *line == format!("{server} ok")),
                "{server} is not ok: {lines:?}"
            );
        }
        Ok(())
    })
    .await?;
    for worker in &app.workers {
        let client = client.at(worker.base());
        client.get("/health/live").await?.expect(200)?;
        client.get("/health/ready").await?.expect(200)?;
    }
    Ok(())
}

#[tokio::test]
async fn metrics_count_what_was_imported_and_name_nobody() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    client.import_and_wait(&records("A", 20, "1"), SOON).await?;
    for service in app.apis.iter().chain(&app.workers) {
        let answer = client
            .at(service.base())
            .get("/metrics")
            .await?
            .expect(200)?;
        let text = answer.text()?;
        ensure!(
            text.lines().any(|line| line.starts_with("# TYPE ")),
            "no metrics: {text}"
        );
        ensure!(text.contains("import"), "no import counted: {text}");
        ensure!(!text.contains("+49"), "a phone is in the metrics: {text}");
    }
    Ok(())
}

#[tokio::test]
async fn a_flood_of_health_checks_makes_nobody_unready() -> Result<()> {
    let app = App::start().await?;
    let (client, anonymous) = (app.client().await?, app.anonymous()?);
    let flood = join_all((0..500).map(|_| anonymous.get("/health/ready")));
    let witness = async {
        let accepted = client.import(&records("A", 10, "1")).await?;
        client.completed(&accepted.batch_id, SOON).await
    };
    let (answers, stored) = tokio::join!(flood, witness);
    for answer in answers {
        answer?.expect(200)?;
    }
    stored.map(drop)
}

#[tokio::test]
async fn reasons_and_metrics_answer_only_where_operators_listen() -> Result<()> {
    let ops = format!("127.0.0.1:{}", free_port()?);
    let setup = App::setup().workers(0).setting("FEEDBACK_OPS_LISTEN", &ops);
    let app = setup.start().await?;
    let public = app.anonymous()?;
    let ready = public.get("/health/ready").await?.expect(200)?;
    ensure!(ready.text()? == "ready\n", "{ready:?}");
    public.get("/health/live").await?.expect(200)?;
    public.get("/metrics").await?.problem(404, "not_found")?;

    let operators = public.at(format!("http://{ops}"));
    let ready = operators.get("/health/ready").await?.expect(200)?;
    ensure!(ready.text()?.contains("database ok\n"), "{ready:?}");
    operators.get("/health/live").await?.expect(200)?;
    operators.get("/metrics").await?.expect(200)?;
    operators.get("/api_v1/sms/import").await?.expect(404)?;
    Ok(())
}

#[tokio::test]
async fn api_has_no_operations_listener_unless_it_is_told() -> Result<()> {
    let setup = App::setup().workers(0).setting("FEEDBACK_OPS_LISTEN", "");
    let app = setup.start().await?;
    let metrics = app.anonymous()?.get("/metrics").await?;
    let status = if app.embedded() { 200 } else { 404 };
    metrics.expect(status).map(drop)
}

#[tokio::test]
async fn a_listener_that_cannot_be_had_ends_the_start() -> Result<()> {
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let address = taken.local_addr()?.to_string();
    // A broker that is away keeps nobody from starting.
    let broker = ("AMQP_URL", "amqp://127.0.0.1:1");
    for (program, variable) in [
        (Program::Serve, "FEEDBACK_LISTEN"),
        (Program::Serve, "FEEDBACK_OPS_LISTEN"),
        (Program::Api, "FEEDBACK_LISTEN"),
        (Program::Api, "FEEDBACK_OPS_LISTEN"),
        (Program::Worker, "FEEDBACK_OPS_LISTEN"),
    ] {
        let log = ends_at_once(program, &[broker, (variable, &address)])
            .await
            .with_context(|| format!("{program:?} {variable}"))?;
        let last = log.lines().last().unwrap_or_default();
        ensure!(last.starts_with(&format!("{variable}: ")), "{log}");
    }
    Ok(())
}

#[tokio::test]
async fn the_openapi_document_has_every_operation_of_imports_forms_and_links() -> Result<()> {
    let app = App::start().await?;
    let client = app.anonymous()?;
    let document = client.get("/openapi.json").await?.expect(200)?.json()?;
    let version = document["openapi"].as_str().unwrap_or_default();
    ensure!(version.starts_with("3."), "not OpenAPI 3: {version}");
    for (path, methods) in [
        ("/api_v1/sms/import", &["get", "post"][..]),
        ("/api_v1/sms/import/{batch_id}", &["get"]),
        ("/api_v1/sms/import/{batch_id}/errors", &["get"]),
        ("/api_v1/sms/import/{batch_id}/cancel", &["post"]),
        ("/api_v1/sms/import/{batch_id}/retry", &["post"]),
        ("/api_v1/sms/import/{batch_id}/erase", &["post"]),
        ("/api_v1/sms/recipient", &["get", "delete"]),
        ("/api_v1/sms/recipient/{docid}", &["get", "delete"]),
        ("/api_v1/form", &["post"]),
        ("/api_v1/form/list/{status}", &["get"]),
        ("/api_v1/form/{form_id}", &["get", "put", "delete"]),
        ("/api_v1/form/{form_id}/publish", &["post"]),
        ("/api_v1/form/link/{form_id}/{bus_prop_id}", &["post"]),
        ("/api_v1/form/link/{id}", &["post", "get", "delete"]),
    ] {
        for method in methods {
            let operation = &document["paths"][path][method];
            ensure!(operation.is_object(), "{method} {path} is not described");
            for status in ["401", "403", "429", "503"] {
                ensure!(
                    operation["responses"][status].is_object(),
                    "{method} {path} does not describe {status}"
                );
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_docs_page_loads_nothing_from_elsewhere() -> Result<()> {
    let app = App::start().await?;
    let client = app.anonymous()?;
    let moved = client.get("/docs").await?.expect(303)?;
    ensure!(moved.header("location") == Some("/docs/"), "{moved:?}");
    let answer = client.get("/docs/").await?.expect(200)?;
    let page = answer.text()?;
    let policy = answer.header("content-security-policy");
    let policy = policy.unwrap_or_default();
    ensure!(policy.starts_with("default-src 'none'"), "{answer:?}");
    for attribute in ["src=\"http", "src=\"//", "href=\"http", "href=\"//"] {
        ensure!(!page.contains(attribute), "{attribute} in {page}");
    }
    // On any host but localhost the page would ask a validator elsewhere for a badge.
    let script = client.get("/docs/swagger-initializer.js").await?;
    let script = script.expect(200)?;
    ensure!(
        script.text()?.contains(r#""validatorUrl": "none""#),
        "{script:?}"
    );
    Ok(())
}

#[tokio::test]
async fn sigterm_ends_everything_in_order_and_loses_nothing() -> Result<()> {
    let mut app = App::start().await?;
    let client = app.client().await?;
    let all = records("A", 20_000, "1");
    let accepted = client.import(&all).await?;
    for service in app.workers.iter_mut().chain(&mut app.apis) {
        let status = service.stop().await?;
        ensure!(status.code() == Some(0), "ended with {status}");
    }
    for service in app.apis.iter_mut().chain(&mut app.workers) {
        service.start_again().await?;
    }
    let batch = client.completed(&accepted.batch_id, LATER).await?;
    ensure!(check::outcome(&batch, "created")? == 20_000, "{batch}");
    check::stored_sample(&client, &all, &accepted.batch_id, 100).await
}

#[tokio::test]
async fn after_sigterm_an_instance_is_not_ready_and_still_answers_for_a_while() -> Result<()> {
    let setup = App::setup().setting("FEEDBACK_DRAIN_SECONDS", "10");
    let mut app = setup.start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let proxy = app.anonymous()?;
    // A connection of its own, as of a proxy that has not noticed yet.
    let client = app.anonymous()?.with_keys(&keys);
    let api = app.api()?;
    api.process.signal(Signal::SIGTERM)?;
    eventually(SOON, async || proxy.get("/health/ready").await?.expect(503)).await?;
    let accepted = client.import(&records("A", 10, "1")).await?;
    let status = api.process.wait(SOON).await?;
    ensure!(status.code() == Some(0), "ended with {status}");
    api.start_again().await?;
    let batch = client.completed(&accepted.batch_id, LATER).await?;
    ensure!(check::outcome(&batch, "created")? == 10, "{batch}");
    Ok(())
}

/// Starts a program with these settings and a data directory in `folder`.
fn start(program: Program, variables: &[(&str, &str)], folder: &Path) -> Result<Process> {
    let mut command = Command::new(Program::path()?);
    command.args(program.argument());
    for variable in ["DATABASE_URL", "AMQP_URL", "REDIS_URL"] {
        command.env_remove(variable);
    }
    command
        .env("FEEDBACK_DATA_DIR", folder.join("data"))
        .env("FEEDBACK_LISTEN", "127.0.0.1:0")
        .envs(variables.iter().copied());
    Process::start("started", &mut command, &folder.join("log"))
}

/// Runs a program that should end by itself at once; returns what it wrote to its log.
async fn ends_at_once(program: Program, variables: &[(&str, &str)]) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let mut process = start(program, variables, folder.path())?;
    let status = process.wait(SOON).await?;
    let log = process.log()?;
    ensure!(!status.success(), "it started: {log}");
    ensure!(!log.contains("panicked"), "it panicked: {log}");
    Ok(log)
}

#[tokio::test]
async fn a_bad_setting_ends_the_start_with_a_line_that_names_it() -> Result<()> {
    for (variable, value) in [
        ("FEEDBACK_LISTEN", "nonsense"),
        ("FEEDBACK_LISTEN", "127.0.0.1:99999"),
        ("FEEDBACK_OPS_LISTEN", "nonsense"),
        ("FEEDBACK_DRAIN_SECONDS", "16"),
        ("FEEDBACK_DATA_DIR", ""),
        ("FEEDBACK_DATA_DIR", "/dev/null"),
        ("FEEDBACK_DATA_DIR", "/proc"),
        ("DATABASE_URL", "mysql://localhost/x"),
        ("DATABASE_URL", "nonsense"),
        ("AMQP_URL", "http://localhost"),
        ("REDIS_URL", "http://localhost"),
        ("FEEDBACK_KEY_RATE", "-1"),
        ("FEEDBACK_KEY_RATE", "many"),
        ("FEEDBACK_LINK_RATE", "-1"),
        ("FEEDBACK_ADDRESS_RATE", "1.5"),
        ("FEEDBACK_PUBLIC_URL", "feedback.example"),
        ("FEEDBACK_PUBLIC_URL", "https://feedback.example/?a=b"),
        ("FEEDBACK_TRUSTED_PROXIES", "proxy.example"),
        ("FEEDBACK_TRUSTED_PROXIES", "10.0.0.0/33"),
        ("FEEDBACK_MAX_BODY", "x"),
        ("FEEDBACK_MAX_RECORDS", "1.5"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "nonsense"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "nonsense/"),
    ] {
        let log = ends_at_once(Program::Serve, &[(variable, value)])
            .await
            .with_context(|| format!("{variable}={value}"))?;
        ensure!(log.contains(variable), "{variable} is not named: {log}");
    }
    Ok(())
}

#[tokio::test]
async fn api_and_worker_refuse_a_queue_in_process() -> Result<()> {
    for program in [Program::Api, Program::Worker] {
        let log = ends_at_once(program, &[]).await?;
        ensure!(log.contains("AMQP_URL"), "not told why: {log}");
    }
    Ok(())
}

#[tokio::test]
async fn a_secret_in_a_setting_is_not_told() -> Result<()> {
    for (variable, value) in [
        ("AMQP_URL", "amqp://user:hunter2@127.0.0.1:bad"),
        ("REDIS_URL", "redis://user:hunter2@127.0.0.1:bad"),
        ("DATABASE_URL", "postgres://user:hunter2@127.0.0.1:bad"),
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "http://user:hunter2@127.0.0.1:bad",
        ),
    ] {
        let log = ends_at_once(Program::Serve, &[(variable, value)]).await?;
        ensure!(!log.contains("hunter2"), "told: {log}");
    }
    Ok(())
}

#[tokio::test]
async fn a_database_that_is_away_is_waited_for_until_sigterm() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let variables = [("DATABASE_URL", "postgres://user:hunter2@127.0.0.1:1/x")];
    let mut process = start(Program::Serve, &variables, folder.path())?;
    eventually(SOON, async || {
        let log = process.log()?;
        ensure!(log.contains("waiting for the database"), "{log}");
        Ok(())
    })
    .await?;
    let status = process.stop(Signal::SIGTERM, SOON).await?;
    let log = process.log()?;
    ensure!(status.code() == Some(0), "ended with {status}: {log}");
    ensure!(!log.contains("hunter2"), "told: {log}");
    Ok(())
}

#[tokio::test]
async fn a_first_key_that_cannot_be_written_is_none() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("data/first-key.json");
    std::fs::create_dir_all(&file)?;
    let mut process = start(Program::Serve, &[], folder.path())?;
    let status = process.wait(SOON).await?;
    let log = process.log()?;
    let last = log.lines().last().unwrap_or_default();
    ensure!(
        status.code() == Some(1) && last.starts_with("FEEDBACK_DATA_DIR: "),
        "{status}: {log}"
    );
    std::fs::remove_dir(&file)?;
    let _running = start(Program::Serve, &[], folder.path())?;
    eventually(SOON, async || {
        let key: Value = serde_json::from_slice(&std::fs::read(&file)?)?;
        ensure!(key["secret_key"].is_string(), "{key}");
        Ok(())
    })
    .await
}

#[test]
fn an_image_is_built_from_all_crates() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name| std::fs::read_to_string(root.join(name));
    let (manifest, ignored) = (read("Cargo.toml")?, read(".dockerignore")?);
    let members = manifest.split_once("members = [").context("no members")?.1;
    let members = members.split(']').next().unwrap_or_default();
    for member in members.split(", ") {
        let folder = member
            .trim_matches('"')
            .split('/')
            .next()
            .unwrap_or_default();
        let kept = format!("!{folder}");
        ensure!(
            ignored.lines().any(|line| line == kept),
            "{folder} is left out"
        );
    }
    Ok(())
}

#[test]
fn every_path_where_a_change_goes_is_there() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("docs/ARCHITECTURE.md"))?;
    let (_, table) = text
        .split_once("## Where a change goes")
        .context("no table")?;
    let table = table.split("\n## ").next().unwrap_or_default();
    // Between backticks, every other part.
    let quoted = table.split('`').skip(1).step_by(2);
    let paths: Vec<_> = quoted.filter(|text| text.contains('/')).collect();
    ensure!(paths.len() > 30, "{} paths", paths.len());
    for path in paths {
        ensure!(root.join(path).exists(), "{path} is not there");
    }
    Ok(())
}

#[test]
fn what_is_said_to_hold_has_a_test_that_is_there() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("docs/THREATS.md"))?;
    let quoted = text.split('`').skip(1).step_by(2);
    let tests: Vec<_> = quoted.filter_map(|text| text.split_once("::")).collect();
    ensure!(tests.len() > 50, "{} tests", tests.len());
    for (file, name) in tests {
        let code = std::fs::read_to_string(root.join(file)).with_context(|| file.to_owned())?;
        ensure!(
            code.contains(&format!("fn {name}(")),
            "{file} has no {name}"
        );
    }
    let mut held = text.lines().filter(|line| line.contains("| yes |"));
    let bare = held.find(|line| !line.contains("::"));
    ensure!(bare.is_none(), "{bare:?} names no test");
    Ok(())
}
