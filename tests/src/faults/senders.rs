//! Providers of every other kind, which behave: they take each message, and note to whom it went.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};

use super::provider::WINDOW;
use super::slice::number_of;
use crate::process::Process;
use crate::servers::{Account, free_port};
use crate::tools::{Tool, own};
use crate::wait::{SOON, eventually};

/// The senders' names.
pub const NAMES: [&str; 4] = ["twilio", "vonage", "kannel", "centre"];

/// How often messages went to the numbers of docids, by their sender.
type Notes = Arc<Mutex<HashMap<(String, u64), u32>>>;

/// One server for all that speak HTTP, and a centre of SMPP.
pub struct Senders {
    http: String,
    notes: Notes,
    port: u16,
    folder: TempDir,
    /// It ends with this.
    _centre: Process,
}

impl Senders {
    /// They listen until the runtime ends.
    ///
    /// # Errors
    /// When one does not start: the centre is a tool of `tests/run`.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let http = listener.local_addr()?.to_string();
        let notes = Notes::default();
        let router = Router::new().fallback(take).with_state(Arc::clone(&notes));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let (port, folder) = (free_port()?, Account::folder(None, "centre")?);
        let centre = Tool::node(&own("npm/centre.js"))?.args([port.to_string(), "{}".to_owned()]);
        let centre = centre.start(&folder.path().join("log"))?;
        eventually(SOON, async || {
            TcpStream::connect(("127.0.0.1", port)).await?;
            Ok(())
        })
        .await?;
        Ok(Self {
            http,
            notes,
            port,
            folder,
            _centre: centre,
        })
    }

    /// The entries of `FEEDBACK_SENDERS`.
    pub fn setting(&self) -> String {
        let Self { http, port, .. } = self;
        let more = format!("accounts=*&rate=500&window={WINDOW}");
        let plain = format!("{more}&tls=off&receipts=off");
        format!(
            "twilio=twilio://AC1:token@{http}?{plain}&from=+15005550006 vonage=vonage://key:secret@{http}?{plain}&from=Acme \
             kannel=kannel://user:hush@{http}?{plain}&from=12345 centre=smpp://feedback:hush@127.0.0.1:{port}?{more}&from=12345"
        )
    }

    /// How many messages came through a sender.
    ///
    /// # Errors
    /// When the centre's log cannot be read.
    pub fn arrivals(&self, sender: &str) -> Result<u64> {
        if sender == "centre" {
            return Ok(self.log()?.lines().count() as u64);
        }
        let took = self.took(sender)?;
        Ok(took.into_values().map(u64::from).sum())
    }

    fn log(&self) -> Result<String> {
        Ok(std::fs::read_to_string(self.folder.path().join("log"))?)
    }

    /// How often each docid's number got a message of a sender.
    ///
    /// # Errors
    /// When the centre's log cannot be read.
    pub fn took(&self, sender: &str) -> Result<HashMap<u64, u32>> {
        let mut took = HashMap::new();
        if sender == "centre" {
            for line in self.log()?.lines() {
                let message: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
                let number = message["to"].as_str().and_then(number_of);
                *took.entry(number.context("no number")?).or_default() += 1;
            }
            return Ok(took);
        }
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        for ((of, number), times) in notes.iter() {
            if of == sender {
                took.insert(*number, *times);
            }
        }
        Ok(took)
    }
}

/// Takes a message as the provider does to whom the path belongs.
async fn take(
    State(notes): State<Notes>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    let path = uri.path();
    let sender = if path.contains("Messages.json") {
        "twilio"
    } else if path.contains("/sms/json") {
        "vonage"
    } else {
        "kannel"
    };
    let mut pairs = url::form_urlencoded::parse(&body).into_owned();
    let to = if sender == "kannel" {
        let to = headers.get("x-kannel-to");
        to.and_then(|to| to.to_str().ok()).map(str::to_owned)
    } else {
        pairs.find_map(|(name, value)| name.eq_ignore_ascii_case("to").then_some(value))
    };
    // Whoever only asks how things stand names nobody.
    if let Some(number) = to.as_deref().and_then(number_of) {
        let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        *notes.entry((sender.to_owned(), number)).or_default() += 1;
    }
    if sender == "kannel" {
        let kind = [(header::CONTENT_TYPE, "text/plain")];
        return (
            StatusCode::ACCEPTED,
            kind,
            "0: Accepted for delivery".to_owned(),
        );
    }
    let part = json!({"status": "0", "message-id": uuid::Uuid::new_v4(), "remaining-balance": "1"});
    let taken = json!({
        "sid": format!("SM{}", uuid::Uuid::new_v4().simple()), "status": "queued", "message-count": "1", "messages": [part],
    });
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::CREATED, kind, taken.to_string())
}
