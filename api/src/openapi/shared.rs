//! Components of the document that many operations name: keys, headers, and the problems that any of them can answer.

use utoipa::ToSchema;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{Components, Object, SchemaType, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{Content, Ref, RefOr, Required, Response};

use api_http::error::{PROBLEM_JSON, ProblemBody};

pub const API_KEY: &str = "api_key";
pub const SECRET_KEY: &str = "secret_key";
pub const REQUEST_ID: &str = "x-request-id";

/// Headers of every response to a known caller.
pub const KNOWN_CALLER: [&str; 3] = [REQUEST_ID, "RateLimit", "RateLimit-Policy"];

/// Statuses and the components that say what they are, of operations that need a key.
pub const PROTECTED: [(&str, &str); 7] = [
    ("400", "InvalidParameter"),
    ("401", "Unauthenticated"),
    ("403", "Forbidden"),
    ("405", "MethodNotAllowed"),
    ("429", "RateLimited"),
    ("500", "Internal"),
    ("503", "Unavailable"),
];

/// The same of what people open: a program's request is answered with a problem, a person's with a page.
pub const PUBLIC: [(&str, &str); 4] = [
    ("405", "MethodNotAllowed"),
    ("429", "PageRateLimited"),
    ("500", "PageInternal"),
    ("503", "PageUnavailable"),
];

/// The same of any operation that takes a body.
pub const TOO_SLOW: (&str, &str) = ("408", "BodyTooSlow");

/// Adds the components.
pub fn define(components: &mut Components) {
    for (name, header) in [(API_KEY, "x-api-key"), (SECRET_KEY, "x-secret-key")] {
        let scheme = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(header)));
        components.add_security_scheme(name, scheme);
    }
    components
        .parameters
        .insert(REQUEST_ID.to_owned(), request_id().into());
    for (name, description) in HEADERS {
        components
            .headers
            .insert(name.to_owned(), text(description).into());
    }
    for (name, description, headers, page) in RESPONSES {
        let response = problem(description, headers, page);
        components
            .responses
            .insert(name.to_owned(), response.into());
    }
}

/// The header component of this name.
pub fn header(name: &str) -> RefOr<Header> {
    RefOr::Ref(Ref::new(format!("#/components/headers/{name}")))
}

const HEADERS: [(&str, &str); 6] = [
    (
        REQUEST_ID,
        "The request's id: the caller's own if it sent one",
    ),
    (
        "RateLimit",
        "What the key has left, and in how many seconds all is there again (unless unlimited)",
    ),
    (
        "RateLimit-Policy",
        "The key's burst, and the seconds in which it refills (unless unlimited)",
    ),
    ("Retry-After", "In how many seconds to come back"),
    ("Allow", "The methods of this path"),
    ("WWW-Authenticate", "How to authenticate"),
];

/// Name, description, headers, and whether people get a page instead.
const RESPONSES: [(&str, &str, &[&str], bool); 11] = [
    (
        "InvalidParameter",
        "`invalid_parameter`: also a query parameter that the operation does not have",
        &KNOWN_CALLER,
        false,
    ),
    (
        "Unauthenticated",
        "`unauthenticated`: a header missing, or not those of a live key",
        &[REQUEST_ID, "WWW-Authenticate"],
        false,
    ),
    (
        "Forbidden",
        "`forbidden`: the key lacks the scope",
        &KNOWN_CALLER,
        false,
    ),
    (
        "MethodNotAllowed",
        "`method_not_allowed`",
        &[REQUEST_ID, "Allow"],
        false,
    ),
    (
        "BodyTooSlow",
        "`body_too_slow`: the body came too slowly while others waited for memory",
        &[REQUEST_ID],
        false,
    ),
    (
        "RateLimited",
        "`rate_limited`",
        &[REQUEST_ID, "RateLimit", "RateLimit-Policy", "Retry-After"],
        false,
    ),
    (
        "Internal",
        "`internal`: a fault of ours",
        &KNOWN_CALLER,
        false,
    ),
    (
        "Unavailable",
        "`unavailable`: a needed server is down; `busy`: the account's own share is in use",
        &[REQUEST_ID, "RateLimit", "RateLimit-Policy", "Retry-After"],
        false,
    ),
    (
        "PageRateLimited",
        "`rate_limited`; of a form: with what was typed",
        &[REQUEST_ID, "Retry-After"],
        true,
    ),
    (
        "PageInternal",
        "`internal`: a fault of ours",
        &[REQUEST_ID],
        true,
    ),
    (
        "PageUnavailable",
        "`unavailable`: a needed server is down; of a form: with what was typed",
        &[REQUEST_ID, "Retry-After"],
        true,
    ),
];

fn request_id() -> Parameter {
    ParameterBuilder::new()
        .name(REQUEST_ID)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "An id of the caller's own, 1 to 128 visible ASCII characters; any other is replaced",
        ))
        .schema(Some(a_string()))
        .build()
}

/// Adds the body of an error: a problem, for people also a `page`.
pub fn add_problem(response: &mut Response, page: bool) {
    let problem = Ref::from_schema_name(<ProblemBody<'_> as ToSchema>::name());
    let mut contents = vec![(PROBLEM_JSON, Content::new(Some(problem)))];
    if page {
        contents.push(("text/html", Content::new(Some(a_string()))));
    }
    let contents = contents.into_iter();
    let contents = contents.map(|(kind, content)| (kind.to_owned(), content.into()));
    response.content.extend(contents);
}

fn problem(description: &str, headers: &[&str], page: bool) -> Response {
    let mut response = Response::new(description);
    add_problem(&mut response, page);
    for name in headers {
        response.headers.insert((*name).to_owned(), header(name));
    }
    response
}

/// A header of this description.
pub fn text(description: &str) -> Header {
    let header = HeaderBuilder::new().schema(Some(a_string()));
    header.description(Some(description)).build()
}

fn a_string() -> Object {
    Object::with_type(SchemaType::new(Type::String))
}
