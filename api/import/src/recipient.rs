//! The routes of recipients: listed, read one by one, and erased for good.

use std::sync::Arc;

use api_language::of_request;
use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::date_range::parse_time;
use domain::docid::DocId;
use domain::invalid::NotValid;
use domain::phone::PhoneNumber;
use domain::record::MAX_FIELDS;
use store::import::{Recipient, RecipientQuery};

use crate::SCOPE;
use crate::operations::{self, EXPORT_RECIPIENTS, recipient_page};
use crate::schema::RecipientBody;
use crate::sheets::{RECIPIENT_COLUMNS, recipient_sheet};
use api_http::accept::{Kind, negotiate};
use api_http::extract::DocIdPath;
use api_http::{Caller, List, Page, Parameters, Problem, Result, lines, parse_id};

pub(crate) const PHONE: &str = "Those who have this phone, whose `+` is written `%2B`. Each recipient is looked at, as no index has phones";

/// List recipients, in the order of their docids.
///
/// `Accept: text/csv`, `application/x-ndjson` or that of XLSX gives all of them at once, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/api_v1/sms/recipient",
    params(
        ("batch_id" = Option<Uuid>, Query, description = "Those whose values came with this batch"),
        ("field" = Option<Vec<String>>, Query, style = Form, explode, description = "Those that have this tracking field, \
            `<name>=<value>`; repeated, all of them", pattern = "^[^=\\u0000-\\u001f\\u007f-\\u009f]+=[^\\u0000]*$", max_items = 64),
        ("docid_prefix" = Option<String>, Query, description = "Those whose docid begins with this", min_length = 1,
            max_length = 128, pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"),
        ("phone" = Option<String>, Query, description = PHONE, pattern = "^\\+[1-9][0-9]{6,14}$", example = "+4915112345678"),
        ("created_from" = Option<String>, Query, format = DateTime, pattern = "Z$", description = "Those created then or later"),
        ("created_to" = Option<String>, Query, format = DateTime, pattern = "Z$", description = "Those created then or before"),
        List,
    ),
    responses(
        (status = 200, description = lines::page_or_all("recipients (`phone` is masked but for three digits)", "a column a member, `fields` as one JSON cell"),
            content((Page<RecipientBody> = "application/json"), (String = "text/csv"), (String = "application/x-ndjson"),
                (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))),
    ),
)]
pub async fn list_recipients(
    caller: Caller,
    list: List,
    parameters: Parameters,
    headers: HeaderMap,
) -> Result<Response> {
    let query = Arc::new(recipient_query(&parameters)?);
    let (store, account_id) = (caller.app.store.clone(), caller.account_id());
    let read = move |after, size| {
        let (store, query) = (store.clone(), Arc::clone(&query));
        async move { recipient_page(&store, account_id, &query, after, size).await }
    };
    let kinds = [Kind::Csv, Kind::Ndjson, Kind::Xlsx];
    let sheet = || recipient_sheet(of_request(&headers), caller.time_zone());
    let columns = &RECIPIENT_COLUMNS;
    let answer = lines::answer(&caller.app, &headers, &kinds, &list, columns, sheet, read);
    let kind = negotiate(&headers, &kinds);
    caller
        .export((SCOPE, kind), EXPORT_RECIPIENTS, "", answer)
        .await
}

fn recipient_query(parameters: &Parameters) -> Result<RecipientQuery> {
    let mut query = RecipientQuery::default();
    if let Some(text) = parameters.one("batch_id")? {
        query.batch_ids = Some(vec![parse_id("batch_id", text)?]);
    }
    if let Some(text) = parameters.one("docid_prefix")? {
        DocId::parse(text).map_err(|fault| invalid("docid_prefix", &fault))?;
        text.clone_into(&mut query.docid_prefix);
    }
    query.phone = phone(parameters)?.map(|phone| phone.get().to_owned());
    let time = |name| {
        let time = parameters.one(name)?.map(parse_time).transpose();
        time.map_err(|fault| Problem::invalid_parameter(format!("{name} {fault}")))
    };
    (query.created_from, query.created_to) = (time("created_from")?, time("created_to")?);
    if query
        .created_from
        .zip(query.created_to)
        .is_some_and(|(from, to)| from > to)
    {
        return Err(Problem::invalid_parameter(
            "created_to is before created_from",
        ));
    }
    for text in parameters.all("field") {
        let field = text.split_once('=').filter(|(name, value)| {
            !name.is_empty() && !name.contains(char::is_control) && !value.contains('\0')
        });
        let wrong = || Problem::invalid_parameter("field is not a name, `=` and a value");
        let (name, value) = field.ok_or_else(wrong)?;
        let before = query.fields.insert(name.to_owned(), value.to_owned());
        if before.is_some_and(|before| before != value) {
            return Err(Problem::invalid_parameter(
                "field names a tracking field twice",
            ));
        }
    }
    if parameters.all("field").count() > MAX_FIELDS {
        return Err(Problem::invalid_parameter("field is given too often"));
    }
    Ok(query)
}

/// The parameter `phone`.
pub(crate) fn phone(parameters: &Parameters) -> Result<Option<PhoneNumber<'_>>> {
    let phone = parameters.one("phone")?.map(PhoneNumber::parse);
    phone.transpose().map_err(|fault| invalid("phone", &fault))
}

fn invalid(name: &str, fault: &NotValid) -> Problem {
    Problem::invalid_parameter(format!("{name} {fault}"))
}

/// Read a recipient, which the audit log tells.
#[utoipa::path(
    get,
    path = "/api_v1/sms/recipient/{docid}",
    params(("docid" = String, Path, min_length = 1, max_length = 128,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", description = "At most 128 bytes in UTF-8")),
    responses((status = 200, description = "The recipient", body = RecipientBody)),
)]
pub async fn read_recipient(
    caller: Caller,
    DocIdPath(docid): DocIdPath,
) -> Result<Json<Recipient>> {
    operations::view_recipient(&caller, &docid).await.map(Json)
}

/// Erase a person for good.
///
/// Known or not: records of batches accepted before are never stored. A later import may bring the person back, who gets no second
/// message of any campaign. What imports say of the person (record errors, parked records, first answers of idempotency keys) is
/// gone within a minute of the end of older imports.
#[utoipa::path(
    delete,
    path = "/api_v1/sms/recipient/{docid}",
    params(("docid" = String, Path, min_length = 1, max_length = 128,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", description = "At most 128 bytes in UTF-8")),
    responses(
        (status = 204, description = "Erased"),
        (status = 404, description = "`not_found`: no path"),
    ),
)]
pub async fn erase_recipient(caller: Caller, DocIdPath(docid): DocIdPath) -> Result<StatusCode> {
    operations::erase_recipient(&caller, &docid).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Erase all who have a phone.
///
/// Each of them for good, as by docid, as they are stored when this is asked: records of imports that are not stored yet are not looked
/// through. It is answered alike whether there are any.
#[utoipa::path(
    delete,
    path = "/api_v1/sms/recipient",
    params(("phone" = String, Query, description = PHONE, pattern = "^\\+[1-9][0-9]{6,14}$", example = "+4915112345678")),
    responses(
        (status = 204, description = "Erased"),
        (status = 413, description = "`too_many_records`: 1,000 are erased, and more have it; ask again"),
    ),
)]
pub async fn erase_phone(caller: Caller, parameters: Parameters) -> Result<StatusCode> {
    let phone = phone(&parameters)?;
    let phone = phone.ok_or_else(|| Problem::invalid_parameter("phone is missing"))?;
    operations::erase_phone(&caller, phone).await?;
    Ok(StatusCode::NO_CONTENT)
}
