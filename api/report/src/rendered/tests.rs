use std::convert::Infallible;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use axum::http::header::IF_NONE_MATCH;
use tokio::time::advance;

use uuid::Uuid;

use super::*;

/// Data with a version, and how often it was asked for.
#[derive(Default)]
struct Data {
    epoch: AtomicI64,
    number: AtomicI64,
    checks: AtomicUsize,
    renders: AtomicUsize,
}

impl Data {
    fn version(&self) -> Version {
        Version {
            epoch: self.epoch.load(Ordering::SeqCst),
            number: self.number.load(Ordering::SeqCst),
        }
    }

    fn grows_to(&self, number: i64) {
        self.number.store(number, Ordering::SeqCst);
    }

    async fn check(&self) -> Result<Option<Version>, Infallible> {
        self.checks.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        Ok(Some(self.version()))
    }

    async fn render(&self) -> Result<(Rendered, Source), Infallible> {
        self.renders.fetch_add(1, Ordering::SeqCst);
        let version = self.version();
        tokio::task::yield_now().await;
        let body = format!("{}.{}", version.epoch, version.number);
        Ok((Rendered::new(version, body), Source::Database))
    }

    /// Checks and renders so far.
    fn work(&self) -> (usize, usize) {
        (
            self.checks.load(Ordering::SeqCst),
            self.renders.load(Ordering::SeqCst),
        )
    }
}

const ACCOUNT: Uuid = Uuid::from_u128(1);

async fn ask_having(reports: &RenderedReports, data: &Data, tag: &str) -> (String, Source) {
    let mut headers = HeaderMap::new();
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(IF_NONE_MATCH, tag);
    }
    let key = Key::new(ACCOUNT, "/r");
    let served = reports
        .get(key, Seen::new(&headers), || data.check(), || data.render())
        .await
        .unwrap();
    let body = String::from_utf8(served.rendered.body.to_vec()).unwrap();
    (body, served.source)
}

async fn ask(reports: &RenderedReports, data: &Data) -> String {
    ask_having(reports, data, "").await.0
}

#[tokio::test(start_paused = true)]
async fn a_copy_is_believed_then_checked_then_made_anew() {
    let (reports, data) = (RenderedReports::new(), Data::default());
    let first = ask_having(&reports, &data, "").await;
    assert_eq!(first, ("0.0".to_owned(), Source::Database));
    data.grows_to(1);
    advance(DUE.saturating_sub(Duration::from_millis(1))).await;
    let again = ask_having(&reports, &data, "").await;
    assert_eq!(again, ("0.0".to_owned(), Source::Cache));
    assert_eq!(data.work(), (0, 1));
    advance(Duration::from_millis(1)).await;
    assert_eq!(ask(&reports, &data).await, "0.1");
    assert_eq!(data.work(), (1, 2));
    advance(BELIEVED).await;
    assert_eq!(ask(&reports, &data).await, "0.1");
    assert_eq!(ask(&reports, &data).await, "0.1");
    assert_eq!(data.work(), (2, 2), "found right, and believed again");
}

#[tokio::test(start_paused = true)]
async fn one_looks_for_all_who_ask_at_once() {
    let (reports, data) = (RenderedReports::new(), Data::default());
    let all = async || futures::future::join_all((0..50).map(|_| ask(&reports, &data))).await;
    assert_eq!(all().await, vec!["0.0"; 50]);
    assert_eq!(data.work(), (0, 1));
    advance(BELIEVED).await;
    data.grows_to(3);
    assert_eq!(all().await, vec!["0.3"; 50]);
    assert_eq!(data.work(), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a_copy_that_is_due_is_checked_by_one_while_others_are_answered_with_it() {
    let (reports, data) = (RenderedReports::new(), Data::default());
    ask(&reports, &data).await;
    advance(DUE).await;
    data.grows_to(1);
    let mut answers = futures::future::join_all((0..50).map(|_| ask(&reports, &data))).await;
    assert_eq!(answers.remove(0), "0.1");
    assert_eq!(answers, vec!["0.0"; 49]);
    assert_eq!(data.work(), (1, 2));
    // One who went to check and never came back: the others go when it is stale.
    advance(DUE).await;
    data.grows_to(2);
    let headers = HeaderMap::new();
    let never = || std::future::pending::<Result<Option<Version>, Infallible>>();
    let gone = reports.get(Key::new(ACCOUNT, "/r"), Seen::new(&headers), never, || {
        data.render()
    });
    assert!(futures::poll!(Box::pin(gone)).is_pending());
    assert_eq!(ask(&reports, &data).await, "0.1");
    advance(BELIEVED.saturating_sub(DUE)).await;
    assert_eq!(ask(&reports, &data).await, "0.2");
}

#[tokio::test(start_paused = true)]
async fn whoever_has_seen_more_is_not_answered_unchecked() {
    let (reports, data) = (RenderedReports::new(), Data::default());
    ask(&reports, &data).await;
    data.grows_to(5);
    assert_eq!(ask_having(&reports, &data, "\"0.0.x\"").await.0, "0.0");
    assert_eq!(ask_having(&reports, &data, "\"0.5.x\"").await.0, "0.5");
    assert_eq!(data.work(), (1, 2));
    // A forged one costs a check each time, no more.
    assert_eq!(ask_having(&reports, &data, "\"0.9.x\"").await.0, "0.5");
    assert_eq!(ask_having(&reports, &data, "\"7.0.x\"").await.0, "0.5");
    assert_eq!(data.work(), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn what_is_older_than_the_copy_is_discarded_but_another_epoch_is_not() {
    let (reports, data) = (RenderedReports::new(), Data::default());
    data.grows_to(9);
    ask(&reports, &data).await;
    advance(BELIEVED).await;
    data.grows_to(4);
    assert_eq!(ask(&reports, &data).await, "0.9");
    data.epoch.store(1, Ordering::SeqCst);
    advance(BELIEVED).await;
    assert_eq!(ask(&reports, &data).await, "1.4");
    let slot = Slot::default();
    let made = |number| Arc::new(Rendered::new(Version { epoch: 1, number }, "x"));
    let began = Instant::now();
    assert_eq!(slot.keep(made(2), began).version.number, 2);
    assert_eq!(slot.keep(made(1), began).version.number, 2);
    assert_eq!(slot.keep(made(3), began).version.number, 3);
}

#[tokio::test(start_paused = true)]
async fn whoever_gives_up_leaves_the_work_to_the_next() {
    let (reports, data) = (RenderedReports::new(), Data::default());
    let headers = HeaderMap::new();
    let key = || Key::new(ACCOUNT, "/r");
    let never = std::future::pending::<Result<(Rendered, Source), Infallible>>();
    let stuck = reports.get(key(), Seen::new(&headers), || data.check(), || never);
    let limit = tokio::time::timeout(Duration::from_secs(1), stuck);
    let (gave_up, answer) = tokio::join!(limit, ask(&reports, &data));
    assert!(gave_up.is_err());
    assert_eq!(answer, "0.0");
}

#[tokio::test(start_paused = true)]
async fn a_failure_leaves_the_copy_and_the_next_one_tries() {
    let (reports, data) = (RenderedReports::new(), Data::default());
    ask(&reports, &data).await;
    advance(BELIEVED).await;
    let headers = HeaderMap::new();
    let failed = reports
        .get(
            Key::new(ACCOUNT, "/r"),
            Seen::new(&headers),
            async || Err("down"),
            async || Err("down"),
        )
        .await;
    assert_eq!(failed.unwrap_err(), "down");
    assert_eq!(ask(&reports, &data).await, "0.0");
    assert_eq!(data.work(), (1, 1));
}
