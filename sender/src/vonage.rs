//! Vonage's SMS API and its webhooks.

mod signature;

use domain::sms::Encoding;
use futures::future::BoxFuture;
use hyper::header::CONTENT_TYPE;
use hyper::{Request, Uri, http};
use serde_json::{Map, Value};
use url::form_urlencoded;

use self::signature::Signature;
use crate::client::{FORM, HttpClient, HttpResponse};
use crate::hook::{HookError, HookParameters, HookRequest};
use crate::message::{Handed, Inbound, Outbound, Receipt, ReceiptStatus, Subject};
use crate::provider_url::{Connect, SenderUrl, UrlError, always};
use crate::{Provider, SenderKind, value};

/// Milliseconds, as Vonage documents them.
const SHORTEST_TTL: u128 = 20_000;
const LONGEST_TTL: u128 = 604_800_000;
/// The longest `callback` that Vonage takes.
const LONGEST_CALLBACK: usize = 100;
/// How old what is signed may be, in seconds: Vonage repeats a request for a day, maybe with the `timestamp` of its first try. Ids of texts
/// are known for longer, so nobody else repeats one.
const OLDEST: i64 = 25 * 60 * 60;
/// How far Vonage's clock may be ahead, in seconds.
const AHEAD: i64 = 60 * 60;

pub(crate) const KIND: SenderKind = SenderKind {
    needs_from: true,
    ..SenderKind::new("vonage", read)
};

/// An account.
struct Vonage {
    url: Uri,
    /// Where it tells the account's balance.
    balance: Uri,
    key: String,
    secret: String,
    /// How webhooks are signed, if they are.
    signature: Option<Signature>,
    http: HttpClient,
}

fn read(url: &mut SenderUrl<'_>) -> Result<Connect, UrlError> {
    let login = url.login()?;
    let mut balance = form_urlencoded::Serializer::new(String::new());
    balance
        .append_pair("api_key", &login.user)
        .append_pair("api_secret", &login.password);
    let balance = format!("/account/get-balance?{}", balance.finish());
    Ok(always(Vonage {
        url: login.uri("/sms/json")?,
        balance: login.uri(&balance)?,
        key: login.user,
        secret: login.password,
        signature: Signature::read(&mut url.query)?,
        http: url.http(),
    }))
}

impl Vonage {
    fn request(&self, message: &Outbound) -> http::Result<Request<String>> {
        let kind = match message.encoding {
            Encoding::Gsm7 => "text",
            Encoding::Ucs2 => "unicode",
        };
        let wants_report = if message.wants_receipts { "1" } else { "0" };
        let ttl = message.validity.as_millis();
        let ttl = ttl.clamp(SHORTEST_TTL, LONGEST_TTL).to_string();
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("api_key", &self.key)
            .append_pair("api_secret", &self.secret)
            .append_pair("from", message.from.trim_start_matches('+'))
            .append_pair("to", message.to.trim_start_matches('+'))
            .append_pair("text", &message.text)
            .append_pair("type", kind)
            .append_pair("ttl", &ttl)
            .append_pair("client-ref", &message.reference)
            .append_pair("status-report-req", wants_report);
        if message.wants_receipts {
            // Its ids tell which attempt a receipt is of, and it may sign what the address has.
            let whole = message.status_url.split('&').next().unwrap_or_default();
            let callback = match whole.split_once('?') {
                Some((short, _)) if whole.len() > LONGEST_CALLBACK => short,
                _ => whole,
            };
            form.append_pair("callback", callback);
        }
        Request::post(&self.url)
            .header(CONTENT_TYPE, FORM)
            .body(form.finish())
    }

    /// The parameters of a webhook, whose signature and time are checked where the setting says how it is signed.
    fn verified(&self, request: &HookRequest<'_>) -> Result<HookParameters, HookError> {
        let parameters = read_parameters(request)?;
        let is_signed = self.signature.as_ref().is_none_or(|signature| {
            let mut all = request.query().0;
            if !request.body.is_empty() {
                all.extend_from_slice(&parameters.0);
            }
            // Vonage does not say whether it signs what the URL had before, which is our reference.
            let mut without_ours = all.clone();
            without_ours.retain(|(name, value)| {
                name == "client-ref" || Some(value.as_str()) != request.reference
            });
            let variants = [&parameters.0, &all, &without_ours];
            let is_by_key = variants.iter().any(|variant| signature.verify(variant));
            is_by_key && is_recent(&parameters, request.now)
        });
        is_signed.then_some(parameters).ok_or(HookError::Signature)
    }
}

/// Whether what was signed is recent, where it says from when it is.
fn is_recent(parameters: &HookParameters, now: i64) -> bool {
    let made_at = parameters.get("timestamp");
    let made_at = made_at.and_then(|seconds| seconds.parse::<i64>().ok());
    made_at.is_none_or(|at| (now - OLDEST..=now + AHEAD).contains(&at))
}

/// The parameters come in the query, in a form or in JSON: that is a setting of the Vonage account.
fn read_parameters(request: &HookRequest<'_>) -> Result<HookParameters, HookError> {
    if request.body.is_empty() {
        return Ok(request.query());
    }
    let content_type = request.header("content-type").unwrap_or_default();
    if !content_type.starts_with("application/json") {
        return Ok(request.form());
    }
    let members: Map<String, Value> =
        serde_json::from_slice(request.body).map_err(|_| HookError::Malformed)?;
    let scalars = members
        .into_iter()
        .filter_map(|(name, value)| value::scalar(&value).map(|value| (name, value)));
    Ok(HookParameters(scalars.collect()))
}

fn judge(answer: &HttpResponse) -> Handed {
    let code = answer.code();
    match answer.status.as_u16() {
        200..=299 => {
            let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            judge_parts(body["messages"].as_array().map_or(&[], Vec::as_slice))
        }
        429 => answer.throttled(),
        401 | 403 => Handed::SenderFault { code },
        _ => Handed::Unknown { code },
    }
}

fn judge_balance(answer: &HttpResponse) -> Handed {
    let code = answer.code();
    match answer.status.as_u16() {
        200..=299 => Handed::Accepted {
            provider_ids: Vec::new(),
        },
        401 => Handed::SenderFault { code },
        _ => Handed::Unknown { code },
    }
}

/// Vonage answers with one message a part.
fn judge_parts(parts: &[Value]) -> Handed {
    let judged: Vec<_> = parts.iter().map(judge_part).collect();
    let ids = judged.iter().map(|part| match part {
        Handed::Accepted { provider_ids } => Some(provider_ids.as_slice()),
        _ => None,
    });
    let ids: Option<Vec<_>> = ids.collect();
    match (ids, judged.as_slice()) {
        (_, []) => Handed::unknown("no_id"),
        (Some(ids), _) => Handed::Accepted {
            provider_ids: ids.concat(),
        },
        // None of the parts was taken, for one reason.
        (None, [first, rest @ ..]) if rest.iter().all(|part| part == first) => first.clone(),
        // Parts of it may have been sent.
        _ => {
            let mut statuses = parts.iter().map(status);
            let failed = statuses.find(|status| *status != "0");
            let code = failed.and_then(value::code);
            Handed::unknown(code.as_deref().unwrap_or("no_id"))
        }
    }
}

fn status(part: &Value) -> &str {
    part["status"].as_str().unwrap_or_default()
}

fn judge_part(part: &Value) -> Handed {
    let status = status(part);
    let code = value::code(status).unwrap_or_else(|| "no_code".to_owned());
    match status {
        "0" => Handed::accepted(part["message-id"].as_str()),
        "1" | "10" => Handed::Throttled { retry_after: None },
        "4" | "8" | "9" | "11" | "14" | "15" | "29" => Handed::SenderFault { code },
        "3" | "6" | "7" | "12" | "33" => Handed::Refused { code },
        _ => Handed::Unknown { code },
    }
}

/// What a status says; `None` of one that is not known yet.
fn receipt_status(status: &str) -> Option<ReceiptStatus> {
    Some(match status {
        "accepted" | "buffered" | "unknown" => ReceiptStatus::Accepted,
        "delivered" => ReceiptStatus::Delivered,
        "failed" | "rejected" => ReceiptStatus::Undelivered,
        "expired" => ReceiptStatus::Expired,
        _ => return None,
    })
}

impl Provider for Vonage {
    fn send<'a>(&'a self, message: &'a Outbound) -> BoxFuture<'a, Handed> {
        let request = self.request(message);
        Box::pin(self.http.hand_over(request, &message.deadline, judge))
    }

    /// By reading the balance.
    fn probe(&self) -> BoxFuture<'_, Option<Handed>> {
        let request = Request::get(&self.balance).body(String::new());
        Box::pin(self.http.probe(request, judge_balance))
    }

    fn receipt(&self, request: &HookRequest<'_>) -> Result<Option<Receipt>, HookError> {
        let parameters = self.verified(request)?;
        let id = value::id(parameters.required("messageId")?).ok_or(HookError::Malformed)?;
        let status = receipt_status(parameters.required("status")?);
        let code = parameters.get("err-code").filter(|code| *code != "0");
        let signed = parameters.get("client-ref");
        // The address is not signed.
        if let (Some(of_address), Some(signed)) = (request.reference, signed)
            && of_address != signed
        {
            return Err(HookError::Signature);
        }
        // A long address comes without its reference.
        let reference = request.reference.or(signed);
        Ok(status.zip(reference).map(|(status, reference)| {
            // Each part has a receipt of its own.
            let subject = Subject::Part {
                reference: reference.to_owned(),
                provider_id: id,
            };
            Receipt::new(subject, status, code.and_then(value::code))
        }))
    }

    fn inbound(&self, request: &HookRequest<'_>) -> Result<Option<Inbound>, HookError> {
        let parameters = self.verified(request)?;
        let [id, from, to] = ["messageId", "msisdn", "to"].map(|name| parameters.required(name));
        let text = parameters.get("text").unwrap_or_default();
        Inbound::read(id?, from?, to?, text)
    }
}
