//! `POST /api_v1/sms/import`.

use axum::body::Body;
use bytes::Bytes;
use domain::message::{Lane, Notification};
use futures::stream;
use serde_json::json;
use tokio::sync::mpsc;

use crate::service::{Service, array, record};

#[tokio::test]
async fn a_mixed_body_is_accepted_with_its_errors() {
    let service = Service::start(&[]).await;
    let body = array(&[
        record("A1"),
        r#"{"docid":"A2","phone":"0170"}"#.to_owned(),
        record("A3"),
    ]);
    let answer = service.ask(service.import(), body).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let json = answer.json();
    let url = json["status_url"].as_str().unwrap();
    assert_eq!(answer.header("location"), url);
    assert_eq!(
        (
            &json["status"],
            &json["received"],
            &json["accepted"],
            &json["rejected"]
        ),
        (&json!("queued"), &json!(3), &json!(2), &json!(1))
    );
    assert_eq!(json["errors"][0]["pointer"], "/1/phone");
    let batch = service.get(url).await.json();
    assert_eq!(
        (&batch["batch_id"], &batch["pending"]),
        (&json["batch_id"], &json!(2))
    );
    let errors = service.get(&format!("{url}/errors")).await.json();
    assert_eq!(errors["items"], json["errors"]);
}

#[tokio::test]
async fn every_kind_and_encoding_of_body_is_taken() {
    let service = Service::start(&[]).await;
    let packed = zstd::encode_all(array(&[record("A1")]).as_bytes(), 1).unwrap();
    let request = service.import().header("content-encoding", "zstd");
    assert_eq!(service.ask(request, packed).await.status, 202);
    let wrapped = format!(r#"{{"data":{}}}"#, array(&[record("A1")]));
    assert_eq!(service.ask(service.import(), wrapped).await.status, 202);
    for (kind, body) in [
        ("text/csv", "docid,phone\r\nA1,+491701234567\r\n"),
        (
            "application/x-ndjson; charset=utf-8",
            "{\"docid\":\"A1\",\"phone\":\"+491701234567\"}\n",
        ),
    ] {
        let request = service
            .request("POST", "/api_v1/sms/import")
            .header("content-type", kind);
        assert_eq!(service.ask(request, body).await.status, 202, "{kind}");
    }
}

#[tokio::test]
async fn a_refused_body_leaves_nothing() {
    let service = Service::start(&["--max-records", "3", "--max-body", "1000"]).await;
    let four = array(&["A1", "A2", "A3", "A4"].map(record));
    for (query, body, status, code) in [
        ("", "[".to_owned(), 400, "invalid_json"),
        ("", "[] x".to_owned(), 400, "invalid_json"),
        ("", "[]".to_owned(), 422, "validation_failed"),
        ("", "[1]".to_owned(), 422, "validation_failed"),
        (
            "?on_error=reject_all",
            array(&[record("A1"), "1".to_owned()]),
            422,
            "validation_failed",
        ),
        ("?on_error=both", "[]".to_owned(), 400, "invalid_parameter"),
        ("", four, 413, "too_many_records"),
        (
            "",
            format!("[{}]", " ".repeat(1_000)),
            413,
            "body_too_large",
        ),
    ] {
        let request = service
            .request("POST", &format!("/api_v1/sms/import{query}"))
            .header("content-type", "application/json");
        let answer = service.ask(request, body.clone()).await;
        assert_eq!(answer.verdict(), (status, code.to_owned()), "{body}");
    }
    assert_eq!(
        service.get("/api_v1/sms/import").await.json()["items"],
        json!([])
    );
}

#[tokio::test]
async fn a_body_whose_connection_breaks_is_no_body() {
    let service = Service::start(&[]).await;
    let pieces = [
        Ok(Bytes::from(array(&[record("A1")]))),
        Err(std::io::Error::other("reset")),
    ];
    let answer = service
        .ask(service.import(), Body::from_stream(stream::iter(pieces)))
        .await;
    assert_eq!(answer.verdict(), (400, "invalid_json".to_owned()));
}

#[tokio::test]
async fn an_idempotency_key_gives_the_first_answer_again() {
    let service = Service::start(&[]).await;
    let post = async |key: &str, body: String, query: &str| {
        let request = service
            .request("POST", &format!("/api_v1/sms/import{query}"))
            .header("content-type", "application/json")
            .header("idempotency-key", key);
        service.ask(request, body).await
    };
    for body in [array(&[record("A1")]), "[1]".to_owned()] {
        let key = &body.len().to_string();
        let first = post(key, body.clone(), "").await;
        let again = post(key, body.clone(), "?on_error=accept_valid").await;
        assert_eq!((again.status, &again.bytes), (first.status, &first.bytes));
        assert_eq!(first.header("idempotent-replayed"), "");
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(again.header("location"), first.header("location"));
        assert_eq!(again.header("content-type"), first.header("content-type"));
        assert_ne!(again.header("x-request-id"), first.header("x-request-id"));
        let reused = (422, "idempotency_key_reused".to_owned());
        assert_eq!(post(key, format!("{body} "), "").await.verdict(), reused);
        assert_eq!(
            post(key, body, "?on_error=reject_all").await.verdict(),
            reused
        );
    }
    assert_eq!(
        service.get("/api_v1/sms/import").await.json()["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn a_key_whose_body_was_broken_is_free_again() {
    let service = Service::start(&[]).await;
    let request = || service.import().header("idempotency-key", "k");
    assert_eq!(service.ask(request(), "[1").await.status, 400);
    assert_eq!(
        service.ask(request(), array(&[record("A1")])).await.status,
        202
    );
}

#[tokio::test]
async fn a_key_is_in_flight_while_its_body_comes() {
    let service = Service::start(&[]).await;
    let request = || service.import().header("idempotency-key", "k");
    let (sender, receiver) = mpsc::channel::<Result<Bytes, std::io::Error>>(1);
    let body = stream::unfold(receiver, async |mut receiver| {
        receiver.recv().await.map(|piece| (piece, receiver))
    });
    let first = service.ask(request(), Body::from_stream(body));
    let second = async {
        sender.send(Ok(Bytes::from_static(b"["))).await.unwrap();
        // The second piece is taken once the first was, and the key is reserved before that.
        sender.send(Ok(Bytes::from(record("A1")))).await.unwrap();
        let answer = service.ask(request(), "[]").await;
        sender.send(Ok(Bytes::from_static(b"]"))).await.unwrap();
        drop(sender);
        answer
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!(second.verdict(), (409, "idempotency_in_flight".to_owned()));
    assert_eq!(second.header("retry-after"), "1");
    assert_eq!(first.status, 202);
}

#[tokio::test]
async fn a_caller_who_goes_away_leaves_nothing() {
    let service = Service::start(&[]).await;
    let request = || service.import().header("idempotency-key", "k");
    let body = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
    let waiting = service.ask(request(), body);
    assert!(
        tokio::time::timeout(std::time::Duration::from_millis(300), waiting)
            .await
            .is_err()
    );
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(5);
    loop {
        let answer = service.ask(request(), array(&[record("A1")])).await;
        if answer.status == 202 {
            break;
        }
        assert!(tokio::time::Instant::now() < deadline, "{answer:?}");
    }
}

#[tokio::test]
async fn workers_are_notified_of_an_account_and_a_lane() {
    let service = Service::start(&[]).await;
    let queue = service.backends.queue.clone();
    let (sender, mut notifications) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        queue.listen(|message| drop(sender.send(message))).await;
    });
    for (records, expected) in [(1, Lane::Small), (2_500, Lane::Bulk)] {
        let records: Vec<_> = (0..records).map(|n| record(&format!("A{n}"))).collect();
        let answer = service.ask(service.import(), array(&records)).await;
        assert_eq!(answer.json()["accepted"], records.len());
        // A large import is notified of several times: some worker is notified of all of them.
        loop {
            let message = notifications.recv().await.unwrap();
            let Notification::ImportV1 { lane, .. } = message else {
                panic!("{message:?}");
            };
            if lane == expected {
                break;
            }
        }
    }
}
