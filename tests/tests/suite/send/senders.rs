//! Senders: how each is while nothing is sent, and pausing one.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::{count, on_import};
use tests::client::Client;
use tests::import::records;
use tests::servers::free_port;
use tests::wait::{LATER, SOON, eventually};
use tokio::net::TcpListener;

use super::peer::{Peer, sender_to};
use super::{degrades, with_demo, with_senders};

/// A sender as the service tells of it.
pub(super) async fn sender(client: &Client, name: &str) -> Result<Value> {
    let senders = client
        .get("/api_v1/sms/sender")
        .await?
        .expect(200)?
        .json()?;
    let items = senders["items"].as_array().context("no items")?;
    let mut items = items.iter();
    let found = items.find(|sender| sender["name"] == name);
    found
        .cloned()
        .with_context(|| format!("no {name}: {senders}"))
}

/// Waits until a sender is in a state, for a reason.
pub(super) async fn is(client: &Client, name: &str, state: &str, reason: Value) -> Result<Value> {
    eventually(LATER, async || {
        let sender = sender(client, name).await?;
        ensure!(
            sender["state"] == state && sender["reason"] == reason,
            "{sender}"
        );
        Ok(sender)
    })
    .await
}

#[tokio::test]
async fn a_sender_that_campaigns_need_and_the_settings_lack_is_told() -> Result<()> {
    let mut app = with_senders("gone=demo:").start().await?;
    let client = app.client().await?;
    client.started(|form| on_import(form, "gone")).await?;
    let api = app.apis.first_mut().context("no api")?;
    api.set("FEEDBACK_SENDERS", "other=demo:");
    api.stop().await?;
    api.start_again().await?;
    let api = app.anonymous()?.at(app.apis[0].base());
    eventually(LATER, async || {
        let ready = api.get("/health/ready").await?.expect(200)?;
        let (ready, told) = (
            ready.text()?,
            "campaigns need gone, which the settings do not have",
        );
        ensure!(ready.contains(told), "{ready}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_provider_that_is_away_is_told_while_nothing_waits_and_so_is_its_return() -> Result<()> {
    let port = free_port()?;
    let address = format!("127.0.0.1:{port}");
    let centre = format!("smpp://me:hush@127.0.0.1:{}?accounts=*", free_port()?);
    let senders = format!("{} centre={centre}", sender_to(&address, ""));
    let mut app = with_senders(&senders).start().await?;
    let client = app.client().await?;
    let away = is(&client, "peer", "error", json!("connect")).await?;
    ensure!(
        away["since"].is_string() && away["waiting"] == 0 && away["last_accepted_at"].is_null(),
        "{away}"
    );
    is(&client, "centre", "error", json!("smpp-unbound")).await?;
    degrades(&mut app, "centre smpp-unbound, peer connect").await?;
    // What comes meanwhile waits, however long, and fails not.
    let campaign = client.running("peer", &records("A", 3, "1")).await?;
    let waits = client
        .until(&campaign, |now| {
            now["waiting"][0]["reason"] == "sender_paused" && count(now, "first", "scheduled") == 3
        })
        .await?;
    ensure!(count(&waits, "first", "failed") == 0, "{waits}");
    let waiting = sender(&client, "peer").await?;
    ensure!(
        waiting["waiting"] == 3 && waiting["oldest_at"].is_string(),
        "{waiting}"
    );
    let peer = Peer::on(TcpListener::bind(&address).await?);
    let done = client.until_first(&campaign, "accepted", 3).await?;
    ensure!(peer.messages().len() == 3, "{done}");
    let well = is(&client, "peer", "ok", Value::Null).await?;
    ensure!(
        well["waiting"] == 0 && well["oldest_at"].is_null(),
        "{well}"
    );
    eventually(SOON, async || {
        let well = sender(&client, "peer").await?;
        ensure!(well["last_accepted_at"].is_string(), "{well}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_paused_sender_takes_nothing_until_it_is_resumed() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let told = app.succeeds(&["sender", "pause", "demo"]).await?;
    ensure!(told.contains("demo takes nothing"), "{told}");
    let paused = is(&client, "demo", "paused", json!("by_hand")).await?;
    ensure!(paused["since"].is_string(), "{paused}");
    let campaign = client.running("demo", &records("A", 3, "1")).await?;
    client
        .until(&campaign, |now| {
            now["waiting"][0]["reason"] == "sender_paused" && count(now, "first", "scheduled") == 3
        })
        .await?;
    let told = app.succeeds(&["sender", "resume", "demo"]).await?;
    ensure!(told.contains("demo is tried again now"), "{told}");
    client.until_first(&campaign, "delivered", 3).await?;
    is(&client, "demo", "ok", Value::Null).await?;
    let unknown = app.cli(&["sender", "pause", "another"]).await?;
    ensure!(!unknown.status.success(), "{unknown:?}");
    Ok(())
}

#[tokio::test]
async fn an_admin_pauses_a_sender_that_is_the_account_s_alone_and_pages_tell_of_trouble()
-> Result<()> {
    let (_peer, address) = Peer::start().await?;
    let own = sender_to(&address, "").replace("accounts=*", "accounts=shop");
    let away = format!("127.0.0.1:{}", free_port()?);
    let shared = sender_to(&away, "").replace("peer=", "shared=");
    let senders = format!("{own} {shared}");
    let app = App::setup()
        .setting("FEEDBACK_SENDERS", &senders)
        .start()
        .await?;
    app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let shows = async |path: &str, text: &str| {
        eventually(LATER, async || {
            let page = admin.get(path).await?.expect(200)?;
            ensure!(
                page.text()?.contains(text),
                "{path} has no {text}: {page:?}"
            );
            Ok(())
        })
        .await
    };
    shows("/dashboard", "No messages go out through shared.").await?;
    shows(
        "/dashboard/senders",
        "The provider cannot be reached (connect).",
    )
    .await?;
    let page = admin.get("/dashboard/senders").await?.expect(200)?;
    let hook = "/hooks/peer/";
    ensure!(
        page.text()?.contains(hook) && !page.text()?.contains("/dashboard/senders/shared/pause"),
        "{page:?}"
    );
    admin
        .post("/dashboard/senders/peer/pause", &[])
        .await?
        .expect(303)?;
    shows("/dashboard/senders", "Paused by a person since").await?;
    admin
        .post("/dashboard/senders/shared/pause", &[])
        .await?
        .expect(403)?;
    admin
        .post("/dashboard/senders/peer/resume", &[])
        .await?
        .expect(303)?;
    shows("/dashboard/senders", "Everything is in order.").await?;
    shows("/dashboard/audit", "Sender paused").await
}

#[tokio::test]
async fn an_admin_has_a_sender_in_error_tried_again_at_once() -> Result<()> {
    let away = format!("127.0.0.1:{}", free_port()?);
    let own = sender_to(&away, "").replace("accounts=*", "accounts=shop");
    let app = App::setup()
        .setting("FEEDBACK_SENDERS", &own)
        .start()
        .await?;
    app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    eventually(LATER, async || {
        let page = admin.get("/dashboard/senders").await?.expect(200)?;
        // It can still be paused.
        for part in [
            "/dashboard/senders/peer/resume",
            "Try again now",
            "/dashboard/senders/peer/pause",
        ] {
            ensure!(page.text()?.contains(part), "no {part}: {page:?}");
        }
        Ok(())
    })
    .await?;
    let resumed = admin.post("/dashboard/senders/peer/resume", &[]).await?;
    let resumed = resumed.expect(303)?;
    let then = resumed.header("location").context("no location")?;
    let then = admin.get(then).await?.expect(200)?;
    ensure!(then.text()?.contains("It is tried again now."), "{then:?}");
    app.succeeds(&["sender", "pause", "peer"]).await?;
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    for part in ["Sender goes on", "Sender paused", "Command line"] {
        ensure!(log.text()?.contains(part), "no {part}: {log:?}");
    }
    Ok(())
}
