//! Contract §6, `feedback import FILE`: the command line speaks HTTP like any client.

use std::process::Output;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::app::{App, Keys};
use tests::import::{array, ndjson, record, records};
use tests::wait::{SOON, eventually};

async fn import_file(app: &App, keys: &Keys, name: &str, body: &[u8]) -> Result<Output> {
    let path = app.folder().join(name);
    std::fs::write(&path, body)?;
    let path = path.to_str().context("a path")?.to_owned();
    let base = app.apis.first().context("no api")?.base();
    let variables = [
        ("FEEDBACK_URL", base.as_str()),
        ("FEEDBACK_API_KEY", &keys.api_key),
        ("FEEDBACK_SECRET_KEY", &keys.secret_key),
    ];
    app.cli_with(&["import", &path], &variables).await
}

#[tokio::test]
async fn a_file_of_each_kind_is_imported() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    for (name, body, docid) in [
        ("all.json", array(&records("A", 50, "1")), "A-49"),
        ("all.ndjson", ndjson(&records("B", 50, "1")), "B-49"),
        ("all.csv", "docid,phone\nC1,+4915112345678\n".into(), "C1"),
    ] {
        let output = import_file(&app, &keys, name, &body).await?;
        ensure!(output.status.success(), "{name}: {output:?}");
        eventually(SOON, async || client.recipient(docid).await?.expect(200)).await?;
    }
    Ok(())
}

#[tokio::test]
async fn rejected_records_are_listed_and_make_it_fail() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let mixed = [record("A1"), json!({"docid": "A2", "phone": "12"})];
    let output = import_file(&app, &keys, "mixed.json", &array(&mixed)).await?;
    ensure!(output.status.code() == Some(1), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(printed.contains("phone_invalid"), "not listed: {output:?}");
    let client = app.anonymous()?.with_keys(&keys);
    eventually(SOON, async || client.recipient("A1").await?.expect(200)).await?;

    let output = import_file(&app, &keys, "broken.json", b"[{").await?;
    ensure!(!output.status.success(), "{output:?}");
    Ok(())
}
