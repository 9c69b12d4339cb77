//! Twilio's Messages resource and its webhooks.

mod signature;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures::future::BoxFuture;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Uri, http};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use url::form_urlencoded;

use crate::client::{FORM, HttpClient, HttpResponse};
use crate::hook::{HookError, HookParameters, HookRequest};
use crate::message::{Handed, Inbound, Outbound, Receipt, ReceiptStatus, Subject};
use crate::provider_url::{Connect, SenderUrl, UrlError, always, no_url};
use crate::{Provider, SenderKind, value};

/// The length of an id of a messaging service: `MG` and 32 hexadecimal digits.
const SERVICE_ID: usize = 34;

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

pub(crate) const KIND: SenderKind = SenderKind {
    needs_from: true,
    takes_from: is_service,
    ..SenderKind::new("twilio", read)
};

/// An account.
struct Twilio {
    url: Uri,
    /// The account itself.
    account: Uri,
    authorization: HeaderValue,
    token: String,
    http: HttpClient,
}

fn read(url: &mut SenderUrl<'_>) -> Result<Connect, UrlError> {
    let login = url.login()?;
    let sid = utf8_percent_encode(&login.user, NON_ALPHANUMERIC);
    let basic = STANDARD.encode(format!("{}:{}", login.user, login.password));
    let authorization = HeaderValue::try_from(format!("Basic {basic}"));
    Ok(always(Twilio {
        url: login.uri(&format!("/2010-04-01/Accounts/{sid}/Messages.json"))?,
        account: login.uri(&format!("/2010-04-01/Accounts/{sid}.json"))?,
        authorization: authorization.map_err(|_| no_url())?,
        token: login.password,
        http: url.http(),
    }))
}

impl Twilio {
    fn request(&self, message: &Outbound) -> http::Result<Request<String>> {
        let validity = message.validity.as_secs().clamp(1, LONGEST_VALIDITY);
        let from = if is_service(&message.from) {
            "MessagingServiceSid"
        } else {
            "From"
        };
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("To", &message.to)
            .append_pair(from, &message.from)
            .append_pair("Body", &message.text)
            .append_pair("ValidityPeriod", &validity.to_string());
        if message.wants_receipts {
            let callback = format!("{}{RETRIES}", message.status_url);
            form.append_pair("StatusCallback", &callback);
        }
        Request::post(&self.url)
            .header(CONTENT_TYPE, FORM)
            .header(AUTHORIZATION, &self.authorization)
            .body(form.finish())
    }

    /// The parameters of a request that Twilio signed.
    fn verified(&self, request: &HookRequest<'_>) -> Result<HookParameters, HookError> {
        let signature = request.header("x-twilio-signature").unwrap_or_default();
        let form = request.form();
        let is_signed = signature::verify(signature, request.url, &form, &self.token);
        is_signed.then_some(form).ok_or(HookError::Signature)
    }
}

fn judge(answer: &HttpResponse) -> Handed {
    // A message or an error, whose text is left alone.
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let own_code = value::scalar(&body["code"]).and_then(|code| value::code(&code));
    let is_own = own_code.is_some();
    let code = own_code.unwrap_or_else(|| answer.code());
    match answer.status.as_u16() {
        200..=299 => Handed::accepted(body["sid"].as_str()),
        429 => answer.throttled(),
        // 404 is an account that does not exist.
        401 | 403 | 404 => Handed::SenderFault { code },
        400..=499 if SENDER_FAULTS.contains(&code.as_str()) => Handed::SenderFault { code },
        400..=499 if is_own => Handed::Refused { code },
        // Without a code it may not be Twilio's answer.
        _ => Handed::Unknown { code },
    }
}

/// Of the account. Credentials for tests, and what only speaks like Twilio, may not read it.
fn judge_account(answer: &HttpResponse) -> Handed {
    match answer.status.as_u16() {
        200..=299 | 401 => judge(answer),
        _ => Handed::unknown(&answer.code()),
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
    fn send<'a>(&'a self, message: &'a Outbound) -> BoxFuture<'a, Handed> {
        let request = self.request(message);
        Box::pin(self.http.hand_over(request, &message.deadline, judge))
    }

    /// By reading the account, whose answer has a `sid` too.
    fn probe(&self) -> BoxFuture<'_, Option<Handed>> {
        let request = Request::get(&self.account)
            .header(AUTHORIZATION, &self.authorization)
            .body(String::new());
        Box::pin(self.http.probe(request, judge_account))
    }

    fn is_opt_out(&self, code: &str) -> bool {
        code == OPTED_OUT
    }

    fn receipt(&self, request: &HookRequest<'_>) -> Result<Option<Receipt>, HookError> {
        let form = self.verified(request)?;
        form.required("MessageSid")?;
        let status = receipt_status(form.required("MessageStatus")?);
        let code = form.get("ErrorCode").and_then(value::code);
        Ok(status
            .zip(request.reference)
            .map(|(status, reference)| Receipt {
                subject: Subject::Reference(reference.to_owned()),
                status,
                opted_out: code.as_deref() == Some(OPTED_OUT),
                code,
            }))
    }

    fn inbound(&self, request: &HookRequest<'_>) -> Result<Option<Inbound>, HookError> {
        let form = self.verified(request)?;
        let [id, from, to] = ["MessageSid", "From", "To"].map(|name| form.required(name));
        let text = form.get("Body").unwrap_or_default();
        let inbound = Inbound::read(id?, from?, to?, text)?;
        Ok(inbound.map(|inbound| Inbound {
            opts_out: match form.get("OptOutType") {
                Some("STOP") => Some(true),
                Some("START") => Some(false),
                _ => None,
            },
            ..inbound
        }))
    }

    fn replies_itself(&self) -> bool {
        true
    }

    fn hook_answer(&self) -> (&'static str, &'static str) {
        ("text/xml", "<Response/>")
    }
}

/// Whether it is the id of a messaging service of Twilio's.
fn is_service(from: &str) -> bool {
    let digits = from.strip_prefix("MG");
    from.len() == SERVICE_ID
        && digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
}
