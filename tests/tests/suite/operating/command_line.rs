//! Contract §6, `feedback import FILE`, `form …` and `link …`: the command line speaks HTTP like any client.

use std::process::Output;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
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

#[tokio::test]
async fn forms_and_links_are_made_from_the_command_line() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let base = app.anonymous()?.base().to_owned();
    let variables = [
        ("FEEDBACK_URL", base.as_str()),
        ("FEEDBACK_API_KEY", keys.api_key.as_str()),
        ("FEEDBACK_SECRET_KEY", keys.secret_key.as_str()),
    ];
    let run = async |arguments: &[&str]| -> Result<String> {
        let output = app.cli_with(arguments, &variables).await?;
        ensure!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8(output.stdout)?)
    };
    let path = app.folder().join("form.json");
    std::fs::write(&path, tests::form::form().to_string())?;
    let path = path.display().to_string();
    let draft: Value = serde_json::from_str(&run(&["form", "create", &path, "--json"]).await?)?;
    let form_id = draft["form_id"].as_str().context("no form_id")?;
    ensure!(draft["status"] == "DRAFT", "{draft}");
    let refused = app
        .cli_with(&["link", "create", form_id], &variables)
        .await?;
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    ensure!(
        refused.status.code() == Some(1) && told.contains("form_not_published"),
        "{told}"
    );
    run(&["form", "publish", form_id]).await?;
    let listed = run(&["form", "list", "PUBLISHED"]).await?;
    ensure!(
        listed.lines().count() == 1 && listed.contains(form_id),
        "{listed}"
    );
    let shown = run(&["form", "show", form_id]).await?;
    ensure!(
        shown.contains("PUBLISHED")
            && shown.contains("recommend")
            && shown.contains("store:Hamburg"),
        "{shown}"
    );
    let url = run(&[
        "link",
        "create",
        form_id,
        "1_3",
        "--track",
        "order=47=11",
        "--track",
        "who=Ünï & more",
        "--max-responses",
        "2",
    ])
    .await?;
    let url = url.trim();
    let token = url.rsplit('/').next().context("no link")?;
    ensure!(url == format!("{base}/f/{token}"), "{url}");
    let link = run(&["link", "show", token, "--json"]).await?;
    let link: Value = serde_json::from_str(&link)?;
    ensure!(
        link["track_fields"] == json!({"order": "47=11", "who": "Ünï & more"})
            && link["bus_props"] == serde_json::json!(["store:Berlin", "channel:sms"])
            && link["max_responses"] == 2,
        "{link}"
    );
    run(&["link", "delete", token]).await?;
    let gone = app.cli_with(&["link", "show", token], &variables).await?;
    ensure!(gone.status.code() == Some(1), "{gone:?}");
    // What is wrong with a file is told with its places.
    let broken = app.folder().join("broken.json");
    std::fs::write(&broken, r#"{"title": "", "fields": [{"key": "A"}]}"#)?;
    let broken = broken.display().to_string();
    let refused = app
        .cli_with(&["form", "create", &broken], &variables)
        .await?;
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    ensure!(
        refused.status.code() == Some(1)
            && told.contains("/title")
            && told.contains("/fields/0/key"),
        "{told}"
    );
    Ok(())
}

#[tokio::test]
async fn a_mistyped_data_folder_is_told_and_not_made() -> Result<()> {
    let app = App::start().await?;
    let elsewhere = app.folder().join("elsewhere");
    let folder = elsewhere.display().to_string();
    let variables = [("FEEDBACK_DATA_DIR", folder.as_str()), ("DATABASE_URL", "")];
    for command in ["verify", "rebuild"] {
        let output = app.cli_with(&[command], &variables).await?;
        let told = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.code() == Some(1) && told.contains(&folder),
            "{command}: {told}"
        );
        ensure!(!elsewhere.exists(), "{command} made {folder}");
    }
    Ok(())
}
