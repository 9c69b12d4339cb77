//! The routes of all that is stored of a person.

use axum::Json;
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
    responses((status = 200, description = "All of it", body = schema::StoredPerson)),
)]
pub async fn export_person(
    caller: Caller,
    DocIdPath(docid): DocIdPath,
) -> Result<Json<StoredPerson>> {
    operations::export_person(&caller, &docid).await.map(Json)
}

/// Export all that is stored of all who have a phone.
///
/// Each of them as by docid, as they are stored when this is asked.
#[utoipa::path(
    get,
    path = "/api_v1/sms/person",
    params(("phone" = String, Query, description = PHONE, pattern = "^\\+[1-9][0-9]{6,14}$", example = "+4915112345678")),
    responses((status = 200, description = "All of them, perhaps nobody", body = PeopleBody)),
)]
pub async fn export_phone(caller: Caller, parameters: Parameters) -> Result<Json<PeopleBody>> {
    let phone = phone(&parameters)?;
    let phone = phone.ok_or_else(|| Problem::invalid_parameter("phone is missing"))?;
    let items = operations::export_phone(&caller, phone).await?;
    Ok(Json(PeopleBody { items }))
}
