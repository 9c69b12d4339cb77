//! Components of the document that many operations name: keys, headers, and the problems that any of them can answer.

use utoipa::ToSchema;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{Components, Object, SchemaType, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{Content, Ref, RefOr, Required, Response};

use api_http::Code;
use api_http::error::{PROBLEM_JSON, ProblemBody};

pub const API_KEY: &str = "api_key";
pub const SECRET_KEY: &str = "secret_key";
pub const REQUEST_ID: &str = "x-request-id";

/// Headers of every response to a known caller.
pub const KNOWN_CALLER: [&str; 3] = [REQUEST_ID, "RateLimit", "RateLimit-Policy"];

/// What any operation that needs a key can answer.
pub const PROTECTED: [Code; 7] = [
    Code::InvalidParameter,
    Code::Unauthenticated,
    Code::Forbidden,
    Code::MethodNotAllowed,
    Code::RateLimited,
    Code::Internal,
    Code::Unavailable,
];

/// The same of what people open: a program's request is answered with a problem, a person's with a page.
pub const PUBLIC: [Code; 4] = [
    Code::MethodNotAllowed,
    Code::RateLimited,
    Code::Internal,
    Code::Unavailable,
];

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
    let protected = PROTECTED.into_iter().chain([Code::BodyTooSlow]);
    let public = PUBLIC.map(|code| (code, true));
    for (code, is_public) in protected.map(|code| (code, false)).chain(public) {
        let response = common(code, is_public).into();
        components
            .responses
            .insert(component(code, is_public), response);
    }
}

/// The name of the component for a code.
pub fn component(code: Code, is_public: bool) -> String {
    match code {
        Code::MethodNotAllowed => format!("{code:?}"),
        _ if is_public => format!("Page{code:?}"),
        _ => format!("{code:?}"),
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

fn common(code: Code, is_public: bool) -> Response {
    let or_busy = match code {
        Code::Unavailable => " or `busy`",
        _ => "",
    };
    let (name, title) = (code.as_str(), code.title());
    let mut response = Response::new(format!("`{name}`{or_busy}: {title}"));
    add_problem(&mut response, is_public && code != Code::MethodNotAllowed);
    let own = match code {
        Code::Unauthenticated => Some("WWW-Authenticate"),
        Code::MethodNotAllowed => Some("Allow"),
        Code::RateLimited | Code::Unavailable => Some("Retry-After"),
        _ => None,
    };
    let of_caller = match code {
        Code::Unauthenticated | Code::MethodNotAllowed | Code::BodyTooSlow => &[REQUEST_ID][..],
        _ if is_public => &[REQUEST_ID],
        _ => &KNOWN_CALLER,
    };
    for name in of_caller.iter().copied().chain(own) {
        response.headers.insert(name.to_owned(), header(name));
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
