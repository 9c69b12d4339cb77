//! Links to a form: generated, read with what came through them, deleted. What a request asks for is read in `asked`.

mod asked;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::form::{FormContent, FormStatus};
use domain::link::{BusPropIds, Token, TrackFields};
use serde::Serialize;
use store::form::{Link, NewLink};
use utoipa::ToSchema;
use uuid::Uuid;

use self::asked::{Asked, Body as AskedBody, LinkRequest};
use api_http::AppState;
use api_http::auth::Caller;
use api_http::deadline::{QUICK, within};
use api_http::error::{Code, Problem, ProblemBody};
use api_http::extract::parse_uuid;

/// Where this resource is.
const PATH: &str = "/api_v1/form/link";

/// A link.
#[derive(Serialize, ToSchema)]
#[schema(as = Link)]
pub struct LinkBody<'a> {
    /// What is sent to people.
    #[schema(example = "https://feedback.example/f/AAECAwQFBgcICQoLDA0ODw")]
    link: String,
    #[schema(value_type = String, example = "AAECAwQFBgcICQoLDA0ODw")]
    token: Token,
    form_id: Uuid,
    /// In the order in which they were asked for.
    #[schema(example = json!(["store:Berlin"]))]
    bus_props: Vec<&'a str>,
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    track_fields: &'a TrackFields,
    #[schema(required = true)]
    expires_at: Option<DateTime<Utc>>,
    #[schema(required = true)]
    max_responses: Option<i64>,
    created_at: DateTime<Utc>,
}

/// A link with what came through it.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkWithCounts)]
pub struct CountedLinkBody<'a> {
    #[serde(flatten)]
    link: LinkBody<'a>,
    /// Days on which a visit saw or answered it, all visits together.
    views: i64,
    responses: i64,
}

impl<'a> LinkBody<'a> {
    fn new(state: &AppState, link: &'a Link, form: &'a FormContent) -> Self {
        Self {
            link: state.link_url(&link.token),
            token: link.token,
            form_id: link.form_id,
            bus_props: link
                .bus_prop_ids
                .texts(form)
                .map(domain::form::BusProp::as_str)
                .collect(),
            track_fields: &link.track_fields,
            expires_at: link.expires_at,
            max_responses: link.max_responses,
            created_at: link.created_at,
        }
    }
}

/// Generate a link without business properties.
///
/// Each call makes a new one. The body may be left out; any member that is not known makes no link.
#[utoipa::path(
    post,
    path = "/{id}",
    tag = "link",
    params(("id" = Uuid, Path, description = "The form's `form_id`")),
    request_body(content(
        (LinkRequest = "application/x-www-form-urlencoded"),
        (LinkRequest = "multipart/form-data"),
    ), description = "At most 1 MiB"),
    responses(
        (status = 201, description = "The link", body = LinkBody, headers(
            ("Location" = String, description = "Where the link is read"),
        )),
        (status = 400, description = "`invalid_parameter`, `invalid_form`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, description = "`form_not_published`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 413, description = "`body_too_large`", body = ProblemBody, content_type = "application/problem+json"),
        (status = 415, description = "`unsupported_media_type`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "`validation_failed`, `too_many_track_fields`",
            body = ProblemBody, content_type = "application/problem+json"),
    ),
)]
pub async fn create_plain_link(
    State(state): State<AppState>,
    caller: Caller,
    path: InPath<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let path = path.map(|Path(form_id)| (form_id, String::new()));
    create(&state, &caller, path.ok(), &headers, body).await
}

/// Generate a link.
///
/// Each call makes a new one. The body may be left out; any member that is not known makes no link.
#[utoipa::path(
    post,
    path = "/{form_id}/{bus_prop_id}",
    tag = "link",
    params(
        ("form_id" = Uuid, Path),
        ("bus_prop_id" = String, Path, pattern = "^[1-9][0-9]*(_[1-9][0-9]*)*$", example = "1_2",
            description = "Business properties of the form by their ids, each once, at most 50, joined by `_`"),
    ),
    request_body(content(
        (LinkRequest = "application/x-www-form-urlencoded"),
        (LinkRequest = "multipart/form-data"),
    ), description = "At most 1 MiB"),
    responses(
        (status = 201, description = "The link", body = LinkBody, headers(
            ("Location" = String, description = "Where the link is read"),
        )),
        (status = 400, description = "`invalid_parameter`: also an id that the form has not, or that is retired; `invalid_form`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, description = "`form_not_published`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 413, description = "`body_too_large`", body = ProblemBody, content_type = "application/problem+json"),
        (status = 415, description = "`unsupported_media_type`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "`validation_failed`, `too_many_track_fields`",
            body = ProblemBody, content_type = "application/problem+json"),
    ),
)]
pub async fn create_link(
    State(state): State<AppState>,
    caller: Caller,
    path: InPath<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let path = path.map(|Path(path)| path);
    create(&state, &caller, path.ok(), &headers, body).await
}

/// What a path names; it need not be UTF-8.
type InPath<T> = Result<Path<T>, PathRejection>;

/// Makes a link of the form and the ids that the path names, if they are UTF-8.
async fn create(
    state: &AppState,
    caller: &Caller,
    path: Option<(String, String)>,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let (form_id, ids) = path.ok_or_else(|| Problem::invalid_parameter("the path is not UTF-8"))?;
    let form_id =
        parse_uuid(&form_id).ok_or_else(|| Problem::invalid_parameter("form_id is not a UUID"))?;
    let account_id = caller.account_id();
    let form = within(QUICK, state.store().form(account_id, form_id)).await?;
    let form = form.ok_or_else(Problem::not_found)?;
    let kind = AskedBody::of(headers, &body)?;
    let bus_prop_ids: BusPropIds = ids.parse().map_err(bus_prop_ids_problem)?;
    let pairs = kind.read(state.buffers(), body).await?;
    if form.status != FormStatus::Published {
        let status = form.status.as_str();
        return Err(Problem::new(
            Code::FormNotPublished,
            format!("the form is {status}; only a PUBLISHED one has links"),
        ));
    }
    bus_prop_ids
        .check_for_new_link(&form.content)
        .map_err(bus_prop_ids_problem)?;
    let asked = Asked::read(&pairs, Utc::now())?;
    let wish = NewLink {
        account_id,
        form_id,
        token: Token::new(rand::random()),
        bus_prop_ids,
        track_fields: asked.track_fields,
        expires_at: asked.expires_at,
        max_responses: asked.max_responses,
    };
    let link = within(QUICK, state.store().create_link(&wish)).await?;
    tracing::info!(link.id = %link.link_id, form.id = %form_id, "link made");
    let body = Json(LinkBody::new(state, &link, &form.content));
    let mut response = (StatusCode::CREATED, body).into_response();
    if let Ok(place) = HeaderValue::from_str(&format!("{PATH}/{}", link.token)) {
        response.headers_mut().insert(LOCATION, place);
    }
    Ok(response)
}

fn bus_prop_ids_problem(error: domain::link::BusPropIdsError) -> Problem {
    Problem::invalid_parameter(format!("bus_prop_id: {error}"))
}

/// The token of a path; whatever is none is a link that nobody has.
fn token(path: InPath<String>) -> Result<Token, Problem> {
    path.ok()
        .and_then(|Path(token)| token.parse().ok())
        .ok_or_else(Problem::not_found)
}

/// Read a link, with its views and responses.
#[utoipa::path(
    get,
    path = "/{id}",
    tag = "link",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{22}$", description = "The link's `token`")),
    responses(
        (status = 200, description = "The link", body = CountedLinkBody),
        (status = 404, description = "`not_found`",
            body = ProblemBody, content_type = "application/problem+json"),
    ),
)]
pub async fn read_link(
    State(state): State<AppState>,
    caller: Caller,
    path: InPath<String>,
) -> Result<Response, Problem> {
    let token = token(path)?;
    let account_id = caller.account_id();
    let link = state.store().link(account_id, &token).await?;
    let link = link
        .filter(|link| link.deleted_at.is_none())
        .ok_or_else(Problem::not_found)?;
    let form = state.store().form(account_id, link.form_id).await?;
    let form = form.ok_or_else(Problem::not_found)?;
    let body = CountedLinkBody {
        link: LinkBody::new(&state, &link, &form.content),
        views: link.views,
        responses: link.responses,
    };
    Ok(Json(body).into_response())
}

/// Delete a link.
///
/// It is gone at once; what came through it stays in reports. Deleted again, it stays so.
#[utoipa::path(
    delete,
    path = "/{id}",
    tag = "link",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{22}$", description = "The link's `token`")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "`not_found`: also once it is deleted",
            body = ProblemBody, content_type = "application/problem+json"),
    ),
)]
pub async fn delete_link(
    State(state): State<AppState>,
    caller: Caller,
    path: InPath<String>,
) -> Result<StatusCode, Problem> {
    let token = token(path)?;
    let deleted = state
        .store()
        .delete_link(caller.account_id(), &token)
        .await?;
    let link_id = deleted.ok_or_else(Problem::not_found)?;
    state.recent_changes().record(link_id);
    tracing::info!(link.id = %link_id, "link deleted");
    Ok(StatusCode::NO_CONTENT)
}
