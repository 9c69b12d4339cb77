//! A recipient: read, found, erased, brought back; each account's own.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::check;
use tests::client::Client;
use tests::import::{IMPORT, record, records};
use tests::wait::{LATER, SOON, eventually};

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

/// The docids of the recipients that a query finds.
async fn found(client: &Client, query: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut page = format!("/api_v1/sms/recipient?limit=1000&{query}");
    loop {
        let body = client.get(&page).await?.expect(200)?.json()?;
        let items = body["items"].as_array().context("no items")?;
        let docids = items.iter().filter_map(|item| item["docid"].as_str());
        found.extend(docids.map(str::to_owned));
        let Some(cursor) = body["next_cursor"].as_str() else {
            return Ok(found);
        };
        page = format!("/api_v1/sms/recipient?limit=1000&{query}&cursor={cursor}");
    }
}

#[tokio::test]
async fn recipients_are_found_and_erased_by_their_phone() -> Result<()> {
    let app = App::start().await?;
    let (client, other) = (app.client().await?, app.client().await?);
    let people = [
        ("A-1", "+4915112345678"),
        ("A-2", "+4915112345678"),
        ("A", "+4915112345679"),
        ("B-1", "+4915112345678"),
    ];
    let people = people.map(|(docid, phone)| json!({"docid": docid, "phone": phone}));
    client.import_and_wait(&people, SOON).await?;
    other.import_and_wait(&people, SOON).await?;
    let phone = "phone=%2B4915112345678";
    ensure!(found(&client, phone).await? == ["A-1", "A-2", "B-1"]);
    ensure!(found(&client, "docid_prefix=A").await? == ["A", "A-1", "A-2"]);
    let both = format!("{phone}&docid_prefix=A-");
    ensure!(found(&client, &both).await? == ["A-1", "A-2"]);
    ensure!(found(&client, "docid_prefix=a").await?.is_empty());
    for wrong in [
        "phone=+4915112345678",
        "phone=",
        "docid_prefix=",
        "docid_prefix=%00",
    ] {
        let path = format!("/api_v1/sms/recipient?{wrong}");
        client.get(&path).await?.problem(400, "invalid_parameter")?;
    }

    let erase = async |query: &str| {
        let path = format!("/api_v1/sms/recipient{query}");
        client.call(Method::DELETE, &path).send().await
    };
    for wrong in ["", "?phone=4915112345678", "?docid=A"] {
        erase(wrong).await?.problem(400, "invalid_parameter")?;
    }
    erase(&format!("?{phone}")).await?.expect(204)?;
    erase("?phone=%2B4915112345670").await?.expect(204)?;
    ensure!(found(&client, "").await? == ["A"]);
    ensure!(found(&other, phone).await?.len() == 3, "another account's");
    for service in app.apis.iter().chain(&app.workers) {
        service.names_nobody(&[]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn whom_one_import_created_is_erased_with_it() -> Result<()> {
    let app = App::start().await?;
    let (client, stranger) = (app.client().await?, app.client().await?);
    let wrong = records("A", 130, "1");
    client
        .import_and_wait(&records("A", 140, "0")[130..], SOON)
        .await?;
    let batch = client
        .import_and_wait(&records("A", 140, "1"), SOON)
        .await?;
    let batch_id = batch["batch_id"].as_str().context("no batch_id")?;
    ensure!(check::outcome(&batch, "created")? == 130, "{batch}");
    let later = client.import_and_wait(&records("A", 2, "2"), SOON).await?;
    ensure!(check::outcome(&later, "updated")? == 2, "{later}");

    let erase = async |client: &Client| client.batch_action(batch_id, "erase").await;
    erase(&stranger).await?.problem(404, "not_found")?;
    let answer = erase(&client).await?.expect(202)?.json()?;
    ensure!(answer["erasing"] == true, "{answer}");
    // Whoever comes afterwards stays, also where nothing changes.
    client.import_and_wait(&wrong[2..4], SOON).await?;
    let batch = eventually(LATER, async || {
        let batch = client.get(&format!("{IMPORT}/{batch_id}")).await?;
        let batch = batch.expect(200)?.json()?;
        ensure!(batch["erasing"] == false, "{batch}");
        Ok(batch)
    })
    .await?;
    let erased = check::count(&batch, "erased")?;
    ensure!((126..=128).contains(&erased), "{batch}");
    let mut left: Vec<String> = (0..4).chain(130..140).map(|n| format!("A-{n}")).collect();
    left.sort();
    ensure!(found(&client, "").await? == left);
    let day = |body: &serde_json::Value| body["metrics"]["recipients"].clone();
    let today = chrono::Utc::now().date_naive();
    let overview = format!(
        "/api_v1/report/overview/{}/{today}",
        today - chrono::Days::new(1)
    );
    let overview = client.get(&overview).await?.expect(200)?.json()?;
    ensure!(day(&overview) == 14, "{overview}");
    Ok(())
}
