//! Standard Webhooks: how the receiver of an `https://` sender signs what it reports.

use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::Utc;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Method;
use serde_json::Value;
use sha2::Sha256;
use uuid::Uuid;

use crate::client::{Answer, Client};
use crate::import::JSON;

/// What a sender and its receiver share.
pub const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// What somebody else has.
pub const OTHER_SECRET: &str = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

impl Client {
    /// Posts a body that is signed under a secret.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn webhook(&self, path: &str, secret: &str, body: &Value) -> Result<Answer> {
        let (id, timestamp) = (Uuid::new_v4().to_string(), Utc::now().timestamp());
        let body = body.to_string();
        let key = secret.strip_prefix("whsec_").context("no secret")?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(key)?)?;
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        self.call(Method::POST, path)
            .header("webhook-id", &id)
            .header("webhook-timestamp", &timestamp.to_string())
            .header("webhook-signature", &signature)
            .body(JSON, body)
            .send()
            .await
    }
}
