//! Spreadsheets whose readers are slow.

use std::pin::pin;

use axum::http::Request;
use axum::http::request::Builder;
use domain::scope::Scopes;
use store::account::IssuedKey;

use crate::service::Service;

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// An account's recipients as a spreadsheet.
fn sheet(key: &IssuedKey) -> Builder {
    Request::builder()
        .uri("/api_v1/sms/recipient")
        .header("accept", XLSX)
        .header("x-api-key", &key.api_key)
        .header("x-secret-key", &key.secret_key)
}

#[tokio::test]
async fn a_slow_reader_of_a_spreadsheet_keeps_none_but_their_own_account_waiting() {
    let service = Service::start(&[]).await;
    let (first, mut others) = (&service.key, Vec::new());
    for name in ["two", "three"] {
        let key = service.backends.store.create_key(name, None, Scopes::ALL);
        others.push(key.await.unwrap());
    }
    // As many as are made at once. Nobody reads them yet.
    let unread = service.open(sheet(first)).await;
    assert_eq!(unread.status(), 200);
    let of_second = service.open(sheet(&others[0])).await;
    assert_eq!(of_second.status(), 200);
    let mut next_of_first = pin!(service.open(sheet(first)));
    let of_third = tokio::select! {
        biased;
        _ = &mut next_of_first => panic!("an account has two at once"),
        of_third = service.open(sheet(&others[1])) => of_third,
    };
    assert_eq!(of_third.status(), 200);
    drop(unread);
    assert_eq!(next_of_first.await.status(), 200);
}
