//! Budgets hold messages back and lose none.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::campaign::{campaign_path, count, on_import, on_import_with};
use tests::client::Client;
use tests::import::records;
use tests::wait::{LATER, eventually};

use super::peer::{Peer, sender_to};
use super::replies::SETTING;
use super::{LONG_AGO, skipped, with_senders};

const USAGE: &str = "/api_v1/sms/usage";

/// A quick sender whose parts cost five cents.
fn sender(name: &str) -> String {
    format!("{name}=demo:?delay=10ms&failures=0&rate=100000&window=20&price=0.05EUR")
}

pub(super) fn euro(amount: f64) -> Value {
    json!({"amount": amount, "currency": "EUR"})
}

/// Why its messages wait, how many, and until when.
fn waiting(campaign: &Value) -> (&str, u64, &Value) {
    let waiting = &campaign["waiting"][0];
    let messages = waiting["messages"].as_u64().unwrap_or_default();
    let reason = waiting["reason"].as_str().unwrap_or_default();
    (reason, messages, &waiting["until"])
}

/// A campaign with a budget, and records imported for it.
pub(super) async fn with_budget(
    client: &Client,
    sender: &str,
    amount: f64,
    people: usize,
) -> Result<Value> {
    let budget = json!({"budget": euro(amount)});
    let records = records("A", people, "1");
    client.running_with(sender, budget, &records).await
}

#[tokio::test]
async fn a_budget_is_spent_to_the_last_part_and_the_rest_waits_until_it_is_raised() -> Result<()> {
    let app = with_senders(&sender("demo")).start().await?;
    let client = app.client().await?;
    let campaign = with_budget(&client, "demo", 0.5, 25).await?;
    ensure!(campaign["budget"] == euro(0.5), "{campaign}");
    let used_up = client.until_first(&campaign, "delivered", 10).await?;
    ensure!(
        waiting(&used_up) == ("budget", 15, &Value::Null),
        "{used_up}"
    );
    ensure!(used_up["cost"] == euro(0.5), "{used_up}");
    // A test costs too.
    let path = format!("{}/test", campaign_path(&campaign));
    let test = json!({"phone": "+4915112345678"});
    let test = client.send_json(Method::POST, &path, &test).await?;
    test.expect(200)?;

    let raised = json!({"budget": euro(0.8)});
    client.changed(&campaign, raised).await?;
    let more = client
        .until(&campaign, |now| now["cost"] == euro(0.8))
        .await?;
    ensure!(waiting(&more).0 == "budget", "{more}");
    let none = json!({"budget": null});
    client.changed(&campaign, none).await?;
    client.until_first(&campaign, "delivered", 25).await?;
    let all = client
        .until(&campaign, |now| now["cost"] == euro(1.3))
        .await?;
    ensure!(all["waiting"] == json!([]), "{all}");
    let usage: Value = client.get(USAGE).await?.expect(200)?.json()?;
    let item = &usage["items"][0];
    ensure!(
        item["messages"] == 26 && item["cost"] == euro(1.3),
        "{usage}"
    );
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_month_has_one_budget_whatever_sends() -> Result<()> {
    let senders = format!("{} {}", sender("one"), sender("other"));
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    let set = async |amount: f64| {
        let setting = json!({"month_budget": euro(amount), "stop_words": ["genug"]});
        let set = client.send_json(Method::PUT, SETTING, &setting).await?;
        let set: Value = set.expect(200)?.json()?;
        ensure!(set["month_budget"] == euro(amount), "{set}");
        Ok(())
    };
    set(1.0).await?;
    let one = client.running("one", &records("A", 30, "1")).await?;
    let other = client.running("other", &records("B", 30, "1")).await?;
    let campaigns = async || {
        let one = client.read_campaign(&one).await?;
        anyhow::Ok([one, client.read_campaign(&other).await?])
    };
    let sum = |campaigns: &[Value; 2], status| {
        let counts = campaigns.iter().map(|now| count(now, "first", status));
        counts.sum::<u64>()
    };
    eventually(LATER, async || {
        let now = campaigns().await?;
        let done = (sum(&now, "delivered"), sum(&now, "scheduled"));
        ensure!(done == (20, 40), "{done:?}");
        for campaign in &now {
            let (reason, messages, until) = waiting(campaign);
            let is_held = reason == "budget" && until.as_str().is_some();
            ensure!(messages == 0 || is_held, "{campaign}");
        }
        Ok(())
    })
    .await?;
    set(20.0).await?;
    for campaign in [&one, &other] {
        client.until_first(campaign, "delivered", 30).await?;
    }
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn senders_of_a_campaign_share_its_budget_at_their_own_prices() -> Result<()> {
    let demo = "demo:?delay=10ms&failures=0&rate=100000&window=20";
    let senders =
        format!("near={demo}&price=0.05EUR far={demo}&price=0.1EUR usd={demo}&price=0.05USD");
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    let of = json!({"sender": {"DE": "near", "*": "far"}, "budget": euro(0.3)});
    let of = |form: &Value| on_import_with(form, "near", of);
    let campaign = client.started(of).await?;
    client.act(&campaign, "pause").await?.expect(200)?;
    let person = |(n, phone): (usize, &str)| json!({"docid": format!("P-{n}"), "phone": format!("{phone}{n}")});
    let people = [
        (1, "+491511234567"),
        (2, "+491511234567"),
        (3, "+3361234567"),
    ];
    let people: Vec<Value> = people.into_iter().map(person).collect();
    client.imported_for(&campaign, &people).await?;
    client.until_first(&campaign, "scheduled", 3).await?;
    let path = campaign_path(&campaign);
    let preview: Value = client
        .post(&format!("{path}/preview"))
        .await?
        .expect(200)?
        .json()?;
    ensure!(preview["cost"] == euro(0.2), "{preview}");

    client.act(&campaign, "resume").await?.expect(200)?;
    client.until_first(&campaign, "delivered", 3).await?;
    let french: Vec<Value> = (4..8).map(|n| person((n, "+3361234567"))).collect();
    client.imported_for(&campaign, &french).await?;
    let used_up = client.until_first(&campaign, "delivered", 4).await?;
    ensure!(
        waiting(&used_up) == ("budget", 3, &Value::Null) && used_up["cost"] == euro(0.3),
        "{used_up}"
    );
    let usage: Value = client.get(USAGE).await?.expect(200)?.json()?;
    for (place, sender, amount) in [(0, "far", 0.2), (1, "near", 0.1)] {
        let item = &usage["items"][place];
        ensure!(
            item["sender"] == sender && item["cost"] == euro(amount),
            "{usage}"
        );
    }
    let mut body = client.read_campaign(&campaign).await?;
    body["sender"] = json!(["near", "usd"]);
    let refused = client.send_json(Method::PUT, &path, &body).await?;
    let refused = refused.problem(422, "validation_failed")?;
    ensure!(refused.to_string().contains("sender usd"), "{refused}");
    // Who waits goes by the other one's price.
    body["sender"] = json!("near");
    body["budget"] = euro(0.4);
    let changed = client.send_json(Method::PUT, &path, &body).await?;
    changed.expect(200)?;
    let more = client.until_first(&campaign, "delivered", 6).await?;
    ensure!(more["cost"] == euro(0.4), "{more}");
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn whoever_waits_for_money_too_long_was_left_out_by_the_limit() -> Result<()> {
    let app = with_senders(&sender("demo")).start().await?;
    let client = app.client().await?;
    let campaign = with_budget(&client, "demo", 0.1, 5).await?;
    client.until_first(&campaign, "delivered", 2).await?;
    let late = format!("UPDATE message SET scheduled_at = '{LONG_AGO}' WHERE status = 'scheduled'");
    app.sql(&late).await?;
    let over = client
        .until(&campaign, |now| skipped(now, "first", "limit_reached") == 3)
        .await?;
    ensure!(over["waiting"] == json!([]), "{over}");
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn what_is_refused_gives_its_money_back() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let senders = sender_to(&address, "&price=0.05EUR");
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    peer.answer_with(400);
    let campaign = with_budget(&client, "peer", 0.1, 5).await?;
    let refused = client.until_first(&campaign, "failed", 5).await?;
    ensure!(refused["cost"] == euro(0.0), "{refused}");
    peer.answer_with(201);
    let path = format!("{}/resend", campaign_path(&campaign));
    let again = json!({"status": "failed"});
    let again = client.send_json(Method::POST, &path, &again).await?;
    again.expect(200)?;
    let used_up = client.until_first(&campaign, "accepted", 2).await?;
    ensure!(waiting(&used_up).1 == 3, "{used_up}");
    ensure!(used_up["cost"] == euro(0.1), "{used_up}");
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_budget_is_in_the_currency_of_the_price() -> Result<()> {
    let (_peer, address) = Peer::start().await?;
    let senders = format!("{} free=demo: {}", sender("demo"), sender_to(&address, ""));
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    let campaign = client.campaign(|form| on_import(form, "demo")).await?;
    let path = campaign_path(&campaign);
    for (sender, budget, pointer) in [
        ("demo", json!({"amount": 5, "currency": "USD"}), "/budget"),
        ("free", euro(5.0), "/budget"),
        ("demo", euro(-1.0), "/budget/amount"),
        (
            "demo",
            json!({"amount": 0.123_456_7, "currency": "EUR"}),
            "/budget/amount",
        ),
        (
            "demo",
            json!({"amount": "5", "currency": "EUR"}),
            "/budget/amount",
        ),
        (
            "demo",
            json!({"amount": 5, "currency": "€"}),
            "/budget/currency",
        ),
        ("demo", json!({"amount": 5}), "/budget/currency"),
    ] {
        let mut body = campaign.clone();
        (body["sender"], body["budget"]) = (json!(sender), budget);
        let refused = client.send_json(Method::PUT, &path, &body).await?;
        let refused = refused.problem(422, "validation_failed")?;
        let wrong = refused["errors"].as_array().context("no errors")?;
        let mut pointers = wrong.iter().map(|wrong| &wrong["pointer"]);
        ensure!(pointers.any(|one| one == pointer), "{refused}");
    }
    // The sender `peer` has no price: what it sends would not count.
    let setting = json!({"month_budget": euro(5.0)});
    let refused = client.send_json(Method::PUT, SETTING, &setting).await?;
    let refused = refused.problem(422, "validation_failed")?;
    ensure!(refused.to_string().contains("sender peer"), "{refused}");
    Ok(())
}
