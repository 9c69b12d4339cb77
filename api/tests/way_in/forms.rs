//! Forms that are large.

use std::iter;

use axum::body::Body;
use domain::form::{FormContent, FormInput};
use serde_json::json;
use store::form::{FormChange, FormEdit};
use tokio::task::yield_now;

use crate::service::Service;

/// A form of about 400 KB.
fn large() -> FormContent {
    let option = |number: usize| json!({"value": number.to_string(), "label": "x".repeat(400)});
    let options: Vec<_> = (0..100).map(option).collect();
    let field = |number: usize| json!({"key": format!("q{number}"), "type": "choices", "label": "?", "options": options});
    let fields: Vec<_> = (0..10).map(field).collect();
    let form = json!({"title": "Large", "fields": fields});
    FormContent::new(FormInput::parse(&form).unwrap()).unwrap()
}

#[tokio::test]
async fn whoever_waits_for_the_memory_of_a_large_form_has_not_read_it_yet() {
    let service = Service::start(&[]).await;
    let (store, account_id) = (&service.backends.store, service.key.account_id);
    let form = store.create_form(account_id, &large()).await.unwrap();
    let path = format!("/api_v1/form/{}", form.form_id);
    // Lists of the account that nobody reads hold its share.
    let hold = || {
        let mut permit = service.state.list_memory.permit(account_id);
        permit.grow_now_to(permit.largest()).ok().map(|()| permit)
    };
    let permits: Vec<_> = iter::from_fn(hold).collect();
    let any = permits.first().unwrap();
    let mut read = Box::pin(service.ask(service.request("GET", &path), Body::empty()));
    let waits = async {
        while !any.others_wait() {
            yield_now().await;
        }
    };
    tokio::select! {
        biased;
        answer = &mut read => panic!("it has no memory: {:?}", answer.verdict()),
        () = waits => {}
    }
    let published = store.edit_form(account_id, form.form_id, None, FormEdit::Publish);
    assert!(matches!(published.await.unwrap(), FormChange::Done(_)));
    drop(permits);
    let answer = read.await;
    assert_eq!(answer.status, 200, "{:?}", answer.verdict());
    assert_eq!(answer.json()["status"], "PUBLISHED");
}
