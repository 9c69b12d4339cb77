//! What the providers' own libraries send and sign.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::{Json, Router};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::{App, Setup};
use tests::campaign::count;
use tests::client::Client;
use tests::import::{JSON, record};
use tests::tools::{Tool, own};
use tests::webhook::SECRET;

use super::again::resend;
use super::replies::suppressed;
use super::with_senders;

const FORM: &str = "application/x-www-form-urlencoded";

/// A request to any of the providers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    path: String,
    authorization: Option<String>,
    content_type: String,
    body: String,
}

impl Request {
    fn form(&self) -> BTreeMap<String, String> {
        url::form_urlencoded::parse(self.body.as_bytes())
            .into_owned()
            .collect()
    }
}

/// A server that all providers' requests go to, and that takes each as its provider does.
#[derive(Clone, Default)]
struct Capture(Arc<Mutex<Vec<Request>>>);

impl Capture {
    async fn start() -> Result<(Self, String)> {
        let capture = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let router = Router::new().fallback(take).with_state(capture.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok((capture, address))
    }

    /// The requests so far whose path contains this.
    fn of(&self, path: &str) -> Vec<Request> {
        let requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of = requests
            .iter()
            .filter(|request| request.path.contains(path));
        of.cloned().collect()
    }
}

async fn take(
    State(capture): State<Capture>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, Json<Value>) {
    let header = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let request = Request {
        path: uri.path().to_owned(),
        authorization: header("authorization"),
        content_type: header("content-type").unwrap_or_default(),
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    let mut requests = capture.0.lock().unwrap_or_else(PoisonError::into_inner);
    requests.push(request);
    let of_vonage = requests.iter();
    let of_vonage = of_vonage.filter(|request| request.path.contains("/sms/json"));
    let id = format!("0A{}", of_vonage.count());
    let part = json!({
        "status": "0", "message-id": id, "to": "491701234521", "remaining-balance": "1", "message-price": "0.1",
        "network": "26201",
    });
    let taken = json!({"id": "w-1", "sid": "SM1", "status": "queued", "message-count": "1", "messages": [part]});
    (StatusCode::CREATED, Json(taken))
}

/// A service whose senders all have this address.
fn with_providers(address: &str) -> Setup {
    with_senders(&format!(
        "twilio=twilio://AC1:token@{address}?tls=off&accounts=*&from=+15005550006
         vonage=vonage://key:secret@{address}?tls=off&accounts=*&from=Acme&signature_secret=signing&signature_method=sha256
         own=http://{address}/own?accounts=*&secret={SECRET}"
    ))
}

async fn python(app: &App, arguments: &[&str]) -> Result<String> {
    let script = own("python/providers.py").display().to_string();
    let all = [script.as_str()]
        .into_iter()
        .chain(arguments.iter().copied());
    let tool = Tool::python("python")?.args(all);
    tool.run_in(app.folder(), Duration::from_mins(1)).await
}

/// A message by a sender, accepted, and what its provider got.
async fn accepted(
    client: &Client,
    sender: &str,
    capture: &Capture,
    path: &str,
) -> Result<(Value, Request)> {
    let recipient = record(&format!("of-{sender}"));
    let campaign = client.running(sender, &[recipient]).await?;
    client.until_first(&campaign, "accepted", 1).await?;
    let request = capture.of(path).pop().context("nothing came")?;
    Ok((campaign, request))
}

/// The path and query of an address under the public name.
fn path_of(url: &str) -> Result<&str> {
    let path = url.strip_prefix("https://feedback.example");
    path.with_context(|| url.to_owned())
}

/// Posts a callback as it was signed, and gives its status.
async fn call_back(client: &Client, url: &str, signed: &Value) -> Result<u16> {
    let mut call = client.call(Method::POST, path_of(url)?);
    let headers = signed["headers"].as_object().context("no headers")?;
    for (name, value) in headers {
        call = call.header(name, value.as_str().unwrap_or_default());
    }
    let call = match signed["form"].as_object() {
        Some(form) => {
            let pairs = form.iter().map(|(name, value)| match value {
                Value::String(text) => (name, text.clone()),
                other => (name, other.to_string()),
            });
            let mut body = url::form_urlencoded::Serializer::new(String::new());
            call.body(FORM, body.extend_pairs(pairs).finish())
        }
        None => call.body(JSON, signed["body"].as_str().unwrap_or_default().to_owned()),
    };
    Ok(call.send().await?.status)
}

/// The requests that the libraries make for the same messages are equal, as far as they overlap.
async fn same_requests(
    app: &App,
    capture: &Capture,
    address: &str,
    from_twilio: &Request,
    from_vonage: &Request,
) -> Result<()> {
    let (form, vonage_form) = (from_twilio.form(), from_vonage.form());
    let number = |form: &BTreeMap<String, String>, name: &str| form[name].parse::<u64>();
    let same = json!({
        "sid": "AC1", "token": "token", "key": "key", "secret": "secret",
        "twilio": {
            "to": form["To"], "from_": form["From"], "body": form["Body"], "status_callback": form["StatusCallback"],
            "validity_period": number(&form, "ValidityPeriod")?,
        },
        "vonage": {
            "to": vonage_form["to"], "from_": vonage_form["from"], "text": vonage_form["text"], "type": vonage_form["type"],
            "ttl": number(&vonage_form, "ttl")?, "client_ref": vonage_form["client-ref"],
            "callback": vonage_form["callback"],
        },
    });
    python(app, &["send", address, &same.to_string()]).await?;
    let theirs = capture.of("Messages.json").pop().context("nothing came")?;
    ensure!(theirs.path == from_twilio.path, "{theirs:?}");
    ensure!(
        theirs.authorization == from_twilio.authorization,
        "{theirs:?}"
    );
    ensure!(
        theirs.content_type == from_twilio.content_type,
        "{theirs:?}"
    );
    ensure!(
        theirs.form() == form,
        "{:?} here, {form:?} there",
        theirs.form()
    );
    let theirs = capture.of("/sms/json").pop().context("nothing came")?;
    ensure!(
        theirs.content_type == from_vonage.content_type,
        "{theirs:?}"
    );
    let mut ours = vonage_form.clone();
    // Their library logs in by a header, and cannot ask for a report with a number as Vonage's documents do.
    for name in ["api_key", "api_secret", "status-report-req"] {
        ensure!(ours.remove(name).is_some(), "no {name}");
    }
    ensure!(
        theirs.form() == ours,
        "{:?} there, {ours:?} here",
        theirs.form()
    );
    Ok(())
}

/// Another signature of the same shape: what stands before a comma is its version.
fn forged(signature: &str) -> String {
    let start = signature.find(',').unwrap_or(0);
    let other = |(at, c): (usize, char)| match c {
        'b' if at >= start => 'c',
        c if at >= start && c.is_ascii_alphanumeric() => 'b',
        c => c,
    };
    signature.char_indices().map(other).collect()
}

/// Callbacks with a wrong signature are refused, and those as the libraries sign them are taken.
async fn only_signed_callbacks_count<'a>(
    app: &App,
    callbacks: impl Iterator<Item = (&'a str, &'a Value)>,
) -> Result<()> {
    let anonymous = app.anonymous()?;
    for (url, signed) in callbacks {
        let mut wrong = signed.clone();
        for member in [
            "/headers/x-twilio-signature",
            "/form/sig",
            "/headers/webhook-signature",
        ] {
            if let Some(signature) = wrong.pointer_mut(member) {
                *signature = json!(forged(signature.as_str().unwrap_or_default()));
            }
        }
        ensure!(wrong != *signed, "nothing was changed: {signed}");
        let status = call_back(&anonymous, url, &wrong).await?;
        ensure!(status == 401, "{status}: {wrong} at {url}");
        let status = call_back(&anonymous, url, signed).await?;
        ensure!(status == 200, "{status}: {signed} at {url}");
    }
    Ok(())
}

#[tokio::test]
async fn requests_and_callbacks_are_those_of_the_providers_libraries() -> Result<()> {
    let (capture, address) = Capture::start().await?;
    let app = with_providers(&address).start().await?;
    let client = app.client().await?;
    let (twilio, from_twilio) = accepted(&client, "twilio", &capture, "Messages.json").await?;
    let (vonage, from_vonage) = accepted(&client, "vonage", &capture, "/sms/json").await?;
    let (own, from_own) = accepted(&client, "own", &capture, "/own").await?;

    let (form, vonage_form) = (from_twilio.form(), from_vonage.form());
    same_requests(&app, &capture, &address, &from_twilio, &from_vonage).await?;
    let body: Value = serde_json::from_str(&from_own.body)?;
    let own_url = body["status_url"].as_str().context("no address")?;
    let twilio_url = form["StatusCallback"].split('#').next().unwrap_or_default();
    let vonage_url = vonage_form["callback"].as_str();
    let inbound = app.cli(&["sender", "list", "--json"]).await?;
    let inbound: Value = serde_json::from_slice(&inbound.stdout)?;
    let inbound = |place: usize| inbound[place]["inbound_url"].as_str().context("no address");
    let (twilio_inbound, vonage_inbound) = (inbound(0)?, inbound(1)?);
    let requests = json!([
        {"kind": "twilio", "secret": "token", "url": twilio_url, "body": {
            "MessageSid": "SM1", "SmsSid": "SM1", "MessageStatus": "delivered", "SmsStatus": "delivered", "AccountSid": "AC1",
            "From": "+15005550006", "To": "+4915112345678", "ApiVersion": "2010-04-01", "RawDlrDoneDate": "2611230000",
        }},
        {"kind": "vonage", "secret": "signing", "method": "sha256", "body": {
            "msisdn": "4915112345678", "to": "Acme", "network-code": "26201", "messageId": "0A1", "price": "0.1",
            "status": "delivered", "scts": "2611230000", "err-code": "0", "api-key": "key", "message-timestamp": "2026-11-23 00:00:00",
            "client-ref": vonage_form["client-ref"], "nonce": "n",
        }},
        {"kind": "https", "secret": SECRET, "body": r#"{"status": "delivered", "code": "0"}"#},
        {"kind": "twilio", "secret": "token", "url": twilio_inbound, "body": {
            "MessageSid": "SM2", "From": "+4915112345678", "To": "+15005550006", "Body": "Größe & mehr = €😀", "NumMedia": "0",
        }},
        {"kind": "vonage", "secret": "signing", "method": "sha256", "body": {
            "msisdn": "4915112345678", "to": "447700900000", "messageId": "0B1", "text": "a&b=c ä€", "type": "text",
            "keyword": "A&B=C", "message-timestamp": "2026-11-23 00:00:00", "concat": "true", "concat-ref": "1",
            "concat-total": "2", "concat-part": "1", "nonce": "n",
        }},
    ]);
    let signed = python(&app, &["sign", &requests.to_string()]).await?;
    let signed: Vec<Value> = serde_json::from_str(&signed)?;
    let urls = [
        twilio_url,
        vonage_url,
        own_url,
        twilio_inbound,
        vonage_inbound,
    ];
    only_signed_callbacks_count(&app, urls.into_iter().zip(&signed)).await?;
    for campaign in [twilio, vonage, own] {
        client.until_first(&campaign, "delivered", 1).await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_a_provider_signs_is_of_its_own_messages_alone() -> Result<()> {
    let (capture, address) = Capture::start().await?;
    let app = with_providers(&address).start().await?;
    let (client, public) = (app.client().await?, app.anonymous()?);
    let (twilio, from_twilio) = accepted(&client, "twilio", &capture, "Messages.json").await?;
    let (vonage, from_vonage) = accepted(&client, "vonage", &capture, "/sms/json").await?;
    let (own, from_own) = accepted(&client, "own", &capture, "/own").await?;
    let (form, vonage_form) = (from_twilio.form(), from_vonage.form());
    let body: Value = serde_json::from_str(&from_own.body)?;
    let own_url = body["status_url"].as_str().unwrap_or_default();
    let (_, reference) = own_url.split_once("?ref=").context("no reference")?;
    let twilio_url = form["StatusCallback"].split('#').next().unwrap_or_default();
    let [by_twilio, by_vonage] = [twilio_url, vonage_form["callback"].as_str()].map(|url| {
        let hook = url.split('?').next().unwrap_or_default();
        format!("{hook}?ref={reference}")
    });
    let opted_out =
        json!({"MessageSid": "SM1", "MessageStatus": "undelivered", "ErrorCode": "21610"});
    let requests = json!([
        {"kind": "twilio", "secret": "token", "url": by_twilio, "body": opted_out},
        {"kind": "twilio", "secret": "token", "url": twilio_url, "body": opted_out},
        {"kind": "vonage", "secret": "signing", "method": "sha256", "body": {
            "messageId": "0A1", "status": "failed", "err-code": "6", "client-ref": vonage_form["client-ref"], "nonce": "n",
        }},
    ]);
    let signed = python(&app, &["sign", &requests.to_string()]).await?;
    let signed: Vec<Value> = serde_json::from_str(&signed)?;
    ensure!(call_back(&public, &by_twilio, &signed[0]).await? == 200);
    ensure!(call_back(&public, &by_vonage, &signed[2]).await? == 401);
    for campaign in [&own, &vonage] {
        let untouched = client.read_campaign(campaign).await?;
        ensure!(count(&untouched, "first", "accepted") == 1, "{untouched}");
    }
    ensure!(suppressed(&client).await? == 0);
    ensure!(call_back(&public, twilio_url, &signed[1]).await? == 200);
    client.until_first(&twilio, "undelivered", 1).await?;
    ensure!(suppressed(&client).await? == 1);
    Ok(())
}

/// What each provider signs of the last message that it got, with where that goes: it did not arrive.
async fn undelivered(
    app: &App,
    capture: &Capture,
    vonage_id: &str,
) -> Result<Vec<(String, Value)>> {
    let last = |path: &str| capture.of(path).pop().context("nothing came");
    let (twilio, vonage) = (last("Messages.json")?.form(), last("/sms/json")?.form());
    let own: Value = serde_json::from_str(&last("/own")?.body)?;
    let own_url = own["status_url"].as_str().context("no address")?;
    let callback = &twilio["StatusCallback"];
    let twilio_url = callback.split('#').next().unwrap_or_default();
    let requests = json!([
        {"kind": "twilio", "secret": "token", "url": twilio_url, "body": {"MessageSid": "SM1", "MessageStatus": "undelivered"}},
        {"kind": "vonage", "secret": "signing", "method": "sha256", "body": {
            "messageId": vonage_id, "status": "failed", "err-code": "6", "client-ref": vonage["client-ref"], "nonce": "n",
        }},
        {"kind": "https", "secret": SECRET, "body": r#"{"status": "undelivered"}"#},
    ]);
    let signed = python(app, &["sign", &requests.to_string()]).await?;
    let signed: Vec<Value> = serde_json::from_str(&signed)?;
    let urls = [twilio_url, vonage["callback"].as_str(), own_url];
    Ok(urls.map(str::to_owned).into_iter().zip(signed).collect())
}

#[tokio::test]
async fn a_report_that_comes_again_is_none_of_the_message_that_was_sent_again() -> Result<()> {
    let (capture, address) = Capture::start().await?;
    let app = with_providers(&address).start().await?;
    let (client, public) = (app.client().await?, app.anonymous()?);
    let mut campaigns = Vec::new();
    for (sender, path) in [
        ("twilio", "Messages.json"),
        ("vonage", "/sms/json"),
        ("own", "/own"),
    ] {
        campaigns.push(accepted(&client, sender, &capture, path).await?.0);
    }
    let before = undelivered(&app, &capture, "0A1").await?;
    for ((url, signed), campaign) in before.iter().zip(&campaigns) {
        ensure!(call_back(&public, url, signed).await? == 200);
        client.until_first(campaign, "undelivered", 1).await?;
        resend(&client, campaign, "undelivered")
            .await?
            .expect(200)?;
        client.until_first(campaign, "accepted", 1).await?;
        ensure!(call_back(&public, url, signed).await? == 200);
        let now = client.read_campaign(campaign).await?;
        ensure!(count(&now, "first", "accepted") == 1, "{url}: {now}");
    }
    let after = undelivered(&app, &capture, "0A2").await?;
    for ((url, signed), campaign) in after.iter().zip(&campaigns) {
        ensure!(call_back(&public, url, signed).await? == 200);
        client.until_first(campaign, "undelivered", 1).await?;
    }
    app.succeeds(&["verify"]).await.map(drop)
}
