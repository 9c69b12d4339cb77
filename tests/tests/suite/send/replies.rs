//! Texts that come from phones: whose suppression list they reach, and what is answered.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::on_import;
use tests::client::{Answer, Client};
use tests::import::{JSON, segment};
use tests::wait::{LATER, eventually};

use super::{LONG_AGO, with_senders};

pub(super) const SETTING: &str = "/api_v1/sms/setting";
pub(super) const PHONE: &str = "+4915112345678";
pub(super) const OTHER_PHONE: &str = "+4915112345679";

/// A phone and a text that a gateway was given.
type Sent = (String, String);

/// A gateway as Kannel is one, which notes what it gets.
#[derive(Clone, Default)]
struct Gateway(Arc<Mutex<Vec<Sent>>>);

impl Gateway {
    /// Listens until the test's runtime ends, and gives the service two senders: `one` and `two`.
    async fn start() -> Result<(Self, App)> {
        let gateway = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/cgi-bin/sendsms", post(take))
            .with_state(gateway.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let sender = |name: &str, from: &str| {
            format!("{name}=kannel://u:p@{address}?tls=off&accounts=*&from={from}&receipts=off")
        };
        let senders = format!("{} {}", sender("one", "11111"), sender("two", "22222"));
        Ok((gateway, with_senders(&senders).start().await?))
    }

    /// Waits for a text to a phone, and gives all that came so far.
    async fn until(&self, phone: &str, text: &str) -> Result<Vec<Sent>> {
        eventually(LATER, async || {
            let sent = self
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            let wanted = (phone.to_owned(), text.to_owned());
            ensure!(sent.contains(&wanted), "{sent:?}");
            Ok(sent)
        })
        .await
    }
}

async fn take(
    State(gateway): State<Gateway>,
    headers: HeaderMap,
    text: String,
) -> (StatusCode, &'static str) {
    // Without a phone it is asked whether user and password are right.
    if !headers.contains_key("x-kannel-to") {
        return (StatusCode::BAD_REQUEST, "Missing receiver number, rejected");
    }
    let to = headers.get("x-kannel-to").and_then(|to| to.to_str().ok());
    let sent = (to.unwrap_or_default().to_owned(), text);
    gateway
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(sent);
    (StatusCode::ACCEPTED, "0: Accepted for delivery")
}

/// Where texts to a sender come in.
pub(super) async fn inbound_path(app: &App, sender: &str) -> Result<String> {
    let output = app.cli(&["sender", "list", "--json"]).await?;
    let senders: Value = serde_json::from_slice(&output.stdout)?;
    let mut senders = senders.as_array().context("no senders")?.iter();
    let sender = senders.find(|listed| listed["name"] == sender);
    let url = sender.context("no such sender")?["inbound_url"].as_str();
    let url = url.context("no URL")?;
    Ok(url
        .trim_start_matches("https://feedback.example")
        .to_owned())
}

async fn text(app: &App, hook: &str, id: &str, phone: &str, text: &str) -> Result<Answer> {
    let text = segment(text);
    let query = format!("id={id}&from={}&to=11111&text={text}", segment(phone));
    app.anonymous()?.get(&format!("{hook}?{query}")).await
}

/// Sends messages to both phones.
pub(super) async fn send(client: &Client, sender: &str) -> Result<Value> {
    let to = [PHONE, OTHER_PHONE].iter().enumerate();
    let records: Vec<Value> = to
        .map(|(n, phone)| json!({"docid": format!("D{n}"), "phone": phone}))
        .collect();
    let campaign = client.running(sender, &records).await?;
    client.until_first(&campaign, "accepted", 2).await
}

/// How many phones are on an account's suppression list.
pub(super) async fn suppressed(client: &Client) -> Result<usize> {
    let list = client.get("/api_v1/sms/suppression").await?;
    let list: Value = list.expect(200)?.json()?;
    Ok(list["items"].as_array().context("no items")?.len())
}

async fn put_setting(client: &Client, setting: &Value) -> Result<Answer> {
    client
        .call(Method::PUT, SETTING)
        .body(JSON, setting.to_string())
        .send()
        .await
}

#[tokio::test]
async fn a_stop_reaches_the_accounts_that_sent_through_the_same_sender() -> Result<()> {
    let (_gateway, app) = Gateway::start().await?;
    let (by_one, by_two) = (app.client().await?, app.client().await?);
    send(&by_one, "one").await?;
    send(&by_two, "two").await?;
    // It also has a campaign of the other sender, of which nothing was sent.
    by_one.started(|form| on_import(form, "two")).await?;
    let two = inbound_path(&app, "two").await?;
    text(&app, &two, "1", PHONE, "Stop").await?.expect(200)?;
    ensure!((suppressed(&by_one).await?, suppressed(&by_two).await?) == (0, 1));
    text(&app, &two, "2", PHONE, "start").await?.expect(200)?;
    ensure!(suppressed(&by_two).await? == 0);
    // The same text again counts once.
    text(&app, &two, "1", PHONE, "Stop").await?.expect(200)?;
    ensure!(suppressed(&by_two).await? == 0);
    let one = inbound_path(&app, "one").await?;
    text(&app, &one, "1", PHONE, "STOP!").await?.expect(200)?;
    ensure!((suppressed(&by_one).await?, suppressed(&by_two).await?) == (1, 0));
    Ok(())
}

#[tokio::test]
async fn a_text_that_opted_in_counts_once_however_long_ago_it_came() -> Result<()> {
    let (_gateway, mut app) = Gateway::start().await?;
    let client = app.client().await?;
    send(&client, "one").await?;
    let hook = inbound_path(&app, "one").await?;
    for (id, words) in [("1", "START"), ("2", "STOP")] {
        text(&app, &hook, id, PHONE, words).await?.expect(200)?;
    }
    ensure!(suppressed(&client).await? == 1);
    let came =
        format!("UPDATE inbound SET received_at = '{LONG_AGO}' WHERE received_at < '9999-01-01'");
    app.sql(&came).await?;
    // A worker forgets what is old when it starts.
    let worker = app.worker()?;
    worker.stop().await?;
    worker.start_again().await?;
    eventually(LATER, async || {
        let known = app.sql("SELECT id FROM inbound WHERE id = '2'").await?;
        ensure!(known.is_empty(), "{known} is known");
        Ok(())
    })
    .await?;
    text(&app, &hook, "1", PHONE, "START").await?.expect(200)?;
    ensure!(suppressed(&client).await? == 1, "it opted in again");
    text(&app, &hook, "3", PHONE, "START").await?.expect(200)?;
    ensure!(suppressed(&client).await? == 0);
    Ok(())
}

#[tokio::test]
async fn texts_are_answered_once_a_day_and_not_those_who_opted_out() -> Result<()> {
    let (gateway, app) = Gateway::start().await?;
    let client = app.client().await?;
    let none = client.get(SETTING).await?.expect(200)?.json()?;
    ensure!(
        none == json!({"stop_words": [], "stop_reply": null, "help_reply": null, "min_gap_days": 0, "month_budget": null}),
        "{none}"
    );
    let setting = json!({
        "stop_words": ["no more"], "stop_reply": "Bye", "help_reply": "Call us", "min_gap_days": 0, "month_budget": null,
    });
    let stored = put_setting(&client, &setting).await?.expect(200)?.json()?;
    ensure!(
        stored == setting && client.get(SETTING).await?.json()? == setting,
        "{stored}"
    );
    put_setting(&client, &json!({"stop_words": [""]}))
        .await?
        .problem(422, "validation_failed")?;

    let hook = inbound_path(&app, "one").await?;
    // Nobody sent to it yet, so it is nobody's.
    text(&app, &hook, "0", PHONE, "help").await?.expect(200)?;
    send(&client, "one").await?;
    text(&app, &hook, "1", PHONE, "Help?").await?.expect(200)?;
    gateway.until(PHONE, "Call us").await?;
    text(&app, &hook, "2", PHONE, "help").await?.expect(200)?;
    text(&app, &hook, "3", PHONE, "No more!")
        .await?
        .expect(200)?;
    ensure!(suppressed(&client).await? == 1);
    gateway.until(PHONE, "Bye").await?;
    text(&app, &hook, "4", PHONE, "help").await?.expect(200)?;
    text(&app, &hook, "5", PHONE, "stop").await?.expect(200)?;
    text(&app, &hook, "6", OTHER_PHONE, "help")
        .await?
        .expect(200)?;
    let sent = gateway.until(OTHER_PHONE, "Call us").await?;
    let replies = sent.iter().filter(|(_, text)| !text.contains("https://"));
    let replies: Vec<_> = replies
        .map(|(to, text)| (to.as_str(), text.as_str()))
        .collect();
    let expected = [(PHONE, "Call us"), (PHONE, "Bye"), (OTHER_PHONE, "Call us")];
    ensure!(replies == expected, "{replies:?}");
    Ok(())
}
