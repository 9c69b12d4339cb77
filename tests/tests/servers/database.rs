//! PostgreSQL and Redis down, killed and back: told at once, nothing half-written, no restart of the service.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::future::join_all;
use reqwest::Method;
use serde_json::json;
use tests::app::{App, Backends};
use tests::check;
use tests::client::Client;
use tests::form::{form, form_path};
use tests::import::{Accepted, IMPORT, JSON, array, records};
use tests::report::{Of, overview};
use tests::servers::{Durability, Endpoints, Postgres, Redis};
use tests::upload::{Pace, Upload};
use tests::wait::{LATER, SOON, eventually};

/// What comes back within 2 s, and a little more for two busy cores.
const TOLD: Duration = Duration::from_secs(4);

/// A service on a database of its own, on which any harm can be done.
async fn on_private_database(workers: usize) -> Result<(Postgres, App)> {
    let postgres = Postgres::start(Durability::Fast).await?;
    let endpoints = Endpoints::from_environment()?.on(&postgres);
    let backends = Backends::on(&endpoints).await?;
    let app = App::setup().workers(workers).on(backends).start().await?;
    Ok((postgres, app))
}

async fn unavailable(client: &Client, method: Method, path: &str) -> Result<()> {
    let started = Instant::now();
    let call = client.call(method.clone(), path);
    let call = if method == Method::POST && path == IMPORT {
        call.body(JSON, array(&records("X", 10, "1")))
    } else {
        call
    };
    let answer = call.send().await?;
    answer.problem(503, "unavailable")?;
    let took = started.elapsed();
    ensure!(took < TOLD, "{method} {path} took {took:?}");
    let wait: u32 = answer
        .header("retry-after")
        .context("no Retry-After")?
        .parse()?;
    ensure!(wait > 0, "come back at once");
    Ok(())
}

#[tokio::test]
async fn a_database_that_is_down_is_told_within_seconds_and_missed_no_longer() -> Result<()> {
    let (mut postgres, app) = on_private_database(1).await?;
    let client = app.client().await?;
    let batch = client.import_and_wait(&records("A", 10, "1"), SOON).await?;
    let batch_id = batch["batch_id"].as_str().context("no batch_id")?;
    for round in 0..2 {
        if round == 0 {
            postgres.stop().await?;
        } else {
            postgres.kill()?;
        }
        for (method, path) in [
            (Method::POST, IMPORT.to_owned()),
            (Method::GET, IMPORT.to_owned()),
            (Method::GET, format!("{IMPORT}/{batch_id}")),
            (Method::GET, format!("{IMPORT}/{batch_id}/errors")),
            (Method::POST, format!("{IMPORT}/{batch_id}/cancel")),
            (Method::GET, "/api_v1/sms/recipient/A-1".to_owned()),
            (Method::DELETE, "/api_v1/sms/recipient/A-1".to_owned()),
        ] {
            unavailable(&client, method, &path).await?;
        }
        let ready = eventually(SOON, async || {
            client.get("/health/ready").await?.expect(503)
        })
        .await?;
        ensure!(!ready.text()?.contains("database ok"), "{ready:?}");
        client.get("/health/live").await?.expect(200)?;

        postgres.start_again().await?;
        let all = records(&format!("B{round}"), 100, "1");
        eventually(SOON, async || client.import(&all).await).await?;
        eventually(SOON, async || {
            client.get("/health/ready").await?.expect(200)
        })
        .await?;
    }
    client.recipient("X-1").await?.problem(404, "not_found")?;
    client.recipient("A-1").await?.expect(200)?;
    Ok(())
}

#[tokio::test]
async fn a_body_that_still_arrives_is_answered_when_the_database_goes() -> Result<()> {
    let (mut postgres, app) = on_private_database(1).await?;
    let client = app.client().await?;
    let pace = Pace {
        at_once: 0,
        rate: 1_000,
        records: 1_000_000,
    };
    for round in 0..2 {
        let mut upload = Upload::start(&client, "A", pace);
        upload.begun().await?;
        if round == 0 {
            postgres.stop().await?;
        } else {
            postgres.kill()?;
        }
        upload.answer().await?.problem(503, "unavailable")?;
        postgres.start_again().await?;
        // Nothing of it is left.
        eventually(SOON, async || {
            let list = client.get(IMPORT).await?.expect(200)?.json()?;
            ensure!(list["items"] == json!([]), "a batch is left: {list}");
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn processes_that_start_before_their_database_wait_for_it() -> Result<()> {
    let (mut postgres, mut app) = on_private_database(0).await?;
    let client = app.client().await?;
    app.api()?.stop().await?;
    postgres.stop().await?;
    let folder = app.folder().to_owned();
    let starting = app.api()?.start_again();
    let waiting = async {
        eventually(SOON, async || {
            let mut logs = String::new();
            for entry in std::fs::read_dir(&folder)? {
                logs += &std::fs::read_to_string(entry?.path()).unwrap_or_default();
            }
            ensure!(logs.contains("waiting for the database"), "{logs}");
            Ok(())
        })
        .await?;
        postgres.start_again().await
    };
    tokio::try_join!(starting, waiting)?;
    client.get(IMPORT).await?.expect(200)?;
    Ok(())
}

#[tokio::test]
async fn a_database_that_refuses_ends_the_start_with_a_line_that_names_its_variable() -> Result<()>
{
    let app = App::start().await?;
    let nowhere = format!("{}_that_nobody_made", app.database());
    let cli = async |arguments: &[&str]| {
        let output = app
            .cli_with(arguments, &[("DATABASE_URL", &nowhere)])
            .await?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = stderr.lines().last().unwrap_or_default();
        ensure!(
            output.status.code() == Some(1) && last.starts_with("DATABASE_URL: "),
            "{arguments:?}: {stderr}"
        );
        Ok(())
    };
    cli(&["serve"]).await?;
    cli(&["key", "list"]).await
}

#[tokio::test]
async fn a_database_killed_again_and_again_stores_each_record_once() -> Result<()> {
    let (mut postgres, app) = on_private_database(2).await?;
    let client = app.client().await?;
    let mut batches = Vec::new();
    for round in 0..4_u64 {
        let all = records("A", 15_000, &format!("v{round}"));
        let key = format!("key-{round}");
        // The answer may be lost with the database; then the client tries again under its key.
        let sending = eventually(LATER, async || {
            Accepted::read(client.import_once(&key, &all).await?)
        });
        let killing = async {
            // As many requests as it takes for the import to be somewhere between its head and its answer.
            for _ in 0..round * 40 {
                client.get("/health/live").await?;
            }
            postgres.kill()?;
            postgres.start_again().await
        };
        let (accepted, killed) = tokio::join!(sending, killing);
        killed?;
        batches.push((accepted?, all));
        postgres.kill()?;
        postgres.start_again().await?;
    }
    let mut created = 0;
    for (accepted, _) in &batches {
        let batch = eventually(LATER, async || {
            client.completed(&accepted.batch_id, Duration::ZERO).await
        })
        .await?;
        created += check::outcome(&batch, "created")?;
    }
    ensure!(created == 15_000, "{created} were created, not each once");
    let (newest, all) = batches.last().context("no batch")?;
    let batch = client.batch(&newest.batch_id).await?;
    ensure!(check::outcome(&batch, "superseded")? == 0, "{batch}");
    check::stored_sample(&client, all, &newest.batch_id, 300).await?;
    let list = client.get(IMPORT).await?.expect(200)?.json()?;
    let count = list["items"].as_array().map_or(0, Vec::len);
    ensure!(count == batches.len(), "{count} batches: {list}");
    Ok(())
}

#[tokio::test]
async fn a_cache_that_is_down_full_or_frozen_is_missed_by_nobody() -> Result<()> {
    let mut redis = Redis::start().await?;
    let endpoints = Endpoints {
        redis: redis.url(),
        ..Endpoints::from_environment()?
    };
    let app = App::setup()
        .on(Backends::on(&endpoints).await?)
        .start()
        .await?;
    let client = app.client().await?;
    redis.command("CONFIG SET maxmemory 1").await?;
    client
        .import_and_wait(&records("A", 100, "1"), SOON)
        .await?;
    redis.process()?.freeze()?;
    client
        .import_and_wait(&records("B", 100, "1"), SOON)
        .await?;
    redis.process()?.thaw()?;
    redis.kill()?;
    let batch = client
        .import_and_wait(&records("C", 100, "1"), SOON)
        .await?;
    ensure!(check::outcome(&batch, "created")? == 100, "{batch}");
    eventually(SOON, async || {
        let answer = client.get("/health/ready").await?.expect(200)?;
        ensure!(
            answer.text()?.contains("cache degraded"),
            "{:?}",
            answer.text()
        );
        Ok(())
    })
    .await?;
    redis.start_again().await?;
    eventually(SOON, async || {
        let answer = client.get("/health/ready").await?.expect(200)?;
        ensure!(answer.text()?.contains("cache ok"), "{:?}", answer.text());
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_request_that_the_database_does_not_answer_is_given_up_there_too() -> Result<()> {
    let (_postgres, app) = on_private_database(1).await?;
    let client = app.client().await?;
    let draft = client.draft(&form()).await?;
    let form = client.published(&form()).await?;
    let days = ("2026-03-01", "2026-03-31");
    let paths = [overview(days)]
        .into_iter()
        .chain(Of::ALL.map(|of| of.path(&form, days, "")));
    let paths: Vec<String> = paths.collect();
    // Each takes a connection of the service, which has fewer.
    let changes = vec![format!("{}/publish", form_path(&draft)); 40];
    // One statement, so that it is one transaction: it holds what all of them read until it is ended.
    let lock = "LOCK TABLE rollup, feedback, form_version, form; SELECT pg_sleep(600)";
    let refused = async {
        eventually(SOON, async || {
            let granted =
                "SELECT count(*) FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock'
                           AND relation = 'rollup'::regclass";
            ensure!(app.sql(granted).await? == "1", "not held yet");
            Ok(())
        })
        .await?;
        for path in &paths {
            unavailable(&client, Method::GET, path).await?;
        }
        let changes = changes.iter().map(|path| client.post(path));
        for refused in join_all(changes).await {
            refused?.problem(503, "unavailable")?;
        }
        // What needs none of these tables has a connection again, beside all that was given up.
        eventually(SOON, async || client.get(IMPORT).await?.expect(200)).await?;
        eventually(SOON, async || {
            let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
            let count = app.sql(waiting).await?;
            ensure!(count == "0", "{count} still wait");
            Ok(())
        })
        .await
    };
    tokio::select! {
        refused = refused => refused?,
        ended = app.sql(lock) => anyhow::bail!("not held: {ended:?}"),
    }
    let end =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LOCK TABLE%'";
    app.sql(end).await?;
    for path in &paths {
        eventually(SOON, async || client.get(path).await?.expect(200)).await?;
    }
    let publish = changes.first().context("no change")?;
    client.post(publish).await?.expect(200)?;
    Ok(())
}

#[tokio::test]
async fn a_database_that_is_read_only_after_a_failover_is_unavailable_and_missed_no_longer()
-> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let batch = client.import_and_wait(&records("A", 10, "1"), SOON).await?;
    // Who reads a recipient sees a phone, which is noted.
    let batch = format!("{IMPORT}/{}", batch["batch_id"].as_str().context("no id")?);
    let name = app.sql("SELECT current_database()").await?;
    let read_only = "default_transaction_read_only";
    let ended = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid()";
    // As with an address that leads to the old primary, which takes no writes any more.
    app.sql(&format!("ALTER DATABASE \"{name}\" SET {read_only} = on"))
        .await?;
    app.sql(ended).await?;
    eventually(SOON, async || client.get(&batch).await?.expect(200)).await?;
    for _ in 0..3 {
        unavailable(&client, Method::POST, IMPORT).await?;
        client.get(&batch).await?.expect(200)?;
    }
    // Whoever connects now meets a server that takes writes; who stays connected does not.
    app.sql(&format!(
        "BEGIN READ WRITE; ALTER DATABASE \"{name}\" RESET {read_only}; COMMIT"
    ))
    .await?;
    let all = records("B", 6_000, "1");
    eventually(SOON, async || client.import(&all).await).await?;
    client.import_and_wait(&records("C", 10, "1"), SOON).await?;
    Ok(())
}

#[tokio::test]
async fn the_planner_knows_within_seconds_that_a_table_has_grown() -> Result<()> {
    let app = App::setup().start().await?;
    let client = app.client().await?;
    client
        .import_and_wait(&records("A", 5_000, "1"), LATER)
        .await?;
    eventually(SOON, async || {
        let estimated =
            "SELECT reltuples::bigint::text FROM pg_class WHERE oid = 'recipient'::regclass";
        let estimated: i64 = app.sql(estimated).await?.trim().parse()?;
        ensure!(estimated >= 5_000, "{estimated}");
        Ok(())
    })
    .await
}
