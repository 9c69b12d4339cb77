//! A provider that notes what it gets: a receiver of our own, or Twilio.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::campaign::count;
use crate::wait::{LATER, eventually};
use crate::webhook::SECRET;
use anyhow::{Context, Result, ensure};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What it writes beside its code, and nobody may tell.
pub const ERROR_TEXT: &str = "says the canary";

#[derive(Clone)]
pub struct Peer {
    messages: Arc<Mutex<Vec<Value>>>,
    status: Arc<AtomicU16>,
    /// Whether answers are held back.
    is_holding: watch::Sender<bool>,
}

impl Peer {
    /// Listens on a free port until the test's runtime ends, and gives its address.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start() -> Result<(Self, String)> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        Ok((Self::on(listener), address))
    }

    /// Serves those who connect to a listener.
    pub fn on(listener: TcpListener) -> Self {
        let peer = Self {
            messages: Arc::default(),
            status: Arc::new(AtomicU16::new(StatusCode::CREATED.as_u16())),
            is_holding: watch::Sender::new(false),
        };
        let router = Router::new().fallback(take).with_state(peer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        peer
    }

    /// Answers with this status from now on.
    pub fn answer_with(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }

    /// Whether it takes messages and holds its answers back.
    pub fn hold(&self, is_holding: bool) {
        self.is_holding.send_replace(is_holding);
    }

    /// How often each message came, by its id.
    pub fn seen(&self) -> HashMap<String, usize> {
        let mut seen = HashMap::new();
        for message in self.messages() {
            let id = message["message_id"].as_str().unwrap_or_default();
            *seen.entry(id.to_owned()).or_default() += 1;
        }
        seen
    }

    /// Notes a message, and gives its id here.
    fn note(&self, message: &Value) -> String {
        let messages = self.messages.lock();
        let mut messages = messages.unwrap_or_else(PoisonError::into_inner);
        messages.push(message.clone());
        format!("id-{}", messages.len())
    }

    /// All that came, in the order in which it did.
    pub fn messages(&self) -> Vec<Value> {
        let messages = self.messages.lock();
        messages.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All that came, once it is so many.
    ///
    /// # Errors
    /// It is not in time.
    pub async fn until(&self, count: usize) -> Result<Vec<Value>> {
        eventually(LATER, async || {
            let messages = self.messages();
            ensure!(messages.len() >= count, "{} messages", messages.len());
            Ok(messages)
        })
        .await
    }

    /// Checks a campaign that is done with so many messages: each came once at most, all that counts as accepted came, and few are
    /// unknown.
    ///
    /// # Errors
    /// It is not so.
    pub fn took_each_once(
        &self,
        campaign: &Value,
        messages: usize,
        most_unknown: u64,
    ) -> Result<()> {
        let seen = self.seen();
        let twice: Vec<_> = seen.iter().filter(|(_, times)| **times > 1).collect();
        ensure!(twice.is_empty(), "sent twice: {twice:?}");
        let (accepted, unknown) = (
            count(campaign, "first", "accepted"),
            count(campaign, "first", "unknown"),
        );
        ensure!(unknown <= most_unknown, "{campaign}");
        ensure!(accepted + unknown == messages as u64, "{campaign}");
        let seen = seen.len() as u64;
        ensure!(
            accepted <= seen && seen <= accepted + unknown,
            "{seen} came: {campaign}"
        );
        Ok(())
    }

    /// The last message to a phone.
    ///
    /// # Errors
    /// There is none.
    pub fn message_to(&self, phone: &str) -> Result<Value> {
        let mut messages = self.messages().into_iter().rev();
        let found = messages.find(|message| message["to"] == phone);
        found.with_context(|| format!("nothing came to {phone}"))
    }
}

/// The entry of a sender `peer` that has it as its receiver, with more parameters.
pub fn sender_to(address: &str, more: &str) -> String {
    format!("peer=http://{address}/sms?accounts=*&secret={SECRET}&rate=1000{more}")
}

async fn take(State(peer): State<Peer>, body: Bytes) -> (StatusCode, Json<Value>) {
    let message: Value = serde_json::from_slice(&body).unwrap_or_else(|_| {
        let pairs = url::form_urlencoded::parse(&body).into_owned();
        pairs.map(|(name, value)| (name, json!(value))).collect()
    });
    let status = StatusCode::from_u16(peer.status.load(Ordering::Relaxed)).unwrap_or_default();
    // It is asked how it stands.
    if body.is_empty() {
        return (status, Json(json!({"sid": "account"})));
    }
    let id = peer.note(&message);
    let mut is_holding = peer.is_holding.subscribe();
    // It ends with the test, which then asks for no answer.
    let _ = is_holding.wait_for(|is_holding| !is_holding).await;
    let status = StatusCode::from_u16(peer.status.load(Ordering::Relaxed));
    // A provider's own error is Twilio's of a phone that opted out.
    let text = format!("{message} {ERROR_TEXT}");
    let answer = json!({"id": id, "sid": id, "code": 21610, "message": text});
    (status.unwrap_or_default(), Json(answer))
}
