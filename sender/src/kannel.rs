//! Kannel's `sendsms`, its delivery reports and its `get-url`.
//!
//! Kannel is told to ask for `…/inbound?from=%p&to=%P&text=%a&id=%I`.

use std::fmt::Write;

use domain::sms::Encoding;
use futures::future::BoxFuture;
use hyper::Uri;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use crate::client::{Answer, Failure, HttpClient};
use crate::hook::{HookError, HookRequest};
use crate::message::{Handed, Inbound, Message, Receipt, ReceiptStatus, Subject};
use crate::setting::{Fault, Login, Query};
use crate::{Provider, value};

/// Delivered, not delivered, with the centre, refused by it; not: buffered.
const DLR_MASK: &str = "27";
/// The parameter that Kannel fills with what happened.
const DLR: &str = "dlr";

/// What a setting says of a Kannel.
#[derive(Clone)]
pub(crate) struct Options {
    url: Uri,
    user: HeaderValue,
    password: HeaderValue,
}

pub(crate) struct Kannel {
    options: Options,
    receipts: bool,
    http: HttpClient,
}

impl Options {
    pub(crate) fn read(address: &str, mut query: Query<'_>) -> Result<Self, Fault> {
        let login = Login::read(address, &mut query)?;
        query.finish()?;
        let header = |text: &str| {
            let mut header = HeaderValue::from_str(text)
                .map_err(|_| Fault::url("has a user or a password that no header can hold"))?;
            header.set_sensitive(true);
            Ok(header)
        };
        Ok(Self {
            url: login.uri("/cgi-bin/sendsms")?,
            user: header(&login.user)?,
            password: header(&login.password)?,
        })
    }
}

impl Kannel {
    pub(crate) fn new(options: Options, receipts: bool, http: HttpClient) -> Self {
        Self {
            options,
            receipts,
            http,
        }
    }

    async fn hand_over(&self, message: &Message) -> Handed {
        let Some(headers) = self.headers(message) else {
            return Failure::NotSent("request").into();
        };
        let text = message.text.clone();
        match self.http.post(&self.options.url, headers, text).await {
            Ok(answer) => judge(&answer),
            Err(failure) => failure.into(),
        }
    }

    /// Everything but the text is in headers: a query would be logged, with phone and password.
    fn headers(&self, message: &Message) -> Option<HeaderMap> {
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, plain)]);
        headers.insert("x-kannel-username", self.options.user.clone());
        headers.insert("x-kannel-password", self.options.password.clone());
        let coding = match message.encoding {
            Encoding::Gsm7 => "0",
            Encoding::Ucs2 => "2",
        };
        headers.insert("x-kannel-coding", HeaderValue::from_static(coding));
        let minutes = (message.validity.as_secs() / 60).max(1);
        headers.insert("x-kannel-validity", HeaderValue::from(minutes));
        headers.insert("x-kannel-to", sensitive(&message.to)?);
        if !message.from.is_empty() {
            headers.insert("x-kannel-from", sensitive(&message.from)?);
        }
        if self.receipts {
            headers.insert("x-kannel-dlr-mask", HeaderValue::from_static(DLR_MASK));
            headers.insert(
                "x-kannel-dlr-url",
                sensitive(&dlr_url(&message.status_url))?,
            );
        }
        Some(headers)
    }
}

fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Where Kannel reports: `%d` becomes what happened, and `%%` a per cent sign.
fn dlr_url(status_url: &str) -> String {
    let mut url = status_url.replace('%', "%%");
    let separator = if url.contains('?') { '&' } else { '?' };
    // Writing to a String does not fail.
    let _ = write!(url, "{separator}{DLR}=%d");
    url
}

/// Its status and the beginning of its text, as gw/smsbox.c has them. It gives no id.
fn judge(answer: &Answer) -> Handed {
    let text = answer.text();
    let begins = |beginnings: &[&str]| beginnings.iter().any(|start| text.starts_with(start));
    let code = value::http_code(answer.status);
    match answer.status.as_u16() {
        // "Sent." comes with `immediate-sendsms-reply`.
        202 if begins(&["0:", "3:", "Sent."]) => Handed::Accepted {
            provider_ids: Vec::new(),
        },
        503 => Handed::Throttled {
            retry_after: answer.retry_after,
        },
        403 if begins(&["Not routable"]) => Handed::Refused { code },
        400 if begins(&["Number(s) has", "Charset or body"]) => Handed::Refused { code },
        // Wrong user or password; a missing `from` or another field that the settings make; another server.
        400 | 401 | 403 | 404 => Handed::SenderFault { code },
        _ => Handed::Unknown { code },
    }
}

impl Provider for Kannel {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Handed> {
        Box::pin(self.hand_over(message))
    }

    fn receipts(
        &self,
        request: &HookRequest<'_>,
        reference: Option<&str>,
    ) -> Result<Vec<Receipt>, HookError> {
        let reference = reference.ok_or(HookError::Malformed)?;
        let query = request.query();
        let dlr = query.required(DLR)?;
        let (status, code) = match dlr {
            "1" => (ReceiptStatus::Delivered, None),
            "4" | "8" => (ReceiptStatus::Accepted, None),
            "2" | "16" => (ReceiptStatus::Undelivered, Some(dlr.to_owned())),
            _ => return Err(HookError::Malformed),
        };
        Ok(vec![Receipt {
            subject: Subject::Reference(reference.to_owned()),
            status,
            code,
            opted_out: false,
        }])
    }

    fn inbound(&self, request: &HookRequest<'_>) -> Result<Vec<Inbound>, HookError> {
        let query = request.query();
        let id = value::id(query.required("id")?).ok_or(HookError::Malformed)?;
        let to = query.required("to")?;
        let text = query.required("text")?;
        // What comes from a short code or a name is taken, so that it does not come again, and dropped.
        let from = value::phone(query.required("from")?);
        let inbound = from.map(|from| Inbound {
            id,
            from,
            to: value::own_number(to),
            text: text.to_owned(),
            opts_out: None,
        });
        Ok(inbound.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_url_has_kannels_escapes() {
        for (status_url, expected) in [
            (
                "https://a.example/s?ref=x",
                "https://a.example/s?ref=x&dlr=%d",
            ),
            ("https://a.example/a%20b", "https://a.example/a%%20b?dlr=%d"),
        ] {
            assert_eq!(dlr_url(status_url), expected);
        }
    }
}
