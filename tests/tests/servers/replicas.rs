//! A standby answers what only reads, and nobody notices but the primary.

use anyhow::{Context, Result, bail, ensure};
use tests::app::{App, Backends};
use tests::client::Client;
use tests::form::{FORM, short_form};
use tests::import::records;
use tests::report::overview;
use tests::servers::{Durability, Endpoints, Postgres, psql};
use tests::wait::{SOON, eventually};

const LISTS: u64 = 300;

/// A service on a primary that reads from its standby, and the database's name.
async fn start(primary: &Postgres, standby: &Postgres) -> Result<(App, String)> {
    let endpoints = Endpoints::from_environment()?.on(primary);
    let backends = Backends::on(&endpoints).await?;
    let Backends::Servers(lease) = &backends else {
        bail!("not on servers");
    };
    let (_, database) = lease.database.rsplit_once('/').context("no database")?;
    let database = database.to_owned();
    let setup = App::setup().on(backends);
    let setup = setup.setting("DATABASE_READ_URL", &standby.url(&database));
    Ok((setup.start().await?, database))
}

/// Transactions that the standby ended in a database, as far as it has counted them.
async fn ended(standby: &Postgres, database: &str) -> Result<u64> {
    let ended = format!(
        "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{database}'"
    );
    Ok(psql(&standby.url("postgres"), &ended).await?.parse()?)
}

/// Makes things one after the other, each of which is listed at once.
async fn sees_what_it_made(client: &Client, forms: usize) -> Result<()> {
    for n in 0..forms {
        let form = client.draft(&short_form(&format!("Form {n}"))).await?;
        let id = form["form_id"].as_str().context("no id")?;
        client.get(&format!("{FORM}/{id}")).await?.expect(200)?;
        let list = client.get(&format!("{FORM}/list/DRAFT")).await?;
        ensure!(list.expect(200)?.text()?.contains(id), "{id} is not listed");
    }
    let accepted = client.import(&records("A", 10, "v")).await?;
    client.batch(&accepted.batch_id).await.map(drop)
}

#[tokio::test]
async fn a_standby_answers_reads_and_shows_no_older_state() -> Result<()> {
    let primary = Postgres::start(Durability::Fast).await?;
    let mut standby = primary.standby().await?;
    let (app, database) = start(&primary, &standby).await?;
    let client = app.client().await?;
    let list = format!("{FORM}/list/DRAFT");
    sees_what_it_made(&client, 30).await?;

    // Reads go to the standby.
    let before = ended(&standby, &database).await?;
    for _ in 0..LISTS {
        client.get(&list).await?.expect(200)?;
    }
    eventually(SOON, async || {
        let after = ended(&standby, &database).await?;
        ensure!(after >= before + LISTS / 2, "{before} and then {after}");
        Ok(())
    })
    .await?;

    let api = app.apis.first().context("no api")?;
    let scraped = client.at(api.base()).get("/metrics").await?.expect(200)?;
    let (host, port) = standby.address();
    let shown = format!("feedback_replica_lag_seconds{{replica=\"{host}:{port}\"}}");
    ensure!(scraped.text()?.contains(&shown), "no {shown}");
    let found = app.succeeds(&["doctor"]).await?;
    ensure!(found.contains("no. 1 is PostgreSQL"), "{found}");

    // One that stands still is not asked, however short or long.
    psql(&standby.url("postgres"), "SELECT pg_wal_replay_pause()").await?;
    sees_what_it_made(&client, 30).await?;
    let report = client.get(&overview(("2026-01-01", "2026-01-31"))).await?;
    report.expect(200)?;
    psql(&standby.url("postgres"), "SELECT pg_wal_replay_resume()").await?;
    sees_what_it_made(&client, 10).await?;

    // Without it the primary answers, once it does not wait for it.
    standby.kill()?;
    eventually(SOON, async || app.refuses(&["doctor"], "are wrong").await).await?;
    let admin = primary.url("postgres");
    psql(&admin, "ALTER SYSTEM SET synchronous_standby_names = ''").await?;
    psql(&admin, "SELECT pg_reload_conf()").await?;
    for _ in 0..LISTS {
        client.get(&list).await?.expect(200)?;
    }
    sees_what_it_made(&client, 10).await?;
    // It comes back.
    standby.start_again().await?;
    sees_what_it_made(&client, 10).await
}
