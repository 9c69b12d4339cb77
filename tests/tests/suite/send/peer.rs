//! A provider that notes what it gets.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

/// How often each message came, by its id.
#[derive(Clone, Default)]
pub struct Peer {
    seen: Arc<Mutex<HashMap<String, usize>>>,
}

impl Peer {
    /// Listens on a free port until the test's runtime ends, and gives its address.
    pub async fn start() -> Result<(Self, String)> {
        let peer = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let router = Router::new()
            .route("/sms", post(take))
            .with_state(peer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok((peer, address))
    }

    /// The same of one that refuses whoever asks.
    pub async fn refusing() -> Result<String> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let router = Router::new().route("/sms", post(async || StatusCode::UNAUTHORIZED));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(address)
    }

    pub fn seen(&self) -> HashMap<String, usize> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

async fn take(State(peer): State<Peer>, Json(message): Json<Value>) -> Json<Value> {
    let id = message["message_id"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let mut seen = peer.seen.lock().unwrap_or_else(PoisonError::into_inner);
    *seen.entry(id.clone()).or_default() += 1;
    Json(json!({ "id": id }))
}
