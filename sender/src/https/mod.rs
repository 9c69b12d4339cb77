//! A receiver of the operator's own: JSON over HTTP, signed in both directions as in Standard Webhooks.

mod signature;

use std::str::FromStr;

use chrono::Utc;
use futures::future::BoxFuture;
use hyper::Uri;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use self::signature::{ID, SIGNATURE, Secret, TIMESTAMP};
use crate::client::{Answer, Failure, HttpClient};
use crate::hook::{HookError, HookRequest};
use crate::message::{Handed, Inbound, Message, Receipt, ReceiptStatus, Subject};
use crate::setting::{Fault, Query};
use crate::{Provider, value};

/// What a setting says of a receiver.
#[derive(Clone)]
pub(crate) struct Options {
    url: Uri,
    secret: Secret,
    is_idempotent: bool,
}

pub(crate) struct Https {
    options: Options,
    http: HttpClient,
}

/// What is posted.
#[derive(Serialize)]
struct Body<'a> {
    message_id: Uuid,
    to: &'a str,
    /// `null` where the receiver decides.
    from: Option<&'a str>,
    text: &'a str,
    parts: usize,
    encoding: domain::sms::Encoding,
    status_url: &'a str,
}

/// A receipt. Its `message_id` says nothing that the reference of the URL does not.
#[derive(Deserialize)]
struct Report {
    status: String,
    code: Option<Value>,
}

#[derive(Deserialize)]
struct Incoming {
    id: Value,
    from: String,
    to: String,
    text: String,
}

impl Options {
    /// Takes `secret` and `idempotent` from the query; the rest of it belongs to the receiver.
    pub(crate) fn read(url: &str, mut query: Query<'_>) -> Result<Self, Fault> {
        let whsec = "is not `whsec_` and the base64 of 24 to 64 bytes";
        let secret = query.parsed("secret", whsec, Secret::parse)?;
        let secret = secret.ok_or(Fault::of("secret", "is missing"))?;
        let is_idempotent = query.switch("idempotent", false)?;
        let mut url = url::Url::parse(url).map_err(|_| Fault::NO_URL)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Fault::url("has a user or a password: `secret` signs"));
        }
        let rest = query.rest();
        url.set_query((!rest.is_empty()).then_some(rest.as_str()));
        Ok(Self {
            url: url.as_str().parse().map_err(|_| Fault::NO_URL)?,
            secret,
            is_idempotent,
        })
    }
}

impl Https {
    pub(crate) fn new(options: Options, http: HttpClient) -> Self {
        Self { options, http }
    }

    async fn hand_over(&self, message: &Message) -> Handed {
        let Some((headers, body)) = self.signed(message) else {
            return Failure::NotSent("request").into();
        };
        match self.http.post(&self.options.url, headers, body).await {
            Ok(answer) => judge(&answer),
            Err(failure) => failure.into(),
        }
    }

    fn signed(&self, message: &Message) -> Option<(HeaderMap, Vec<u8>)> {
        let body = serde_json::to_vec(&Body {
            message_id: message.message_id,
            to: &message.to,
            from: (!message.from.is_empty()).then_some(&message.from),
            text: &message.text,
            parts: message.parts.len(),
            encoding: message.encoding,
            status_url: &message.status_url,
        });
        let body = body.ok()?;
        let id = message.message_id.to_string();
        let timestamp = Utc::now().timestamp().to_string();
        let signature = self.options.secret.sign(&id, &timestamp, &body);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in [(ID, id), (TIMESTAMP, timestamp), (SIGNATURE, signature)] {
            headers.insert(name, HeaderValue::try_from(value).ok()?);
        }
        Some((headers, body))
    }

    fn verified<T: DeserializeOwned>(&self, request: &HookRequest<'_>) -> Result<T, HookError> {
        self.options.secret.verify(request)?;
        serde_json::from_slice(request.body).map_err(|_| HookError::Malformed)
    }
}

fn judge(answer: &Answer) -> Handed {
    #[derive(Deserialize)]
    struct Taken {
        id: Value,
    }

    let code = value::http_code(answer.status);
    match answer.status.as_u16() {
        200..=299 => {
            let taken: Option<Taken> = serde_json::from_slice(&answer.body).ok();
            let id = taken.and_then(|taken| value::scalar(&taken.id));
            match id.and_then(|id| value::id(&id)) {
                Some(id) => Handed::Accepted {
                    provider_ids: vec![id],
                },
                // Somebody answered, but maybe not the receiver: a proxy's page is a 200 too.
                None => Handed::Unknown {
                    code: "no_id".to_owned(),
                },
            }
        }
        429 | 503 => Handed::Throttled {
            retry_after: answer.retry_after,
        },
        401 | 403 => Handed::SenderFault { code },
        400..=499 => Handed::Refused { code },
        _ => Handed::Unknown { code },
    }
}

impl Provider for Https {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Handed> {
        Box::pin(self.hand_over(message))
    }

    fn is_idempotent(&self) -> bool {
        self.options.is_idempotent
    }

    fn receipts(
        &self,
        request: &HookRequest<'_>,
        reference: Option<&str>,
    ) -> Result<Vec<Receipt>, HookError> {
        let report: Report = self.verified(request)?;
        let status = ReceiptStatus::from_str(&report.status).map_err(|_| HookError::Malformed)?;
        // It is posted to the `status_url` that the receiver was given, which has the reference.
        let reference = reference.ok_or(HookError::Malformed)?;
        let code = report.code.as_ref().and_then(value::scalar);
        Ok(vec![Receipt {
            subject: Subject::Reference(reference.to_owned()),
            status,
            code: code.and_then(|code| value::code(&code)),
            opted_out: false,
        }])
    }

    fn inbound(&self, request: &HookRequest<'_>) -> Result<Vec<Inbound>, HookError> {
        let text: Incoming = self.verified(request)?;
        let id = value::scalar(&text.id).and_then(|id| value::id(&id));
        Ok(vec![Inbound {
            id: id.ok_or(HookError::Malformed)?,
            from: value::phone(&text.from).ok_or(HookError::Malformed)?,
            to: value::own_number(&text.to),
            text: text.text,
            opts_out: None,
        }])
    }
}
