//! A campaign says what it waits for, what it costs and what it lacks, and can be changed while it runs.

use anyhow::{Context, Result, ensure};
use chrono::{Datelike, Utc};
use serde_json::{Value, json};
use tests::campaign::{count, on_import_with};
use tests::import::segment;
use tests::visitor::Visitor;
use tests::wait::LATER;

use super::{skipped, with_senders};

const SENDER: &str = "demo=demo:?delay=10ms&failures=0&rate=100000&window=200&price=0.05EUR";

/// The days of the week on which it is not today anywhere.
fn other_days() -> Vec<&'static str> {
    let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let today = Utc::now().weekday().num_days_from_monday() as usize;
    (3..5).map(|later| days[(today + later) % 7]).collect()
}

fn people(store: &str) -> Vec<Value> {
    let person = |number| json!({"docid": format!("P-{number}"), "phone": format!("+4915112345{number}"), "Filiale": store});
    (100..103).map(person).collect()
}

fn reminder(after_days: u32) -> Value {
    json!({"reminder": {"after_days": after_days, "text": "Still: {link}"}})
}

#[tokio::test]
async fn what_waits_says_why_and_goes_by_the_newest_settings() -> Result<()> {
    let app = with_senders(SENDER).start().await?;
    let client = app.client().await?;
    let of = json!({"send_window": {"days": other_days()}, "bus_props_from": {"store": "Filiale"}});
    let of = |form: &Value| on_import_with(form, "demo", of);
    let campaign = client.started(of).await?;
    let imported = client.imported_for(&campaign, &people("S9")).await?;
    ensure!(
        imported["bus_props_unknown"] == json!({"store:S9": 3}),
        "{imported}"
    );
    let waiting = client.until_first(&campaign, "scheduled", 3).await?;
    let wait = &waiting["waiting"][0];
    ensure!(
        wait["reason"] == "send_window" && wait["messages"] == 3,
        "{waiting}"
    );
    ensure!(
        wait["until"].as_str() > Some(&*Utc::now().to_rfc3339()),
        "{waiting}"
    );
    ensure!(
        waiting["cost"] == json!({"amount": 0.0, "currency": "EUR"}),
        "{waiting}"
    );

    client.act(&campaign, "pause").await?.expect(200)?;
    let long = format!("{} {{link}}", "long ".repeat(40));
    let changes = json!({"text": long, "send_window": null});
    let after = client.changed(&campaign, changes).await?;
    let paused = json!([{"reason": "paused", "messages": 3, "until": null, "sender": null}]);
    ensure!(after["waiting"] == paused, "{after}");
    client.act(&campaign, "resume").await?.expect(200)?;
    let sent = client.until_first(&campaign, "delivered", 3).await?;
    ensure!(sent["waiting"] == json!([]), "{sent}");
    // Two parts each.
    ensure!(sent["cost"]["amount"] == 0.3, "{sent}");
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn reminders_move_with_their_days_and_go_with_their_text() -> Result<()> {
    let app = with_senders(SENDER).start().await?;
    let client = app.client().await?;
    let campaign = client
        .running_with("demo", reminder(2), &people("S1"))
        .await?;
    let until = |campaign: &Value| {
        let wait = campaign["waiting"].as_array().into_iter().flatten();
        let mut wait = wait.filter(|wait| wait["reason"] == "reminder" && wait["messages"] == 3);
        wait.next().map(|wait| wait["until"].to_string())
    };
    let before = client.until(&campaign, |now| until(now).is_some()).await?;
    client.changed(&campaign, reminder(5)).await?;
    client
        .until(&campaign, |now| until(now) > until(&before))
        .await?;
    let none = json!({"reminder": null});
    client.changed(&campaign, none).await?;
    let gone = client
        .until(&campaign, |now| count(now, "reminder", "cancelled") == 3)
        .await?;
    ensure!(gone["waiting"] == json!([]), "{gone}");
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn whoever_answers_lets_go_of_the_reminder_at_once() -> Result<()> {
    let app = with_senders(SENDER).start().await?;
    let client = app.client().await?;
    let campaign = client
        .running_with("demo", reminder(2), &people("S1"))
        .await?;
    let reminds = |campaign: &Value, messages: u64| {
        let mut wait = campaign["waiting"].as_array().into_iter().flatten();
        wait.any(|wait| wait["reason"] == "reminder" && wait["messages"] == messages)
    };
    client.until(&campaign, |now| reminds(now, 3)).await?;
    let form_id = campaign["form_id"].as_str().context("no form")?;
    let path = format!(
        "/api_v1/form/{form_id}/link?track_field={}",
        segment("docid=P-101")
    );
    let links: Value = client.get(&path).await?.expect(200)?.json()?;
    let visitor = Visitor::new(&app.anonymous()?, &links["items"][0])?;
    visitor.page().await?.expect(200)?;
    visitor.stored(&json!({"mood": 5})).await?;
    let answered = client.until(&campaign, |now| reminds(now, 2)).await?;
    ensure!(
        skipped(&answered, "reminder", "already_answered") == 1
            && count(&answered, "reminder", "scheduled") == 2,
        "{answered}"
    );
    app.succeeds(&["verify"]).await?;
    client.act(&campaign, "pause").await?.expect(200)?;
    let paused = client.read_campaign(&campaign).await?;
    let waiting = json!([{"reason": "paused", "messages": 2, "until": null, "sender": null}]);
    ensure!(paused["waiting"] == waiting, "{paused}");
    Ok(())
}

#[tokio::test]
async fn stores_that_the_form_does_not_list_and_nearly_right_fields_are_told() -> Result<()> {
    let app = with_senders(SENDER).start().await?;
    let client = app.client().await?;
    client.import_and_wait(&people("S9"), LATER).await?;
    let of = json!({
        "text": "How was {filiale|it}? {link}",
        "audience": {"fields": {}},
        "bus_props_from": {"store": "Filiale"},
        "send_window": {"days": other_days()},
    });
    let of = |form: &Value| on_import_with(form, "demo", of);
    let campaign = client.campaign(of).await?;
    let preview: Value = client
        .act(&campaign, "preview")
        .await?
        .expect(200)?
        .json()?;
    let unknown = json!({"store:S9": 3});
    ensure!(preview["bus_props_unknown"] == unknown, "{preview}");
    ensure!(preview["cost"]["amount"] == 0.15, "{preview}");
    let missing = json!([{"name": "filiale", "recipients": 3, "similar": "Filiale"}]);
    ensure!(preview["fields_missing"] == missing, "{preview}");
    client.act(&campaign, "start").await?.expect(200)?;
    let waiting = client.until_first(&campaign, "scheduled", 3).await?;
    ensure!(waiting["bus_props_unknown"] == unknown, "{waiting}");
    let adds = json!({"add_bus_props": true});
    let added = client.changed(&campaign, adds).await?;
    ensure!(added["bus_props_unknown"] == json!({}), "{added}");
    let form = added["form_id"].as_str().unwrap_or_default();
    let form: Value = client
        .get(&format!("/api_v1/form/{form}"))
        .await?
        .expect(200)?
        .json()?;
    let listed = form["bus_props"].as_array().into_iter().flatten();
    let mut listed = listed.filter(|entry| entry["bus_prop"] == "store:S9");
    ensure!(listed.next().is_some(), "{form}");
    Ok(())
}
