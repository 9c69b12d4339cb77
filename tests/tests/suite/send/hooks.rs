//! What a provider tells through the hooks, and by its answers: receipts, texts from phones, and who opted out.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::{campaign_path, count};
use tests::check;
use tests::client::{Answer, Client};
use tests::import::JSON;
use tests::webhook::{OTHER_SECRET, SECRET};

use super::peer::{ERROR_TEXT, Peer, sender_to};
use super::replies::{OTHER_PHONE, PHONE, inbound_path, send, suppressed};
use super::{names_nobody, skipped, with_senders};

/// The path of an address under the public name.
fn path_of<'a>(message: &'a Value, member: &str) -> Result<&'a str> {
    let url = message[member].as_str();
    let (_, path) = url
        .and_then(|url| url.split_once("//feedback.example"))
        .unzip();
    path.with_context(|| format!("no {member}: {message}"))
}

/// Somebody with this phone.
fn record(phone: &str) -> Value {
    let end = phone.chars().last();
    json!({"docid": format!("of-{end:?}"), "phone": phone})
}

/// The receiver of a message reports this of it.
pub(super) async fn report(client: &Client, message: &Value, status: &str) -> Result<()> {
    report_with(client, message, &json!({"status": status, "code": "EC-7"})).await
}

/// The same, in so many words.
pub(super) async fn report_with(client: &Client, message: &Value, body: &Value) -> Result<()> {
    let path = path_of(message, "status_url")?;
    client.webhook(path, SECRET, body).await?.expect(200)?;
    Ok(())
}

/// It is refused, and tells nobody's phone.
fn refused(answer: &Answer) -> Result<()> {
    answer.problem(401, "unauthenticated")?;
    check::names_nobody(answer.text()?, &[SECRET])
}

/// Refuses what only pretends to come to this path from the receiver.
async fn only_its_receiver_is_heard(client: &Client, path: &str, body: &Value) -> Result<()> {
    let (start, end) = path.rsplit_once('/').context("no path")?;
    refused(&client.webhook(path, OTHER_SECRET, body).await?)?;
    let (before, key) = start.rsplit_once('/').context("no key")?;
    let other: String = key.chars().rev().collect();
    let elsewhere = format!("{before}/{other}/{end}");
    refused(&client.webhook(&elsewhere, SECRET, body).await?)?;
    let bare = client.call(Method::POST, path).body(JSON, body.to_string());
    refused(&bare.send().await?)
}

#[tokio::test]
async fn only_a_signed_receipt_of_its_own_message_counts_and_once() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let senders = with_senders(&sender_to(&address, ""));
    let app = senders.setting("RUST_LOG", "debug").start().await?;
    let (client, public) = (app.client().await?, app.anonymous()?);
    let campaign = send(&client, "peer").await?;
    let (first, second) = (peer.message_to(PHONE)?, peer.message_to(OTHER_PHONE)?);
    let path = path_of(&first, "status_url")?;
    let delivered = json!({"message_id": first["message_id"], "status": "delivered", "code": "0"});
    only_its_receiver_is_heard(&public, path, &delivered).await?;
    let (hook, reference) = path.split_once("?ref=").context("no reference")?;
    let reversed: String = reference.chars().rev().collect();
    let forged = format!("{hook}?ref={reversed}");
    refused(&public.webhook(&forged, SECRET, &delivered).await?)?;
    let nameless = public.webhook(hook, SECRET, &delivered).await?;
    nameless.problem(400, "invalid_json")?;
    let untouched = client.read_campaign(&campaign).await?;
    ensure!(count(&untouched, "first", "accepted") == 2, "{untouched}");
    for (message, status) in [
        (&first, "delivered"),
        (&first, "delivered"),
        (&first, "accepted"),
        (&second, "undelivered"),
        (&second, "accepted"),
    ] {
        report(&public, message, status).await?;
    }
    let read = client.read_campaign(&campaign).await?;
    ensure!(count(&read, "first", "delivered") == 1, "{read}");
    ensure!(count(&read, "first", "undelivered") == 1, "{read}");
    app.succeeds(&["verify"]).await?;
    names_nobody(&app).await
}

/// How many phones each of two accounts has on its list.
async fn lists(clients: [&Client; 2]) -> Result<[usize; 2]> {
    Ok([suppressed(clients[0]).await?, suppressed(clients[1]).await?])
}

#[tokio::test]
async fn a_signed_stop_reaches_every_account_that_sent_to_the_phone() -> Result<()> {
    let (_peer, address) = Peer::start().await?;
    let senders = with_senders(&sender_to(&address, ""));
    let app = senders.setting("RUST_LOG", "debug").start().await?;
    let (one, other) = (app.client().await?, app.client().await?);
    let stranger = app.client().await?;
    for client in [&one, &other] {
        send(client, "peer").await?;
    }
    let (hook, public) = (inbound_path(&app, "peer").await?, app.anonymous()?);
    let text = |id: &str, text: &str| json!({"id": id, "from": PHONE, "to": "12345", "text": text});
    only_its_receiver_is_heard(&public, &hook, &text("1", "STOP")).await?;
    ensure!(lists([&one, &other]).await? == [0, 0]);
    for (id, words, suppressed) in [
        ("1", "Stop!", 1),
        ("2", "START", 0),
        // It came before.
        ("1", "Stop!", 0),
        ("3", "stop it please", 1),
    ] {
        let answer = public.webhook(&hook, SECRET, &text(id, words)).await?;
        answer.expect(200)?;
        let found = lists([&one, &other]).await?;
        ensure!(found == [suppressed; 2], "{words}: {found:?}");
    }
    ensure!(suppressed(&stranger).await? == 0);
    for client in [&one, &other] {
        let list = client.get("/api_v1/sms/suppression").await?;
        let list = list.expect(200)?.json()?;
        ensure!(list["items"][0]["source"] == "inbound", "{list}");
        ensure!(list["items"][0]["phone"] == "+**********678", "{list}");
    }
    let records = [PHONE, OTHER_PHONE].map(record);
    let campaign = one.running("peer", &records).await?;
    let done = one.until_first(&campaign, "accepted", 1).await?;
    ensure!(skipped(&done, "first", "opted_out") == 1, "{done}");
    names_nobody(&app).await
}

/// What the API says of a campaign's messages and of senders names nobody either.
async fn answers_name_nobody(client: &Client, campaign: &Value) -> Result<()> {
    let messages = format!("{}/message", campaign_path(campaign));
    for path in [&messages, "/api_v1/sms/sender", "/api_v1/sms/suppression"] {
        let answer = client.get(path).await?.expect(200)?;
        check::names_nobody(answer.text()?, &[SECRET, ERROR_TEXT])?;
    }
    Ok(())
}

async fn twilio(address: &str) -> Result<App> {
    let twilio = format!("twilio=twilio://AC1:{SECRET}@{address}?tls=off");
    let senders = with_senders(&format!("{twilio}&accounts=*&from=+15005550006"));
    senders.setting("RUST_LOG", "debug").start().await
}

#[tokio::test]
async fn whom_the_provider_names_as_opted_out_gets_nothing_more() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let app = twilio(&address).await?;
    let (client, stranger) = (app.client().await?, app.client().await?);
    peer.answer_with(400);
    let [record, other] = [PHONE, OTHER_PHONE].map(record);
    let campaign = client
        .running("twilio", std::slice::from_ref(&record))
        .await?;
    client.until_first(&campaign, "failed", 1).await?;
    let messages = format!("{}/message", campaign_path(&campaign));
    let list = client.get(&messages).await?.expect(200)?.json()?;
    ensure!(list["items"][0]["provider_code"] == "21610", "{list}");
    ensure!(suppressed(&client).await? == 1 && suppressed(&stranger).await? == 0);
    answers_name_nobody(&client, &campaign).await?;
    peer.answer_with(201);
    let next = client.running("twilio", &[record, other]).await?;
    let done = client.until_first(&next, "accepted", 1).await?;
    ensure!(skipped(&done, "first", "opted_out") == 1, "{done}");
    let to: Vec<_> = peer
        .messages()
        .iter()
        .map(|message| message["To"].clone())
        .collect();
    ensure!(to == [PHONE, OTHER_PHONE], "{to:?}");
    names_nobody(&app).await
}
