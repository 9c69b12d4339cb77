//! The first start of the embedded service, and its files. Servers are for operators, who make keys and databases themselves.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tests::app::App;
use tests::form::{PAIRS, pairs};
use tests::import::records;
use tests::person::{PASSWORD, Person};
use tests::wait::{SOON, eventually};

#[tokio::test]
async fn the_first_start_makes_a_key_and_the_second_does_not() -> Result<()> {
    let mut app = App::start().await?;
    let path = app.folder().join("data/first-key.json");
    let key: Value = eventually(SOON, async || {
        Ok(serde_json::from_slice(&fs::read(&path)?)?)
    })
    .await?;
    let mode = fs::metadata(&path)?.permissions().mode();
    ensure!(mode & 0o777 == 0o600, "mode {mode:o}");
    let call = app
        .anonymous()?
        .call(reqwest::Method::GET, tests::import::IMPORT);
    call.header("x-api-key", key["api_key"].as_str().unwrap_or_default())
        .header(
            "x-secret-key",
            key["secret_key"].as_str().unwrap_or_default(),
        )
        .send()
        .await?
        .expect(200)?;
    let before = app.succeeds(&["key", "list"]).await?;
    app.api()?.stop().await?;
    app.api()?.start_again().await?;
    let after = app.succeeds(&["key", "list"]).await?;
    ensure!(
        before.lines().count() == after.lines().count(),
        "another key was made: {after}"
    );
    Ok(())
}

/// The path of the link that the last start printed.
async fn first_link(app: &mut App) -> Result<String> {
    let api = app.api()?;
    let base = api.base();
    eventually(SOON, async || {
        let log = api.process.log()?;
        let words = log.split_whitespace();
        let mut links = words.filter_map(|word| word.strip_prefix(&base));
        let link = links.rfind(|path| path.starts_with("/dashboard/sign-in/"));
        Ok(link.context("no link")?.to_owned())
    })
    .await
}

#[tokio::test]
async fn the_first_start_leads_its_first_admin_in() -> Result<()> {
    let mut app = App::start().await?;
    let stale = first_link(&mut app).await?;
    app.api()?.stop().await?;
    app.api()?.start_again().await?;
    let link = first_link(&mut app).await?;
    let client = app.anonymous()?;
    client.get(&stale).await?.expect(410)?;
    let page = client.get(&link).await?.expect(200)?;
    for part in ["<option>Europe/Berlin</option>", "name=\"password\""] {
        ensure!(page.text()?.contains(part), "no {part}: {page:?}");
    }
    let choose = async |fields: &[(&str, &str)]| {
        let call = client.call(reqwest::Method::POST, &link);
        let call = call.header("origin", client.base());
        call.body(PAIRS, pairs(fields)).send().await
    };
    let berlin = ("time_zone", "Europe/Berlin");
    let company = ("company", "Bäckerei Sonne");
    let wrong = choose(&[("name", "Ada"), ("password", "short"), company, berlin]).await?;
    let wrong = wrong.expect(422)?;
    for kept in [
        "value=\"Ada\"",
        "value=\"Bäckerei Sonne\"",
        "<option selected>Europe/Berlin",
        "At least 10",
    ] {
        ensure!(wrong.text()?.contains(kept), "no {kept}: {wrong:?}");
    }
    let fields = [("name", "Ada"), ("password", PASSWORD), company, berlin];
    let signed_in = choose(&fields).await?.expect(303)?;
    let admin = Person::of_answer(&client, &signed_in)?;
    choose(&fields).await?.expect(410)?;
    Person::sign_in(&client, "ada").await?;
    // What is left to do stands on the overview, and that nothing reaches a phone.
    let overview = admin.get("/dashboard").await?.expect(200)?;
    for words in [
        "0 / 4",
        "Connect an SMS provider",
        "Simulated:",
        ">Bäckerei Sonne<",
    ] {
        ensure!(overview.text()?.contains(words), "no {words}: {overview:?}");
    }
    // The zone changes until something is counted.
    let zone = "/dashboard/company/time-zone";
    let vienna = [("time_zone", "Europe/Vienna")];
    admin.post(zone, &vienna).await?.expect(303)?;
    let keys = app.create_key("default", &[]).await?;
    let owner = client.with_keys(&keys);
    let report = owner
        .get("/api_v1/report/overview/2026-01-01/2026-01-02")
        .await?;
    let report = report.expect(200)?.json()?;
    ensure!(report["time_zone"] == "Europe/Vienna", "{report}");
    owner.import_and_wait(&records("A", 1, "1"), SOON).await?;
    let refused = admin.post(zone, &[berlin]).await?.expect(200)?;
    ensure!(
        refused.text()?.contains("cannot be changed any more"),
        "{refused:?}"
    );
    let overview = admin.get("/dashboard").await?.expect(200)?;
    ensure!(overview.text()?.contains("1 / 4"), "{overview:?}");
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    for what in ["person.add", "account.time-zone"] {
        ensure!(log.text()?.contains(what), "no {what}: {log:?}");
    }
    Ok(())
}

#[tokio::test]
async fn nobody_is_led_into_an_account_that_ends() -> Result<()> {
    let mut app = App::start().await?;
    first_link(&mut app).await?;
    let stop = "CREATE TRIGGER stop BEFORE DELETE ON import_counter BEGIN SELECT RAISE(ABORT, 'stop'); END";
    app.sql(stop).await?;
    let end = ["account", "end", "default", "--yes"];
    app.refuses(&end, "not finished").await?;
    app.api()?.stop().await?;
    app.api()?.start_again().await?;
    let log = app.api()?.process.log()?;
    let links = log.matches("/dashboard/sign-in/").count();
    ensure!(links == 1, "{log}");
    Ok(())
}

#[tokio::test]
async fn files_are_their_owner_s_alone_and_a_clean_end_leaves_no_log() -> Result<()> {
    let mut app = App::start().await?;
    let client = app.client().await?;
    client.import_and_wait(&records("A", 20, "1"), SOON).await?;
    let data = app.folder().join("data");
    let files = || {
        let files = fs::read_dir(&data)?.collect::<Result<Vec<_>, _>>()?;
        let files = files.into_iter().map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            Ok((name, file.metadata()?.permissions().mode() & 0o777))
        });
        files.collect::<Result<Vec<_>>>()
    };
    let is_log = |(name, _): &(String, u32)| name.ends_with("-wal");
    let running = files()?;
    ensure!(running.iter().any(is_log), "no log: {running:?}");
    ensure!(
        running.iter().all(|(_, mode)| *mode == 0o600),
        "others may read: {running:?}"
    );
    let status = app.api()?.stop().await?;
    ensure!(status.code() == Some(0), "ended with {status}");
    let ended = files()?;
    ensure!(!ended.iter().any(is_log), "a log is left: {ended:?}");
    Ok(())
}
