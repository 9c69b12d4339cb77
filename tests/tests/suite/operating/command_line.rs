//! `feedback import FILE`, `form …` and `link …`: the command line speaks HTTP like any client.

use std::process::Output;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use rustls::pki_types::PrivatePkcs8KeyDer;
use serde_json::{Value, json};
use tests::app::{App, IssuedKey};
use tests::import::{array, gzip, ndjson, record, records, zstd};
use tests::wait::{LATER, SOON, eventually};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// `feedback import FILE MORE` with this file.
async fn import_file(
    app: &App,
    keys: &IssuedKey,
    name: &str,
    body: &[u8],
    more: &[&str],
) -> Result<Output> {
    let path = app.folder().join(name);
    std::fs::write(&path, body)?;
    let path = path.to_str().context("a path")?;
    run(app, keys, &[&["import", path], more].concat(), b"").await
}

/// Runs a command that calls the first api with these keys.
async fn run(app: &App, keys: &IssuedKey, arguments: &[&str], input: &[u8]) -> Result<Output> {
    let base = app.apis.first().context("no api")?.base();
    let variables = [
        ("FEEDBACK_URL", base.as_str()),
        ("FEEDBACK_API_KEY", &keys.api_key),
        ("FEEDBACK_SECRET_KEY", &keys.secret_key),
    ];
    app.cli_fed(LATER, arguments, &variables, input).await
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
        (
            "all.json.gz",
            gzip(b"[{\"docid\":\"D1\",\"phone\":\"+4915112345678\"}]")?,
            "D1",
        ),
        (
            "all.v2.csv.zst",
            zstd(b"docid,phone\nE1,+4915112345678\n")?,
            "E1",
        ),
    ] {
        let output = import_file(&app, &keys, name, &body, &[]).await?;
        ensure!(output.status.success(), "{name}: {output:?}");
        eventually(SOON, async || client.recipient(docid).await?.expect(200)).await?;
    }
    Ok(())
}

#[tokio::test]
async fn standard_input_is_imported_as_the_format_that_is_named() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let piped = ["import", "-", "--format", "csv"];
    let output = run(&app, &keys, &piped, b"docid,phone\nC1,+4915112345678\n").await?;
    ensure!(output.status.success(), "{output:?}");
    client.recipient("C1").await?.expect(200)?;
    Ok(())
}

#[tokio::test]
async fn what_the_command_line_cannot_mean_is_told_apart_from_what_fails() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let unknown = "01a20844-efa0-75f7-90f6-391f346adb0c";
    for (arguments, code, expected) in [
        (&["import", "-"][..], 2, "--format"),
        (&["import", "people.txt"], 2, "--format"),
        (&["import", "people.csv.xz"], 2, "--format"),
        (&["import", "people.csv", "--format", "xml"], 2, "ndjson"),
        (&["import"], 2, "FILE"),
        (&["form", "list", "public"], 2, "published"),
        (&["key", "create"], 2, "--account"),
        (&["report", "overview", "2026-03-01"], 2, "END"),
        (&["forms"], 2, "form"),
        (&["import", "nowhere.csv"], 1, "nowhere.csv"),
        (&["form", "show", unknown], 1, "not_found"),
        (
            &["report", "overview", "2026-13-01", "2026-03-08"],
            1,
            "invalid_parameter",
        ),
        (&["form", "list"], 0, ""),
        (&["form", "--help"], 0, ""),
    ] {
        let output = run(&app, &keys, arguments, b"").await?;
        let line = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.code() == Some(code) && line.contains(expected),
            "{arguments:?}: {output:?}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn whoever_reads_no_further_makes_no_error() -> Result<()> {
    let app = App::start().await?;
    let (reader, writer) = std::io::pipe()?;
    drop(reader);
    let list = app
        .shell("feedback key list --json")?
        .stdout(writer)
        .output()
        .await?;
    ensure!(list.status.success() && list.stderr.is_empty(), "{list:?}");
    Ok(())
}

#[tokio::test]
async fn an_import_is_printed_for_people_or_as_one_json_value() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let bad: Vec<_> = (0..130)
        .map(|n| json!({"docid": format!("bad-{n}"), "phone": "12"}))
        .collect();
    let body = array(&[&bad[..], &[record("A1")]].concat());
    for (more, errors) in [(&["--json"][..], 100), (&["--json", "--all-errors"], 130)] {
        let output = import_file(&app, &keys, "mixed.json", &body, more).await?;
        ensure!(output.status.code() == Some(1), "{output:?}");
        let batch: Value = serde_json::from_slice(&output.stdout)?;
        let listed = batch["errors"].as_array().context("no errors")?;
        ensure!(listed.len() == errors, "{} errors", listed.len());
        ensure!(
            batch["rejected"] == 130 && batch["status"] == "completed",
            "{batch}"
        );
        ensure!(listed[0]["code"] == "phone_invalid", "{batch}");
    }
    // Nothing of a body without a valid record is stored: why is said in the same way.
    let output = import_file(&app, &keys, "bad.json", &array(&bad), &["--json"]).await?;
    let problem: Value = serde_json::from_slice(&output.stdout)?;
    ensure!(problem["code"] == "validation_failed", "{problem}");
    let output = import_file(&app, &keys, "mixed.json", &body, &[]).await?;
    let printed = String::from_utf8(output.stdout)?;
    for text in [
        "batch_id",
        "accepted       1\n",
        "rejected       130\n",
        "unchanged: 1",
    ] {
        ensure!(printed.contains(text), "no {text} in {printed}");
    }
    Ok(())
}

#[tokio::test]
async fn the_first_100_errors_are_printed_or_all_of_them() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let mut mixed: Vec<_> = (0..130)
        .map(|n| json!({"docid": format!("bad-{n}"), "phone": "12"}))
        .collect();
    // Nothing is stored of a body without any valid record: the answer has all the errors that are kept.
    let refused = import_file(&app, &keys, "bad.json", &array(&mixed), &[]).await?;
    mixed.push(record("A1"));
    let body = array(&mixed);
    let first = import_file(&app, &keys, "mixed.json", &body, &[]).await?;
    let all = import_file(&app, &keys, "mixed.json", &body, &["--all-errors"]).await?;
    for (output, printed, hint) in [(refused, 100, true), (first, 100, true), (all, 130, false)] {
        ensure!(output.status.code() == Some(1), "{output:?}");
        let lines = String::from_utf8_lossy(&output.stdout);
        let errors = lines.lines().filter(|line| line.contains("phone_invalid"));
        ensure!(errors.count() == printed, "{output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let hinted = stderr.contains("the first 100 errors of 130 rejected records");
        ensure!(hinted == hint, "{stderr}");
    }
    Ok(())
}

#[tokio::test]
async fn the_service_is_called_over_https_by_whom_the_system_trusts() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let trusted = app.folder().join("trusted.pem");
    std::fs::write(&trusted, certified.cert.pem())?;
    let trusted = trusted.to_str().context("a path")?;
    let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key.into())?;
    let tls = TlsAcceptor::from(Arc::new(tls));
    let proxy = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("https://localhost:{}", proxy.local_addr()?.port());
    let service = app.anonymous()?.base().replace("http://", "");
    tokio::spawn(async move {
        while let Ok((client, _)) = proxy.accept().await {
            let (tls, service) = (tls.clone(), service.clone());
            tokio::spawn(async move {
                let mut client = tls.accept(client).await?;
                let mut service = TcpStream::connect(service).await?;
                copy_bidirectional(&mut client, &mut service).await
            });
        }
    });
    for (certificates, trusts) in [(trusted, true), ("/dev/null", false)] {
        let variables = [
            ("FEEDBACK_URL", url.as_str()),
            ("FEEDBACK_API_KEY", &keys.api_key),
            ("FEEDBACK_SECRET_KEY", &keys.secret_key),
            ("SSL_CERT_FILE", certificates),
        ];
        let output = app.cli_with(&["form", "list"], &variables).await?;
        ensure!(output.status.success() == trusts, "{output:?}");
    }
    Ok(())
}

#[tokio::test]
async fn rejected_records_are_listed_and_make_it_fail() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let mixed = [record("A1"), json!({"docid": "A2", "phone": "12"})];
    let output = import_file(&app, &keys, "mixed.json", &array(&mixed), &[]).await?;
    ensure!(output.status.code() == Some(1), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(printed.contains("phone_invalid"), "not listed: {output:?}");
    let client = app.anonymous()?.with_keys(&keys);
    eventually(SOON, async || client.recipient("A1").await?.expect(200)).await?;

    let output = import_file(&app, &keys, "broken.json", b"[{", &[]).await?;
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
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    ensure!(
        refused.status.code() == Some(1) && stderr.contains("form_not_published"),
        "{stderr}"
    );
    let edited = app.folder().join("edited.json");
    let mut edit: Value = serde_json::from_str(&run(&["form", "show", form_id, "--json"]).await?)?;
    edit["title"] = json!("Edited");
    std::fs::write(&edited, edit.to_string())?;
    let edited = edited.display().to_string();
    let replaced = run(&["form", "replace", form_id, &edited]).await?;
    ensure!(replaced.contains("Edited"), "{replaced}");
    run(&["form", "publish", form_id]).await?;
    let listed = run(&["form", "list", "PUBLISHED"]).await?;
    ensure!(
        listed.starts_with("form_id") && listed.lines().count() == 2 && listed.contains(form_id),
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
    let deleted = run(&["link", "show", token, "--json"]).await?;
    let deleted: Value = serde_json::from_str(&deleted)?;
    ensure!(deleted["deleted_at"].is_string(), "{deleted}");
    let deleted = run(&["form", "delete", form_id]).await?;
    ensure!(deleted.contains("DELETED"), "{deleted}");
    // What is wrong with a file is told with its places.
    let broken = app.folder().join("broken.json");
    std::fs::write(&broken, r#"{"title": "", "fields": [{"key": "A"}]}"#)?;
    let broken = broken.display().to_string();
    let refused = app
        .cli_with(&["form", "create", &broken], &variables)
        .await?;
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    ensure!(
        refused.status.code() == Some(1)
            && stderr.contains("/title")
            && stderr.contains("/fields/0/key"),
        "{stderr}"
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
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.code() == Some(1) && stderr.contains(&folder),
            "{command}: {stderr}"
        );
        ensure!(!elsewhere.exists(), "{command} made {folder}");
    }
    Ok(())
}
