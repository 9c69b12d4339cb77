//! Broken bodies: by the verdict of `serde_json::Value`, whole, and nothing of them is kept.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::import::{Accepted, IMPORT, JSON, array, gzip, record, zstd};
use tests::raw::{self, Raw};
use tests::wait::{SOON, eventually};

async fn nothing_is_kept(client: &Client) -> Result<()> {
    let list = client.get(IMPORT).await?.expect(200)?.json()?;
    ensure!(list["items"] == json!([]), "a batch is left: {list}");
    Ok(())
}

#[tokio::test]
async fn a_body_cut_at_any_byte_is_refused_whole() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let all = [
        record("A1"),
        json!({"docid": "ä\n", "phone": 1}),
        record("A2"),
    ];
    let bare = array(&all);
    let wrapped = json!({"data": all}).to_string();
    for body in [&bare[..], wrapped.as_bytes()] {
        for end in 0..body.len() {
            let part = body.get(..end).unwrap_or_default().to_vec();
            let answer = client.import_as(JSON, part).await?;
            answer
                .problem(400, "invalid_json")
                .with_context(|| format!("cut at {end}"))?;
        }
    }
    for (encoding, body) in [("gzip", gzip(&bare)?), ("zstd", zstd(&bare)?)] {
        for end in 0..body.len() {
            let call = client.call(Method::POST, IMPORT);
            let call = call.header("content-encoding", encoding);
            let answer = call.body(JSON, body.slice(..end)).send().await?;
            answer
                .problem(400, "invalid_json")
                .with_context(|| format!("{encoding} cut at {end}"))?;
        }
    }
    nothing_is_kept(&client).await?;
    client.recipient("A1").await?.problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn broken_json_is_told_with_its_place() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let good = record("A1").to_string();
    for bad in [
        "{\"docid\":\"A2\",}",
        "{\"docid\":\"\\ud800\"}",
        "{\"docid\":\"\\udc00x\"}",
        "{\"\\ud83d\":1}",
        "{\"docid\":\"\\x\"}",
        "{\"docid\":\"a\nb\"}",
        "{\"docid\":\"a\u{0}b\"}",
        "{docid:1}",
        "{'docid':1}",
        "{\"n\":1e999}",
        "{\"n\":01}",
        "{\"n\":+1}",
        "{\"n\":NaN}",
        "{\"n\":tru}",
        "{\"n\" 1}",
        "{1:2}",
        ",",
        "]",
    ] {
        let body = format!("[{good},{bad}]");
        ensure!(
            serde_json::from_str::<Value>(&body).is_err(),
            "the test itself is wrong: {body}"
        );
        let answer = client.import_as(JSON, body.clone()).await?;
        let problem = answer.problem(400, "invalid_json").context(body)?;
        let detail = problem["detail"].as_str().unwrap_or_default();
        ensure!(
            detail.chars().any(|character| character.is_ascii_digit()),
            "no offset: {problem}"
        );
    }
    let call = client.call(Method::POST, IMPORT).body(JSON, "");
    call.send().await?.problem(400, "invalid_json")?;
    nothing_is_kept(&client).await
}

#[tokio::test]
async fn what_is_not_utf8_is_refused_wherever_it_stands() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    for bad in [
        &b"\xFF"[..],
        b"\xC3",
        b"\xED\xA0\x80",
        b"\xF5\x80\x80\x80",
        b"\xC0\xAF",
    ] {
        for template in [
            "[{\"docid\":\"A@\",\"phone\":\"+4915112345678\"}]",
            "[{\"docid\":\"A1\",\"phone\":\"+4915112345678\",\"x@\":\"1\"}]",
            "[{\"docid\":\"A1\",\"phone\":\"+4915112345678\",\"x\":[\"@\"]}]",
            "[\"@\"]",
            "[]@",
            "@[]",
        ] {
            let (before, after) = template.split_once('@').context("no place")?;
            let body = [before.as_bytes(), bad, after.as_bytes()].concat();
            let answer = client.import_as(JSON, body).await?;
            answer.problem(400, "invalid_json").context(template)?;
        }
    }
    let utf16: Vec<u8> = "[]".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let answer = client.import_as(JSON, utf16).await?;
    answer.problem(400, "invalid_json")?;
    nothing_is_kept(&client).await
}

#[tokio::test]
async fn nesting_is_followed_as_deep_as_serde_json_does() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    for depth in [10, 100, 124, 125, 126, 127, 128, 129, 10_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let (open_object, close_object) = ("{\"x\":".repeat(depth), "}".repeat(depth));
        for inner in [
            format!("{open}{close}"),
            format!("{open_object}1{close_object}"),
        ] {
            let body = format!(
                "[{},{{\"docid\":\"A2\",\"phone\":\"+4915112345678\",\"x\":{inner}}}]",
                record("A1")
            );
            let readable = serde_json::from_str::<Value>(&body).is_ok();
            let answer = client.import_as(JSON, body).await?;
            let context = || format!("{depth} deep");
            if readable {
                let accepted = Accepted::read(answer).with_context(context)?;
                tests::check::errors_are(
                    &accepted.body["errors"],
                    &[(1, "/1/x", "field_not_string")],
                )?;
            } else {
                answer.problem(400, "invalid_json").with_context(context)?;
            }
        }
        let body = format!("{open}{close}");
        let readable = serde_json::from_str::<Value>(&body).is_ok();
        let answer = client.import_as(JSON, body).await?;
        let (status, code) = if readable {
            (422, "validation_failed")
        } else {
            (400, "invalid_json")
        };
        let context = || format!("{depth} deep");
        answer.problem(status, code).with_context(context)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_client_that_dies_while_sending_leaves_nothing() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let body = array(&tests::import::records("A", 12_000, "1"));
    for part in 0..10 {
        for framing in ["content-length", "transfer-encoding"] {
            let mut connection = Raw::connect(&client).await?;
            let sent = body.slice(..body.len() * part / 10);
            let line = if framing == "content-length" {
                format!("content-length: {}", body.len())
            } else {
                "transfer-encoding: chunked".to_owned()
            };
            let head = Raw::head(&client, IMPORT, &["content-type: application/json", &line])?;
            connection.write(head.as_bytes()).await?;
            if framing == "transfer-encoding" {
                let size = format!("{:x}\r\n", body.len());
                connection.write(size.as_bytes()).await?;
            }
            connection.write(&sent).await?;
            connection.reset()?;
        }
    }
    eventually(SOON, async || nothing_is_kept(&client).await).await?;
    // The last that comes in whole is the only one.
    let accepted = client.import(&[record("A1")]).await?;
    client.completed(&accepted.batch_id, SOON).await?;
    client.recipient("A-0").await?.problem(404, "not_found")?;
    let list = client.get(IMPORT).await?.json()?;
    let batches = list["items"].as_array().map_or(0, Vec::len);
    ensure!(batches == 1, "more than the one batch: {list}");
    Ok(())
}

#[tokio::test]
async fn a_chunked_body_that_breaks_its_framing_is_refused() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let lines = [
        "content-type: application/json",
        "transfer-encoding: chunked",
    ];
    let mut connection = Raw::connect(&client).await?;
    let head = Raw::head(&client, IMPORT, &lines)?;
    connection.write(head.as_bytes()).await?;
    connection.write(b"2\r\n[1\r\nnonsense\r\n").await?;
    let answer = connection.read_head().await?;
    ensure!(raw::status(&answer)? == 400, "another answer: {answer}");
    nothing_is_kept(&client).await
}
