//! Reports and lists of feedbacks, as far as they need no worker: what is stored is listed and counted at once.

use chrono::{DateTime, TimeDelta, Utc};
use domain::answer::Answers;
use domain::form::{FormContent, FormInput};
use domain::link::{Token, TrackFields};
use serde_json::{Value, json};
use store::collect::NewAnswer;
use store::form::{FormChange, FormEdit, NewLink, PublicLink};
use uuid::Uuid;

use crate::service::{Answer, Service};

const DAY: &str = "2026-03-01/2026-03-01";

/// A published form with a link of each business property, `n:a` and `n:b/ü`, and one of none.
async fn form(service: &Service) -> (Uuid, Vec<PublicLink>) {
    let draft = json!({"title": "T", "bus_props": ["n:a", "n:b/ü"], "fields": [
        {"key": "nps", "type": "nps", "label": "?", "required": false},
        {"key": "why", "type": "comment", "label": "Why?", "required": false},
    ]});
    let content = FormContent::new(FormInput::parse(&draft).unwrap()).unwrap();
    let store = &service.backends.store;
    let account_id = service.key.account_id;
    let form = store.create_form(account_id, &content).await.unwrap();
    let published = store
        .edit_form(account_id, form.form_id, None, FormEdit::Publish)
        .await;
    assert!(matches!(published.unwrap(), FormChange::Done(_)));
    let mut links = Vec::new();
    for ids in ["1", "2", ""] {
        let mut track_fields = TrackFields::default();
        track_fields.push(&format!("ids=={ids}&")).unwrap();
        let link = NewLink {
            account_id,
            form_id: form.form_id,
            token: Token::new(Uuid::new_v4().into_bytes()),
            bus_prop_ids: ids.parse().unwrap(),
            track_fields,
            expires_at: None,
            max_responses: None,
            name: None,
            kiosk: false,
            is_test: false,
            made_by: None,
            made_from: None,
        };
        store.create_link(&link).await.unwrap();
        links.push(
            store
                .stored_link(&link.token)
                .await
                .unwrap()
                .unwrap()
                .read()
                .unwrap(),
        );
    }
    (form.form_id, links)
}

/// The `n`th answer, that many milliseconds into 1 March.
fn answer(link: &PublicLink, n: usize, answers: &Value) -> NewAnswer {
    let begin: DateTime<Utc> = "2026-03-01T00:00:00Z".parse().unwrap();
    let at = begin + TimeDelta::milliseconds(i64::try_from(n).unwrap());
    let answers = Answers::from_json(&link.content, answers).unwrap();
    NewAnswer::new(link, Uuid::now_v7(), at, &answers)
}

async fn lines(service: &Service, path: &str, kind: &str) -> Answer {
    let request = service.request("GET", path).header("accept", kind);
    service.ask(request, "").await
}

#[tokio::test]
async fn pages_and_streams_list_every_feedback_once_and_newest_first() {
    let service = Service::start(&[]).await;
    let (form_id, links) = form(&service).await;
    // More than a stream reads at once, twice.
    let count = 4_500;
    let answers: Vec<_> = (0..count)
        .map(|n| {
            answer(
                &links[n % 3],
                n,
                &json!({"nps": n % 11, "why": format!("={n}")}),
            )
        })
        .collect();
    for some in answers.chunks(200) {
        service.backends.store.record_answers(some).await.unwrap();
    }
    let path = format!("/api_v1/report/feedbacks/{DAY}/{form_id}");
    let mut next = Some(format!("{path}?limit=1000"));
    let mut paged = Vec::new();
    while let Some(page) = next {
        let answer = service.get(&page).await;
        let body = answer.json();
        assert_eq!(body["total"], count);
        paged.extend(body["items"].as_array().unwrap().clone());
        let link = answer.header("link").split(['<', '>']).nth(1);
        assert_eq!(link.is_some(), body["next_cursor"].is_string());
        next = link.map(str::to_owned);
    }
    let comments: Vec<_> = paged.iter().map(|item| item["comment"].as_str()).collect();
    let expected: Vec<_> = (0..count).rev().map(|n| format!("={n}")).collect();
    assert_eq!(
        comments,
        expected
            .iter()
            .map(|text| Some(text.as_str()))
            .collect::<Vec<_>>()
    );

    let ndjson = lines(&service, &path, "application/x-ndjson").await;
    let streamed: Vec<Value> = ndjson
        .bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(streamed, paged);

    let csv = lines(&service, &format!("{path}/n:b%2F%C3%BC"), "text/csv").await;
    assert_eq!(
        (csv.header("vary"), csv.header("cache-status")),
        ("accept", "feedback; fwd=miss")
    );
    let mut reader = csv::Reader::from_reader(csv.bytes.as_ref());
    assert_eq!(
        reader.headers().unwrap().iter().collect::<Vec<_>>(),
        [
            "feedback_id",
            "submitted_at",
            "bus_props",
            "track_fields",
            "nps",
            "why"
        ]
    );
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), count / 3);
    assert!(
        rows.iter()
            .all(|row| row[2] == *r#"["n:b/ü"]"# && row[5].starts_with("'="))
    );
}

#[tokio::test]
async fn a_list_is_narrowed_by_bus_prop_comment_and_track_field() {
    let service = Service::start(&[]).await;
    let (form_id, links) = form(&service).await;
    let given = [
        json!({"nps": 1}),
        json!({"why": "x"}),
        json!({"nps": 2, "why": "y"}),
    ];
    let answers: Vec<_> = given
        .iter()
        .enumerate()
        .map(|(n, given)| answer(&links[n], n, given))
        .collect();
    service
        .backends
        .store
        .record_answers(&answers)
        .await
        .unwrap();
    let total = async |path: String| {
        let answer = service
            .get(&format!("/api_v1/report/feedbacks/{path}"))
            .await;
        let body = answer.json();
        assert_eq!(
            body["items"].as_array().map(Vec::len),
            body["total"].as_u64().and_then(|n| n.try_into().ok())
        );
        body["total"].as_i64().unwrap()
    };
    assert_eq!(total(format!("{DAY}/{form_id}")).await, 3);
    assert_eq!(total(format!("{DAY}/{form_id}/")).await, 3);
    assert_eq!(total(format!("{DAY}/{form_id}/n%3Aa")).await, 1);
    assert_eq!(total(format!("comment/{DAY}/{form_id}")).await, 2);
    assert_eq!(total(format!("comment/{DAY}/{form_id}/n:a")).await, 0);
    assert_eq!(
        total(format!("{DAY}/{form_id}?track_field=ids%3D%3D2%26")).await,
        1
    );
    assert_eq!(total(format!("{DAY}/{form_id}?track_field=ids=2")).await, 0);
    assert_eq!(total(format!("2026-02-28/2026-02-28/{form_id}")).await, 0);
}

#[tokio::test]
async fn a_cursor_belongs_to_its_list() {
    let service = Service::start(&[]).await;
    let (form_id, links) = form(&service).await;
    let answers: Vec<_> = (0..3)
        .map(|n| answer(&links[0], n, &json!({"why": "x"})))
        .collect();
    service
        .backends
        .store
        .record_answers(&answers)
        .await
        .unwrap();
    let list = format!("/api_v1/report/feedbacks/{DAY}/{form_id}");
    let body = service.get(&format!("{list}?limit=2")).await.json();
    let cursor = body["next_cursor"].as_str().unwrap().to_owned();
    let rest = service
        .get(&format!("{list}?limit=1&cursor={cursor}"))
        .await;
    assert_eq!(rest.json()["items"].as_array().unwrap().len(), 1);
    for other in [
        format!("{list}/n:a?cursor={cursor}"),
        format!("{list}?track_field=ids=1&cursor={cursor}"),
        format!("/api_v1/report/feedbacks/comment/{DAY}/{form_id}?cursor={cursor}"),
        format!("/api_v1/report/feedbacks/2026-03-01/2026-03-02/{form_id}?cursor={cursor}"),
    ] {
        let verdict = service.get(&other).await.verdict();
        assert_eq!(verdict, (400, "invalid_parameter".to_owned()), "{other}");
    }
    let streamed = lines(&service, &format!("{list}?cursor={cursor}"), "text/csv").await;
    assert_eq!(streamed.status, 400);
}

#[tokio::test]
async fn a_report_is_kept_and_told_by_its_tag() {
    let service = Service::start(&[]).await;
    let (form_id, _) = form(&service).await;
    for path in [
        format!("overview/{DAY}"),
        format!("form/{form_id}/{DAY}"),
        format!("summary/{DAY}/{form_id}/n:a"),
        format!("feedbacks/{DAY}/{form_id}"),
    ] {
        let path = format!("/api_v1/report/{path}");
        let first = service.get(&path).await;
        assert_eq!(first.status, 200, "{path}");
        assert_eq!(first.header("cache-control"), "private, no-cache");
        let again = service.get(&path).await;
        assert_eq!(
            (&again.bytes, again.header("etag")),
            (&first.bytes, first.header("etag"))
        );
        let weak = format!("W/{}", first.header("etag"));
        let request = service.request("GET", &path).header("if-none-match", weak);
        let unchanged = service.ask(request, "").await;
        assert_eq!(
            (unchanged.status.as_u16(), unchanged.bytes.len()),
            (304, 0),
            "{path}"
        );
        assert_eq!(unchanged.header("etag"), first.header("etag"));
        assert!(!unchanged.header("cache-status").is_empty());
    }
}

#[tokio::test]
async fn the_form_is_looked_for_before_the_rest_is_judged() {
    let service = Service::start(&[]).await;
    let (form_id, _) = form(&service).await;
    let nobody = Uuid::nil();
    for (path, status) in [
        (format!("form/{nobody}/2026-02-30/2026-03-01"), 404),
        (format!("form/{form_id}/2026-02-30/2026-03-01"), 400),
        (format!("summary/{DAY}/{nobody}/no-colon"), 404),
        (format!("summary/{DAY}/{form_id}/no-colon"), 400),
        (format!("summary/{DAY}/{form_id}/n:c"), 400),
        (format!("feedbacks/{DAY}/{nobody}?limit=0"), 404),
        (format!("feedbacks/{DAY}/{form_id}?limit=0"), 400),
        (format!("feedbacks/comment/{DAY}/no-uuid"), 400),
        (format!("form/{form_id}/2999-01-01/2999-12-31"), 200),
    ] {
        let answer = service.get(&format!("/api_v1/report/{path}")).await;
        assert_eq!(answer.status.as_u16(), status, "{path}");
    }
}

#[tokio::test]
async fn an_erased_feedback_leaves_the_lists() {
    let service = Service::start(&[]).await;
    let (form_id, links) = form(&service).await;
    let stored = answer(&links[0], 0, &json!({"why": "x"}));
    service
        .backends
        .store
        .record_answers(&[stored])
        .await
        .unwrap();
    let list = format!("/api_v1/report/feedbacks/{DAY}/{form_id}");
    let body = service.get(&list).await.json();
    let id = body["items"][0]["feedback_id"].as_str().unwrap();
    let path = format!("/api_v1/feedback/{id}");
    for status in [204, 404] {
        let answer = service.ask(service.request("DELETE", &path), "").await;
        assert_eq!(answer.status.as_u16(), status);
    }
    assert_eq!(service.get(&list).await.json()["total"], 0);
}
