//! What follows later: reminders, what is sent again, what a pause holds back, and whose turn is next.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::campaign::{campaign_path, count, on_import_with};
use tests::client::{Answer, Client};
use tests::import::records;
use tests::webhook::SECRET;

use super::hooks::report;
use super::peer::{Peer, sender_to};
use super::people::visitor;
use super::replies::inbound_path;
use super::{LONG_AGO, names_nobody, skipped, with_senders};

fn phone(number: usize) -> String {
    format!("+49151123456{number:02}")
}

/// So many people, `D0` and on.
fn people(count: usize) -> Vec<Value> {
    let people = 0..count;
    people
        .map(|number| json!({"docid": format!("D{number}"), "phone": phone(number)}))
        .collect()
}

/// A running campaign, and its messages accepted.
async fn accepted(client: &Client, people: &[Value]) -> Result<Value> {
    let of = json!({
        "contact_gap_days": 1,
        "reminder": {"after_days": 1, "text": "Still there? {link}"},
    });
    let of = |form: &Value| on_import_with(form, "peer", of);
    let campaign = client.started(of).await?;
    let batch = client.imported_for(&campaign, people).await?;
    let id = batch["batch_id"].as_str().context("no batch_id")?;
    let batch = client.batch(id).await?;
    ensure!(batch["campaign_id"] == campaign["campaign_id"], "{batch}");
    let all = people.len() as u64;
    client.until_first(&campaign, "accepted", all).await
}

#[tokio::test]
async fn those_who_got_the_first_message_and_did_not_answer_are_reminded_once() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let app = with_senders(&sender_to(&address, "")).start().await?;
    let (client, public) = (app.client().await?, app.anonymous()?);
    let campaign = accepted(&client, &people(5)).await?;
    let receipts = [
        "delivered",
        "delivered",
        "undelivered",
        "delivered",
        "accepted",
    ];
    for (number, status) in receipts.into_iter().enumerate() {
        let message = peer.message_to(&phone(number))?;
        for _ in 0..2 {
            report(&public, &message, status).await?;
        }
    }
    let planned = client
        .until(&campaign, |now| count(now, "reminder", "scheduled") == 3)
        .await?;
    ensure!(count(&planned, "reminder", "recipients") == 3, "{planned}");
    let first = peer.message_to(&phone(0))?;
    visitor(&app, &peer.message_to(&phone(1))?)?
        .stored(&json!({"mood": 3}))
        .await?;
    let stop = json!({"id": "1", "from": phone(3), "to": "12345", "text": "stop"});
    let hook = inbound_path(&app, "peer").await?;
    public.webhook(&hook, SECRET, &stop).await?.expect(200)?;
    app.sql(&format!("UPDATE message_due SET due_at = '{LONG_AGO}'"))
        .await?;
    let later = client
        .until(&campaign, |now| count(now, "reminder", "accepted") == 1)
        .await?;
    ensure!(
        skipped(&later, "reminder", "already_answered") == 1,
        "{later}"
    );
    ensure!(skipped(&later, "reminder", "opted_out") == 1, "{later}");
    let reminder = peer.message_to(&phone(0))?;
    let link = first["text"]
        .as_str()
        .and_then(|text| text.split(' ').next_back());
    let link = link.context("no link")?;
    ensure!(
        reminder["text"] == format!("Still there? {link}"),
        "{first} {reminder}"
    );
    ensure!(reminder["message_id"] != first["message_id"]);

    // A late receipt of the first message, and those of the reminder, remind nobody again.
    for message in [&first, &reminder] {
        report(&public, message, "delivered").await?;
    }
    visitor(&app, &reminder)?
        .stored(&json!({"mood": 4}))
        .await?;
    report(&public, &peer.message_to(&phone(4))?, "expired").await?;
    client.act(&campaign, "finish").await?.expect(200)?;
    let done = client.finished(&campaign).await?;
    ensure!(count(&done, "reminder", "delivered") == 1, "{done}");
    ensure!(count(&done, "reminder", "recipients") == 3, "{done}");
    ensure!(peer.messages().len() == 6);
    app.succeeds(&["verify"]).await?;
    names_nobody(&app).await
}

pub(super) async fn resend(client: &Client, campaign: &Value, status: &str) -> Result<Answer> {
    let path = format!("{}/resend", campaign_path(campaign));
    let body = json!({"status": status});
    client.send_json(Method::POST, &path, &body).await
}

#[tokio::test]
async fn what_is_unknown_is_sent_again_when_a_person_asks_for_it() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let app = with_senders(&sender_to(&address, "")).start().await?;
    let client = app.client().await?;
    peer.answer_with(500);
    let campaign = client.running("peer", &people(4)).await?;
    client.until_first(&campaign, "unknown", 4).await?;
    // A receipt settles it, so that it is not sent again.
    let settled = peer.message_to(&phone(0))?;
    report(&app.anonymous()?, &settled, "delivered").await?;
    client.act(&campaign, "finish").await?.expect(200)?;
    client.finished(&campaign).await?;
    peer.answer_with(201);
    resend(&client, &campaign, "delivered")
        .await?
        .problem(422, "validation_failed")?;
    let running = resend(&client, &campaign, "unknown").await?;
    let running: Value = running.expect(200)?.json()?;
    ensure!(running["status"] == "RUNNING", "{running}");
    let done = client.finished(&campaign).await?;
    ensure!(count(&done, "first", "accepted") == 3, "{done}");
    ensure!(count(&done, "first", "parts") == 4, "{done}");
    let seen = peer.seen();
    let of_settled = settled["message_id"].as_str().unwrap_or_default();
    let twice = seen.iter().filter(|(id, _)| *id != of_settled);
    ensure!(
        twice.clone().count() == 3 && seen[of_settled] == 1,
        "{seen:?}"
    );
    ensure!(twice.into_iter().all(|(_, times)| *times == 2), "{seen:?}");
    app.succeeds(&["verify"]).await?;
    names_nobody(&app).await
}

#[tokio::test]
async fn what_failed_or_did_not_arrive_is_sent_again_with_its_link_when_a_person_asks() -> Result<()>
{
    let (peer, address) = Peer::start().await?;
    let app = with_senders(&sender_to(&address, "")).start().await?;
    let (client, public) = (app.client().await?, app.anonymous()?);
    peer.answer_with(422);
    let campaign = client.running("peer", &people(1)).await?;
    client.until_first(&campaign, "failed", 1).await?;
    peer.answer_with(201);
    resend(&client, &campaign, "failed").await?.expect(200)?;
    client.until_first(&campaign, "accepted", 1).await?;
    report(&public, &peer.message_to(&phone(0))?, "undelivered").await?;
    client.until_first(&campaign, "undelivered", 1).await?;
    // Whoever is blocked meanwhile gets none, and what is known of the first stays.
    let suppression = "/api_v1/sms/suppression";
    let blocked = json!({"phone": phone(0)});
    client
        .send_json(Method::PUT, suppression, &blocked)
        .await?
        .expect(204)?;
    let none = resend(&client, &campaign, "undelivered").await?;
    let none = none.expect(200)?.json()?;
    ensure!(count(&none, "first", "undelivered") == 1, "{none}");
    client
        .send_json(Method::DELETE, suppression, &blocked)
        .await?
        .expect(204)?;
    resend(&client, &campaign, "undelivered")
        .await?
        .expect(200)?;
    client.until_first(&campaign, "accepted", 1).await?;
    let last = peer.message_to(&phone(0))?;
    report(&public, &last, "delivered").await?;
    let done = client.until_first(&campaign, "delivered", 1).await?;
    let counts = &done["counts"]["first"];
    ensure!(
        counts["recipients"] == 1 && counts["parts"] == 1 && counts["undelivered"] == 0,
        "{done}"
    );
    let messages = peer.messages();
    ensure!(messages.len() == 3, "{messages:?}");
    ensure!(
        messages.iter().all(|one| one["text"] == last["text"]),
        "{messages:?}"
    );
    app.succeeds(&["verify"]).await?;
    names_nobody(&app).await
}

#[tokio::test]
async fn what_a_receipt_settles_meanwhile_is_not_sent_again() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let app = with_senders(&sender_to(&address, "")).start().await?;
    let client = app.client().await?;
    peer.answer_with(500);
    let campaign = client.running("peer", &people(3)).await?;
    client.until_first(&campaign, "unknown", 3).await?;
    client.act(&campaign, "pause").await?.expect(200)?;
    resend(&client, &campaign, "unknown").await?.expect(200)?;
    let settled = peer.message_to(&phone(0))?;
    for status in ["accepted", "delivered"] {
        report(&app.anonymous()?, &settled, status).await?;
    }
    peer.answer_with(201);
    client.act(&campaign, "resume").await?.expect(200)?;
    let done = client
        .until(&campaign, |now| {
            count(now, "first", "scheduled") + count(now, "first", "sending") == 0
        })
        .await?;
    ensure!(count(&done, "first", "delivered") == 1, "{done}");
    ensure!(count(&done, "first", "accepted") == 2, "{done}");
    ensure!(peer.messages().len() == 5, "{:?}", peer.seen());
    app.succeeds(&["verify"]).await.map(drop)
}

#[tokio::test]
async fn after_the_answer_to_a_pause_nothing_is_handed_over() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let app = with_senders(&sender_to(&address, "&window=5"))
        .start()
        .await?;
    let client = app.client().await?;
    peer.hold(true);
    let campaign = client.running("peer", &people(20)).await?;
    peer.until(5).await?;
    client.act(&campaign, "pause").await?.expect(200)?;
    peer.hold(false);
    let paused = client.until_first(&campaign, "accepted", 5).await?;
    ensure!(count(&paused, "first", "scheduled") == 15, "{paused}");
    ensure!(peer.messages().len() == 5);
    client.act(&campaign, "resume").await?.expect(200)?;
    client.until_first(&campaign, "accepted", 20).await?;
    ensure!(peer.messages().len() == 20);
    Ok(())
}

#[tokio::test]
async fn accounts_take_turns_at_a_sender_by_parts() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let app = with_senders(&sender_to(&address, "&window=1"))
        .start()
        .await?;
    let (busy, small) = (app.client().await?, app.client().await?);
    peer.hold(true);
    let of_two_parts = json!({"text": format!("{} {{link}}", "x".repeat(200))});
    busy.running_with("peer", of_two_parts, &records("A", 200, "1"))
        .await?;
    peer.until(1).await?;
    let campaign = small.running("peer", &people(20)).await?;
    small.until_first(&campaign, "scheduled", 20).await?;
    peer.hold(false);
    small.until_first(&campaign, "accepted", 20).await?;
    let phones: BTreeSet<String> = (0..20).map(phone).collect();
    let is_small = |message: &Value| message["to"].as_str().is_some_and(|to| phones.contains(to));
    let order: Vec<bool> = peer.messages().iter().map(is_small).collect();
    let first = order.iter().position(|is_small| *is_small);
    let last = order.iter().rposition(|is_small| *is_small);
    let (first, last) = first.zip(last).context("nothing came")?;
    let between = last + 1 - first - 20;
    ensure!(
        (8..=12).contains(&between),
        "{between} of the busy account came between"
    );
    Ok(())
}
