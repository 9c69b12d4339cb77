//! Who gets a message, and who does not.

use anyhow::{Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::campaign::{count, on_import_with};
use tests::client::Client;
use tests::import::{JSON, records};
use tests::wait::LATER;

use super::{skipped, with_demo};

fn is_done(campaign: &Value) -> bool {
    let open = ["scheduled", "sending", "accepted"].iter();
    open.map(|name| count(campaign, "first", name)).sum::<u64>() == 0
        && count(campaign, "first", "recipients") > 0
}

pub(super) async fn suppress(client: &Client, method: Method, phone: &str) -> Result<()> {
    let body = json!({"phone": phone}).to_string();
    let path = "/api_v1/sms/suppression";
    client
        .call(method, path)
        .body(JSON, body)
        .send()
        .await?
        .expect(204)?;
    Ok(())
}

#[tokio::test]
async fn those_who_opted_out_get_nothing_until_they_are_taken_off_the_list() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    suppress(&client, Method::PUT, "+491510000003").await?;
    let list: Value = client
        .get("/api_v1/sms/suppression")
        .await?
        .expect(200)?
        .json()?;
    ensure!(
        list["items"]
            .as_array()
            .is_some_and(|items| items.len() == 1),
        "{list}"
    );
    ensure!(
        !list.to_string().contains("1510000003"),
        "the phone is shown: {list}"
    );
    for (round, opted_out) in [(0, 1), (1, 0)] {
        let campaign = client.running("demo", &records("A", 10, "1")).await?;
        let done = client.until(&campaign, is_done).await?;
        ensure!(
            skipped(&done, "first", "opted_out") == opted_out,
            "round {round}: {done}"
        );
        ensure!(
            count(&done, "first", "delivered") == 10 - opted_out,
            "{done}"
        );
        suppress(&client, Method::DELETE, "+491510000003").await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_phone_gets_one_message_of_a_campaign_and_a_missing_field_none() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let all = [
        json!({"docid": "a", "phone": "+491510000001", "name": "Ada"}),
        json!({"docid": "b", "phone": "+491510000001", "name": "Bob"}),
        json!({"docid": "c", "phone": "+491510000002", "name": " "}),
    ];
    let text = json!({"text": "Hello {name}: {link}"});
    let campaign = client.running_with("demo", text, &all).await?;
    let done = client.until(&campaign, is_done).await?;
    ensure!(skipped(&done, "first", "duplicate_phone") == 1, "{done}");
    ensure!(
        skipped(&done, "first", "template_field_missing") == 1,
        "{done}"
    );
    ensure!(count(&done, "first", "delivered") == 1, "{done}");
    Ok(())
}

#[tokio::test]
async fn an_audience_is_taken_once_of_those_who_were_there_before() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let batch = client
        .import_and_wait(&records("A", 200, "1"), LATER)
        .await?;
    let others = client
        .import_and_wait(&records("B", 50, "2"), LATER)
        .await?;
    ensure!(
        others["created"] == 50 || others["outcomes"].is_object(),
        "{others}"
    );
    for (audience, expected) in [
        (json!({"batch_ids": [batch["batch_id"]]}), 200),
        (json!({"fields": {"store_code": "S5"}}), 4),
        (json!({"fields": {"version": "2"}}), 50),
    ] {
        let of = |form: &Value| on_import_with(form, "demo", json!({"audience": audience}));
        let campaign = client.started(of).await?;
        let finished = client.finished(&campaign).await?;
        let recipients = count(&finished, "first", "recipients");
        ensure!(recipients == expected, "{audience}: {finished}");
    }
    Ok(())
}

#[tokio::test]
async fn no_reminder_waits_for_a_phone_that_opts_out() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let reminder = json!({"reminder": {"after_days": 2, "text": "Still: {link}"}});
    let campaign = client
        .running_with("demo", reminder, &records("A", 2, "1"))
        .await?;
    let waiting = |now: &Value| count(now, "reminder", "scheduled");
    client.until(&campaign, |now| waiting(now) == 2).await?;
    suppress(&client, Method::PUT, "+491510000001").await?;
    client
        .until(&campaign, |now| {
            waiting(now) == 1 && skipped(now, "reminder", "opted_out") == 1
        })
        .await?;
    app.succeeds(&["verify"]).await.map(drop)
}
