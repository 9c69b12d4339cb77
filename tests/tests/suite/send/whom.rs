//! Of an audience some are asked: as many as a campaign may have, a sample, so many of a store a day, those whom the account has not
//! asked lately, and whose numbers the sender serves. Whoever is not, is counted with the reason.

use anyhow::{Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::campaign::{campaign_path, count, on_import, on_import_with};
use tests::import::records;
use tests::wait::LATER;

use super::hooks::report_with;
use super::peer::{Peer, sender_to};
use super::replies::{PHONE, SETTING, inbound_path, send, suppressed};
use super::{skipped, with_demo, with_senders};

/// Somebody of a store.
fn of_store(docid: &str, phone: u32, store: &str) -> Value {
    json!({"docid": docid, "phone": format!("+49151{phone:08}"), "store_code": store})
}

#[tokio::test]
async fn whoever_is_over_the_limit_is_counted_and_planned_once_it_is_higher() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let limited = json!({"max_messages": 3});
    let campaign = client
        .running_with("demo", limited, &records("A", 5, "1"))
        .await?;
    let stands = |delivered: u64| {
        move |now: &Value| {
            count(now, "first", "delivered") == delivered
                && skipped(now, "first", "limit_reached") == 5 - delivered
        }
    };
    client.until(&campaign, stands(3)).await?;
    // Again they are the same people.
    client
        .imported_for(&campaign, &records("A", 5, "2"))
        .await?;
    let higher = json!({"max_messages": 4});
    client.changed(&campaign, higher).await?;
    client.until(&campaign, stands(4)).await?;
    let unlimited = json!({"max_messages": null});
    client.changed(&campaign, unlimited).await?;
    let all = client.until(&campaign, stands(5)).await?;
    ensure!(count(&all, "first", "recipients") == 5, "{all}");
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn an_audience_that_is_larger_than_the_limit_loses_nobody() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    client
        .import_and_wait(&records("A", 20, "1"), LATER)
        .await?;
    let of = json!({"max_messages": 5, "audience": {"fields": {}}});
    let of = |form: &Value| on_import_with(form, "demo", of);
    let campaign = client.started(of).await?;
    let done = client.finished(&campaign).await?;
    ensure!(skipped(&done, "first", "limit_reached") == 15, "{done}");
    ensure!(count(&done, "first", "recipients") == 20, "{done}");
    Ok(())
}

#[tokio::test]
async fn unusual_numbers_get_nothing_unless_the_sender_s_types_name_them() -> Result<()> {
    let quick = "demo:?delay=10ms&failures=0&rate=1000";
    let senders = format!("demo={quick} any={quick}&types=mobile,premium_rate,satellite");
    let app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    let people = [
        "+4915112345678",
        "+499001234567",
        "+881612345678",
        "+4930123456",
    ];
    let people = people.map(|phone| json!({"docid": phone, "phone": phone}));
    for (sender, delivered) in [("demo", 2), ("any", 3)] {
        let campaign = client.running(sender, &people).await?;
        let done = |now: &Value| {
            count(now, "first", "delivered") == delivered
                && skipped(now, "first", "number_type") == 4 - delivered
        };
        client.until(&campaign, done).await?;
        let preview = format!("{}/preview", campaign_path(&campaign));
        let preview = client.post(&preview).await?.expect(200)?.json()?;
        ensure!(
            preview["skipped"]["number_type"] == 4 - delivered,
            "{preview}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_number_that_no_plan_knows_is_counted_by_its_calling_code() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let people = ["+11111111111", "+12125550123", "+4915112345678"];
    let people = people.map(|phone| json!({"docid": phone, "phone": phone}));
    client.import_and_wait(&people, LATER).await?;
    let of = json!({"audience": {"fields": {}}});
    let of = |form: &Value| on_import_with(form, "demo", of);
    let campaign = client.campaign(of).await?;
    let preview = format!("{}/preview", campaign_path(&campaign));
    let preview = client.post(&preview).await?.expect(200)?.json()?;
    let expected = json!({"+1": 1, "US": 1, "DE": 1});
    ensure!(preview["countries"] == expected, "{preview}");
    Ok(())
}

#[tokio::test]
async fn a_sample_is_of_the_same_people_whoever_looks() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let of = json!({"sample": 0.2});
    let campaign = client
        .running_with("demo", of, &records("A", 200, "1"))
        .await?;
    let done = |now: &Value| {
        count(now, "first", "delivered") + skipped(now, "first", "not_sampled") == 200
    };
    let done = client.until(&campaign, done).await?;
    let asked = count(&done, "first", "delivered");
    ensure!((10..80).contains(&asked), "{done}");
    let preview = format!("{}/preview", campaign_path(&campaign));
    let preview = client.post(&preview).await?.expect(200)?.json()?;
    ensure!(preview["eligible"] == asked, "{preview}");
    ensure!(
        preview["skipped"]["not_sampled"] == 200 - asked,
        "{preview}"
    );
    let path = campaign_path(&campaign);
    let mut other = client.read_campaign(&campaign).await?;
    other["sample"] = json!(0.3);
    let refused = client.send_json(Method::PUT, &path, &other).await?;
    refused.problem(409, "campaign_transition")?;
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn of_a_store_only_so_many_are_asked_a_day() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let of = json!({"per_day": {"store": 2}, "bus_props_from": {"store": "store_code"}});
    let mut people: Vec<_> = (0..5)
        .map(|n| of_store(&format!("a{n}"), n, "S1"))
        .collect();
    people.push(of_store("b", 10, "S2"));
    people.push(of_store("c", 11, ""));
    let campaign = client.running_with("demo", of, &people).await?;
    let stands = |delivered: u64, quota: u64| {
        move |now: &Value| {
            count(now, "first", "delivered") == delivered && skipped(now, "first", "quota") == quota
        }
    };
    client.until(&campaign, stands(4, 3)).await?;
    // It holds for the day, whatever they came with.
    let one = [of_store("d", 20, "S1")];
    client.imported_for(&campaign, &one).await?;
    client.until(&campaign, stands(4, 4)).await?;
    let three = json!({"per_day": {"store": 3}});
    client.changed(&campaign, three).await?;
    let more = [of_store("e", 21, "S1"), of_store("f", 22, "S1")];
    client.imported_for(&campaign, &more).await?;
    client.until(&campaign, stands(5, 5)).await?;
    let preview = format!("{}/preview", campaign_path(&campaign));
    let preview = client.post(&preview).await?.expect(200)?.json()?;
    ensure!(preview["skipped"]["quota"] == 5, "{preview}");
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn an_account_asks_nobody_again_before_its_gap_is_over() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let setting = json!({"min_gap_days": 30});
    let stored = client.send_json(Method::PUT, SETTING, &setting).await?;
    ensure!(stored.expect(200)?.json()?["min_gap_days"] == 30);
    let wrong = json!({"min_gap_days": 366});
    let wrong = client.send_json(Method::PUT, SETTING, &wrong).await?;
    wrong.problem(422, "validation_failed")?;
    for (delivered, gap) in [(3, 0), (0, 3)] {
        let campaign = client.running("demo", &records("A", 3, "1")).await?;
        let done = |now: &Value| {
            count(now, "first", "delivered") == delivered
                && skipped(now, "first", "contact_gap") == gap
        };
        client.until(&campaign, done).await?;
    }
    let campaign = client.campaign(|form| on_import(form, "demo")).await?;
    let preview = format!("{}/preview", campaign_path(&campaign));
    let preview = client.post(&preview).await?.expect(200)?.json()?;
    ensure!(preview["skipped"]["contact_gap"] == 3, "{preview}");
    Ok(())
}

#[tokio::test]
async fn a_phone_that_its_owner_gave_up_is_free_for_who_shared_it() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let campaign = client.started(|form| on_import(form, "demo")).await?;
    client.act(&campaign, "pause").await?.expect(200)?;
    let people = [
        of_store("a1", 1, "S1"),
        of_store("a2", 1, "S1"),
        of_store("a3", 3, "S1"),
    ];
    client.imported_for(&campaign, &people).await?;
    let planned = |now: &Value| {
        count(now, "first", "scheduled") == 2 && skipped(now, "first", "duplicate_phone") == 1
    };
    client.until(&campaign, planned).await?;
    let moved = [of_store("a1", 2, "S1")];
    client.import_and_wait(&moved, LATER).await?;
    client.act(&campaign, "resume").await?.expect(200)?;
    let all = |now: &Value| count(now, "first", "delivered") == 3;
    client.until(&campaign, all).await?;
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_phone_that_another_message_goes_to_gets_no_second_one() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let campaign = client.started(|form| on_import(form, "demo")).await?;
    client.act(&campaign, "pause").await?.expect(200)?;
    let people = [of_store("a1", 1, "S1"), of_store("a2", 2, "S1")];
    client.imported_for(&campaign, &people).await?;
    client.until_first(&campaign, "scheduled", 2).await?;
    let moved = [of_store("a1", 2, "S1")];
    client.import_and_wait(&moved, LATER).await?;
    client.act(&campaign, "resume").await?.expect(200)?;
    let done = |now: &Value| {
        count(now, "first", "delivered") == 1 && skipped(now, "first", "duplicate_phone") == 1
    };
    client.until(&campaign, done).await?;
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_code_goes_with_the_receipt_that_was_overridden() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let app = with_senders(&sender_to(&address, "")).start().await?;
    let (client, public) = (app.client().await?, app.anonymous()?);
    let campaign = send(&client, "peer").await?;
    let message = peer.message_to(PHONE)?;
    let path = format!("{}/message", campaign_path(&campaign));
    for (status, code, expected) in [
        ("undelivered", json!("27"), json!("27")),
        ("expired", json!("13"), json!("27")),
        ("delivered", Value::Null, Value::Null),
        ("undelivered", json!("27"), Value::Null),
    ] {
        report_with(&public, &message, &json!({"status": status, "code": code})).await?;
        let list: Value = client.get(&path).await?.expect(200)?.json()?;
        let mut items = list["items"].as_array().into_iter().flatten();
        let id = &message["message_id"];
        let found = items.find(|item| item["message_id"] == *id);
        let code = found.map(|item| &item["provider_code"]);
        ensure!(code == Some(&expected), "{status}: {list}");
    }
    Ok(())
}

#[tokio::test]
async fn a_stop_in_the_language_of_the_phone_s_country_needs_no_setting() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let app = with_senders(&sender_to(&address, "")).start().await?;
    let client = app.client().await?;
    send(&client, "peer").await?;
    peer.until(2).await?;
    let hook = inbound_path(&app, "peer").await?;
    for (id, text, opted_out) in [("1", "ARRET", 0), ("2", "ａｂｍｅｌｄｅｎ!", 1)] {
        let body = json!({"id": id, "from": PHONE, "to": "11111", "text": text});
        let public = app.anonymous()?;
        let secret = tests::webhook::SECRET;
        public.webhook(&hook, secret, &body).await?.expect(200)?;
        ensure!(suppressed(&client).await? == opted_out, "{text}");
    }
    Ok(())
}
