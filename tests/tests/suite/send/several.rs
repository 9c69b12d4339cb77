//! Campaigns that name several senders: in order, or by the country of the phone.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::{campaign_path, count, on_import_with};
use tests::client::Client;
use tests::import::segment;
use tests::visitor::Visitor;
use tests::wait::{LATER, eventually};

use super::again::resend;
use super::hooks::report;
use super::peer::{Peer, sender_to};
use super::senders::is;
use super::{LONG_AGO, skipped, with_senders};

/// The entry of a sender of this name.
fn entry(name: &str, address: &str, more: &str) -> String {
    sender_to(address, &format!("&receipts=off{more}")).replace("peer=", &format!("{name}="))
}

/// The entries of `a` and `b`, of which receipts count.
fn reporting([a, b]: [&str; 2]) -> String {
    let entry = |name, address| sender_to(address, "").replace("peer=", name);
    format!("{} {}", entry("a=", a), entry("b=", b))
}

/// People with German mobiles, whose docids are these numbers.
fn germans(numbers: std::ops::Range<usize>) -> Vec<Value> {
    let person = |n| json!({"docid": format!("D{n}"), "phone": format!("+49151123456{n:02}")});
    numbers.map(person).collect()
}

/// Lets a sender that is in error have been so for long.
async fn error_since_long(app: &App, name: &str) -> Result<()> {
    let since = format!("UPDATE sender_state SET error_since = '{LONG_AGO}' WHERE name = '{name}'");
    app.sql(&since).await.map(drop)
}

/// How many messages of a campaign each sender has.
async fn by_sender(client: &Client, campaign: &Value) -> Result<BTreeMap<String, usize>> {
    let list = format!("{}/message?limit=100", campaign_path(campaign));
    let list: Value = client.get(&list).await?.expect(200)?.json()?;
    let mut found = BTreeMap::new();
    for message in list["items"].as_array().context("no items")? {
        let sender = message["sender"].as_str().context("no sender")?;
        *found.entry(sender.to_owned()).or_default() += 1;
    }
    Ok(found)
}

fn numbers<const N: usize>(of: [(&str, usize); N]) -> BTreeMap<String, usize> {
    let of = of.into_iter();
    of.map(|(name, number)| (name.to_owned(), number)).collect()
}

/// Checks that so many phones got messages, each from one of the peers, and from the second no phone twice.
fn each_from_one([first, second]: [&Peer; 2], all: usize) -> Result<()> {
    let [by_first, by_second] = [first, second].map(|peer| {
        let messages = peer.messages().into_iter();
        messages
            .map(|message| message["to"].to_string())
            .collect::<BTreeSet<_>>()
    });
    let from_both: Vec<_> = by_first.intersection(&by_second).collect();
    ensure!(from_both.is_empty(), "{from_both:?}");
    ensure!(by_second.len() == second.messages().len(), "{by_second:?}");
    let phones = by_first.len() + by_second.len();
    ensure!(phones == all, "{phones} phones");
    Ok(())
}

#[tokio::test]
async fn while_a_sender_is_in_error_the_next_takes_what_it_did_not() -> Result<()> {
    let ((first, a), (second, b)) = (Peer::start().await?, Peer::start().await?);
    first.answer_with(401);
    let senders = format!("{} {}", entry("a", &a, ""), entry("b", &b, ""));
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    let choice = json!(["a", "b"]);
    let of = json!({"sender": choice});
    let campaign = client.running_with("a", of, &germans(0..5)).await?;
    ensure!(campaign["sender"] == choice, "{campaign}");
    is(&client, "a", "error", json!("http_401")).await?;
    let waits = client.until_first(&campaign, "scheduled", 5).await?;
    let paused = &waits["waiting"][0];
    ensure!(
        paused["reason"] == "sender_paused" && paused["sender"] == "a",
        "{waits}"
    );
    ensure!(second.messages().is_empty(), "{:?}", second.messages());
    error_since_long(&app, "a").await?;
    client.until_first(&campaign, "accepted", 5).await?;
    ensure!(by_sender(&client, &campaign).await? == numbers([("b", 5)]));
    ensure!(second.messages().len() == 5, "{:?}", second.messages());
    // What is new begins with the first again once it is well.
    first.answer_with(201);
    for action in ["pause", "resume"] {
        app.succeeds(&["sender", action, "a"]).await?;
    }
    let well = is(&client, "a", "ok", Value::Null).await?;
    ensure!(well["waiting"] == 0, "{well}");
    client.imported_for(&campaign, &germans(5..6)).await?;
    client.until_first(&campaign, "accepted", 6).await?;
    ensure!(by_sender(&client, &campaign).await? == numbers([("a", 1), ("b", 5)]));
    Ok(())
}

#[tokio::test]
async fn of_a_message_that_another_sender_took_that_one_alone_reports() -> Result<()> {
    let ((first, a), (second, b)) = (Peer::start().await?, Peer::start().await?);
    first.answer_with(401);
    let app = with_senders(&reporting([&a, &b])).start().await?;
    let (client, public) = (app.client().await?, app.anonymous()?);
    let of = json!({"sender": ["a", "b"]});
    let campaign = client.running_with("a", of, &germans(0..1)).await?;
    is(&client, "a", "error", json!("http_401")).await?;
    error_since_long(&app, "a").await?;
    client.until_first(&campaign, "accepted", 1).await?;
    let phone = "+4915112345600";
    for status in ["undelivered", "delivered"] {
        report(&public, &first.message_to(phone)?, status).await?;
        let now = client.read_campaign(&campaign).await?;
        ensure!(count(&now, "first", "accepted") == 1, "{status}: {now}");
    }
    report(&public, &second.message_to(phone)?, "delivered").await?;
    client.until_first(&campaign, "delivered", 1).await?;
    app.succeeds(&["verify"]).await.map(drop)
}

#[tokio::test]
async fn what_goes_again_by_another_sender_is_reported_by_the_first_until_that_one_has_it()
-> Result<()> {
    let ((first, a), (second, b)) = (Peer::start().await?, Peer::start().await?);
    first.answer_with(500);
    let app = with_senders(&reporting([&a, &b])).start().await?;
    let (client, public) = (app.client().await?, app.anonymous()?);
    let campaign = client.running("a", &germans(0..2)).await?;
    client.until_first(&campaign, "unknown", 2).await?;
    client.act(&campaign, "pause").await?.expect(200)?;
    client.changed(&campaign, json!({"sender": "b"})).await?;
    resend(&client, &campaign, "unknown").await?.expect(200)?;
    let [arrived, lost] = ["+4915112345600", "+4915112345601"];
    report(&public, &first.message_to(arrived)?, "delivered").await?;
    client.act(&campaign, "resume").await?.expect(200)?;
    client.until_first(&campaign, "accepted", 1).await?;
    report(&public, &first.message_to(lost)?, "undelivered").await?;
    let done = client.read_campaign(&campaign).await?;
    let counts = ["accepted", "delivered"].map(|status| count(&done, "first", status));
    ensure!(counts == [1, 1], "{done}");
    ensure!(second.messages().len() == 1, "{:?}", second.messages());
    second.message_to(lost)?;
    app.succeeds(&["verify"]).await.map(drop)
}

#[tokio::test]
async fn what_is_uncertain_goes_to_no_other_sender() -> Result<()> {
    for (more, status) in [("", "unknown"), ("&idempotent=on", "scheduled")] {
        let ((first, a), (second, b)) = (Peer::start().await?, Peer::start().await?);
        first.answer_with(500);
        let first_entry = entry("a", &a, &format!("&window=1{more}"));
        let app = with_senders(&format!("{first_entry} {}", entry("b", &b, "")))
            .start()
            .await?;
        let client = app.client().await?;
        let of = json!({"sender": ["a", "b"]});
        let campaign = client.running_with("a", of, &germans(0..20)).await?;
        is(&client, "a", "error", json!("http_500")).await?;
        // Whatever it is tried with from now on it certainly does not take.
        first.answer_with(401);
        error_since_long(&app, "a").await?;
        client.until_first(&campaign, "accepted", 15).await?;
        let due = format!("UPDATE message_due SET due_at = '{LONG_AGO}' WHERE fence = 0");
        app.sql(&due).await?;
        client.imported_for(&campaign, &germans(20..21)).await?;
        let done =
            |now: &Value| count(now, "first", "accepted") == 16 && count(now, "first", status) == 5;
        client.until(&campaign, done).await?;
        ensure!(by_sender(&client, &campaign).await? == numbers([("a", 5), ("b", 16)]));
        each_from_one([&first, &second], 21)?;
    }
    Ok(())
}

#[tokio::test]
async fn what_the_next_sender_does_not_serve_waits_for_its_own() -> Result<()> {
    let ((first, a), (second, b)) = (Peer::start().await?, Peer::start().await?);
    first.answer_with(401);
    let second_entry = entry("b", &b, "&countries=DE");
    let app = with_senders(&format!("{} {second_entry}", entry("a", &a, "")))
        .start()
        .await?;
    let client = app.client().await?;
    let mut people = germans(0..2);
    people.push(json!({"docid": "french", "phone": "+33612345678"}));
    let of = json!({"sender": ["a", "b"]});
    let campaign = client.running_with("a", of, &people).await?;
    is(&client, "a", "error", json!("http_401")).await?;
    error_since_long(&app, "a").await?;
    client
        .until(&campaign, |now| {
            count(now, "first", "accepted") == 2 && count(now, "first", "scheduled") == 1
        })
        .await?;
    first.answer_with(201);
    for action in ["pause", "resume"] {
        app.succeeds(&["sender", action, "a"]).await?;
    }
    client.until_first(&campaign, "accepted", 3).await?;
    ensure!(by_sender(&client, &campaign).await? == numbers([("a", 1), ("b", 2)]));
    ensure!(second.messages().len() == 2, "{:?}", second.messages());
    Ok(())
}

#[tokio::test]
async fn each_country_has_its_senders() -> Result<()> {
    let ((german, a), (french, b)) = (Peer::start().await?, Peer::start().await?);
    let senders = format!("{} {}", entry("a", &a, ""), entry("b", &b, ""));
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    let of = json!({"sender": {"FR": ["b", "a"], "DE": "a"}});
    let of = |form: &Value| on_import_with(form, "a", of);
    let campaign = client.started(of).await?;
    client.act(&campaign, "pause").await?.expect(200)?;
    let person = |docid: &str, phone: &str| json!({"docid": docid, "phone": phone});
    let people = [
        person("german", "+4915112345678"),
        person("french", "+33612345678"),
        person("austrian", "+436641234567"),
        person("moves", "+4915112345679"),
    ];
    client.imported_for(&campaign, &people).await?;
    client.until_first(&campaign, "scheduled", 4).await?;
    let preview = format!("{}/preview", campaign_path(&campaign));
    let preview: Value = client.post(&preview).await?.expect(200)?.json()?;
    ensure!(
        preview["eligible"] == 3 && preview["skipped"]["country_not_allowed"] == 1,
        "{preview}"
    );
    let moved = [person("moves", "+33612345679")];
    let batch = client.imported_for(&campaign, &moved).await?;
    let id = batch["batch_id"].as_str().context("no batch_id")?;
    client.completed(id, LATER).await?;
    client.act(&campaign, "resume").await?.expect(200)?;
    let done = client.until_first(&campaign, "accepted", 3).await?;
    ensure!(
        skipped(&done, "first", "country_not_allowed") == 1,
        "{done}"
    );
    ensure!(german.messages().len() == 1 && french.messages().len() == 2);
    german.message_to("+4915112345678")?;
    french.message_to("+33612345678")?;
    french.message_to("+33612345679").map(drop)
}

#[tokio::test]
async fn a_running_campaign_gets_another_sender_and_what_was_sent_keeps_its_own() -> Result<()> {
    let ((first, a), (second, b)) = (Peer::start().await?, Peer::start().await?);
    let senders = format!("{} {}", entry("a", &a, ""), entry("b", &b, ""));
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    let campaign = client.running("a", &germans(0..2)).await?;
    client.until_first(&campaign, "accepted", 2).await?;
    first.answer_with(401);
    client.imported_for(&campaign, &germans(2..5)).await?;
    is(&client, "a", "error", json!("http_401")).await?;
    client.until_first(&campaign, "scheduled", 3).await?;
    let other = json!({"sender": "b"});
    let changed = client.changed(&campaign, other).await?;
    ensure!(changed["sender"] == "b", "{changed}");
    client.until_first(&campaign, "accepted", 5).await?;
    ensure!(by_sender(&client, &campaign).await? == numbers([("a", 2), ("b", 3)]));
    ensure!(second.messages().len() == 3, "{:?}", second.messages());
    // A test goes through it too.
    let test = json!({"phone": "+4915112345677"});
    let test_path = format!("{}/test", campaign_path(&campaign));
    let test = client.send_json(Method::POST, &test_path, &test).await?;
    let test: Value = test.expect(200)?.json()?;
    ensure!(test["sender"] == "b", "{test}");
    second.until(4).await.map(drop)
}

#[tokio::test]
async fn what_was_under_way_while_its_campaign_got_another_sender_goes_there_unless_it_was_taken()
-> Result<()> {
    let ((first, a), (second, b)) = (Peer::start().await?, Peer::start().await?);
    first.hold(true);
    let senders = format!("{} {}", entry("a", &a, ""), entry("b", &b, ""));
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    let campaign = client.running("a", &germans(0..2)).await?;
    first.until(2).await?;
    let other = json!({"sender": "b"});
    client.changed(&campaign, other).await?;
    // What is new goes there at once.
    client.imported_for(&campaign, &germans(2..3)).await?;
    client.until_first(&campaign, "accepted", 1).await?;
    first.answer_with(401);
    first.hold(false);
    client.until_first(&campaign, "accepted", 3).await?;
    ensure!(by_sender(&client, &campaign).await? == numbers([("b", 3)]));
    ensure!(second.messages().len() == 3, "{:?}", second.messages());
    Ok(())
}

#[tokio::test]
async fn a_reminder_that_goes_to_another_sender_is_let_go_by_an_answer() -> Result<()> {
    let demo = "demo:?delay=10ms&failures=0&rate=100000&window=20";
    let senders = format!("a={demo} b={demo}");
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    let reminder = json!({"reminder": {"after_days": 2, "text": "Still: {link}"}});
    let campaign = client.running_with("a", reminder, &germans(0..1)).await?;
    let waits = |now: &Value| count(now, "reminder", "scheduled") == 1;
    client.until(&campaign, waits).await?;
    let senders = json!({"sender": ["b", "a"]});
    client.changed(&campaign, senders).await?;
    eventually(LATER, async || {
        let found = by_sender(&client, &campaign).await?;
        ensure!(found == numbers([("a", 1), ("b", 1)]), "{found:?}");
        Ok(())
    })
    .await?;
    let form_id = campaign["form_id"].as_str().context("no form")?;
    let docid = segment("docid=D0");
    let links = format!("/api_v1/form/{form_id}/link?track_field={docid}");
    let links: Value = client.get(&links).await?.expect(200)?.json()?;
    let visitor = Visitor::new(&app.anonymous()?, &links["items"][0])?;
    visitor.page().await?.expect(200)?;
    visitor.stored(&json!({"mood": 5})).await?;
    client
        .until(&campaign, |now| {
            skipped(now, "reminder", "already_answered") == 1
        })
        .await?;
    app.succeeds(&["verify"]).await?;
    Ok(())
}
