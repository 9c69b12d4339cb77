//! Twilio's Messages resource and its webhooks.

mod signature;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures::future::BoxFuture;
use hyper::Uri;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::Value;
use url::form_urlencoded;

use crate::client::{Answer, HttpClient};
use crate::hook::{HookAnswer, HookError, HookRequest, Parameters};
use crate::message::{Handed, Inbound, Message, Receipt, ReceiptStatus, Subject};
use crate::setting::{Fault, Login, Query};
use crate::{Provider, value};

/// Seconds.
const LONGEST_VALIDITY: u64 = 36_000;
/// The number opted out.
const OPTED_OUT: &str = "21610";
/// Wrong password, or a `from` that is wrong, missing, not this account's or not verified.
const SENDER_FAULTS: [&str; 7] = [
    "20003", "21212", "21603", "21606", "21608", "21659", "21660",
];
/// Asks Twilio to report again, five times, whatever went wrong. It is no part of what Twilio signs.
const RETRIES: &str = "#rc=5&rp=all";

/// What a setting says of an account.
#[derive(Clone)]
pub(crate) struct Options {
    url: Uri,
    authorization: HeaderValue,
    token: String,
}

pub(crate) struct Twilio {
    options: Options,
    receipts: bool,
    http: HttpClient,
}

/// What Twilio answers: a message or an error, whose text is left alone.
#[derive(Default, Deserialize)]
struct Body {
    sid: Option<String>,
    code: Option<Value>,
}

impl Options {
    pub(crate) fn read(address: &str, mut query: Query<'_>) -> Result<Self, Fault> {
        let login = Login::read(address, &mut query)?;
        query.finish()?;
        let sid = utf8_percent_encode(&login.user, NON_ALPHANUMERIC);
        let url = login.uri(&format!("/2010-04-01/Accounts/{sid}/Messages.json"))?;
        let basic = STANDARD.encode(format!("{}:{}", login.user, login.password));
        let authorization = HeaderValue::try_from(format!("Basic {basic}"));
        let mut authorization = authorization.map_err(|_| Fault::NO_URL)?;
        authorization.set_sensitive(true);
        Ok(Self {
            url,
            authorization,
            token: login.password,
        })
    }
}

impl Twilio {
    pub(crate) fn new(options: Options, receipts: bool, http: HttpClient) -> Self {
        Self {
            options,
            receipts,
            http,
        }
    }

    async fn hand_over(&self, message: &Message) -> Handed {
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        let headers = HeaderMap::from_iter([
            (CONTENT_TYPE, form),
            (AUTHORIZATION, self.options.authorization.clone()),
        ]);
        let body = self.form(message);
        match self.http.post(&self.options.url, headers, body).await {
            Ok(answer) => judge(&answer),
            Err(failure) => failure.into(),
        }
    }

    fn form(&self, message: &Message) -> String {
        let validity = message.validity.as_secs().clamp(1, LONGEST_VALIDITY);
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("To", &message.to)
            .append_pair("From", &message.from)
            .append_pair("Body", &message.text)
            .append_pair("ValidityPeriod", &validity.to_string());
        if self.receipts {
            let callback = format!("{}{RETRIES}", message.status_url);
            form.append_pair("StatusCallback", &callback);
        }
        form.finish()
    }

    /// The parameters of a request that Twilio signed.
    fn verified(&self, request: &HookRequest<'_>) -> Result<Parameters, HookError> {
        let signature = request.header("x-twilio-signature");
        let form = request.form();
        if signature.is_some_and(|s| signature::verify(s, request.url, &form, &self.options.token))
        {
            Ok(form)
        } else {
            Err(HookError::Signature)
        }
    }
}

fn judge(answer: &Answer) -> Handed {
    let body: Body = serde_json::from_slice(&answer.body).unwrap_or_default();
    let own_code = body.code.as_ref().and_then(value::scalar);
    let own_code = own_code.and_then(|code| value::code(&code));
    let is_own = own_code.is_some();
    let code = own_code.unwrap_or_else(|| value::http_code(answer.status));
    match answer.status.as_u16() {
        200..=299 => match body.sid.and_then(|sid| value::id(&sid)) {
            Some(sid) => Handed::Accepted {
                provider_ids: vec![sid],
            },
            None => Handed::Unknown {
                code: "no_id".to_owned(),
            },
        },
        429 => Handed::Throttled {
            retry_after: answer.retry_after,
        },
        // 404 is an account that does not exist.
        401 | 403 | 404 => Handed::SenderFault { code },
        400..=499 if SENDER_FAULTS.contains(&code.as_str()) => Handed::SenderFault { code },
        400..=499 if is_own => Handed::Refused { code },
        // Without a code it may not be Twilio's answer.
        _ => Handed::Unknown { code },
    }
}

/// What a status says; `None` of one that is not known yet.
fn receipt_status(status: &str) -> Option<ReceiptStatus> {
    Some(match status {
        "accepted" | "scheduled" | "queued" | "sending" | "sent" => ReceiptStatus::Accepted,
        "delivered" | "read" => ReceiptStatus::Delivered,
        "undelivered" | "failed" | "canceled" => ReceiptStatus::Undelivered,
        _ => return None,
    })
}

impl Provider for Twilio {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Handed> {
        Box::pin(self.hand_over(message))
    }

    fn is_opt_out(&self, code: &str) -> bool {
        code == OPTED_OUT
    }

    fn receipts(
        &self,
        request: &HookRequest<'_>,
        reference: Option<&str>,
    ) -> Result<Vec<Receipt>, HookError> {
        let form = self.verified(request)?;
        let sid = value::id(form.required("MessageSid")?).ok_or(HookError::Malformed)?;
        let status = form.required("MessageStatus")?;
        let code = form.get("ErrorCode").and_then(value::code);
        let receipt = receipt_status(status).map(|status| Receipt {
            subject: reference.map_or(Subject::ProviderId(sid), |reference| {
                Subject::Reference(reference.to_owned())
            }),
            status,
            opted_out: code.as_deref() == Some(OPTED_OUT),
            code,
        });
        Ok(receipt.into_iter().collect())
    }

    fn inbound(&self, request: &HookRequest<'_>) -> Result<Vec<Inbound>, HookError> {
        let form = self.verified(request)?;
        let id = value::id(form.required("MessageSid")?).ok_or(HookError::Malformed)?;
        let to = form.required("To")?;
        // What comes from a short code or another channel is taken, so that it does not come again, and dropped.
        let from = value::phone(form.required("From")?);
        let inbound = from.map(|from| Inbound {
            id,
            from,
            to: value::own_number(to),
            text: form.get("Body").unwrap_or_default().to_owned(),
            opts_out: match form.get("OptOutType") {
                Some("STOP") => Some(true),
                Some("START") => Some(false),
                _ => None,
            },
        });
        Ok(inbound.into_iter().collect())
    }

    fn hook_answer(&self) -> HookAnswer {
        HookAnswer {
            content_type: "text/xml",
            body: "<Response/>",
        }
    }
}
