//! Campaigns, and what goes with them, as far as the service does it without a worker.

use axum::body::Body;
use domain::scope::{Scope, Scopes};
use serde_json::{Value, json};

use crate::service::{Answer, Service, array, record};

const CAMPAIGN: &str = "/api_v1/sms/campaign";
const SENDERS: &str = "demo=demo: mine=https://provider.example/sms?secret=whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&accounts=other";

async fn post(service: &Service, path: &str, body: &Value) -> Answer {
    let request = service
        .request("POST", path)
        .header("content-type", "application/json");
    service.ask(request, body.to_string()).await
}

/// A form of this title, published or not.
async fn form(service: &Service, is_published: bool) -> String {
    let form = json!({"title": "A form", "fields": [{"key": "recommend", "type": "nps", "label": "Would you?"}]});
    let form = post(service, "/api_v1/form", &form).await.json();
    let form_id = form["form_id"].as_str().unwrap().to_owned();
    if is_published {
        let publish = service.request("POST", &format!("/api_v1/form/{form_id}/publish"));
        assert_eq!(service.ask(publish, Body::empty()).await.status, 200);
    }
    form_id
}

fn campaign(form_id: &str) -> Value {
    json!({
        "name": "After a visit",
        "form_id": form_id,
        "sender": "demo",
        "text": "How was it, {name|dear guest}? {link}",
        "audience": {"on_import": true},
    })
}

/// The path of a new campaign.
async fn made(service: &Service, body: &Value) -> String {
    let made = post(service, CAMPAIGN, body).await;
    assert_eq!(made.status, 201, "{made:?}");
    let path = made.header("location").to_owned();
    assert_eq!(
        path,
        format!(
            "{CAMPAIGN}/{}",
            made.json()["campaign_id"].as_str().unwrap()
        )
    );
    path
}

async fn act(service: &Service, campaign: &str, action: &str) -> Answer {
    let request = service.request("POST", &format!("{campaign}/{action}"));
    service.ask(request, Body::empty()).await
}

fn verdict(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn a_campaign_is_made_changed_led_on_and_listed() {
    let service = Service::with_senders(&[], SENDERS).await;
    let form_id = form(&service, true).await;
    let path = made(&service, &campaign(&form_id)).await;
    let read = service.get(&path).await;
    assert_eq!((read.status.as_u16(), read.header("etag")), (200, "\"1\""));
    let body = read.json();
    assert_eq!(
        (&body["status"], &body["max_parts"]),
        (&json!("DRAFT"), &json!(3))
    );
    assert_eq!(body["counts"]["first"]["recipients"], 0);
    assert_eq!(body["counts"]["reminder"]["skipped"], json!({}));
    assert_eq!(body["send_window"]["from"], "09:00");

    let put = |tag: &str| {
        let request = service.request("PUT", &path);
        let request = request.header("content-type", "application/json");
        request.header("if-match", tag)
    };
    let mut changed = body.clone();
    changed["name"] = json!("Later");
    let answer = service.ask(put("\"7\""), changed.to_string()).await;
    assert_eq!(answer.verdict(), verdict(412, "precondition_failed"));
    let answer = service.ask(put("\"1\""), changed.to_string()).await;
    assert_eq!(answer.json()["name"], "Later");

    let refused = act(&service, &path, "pause").await;
    assert_eq!(refused.verdict(), verdict(409, "campaign_transition"));
    for (action, status) in [
        ("start", "RUNNING"),
        ("pause", "PAUSED"),
        ("resume", "RUNNING"),
        ("cancel", "CANCELLED"),
    ] {
        let answer = act(&service, &path, action).await;
        assert_eq!(answer.json()["status"], status, "{answer:?}");
    }
    let again = act(&service, &path, "start").await;
    assert_eq!(again.verdict(), verdict(409, "campaign_transition"));
    let answer = service.ask(put("*"), changed.to_string()).await;
    assert_eq!(answer.verdict(), verdict(409, "campaign_transition"));

    let draft = made(&service, &campaign(&form_id)).await;
    let list = service.get(&format!("{CAMPAIGN}?limit=1")).await.json();
    assert_eq!(list["items"][0]["status"], "DRAFT");
    assert!(list["next_cursor"].is_string());
    let delete = |path: &str| service.request("DELETE", path);
    assert_eq!(service.ask(delete(&draft), Body::empty()).await.status, 204);
    let gone = service.get(&draft).await;
    assert_eq!(gone.verdict(), verdict(404, "not_found"));
    let refused = service.ask(delete(&path), Body::empty()).await;
    assert_eq!(refused.verdict(), verdict(409, "campaign_transition"));
}

#[tokio::test]
async fn what_a_campaign_rests_on_is_checked() {
    let service = Service::with_senders(&[], SENDERS).await;
    let form_id = form(&service, false).await;
    let with = |member: &str, value: Value| {
        let mut body = campaign(&form_id);
        body[member] = value;
        body
    };
    for (body, code, pointer) in [
        (with("sender", json!("other")), "sender_unknown", "/sender"),
        (
            with("sender", json!("mine")),
            "sender_not_allowed",
            "/sender",
        ),
        (
            with("form_id", json!("0192f0c1-2345-7abc-8def-0123456789ab")),
            "validation_failed",
            "/form_id",
        ),
        (with("text", json!("no link")), "validation_failed", "/text"),
    ] {
        let answer = post(&service, CAMPAIGN, &body).await;
        assert_eq!(answer.verdict(), verdict(422, code));
        assert_eq!(answer.json()["errors"][0]["pointer"], pointer);
    }
    let path = made(&service, &campaign(&form_id)).await;
    let early = act(&service, &path, "start").await;
    assert_eq!(early.verdict(), verdict(409, "form_not_published"));
    let delete = service.request("DELETE", &format!("/api_v1/form/{form_id}"));
    assert_eq!(service.ask(delete, Body::empty()).await.status, 200);
    let late = act(&service, &path, "start").await;
    assert_eq!(late.verdict(), verdict(422, "validation_failed"));
}

#[tokio::test]
async fn links_that_only_this_machine_opens_are_not_sent() {
    let senders = "mine=https://provider.example/sms?secret=whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&accounts=*";
    let service = Service::with_senders(&[], senders).await;
    let mut body = campaign(&form(&service, true).await);
    body["sender"] = json!("mine");
    let path = made(&service, &body).await;
    let refused = act(&service, &path, "start").await;
    assert_eq!(refused.verdict(), verdict(422, "public_url_local"));
    let senders = service.get("/api_v1/sms/sender").await.json();
    let expected = json!({"name": "mine", "kind": "https", "from": null, "rate": 10, "state": "unattended", "reason": null, "since": null, "waiting": 0, "oldest_at": null, "last_accepted_at": null, "unknown": 0, "unmatched_receipts": 0, "refused_code": null, "unreported_since": null});
    assert_eq!(senders["items"], json!([expected]));
}

#[tokio::test]
async fn an_import_for_a_campaign_needs_one_that_takes_imports() {
    let mut service = Service::with_senders(&[], SENDERS).await;
    let path = made(&service, &campaign(&form(&service, true).await)).await;
    let id = path.rsplit('/').next().unwrap().to_owned();
    let import = |service: &Service, id: &str| {
        let request = service.request("POST", &format!("/api_v1/sms/import?campaign={id}"));
        request.header("content-type", "application/json")
    };
    let records = array(&[record("A1")]);
    let ask = async |service: &Service, id: &str| {
        let answer = service.ask(import(service, id), records.clone()).await;
        answer.verdict()
    };
    let unknown = "0192f0c1-2345-7abc-8def-0123456789ab";
    assert_eq!(ask(&service, unknown).await, verdict(404, "not_found"));
    assert_eq!(ask(&service, "x").await, verdict(400, "invalid_parameter"));
    assert_eq!(
        ask(&service, &id).await,
        verdict(409, "campaign_not_running")
    );
    act(&service, &path, "start").await;
    let keyed = || import(&service, &id).header("idempotency-key", "k");
    assert_eq!(service.ask(keyed(), records.clone()).await.status, 202);
    act(&service, &path, "finish").await;
    assert_eq!(
        ask(&service, &id).await,
        verdict(409, "campaign_not_running")
    );
    let replay = service.ask(keyed(), records.clone()).await;
    assert_eq!(replay.status, 202, "what was accepted stays so");
    let scopes = Scopes::from_iter([Scope::Import]);
    let store = service.backends.store.clone();
    service.key = store.create_key("one", None, scopes).await.unwrap();
    assert_eq!(ask(&service, &id).await, verdict(403, "forbidden"));
}

#[tokio::test]
async fn a_preview_and_tests_need_a_recipient() {
    let service = Service::with_senders(&[], SENDERS).await;
    let path = made(&service, &campaign(&form(&service, true).await)).await;
    let preview = act(&service, &path, "preview").await;
    assert_eq!(preview.status, 200, "{preview:?}");
    assert_eq!(preview.json()["recipients"], 0);
    let mut draft = campaign(&form(&service, false).await);
    let of_draft = "/api_v1/sms/campaign/preview";
    let preview = post(&service, of_draft, &draft).await;
    assert_eq!(preview.json()["recipients"], 0);
    draft["text"] = json!("no link");
    let refused = post(&service, of_draft, &draft).await;
    assert_eq!(refused.verdict(), verdict(422, "validation_failed"));
    let test = |body: Value| {
        let path = format!("{path}/test");
        let service = &service;
        async move { post(service, &path, &body).await }
    };
    let refused = test(json!({"phone": "1", "docid": "A1"})).await;
    assert_eq!(refused.verdict(), verdict(422, "validation_failed"));
    let resend = post(
        &service,
        &format!("{path}/resend"),
        &json!({"status": "unknown"}),
    )
    .await;
    assert_eq!(resend.verdict(), verdict(409, "campaign_not_running"));
    let other = post(
        &service,
        &format!("{path}/resend"),
        &json!({"status": "delivered"}),
    )
    .await;
    assert_eq!(other.verdict(), verdict(422, "validation_failed"));
    let messages = service.get(&format!("{path}/message?status=unknown")).await;
    assert_eq!(messages.json()["items"], json!([]));
    let wrong = service.get(&format!("{path}/message?status=lost")).await;
    assert_eq!(wrong.verdict(), verdict(400, "invalid_parameter"));
    let failures = service.get(&format!("{path}/failure")).await;
    assert_eq!(
        failures.json(),
        json!({"items": [], "partial": false, "sealed": false})
    );
    let request = service.request("GET", &format!("{path}/message"));
    let csv = service
        .ask(request.header("accept", "text/csv"), Body::empty())
        .await;
    assert!(csv.bytes.starts_with(b"message_id,campaign_id,docid"));
    let nobody = service.get("/api_v1/sms/recipient/A1/message").await;
    assert_eq!(nobody.verdict(), verdict(404, "not_found"));
}

#[tokio::test]
async fn phones_are_put_on_the_list_and_taken_off() {
    let service = Service::with_senders(&[], SENDERS).await;
    let path = "/api_v1/sms/suppression";
    let change = async |method: &str, phone: &str| {
        let request = service.request(method, path);
        let request = request.header("content-type", "application/json");
        let answer = service.ask(request, json!({"phone": phone}).to_string());
        answer.await.status.as_u16()
    };
    assert_eq!(change("PUT", "0170").await, 422);
    assert_eq!(change("PUT", "+491701234567").await, 204);
    let list = service.get(path).await.json();
    assert_eq!(list["items"][0]["source"], "api");
    assert_eq!(list["items"][0]["phone"], Value::Null);
    assert_eq!(change("DELETE", "+491701234567").await, 204);
    assert_eq!(service.get(path).await.json()["items"], json!([]));
}

#[tokio::test]
async fn a_hook_without_its_key_is_nobody_s() {
    let service = Service::with_senders(&[], SENDERS).await;
    let pepper = service.backends.pepper.clone().unwrap();
    let hook = |sender: &str, key: &str, kind: &str| {
        axum::http::Request::post(format!("/hooks/{sender}/{key}/{kind}"))
    };
    for kind in ["status", "inbound"] {
        for (sender, key) in [
            ("demo", "wrong".to_owned()),
            ("nobody", pepper.hook_key("nobody")),
            ("demo", pepper.hook_key("mine")),
        ] {
            let answer = service.ask(hook(sender, &key, kind), "{}").await;
            assert_eq!(answer.verdict(), verdict(401, "unauthenticated"));
        }
        let key = pepper.hook_key("mine");
        let unsigned = service.ask(hook("mine", &key, kind), "{}").await;
        assert_eq!(unsigned.verdict(), verdict(401, "unauthenticated"));
        let long = service
            .ask(hook("mine", &key, kind), vec![b' '; (64 << 10) + 1])
            .await;
        assert_eq!(long.verdict(), verdict(413, "body_too_large"));
    }
}
