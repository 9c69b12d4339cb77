//! The checks before everything else, and their order.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use domain::scope::{Scope, Scopes};
use http_body_util::BodyExt;

use crate::service::{Answer, Service, array, record};

#[tokio::test]
async fn whoever_is_not_known_gets_the_same_answer_everywhere() {
    let service = Service::start(&[]).await;
    let (key, secret) = (
        service.key.api_key.as_str(),
        service.key.secret_key.as_str(),
    );
    let mut seen = Vec::new();
    for (method, path) in [
        ("GET", "/api_v1/sms/import"),
        ("DELETE", "/api_v1/sms/import"),
        ("GET", "/api_v1/nowhere"),
        ("GET", "/api_v1"),
    ] {
        for headers in [
            &[][..],
            &[("x-api-key", key)],
            &[("x-secret-key", secret)],
            &[("x-api-key", key), ("x-secret-key", "wrong")],
            &[("x-api-key", key), ("x-secret-key", "")],
            &[("x-api-key", "fk_unknown"), ("x-secret-key", secret)],
            &[("x-api-key", ""), ("x-secret-key", secret)],
            &[
                ("x-api-key", key),
                ("x-secret-key", secret),
                ("x-secret-key", "wrong"),
            ],
        ] {
            let request = Request::builder()
                .method(method)
                .uri(path)
                .header("x-request-id", "r");
            let request = headers.iter().fold(request, |request, (name, value)| {
                request.header(*name, *value)
            });
            let answer = service.ask(request, Body::empty()).await;
            assert_eq!(answer.verdict(), (401, "unauthenticated".to_owned()));
            seen.push((answer.bytes, answer.headers));
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
}

#[tokio::test]
async fn a_new_secret_works_at_once_and_a_revoked_key_soon_no_more() {
    let mut service = Service::start(&[]).await;
    assert_eq!(service.get("/api_v1/sms/import").await.status, 200);
    let store = service.backends.store.clone();
    let hour = chrono::TimeDelta::hours(1);
    let rotated = store
        .rotate_key(&service.key.api_key, hour)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        service.get("/api_v1/sms/import").await.status,
        200,
        "the old secret lives on"
    );
    service.key = rotated;
    assert_eq!(service.get("/api_v1/sms/import").await.status, 200);
    assert!(store.revoke_key(&service.key.api_key).await.unwrap());
    let deadline = tokio::time::Instant::now() + Duration::from_secs(5);
    while service.get("/api_v1/sms/import").await.status != 401 {
        assert!(tokio::time::Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Its key is looked up again while the answer leaves. Nobody else with that key waits for a look-up that nobody drives.
#[tokio::test]
async fn a_reader_that_stops_reading_holds_up_nobody_with_the_same_key() {
    let service = Service::start(&[]).await;
    let mut records = vec![record("A1")];
    records.extend((0..3_000).map(|n| format!(r#"{{"docid":"{n}","phone":""}}"#)));
    let import = service.ask(service.import(), array(&records)).await;
    let batch_id = import.json()["batch_id"].as_str().unwrap().to_owned();
    let path = format!("/api_v1/sms/import/{batch_id}/errors");
    let request = service.request("GET", &path).header("accept", "text/csv");
    let mut body = service.open(request).await.into_body();
    body.frame().await.unwrap().unwrap();
    // What is known of the key is no longer fresh, and one more part of the answer is asked for.
    tokio::time::sleep(Duration::from_millis(2_600)).await;
    let _ = futures::poll!(std::pin::pin!(body.frame()));
    let answer = service.get("/api_v1/sms/import");
    let answer = tokio::time::timeout(Duration::from_secs(30), answer).await;
    assert_eq!(answer.expect("it waits for the reader").status, 200);
}

#[tokio::test]
async fn a_scope_is_checked_before_path_method_and_input() {
    let mut service = Service::start(&[]).await;
    let scopes = Scopes::from_iter([Scope::Report]);
    service.key = service
        .backends
        .store
        .create_key("two", None, scopes)
        .await
        .unwrap();
    for (method, path) in [
        ("GET", "/api_v1/sms/import"),
        ("DELETE", "/api_v1/sms/import"),
        ("POST", "/api_v1/sms/import"),
        ("GET", "/api_v1/sms/import/no-uuid"),
        ("GET", "/api_v1/sms/recipient/a"),
    ] {
        let answer = service
            .ask(service.request(method, path), Body::empty())
            .await;
        assert_eq!(
            answer.verdict(),
            (403, "forbidden".to_owned()),
            "{method} {path}"
        );
    }
    assert_eq!(service.get("/api_v1/nowhere").await.status, 404);
}

#[tokio::test]
async fn every_operation_under_the_prefix_needs_a_scope() {
    let mut service = Service::start(&[]).await;
    let document = service.get("/openapi.json").await.json();
    let mut refused = Vec::new();
    // No operation takes both.
    for scope in [Scope::Report, Scope::Import] {
        let store = service.backends.store.clone();
        let scopes = Scopes::from_iter([scope]);
        service.key = store.create_key("two", None, scopes).await.unwrap();
        for (path, item) in document["paths"].as_object().unwrap() {
            for method in item.as_object().unwrap().keys() {
                let request =
                    service.request(&method.to_uppercase(), &path.replace(['{', '}'], ""));
                let answer = service.ask(request, Body::empty()).await;
                if answer.status == 403 {
                    refused.push((path.as_str(), method.as_str()));
                }
            }
        }
    }
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let is_refused = refused.contains(&(path.as_str(), method.as_str()));
            assert_eq!(is_refused, path.starts_with("/api_v1"), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn path_then_method_then_kind_then_input() {
    let service = Service::start(&[]).await;
    let ask =
        async |method: &str, path: &str| service.ask(service.request(method, path), "[").await;
    let verdict = |answer: Answer| answer.verdict();
    let code = |status, code: &str| (status, code.to_owned());
    assert_eq!(
        verdict(ask("POST", "/api_v1/sms/nowhere").await),
        code(404, "not_found")
    );
    let answer = ask("DELETE", "/api_v1/sms/import?on_error=x").await;
    assert_eq!(
        answer
            .header("allow")
            .split(',')
            .filter(|method| !method.is_empty())
            .count(),
        3
    );
    assert_eq!(verdict(answer), code(405, "method_not_allowed"));
    assert_eq!(
        verdict(ask("POST", "/api_v1/sms/import?on_error=x").await),
        code(415, "unsupported_media_type")
    );
    let request = service
        .request("POST", "/api_v1/sms/import?on_error=x")
        .header("content-type", "text/csv");
    assert_eq!(
        verdict(service.ask(request, "[").await),
        code(400, "invalid_parameter")
    );
}

#[tokio::test]
async fn a_key_that_asks_too_often_is_told_when_to_come_again() {
    let service = Service::start(&["--key-rate", "1"]).await;
    for left in (0..10).rev() {
        // What no route answers, and what the layer refuses, are counted as well.
        let (path, status) = match left % 2 {
            0 => ("/api_v1/nowhere", 404),
            _ => ("/api_v1/sms/import?limt=1", 400),
        };
        let answer = service.get(path).await;
        assert_eq!(answer.status, status);
        assert_eq!(
            answer.header("ratelimit"),
            format!("\"default\";r={left};t={}", 10 - left)
        );
        assert_eq!(answer.header("ratelimit-policy"), "\"default\";q=10;w=10");
    }
    let answer = service.get("/api_v1/sms/import").await;
    assert_eq!(answer.verdict(), (429, "rate_limited".to_owned()));
    assert_eq!(
        (answer.header("retry-after"), answer.header("ratelimit")),
        ("1", "\"default\";r=0;t=1")
    );
}

#[tokio::test]
async fn every_answer_carries_its_request_id() {
    let service = Service::start(&[]).await;
    for path in [
        "/",
        "/docs/",
        "/openapi.json",
        "/api_v1/sms/import",
        "/api_v1/nowhere",
    ] {
        let answer = service
            .ask(
                service.request("GET", path).header("x-request-id", "mine"),
                Body::empty(),
            )
            .await;
        assert_eq!(answer.header("x-request-id"), "mine", "{path}");
    }
    assert_eq!(service.get("/").await.header("x-request-id").len(), 36);
}
