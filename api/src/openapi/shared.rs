//! Components of the document that many operations name: keys, headers, and the problems that any of them can answer.

use api_http::error::{Code, PROBLEM_JSON, ProblemBody};
use serde_json::{Value, json};
use utoipa::ToSchema;

pub const API_KEY: &str = "api_key";
pub const SECRET_KEY: &str = "secret_key";
pub const REQUEST_ID: &str = "x-request-id";

/// Headers of every response to a known caller.
pub const KNOWN_CALLER: [&str; 4] = [REQUEST_ID, "RateLimit", "RateLimit-Policy", "x-key-expires"];

/// What any operation that needs a key can answer. The first three are about the key and its parameters.
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
pub const PUBLIC: &[Code] = PROTECTED.split_at(3).1;

/// Adds the components.
pub fn define(components: &mut Value) {
    let key = |header| json!({"type": "apiKey", "in": "header", "name": header});
    components["securitySchemes"] =
        json!({API_KEY: key("x-api-key"), SECRET_KEY: key("x-secret-key")});
    components["parameters"][REQUEST_ID] = json!({
        "name": REQUEST_ID,
        "in": "header",
        "description": "An id of the caller's own, 1 to 128 visible ASCII characters; any other is replaced",
        "required": false,
        "schema": {"type": "string"},
    });
    for (name, description) in HEADERS {
        components["headers"][name] = text(description);
    }
    let protected = PROTECTED.into_iter().chain([Code::BodyTooSlow]);
    let public = PUBLIC.iter().map(|code| (*code, true));
    for (code, is_public) in protected.map(|code| (code, false)).chain(public) {
        components["responses"][component(code, is_public)] = common(code, is_public);
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

/// The component of this kind and name.
pub fn reference(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

const HEADERS: [(&str, &str); 7] = [
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
    ("x-key-expires", "When the key ends (in the 14 days before)"),
    ("Retry-After", "In how many seconds to come back"),
    ("Allow", "The methods of this path"),
    ("WWW-Authenticate", "How to authenticate"),
];

/// The contents of an error: a problem, for people also a `page`.
pub fn problem(page: bool) -> Value {
    let schema = reference("schemas", &<ProblemBody<'_> as ToSchema>::name());
    let mut content = json!({PROBLEM_JSON: {"schema": schema}});
    if page {
        content["text/html"] = json!({"schema": {"type": "string"}});
    }
    content
}

fn common(code: Code, is_public: bool) -> Value {
    let or_busy = match code {
        Code::Unavailable => " or `busy`",
        _ => "",
    };
    let (name, title) = (code.as_str(), code.title());
    let mut response = json!({
        "description": format!("`{name}`{or_busy}: {title}"),
        "content": problem(is_public && code != Code::MethodNotAllowed),
    });
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
        response["headers"][name] = reference("headers", name);
    }
    response
}

/// A header of this description.
pub fn text(description: &str) -> Value {
    json!({"description": description, "schema": {"type": "string"}})
}
