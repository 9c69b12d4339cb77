//! Lists, single things, and what is refused of them.

use axum::body::Body;
use domain::scope::Scopes;
use serde_json::json;

use crate::service::{Service, array, record};

async fn import(service: &Service, body: String) -> String {
    let answer = service.ask(service.import(), body).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    answer.json()["batch_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn batches_are_listed_newest_first_page_by_page() {
    let service = Service::start(&[]).await;
    let mut made = Vec::new();
    for n in 0..5 {
        made.push(import(&service, array(&[record(&n.to_string())])).await);
    }
    made.reverse();
    let mut listed = Vec::new();
    let mut path = "/api_v1/sms/import?limit=2".to_owned();
    loop {
        let answer = service.get(&path).await;
        let page = answer.json();
        listed.extend(
            page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["batch_id"].as_str().unwrap().to_owned()),
        );
        let Some(cursor) = page["next_cursor"].as_str() else {
            assert_eq!(answer.header("link"), "");
            break;
        };
        path = format!("/api_v1/sms/import?limit=2&cursor={cursor}");
        assert_eq!(answer.header("link"), format!("<{path}>; rel=\"next\""));
    }
    assert_eq!(listed, made);
}

#[tokio::test]
async fn errors_are_paged_as_json_and_whole_as_csv() {
    let service = Service::start(&[]).await;
    let mut records = vec![record("A1")];
    records.extend((0..2_300).map(|n| format!(r#"{{"docid":"={n}","phone":""}}"#)));
    let id = import(&service, array(&records)).await;
    let path = format!("/api_v1/sms/import/{id}/errors");
    let mut indexes = Vec::new();
    let mut next = format!("{path}?limit=1000");
    loop {
        let answer = service.get(&next).await;
        assert_eq!(answer.header("vary"), "accept");
        let page = answer.json();
        indexes.extend(
            page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|error| error["index"].as_u64().unwrap()),
        );
        let Some(cursor) = page["next_cursor"].as_str() else {
            break;
        };
        next = format!("{path}?limit=1000&cursor={cursor}");
    }
    assert_eq!(indexes, (1..=2_300).collect::<Vec<_>>());
    let request = || service.request("GET", &path).header("accept", "text/csv");
    let answer = service.ask(request(), Body::empty()).await;
    assert_eq!(
        answer.header("content-type"),
        "text/csv; charset=utf-8; header=present"
    );
    let text = String::from_utf8(answer.bytes.to_vec()).unwrap();
    assert_eq!(text.lines().count(), 2_301);
    assert!(
        text.starts_with("index,docid,pointer,code,detail\r\n1,'=0,/1/phone,phone_invalid,"),
        "{text:.200}"
    );
    let limited = service
        .request("GET", &format!("{path}?limit=1"))
        .header("accept", "text/csv");
    assert_eq!(service.ask(limited, Body::empty()).await.verdict().0, 400);
}

#[tokio::test]
async fn what_is_another_accounts_is_not_there() {
    let mut service = Service::start(&[]).await;
    let id = import(
        &service,
        array(&[record("A1"), "1".to_owned(), "2".to_owned()]),
    )
    .await;
    import(&service, array(&[record("A1")])).await;
    let batches = service.get("/api_v1/sms/import?limit=1").await.json()["next_cursor"].clone();
    let errors = service
        .get(&format!("/api_v1/sms/import/{id}/errors?limit=1"))
        .await
        .json()["next_cursor"]
        .clone();
    let (batches, errors) = (batches.as_str().unwrap(), errors.as_str().unwrap());
    let status = async |service: &Service, path: String| service.get(&path).await.status.as_u16();
    assert_eq!(
        status(&service, format!("/api_v1/sms/import?cursor={errors}")).await,
        400
    );
    service.key = service
        .backends
        .store
        .create_key("two", None, Scopes::ALL)
        .await
        .unwrap();
    assert_eq!(
        service.get("/api_v1/sms/import").await.json()["items"],
        json!([])
    );
    assert_eq!(
        status(&service, format!("/api_v1/sms/import?cursor={batches}")).await,
        400
    );
    assert_eq!(
        status(&service, format!("/api_v1/sms/import/{id}")).await,
        404
    );
    assert_eq!(
        status(
            &service,
            format!("/api_v1/sms/import/{id}/errors?cursor={errors}")
        )
        .await,
        404
    );
    for change in ["cancel", "retry"] {
        let request = service.request("POST", &format!("/api_v1/sms/import/{id}/{change}"));
        assert_eq!(
            service.ask(request, Body::empty()).await.verdict(),
            (404, "not_found".to_owned())
        );
    }
}

#[tokio::test]
async fn a_batch_is_cancelled_once_and_for_all() {
    let service = Service::start(&[]).await;
    let id = import(&service, array(&[record("A1"), record("A2")])).await;
    let change = async |change: &str| {
        let request = service.request("POST", &format!("/api_v1/sms/import/{id}/{change}"));
        service.ask(request, Body::empty()).await
    };
    assert_eq!(
        change("retry").await.verdict(),
        (409, "batch_finished".to_owned())
    );
    let cancelled = change("cancel").await.json();
    assert_eq!(
        (&cancelled["status"], &cancelled["cancelled"]),
        (&json!("cancelled"), &json!(2))
    );
    assert_eq!(change("cancel").await.json(), cancelled);
}

#[tokio::test]
async fn an_unknown_recipient_is_erased_all_the_same() {
    let service = Service::start(&[]).await;
    let path = "/api_v1/sms/recipient/caf%C3%A9%2F7";
    assert_eq!(
        service.get(path).await.verdict(),
        (404, "not_found".to_owned())
    );
    let erased = service
        .ask(service.request("DELETE", path), Body::empty())
        .await;
    assert_eq!((erased.status.as_u16(), erased.bytes.len()), (204, 0));
}

#[tokio::test]
async fn ids_that_cannot_be_are_invalid_parameters() {
    let service = Service::start(&[]).await;
    let long = format!("/api_v1/sms/recipient/{}", "x".repeat(129));
    for path in [
        "/api_v1/sms/import/x",
        "/api_v1/sms/import/x/errors",
        "/api_v1/sms/import?limit=0",
        "/api_v1/sms/import?cursor=x",
        "/api_v1/sms/recipient/%00",
        "/api_v1/sms/recipient/%ff",
        long.as_str(),
    ] {
        assert_eq!(
            service.get(path).await.verdict(),
            (400, "invalid_parameter".to_owned()),
            "{path}"
        );
    }
}
