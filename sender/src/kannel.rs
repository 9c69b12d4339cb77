//! Kannel's `sendsms`, its delivery reports and its `get-url`.
//!
//! Kannel is told to ask for `…/inbound?from=%p&to=%P&text=%a&id=%I`.

use domain::sms::Encoding;
use futures::future::BoxFuture;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Uri, http};

use crate::client::{HttpClient, HttpResponse};
use crate::hook::{HookError, HookRequest};
use crate::message::{Handed, Inbound, Outbound, Receipt, ReceiptStatus, Subject};
use crate::provider_url::{Connect, SenderUrl, UrlError, always, bad_url};
use crate::{Provider, SenderKind};

/// Delivered, not delivered, with the centre, refused by it; not: buffered.
const DLR_MASK: &str = "27";
/// The parameter that Kannel fills with what happened.
const DLR: &str = "dlr";

pub(crate) const KIND: SenderKind = SenderKind::new("kannel", read);

/// A `sendsms-user`.
struct Kannel {
    url: Uri,
    name: HeaderValue,
    password: HeaderValue,
    http: HttpClient,
}

fn read(url: &mut SenderUrl<'_>) -> Result<Connect, UrlError> {
    let login = url.login()?;
    let unfit = "has a user or a password that no header can hold";
    let header = |text: &str| HeaderValue::from_str(text).map_err(|_| bad_url(unfit));
    Ok(always(Kannel {
        url: login.uri("/cgi-bin/sendsms")?,
        name: header(&login.user)?,
        password: header(&login.password)?,
        http: url.http(),
    }))
}

impl Kannel {
    /// Everything but the text is in headers: a query would be logged, with phone and password.
    fn request(&self, message: &Outbound) -> http::Result<Request<String>> {
        let coding = match message.encoding {
            Encoding::Gsm7 => "0",
            Encoding::Ucs2 => "2",
        };
        let minutes = (message.validity.as_secs() / 60).max(1);
        let mut request = Request::post(&self.url)
            .header(CONTENT_TYPE, "text/plain; charset=utf-8")
            .header("x-kannel-username", &self.name)
            .header("x-kannel-password", &self.password)
            .header("x-kannel-coding", coding)
            .header("x-kannel-validity", minutes)
            .header("x-kannel-to", &message.to);
        if !message.from.is_empty() {
            request = request.header("x-kannel-from", &message.from);
        }
        if message.wants_receipts {
            request = request
                .header("x-kannel-dlr-mask", DLR_MASK)
                .header("x-kannel-dlr-url", dlr_url(&message.status_url));
        }
        request.body(message.text.clone())
    }
}

/// Where Kannel reports: `%d` becomes what happened, and `%%` a per cent sign.
fn dlr_url(status_url: &str) -> String {
    let separator = if status_url.contains('?') { '&' } else { '?' };
    format!("{}{separator}{DLR}=%d", status_url.replace('%', "%%"))
}

/// Its status and the beginning of its text, as gw/smsbox.c has them. It gives no id.
fn judge(answer: &HttpResponse) -> Handed {
    let begins = |beginnings: &[&str]| {
        let mut beginnings = beginnings.iter();
        beginnings.any(|start| answer.body.starts_with(start.as_bytes()))
    };
    let code = answer.code();
    match answer.status.as_u16() {
        // "Sent." comes with `immediate-sendsms-reply`.
        202 if begins(&["0:", "3:", "Sent."]) => Handed::Accepted {
            provider_ids: Vec::new(),
        },
        503 => answer.throttled(),
        403 if begins(&["Not routable"]) => Handed::Refused { code },
        400 if begins(&["Number(s) has", "Charset or body"]) => Handed::Refused { code },
        // Wrong user or password; a missing `from` or another field that the settings make; another server.
        400 | 401 | 403 | 404 => Handed::SenderFault { code },
        _ => Handed::Unknown { code },
    }
}

/// Of a request without a phone.
fn judge_probe(answer: &HttpResponse) -> Handed {
    let code = answer.code();
    match answer.status.as_u16() {
        400 if answer.body.starts_with(b"Missing receiver") => Handed::Accepted {
            provider_ids: Vec::new(),
        },
        403 if answer.body.starts_with(b"Authorization failed") => Handed::SenderFault { code },
        _ => Handed::Unknown { code },
    }
}

impl Provider for Kannel {
    fn send<'a>(&'a self, message: &'a Outbound) -> BoxFuture<'a, Handed> {
        let request = self.request(message);
        Box::pin(self.http.hand_over(request, &message.deadline, judge))
    }

    /// By a request that names no phone, which only a user with the right password is told.
    fn probe(&self) -> BoxFuture<'_, Option<Handed>> {
        let request = Request::post(&self.url)
            .header(CONTENT_TYPE, "text/plain; charset=utf-8")
            .header("x-kannel-username", &self.name)
            .header("x-kannel-password", &self.password)
            .body(String::new());
        Box::pin(self.http.probe(request, judge_probe))
    }

    fn receipt(&self, request: &HookRequest<'_>) -> Result<Option<Receipt>, HookError> {
        let reference = request.reference.ok_or(HookError::Malformed)?;
        let query = request.query();
        let dlr = query.required(DLR)?;
        let (status, code) = match dlr {
            "1" => (ReceiptStatus::Delivered, None),
            "4" | "8" => (ReceiptStatus::Accepted, None),
            "2" | "16" => (ReceiptStatus::Undelivered, Some(dlr.to_owned())),
            _ => return Err(HookError::Malformed),
        };
        let subject = Subject::Reference(reference.to_owned());
        Ok(Some(Receipt::new(subject, status, code)))
    }

    fn inbound(&self, request: &HookRequest<'_>) -> Result<Option<Inbound>, HookError> {
        let query = request.query();
        let [id, from, to, text] = ["id", "from", "to", "text"].map(|name| query.required(name));
        Inbound::read(id?, from?, to?, text?)
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
