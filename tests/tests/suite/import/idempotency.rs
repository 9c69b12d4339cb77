//! `Idempotency-Key`: the same import again gives the first answer again, and is done once.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::check;
use tests::client::{Answer, Client, Crowd};
use tests::import::{Accepted, IMPORT, JSON, array, gzip, record, records};
use tests::raw::{self, Raw};
use tests::wait::{SOON, eventually};

async fn batches(client: &Client) -> Result<usize> {
    let list = client.get(IMPORT).await?.expect(200)?.json()?;
    Ok(list["items"].as_array().context("no items")?.len())
}

fn replayed(answer: &Answer) -> bool {
    answer.header("idempotent-replayed") == Some("true")
}

#[tokio::test]
async fn an_accepted_import_is_done_once_and_answered_twice() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let all = [record("A1"), json!({"docid": "A2"}), record("A3")];
    let first = client.import_once("key-1", &all).await?;
    ensure!(!replayed(&first), "replayed at once: {first:?}");
    let accepted = Accepted::read(first.clone())?;
    for _ in 0..3 {
        let again = client.import_once("key-1", &all).await?;
        ensure!(replayed(&again), "not replayed: {again:?}");
        ensure!(again.status == 202 && again.body == first.body, "{again:?}");
        ensure!(
            again.header("location") == first.header("location"),
            "another Location: {again:?}"
        );
        client.completed(&accepted.batch_id, SOON).await?;
    }
    ensure!(batches(&client).await? == 1, "more than one batch");
    Ok(())
}

#[tokio::test]
async fn a_refused_import_is_answered_twice() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let all = [json!({"docid": "A2"}), json!(7)];
    let first = client.import_once("key-1", &all).await?;
    let problem = first.problem(422, "validation_failed")?;
    ensure!(problem["rejected"] == 2, "another count: {problem}");
    let again = client.import_once("key-1", &all).await?;
    ensure!(replayed(&again), "not replayed: {again:?}");
    // The first answer again, which names the first request.
    let again = again.expect(422)?.json()?;
    ensure!(again == problem, "{again}, not {problem}");
    ensure!(batches(&client).await? == 0, "a batch is left");
    Ok(())
}

#[tokio::test]
async fn the_key_holds_for_the_decoded_body_and_the_query() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let body = array(&[record("A1")]);
    let post = async |path: &str, encoding: &str, body: bytes::Bytes| {
        let call = client.call(Method::POST, path);
        let call = call.header("idempotency-key", "key-1");
        let call = call.header("content-encoding", encoding);
        call.body(JSON, body).send().await
    };
    let first = Accepted::read(post(IMPORT, "identity", body.clone()).await?)?;
    let again = post(IMPORT, "gzip", gzip(&body)?).await?;
    ensure!(replayed(&again), "the same decoded body: {again:?}");
    ensure!(Accepted::read(again)?.batch_id == first.batch_id);

    let spaced = [&body[..], b" "].concat().into();
    let reused = "idempotency_key_reused";
    post(IMPORT, "identity", spaced)
        .await?
        .problem(422, reused)?;
    let other = array(&[record("A2")]);
    post(IMPORT, "identity", other)
        .await?
        .problem(422, reused)?;
    let path = format!("{IMPORT}?on_error=reject_all");
    post(&path, "identity", body.clone())
        .await?
        .problem(422, reused)?;
    let again = post(IMPORT, "identity", body).await?;
    ensure!(replayed(&again), "the first still stands: {again:?}");
    ensure!(batches(&client).await? == 1, "more than one batch");
    Ok(())
}

#[tokio::test]
async fn keys_of_two_accounts_do_not_meet() -> Result<()> {
    let app = App::start().await?;
    let (one, two) = (app.client().await?, app.client().await?);
    let first = Accepted::read(one.import_once("key-1", &[record("A1")]).await?)?;
    let second = two.import_once("key-1", &[record("A2")]).await?;
    ensure!(!replayed(&second), "replayed: {second:?}");
    let second = Accepted::read(second)?;
    ensure!(first.batch_id != second.batch_id, "one batch for two");
    two.completed(&second.batch_id, SOON).await?;
    check::stored(&two, &[record("A2")], &second.batch_id).await
}

#[tokio::test]
async fn a_key_is_1_to_255_visible_characters() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let (longest, too_long) = ("k".repeat(255), "k".repeat(256));
    for key in ["!", "~", &longest] {
        Accepted::read(client.import_once(key, &[record("A1")]).await?)?;
    }
    for key in ["", "two words", "naïve", &too_long] {
        let answer = client.import_once(key, &[record("A1")]).await?;
        answer
            .problem(400, "invalid_parameter")
            .context(key.to_owned())?;
    }
    ensure!(batches(&client).await? == 3, "other batches");
    Ok(())
}

#[tokio::test]
async fn a_broken_body_does_not_use_up_its_key() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let call = client.call(Method::POST, IMPORT);
    let call = call.header("idempotency-key", "key-1");
    let answer = call.body(JSON, "[{\"docid\":").send().await?;
    answer.problem(400, "invalid_json")?;
    let answer = client.import_once("key-1", &[record("A1")]).await?;
    ensure!(!replayed(&answer), "replayed: {answer:?}");
    Accepted::read(answer)?;
    Ok(())
}

/// Sends the head and so much of a body under `key` that the service must have begun to read it.
async fn begin(client: &Client, key: &str, body: &[u8], spaces: usize) -> Result<Raw> {
    let length = format!("content-length: {}", body.len() + spaces);
    let key = format!("idempotency-key: {key}");
    let lines = ["content-type: application/json", &key, &length];
    let mut connection = Raw::connect(client).await?;
    let head = Raw::head(client, IMPORT, &lines)?;
    connection.write(head.as_bytes()).await?;
    connection.write(&vec![b' '; spaces]).await?;
    Ok(connection)
}

#[tokio::test]
async fn the_second_is_told_while_the_first_is_in_flight() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let all = records("A", 10, "1");
    let body = array(&all);
    // More than any socket's buffers hold: when it is written, the service is reading.
    let mut connection = begin(&client, "key-1", &body, 24 << 20).await?;
    let answer = client.import_once("key-1", &all).await?;
    answer.problem(409, "idempotency_in_flight")?;
    // Another account's key, and another key, are not in its way.
    Accepted::read(client.import_once("key-2", &all).await?)?;
    let other = app.client().await?;
    Accepted::read(other.import_once("key-1", &all).await?)?;

    connection.write(&body).await?;
    let head = connection.read_head().await?;
    ensure!(raw::status(&head)? == 202, "not accepted: {head}");
    let answer = client.import_once("key-1", &all).await?;
    // The spaces belonged to the body: this one is another.
    answer.problem(422, "idempotency_key_reused")?;
    ensure!(batches(&client).await? == 2, "other batches");
    Ok(())
}

#[tokio::test]
async fn an_attempt_that_died_is_not_in_flight() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let all = records("A", 10, "1");
    let connection = begin(&client, "key-1", &array(&all), 24 << 20).await?;
    connection.reset()?;
    let accepted = eventually(SOON, async || {
        Accepted::read(client.import_once("key-1", &all).await?)
    })
    .await?;
    client.completed(&accepted.batch_id, SOON).await?;
    ensure!(batches(&client).await? == 1, "more than one batch");
    check::stored(&client, &all, &accepted.batch_id).await
}

#[tokio::test]
async fn twenty_at_once_under_one_key_are_one_batch() -> Result<()> {
    let app = App::setup().apis(2).start().await?;
    let client = app.client().await?;
    let all = records("A", 500, "1");
    let crowd = &Crowd::default();
    let attempts = (0..20).map(|number| {
        let api = app.apis.get(number % app.apis.len());
        let client = client.at(api.map_or_else(String::new, tests::app::Service::base));
        let all = all.clone();
        async move { crowd.served(|| client.import_once("key-1", &all)).await }
    });
    let answers = futures::future::try_join_all(attempts).await?;
    let mut ids = Vec::new();
    for answer in answers {
        if answer.status == 409 {
            answer.problem(409, "idempotency_in_flight")?;
        } else {
            ids.push(Accepted::read(answer)?.batch_id);
        }
    }
    let batch_id = ids.first().context("nobody was accepted")?.clone();
    ids.dedup();
    ensure!(ids == [batch_id.clone()], "several batches: {ids:?}");
    ensure!(batches(&client).await? == 1, "several batches");
    let batch = client.completed(&batch_id, SOON).await?;
    ensure!(check::outcome(&batch, "created")? == 500, "{batch}");
    Ok(())
}
