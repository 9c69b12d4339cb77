//! Records among others: duplicates, several problems of one, one bad among very many.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::app::App;
use tests::check;
use tests::import::{Accepted, JSON, array, record, records};
use tests::wait::{LATER, SOON};

#[tokio::test]
async fn a_second_record_of_a_docid_is_a_duplicate_of_an_accepted_one_only() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let first = json!({"docid": "A1", "phone": "+4915112345678", "n": "1"});
    let body = json!([
        {"docid": "A1", "phone": "wrong"},
        first,
        {"docid": "A1", "phone": "+4915112345679", "n": "2"},
        {"docid": "A1", "phone": "+4915112345679", "n": "3"},
        {"docid": "a1", "phone": "+4915112345670"},
    ]);
    let accepted = Accepted::read(client.import_json(&body).await?)?;
    check::errors_are(
        &accepted.body["errors"],
        &[
            (0, "/0/phone", "phone_invalid"),
            (2, "/2/docid", "docid_duplicate"),
            (3, "/3/docid", "docid_duplicate"),
        ],
    )?;
    client.completed(&accepted.batch_id, SOON).await?;
    check::stored(&client, &[first], &accepted.batch_id).await
}

#[tokio::test]
async fn every_problem_of_a_record_is_told_and_no_value_of_it() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let broken =
        json!({"docid": "", "phone": "4915198765432", "a": 1, "b": "x".repeat(2000), "": "c"});
    let nothing = json!({});
    let body = [record("A1"), broken, nothing, record("A2")];
    let accepted = client.import(&body).await?;
    ensure!(accepted.body["rejected"] == 2, "{}", accepted.body);
    check::errors_are(
        &accepted.body["errors"],
        &[
            (1, "/1/docid", "docid_invalid"),
            (1, "/1/phone", "phone_invalid"),
            (1, "/1/a", "field_not_string"),
            (1, "/1/b", "field_too_long"),
            (1, "/1/", "field_name_invalid"),
            (2, "/2/docid", "docid_missing"),
            (2, "/2/phone", "phone_missing"),
        ],
    )?;
    let answer = accepted.body.to_string();
    ensure!(!answer.contains("98765432"), "a phone is told: {answer}");
    for service in app.apis.iter().chain(&app.workers) {
        let log = service.process.log()?;
        ensure!(!log.contains("98765432"), "a phone is logged");
        ensure!(!log.contains("15112345678"), "a phone is logged");
    }
    Ok(())
}

#[tokio::test]
async fn one_bad_record_among_a_hundred_thousand_is_found() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let mut all = records("A", 100_000, "1");
    let bad = all.get_mut(77_777).context("no such record")?;
    bad["phone"] = json!("0151");
    let accepted = Accepted::read(client.import_as(JSON, array(&all)).await?)?;
    ensure!(accepted.body["accepted"] == 99_999, "{}", accepted.body);
    check::errors_are(
        &accepted.body["errors"],
        &[(77_777, "/77777/phone", "phone_invalid")],
    )?;
    ensure!(
        accepted.body["errors"][0]["docid"] == "A-77777",
        "another docid"
    );
    let batch = client.completed(&accepted.batch_id, LATER).await?;
    ensure!(check::outcome(&batch, "created")? == 99_999, "{batch}");
    client
        .recipient("A-77777")
        .await?
        .problem(404, "not_found")?;
    all.remove(77_777);
    check::stored_sample(&client, &all, &accepted.batch_id, 300).await
}
