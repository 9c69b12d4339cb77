//! A receiver of the operator's own: JSON over HTTP, signed in both directions as in Standard Webhooks.

mod signature;

use chrono::Utc;
use futures::future::BoxFuture;
use hyper::header::CONTENT_TYPE;
use hyper::{Request, Uri, http};
use serde_json::{Value, json};

use self::signature::{ID, SIGNATURE, Secret, TIMESTAMP};
use crate::client::{HttpClient, HttpResponse};
use crate::hook::{HookError, HookRequest};
use crate::message::{Handed, Inbound, Outbound, Receipt, ReceiptStatus, Subject};
use crate::provider_url::{Connect, SenderUrl, UrlError, always, bad_parameter, bad_url, no_url};
use crate::{Provider, SenderKind, value};

pub(crate) const KIND: SenderKind = SenderKind {
    other_scheme: Some("http"),
    ..SenderKind::new("https", read)
};

struct Https {
    url: Uri,
    secret: Secret,
    is_idempotent: bool,
    http: HttpClient,
}

/// Takes `secret` and `idempotent` from the query; the rest of it belongs to the receiver.
fn read(sender: &mut SenderUrl<'_>) -> Result<Connect, UrlError> {
    let query = &mut sender.query;
    let whsec = "is not `whsec_` and the base64 of 24 to 64 bytes";
    let secret = query.parsed("secret", whsec, Secret::parse)?;
    let secret = secret.ok_or_else(|| bad_parameter("secret", "is missing"))?;
    let is_idempotent = query.switch("idempotent", false)?;
    let url = format!("{}:{}", sender.scheme, sender.address);
    let mut url = url::Url::parse(&url).map_err(|_| no_url())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad_url("has a user or a password: `secret` signs"));
    }
    let rest = query.rest();
    sender.note_plain(&url);
    url.set_query((!rest.is_empty()).then_some(rest.as_str()));
    Ok(always(Https {
        url: url.as_str().parse().map_err(|_| no_url())?,
        secret,
        is_idempotent,
        http: sender.http(),
    }))
}

impl Https {
    fn request(&self, message: &Outbound) -> http::Result<Request<String>> {
        let body = json!({
            "message_id": message.message_id,
            "to": message.to,
            // `null` where the receiver decides.
            "from": (!message.from.is_empty()).then_some(&message.from),
            "text": message.text,
            "parts": message.parts.len(),
            "encoding": message.encoding,
            "status_url": message.status_url,
        });
        let body = body.to_string();
        let id = message.message_id.to_string();
        let timestamp = Utc::now().timestamp().to_string();
        let signature = self.secret.sign(&id, &timestamp, body.as_bytes());
        Request::post(&self.url)
            .header(CONTENT_TYPE, "application/json")
            .header(ID, id)
            .header(TIMESTAMP, timestamp)
            .header(SIGNATURE, signature)
            .body(body)
    }

    fn verified(&self, request: &HookRequest<'_>) -> Result<Value, HookError> {
        self.secret.verify(request)?;
        serde_json::from_slice(request.body).map_err(|_| HookError::Malformed)
    }
}

fn judge(answer: &HttpResponse) -> Handed {
    let code = answer.code();
    match answer.status.as_u16() {
        200..=299 => {
            let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            Handed::accepted(value::scalar(&body["id"]).as_deref())
        }
        429 | 503 => answer.throttled(),
        401 | 403 => Handed::SenderFault { code },
        400..=499 => Handed::Refused { code },
        _ => Handed::Unknown { code },
    }
}

impl Provider for Https {
    fn send<'a>(&'a self, message: &'a Outbound) -> BoxFuture<'a, Handed> {
        let request = self.request(message);
        Box::pin(self.http.hand_over(request, &message.deadline, judge))
    }

    /// By a connection alone: a receiver need understand nothing but messages.
    fn probe(&self) -> BoxFuture<'_, Option<Handed>> {
        Box::pin(async { Some(self.http.connects(&self.url).await) })
    }

    fn is_idempotent(&self) -> bool {
        self.is_idempotent
    }

    fn receipt(&self, request: &HookRequest<'_>) -> Result<Option<Receipt>, HookError> {
        let body = self.verified(request)?;
        let status = text(&body, "status")?.parse();
        let status: ReceiptStatus = status.map_err(|_| HookError::Malformed)?;
        // Its `message_id` says nothing more. It is posted to the `status_url` that the receiver was given, which has the reference.
        let reference = request.reference.ok_or(HookError::Malformed)?;
        let code = value::scalar(&body["code"]).and_then(|code| value::code(&code));
        let subject = Subject::Reference(reference.to_owned());
        Ok(Some(Receipt::new(subject, status, code)))
    }

    fn inbound(&self, request: &HookRequest<'_>) -> Result<Option<Inbound>, HookError> {
        let body = self.verified(request)?;
        let id = value::scalar(&body["id"]).ok_or(HookError::Malformed)?;
        let [from, to, text] = ["from", "to", "text"].map(|name| text(&body, name));
        let inbound = Inbound::read(&id, from?, to?, text?)?;
        inbound.map(Some).ok_or(HookError::Malformed)
    }

    fn hooks_have_json(&self) -> bool {
        true
    }
}

fn text<'a>(body: &'a Value, name: &str) -> Result<&'a str, HookError> {
    body[name].as_str().ok_or(HookError::Malformed)
}
