//! `/openapi.json` and `/docs`.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::service::Service;

/// An operation's name and the statuses that it documents, whose descriptions are what they should be.
fn statuses(document: &Value, method: &str, path: &str) -> String {
    let operation = &document["paths"][path][method];
    let public = path.starts_with("/f/");
    let security = if public {
        json!([])
    } else {
        json!([{"api_key": [], "secret_key": []}])
    };
    assert_eq!(operation["security"], security, "{path}");
    let responses = operation["responses"].as_object().unwrap();
    for (status, response) in responses {
        let response = match response["$ref"].as_str() {
            Some(named) => document.pointer(named.trim_start_matches('#')).unwrap(),
            None => response,
        };
        // What only people are told is a page.
        let page = public && response["content"]["text/html"].is_object();
        if status.starts_with(['4', '5']) && !page {
            let schema = &response["content"]["application/problem+json"]["schema"];
            assert_eq!(
                schema["$ref"], "#/components/schemas/Problem",
                "{method} {path} {status}"
            );
        }
    }
    let statuses: Vec<_> = responses.keys().map(String::as_str).collect();
    format!("{method} {path}: {}", statuses.join(" "))
}

#[tokio::test]
async fn every_operation_documents_what_it_can_answer() {
    let service = Service::start(&[]).await;
    let answer = service.get("/openapi.json").await;
    assert_eq!(answer.status, 200);
    let document = answer.json();
    let mut lines = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            lines.push(statuses(&document, method, path));
        }
    }
    insta::assert_snapshot!(lines.join("\n"), @"
    get /api_v1/account: 200 400 401 403 405 429 500 503
    put /api_v1/account: 200 400 401 403 405 408 413 415 422 429 500 503
    get /api_v1/account/retention: 200 400 401 403 405 429 500 503
    put /api_v1/account/retention: 200 400 401 403 405 408 409 413 415 422 429 500 503
    post /api_v1/account/retention/preview: 200 400 401 403 405 408 413 415 422 429 500 503
    get /api_v1/audit: 200 400 401 403 405 429 500 503
    get /api_v1/audit/access: 200 400 401 403 405 413 429 500 503
    delete /api_v1/feedback/{feedback_id}: 204 400 401 403 404 405 429 500 503
    post /api_v1/form: 201 400 401 403 405 408 409 413 415 422 429 500 503
    post /api_v1/form/link/{form_id}/{bus_prop_id}: 201 400 401 403 404 405 408 409 413 415 422 429 500 503
    delete /api_v1/form/link/{id}: 204 400 401 403 404 405 429 500 503
    get /api_v1/form/link/{id}: 200 400 401 403 404 405 429 500 503
    post /api_v1/form/link/{id}: 201 400 401 403 404 405 408 409 413 415 422 429 500 503
    get /api_v1/form/list/{status}: 200 400 401 403 404 405 429 500 503
    delete /api_v1/form/{form_id}: 200 400 401 403 404 405 409 412 429 500 503
    get /api_v1/form/{form_id}: 200 400 401 403 404 405 429 500 503
    put /api_v1/form/{form_id}: 200 400 401 403 404 405 408 409 412 413 415 422 429 500 503
    get /api_v1/form/{form_id}/link: 200 400 401 403 404 405 429 500 503
    post /api_v1/form/{form_id}/publish: 200 400 401 403 404 405 409 412 429 500 503
    get /api_v1/report/feedbacks/comment/{start_date}/{end_date}/{form_id}: 200 304 400 401 403 404 405 429 500 503
    get /api_v1/report/feedbacks/comment/{start_date}/{end_date}/{form_id}/{bus_prop}: 200 304 400 401 403 404 405 429 500 503
    get /api_v1/report/feedbacks/{start_date}/{end_date}/{form_id}: 200 304 400 401 403 404 405 429 500 503
    get /api_v1/report/feedbacks/{start_date}/{end_date}/{form_id}/{bus_prop}: 200 304 400 401 403 404 405 429 500 503
    get /api_v1/report/form/{form_id}/{start_date}/{end_date}: 200 304 400 401 403 404 405 429 500 503
    get /api_v1/report/form/{form_id}/{start_date}/{end_date}/{bus_prop}: 200 304 400 401 403 404 405 429 500 503
    get /api_v1/report/overview/{start_date}/{end_date}: 200 304 400 401 403 404 405 429 500 503
    get /api_v1/report/share: 200 400 401 403 405 429 500 503
    post /api_v1/report/share: 201 400 401 403 405 408 413 415 422 429 500 503
    delete /api_v1/report/share/{share_id}: 204 400 401 403 404 405 429 500 503
    get /api_v1/report/summary/{start_date}/{end_date}/{form_id}: 200 304 400 401 403 404 405 429 500 503
    get /api_v1/report/summary/{start_date}/{end_date}/{form_id}/{bus_prop}: 200 304 400 401 403 404 405 429 500 503
    get /api_v1/sms/campaign: 200 400 401 403 405 429 500 503
    post /api_v1/sms/campaign: 201 400 401 403 405 408 409 413 415 422 429 500 503
    post /api_v1/sms/campaign/preview: 200 400 401 403 405 408 413 415 422 429 500 503
    delete /api_v1/sms/campaign/{campaign_id}: 204 400 401 403 404 405 409 429 500 503
    get /api_v1/sms/campaign/{campaign_id}: 200 400 401 403 404 405 429 500 503
    put /api_v1/sms/campaign/{campaign_id}: 200 400 401 403 404 405 408 409 412 413 415 422 429 500 503
    post /api_v1/sms/campaign/{campaign_id}/cancel: 200 400 401 403 404 405 409 429 500 503
    get /api_v1/sms/campaign/{campaign_id}/failure: 200 400 401 403 404 405 429 500 503
    post /api_v1/sms/campaign/{campaign_id}/finish: 200 400 401 403 404 405 409 429 500 503
    get /api_v1/sms/campaign/{campaign_id}/message: 200 400 401 403 404 405 429 500 503
    post /api_v1/sms/campaign/{campaign_id}/pause: 200 400 401 403 404 405 409 429 500 503
    post /api_v1/sms/campaign/{campaign_id}/preview: 200 400 401 403 404 405 422 429 500 503
    post /api_v1/sms/campaign/{campaign_id}/resend: 200 400 401 403 404 405 408 409 413 415 422 429 500 503
    post /api_v1/sms/campaign/{campaign_id}/resume: 200 400 401 403 404 405 409 429 500 503
    post /api_v1/sms/campaign/{campaign_id}/start: 200 400 401 403 404 405 409 422 429 500 503
    post /api_v1/sms/campaign/{campaign_id}/test: 200 400 401 403 404 405 408 409 413 415 422 429 500 503
    get /api_v1/sms/import: 200 400 401 403 405 429 500 503
    post /api_v1/sms/import: 200 202 400 401 403 404 405 408 409 413 415 422 429 500 503
    get /api_v1/sms/import/{batch_id}: 200 400 401 403 404 405 429 500 503
    post /api_v1/sms/import/{batch_id}/cancel: 200 400 401 403 404 405 409 429 500 503
    post /api_v1/sms/import/{batch_id}/erase: 202 400 401 403 404 405 429 500 503
    get /api_v1/sms/import/{batch_id}/errors: 200 400 401 403 404 405 429 500 503
    post /api_v1/sms/import/{batch_id}/retry: 200 400 401 403 404 405 409 429 500 503
    get /api_v1/sms/person: 200 400 401 403 405 413 429 500 503
    get /api_v1/sms/person/{docid}: 200 400 401 403 404 405 413 429 500 503
    delete /api_v1/sms/recipient: 204 400 401 403 405 413 429 500 503
    get /api_v1/sms/recipient: 200 400 401 403 405 429 500 503
    delete /api_v1/sms/recipient/{docid}: 204 400 401 403 404 405 429 500 503
    get /api_v1/sms/recipient/{docid}: 200 400 401 403 404 405 429 500 503
    get /api_v1/sms/recipient/{docid}/message: 200 400 401 403 404 405 429 500 503
    get /api_v1/sms/sender: 200 400 401 403 405 429 500 503
    get /api_v1/sms/setting: 200 400 401 403 405 429 500 503
    put /api_v1/sms/setting: 200 400 401 403 405 408 409 413 415 422 429 500 503
    delete /api_v1/sms/suppression: 204 400 401 403 405 408 413 415 422 429 500 503
    get /api_v1/sms/suppression: 200 400 401 403 405 429 500 503
    put /api_v1/sms/suppression: 204 400 401 403 405 408 413 415 422 429 500 503
    get /api_v1/sms/usage: 200 400 401 403 405 429 500 503
    get /f/{token}: 200 404 405 410 429 500 503
    post /f/{token}: 201 303 400 404 405 408 410 413 415 422 429 500 503
    get /f/{token}/logo: 200 404 405 429 500 503
    get /f/{token}/qr.svg: 200 404 405 410 429 500 503
    post /f/{token}/stop: 200 404 405 429 500 503
    get /f/{token}/thanks: 200 404 405 429 500 503
    post /f/{token}/view: 204 400 404 405 408 410 413 415 422 429 500 503
    ");
    for reference in references(&document) {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| match value.as_str() {
                Some(reference) if name == "$ref" => vec![reference],
                _ => references(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn the_docs_need_nothing_from_elsewhere() {
    let service = Service::start(&[]).await;
    let page = service.get("/docs/").await;
    assert_eq!(page.status, 200);
    let html = String::from_utf8(page.bytes.to_vec()).unwrap();
    assert!(
        !html.contains("https://") && !html.contains("http://"),
        "{html}"
    );
    assert_eq!(service.get("/docs/swagger-ui.css").await.status, 200);
    assert_eq!(
        service.get("/docs/nowhere").await.verdict(),
        (404, "not_found".to_owned())
    );
}

#[tokio::test]
async fn whom_to_tell_of_weaknesses_is_said_where_it_is_set() {
    let path = "/.well-known/security.txt";
    let service = Service::start(&[]).await;
    assert_eq!(
        service.get(path).await.verdict(),
        (404, "not_found".to_owned())
    );
    let contact = "mailto:security@shop.example";
    let service = Service::start(&["--security-contact", contact]).await;
    let answer = service.get(path).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    let text = String::from_utf8(answer.bytes.to_vec()).unwrap();
    let rest = text.strip_prefix(&format!("Contact: {contact}\nExpires: "));
    let until: DateTime<Utc> = rest.unwrap().trim_end().parse().unwrap();
    let left = until - Utc::now();
    assert!((359..=360).contains(&left.num_days()), "{text}");
}
