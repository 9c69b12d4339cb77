//! What becomes of changes that wait: of those of somebody who is signed out meanwhile, and of what the audit log is to have of them.

use std::sync::Arc;

use api_http::{Caller, Network};
use axum::body::Body;
use axum::http::{Extensions, HeaderMap, Request, StatusCode};
use chrono::TimeDelta;
use domain::person::{PersonName, Role};
use futures::future::join_all;
use platform::config::TrustedProxies;
use store::account::{AuditFilter, PersonChange, hash_secret, random_text};

use crate::service::{Answer, Service};

const PEOPLE: &str = "/dashboard/people";

/// An admin of the service's account who is signed in.
struct Admin<'a> {
    service: &'a Service,
    cookie: String,
    token: String,
}

impl<'a> Admin<'a> {
    async fn sign_in(service: &'a Service) -> Self {
        let store = &service.backends.store;
        let name = PersonName::parse_new("ada").unwrap();
        let added = store.add_person("one", &name, Role::Admin, ("hash", false));
        assert_eq!(added.await.unwrap(), PersonChange::Done);
        let person = store.person(&name).await.unwrap().unwrap();
        let secret = random_text();
        let (hash, life) = (hash_secret(&secret), TimeDelta::hours(1));
        let opened = store.open_session(&person, hash, life, ("", ""));
        assert!(opened.await.unwrap());
        let cookie = format!("feedback_session={secret}");
        let page = Request::get(PEOPLE).header("cookie", &cookie);
        let page = service.ask(page, Body::empty()).await;
        let page = String::from_utf8(page.bytes.to_vec()).unwrap();
        let (_, token) = page.split_once("name=\"token\" value=\"").unwrap();
        let token = token.split('"').next().unwrap().to_owned();
        Self {
            service,
            cookie,
            token,
        }
    }

    async fn post(&self, path: &str, fields: &str) -> Answer {
        let request = Request::post(path)
            .header("host", "localhost")
            .header("origin", "http://localhost")
            .header("cookie", &self.cookie)
            .header("content-type", "application/x-www-form-urlencoded");
        let body = format!("token={}{fields}", self.token);
        self.service.ask(request, body).await
    }
}

#[tokio::test]
async fn who_is_signed_out_while_their_new_people_wait_for_a_password_adds_no_more() {
    let service = Service::start(&[]).await;
    let admin = &Admin::sign_in(&service).await;
    // Their passwords are hashed one after the other.
    let adds = (0..20).map(|number| async move {
        let fields = format!("&name=eve{number}&password=staple+battery&role=admin");
        admin.post(PEOPLE, &fields).await
    });
    let (added, out) = tokio::join!(join_all(adds), admin.post("/dashboard/sign-out", ""));
    assert_eq!(out.status, StatusCode::SEE_OTHER);
    let last = added.last().unwrap();
    assert_eq!(last.status, StatusCode::SEE_OTHER);
    assert_eq!(last.header("location"), "/dashboard/sign-in");
    let store = &service.backends.store;
    let last = PersonName::parse_new("eve19").unwrap();
    assert!(store.person(&last).await.unwrap().is_none());
}

#[tokio::test]
async fn what_a_change_came_to_is_noted_however_long_others_write() {
    let service = Service::start(&[]).await;
    let (store, account_id) = (&service.backends.store, service.key.account_id);
    let key = store.find_key(&service.key.api_key).await.unwrap().unwrap();
    let from = (Extensions::new(), HeaderMap::new());
    let network = Network::of(&from.0, &from.1, &TrustedProxies::default());
    let request = Request::new(Body::empty());
    let caller = Caller::key(service.state.clone(), Arc::new(key), network, &request);
    let noted = caller.note("setting.replace", "").await.unwrap();
    // The database has one writer.
    let writes = store.begin().await.unwrap();
    noted.record_status(StatusCode::OK).await;
    writes.rollback().await.unwrap();
    service.state.tasks.close();
    service.state.tasks.wait().await;
    let filter = AuditFilter::default();
    let log = store.audit(account_id, &filter, None, 10).await.unwrap();
    let rows: Vec<_> = log
        .rows
        .iter()
        .map(|row| (row.action.as_str(), row.status))
        .collect();
    assert_eq!(rows, [("setting.replace", Some(200))]);
}
