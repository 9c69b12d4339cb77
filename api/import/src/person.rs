//! The routes of all that is stored of a person.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use store::erasure::StoredPerson;
use utoipa::ToSchema;

use crate::recipient::{PHONE, phone};
use crate::{operations, schema};
use api_http::extract::DocIdPath;
use api_http::{Caller, Parameters, Problem, Result};

/// Whoever has a phone.
#[derive(Serialize, ToSchema)]
#[schema(as = People)]
pub struct PeopleBody {
    #[schema(value_type = Vec<schema::StoredPerson>)]
    items: Vec<StoredPerson>,
}

/// Export all that is stored of a person.
///
/// The recipient with all tracking fields, the import whose values stand, messages with their receipts, links, and what was seen and
/// answered through them. It is noted in the audit log.
#[utoipa::path(
    get,
    path = "/api_v1/sms/person/{docid}",
    params(("docid" = String, Path, min_length = 1, max_length = 128,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", description = "At most 128 bytes in UTF-8")),
    responses(
        (status = 200, description = "All of it", body = schema::StoredPerson),
        (status = 413, description = "`too_many_records`: more than 4 MiB, which is of no person"),
    ),
)]
pub async fn export_person(caller: Caller, DocIdPath(docid): DocIdPath) -> Result<Response> {
    let (person, permit) = operations::export_person(&caller, &docid).await?;
    Ok(permit.hold(Json(person).into_response()))
}

/// Export all that is stored of all who have a phone.
///
/// Each of them as by docid, as they are stored when this is asked.
#[utoipa::path(
    get,
    path = "/api_v1/sms/person",
    params(("phone" = String, Query, description = PHONE, pattern = "^\\+[1-9][0-9]{6,14}$", example = "+4915112345678")),
    responses(
        (status = 200, description = "All of them, perhaps nobody", body = PeopleBody),
        (status = 413, description = "`too_many_records`: more than 1,000 have it, or more than 4 MiB is stored of them"),
    ),
)]
pub async fn export_phone(caller: Caller, parameters: Parameters) -> Result<Response> {
    let phone = phone(&parameters)?;
    let phone = phone.ok_or_else(|| Problem::invalid_parameter("phone is missing"))?;
    let (items, permit) = operations::export_phone(&caller, phone).await?;
    Ok(permit.hold(Json(PeopleBody { items }).into_response()))
}
