//! The end of an account: nothing of it is left in any table, and others have all that they had.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use entity::tables;
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::client::Client;
use tests::form::{PAIRS, form, pairs};
use tests::import::{record, records};
use tests::person::{PASSWORD, try_sign_in};
use tests::visitor::Visitor;
use tests::wait::LATER;

/// How many rows each account has in each table.
async fn rows(app: &App) -> Result<BTreeMap<String, Vec<String>>> {
    let mut all = BTreeMap::<String, Vec<String>>::new();
    for table in tables() {
        if !table.columns.iter().any(|one| one.name == "account_id") {
            continue;
        }
        let hex = if app.embedded() {
            "lower(hex(account_id))"
        } else {
            "replace(CAST(account_id AS text), '-', '')"
        };
        let name = &table.name;
        // What stands for a person who was erased goes a little later.
        let which = match name.as_str() {
            "recipient" => "WHERE phone IS NOT NULL",
            _ => "",
        };
        let count = format!(
            "SELECT {hex}, count(*) FROM {name} {which} GROUP BY account_id ORDER BY account_id"
        );
        for line in app.sql(&count).await?.lines() {
            let (account, rows) = line.split_once('|').unwrap_or_default();
            let of_account = all.entry(account.to_owned()).or_default();
            of_account.push(format!("{name} {rows}"));
        }
    }
    Ok(all)
}

/// Something of each kind.
async fn fill(app: &App, client: &Client, account: &str) -> Result<Visitor> {
    let form = client.published(&form()).await?;
    let link = client
        .link(&form, "", &[("track_field", "docid=a")])
        .await?;
    let visitor = Visitor::new(&app.anonymous()?, &link)?;
    visitor.stored(&json!({"recommend": 9})).await?;
    client.counted(&link, 1, 1).await?;
    let campaign = client.running("demo", &[record("a")]).await?;
    client.until_first(&campaign, "delivered", 1).await?;
    client.erase("a").await?.expect(204)?;
    let people = records(account, 2_500, "1");
    client.import_and_wait(&people, LATER).await?;
    app.person(&format!("ada.{account}"), account, "admin")
        .await?;
    Ok(visitor)
}

/// Has the database do this for each row of a table that is deleted.
async fn trigger(app: &App, table: &str, embedded: &str, server: &str) -> Result<()> {
    if app.embedded() {
        let trigger =
            format!("CREATE TRIGGER at_end AFTER DELETE ON {table} BEGIN {embedded}; END");
        return app.sql(&trigger).await.map(drop);
    }
    let function = format!(
        "CREATE FUNCTION at_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {server}; RETURN OLD; END $$"
    );
    app.sql(&function).await?;
    let trigger = format!(
        "CREATE TRIGGER at_end AFTER DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION at_end()"
    );
    app.sql(&trigger).await.map(drop)
}

#[tokio::test]
async fn an_account_whose_end_has_begun_has_no_way_in() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_SENDERS", "demo=demo:?delay=10ms&failures=0")
        .start()
        .await?;
    let client = app.client_of("ends").await?;
    let visitor = fill(&app, &client, "ends").await?;
    let ada = app.person("ada", "ends", "admin").await?;
    let anybody = app.anonymous()?;
    // It does not get past the imports.
    let embedded = "SELECT RAISE(ABORT, 'it is stopped')";
    let server = "RAISE EXCEPTION 'it is stopped'";
    trigger(&app, "import_batch", embedded, server).await?;
    let end = ["account", "end", "ends", "--yes"];
    app.refuses(&end, "not finished: run the command again")
        .await?;
    client
        .get("/api_v1/account")
        .await?
        .problem(401, "unauthenticated")?;
    let tried = try_sign_in(&anybody, "ada", PASSWORD).await?;
    ensure!(tried.status == 401, "a password fits: {tried:?}");
    ada.get("/dashboard").await?.expect(303)?;
    visitor.page().await?.expect(410)?;
    // Nobody is added to it by either of its names, and nothing is made of them.
    for name in ["ends", "ends (ending)", "other (ending)"] {
        let key = ["key", "create", "--account", name];
        app.refuses(&key, "is being deleted").await?;
        let person = ["user", "add", "ben", "--account", name];
        let person = [&person[..], &["--role", "admin", "--link"]].concat();
        app.refuses(&person, "there is no account").await?;
    }
    // The same command goes on.
    let dropped = if app.embedded() {
        "DROP TRIGGER at_end"
    } else {
        "DROP TRIGGER at_end ON import_batch"
    };
    app.sql(dropped).await?;
    app.succeeds(&end).await?;
    app.refuses(&end, "there is no account").await
}

#[tokio::test]
async fn what_is_changed_in_the_moment_in_which_an_account_is_gone_is_no_fault() -> Result<()> {
    let mut app = App::start().await?;
    let client = app.client_of("ends").await?;
    let ada = app.person("ada", "ends", "editor").await?;
    let token = ada.token().await?;
    // For a moment the key and the session are still remembered.
    client.get("/api_v1/account").await?.expect(200)?;
    for table in [
        "audit",
        "session",
        "person",
        "api_secret",
        "api_key",
        "import_counter",
        "account",
    ] {
        app.sql(&format!("DELETE FROM {table}")).await?;
    }
    let setting = json!({"stop_words": ["end"]});
    let change = client.send_json(Method::PUT, "/api_v1/sms/setting", &setting);
    change.await?.problem(401, "unauthenticated")?;
    let fields = pairs(&[("token", token.as_str()), ("title", "The last one")]);
    let call = ada.call(Method::POST, "/dashboard/forms/new");
    let call = call.header("origin", client.base()).body(PAIRS, fields);
    let led_out = call.send().await?.expect(303)?;
    ensure!(
        led_out.header("location") == Some("/dashboard/sign-in"),
        "{led_out:?}"
    );
    // What the databases call it.
    let api = app.api()?;
    api.names_nobody(&["FOREIGN KEY", "foreign key"]).await
}

#[tokio::test]
async fn of_an_account_that_ended_nothing_is_left_and_of_others_all() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_SENDERS", "demo=demo:?delay=10ms&failures=0")
        .start()
        .await?;
    let [ends, stays] = [app.client_of("ends").await?, app.client_of("stays").await?];
    fill(&app, &ends, "ends").await?;
    fill(&app, &stays, "stays").await?;
    app.refuses(&["account", "end", "ends"], "--yes").await?;
    app.refuses(
        &["account", "end", "nobody", "--yes"],
        "there is no account",
    )
    .await?;
    // One that was called so by itself, before that was refused.
    let call = async |name: &str, other: &str| {
        let call = format!("UPDATE account SET name = '{name}' WHERE name = '{other}'");
        app.sql(&call).await.map(drop)
    };
    call("ends (ending)", "stays").await?;
    let end = ["account", "end", "ends", "--yes"];
    app.refuses(&end, "another account is called").await?;
    call("elsewhere", "ends").await?;
    app.refuses(&end, "there is no account").await?;
    app.create_key("ends (ending)", &[]).await?;
    call("ends", "elsewhere").await?;
    call("stays", "ends (ending)").await?;
    let before = rows(&app).await?;
    // The service made one of its own.
    let filled = before.values().filter(|tables| tables.len() > 20);
    ensure!(filled.count() == 2, "{before:?}");
    // Somebody writes in the moment in which the account's own row goes.
    let late = "INSERT INTO recipient_version (account_id, data_version, stamp, as_of)
                VALUES (OLD.account_id, 1, 1, '2026-01-01T00:00:00+00:00')";
    trigger(&app, "account", late, late).await?;
    let told = app
        .succeeds(&["account", "end", "ends", "--yes", "--json"])
        .await?;
    ensure!(told.contains("\"recipient\":25"), "{told}");
    let after = rows(&app).await?;
    ensure!(after.len() + 1 == before.len(), "{after:?}");
    for (account, tables) in &after {
        // What an erasure takes out of messages and links may go on beside it.
        let of_people = |tables: &[String]| -> Vec<String> {
            let kept = tables.iter().filter(|line| {
                ["recipient ", "feedback ", "form ", "person "]
                    .iter()
                    .any(|name| line.starts_with(name))
            });
            kept.cloned().collect()
        };
        ensure!(
            of_people(tables) == of_people(&before[account]),
            "{before:?} became {after:?}"
        );
    }
    ends.get("/api_v1/account")
        .await?
        .problem(401, "unauthenticated")?;
    stays.get("/api_v1/account").await?.expect(200)?;
    app.succeeds(&["verify"]).await?;
    app.refuses(&end, "there is no account").await
}
