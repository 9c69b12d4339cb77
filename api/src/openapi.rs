//! The document at `/openapi.json` apart from the operations: what all of them share.
//!
//! The operations document themselves beside their handlers; what every one of them can answer because of the layers
//! around it (401, 403, 429, 500, 503) is added here, once.

use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{Object, SchemaType, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, OpenApi as Document, Ref, RefOr, Response, ResponseBuilder, Schema,
};
use utoipa::{Modify, OpenApi, ToSchema};

use api_http::auth::API_PREFIX;
use api_http::error::{PROBLEM_JSON, ProblemBody};

/// The document without operations.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Feedback collection service",
        description = "Import of records for sending SMS, forms with trackable links, what they collect, and reports. Every error is a problem as in RFC 9457; its `code` is meant for programs. What people open answers them with pages.",
    ),
    tags(
        (name = "sms", description = "Records for sending SMS"),
        (name = "form", description = "Forms and their life"),
        (name = "link", description = "Trackable links to forms"),
        (name = "public", description = "What people open; without a key"),
        (name = "report", description = "Figures over date ranges"),
    ),
)]
pub struct ApiDoc;

/// Adds what operations share: those under `/api_v1`, and those that need no key.
pub struct Shared;

impl Modify for Shared {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        for (name, header) in [("api_key", "x-api-key"), ("secret_key", "x-secret-key")] {
            components.add_security_scheme(
                name,
                SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(header))),
            );
        }
        let both = SecurityRequirement::default()
            .add::<_, [&str; 0], &str>("api_key", [])
            .add::<_, [&str; 0], &str>("secret_key", []);
        for (path, item) in &mut document.paths.paths {
            let operations = [
                &mut item.get,
                &mut item.put,
                &mut item.post,
                &mut item.delete,
            ];
            for operation in operations.into_iter().flatten() {
                if path.starts_with(API_PREFIX) {
                    operation.security = Some(vec![both.clone()]);
                    share(operation);
                } else {
                    share_publicly(operation);
                }
            }
        }
    }
}

fn share(operation: &mut Operation) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && let Some(schema) = &mut parameter.schema
        {
            without_null(schema);
        }
    }
    let responses = &mut operation.responses.responses;
    for (status, description, headers) in [
        (
            "401",
            "`unauthenticated`: a header missing, or not those of a live key",
            &["WWW-Authenticate"][..],
        ),
        ("403", "`forbidden`: the key lacks the scope", &[]),
        ("429", "`rate_limited`", &["Retry-After"]),
        ("500", "`internal`", &[]),
        (
            "503",
            "`unavailable`: a needed server is down",
            &["Retry-After"],
        ),
    ] {
        responses
            .entry(status.to_owned())
            .or_insert_with(|| RefOr::T(problem(description, headers)));
    }
    for (status, response) in responses {
        if let RefOr::T(response) = response {
            describe_headers(response, status != "401");
        }
    }
}

/// What a person's request can come to as well; a program's is a problem, a person's a page.
fn share_publicly(operation: &mut Operation) {
    let page = ContentBuilder::new()
        .schema(Some(Object::with_type(SchemaType::new(Type::String))))
        .build();
    for (status, description) in [
        ("429", "`rate_limited`; of a form: with what was typed"),
        ("500", "`internal`"),
        (
            "503",
            "`unavailable`: a needed server is down; of a form: with what was typed",
        ),
    ] {
        let mut response = problem(description, &["Retry-After"]);
        response
            .content
            .insert("text/html".to_owned(), RefOr::T(page.clone()));
        let responses = &mut operation.responses.responses;
        responses.insert(status.to_owned(), RefOr::T(response));
    }
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response {
            describe_headers(response, false);
        }
    }
}

/// What is optional in a path, query or header is left out: there is no null.
fn without_null(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => {
            if let SchemaType::Array(types) = &mut object.schema_type {
                types.retain(|one| *one != Type::Null);
            }
        }
        RefOr::T(Schema::OneOf(kinds)) => {
            kinds.items.retain(|kind| !is_null(kind));
            if let [only] = kinds.items.as_slice() {
                *schema = only.clone();
            }
        }
        _ => {}
    }
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}

fn problem(description: &str, headers: &[&str]) -> Response {
    let schema = Ref::from_schema_name(<ProblemBody<'_> as ToSchema>::name());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let response = ResponseBuilder::new()
        .description(description)
        .content(PROBLEM_JSON, content);
    headers
        .iter()
        .fold(response, |response, name| response.header(*name, text("")))
        .build()
}

/// What the layers add to every response, and to those of known callers.
fn describe_headers(response: &mut Response, known: bool) {
    let id = "The request's id: the caller's own if it sent one";
    response
        .headers
        .insert("x-request-id".to_owned(), RefOr::T(text(id)));
    if known {
        for (name, description) in [
            (
                "RateLimit",
                "What the key has left, and in how many seconds all is there again (unless unlimited)",
            ),
            (
                "RateLimit-Policy",
                "The key's burst, and the seconds in which it refills (unless unlimited)",
            ),
        ] {
            response
                .headers
                .insert(name.to_owned(), RefOr::T(text(description)));
        }
    }
}

fn text(description: &str) -> utoipa::openapi::Header {
    let schema = Object::with_type(SchemaType::new(Type::String));
    HeaderBuilder::new()
        .schema(Some(schema))
        .description(Some(description))
        .build()
}
