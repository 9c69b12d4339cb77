//! What messages cost: by country, as they were handed over, and not where they were certainly not sent.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;

use super::peer::{Peer, sender_to};
use super::with_senders;

const DEMO: &str = "demo=demo:?delay=10ms&failures=0&rate=100000&window=20";
const USAGE: &str = "/api_v1/sms/usage";

fn people(phones: &[&str]) -> Vec<Value> {
    let people = phones.iter().zip(1..);
    people
        .map(|(phone, number)| json!({"docid": format!("P-{number}"), "phone": phone}))
        .collect()
}

async fn usage(client: &Client) -> Result<Vec<Value>> {
    let usage: Value = client.get(USAGE).await?.expect(200)?.json()?;
    Ok(usage["items"].as_array().context("no items")?.clone())
}

/// What all messages cost together, in millionths.
async fn cost_of_messages(app: &App) -> Result<String> {
    app.sql("SELECT coalesce(sum(cost), 0) FROM message").await
}

#[tokio::test]
async fn messages_cost_what_their_country_does() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("prices.csv");
    std::fs::write(&file, "country,price\nDE,0.05EUR\nFR,0.08EUR\n*,0.1EUR\n")?;
    let senders = format!("{DEMO}&prices=@{}", file.display());
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    ensure!(usage(&client).await?.is_empty(), "nothing was sent");
    let phones = ["+4915112345671", "+4915112345672", "+33612345678"];
    let campaign = client.running("demo", &people(&phones)).await?;
    let sent = client.until_first(&campaign, "delivered", 3).await?;
    let cost = |amount: f64| json!({"amount": amount, "currency": "EUR"});
    ensure!(sent["cost"] == cost(0.18), "{sent}");
    let items = usage(&client).await?;
    let [german, french] = &items[..] else {
        anyhow::bail!("{items:?}");
    };
    for (item, country, messages, amount) in [(german, "DE", 2, 0.1), (french, "FR", 1, 0.08)] {
        let month = &item["month"];
        let expected = json!({"month": month, "sender": "demo", "country": country, "parts": messages,
            "messages": messages, "cost": cost(amount)});
        ensure!(*item == expected, "{item}");
    }
    ensure!(
        cost_of_messages(&app).await?.trim() == "180000",
        "of messages"
    );

    let csv = client.call(reqwest::Method::GET, USAGE);
    let csv = csv.header("accept", "text/csv").send().await?.expect(200)?;
    let csv = csv.text()?;
    let header = "month,sender,country,parts,messages,cost.amount,cost.currency\r\n";
    ensure!(csv.starts_with(header), "{csv}");
    ensure!(csv.contains(",demo,FR,1,1,0.08,EUR\r\n"), "{csv}");
    let first = format!("{USAGE}?limit=1");
    let first: Value = client.get(&first).await?.expect(200)?.json()?;
    let cursor = first["next_cursor"].as_str().context("no cursor")?;
    let next = format!("{USAGE}?limit=1&cursor={cursor}");
    let next: Value = client.get(&next).await?.expect(200)?.json()?;
    ensure!(next["items"] == json!([french]), "{next}");
    let past = format!("{USAGE}?from=2020-01-01&to=2020-12-31");
    let past: Value = client.get(&past).await?.expect(200)?.json()?;
    ensure!(past["items"] == json!([]), "{past}");
    for wrong in ["from=today", "from=2020-02-01&to=2020-01-01", "to=2020"] {
        let wrong = client.get(&format!("{USAGE}?{wrong}")).await?;
        wrong.problem(400, "invalid_parameter")?;
    }
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn what_was_refused_costs_nothing_and_each_try_costs() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let senders = sender_to(&address, "&price=0.05EUR");
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    // It refuses the number.
    peer.answer_with(400);
    let campaign = client
        .running("peer", &people(&["+4915112345671", "+4915112345672"]))
        .await?;
    let refused = client.until_first(&campaign, "failed", 2).await?;
    ensure!(refused["cost"]["amount"] == 0.0, "{refused}");
    ensure!(usage(&client).await?.is_empty(), "it costs nothing");
    app.succeeds(&["verify"]).await?;

    peer.answer_with(201);
    let path = format!("{}/resend", tests::campaign::campaign_path(&campaign));
    let body = json!({"status": "failed"});
    let again = client.send_json(reqwest::Method::POST, &path, &body);
    again.await?.expect(200)?;
    let sent = client.until_first(&campaign, "accepted", 2).await?;
    ensure!(sent["cost"]["amount"] == 0.1, "{sent}");
    ensure!(usage(&client).await?[0]["messages"] == 2, "{sent}");
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn without_a_price_there_are_messages_and_no_cost() -> Result<()> {
    let app = with_senders(DEMO).start().await?;
    let client = app.client().await?;
    let long = json!({"text": format!("{} {{link}}", "long ".repeat(40))});
    let people = people(&["+4915112345671"]);
    let campaign = client.running_with("demo", long, &people).await?;
    let sent = client.until_first(&campaign, "delivered", 1).await?;
    ensure!(sent["cost"] == Value::Null, "{sent}");
    let items = usage(&client).await?;
    ensure!(items.len() == 1 && items[0]["parts"] == 2, "{items:?}");
    ensure!(items[0]["cost"] == Value::Null, "{items:?}");
    Ok(())
}
