//! What pages tell while sending goes wrong, so that whoever is on duty knows what is so and what to do.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::{App, Setup};
use tests::campaign::campaign_path;
use tests::client::Client;
use tests::import::records;
use tests::person::Person;
use tests::servers::free_port;
use tests::wait::{LATER, eventually};
use tokio::net::TcpListener;

use super::LONG_AGO;
use super::hooks::report;
use super::peer::{Peer, sender_to};
use super::senders::{is, sender};

const SENDERS: &str = "/dashboard/senders";

/// A service with these senders, whose pages are reached without TLS.
fn with_pages(senders: &str) -> Setup {
    App::setup()
        .setting("FEEDBACK_SENDERS", senders)
        .setting("FEEDBACK_PUBLIC_URL", "http://feedback.example")
}

/// An account with an editor.
async fn with_editor(app: &App) -> Result<(Client, Person)> {
    let client = app.client_of("shop").await?;
    Ok((client, app.person("ada", "shop", "editor").await?))
}

/// A page has all of these texts before long.
async fn shows(person: &Person, path: &str, parts: &[&str]) -> Result<()> {
    eventually(LATER, async || {
        let page = person.get(path).await?.expect(200)?;
        for part in parts {
            ensure!(
                page.text()?.contains(part),
                "{path} has no {part}: {page:?}"
            );
        }
        Ok(())
    })
    .await
}

/// A sender's member becomes this.
async fn becomes(client: &Client, name: &str, member: &str, value: &Value) -> Result<()> {
    eventually(LATER, async || {
        let sender = sender(client, name).await?;
        ensure!(sender[member] == *value, "{sender}");
        Ok(())
    })
    .await
}

fn page_of(campaign: &Value) -> Result<String> {
    let id = campaign["campaign_id"].as_str().context("no id")?;
    Ok(format!("/dashboard/campaigns/{id}"))
}

#[tokio::test]
async fn a_sender_of_which_all_is_refused_is_told_until_a_message_is_taken() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    peer.answer_with(422);
    let app = with_pages(&sender_to(&address, "&receipts=off"))
        .start()
        .await?;
    let (client, person) = with_editor(&app).await?;
    let campaign = client.running("peer", &records("A", 12, "1")).await?;
    client.until_first(&campaign, "failed", 12).await?;
    becomes(&client, "peer", "refused_code", &json!("http_422")).await?;
    let told = "Most of the last messages were refused. Your SMS provider’s code http_422";
    let failed = "href=\"/dashboard/messages?set=failed\"";
    let line = "The provider refuses messages of peer. Your SMS provider’s code http_422";
    // The page of senders tells the others at once.
    shows(&person, SENDERS, &[told, failed, line]).await?;
    let page = person.get("/dashboard").await?.expect(200)?;
    ensure!(page.text()?.contains(line), "{page:?}");
    shows(&person, &page_of(&campaign)?, &[told]).await?;
    let listed = person.get("/dashboard/messages?set=failed").await?;
    ensure!(listed.expect(200)?.text()?.contains("http_422"));

    peer.answer_with(201);
    let test = format!("{}/test", campaign_path(&campaign));
    let phone = json!({"phone": "+4915112345678"});
    let sent = client.send_json(Method::POST, &test, &phone).await?;
    sent.expect(200)?;
    becomes(&client, "peer", "refused_code", &Value::Null).await?;
    shows(&person, SENDERS, &["Everything is in order."]).await
}

#[tokio::test]
async fn receipts_that_stay_away_for_hours_are_told_until_one_comes() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let app = with_pages(&sender_to(&address, "")).start().await?;
    let (client, person) = with_editor(&app).await?;
    let campaign = client.running("peer", &records("A", 12, "1")).await?;
    client.until_first(&campaign, "accepted", 12).await?;
    let is_told =
        async || anyhow::Ok(!sender(&client, "peer").await?["unreported_since"].is_null());
    eventually(LATER, async || {
        let noted = app.sql("SELECT unreported FROM sender_state WHERE name = 'peer'");
        let noted = noted.await?;
        ensure!(noted == "12", "{noted}");
        Ok(())
    })
    .await?;
    ensure!(!is_told().await?, "they may come yet");
    let hours_later = format!("UPDATE sender_state SET unreported_since = '{LONG_AGO}'");
    app.sql(&hours_later).await?;
    ensure!(is_told().await?);
    let told = "No delivery report has come since 1 Jan 2020";
    let line = "No delivery reports come in for peer.";
    shows(&person, SENDERS, &[told, line]).await?;
    report(&client, &peer.messages()[0], "delivered").await?;
    becomes(&client, "peer", "unreported_since", &Value::Null).await?;
    shows(&person, SENDERS, &["Everything is in order."]).await
}

#[tokio::test]
async fn a_sender_is_in_error_since_it_began_whatever_the_code() -> Result<()> {
    let address = format!("127.0.0.1:{}", free_port()?);
    let twilio = format!("peer=twilio://AC1:token@{address}?tls=off&accounts=*&from=+15005550006");
    let app = with_pages(&twilio).start().await?;
    let client = app.client().await?;
    let away = is(&client, "peer", "error", json!("connect")).await?;
    let peer = Peer::on(TcpListener::bind(&address).await?);
    peer.answer_with(401);
    let refused = is(&client, "peer", "error", json!("http_401")).await?;
    ensure!(refused["since"] == away["since"], "{away} {refused}");
    Ok(())
}

#[tokio::test]
async fn a_campaign_s_page_says_through_whom_its_messages_go_meanwhile() -> Result<()> {
    let ((first, a), (_second, b)) = (Peer::start().await?, Peer::start().await?);
    first.answer_with(401);
    let entry = |name: &str, address: &str| {
        sender_to(address, "&receipts=off").replace("peer=", &format!("{name}="))
    };
    let app = with_pages(&format!("{} {}", entry("a", &a), entry("b", &b)))
        .start()
        .await?;
    let (client, person) = with_editor(&app).await?;
    let several = json!({"sender": ["a", "b"]});
    let people = records("A", 3, "1");
    let campaign = client.running_with("a", several, &people).await?;
    is(&client, "a", "error", json!("http_401")).await?;
    let page = page_of(&campaign)?;
    let shown = person.get(&page).await?.expect(200)?;
    ensure!(!shown.text()?.contains("go through b"), "{shown:?}");
    let since = format!("UPDATE sender_state SET error_since = '{LONG_AGO}' WHERE name = 'a'");
    app.sql(&since).await?;
    client.until_first(&campaign, "accepted", 3).await?;
    let parts = [
        "a: The provider refuses user or password (http_401).",
        "So since 1 Jan 2020",
        "Meanwhile its messages go through b.",
    ];
    shows(&person, &page, &parts).await
}
