//! The routes of accepted batches: what became of them, their record errors, cancelling them, retrying what was parked.

use axum::Json;
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::{DateTime, Utc};
use serde::Serialize;
use store::import::Batch;
use utoipa::ToSchema;

use crate::operations::{self, find_batch};
use crate::{SCOPE, schema};
use api_http::accept::Kind;
use api_http::deadline::soon;
use api_http::{Caller, List, Page, PathId, Result, lines};

/// Members of record errors as CSV.
const COLUMNS: &str = "index,docid,pointer,code,detail";

/// A batch, and how fast it is stored.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchBody {
    #[serde(flatten)]
    #[schema(value_type = schema::Batch)]
    pub batch: Batch,
    /// Stored since the start; null before it.
    #[schema(required = true)]
    pub records_per_second: Option<f64>,
    /// For what is pending at that rate; null where nothing is, or there is no rate yet.
    #[schema(required = true)]
    pub eta_seconds: Option<f64>,
}

impl BatchBody {
    pub(crate) fn new(batch: Batch, now: DateTime<Utc>) -> Self {
        let of = &batch.outcomes;
        let stored = of.created + of.updated + of.unchanged + of.superseded;
        let elapsed = batch
            .started_at
            .map(|start| batch.completed_at.unwrap_or(now) - start)
            .and_then(|elapsed| elapsed.to_std().ok())
            .map(|elapsed| elapsed.as_secs_f64())
            .filter(|seconds| *seconds > 0.0);
        let records_per_second = elapsed.map(|seconds| float(stored) / seconds);
        let eta_seconds = records_per_second
            .filter(|rate| *rate > 0.0 && batch.pending > 0)
            .map(|rate| float(batch.pending) / rate);
        Self {
            batch,
            records_per_second,
            eta_seconds,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no batch has 2^53 records")]
fn float(records: i64) -> f64 {
    records as f64
}

/// List batches, newest first.
#[utoipa::path(
    get,
    path = "/api_v1/sms/import",
    params(List),
    responses((status = 200, description = "A page of batches", body = Page<BatchBody>)),
)]
pub async fn list_batches(caller: Caller, list: List) -> Result<Response> {
    let batches = operations::list_batches(&caller, list.position()?, list.limit).await?;
    let items = batches.rows.into_iter();
    let items = items.map(|body| (body.batch.batch_id, body));
    list.answer(items, batches.next)
}

/// Read a batch.
#[utoipa::path(
    get,
    path = "/api_v1/sms/import/{batch_id}",
    params(("batch_id" = Uuid, Path)),
    responses((status = 200, description = "The batch", body = BatchBody)),
)]
pub async fn read_batch(caller: Caller, PathId(batch_id): PathId) -> Result<Json<BatchBody>> {
    operations::read_batch(&caller, batch_id).await.map(Json)
}

/// Cancel what is not stored yet.
///
/// The counts are final from this answer on. Cancelling a cancelled batch changes nothing.
#[utoipa::path(
    post,
    path = "/api_v1/sms/import/{batch_id}/cancel",
    params(("batch_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The batch as it stays", body = BatchBody),
        (status = 409, description = "`batch_finished`: it is completed"),
    ),
)]
pub async fn cancel_batch(caller: Caller, PathId(batch_id): PathId) -> Result<Json<BatchBody>> {
    operations::cancel_batch(&caller, batch_id).await.map(Json)
}

/// Try parked records again.
#[utoipa::path(
    post,
    path = "/api_v1/sms/import/{batch_id}/retry",
    params(("batch_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The batch with its parked records pending again", body = BatchBody),
        (status = 409, description = "`batch_finished`: nothing is parked"),
    ),
)]
pub async fn retry_batch(caller: Caller, PathId(batch_id): PathId) -> Result<Json<BatchBody>> {
    operations::retry_batch(&caller, batch_id).await.map(Json)
}

/// List a batch's record errors.
///
/// In the order of the records. `Accept: text/csv` gives all of them at once, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/api_v1/sms/import/{batch_id}/errors",
    params(("batch_id" = Uuid, Path), List),
    responses(
        (status = 200, description = "A page of record errors, or all of them as CSV",
            content((Page<schema::RecordError> = "application/json"), (String = "text/csv"))),
    ),
)]
pub async fn list_errors(
    caller: Caller,
    PathId(batch_id): PathId,
    list: Result<List>,
    headers: HeaderMap,
) -> Result<Response> {
    let (store, account_id) = (caller.app.store.clone(), caller.account_id());
    let read = move |from: Option<i64>, (limit, _)| {
        let (store, mut at) = (store.clone(), from.unwrap_or_default());
        async move {
            let errors = store.errors(account_id, batch_id, at, limit).await?;
            Ok(errors.map(|error| {
                at += 1;
                (at, error)
            }))
        }
    };
    let answer = async {
        find_batch(&caller, batch_id).await?;
        lines::answer(&caller.app, &headers, &[Kind::Csv], &list?, COLUMNS, read).await
    };
    caller.read(SCOPE, soon(answer)).await
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use store::import::{BatchStatus, Outcomes};
    use uuid::Uuid;

    use super::*;

    fn batch(start: DateTime<Utc>) -> Batch {
        Batch {
            batch_id: Uuid::from_u128(1),
            status: BatchStatus::Processing,
            received: 110,
            accepted: 100,
            rejected: 10,
            errors_dropped: 2,
            outcomes: Outcomes {
                created: 30,
                updated: 5,
                unchanged: 4,
                superseded: 1,
                conflicted: false,
            },
            pending: 60,
            failed: 0,
            cancelled: 0,
            campaign_id: None,
            created_at: start,
            started_at: Some(start),
            completed_at: None,
        }
    }

    #[test]
    fn a_batch_has_its_members_in_the_contracts_order() {
        let start = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let body = BatchBody::new(batch(start), start + TimeDelta::seconds(4));
        insta::assert_snapshot!(serde_json::to_string(&body).unwrap(), @r#"{"batch_id":"00000000-0000-0000-0000-000000000001","status":"processing","received":110,"accepted":100,"rejected":10,"errors_dropped":2,"outcomes":{"created":30,"updated":5,"unchanged":4,"superseded":1},"pending":60,"failed":0,"cancelled":0,"created_at":"2023-11-14T22:13:20Z","started_at":"2023-11-14T22:13:20Z","completed_at":null,"records_per_second":10.0,"eta_seconds":6.0}"#);
    }

    #[test]
    fn a_rate_that_is_not_known_is_null() {
        let start = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let rates = |batch: Batch| {
            let body = BatchBody::new(batch, start);
            (body.records_per_second, body.eta_seconds)
        };
        assert_eq!(rates(batch(start)), (None, None), "no time has passed");
        assert_eq!(
            rates(batch(start + TimeDelta::seconds(1))),
            (None, None),
            "clocks differ"
        );
        assert_eq!(
            rates(Batch {
                started_at: None,
                ..batch(start)
            }),
            (None, None)
        );
        let done = Batch {
            completed_at: Some(start + TimeDelta::seconds(2)),
            pending: 0,
            ..batch(start)
        };
        assert_eq!(rates(done), (Some(20.0), None));
    }
}
