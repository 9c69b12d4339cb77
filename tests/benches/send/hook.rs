//! Part `hook`: signed receipts of messages that a receiver of our own was given.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::Utc;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tests::app::Backends;
use tests::bench::frame::settle;
use tests::bench::load::{self, CONNECTIONS};
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::campaign::count;
use tests::servers::Account;

use super::run::{Run, start};

const SECRET: &str = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// More receipts a second than can be stored: the messages must suffice until the load ends.
const MOST: u32 = 12_000;

pub(super) async fn measure(settings: &Settings, backends: Backends) -> Result<Vec<Row>> {
    let receiver = Receiver::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = Router::new().route("/sms", post(take));
    let router = router.with_state(receiver.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let sender =
        format!("own=http://{address}/sms?accounts=*&secret=whsec_{SECRET}&rate=100000&window=200");
    let app = start(backends, &sender).await?;
    let mut rate = Row::new(
        "receipts stored through a hook",
        Unit::ReceiptsPerSecond,
        "",
        Target::AtLeast(8_000.0),
    );
    let mut p99 = Row::new(
        "p99 of a receipt through a hook",
        Unit::Milliseconds,
        "",
        Target::AtMost(50.0),
    );
    let folder = Account::folder(None, "hook")?;
    let time = Duration::from_secs((settings.messages / MOST).max(1).into());
    // The first warms up.
    for round in 0..=settings.rounds {
        let run = Run::begin(&app, "own", settings.messages).await?;
        let accepted = run.accepted().await?;
        let taken = receiver.take_all();
        ensure!(
            taken.len() == usize::try_from(settings.messages)?,
            "not all"
        );
        let script = script(folder.path(), &taken)?;
        settle(&app).await?;
        let load = load::wrk(run.client.base(), CONNECTIONS, time, Some(&script)).await?;
        let delivered = count(&run.now().await?, "first", "delivered");
        ensure!(
            delivered >= load.answers,
            "{} receipts taken, {delivered} messages delivered",
            load.answers
        );
        eprintln!(
            "round {round}: {:.0} receipts/s, p50 {:.1} ms, p99 {:.1} ms; {accepted:.0} messages/s accepted",
            load.rate, load.p50, load.p99
        );
        if round > 0 {
            rate.lone_round(load.rate);
            p99.lone_round(load.p99);
        }
    }
    Ok(vec![rate, p99])
}

/// Notes messages as they come.
#[derive(Clone, Default)]
struct Receiver(Arc<Mutex<Vec<Value>>>);

impl Receiver {
    fn take_all(&self) -> Vec<Value> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn take(State(receiver): State<Receiver>, Json(message): Json<Value>) -> Json<Value> {
    let id = message["message_id"].clone();
    let mut taken = receiver.0.lock().unwrap_or_else(PoisonError::into_inner);
    taken.push(message);
    Json(json!({ "id": id }))
}

/// What `wrk` posts: a receipt of each message, signed as in Standard Webhooks.
fn script(folder: &Path, messages: &[Value]) -> Result<PathBuf> {
    let receipts = folder.join("receipts");
    let lines = messages.iter().map(receipt).collect::<Result<Vec<_>>>()?;
    std::fs::write(&receipts, lines.concat())?;
    let script = r#"
local threads = 0
function setup(thread)
    thread:set("own", threads % 2)
    threads = threads + 1
end
function init(args)
    receipts, next_one = {}, 1
    local number = 0
    for line in io.lines("RECEIPTS") do
        if number % 2 == own then
            local path, id, time, signature, body = line:match("(.-)\t(.-)\t(.-)\t(.-)\t(.*)")
            receipts[#receipts + 1] = wrk.format("POST", path, {
                ["content-type"] = "application/json", ["webhook-id"] = id,
                ["webhook-timestamp"] = time, ["webhook-signature"] = signature }, body)
        end
        number = number + 1
    end
end
function request()
    next_one = next_one % #receipts + 1
    return receipts[next_one]
end
"#;
    let file = folder.join("receipts.lua");
    std::fs::write(
        &file,
        script.replace("RECEIPTS", &receipts.display().to_string()),
    )?;
    Ok(file)
}

/// A line of path, headers and body.
fn receipt(message: &Value) -> Result<String> {
    let id = message["message_id"].as_str().context("no message_id")?;
    let url = message["status_url"].as_str().context("no status_url")?;
    let path = url.find("/hooks/").and_then(|start| url.get(start..));
    let path = path.context("no hook")?;
    let time = Utc::now().timestamp();
    let body = json!({"message_id": id, "status": "delivered"}).to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(SECRET)?)?;
    mac.update(format!("{id}.{time}.{body}").as_bytes());
    let signature = STANDARD.encode(mac.finalize().into_bytes());
    Ok(format!("{path}\t{id}\t{time}\tv1,{signature}\t{body}\n"))
}
