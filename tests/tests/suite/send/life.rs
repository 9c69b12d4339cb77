//! The life of a campaign: who may change what when.

use anyhow::{Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::campaign::{CAMPAIGN, campaign_path, count, on_import, on_import_with};
use tests::form::short_form;
use tests::import::{JSON, array, records};

use super::{with_demo, with_senders};

#[tokio::test]
async fn a_campaign_goes_through_its_life_and_no_other_way() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let campaign = client.campaign(|form| on_import(form, "demo")).await?;
    ensure!(campaign["status"] == "DRAFT", "{campaign}");
    for action in ["pause", "resume", "finish", "cancel"] {
        client
            .act(&campaign, action)
            .await?
            .problem(409, "campaign_transition")?;
    }
    let mut changed = campaign.clone();
    changed["name"] = json!("Another name");
    let path = campaign_path(&campaign);
    let replaced = client
        .call(Method::PUT, &path)
        .body(JSON, changed.to_string())
        .send()
        .await?;
    ensure!(replaced.expect(200)?.json()?["name"] == "Another name");
    client.act(&campaign, "start").await?.expect(200)?;
    client
        .act(&campaign, "start")
        .await?
        .problem(409, "campaign_transition")?;
    changed["delay_minutes"] = json!(5);
    let replaced = client
        .call(Method::PUT, &path)
        .body(JSON, changed.to_string())
        .send()
        .await?;
    let problem = replaced.problem(409, "campaign_transition")?;
    ensure!(
        problem["detail"]
            .as_str()
            .is_some_and(|detail| detail.contains("delay_minutes"))
    );
    client
        .delete(&path)
        .await?
        .problem(409, "campaign_transition")?;
    client.act(&campaign, "cancel").await?.expect(200)?;
    client
        .act(&campaign, "resume")
        .await?
        .problem(409, "campaign_transition")?;
    let draft = client.campaign(|form| on_import(form, "demo")).await?;
    client.delete(&campaign_path(&draft)).await?.expect(204)?;
    client
        .get(&campaign_path(&draft))
        .await?
        .problem(404, "not_found")?;
    let list: Value = client.get(CAMPAIGN).await?.expect(200)?.json()?;
    ensure!(
        list["items"]
            .as_array()
            .is_some_and(|items| items.len() == 1),
        "{list}"
    );
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_with_a_campaign_is_told() -> Result<()> {
    let app = with_senders("mine=demo:?accounts=somebody demo=demo:")
        .start()
        .await?;
    let client = app.client().await?;
    let form = client.published(&short_form("A form")).await?;
    for (member, value, pointer) in [
        ("text", json!("No link"), "/text"),
        ("audience", json!({}), "/audience"),
        ("max_parts", json!(11), "/max_parts"),
        (
            "send_window",
            json!({"from": "20:00", "to": "09:00"}),
            "/send_window",
        ),
        ("surprise", json!(1), "/surprise"),
        (
            "form_id",
            json!("00000000-0000-7000-8000-000000000000"),
            "/form_id",
        ),
    ] {
        let mut body = on_import(&form, "demo");
        body[member] = value;
        let refused = client
            .call(Method::POST, CAMPAIGN)
            .body(JSON, body.to_string())
            .send()
            .await?;
        let problem = refused.problem(422, "validation_failed")?;
        let found = problem["errors"][0]["pointer"].as_str().unwrap_or_default();
        ensure!(found.starts_with(pointer), "{member}: {problem}");
    }
    for (sender, code) in [
        (json!("nobody"), "sender_unknown"),
        (json!("mine"), "sender_not_allowed"),
        (json!(["demo", "nobody"]), "sender_unknown"),
        (
            json!({"DE": "demo", "*": ["demo", "mine"]}),
            "sender_not_allowed",
        ),
    ] {
        let mut body = on_import(&form, "demo");
        body["sender"] = sender;
        let body = body.to_string();
        let refused = client
            .call(Method::POST, CAMPAIGN)
            .body(JSON, body)
            .send()
            .await?;
        refused.problem(422, code)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_campaign_is_for_batches_of_its_account() -> Result<()> {
    let app = with_demo().start().await?;
    let (client, other) = (app.client().await?, app.client().await?);
    let own = client.import_as(JSON, array(&records("A", 1, "1"))).await?;
    let own: Value = own.expect(202)?.json()?;
    let theirs = other.import_as(JSON, array(&records("A", 1, "1"))).await?;
    let theirs: Value = theirs.expect(202)?.json()?;
    let of = |form: &Value| {
        let audience = json!({"batch_ids": [own["batch_id"]]});
        on_import_with(form, "demo", json!({"audience": audience}))
    };
    let campaign = client.campaign(of).await?;
    let mut body = of(&campaign);
    for unknown in [
        json!("00000000-0000-7000-8000-000000000000"),
        theirs["batch_id"].clone(),
    ] {
        body["audience"]["batch_ids"] = json!([own["batch_id"], unknown]);
        for (method, path) in [
            (Method::POST, CAMPAIGN.to_owned()),
            (Method::PUT, campaign_path(&campaign)),
        ] {
            let call = client.call(method, &path).body(JSON, body.to_string());
            let problem = call.send().await?.problem(422, "validation_failed")?;
            let errors = problem["errors"].as_array().map_or(0, Vec::len);
            let pointer = &problem["errors"][0]["pointer"];
            ensure!(
                errors == 1 && pointer == "/audience/batch_ids/1",
                "{problem}"
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_paused_campaign_hands_nothing_over_and_a_cancelled_one_neither() -> Result<()> {
    let app = with_senders("demo=demo:?delay=10ms&failures=0&rate=20&window=2")
        .start()
        .await?;
    let client = app.client().await?;
    let campaign = client.running("demo", &records("A", 200, "1")).await?;
    let handed_over = |campaign: &Value| {
        let done = ["sending", "accepted", "delivered"].iter();
        done.map(|name| count(campaign, "first", name)).sum::<u64>()
    };
    client
        .until(&campaign, |now| {
            handed_over(now) > 3 && count(now, "first", "recipients") == 200
        })
        .await?;
    client.act(&campaign, "pause").await?.expect(200)?;
    let paused = client.read_campaign(&campaign).await?;
    let resting = client
        .until(&campaign, |now| {
            count(now, "first", "delivered") == handed_over(&paused)
        })
        .await?;
    ensure!(
        handed_over(&resting) == handed_over(&paused),
        "{paused} {resting}"
    );
    client.act(&campaign, "resume").await?.expect(200)?;
    client
        .until(&campaign, |now| handed_over(now) > handed_over(&paused))
        .await?;
    client.act(&campaign, "cancel").await?.expect(200)?;
    let cancelled = client.read_campaign(&campaign).await?;
    ensure!(count(&cancelled, "first", "scheduled") == 0, "{cancelled}");
    ensure!(
        count(&cancelled, "first", "cancelled") == 200 - handed_over(&cancelled),
        "{cancelled}"
    );
    Ok(())
}
