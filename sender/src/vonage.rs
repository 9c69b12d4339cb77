//! Vonage's SMS API and its webhooks.

mod signature;

use futures::future::BoxFuture;
use hyper::Uri;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Deserialize;
use serde_json::{Map, Value};
use url::form_urlencoded;

use self::signature::Signature;
use crate::client::{Answer, HttpClient};
use crate::hook::{HookError, HookRequest, Parameters};
use crate::message::{Handed, Inbound, Message, Receipt, ReceiptStatus, Subject};
use crate::setting::{Fault, Login, Query};
use crate::{Provider, value};

/// Milliseconds, as Vonage documents them.
const SHORTEST_TTL: u128 = 20_000;
const LONGEST_TTL: u128 = 604_800_000;

/// What a setting says of an account.
#[derive(Clone)]
pub(crate) struct Options {
    url: Uri,
    key: String,
    secret: String,
    /// How webhooks are signed, if they are.
    signature: Option<Signature>,
}

pub(crate) struct Vonage {
    options: Options,
    receipts: bool,
    http: HttpClient,
}

/// What Vonage answers: one message a part.
#[derive(Default, Deserialize)]
struct Body {
    #[serde(default)]
    messages: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    status: String,
    #[serde(rename = "message-id")]
    message_id: Option<String>,
}

impl Options {
    pub(crate) fn read(address: &str, mut query: Query<'_>) -> Result<Self, Fault> {
        let login = Login::read(address, &mut query)?;
        let signature = Signature::read(&mut query)?;
        query.finish()?;
        Ok(Self {
            url: login.uri("/sms/json")?,
            key: login.user,
            secret: login.password,
            signature,
        })
    }
}

impl Vonage {
    pub(crate) fn new(options: Options, receipts: bool, http: HttpClient) -> Self {
        Self {
            options,
            receipts,
            http,
        }
    }

    async fn hand_over(&self, message: &Message) -> Handed {
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, form)]);
        let body = self.form(message);
        match self.http.post(&self.options.url, headers, body).await {
            Ok(answer) => judge(&answer),
            Err(failure) => failure.into(),
        }
    }

    fn form(&self, message: &Message) -> String {
        let without_plus = |phone: &str| phone.trim_start_matches('+').to_owned();
        let kind = match message.encoding {
            domain::sms::Encoding::Gsm7 => "text",
            domain::sms::Encoding::Ucs2 => "unicode",
        };
        let ttl = message.validity.as_millis();
        let ttl = ttl.clamp(SHORTEST_TTL, LONGEST_TTL).to_string();
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("api_key", &self.options.key)
            .append_pair("api_secret", &self.options.secret)
            .append_pair("from", &without_plus(&message.from))
            .append_pair("to", &without_plus(&message.to))
            .append_pair("text", &message.text)
            .append_pair("type", kind)
            .append_pair("ttl", &ttl)
            .append_pair("client-ref", &message.reference);
        if self.receipts {
            form.append_pair("status-report-req", "1")
                .append_pair("callback", &message.status_url);
        } else {
            form.append_pair("status-report-req", "0");
        }
        form.finish()
    }

    /// The parameters of a webhook, whose signature is checked where the setting says how it is made.
    fn verified(
        &self,
        request: &HookRequest<'_>,
        reference: Option<&str>,
    ) -> Result<Parameters, HookError> {
        let query = request.query();
        let parameters = read_parameters(request)?;
        let is_signed = self.options.signature.as_ref().is_none_or(|signature| {
            // Vonage does not say whether it signs what the URL had before, which is our reference.
            let is_ours =
                |name: &str, value: &str| name != "client-ref" && Some(value) == reference;
            let mut without_ours = query.0.clone();
            without_ours.retain(|(name, value)| !is_ours(name, value));
            let mut with_query = parameters.0.clone();
            with_query.extend(query.0);
            let variants = [parameters.0.as_slice(), &with_query, &without_ours];
            variants.iter().any(|variant| signature.verify(variant))
        });
        is_signed.then_some(parameters).ok_or(HookError::Signature)
    }
}

/// The parameters come in the query, in a form or in JSON: that is a setting of the Vonage account.
fn read_parameters(request: &HookRequest<'_>) -> Result<Parameters, HookError> {
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
    Ok(Parameters(scalars.collect()))
}

fn judge(answer: &Answer) -> Handed {
    let code = value::http_code(answer.status);
    match answer.status.as_u16() {
        200..=299 => {}
        429 => {
            return Handed::Throttled {
                retry_after: answer.retry_after,
            };
        }
        401 | 403 => return Handed::SenderFault { code },
        _ => return Handed::Unknown { code },
    }
    let body: Body = serde_json::from_slice(&answer.body).unwrap_or_default();
    let judged: Vec<_> = body.messages.iter().map(judge_part).collect();
    let ids = judged.iter().map(|part| match part {
        Handed::Accepted { provider_ids } => Some(provider_ids.as_slice()),
        _ => None,
    });
    let failed = judged
        .iter()
        .find(|part| !matches!(part, Handed::Accepted { .. }));
    match (ids.collect::<Option<Vec<_>>>(), failed) {
        (Some(ids), None) if !ids.is_empty() => Handed::Accepted {
            provider_ids: ids.concat(),
        },
        // None of the parts was taken, for one reason.
        (_, Some(failed)) if judged.iter().all(|part| part == failed) => failed.clone(),
        // Parts of it may have been sent.
        _ => Handed::Unknown {
            code: body
                .messages
                .iter()
                .find(|part| part.status != "0")
                .and_then(|part| value::code(&part.status))
                .unwrap_or_else(|| "no_id".to_owned()),
        },
    }
}

fn judge_part(part: &Part) -> Handed {
    let code = || value::code(&part.status).unwrap_or_else(|| "no_code".to_owned());
    match part.status.as_str() {
        "0" => part.message_id.as_deref().and_then(value::id).map_or_else(
            || Handed::Unknown {
                code: "no_id".to_owned(),
            },
            |id| Handed::Accepted {
                provider_ids: vec![id],
            },
        ),
        "1" | "10" => Handed::Throttled { retry_after: None },
        "4" | "8" | "9" | "11" | "14" | "15" | "29" => Handed::SenderFault { code: code() },
        "3" | "6" | "7" | "12" | "33" => Handed::Refused { code: code() },
        _ => Handed::Unknown { code: code() },
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
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Handed> {
        Box::pin(self.hand_over(message))
    }

    fn receipts(
        &self,
        request: &HookRequest<'_>,
        reference: Option<&str>,
    ) -> Result<Vec<Receipt>, HookError> {
        let parameters = self.verified(request, reference)?;
        let id = value::id(parameters.required("messageId")?).ok_or(HookError::Malformed)?;
        let status = parameters.required("status")?;
        let code = parameters.get("err-code").filter(|code| *code != "0");
        let receipt = receipt_status(status).map(|status| Receipt {
            // Each part has a receipt of its own.
            subject: match reference {
                Some(reference) => Subject::Part {
                    reference: reference.to_owned(),
                    provider_id: id,
                },
                None => Subject::ProviderId(id),
            },
            status,
            code: code.and_then(value::code),
            opted_out: false,
        });
        Ok(receipt.into_iter().collect())
    }

    fn inbound(&self, request: &HookRequest<'_>) -> Result<Vec<Inbound>, HookError> {
        let parameters = self.verified(request, None)?;
        let id = value::id(parameters.required("messageId")?).ok_or(HookError::Malformed)?;
        let to = parameters.required("to")?;
        // What comes from a short code or a name is taken, so that it does not come again, and dropped.
        let from = value::phone(parameters.required("msisdn")?);
        let inbound = from.map(|from| Inbound {
            id,
            from,
            to: value::own_number(to),
            text: parameters.get("text").unwrap_or_default().to_owned(),
            opts_out: None,
        });
        Ok(inbound.into_iter().collect())
    }
}
