//! A recipient: read, erased, brought back; each account's own.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::app::App;
use tests::check;
use tests::import::{record, records};
use tests::wait::SOON;

#[tokio::test]
async fn a_stored_recipient_is_read_by_its_docid() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let docids = [
        "A1",
        "a1",
        "with space",
        " A1",
        "a/b",
        "a%2Fb",
        "ä ö ü",
        "a\u{308}",
        "😀",
        "..",
        "a?b=c#d",
        "a+b",
        "'; DROP TABLE recipient; --",
        &"ä".repeat(64),
    ];
    let all: Vec<_> = docids
        .iter()
        .enumerate()
        .map(|(number, docid)| json!({"docid": docid, "phone": format!("+4915112345{number:03}"), "f": docid}))
        .collect();
    let batch = client.import_and_wait(&all, SOON).await?;
    let batch_id = batch["batch_id"].as_str().context("no batch_id")?;
    // `..` as a path segment never reaches a server: clients resolve it.
    let readable: Vec<_> = all
        .into_iter()
        .filter(|record| record["docid"] != "..")
        .collect();
    check::stored(&client, &readable, batch_id).await?;
    let answer = client.recipient("A1").await?.json()?;
    ensure!(
        check::members(&answer)
            == [
                "batch_id",
                "created_at",
                "docid",
                "fields",
                "phone",
                "updated_at"
            ],
        "other members: {answer}"
    );
    client.recipient("A2").await?.problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn values_come_back_to_the_byte() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let mut odd = record("A1");
    for (name, value) in [
        ("empty", ""),
        ("quotes", "\"'`\\"),
        ("lines", "a\r\nb\tc"),
        ("controls", "\u{1}\u{1f}\u{7f}\u{85}"),
        ("separators", "\u{2028}\u{2029}\u{feff}"),
        ("direction", "\u{202e}abc"),
        ("emoji", "👩‍👩‍👧‍👦"),
        ("highest", "\u{10ffff}"),
        ("number", "0012.50"),
        ("null", "null"),
        ("copy", "\\N\t\\."),
        ("Ünïcode näme", "x"),
        ("__proto__", "x"),
        ("docId", "x"),
    ] {
        odd[name] = json!(value);
    }
    let batch = client.import_and_wait(&[odd.clone()], SOON).await?;
    let batch_id = batch["batch_id"].as_str().context("no batch_id")?;
    check::stored(&client, &[odd.clone()], batch_id).await?;
    let batch = client.import_and_wait(&[odd], SOON).await?;
    ensure!(check::outcome(&batch, "unchanged")? == 1, "{batch}");
    Ok(())
}

#[tokio::test]
async fn an_update_keeps_when_it_was_created_and_drops_fields_left_out() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    client.import_and_wait(&[record("A1")], SOON).await?;
    let before = client.recipient("A1").await?.json()?;
    let changed = json!({"docid": "A1", "phone": "+4915112345679", "other": "x"});
    let changed = [changed];
    let batch = client.import_and_wait(&changed, SOON).await?;
    ensure!(check::outcome(&batch, "updated")? == 1, "{batch}");
    let batch_id = batch["batch_id"].as_str().context("no batch_id")?;
    check::stored(&client, &changed, batch_id).await?;
    let after = client.recipient("A1").await?.json()?;
    ensure!(after["created_at"] == before["created_at"], "{after}");
    ensure!(after["updated_at"] != before["updated_at"], "{after}");
    Ok(())
}

#[tokio::test]
async fn an_erased_person_is_gone_until_imported_again() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    client.erase("never seen").await?.expect(204)?;
    client.import_and_wait(&records("A", 3, "1"), SOON).await?;
    let answer = client.erase("A-1").await?.expect(204)?;
    ensure!(answer.body.is_empty(), "a body: {answer:?}");
    client.recipient("A-1").await?.problem(404, "not_found")?;
    client.erase("A-1").await?.expect(204)?;
    client.recipient("A-0").await?.expect(200)?;

    let all = records("A", 3, "1");
    let batch = client.import_and_wait(&all, SOON).await?;
    ensure!(
        batch["outcomes"] == json!({"created": 1, "updated": 0, "unchanged": 2, "superseded": 0}),
        "other outcomes: {batch}"
    );
    client.recipient("A-1").await?.expect(200)?;
    Ok(())
}

#[tokio::test]
async fn accounts_with_the_same_docids_do_not_meet() -> Result<()> {
    let app = App::start().await?;
    let (one, two) = (app.client().await?, app.client().await?);
    let (of_one, of_two) = (records("A", 50, "one"), records("A", 50, "two"));
    let first = one.import(&of_one).await?;
    let second = two.import(&of_two).await?;
    for (client, accepted) in [(&one, &first), (&two, &second)] {
        let batch = client.completed(&accepted.batch_id, SOON).await?;
        ensure!(check::outcome(&batch, "created")? == 50, "{batch}");
    }
    two.erase("A-7").await?.expect(204)?;
    check::stored(&one, &of_one, &first.batch_id).await?;
    two.recipient("A-7").await?.problem(404, "not_found")?;
    check::stored_sample(
        &two,
        of_two.get(8..).unwrap_or_default(),
        &second.batch_id,
        42,
    )
    .await
}
