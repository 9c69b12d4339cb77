use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use axum::http::HeaderMap;
use axum::http::header::IF_NONE_MATCH;
use futures::future::join_all;
use tokio::time::advance;

use super::*;
use api_http::Result;

/// Data with a version, and how often it was requested.
#[derive(Default)]
struct Data {
    number: AtomicI64,
    stamp: AtomicI64,
    checks: AtomicUsize,
    renders: AtomicUsize,
}

impl Data {
    fn version(&self) -> Version {
        Version {
            number: self.number.load(Ordering::SeqCst),
            stamp: self.stamp.load(Ordering::SeqCst),
        }
    }

    fn becomes(&self, number: i64, stamp: i64) {
        self.number.store(number, Ordering::SeqCst);
        self.stamp.store(stamp, Ordering::SeqCst);
    }

    async fn check(&self) -> Result<Option<Version>> {
        self.checks.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        Ok(Some(self.version()))
    }

    async fn render(&self) -> Result<(Rendered, ReportSource)> {
        self.renders.fetch_add(1, Ordering::SeqCst);
        let version = self.version();
        tokio::task::yield_now().await;
        let body = format!("{}.{}", version.number, version.stamp);
        Ok((Rendered::new(version, body), ReportSource::Database))
    }

    /// Checks and renderings so far.
    fn work(&self) -> (usize, usize) {
        (
            self.checks.load(Ordering::SeqCst),
            self.renders.load(Ordering::SeqCst),
        )
    }
}

fn key() -> ReportKey {
    let range = DateRange::parse("2026-01-01", "2026-01-02").unwrap();
    ReportKey::Overview(Uuid::from_u128(1), range)
}

async fn ask_having(reports: &RenderedReports, data: &Data, tag: &str) -> (String, ReportSource) {
    let mut headers = HeaderMap::new();
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(IF_NONE_MATCH, tag);
    }
    let known = IfNoneMatch(&headers);
    let served = reports.get(key(), known, || data.check(), || data.render());
    let (rendered, source) = served.await.unwrap();
    (String::from_utf8(rendered.body.to_vec()).unwrap(), source)
}

async fn ask(reports: &RenderedReports, data: &Data) -> String {
    ask_having(reports, data, "").await.0
}

#[tokio::test(start_paused = true)]
async fn a_report_is_fresh_then_checked_then_rendered_anew() {
    let (reports, data) = (RenderedReports::new(1 << 20), Data::default());
    let first = ask_having(&reports, &data, "").await;
    assert_eq!(first, ("0.0".to_owned(), ReportSource::Database));
    data.becomes(1, 5);
    advance(REVALIDATE_AFTER.saturating_sub(Duration::from_millis(1))).await;
    let again = ask_having(&reports, &data, "").await;
    assert_eq!(again, ("0.0".to_owned(), ReportSource::Cache));
    assert_eq!(data.work(), (0, 1));
    advance(Duration::from_millis(1)).await;
    assert_eq!(ask(&reports, &data).await, "1.5");
    assert_eq!(data.work(), (1, 2));
    advance(MAX_AGE).await;
    assert_eq!(ask(&reports, &data).await, "1.5");
    assert_eq!(ask(&reports, &data).await, "1.5");
    assert_eq!(data.work(), (2, 2), "found right, and fresh again");
}

#[tokio::test(start_paused = true)]
async fn one_looks_for_all_who_ask_at_once() {
    let (reports, data) = (RenderedReports::new(1 << 20), Data::default());
    let all = async || join_all((0..50).map(|_| ask(&reports, &data))).await;
    assert_eq!(all().await, vec!["0.0"; 50]);
    assert_eq!(data.work(), (0, 1));
    advance(MAX_AGE).await;
    data.becomes(3, 0);
    assert_eq!(all().await, vec!["3.0"; 50]);
    assert_eq!(data.work(), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn one_checks_a_report_that_is_soon_stale_while_the_others_are_answered() {
    let (reports, data) = (RenderedReports::new(1 << 20), Data::default());
    ask(&reports, &data).await;
    advance(REVALIDATE_AFTER).await;
    data.becomes(1, 0);
    let mut answers = join_all((0..50).map(|_| ask(&reports, &data))).await;
    assert_eq!(answers.remove(0), "1.0");
    assert_eq!(answers, vec!["0.0"; 49]);
    assert_eq!(data.work(), (1, 2));
    // One who went to check and never comes back: the others wait once it is stale, and go when the caller gives up.
    advance(REVALIDATE_AFTER).await;
    data.becomes(2, 0);
    let headers = HeaderMap::new();
    let never = || std::future::pending::<Result<Option<Version>>>();
    let known = IfNoneMatch(&headers);
    let mut stuck = Box::pin(reports.get(key(), known, never, || data.render()));
    assert!(futures::poll!(&mut stuck).is_pending());
    assert_eq!(ask(&reports, &data).await, "1.0");
    advance(MAX_AGE.saturating_sub(REVALIDATE_AFTER)).await;
    let mut waiting = Box::pin(ask(&reports, &data));
    assert!(futures::poll!(&mut waiting).is_pending());
    drop(stuck);
    assert_eq!(waiting.await, "2.0");
}

#[tokio::test(start_paused = true)]
async fn whoever_has_seen_more_is_not_answered_unchecked() {
    let (reports, data) = (RenderedReports::new(1 << 20), Data::default());
    ask(&reports, &data).await;
    data.becomes(5, 1);
    assert_eq!(ask_having(&reports, &data, "\"1.0.0\"").await.0, "0.0");
    assert_eq!(ask_having(&reports, &data, "\"1.5.1\"").await.0, "5.1");
    assert_eq!(data.work(), (1, 2));
    // A forged one costs a check each time, no more.
    assert_eq!(ask_having(&reports, &data, "\"1.9.0\"").await.0, "5.1");
    assert_eq!(ask_having(&reports, &data, "\"1.5.7\"").await.0, "5.1");
    assert_eq!(data.work(), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn a_database_that_lost_commits_is_reported_as_it_is() {
    let (reports, data) = (RenderedReports::new(1 << 20), Data::default());
    data.becomes(9, 1);
    ask(&reports, &data).await;
    for (number, stamp, body) in [(9, 2, "9.2"), (4, 3, "4.3"), (9, 1, "9.1")] {
        advance(MAX_AGE).await;
        data.becomes(number, stamp);
        assert_eq!(ask(&reports, &data).await, body);
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_gives_up_leaves_the_work_to_the_next() {
    let (reports, data) = (RenderedReports::new(1 << 20), Data::default());
    let headers = HeaderMap::new();
    let known = IfNoneMatch(&headers);
    let never = std::future::pending::<Result<(Rendered, ReportSource)>>();
    let stuck = reports.get(key(), known, || data.check(), || never);
    let limit = tokio::time::timeout(Duration::from_secs(1), stuck);
    let (gave_up, answer) = tokio::join!(limit, ask(&reports, &data));
    assert!(gave_up.is_err());
    assert_eq!(answer, "0.0");
}

#[tokio::test(start_paused = true)]
async fn a_failure_leaves_the_report_and_the_next_one_tries() {
    let (reports, data) = (RenderedReports::new(1 << 20), Data::default());
    ask(&reports, &data).await;
    advance(MAX_AGE).await;
    let headers = HeaderMap::new();
    let down = async || Err(Problem::not_found());
    let known = IfNoneMatch(&headers);
    let failed = reports.get(key(), known, down, async || Err(Problem::not_found()));
    failed.await.unwrap_err();
    assert_eq!(ask(&reports, &data).await, "0.0");
    assert_eq!(data.work(), (1, 1));
}
