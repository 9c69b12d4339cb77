use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use domain::record::RecordCode;
use http_body_util::BodyExt;
use platform::request_id::X_REQUEST_ID;
use tower::ServiceExt;

use super::*;
use crate::entry;

fn request_id() -> RequestId {
    let headers = [(X_REQUEST_ID, HeaderValue::from_static("r-1"))];
    RequestId::of(&headers.into_iter().collect())
}

fn shape(problem: &Problem) -> serde_json::Value {
    serde_json::from_slice(&problem.body(&request_id())).unwrap()
}

#[test]
fn a_problem_has_the_members_of_rfc_9457_and_ours() {
    let text = problem_text(&Problem::invalid_parameter("limit must be 1 to 1000"));
    insta::assert_snapshot!(text, @r#"{"type":"/problems/invalid_parameter","title":"A parameter is invalid","status":400,"detail":"limit must be 1 to 1000","code":"invalid_parameter","request_id":"r-1"}"#);
}

fn problem_text(problem: &Problem) -> String {
    String::from_utf8(problem.body(&request_id()).to_vec()).unwrap()
}

#[test]
fn a_refused_import_counts_and_lists_its_records() {
    let error = RecordError {
        index: 1,
        docid: Some("A2".to_owned()),
        pointer: "/1/phone".to_owned(),
        code: RecordCode::PhoneInvalid,
        detail: "phone is not E.164".to_owned(),
    };
    let problem = Problem::refused([3, 1, 0], vec![error], "no record is valid");
    insta::assert_json_snapshot!(shape(&problem), @r#"
    {
      "code": "validation_failed",
      "detail": "no record is valid",
      "errors": [
        {
          "code": "phone_invalid",
          "detail": "phone is not E.164",
          "docid": "A2",
          "index": 1,
          "pointer": "/1/phone"
        }
      ],
      "errors_dropped": 0,
      "received": 3,
      "rejected": 1,
      "request_id": "r-1",
      "status": 422,
      "title": "The input is invalid",
      "type": "/problems/validation_failed"
    }
    "#);
}

#[test]
fn a_cause_is_never_shown() {
    let cause = io::Error::other("password=hunter2");
    assert!(!problem_text(&Problem::internal(&cause)).contains("hunter2"));
    let store = store::Error::Unavailable("password=hunter2".into());
    let problem = Problem::from(store);
    assert_eq!(problem.code(), Code::Unavailable);
    assert!(!problem_text(&problem).contains("hunter2"));
}

#[test]
fn whose_account_ended_has_no_key_any_more() {
    let problem = Problem::from(store::Error::AccountEnded);
    assert_eq!(
        problem_text(&problem),
        problem_text(&Problem::unauthenticated())
    );
}

async fn ask(path: &str, method: &str) -> (StatusCode, HeaderMap, serde_json::Value) {
    let router = Router::new()
        .route(
            "/plain",
            get(|| async { (StatusCode::BAD_REQUEST, "plain text") }),
        )
        .route("/known", get(|| async { "yes" }))
        .fallback(async || Problem::not_found())
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(Arc::default(), entry::open));
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("x-request-id", "r-1")
        .body(Body::empty())
        .unwrap();
    let response = router.oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    (
        parts.status,
        parts.headers,
        serde_json::from_slice(&bytes).unwrap(),
    )
}

#[tokio::test]
async fn nothing_leaves_as_plain_text() {
    for (path, method, status, code) in [
        ("/plain", "GET", 400, "invalid_parameter"),
        ("/nowhere", "GET", 404, "not_found"),
        ("/known", "DELETE", 405, "method_not_allowed"),
    ] {
        let (answered, headers, body) = ask(path, method).await;
        assert_eq!(
            (answered.as_u16(), body["code"].as_str()),
            (status, Some(code)),
            "{path}"
        );
        assert_eq!(headers.get(CONTENT_TYPE).unwrap(), PROBLEM_JSON);
        assert_eq!(body["request_id"], "r-1");
    }
}

#[tokio::test]
async fn a_refused_method_names_the_allowed_ones() {
    let (_, headers, _) = ask("/known", "DELETE").await;
    assert_eq!(headers.get("allow").unwrap(), "GET,HEAD");
}
