//! CSV and NDJSON: what a row and a line are, and what is broken.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::app::App;
use tests::check;
use tests::import::{Accepted, record};
use tests::wait::SOON;

const CSV: &str = "text/csv";
const NDJSON: &str = "application/x-ndjson";

#[tokio::test]
async fn csv_is_read_by_the_letter() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let body = "note,phone,docid,empty\n\
                \"a, \"\"b\"\"\r\nc\",+4915112345678,A1,\r\n\
                plain,+4915112345679,A2,full\n\
                short,+4915112345679\n\
                ,,A4,\n\
                long,+4915112345679,A5,x,y\n\
                last,+4915112345670,A6,";
    let accepted = Accepted::read(client.import_as(CSV, body).await?)?;
    check::errors_are(
        &accepted.body["errors"],
        &[
            (2, "/2", "row_width"),
            (3, "/3/phone", "phone_missing"),
            (4, "/4", "row_width"),
        ],
    )?;
    client.completed(&accepted.batch_id, SOON).await?;
    let stored = [
        json!({"docid": "A1", "phone": "+4915112345678", "note": "a, \"b\"\r\nc"}),
        json!({"docid": "A2", "phone": "+4915112345679", "note": "plain", "empty": "full"}),
        json!({"docid": "A6", "phone": "+4915112345670", "note": "last"}),
    ];
    check::stored(&client, &stored, &accepted.batch_id).await
}

#[tokio::test]
async fn broken_csv_is_refused_whole() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    for body in [
        "",
        "docid\nA1\n",
        "phone\n+4915112345678\n",
        "docid,phone,docid\nA1,+4915112345678,A1\n",
        "docid,phone,x,x\nA1,+4915112345678,1,2\n",
        "Docid,phone\nA1,+4915112345678\n",
        " docid,phone\nA1,+4915112345678\n",
        "docid,phone\nA1,+4915112345678\nA2,\"+4915112345678\n",
        "docid,phone\nA1,+4915112345678\nA2,\"+49151\"12345678\n",
        "docid;phone\nA1;+4915112345678\n",
    ] {
        let answer = client.import_as(CSV, body).await?;
        answer.problem(400, "invalid_csv").context(body)?;
    }
    let invalid = b"docid,phone\nA1,+4915112345678\nA\xFF,+4915112345678\n".to_vec();
    let answer = client.import_as(CSV, invalid).await?;
    answer.problem(400, "invalid_csv")?;
    client.recipient("A1").await?.problem(404, "not_found")?;
    let answer = client.import_as(CSV, "docid,phone\r\n").await?;
    let problem = answer.problem(422, "validation_failed")?;
    ensure!(problem["received"] == 0, "received something: {problem}");
    Ok(())
}

#[tokio::test]
async fn ndjson_skips_blank_lines_and_refuses_a_broken_one() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let (first, second) = (record("A1"), record("A2"));
    let body = format!("\n{first}\r\n\r\n{{\"docid\":\"A9\"}}\n\n{second}");
    let accepted = Accepted::read(client.import_as(NDJSON, body).await?)?;
    check::errors_are(
        &accepted.body["errors"],
        &[(1, "/1/phone", "phone_missing")],
    )?;
    client.completed(&accepted.batch_id, SOON).await?;
    check::stored(&client, &[first, second], &accepted.batch_id).await?;
    let good = record("B1");
    for body in [
        format!("{good}\n{{\n"),
        format!("{good}\n{good}{good}\n"),
        format!("{good}\nx"),
        format!("{good}\n{{\"docid\":\n\"A\"}}"),
    ] {
        let answer = client.import_as(NDJSON, body.clone()).await?;
        answer.problem(400, "invalid_json").context(body)?;
    }
    client.recipient("B1").await?.problem(404, "not_found")?;
    Ok(())
}
