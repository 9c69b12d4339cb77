//! What became of messages, in the reports of their form.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};
use chrono::{TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::{CAMPAIGN, campaign_path, count, on_import};
use tests::client::Client;
use tests::import::{records, segment};
use tests::oracle::{agrees, of_messages};
use tests::report::Of;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};

use super::with_senders;

const STORES: [&str; 2] = ["S1", "S2"];

/// A campaign whose messages of two stores are all sent, some of them in vain.
async fn sent(client: &Client) -> Result<(Value, Value)> {
    let form = client
        .published(&json!({
            "title": "Which store?", "bus_props": ["store:S1", "store:S2"],
            "fields": [{"key": "mood", "type": "happiness", "label": "How was it?", "required": false}],
        }))
        .await?;
    let mut body = on_import(&form, "demo");
    body["bus_props_from"] = json!({"store": "store_code"});
    let made = client.send_json(Method::POST, CAMPAIGN, &body).await?;
    let campaign: Value = made.expect(201)?.json()?;
    client.act(&campaign, "start").await?.expect(200)?;
    let mut all = records("order", 40, "1");
    for (record, store) in all.iter_mut().zip(STORES.iter().cycle()) {
        record["store_code"] = json!(store);
    }
    client.imported_for(&campaign, &all).await?;
    let campaign = client
        .until(&campaign, |now| {
            let open = ["scheduled", "sending", "accepted"];
            let open = open.map(|status| count(now, "first", status));
            count(now, "first", "recipients") == 40 && open == [0; 3]
        })
        .await?;
    Ok((form, campaign))
}

/// The links of the form's messages.
async fn links(client: &Client, form: &Value) -> Result<Vec<Value>> {
    let form_id = form["form_id"].as_str().context("no form")?;
    let path = format!("/api_v1/form/{form_id}/link?limit=100");
    let links: Value = client.get(&path).await?.expect(200)?.json()?;
    Ok(links["items"].as_array().context("no links")?.clone())
}

/// The docid of each message, which a message does not say any more once its recipient is erased.
async fn docids(client: &Client, campaign: &Value) -> Result<HashMap<String, String>> {
    let path = format!("{}/message?limit=100", campaign_path(campaign));
    let messages: Value = client.get(&path).await?.expect(200)?.json()?;
    let messages = messages["items"].as_array().context("no messages")?.iter();
    let docid = |message: &Value, member| message[member].as_str().map(ToOwned::to_owned);
    let docids =
        messages.map(|message| Some((docid(message, "message_id")?, docid(message, "docid")?)));
    docids.collect::<Option<_>>().context("a message of nobody")
}

/// Every report of the form, of all and of each store, says what the campaign's messages say.
async fn agree(
    client: &Client,
    form: &Value,
    campaign: &Value,
    docids: &HashMap<String, String>,
) -> Result<Value> {
    let path = format!("{}/message?limit=100", campaign_path(campaign));
    let messages: Value = client.get(&path).await?.expect(200)?.json()?;
    let messages = messages["items"].as_array().context("no messages")?;
    // A link says nothing of its recipient once that one is erased.
    let store_of = |message: &Value| {
        let docid = docids.get(message["message_id"].as_str()?)?;
        let number = docid.strip_prefix("order-")?;
        let number: usize = number.parse().ok()?;
        Some(json!(format!("store:{}", STORES[number % STORES.len()])))
    };
    let now = Utc::now();
    let [from, to] = [-1, 1].map(|days| (now + TimeDelta::days(days)).date_naive().to_string());
    let days = (&*from, &*to);
    for bus_prop in ["", "store:S1", "store:S2"] {
        let of_store = messages
            .iter()
            .filter(|message| bus_prop.is_empty() || store_of(message) == Some(json!(bus_prop)));
        let wanted = of_messages(of_store, days);
        for of in [Of::Form, Of::Summary] {
            let report = client.report(of, form, days, bus_prop).await?;
            agrees(&report["metrics"], &wanted).with_context(|| bus_prop.to_owned())?;
            if of == Of::Summary {
                // Nothing was sent before.
                let none = json!({"sent": null, "delivered": null, "answered": null, "response_rate_delivered": null});
                agrees(&report["previous"]["metrics"], &none)?;
                agrees(&report["change"], &none)?;
            }
        }
    }
    let overview = client.overview(days).await?;
    let wanted = of_messages(messages, days);
    agrees(&overview["metrics"], &wanted)?;
    agrees(&overview["forms"][0]["metrics"], &wanted)?;
    Ok(wanted)
}

async fn verified(app: &App) -> Result<()> {
    let printed = app.succeeds(&["verify"]).await?;
    ensure!(printed.is_empty(), "{printed}");
    Ok(())
}

#[tokio::test]
async fn reports_tell_what_was_sent_delivered_and_answered() -> Result<()> {
    let app = with_senders("demo=demo:?delay=10ms&failures=25&seed=5&rate=100000&window=20")
        .start()
        .await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let (form, campaign) = sent(&client).await?;
    let docids = docids(&client, &campaign).await?;
    let wanted = eventually(SOON, async || {
        agree(&client, &form, &campaign, &docids).await
    })
    .await?;
    let (sent, delivered) = (wanted["sent"].as_i64(), wanted["delivered"].as_i64());
    ensure!(delivered > Some(0) && delivered < sent, "{wanted}");
    ensure!(wanted["answered"] == 0, "{wanted}");

    let public = app.anonymous()?;
    let mut feedback = String::new();
    for link in links(&client, &form).await?.iter().take(12) {
        feedback = Visitor::new(&public, link)?
            .stored(&json!({"mood": 5}))
            .await?;
    }
    let wanted = eventually(SOON, async || {
        let wanted = agree(&client, &form, &campaign, &docids).await?;
        ensure!(wanted["answered"] == 12, "{wanted}");
        Ok(wanted)
    })
    .await?;
    let rate = wanted["response_rate_delivered"]
        .as_f64()
        .context("no rate")?;
    let variables = [
        ("FEEDBACK_URL", client.base()),
        ("FEEDBACK_API_KEY", &*keys.api_key),
        ("FEEDBACK_SECRET_KEY", &*keys.secret_key),
    ];
    let today = Utc::now().date_naive().to_string();
    let arguments = ["report", "overview", &today, &today];
    let output = app.cli_with(&arguments, &variables).await?;
    let table = String::from_utf8(output.stdout)?;
    for text in [
        "answered of delivered",
        "12",
        &format!("{:.1} %", 100.0 * rate),
    ] {
        ensure!(table.contains(text), "no {text} in {table}");
    }

    // What was sent, and answered, was: whoever is erased later changes nothing of it.
    let path = format!("/api_v1/feedback/{feedback}");
    client.delete(&path).await?.expect(204)?;
    let path = format!("/api_v1/sms/recipient/{}", segment("order-3"));
    client.delete(&path).await?.expect(204)?;
    eventually(SOON, async || {
        let now = agree(&client, &form, &campaign, &docids).await?;
        ensure!(now == wanted, "{now} is not {wanted}");
        Ok(())
    })
    .await?;
    verified(&app).await
}

#[tokio::test]
async fn what_is_counted_wrong_of_messages_is_found_and_mended() -> Result<()> {
    let app = with_senders("demo=demo:?delay=10ms&failures=25&seed=5&rate=100000&window=20")
        .start()
        .await?;
    let client = app.client().await?;
    let (form, campaign) = sent(&client).await?;
    let docids = docids(&client, &campaign).await?;
    let wanted = eventually(SOON, async || {
        agree(&client, &form, &campaign, &docids).await
    })
    .await?;
    verified(&app).await?;
    let said = client.read_campaign(&campaign).await?["counts"].take();
    let id = campaign["campaign_id"].as_str().context("no id")?;
    for (statement, expected) in [
        (
            "INSERT INTO campaign_delta (account_id, campaign_id, kind, counts)
             SELECT account_id, campaign_id, 'first', '{\"delivered\":3,\"parts\":-1}' FROM campaign",
            &[id, "delivered", "parts"][..],
        ),
        ("DELETE FROM rollup WHERE bus_prop_id = 2", &["store:S2", "sent"]),
        (
            "UPDATE rollup SET delta = r.delta FROM rollup r
              WHERE r.account_id = rollup.account_id AND r.form_id = rollup.form_id AND r.bus_prop_id = 1 AND rollup.bus_prop_id = 0",
            &["sent", "delivered"],
        ),
    ] {
        app.sql(statement).await?;
        let output = app.cli(&["verify"]).await?;
        ensure!(output.status.code() == Some(1), "not found: {statement}");
        let printed = String::from_utf8(output.stdout)?;
        for word in expected {
            ensure!(printed.contains(word), "{word} is not told: {printed}");
        }
        app.succeeds(&["rebuild"]).await?;
        verified(&app).await.with_context(|| statement.to_owned())?;
        eventually(SOON, async || {
            ensure!(agree(&client, &form, &campaign, &docids).await? == wanted, "not mended");
            Ok(())
        })
        .await?;
        let now = client.read_campaign(&campaign).await?["counts"].take();
        ensure!(now == said, "{now} is not {said}");
    }
    // What no counting mends is told.
    for (statement, expected) in [
        (
            "INSERT INTO message_due (account_id, campaign_id, due_at, message_id, sender)
             SELECT account_id, campaign_id, '2099-01-01 00:00:00+00:00', message_id, 'demo'
               FROM message WHERE docid = 'order-1'",
            "due",
        ),
        ("UPDATE contact SET source = 'nobody'", "opted_out_at"),
        ("UPDATE contact SET last_sent_at = NULL", "last_sent_at"),
    ] {
        app.sql(statement).await?;
        let output = app.cli(&["verify"]).await?;
        ensure!(output.status.code() == Some(1), "not found: {statement}");
        let printed = String::from_utf8(output.stdout)?;
        ensure!(
            printed.contains(expected),
            "{expected} is not told: {printed}"
        );
    }
    Ok(())
}
