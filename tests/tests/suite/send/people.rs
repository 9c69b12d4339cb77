//! What people see of a campaign before and after it is sent: the preview, a test message, and the page's "No more messages".

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::{App, PEPPER};
use tests::campaign::{campaign_path, count, on_import, on_import_with};
use tests::client::{Answer, Client};
use tests::import::records;
use tests::visitor::{Visitor, page};
use tests::wait::{LATER, eventually};

use super::audience::suppress;
use super::peer::{Peer, sender_to};
use super::replies::{OTHER_PHONE, PHONE, send, suppressed};
use super::{names_nobody, skipped, with_demo, with_senders};

/// A phone that no recipient has.
const COLLEAGUE: &str = "+4915199999999";

async fn with_peer() -> Result<(Peer, App)> {
    let (peer, address) = Peer::start().await?;
    Ok((peer, with_senders(&sender_to(&address, "")).start().await?))
}

/// A visitor of the link in a message's text.
pub(super) fn visitor(app: &App, message: &Value) -> Result<Visitor> {
    let text = message["text"].as_str().context("no text")?;
    let (_, token) = text.rsplit_once("/f/").context("no link")?;
    let token = token.split(' ').next();
    Visitor::new(&app.anonymous()?, &json!({"token": token}))
}

async fn try_out(
    client: &Client,
    campaign: &Value,
    phone: &str,
    docid: Option<&str>,
) -> Result<Answer> {
    let path = format!("{}/test", campaign_path(campaign));
    let body = json!({"phone": phone, "docid": docid});
    client.send_json(Method::POST, &path, &body).await
}

/// Waits until the newest message of a campaign is as it should be.
async fn newest(client: &Client, campaign: &Value, status: &str) -> Result<Value> {
    let path = format!("{}/message?limit=1", campaign_path(campaign));
    eventually(LATER, async || {
        let list: Value = client.get(&path).await?.expect(200)?.json()?;
        ensure!(list["items"][0]["status"] == status, "{list}");
        Ok(list["items"][0].clone())
    })
    .await
}

#[tokio::test]
async fn a_preview_judges_everybody_and_stores_nothing() -> Result<()> {
    let (peer, app) = with_peer().await?;
    let client = app.client().await?;
    let all = [
        json!({"docid": "a", "phone": PHONE, "name": "Ada"}),
        json!({"docid": "b", "phone": OTHER_PHONE, "name": "Łukasz"}),
        json!({"docid": "c", "phone": OTHER_PHONE, "name": "Bob"}),
        json!({"docid": "d", "phone": "+4915112345670"}),
        json!({"docid": "e", "phone": "+4915112345671", "name": "Eve"}),
        json!({"docid": "f", "phone": "+33612345678", "name": "x".repeat(200)}),
    ];
    client.import_and_wait(&all, LATER).await?;
    suppress(&client, Method::PUT, "+4915112345671").await?;
    for audience in [
        json!({"on_import": true}),
        json!({"created_from": "2020-01-01T00:00:00Z"}),
    ] {
        let of = json!({"text": "Hello {name}: {link}", "audience": audience});
        let of = |form: &Value| on_import_with(form, "peer", of);
        let campaign = client.campaign(of).await?;
        let before = client.read_campaign(&campaign).await?;
        let preview = client.act(&campaign, "preview").await?.expect(200)?;
        let preview: Value = preview.json()?;
        ensure!(
            preview["recipients"] == 6 && preview["eligible"] == 3,
            "{preview}"
        );
        let reasons = json!({"opted_out": 1, "duplicate_phone": 1, "template_field_missing": 1});
        ensure!(preview["skipped"] == reasons, "{preview}");
        ensure!(preview["parts"] == json!({"1": 2, "2": 1}), "{preview}");
        ensure!(
            preview["countries"] == json!({"DE": 2, "FR": 1}),
            "{preview}"
        );
        let missing = json!([{"name": "name", "recipients": 1, "similar": null}]);
        ensure!(preview["fields_missing"] == missing, "{preview}");
        let samples = preview["samples"].as_array().context("no samples")?;
        let of_ada = samples.iter().find(|sample| sample["docid"] == "a");
        let text = of_ada.and_then(|sample| sample["text"].as_str());
        ensure!(
            text.is_some_and(|text| text.starts_with("Hello Ada: https://feedback.example/f/")),
            "{preview}"
        );
        ensure!(client.read_campaign(&campaign).await? == before);
        let of_draft = "/api_v1/sms/campaign/preview";
        let of_draft = client.send_json(Method::POST, of_draft, &before).await?;
        let of_draft: Value = of_draft.expect(200)?.json()?;
        ensure!(of_draft == preview, "{of_draft} is not {preview}");
    }
    ensure!(peer.messages().is_empty());
    names_nobody(&app).await
}

#[tokio::test]
async fn a_new_pepper_forgets_nobody() -> Result<()> {
    let mut app = with_demo().start().await?;
    let client = app.client().await?;
    let all = records("A", 3, "1");
    let begun = client.running("demo", &all).await?;
    client.until_first(&begun, "delivered", 3).await?;
    suppress(&client, Method::PUT, "+491510000001").await?;
    let peppers = format!("{} {PEPPER}", "07".repeat(32));
    let App { apis, workers, .. } = &mut app;
    for service in apis.iter_mut().chain(workers.iter_mut()) {
        service.stop().await?;
        service.set("FEEDBACK_PEPPER", &peppers);
    }
    for service in apis.iter_mut().chain(workers) {
        service.start_again().await?;
    }
    let campaign = client.campaign(|form| on_import(form, "demo")).await?;
    let preview = client.act(&campaign, "preview").await?.expect(200)?;
    let preview: Value = preview.json()?;
    ensure!(preview["skipped"] == json!({"opted_out": 1}), "{preview}");
    client.act(&campaign, "start").await?.expect(200)?;
    client.imported_for(&campaign, &all).await?;
    let done = client.until_first(&campaign, "delivered", 2).await?;
    ensure!(skipped(&done, "first", "opted_out") == 1, "{done}");
    // Another docid of a phone that has its message.
    let other = json!({"docid": "B", "phone": "+491510000000"});
    client.imported_for(&begun, &[other]).await?;
    let done = client.until_first(&begun, "recipients", 4).await?;
    ensure!(skipped(&done, "first", "duplicate_phone") == 1, "{done}");
    Ok(())
}

#[tokio::test]
async fn a_test_message_goes_to_any_number_and_its_link_stores_nothing() -> Result<()> {
    let (peer, app) = with_peer().await?;
    let client = app.client().await?;
    client.import_and_wait(&records("A", 2, "1"), LATER).await?;
    let text = json!({"text": "How was {store_code}, {first_name}? {link}"});
    let of = |form: &Value| on_import_with(form, "peer", text);
    let campaign = client.campaign(of).await?;
    try_out(&client, &campaign, COLLEAGUE, Some("nobody"))
        .await?
        .problem(422, "validation_failed")?;
    let scheduled = try_out(&client, &campaign, COLLEAGUE, Some("A-1")).await?;
    let scheduled: Value = scheduled.expect(200)?.json()?;
    peer.until(1).await?;
    let message = peer.message_to(COLLEAGUE)?;
    ensure!(
        message["message_id"] == scheduled["message_id"],
        "{message}"
    );
    let text = message["text"].as_str().unwrap_or_default();
    ensure!(text.starts_with("How was S1, first_name? "), "{text}");
    let sent = newest(&client, &campaign, "accepted").await?;
    ensure!(sent["kind"] == "test", "{sent}");
    let of_nobody = try_out(&client, &campaign, PHONE, None).await?;
    let of_nobody: Value = of_nobody.expect(200)?.json()?;
    ensure!(
        of_nobody["status"] == "scheduled" && of_nobody["docid"].is_null(),
        "{of_nobody}"
    );
    peer.until(2).await?;
    let text = peer.message_to(PHONE)?["text"].clone();
    let text = text.as_str().unwrap_or_default();
    ensure!(
        text.starts_with("How was store_code, first_name? "),
        "{text}"
    );

    let visitor = visitor(&app, &message)?;
    page(&visitor.page().await?, 200)?;
    visitor.view().await?.expect(204)?;
    visitor.stored(&json!({"mood": 5})).await?;
    let after = newest(&client, &campaign, "accepted").await?;
    ensure!(after["viewed_at"].is_null() && after["answered_at"].is_null());
    let now = client.read_campaign(&campaign).await?;
    ensure!(count(&now, "first", "recipients") == 0, "{now}");

    suppress(&client, Method::PUT, COLLEAGUE).await?;
    try_out(&client, &campaign, COLLEAGUE, Some("A-1"))
        .await?
        .expect(200)?;
    let refused = newest(&client, &campaign, "skipped").await?;
    ensure!(refused["skipped_reason"] == "opted_out", "{refused}");
    ensure!(peer.messages().len() == 2);
    client.act(&campaign, "start").await?.expect(200)?;
    client.act(&campaign, "cancel").await?.expect(200)?;
    try_out(&client, &campaign, COLLEAGUE, Some("A-1"))
        .await?
        .problem(409, "campaign_not_running")?;
    app.succeeds(&["verify"]).await?;
    names_nobody(&app).await
}

#[tokio::test]
async fn no_more_messages_is_a_button_of_the_page() -> Result<()> {
    let (peer, app) = with_peer().await?;
    let client = app.client().await?;
    send(&client, "peer").await?;
    let visitor = visitor(&app, &peer.message_to(PHONE)?)?;
    let form = visitor.page().await?;
    let button = format!("action=\"{}/stop\"", visitor.token());
    ensure!(page(&form, 200)?.contains(&button), "{form:?}");
    let stop = format!("{}/stop", visitor.path());
    // Twice, as people do.
    for _ in 0..2 {
        let stopped = app.anonymous()?.post(&stop).await?;
        ensure!(page(&stopped, 200)?.contains("No more messages"));
    }
    ensure!(suppressed(&client).await? == 1);
    // The form still takes an answer.
    visitor.stored(&json!({"mood": 1})).await?;
    app.anonymous()?.post(&stop).await?.expect(200)?;
    let records = [PHONE, OTHER_PHONE].map(|phone| json!({"docid": phone, "phone": phone}));
    let campaign = client.running("peer", &records).await?;
    let done = client.until_first(&campaign, "accepted", 1).await?;
    ensure!(skipped(&done, "first", "opted_out") == 1, "{done}");
    // Nobody can stop what no message began.
    let form = client
        .published(&tests::form::short_form("Another"))
        .await?;
    let link = client.link(&form, "", &[]).await?;
    let path = format!("/f/{}/stop", link["token"].as_str().unwrap_or_default());
    app.anonymous()?.post(&path).await?.expect(404)?;
    names_nobody(&app).await
}

#[tokio::test]
async fn no_more_messages_stays_where_messages_are_kept_no_longer() -> Result<()> {
    let (peer, app) = with_peer().await?;
    let client = app.client().await?;
    let over = send(&client, "peer").await?;
    let answered = visitor(&app, &peer.message_to(PHONE)?)?;
    answered.stored(&json!({"mood": 1})).await?;
    client.act(&over, "finish").await?.expect(200)?;
    let path = format!("{}/message", campaign_path(&over));
    client.finished(&over).await?;
    app.sql("UPDATE campaign SET finished_at = '2020-01-01 00:00:00+00:00'")
        .await?;
    app.sql("UPDATE message SET accepted_day = '2020-01-01'")
        .await?;
    let kept = json!({"messages_days": 30});
    let retention = "/api_v1/account/retention";
    let set = client.send_json(Method::PUT, retention, &kept).await?;
    set.expect(200)?;
    app.sql("UPDATE retention SET holds_from = NULL").await?;
    eventually(LATER, async || {
        let list: Value = client.get(&path).await?.expect(200)?.json()?;
        ensure!(list["items"] == json!([]), "{list}");
        Ok(())
    })
    .await?;
    // One link stays with its answer, the other one has ended.
    let ended = visitor(&app, &peer.message_to(OTHER_PHONE)?)?;
    for visitor in [answered, ended] {
        let gone = visitor.page().await?;
        let button = format!("action=\"{}/stop\"", visitor.token());
        ensure!(page(&gone, 410)?.contains(&button), "{gone:?}");
        let stop = format!("{}/stop", visitor.path());
        let stopped = app.anonymous()?.post(&stop).await?;
        ensure!(page(&stopped, 200)?.contains("You will get no more messages"));
    }
    ensure!(suppressed(&client).await? == 2);
    let records = [PHONE, OTHER_PHONE].map(|phone| json!({"docid": phone, "phone": phone}));
    let campaign = client.running("peer", &records).await?;
    eventually(LATER, async || {
        let now = client.read_campaign(&campaign).await?;
        ensure!(skipped(&now, "first", "opted_out") == 2, "{now}");
        Ok(())
    })
    .await?;
    let figures = client.read_campaign(&over).await?;
    ensure!(count(&figures, "first", "recipients") == 2, "{figures}");
    names_nobody(&app).await
}
