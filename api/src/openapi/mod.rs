//! The document at `/openapi.json` apart from the operations: what all of them share, and how they follow one another.
//!
//! The operations document themselves beside their handlers. What they answer because of the layers around them, or because
//! of what they take, is added here, once.

mod links;
mod shared;

use std::collections::BTreeMap;

use utoipa::OpenApi;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::request_body::RequestBody;
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{OpenApi as Document, Ref, RefOr, Response, Schema};

use api_http::Code;
use api_http::auth::API_PREFIX;
use api_http::error::ProblemBody;

/// The document without operations.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Feedback collection service",
        description = "Import of records for sending SMS, campaigns that send them, forms with trackable links, what they collect, and reports. Every error is a problem as in RFC 9457; its `code` is meant for programs. What people open answers them with pages.",
    ),
    servers((url = "/", description = "Where this document was read")),
    tags(
        (name = "sms", description = "Records for sending SMS"),
        (name = "form", description = "Forms and their life"),
        (name = "link", description = "Trackable links to forms"),
        (name = "send", description = "Campaigns, their messages, and who carries them"),
        (name = "public", description = "What people open; without a key"),
        (name = "report", description = "Figures over date ranges"),
    ),
    components(schemas(ProblemBody)),
)]
pub struct ApiDoc;

/// Adds what operations share: those under `/api_v1`, and those that need no key.
pub fn complete(document: &mut Document) {
    let components = document.components.get_or_insert_default();
    shared::define(components);
    let schemas = components.schemas.clone();
    let both = SecurityRequirement::default()
        .add::<_, [&str; 0], &str>(shared::API_KEY, [])
        .add::<_, [&str; 0], &str>(shared::SECRET_KEY, []);
    for (path, operation) in operations(document) {
        let is_public = !path.starts_with(API_PREFIX);
        add_implied(operation);
        operation.security = Some(if is_public {
            vec![]
        } else {
            vec![both.clone()]
        });
        share(operation, is_public);
        if let Some(RefOr::T(body)) = &mut operation.request_body {
            tell_parts_apart(body, &schemas);
            answer(operation, &[Code::BodyTooSlow], false);
        }
    }
    links::add(document);
    forget_unused(document);
}

/// Pages have their items inline: an item that nothing else names would be a component without a use.
fn forget_unused(document: &mut Document) {
    let Ok(text) = serde_json::to_string(document) else {
        return;
    };
    if let Some(components) = &mut document.components {
        let is_used = |name: &str| text.contains(&format!("#/components/schemas/{name}\""));
        components.schemas.retain(|name, _| is_used(name));
    }
}

/// The operations, each with its path.
fn operations(document: &mut Document) -> impl Iterator<Item = (&str, &mut Operation)> {
    document.paths.paths.iter_mut().flat_map(|(path, item)| {
        let methods = [
            &mut item.get,
            &mut item.put,
            &mut item.post,
            &mut item.delete,
        ];
        methods
            .into_iter()
            .flatten()
            .map(|operation| (path.as_str(), operation))
    })
}

/// Adds what an operation answers because of what it takes, unless it says so itself.
fn add_implied(operation: &mut Operation) {
    let (mut responses, mut headers) = (Vec::new(), Vec::new());
    for parameter in operation.parameters.iter().flatten() {
        let RefOr::T(parameter) = parameter else {
            continue;
        };
        match (&parameter.parameter_in, parameter.name.as_str()) {
            (ParameterIn::Path, _) => responses.push(("404", "`not_found`")),
            (ParameterIn::Query, "cursor") => {
                headers.push(("Link", "The next page, `rel=\"next\"`"));
            }
            (ParameterIn::Header, "If-Match") => {
                responses.push(("412", "`precondition_failed`"));
                headers.push(("ETag", "Of this version, for `If-Match`"));
            }
            (ParameterIn::Header, "If-None-Match") => {
                responses.push(("304", "The caller's copy is still right"));
                headers.extend([
                    ("ETag", "The same for the same data"),
                    (
                        "Cache-Status",
                        "RFC 9211: whether it was kept or read from the database",
                    ),
                ]);
            }
            _ => {}
        }
    }
    if operation.request_body.is_some() {
        responses.extend([
            ("413", "`body_too_large`"),
            ("415", "`unsupported_media_type`"),
            ("422", "`validation_failed`"),
        ]);
    }
    let documented = &mut operation.responses.responses;
    if let Some(RefOr::T(success)) = documented.get_mut("200") {
        for (name, description) in headers {
            let header = success.headers.entry(name.to_owned());
            header.or_insert_with(|| shared::text(description).into());
        }
    }
    for (status, description) in responses {
        let response = documented.entry(status.to_owned());
        response.or_insert_with(|| Response::new(description).into());
    }
}

fn takes_form(operation: &Operation) -> bool {
    let form = "application/x-www-form-urlencoded";
    matches!(&operation.request_body, Some(RefOr::T(body)) if body.content.contains_key(form))
}

/// Adds the request id, the body of errors (a problem, for people who sent a form also a page), and the shared responses and
/// headers.
fn share(operation: &mut Operation, is_public: bool) {
    let (responses, headers) = if is_public {
        (&shared::PUBLIC[..], &[shared::REQUEST_ID][..])
    } else {
        (&shared::PROTECTED[..], &shared::KNOWN_CALLER[..])
    };
    let page = is_public && takes_form(operation);
    let parameters = operation.parameters.get_or_insert_default();
    for parameter in parameters.iter_mut() {
        if let RefOr::T(parameter) = parameter
            && let Some(schema) = &mut parameter.schema
        {
            without_null(schema);
        }
    }
    let request_id = format!("#/components/parameters/{}", shared::REQUEST_ID);
    parameters.push(RefOr::Ref(Ref::new(request_id)));
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response {
            if status.starts_with(['4', '5']) && response.content.is_empty() {
                shared::add_problem(response, page);
            }
            for name in headers {
                response
                    .headers
                    .insert((*name).to_owned(), shared::header(name));
            }
        }
    }
    answer(operation, responses, is_public);
}

/// Adds these responses where the operation has none of its own.
fn answer(operation: &mut Operation, responses: &[Code], is_public: bool) {
    for code in responses {
        let status = code.status().as_str().to_owned();
        let response = operation.responses.responses.entry(status);
        let name = shared::component(*code, is_public);
        response.or_insert_with(|| Ref::from_response_name(name).into());
    }
}

/// A form's pairs and its parts say the same. The schema of the parts is written out, or generated clients take one for the
/// other.
fn tell_parts_apart(body: &mut RequestBody, schemas: &BTreeMap<String, RefOr<Schema>>) {
    for content in body.content.values_mut() {
        if let RefOr::T(content) = content
            && let Some(schema) = &mut content.schema
        {
            without_null(schema);
        }
    }
    let Some(RefOr::T(parts)) = body.content.get_mut("multipart/form-data") else {
        return;
    };
    let Some(RefOr::Ref(pairs)) = &parts.schema else {
        return;
    };
    let name = pairs.ref_location.rsplit('/').next().unwrap_or_default();
    if let Some(RefOr::T(Schema::Object(written))) = schemas.get(name) {
        let mut written = written.clone();
        written.title = Some(format!("{name}Parts"));
        parts.schema = Some(written.into());
    }
}

/// What is optional in a path, query, header or body of a form is left out: there is no null.
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
