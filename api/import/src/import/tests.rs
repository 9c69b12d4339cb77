use super::*;

#[test]
fn a_replay_gives_the_first_bytes_and_place() {
    let answer = br#"{"batch_id":"b","status_url":"/api_v1/sms/import/b"}"#.to_vec();
    let first = |status, answer| FinishedImport {
        query: String::new(),
        body_hash: Vec::new(),
        status,
        answer,
    };
    let response = replay(first(202, answer));
    assert_eq!(response.status(), StatusCode::ACCEPTED);
    assert_eq!(response.headers()[LOCATION], "/api_v1/sms/import/b");
    assert_eq!(response.headers()[IDEMPOTENT_REPLAYED], "true");
    let response = replay(first(422, b"{}".to_vec()));
    assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(response.headers()[CONTENT_TYPE], error::PROBLEM_JSON);
    assert!(response.headers().get(LOCATION).is_none());
}
