//! The page of a link that was opened a moment ago.

use axum::body::Body;
use serde_json::json;

use crate::service::{Answer, Service};

/// The path of a published form's page, and of its link under the API.
async fn link(service: &Service) -> (String, String) {
    let form = json!({"title": "A form", "fields": [{"key": "recommend", "type": "nps", "label": "Would you?"}]});
    let post = |path: String| {
        service
            .request("POST", &path)
            .header("content-type", "application/json")
    };
    let form = service
        .ask(post("/api_v1/form".to_owned()), form.to_string())
        .await;
    assert_eq!(form.status, 201, "{form:?}");
    let form_id = form.json()["form_id"].as_str().unwrap().to_owned();
    let publish = service.request("POST", &format!("/api_v1/form/{form_id}/publish"));
    assert_eq!(service.ask(publish, Body::empty()).await.status, 200);
    let create = service.request("POST", &format!("/api_v1/form/link/{form_id}"));
    let link = service.ask(create, Body::empty()).await;
    assert_eq!(link.status, 201, "{link:?}");
    let token = link.json()["token"].as_str().unwrap().to_owned();
    (format!("/f/{token}"), format!("/api_v1/form/link/{token}"))
}

async fn open(service: &Service, path: &str) -> Answer {
    let request = axum::http::Request::get(path).header("x-request-id", "r-1");
    service.ask(request, Body::empty()).await
}

#[tokio::test]
async fn a_page_that_is_remembered_comes_with_the_same_headers() {
    let service = Service::start(&[]).await;
    let (page, _) = link(&service).await;
    let (first, second) = (open(&service, &page).await, open(&service, &page).await);
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (200, 200));
    assert_ne!(first.bytes, second.bytes, "a nonce and a visit of its own");
    assert_eq!(first.bytes.len(), second.bytes.len());
    let names = |answer: &Answer| {
        let names = answer.headers.keys().map(ToString::to_string);
        // The connection writes the length, if nobody has.
        let mut names: Vec<_> = names.filter(|name| name != "content-length").collect();
        names.sort();
        names
    };
    assert_eq!(names(&first), names(&second));
    assert_eq!(second.header("x-request-id"), "r-1");
    for name in ["content-type", "cache-control", "referrer-policy"] {
        assert_eq!(first.header(name), second.header(name));
    }
}

#[tokio::test]
async fn a_page_that_is_remembered_goes_with_its_link() {
    let service = Service::start(&[]).await;
    let (page, link) = link(&service).await;
    for _ in 0..2 {
        assert_eq!(open(&service, &page).await.status, 200);
    }
    let delete = service.request("DELETE", &link);
    assert_eq!(service.ask(delete, Body::empty()).await.status, 204);
    assert_eq!(open(&service, &page).await.status, 410);
}

#[tokio::test]
async fn a_page_that_is_remembered_is_shown_at_the_links_rate() {
    let service = Service::start(&["--link-rate", "1"]).await;
    let (page, _) = link(&service).await;
    for _ in 0..10 {
        assert_eq!(open(&service, &page).await.status, 200);
    }
    assert_eq!(open(&service, &page).await.status, 429);
}
