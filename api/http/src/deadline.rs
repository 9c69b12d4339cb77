//! How long a caller is kept waiting for a server that may be down.
//!
//! None of these is an `async fn`: its future would have room for the work twice, and the large ones are moved with every request.

use std::time::Duration;

use futures::FutureExt;
use futures::future::lazy;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use crate::{Problem, Result};

/// The time limit of operations of one or two queries: they answer within 2 s, if only with 503.
pub const QUICK: Duration = Duration::from_millis(1_800);
/// The time limit of operations that change a whole batch: they wait for the chunks that workers are storing.
const PATIENT: Duration = Duration::from_secs(20);

/// Limits the time of a query. One that takes longer than `limit` fails as if the database did not answer.
pub fn within<T>(
    limit: Duration,
    query: impl Future<Output = Result<T, store::Error>>,
) -> impl Future<Output = Result<T, store::Error>> {
    limited(limit, query)
        .map(|done| done.unwrap_or_else(|late| Err(store::Error::Unavailable(late.into()))))
}

/// The row that a query finds within [`QUICK`].
///
/// # Errors
/// 404; 503.
pub fn found<T>(
    query: impl Future<Output = Result<Option<T>, store::Error>>,
) -> impl Future<Output = Result<T>> {
    within(QUICK, query).map(|found| found?.ok_or_else(Problem::not_found))
}

/// Limits work to [`QUICK`].
///
/// # Errors
/// Its own, or 503.
pub fn soon<T>(work: impl Future<Output = Result<T>>) -> impl Future<Output = Result<T>> {
    answered(QUICK, work)
}

/// The same for work that may wait for workers.
///
/// # Errors
/// Its own, or 503.
pub fn patiently<T>(work: impl Future<Output = Result<T>>) -> impl Future<Output = Result<T>> {
    answered(PATIENT, work)
}

fn answered<T>(
    limit: Duration,
    work: impl Future<Output = Result<T>>,
) -> impl Future<Output = Result<T>> {
    limited(limit, work).map(move |done| {
        done.unwrap_or_else(|_| {
            tracing::warn!(limit.seconds = limit.as_secs_f64(), "gave up on a request");
            Err(Problem::unavailable())
        })
    })
}

/// The time begins when the future is first polled, not when it is made.
fn limited<F: Future>(
    limit: Duration,
    work: F,
) -> impl Future<Output = Result<F::Output, Elapsed>> {
    lazy(move |_| timeout(limit, work)).flatten()
}
