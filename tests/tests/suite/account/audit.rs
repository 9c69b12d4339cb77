//! The audit log: it is sealed, verified by a command, and exported.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::wait::{SOON, eventually};

const LOG: &str = "/api_v1/audit";
/// The command that verifies the log of one account.
const VERIFY: [&str; 4] = ["audit", "verify", "--account", "shop"];

#[tokio::test]
async fn what_is_sealed_within_seconds_cannot_be_changed_unseen() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    eventually(SOON, async || {
        let output = app.cli(&VERIFY).await?;
        let told = String::from_utf8_lossy(&output.stderr);
        let is_sealed = told.contains("shop: 2 rows as they were sealed");
        ensure!(output.status.success() && is_sealed, "{output:?}");
        Ok(())
    })
    .await?;
    app.sql("UPDATE audit SET action = 'key.revoke' WHERE outcome_of IS NULL")
        .await?;
    let output = app.cli(&VERIFY).await?;
    let listed = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.code() == Some(1), "{output:?}");
    ensure!(listed.contains("row_changed"), "{output:?}");
    app.refuses(
        &["audit", "verify", "--account", "nobody"],
        "there is no account",
    )
    .await
}

#[tokio::test]
async fn the_log_is_a_list_and_lines_for_whoever_may_read_it() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &["--scopes", "audit"]).await?;
    let reader = app.anonymous()?.with_keys(&keys);
    let other = app.create_key("shop", &["--scopes", "report,form"]).await?;
    let other = app.anonymous()?.with_keys(&other);
    other.get(LOG).await?.problem(403, "forbidden")?;
    let list = reader.get(LOG).await?.expect(200)?.json()?;
    let actions = |items: &[Value]| -> Vec<_> {
        let items = items
            .iter()
            .map(|item| (item["action"].clone(), item["status"].clone()));
        items.collect()
    };
    let created = (json!("key.create"), json!(200));
    let items = list["items"].as_array().context("no items")?;
    ensure!(actions(items) == vec![created.clone(); 2], "{list}");
    let first = reader.get(&format!("{LOG}?limit=1")).await?.expect(200)?;
    ensure!(first.json()?["next_cursor"].is_string(), "{first:?}");
    let past = reader
        .get(&format!("{LOG}?to=2020-01-01"))
        .await?
        .expect(200)?;
    ensure!(past.json()?["items"] == json!([]), "{past:?}");
    for query in ["from=yesterday", "from=2026-01-02&to=2026-01-01"] {
        let refused = reader.get(&format!("{LOG}?{query}")).await?;
        refused.problem(400, "invalid_parameter")?;
    }
    let lines = async |query: &str| {
        let path = format!("{LOG}?{query}");
        let call = reader.call(Method::GET, &path);
        let answer = call.header("accept", "application/x-ndjson").send().await?;
        let answer = answer.expect(200)?;
        let lines = answer.text()?.lines().map(serde_json::from_str);
        anyhow::Ok(lines.collect::<Result<Vec<Value>, _>>()?)
    };
    // What is exported begins with the row of its export.
    let all = lines("from=2020-01-01").await?;
    let exporting = (json!("audit.export"), json!(null));
    let expected = [exporting, created.clone(), created];
    ensure!(actions(&all) == expected, "{all:?}");
    ensure!(
        all[0]["name"] == keys.api_key && all[0]["subject"] == "2020-01-01 – ",
        "{all:?}"
    );
    let printed = app
        .succeeds(&["audit", "export", "--account", "shop"])
        .await?;
    ensure!(printed.lines().count() == 4, "{printed}");
    let admin = app.person("ada", "shop", "admin").await?;
    let page = admin.get("/dashboard/audit").await?;
    ensure!(page.text()?.contains("/dashboard/audit.ndjson"), "{page:?}");
    let file = admin.get("/dashboard/audit.ndjson").await?.expect(200)?;
    ensure!(file.text()?.contains("\"person.add\""), "{file:?}");
    let editor = app.person("eve", "shop", "editor").await?;
    editor.get("/dashboard/audit.ndjson").await?.expect(403)?;
    Ok(())
}
