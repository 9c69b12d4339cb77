//! The bodies: kinds, wrapping, encodings, and what the query asks.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::check;
use tests::client::{Answer, Client};
use tests::import::{Accepted, IMPORT, JSON, array, gzip, ndjson, record, records, zstd};
use tests::wait::SOON;

type Body<'a> = &'a dyn Fn(&[Value]) -> bytes::Bytes;

const CSV: &str = "text/csv";
const NDJSON: &str = "application/x-ndjson";

async fn import_encoded(
    client: &Client,
    kind: &str,
    encoding: &str,
    body: bytes::Bytes,
) -> Result<Answer> {
    client
        .call(Method::POST, IMPORT)
        .header("content-encoding", encoding)
        .body(kind, body)
        .send()
        .await
}

fn csv(records: &[Value]) -> bytes::Bytes {
    let mut text = "docid,phone,store_code,version\r\n".to_owned();
    for record in records {
        for (name, end) in [
            ("docid", ","),
            ("phone", ","),
            ("store_code", ","),
            ("version", "\r\n"),
        ] {
            text.push_str(record[name].as_str().unwrap_or_default());
            text.push_str(end);
        }
    }
    text.into()
}

#[tokio::test]
async fn every_kind_of_body_in_every_encoding_stores_the_same() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let wrapped = |records: &[Value]| bytes::Bytes::from(json!({"data": records}).to_string());
    let marked =
        |body: bytes::Bytes| -> bytes::Bytes { [b"\xEF\xBB\xBF", &body[..]].concat().into() };
    let kinds: [(&str, Body<'_>); 8] = [
        (JSON, &array),
        ("application/json; charset=utf-8", &wrapped),
        ("Application/JSON;charset=\"UTF-8\"", &|all| {
            marked(array(all))
        }),
        (CSV, &csv),
        ("text/csv; charset=utf-8; header=present", &|all| {
            marked(csv(all))
        }),
        (NDJSON, &ndjson),
        (NDJSON, &|all| marked(ndjson(all))),
        (JSON, &|all| marked(wrapped(all))),
    ];
    for (number, (kind, body)) in kinds.into_iter().enumerate() {
        for encoding in ["identity", "gzip", "zstd"] {
            let all = records(&format!("{encoding}-{number}"), 30, "1");
            let plain = body(&all);
            let answer = match encoding {
                "gzip" => import_encoded(&client, kind, "gzip", gzip(&plain)?).await?,
                "zstd" => import_encoded(&client, kind, "zstd", zstd(&plain)?).await?,
                _ => client.import_as(kind, plain).await?,
            };
            let context = || format!("{kind} {number} {encoding}");
            let accepted = Accepted::read(answer).with_context(context)?;
            client.completed(&accepted.batch_id, SOON).await?;
            check::stored(&client, &all, &accepted.batch_id)
                .await
                .with_context(context)?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn pointers_into_a_wrapped_body_go_through_data() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let body = json!({"data": [record("A1"), {"docid": "A2", "phone": "12"}]});
    let accepted = Accepted::read(client.import_json(&body).await?)?;
    check::errors_are(
        &accepted.body["errors"],
        &[(1, "/data/1/phone", "phone_invalid")],
    )?;
    let list = client
        .get(&format!("{IMPORT}/{}/errors", accepted.batch_id))
        .await?
        .json()?;
    check::errors_are(&list["items"], &[(1, "/data/1/phone", "phone_invalid")])
}

#[tokio::test]
async fn another_outer_shape_is_no_import() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let good = record("A1");
    for body in [
        "null".to_owned(),
        "1".to_owned(),
        "\"text\"".to_owned(),
        "{}".to_owned(),
        good.to_string(),
        json!({"data": {}}).to_string(),
        json!({"data": null}).to_string(),
        json!({"data": [good], "more": 1}).to_string(),
        json!({"more": 1, "data": [good]}).to_string(),
        json!({"Data": [good]}).to_string(),
        format!("{{\"data\":[{good}],\"data\":[{good}]}}"),
        format!("[{good}][{good}]"),
        format!("[{good}] x"),
        format!("[{good}],"),
    ] {
        let answer = client.import_as(JSON, body.clone()).await?;
        answer.problem(400, "invalid_json").context(body)?;
    }
    client.recipient("A1").await?.problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn kinds_and_encodings_the_contract_does_not_name_are_refused() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let body = array(&[record("A1")]);
    for kind in [
        "text/plain",
        "application/xml",
        "application/jsonx",
        "application/json; charset=iso-8859-1",
        "multipart/form-data",
        "nonsense",
        "",
    ] {
        let answer = client.import_as(kind, body.clone()).await?;
        answer
            .problem(415, "unsupported_media_type")
            .context(kind)?;
    }
    let call = client.call(Method::POST, IMPORT).bare_body(body.clone());
    call.send().await?.problem(415, "unsupported_media_type")?;
    for encoding in ["br", "deflate", "nonsense"] {
        let answer = import_encoded(&client, JSON, encoding, body.clone()).await?;
        answer
            .problem(415, "unsupported_media_type")
            .context(encoding)?;
    }
    for encoding in ["gzip", "zstd"] {
        let answer = import_encoded(&client, JSON, encoding, body.clone()).await?;
        answer.problem(400, "invalid_json").context(encoding)?;
    }
    Ok(())
}

#[tokio::test]
async fn reject_all_keeps_all_or_nothing() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let import = async |on_error: &str, body: &[Value]| {
        let path = format!("{IMPORT}?on_error={on_error}");
        let call = client.call(Method::POST, &path).body(JSON, array(body));
        call.send().await
    };
    let mixed = [record("A1"), json!({"docid": "A2"}), record("A3")];
    let problem = import("reject_all", &mixed)
        .await?
        .problem(422, "validation_failed")?;
    ensure!(problem["received"] == 3, "another count: {problem}");
    ensure!(problem["rejected"] == 1, "another count: {problem}");
    check::errors_are(&problem["errors"], &[(1, "/1/phone", "phone_missing")])?;
    client.recipient("A1").await?.problem(404, "not_found")?;
    let list = client.get(IMPORT).await?.json()?;
    ensure!(list["items"] == json!([]), "a batch is left: {list}");

    Accepted::read(import("reject_all", &[record("A1")]).await?)?;
    Accepted::read(import("accept_valid", &mixed).await?)?;
    for value in ["", "nonsense", "Reject_all"] {
        let answer = import(value, &mixed).await?;
        answer
            .problem(400, "invalid_parameter")
            .context(value.to_owned())?;
    }
    Ok(())
}
