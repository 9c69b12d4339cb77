//! The document at `/openapi.json` apart from the operations: what all of them share, and how they follow one another.
//!
//! The operations document themselves beside their handlers. What they answer because of the layers around them, or because
//! of what they take, is added here, once.

mod shared;

use serde_json::{Value, json};
use utoipa::OpenApi;

use self::shared::text;
use api_http::auth::API_PREFIX;
use api_http::error::{Code, ProblemBody};

/// The document without operations.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Feedback collection service",
        // Its examples are run by a test.
        description = include_str!("guide.md"),
    ),
    servers((url = "/", description = "Where this document was read")),
    tags(
        (name = "sms", description = "Records for sending SMS"),
        (name = "form", description = "Forms and their life"),
        (name = "account", description = "How the pages of an account look, and its audit log"),
        (name = "link", description = "Trackable links to forms"),
        (name = "send", description = "Campaigns, their messages, and who carries them"),
        (name = "public", description = "What people open; without a key"),
        (name = "report", description = "Figures over date ranges"),
    ),
    components(schemas(ProblemBody)),
)]
pub struct ApiDoc;

/// The document with what operations share: those under `/api_v1`, and those that need no key.
pub fn complete(document: &utoipa::openapi::OpenApi) -> Value {
    // A document always serialises.
    let mut document = serde_json::to_value(document).unwrap_or_default();
    shared::define(&mut document["components"]);
    let schemas = document["components"]["schemas"].clone();
    for (path, operation) in operations(&mut document) {
        let is_public = !path.starts_with(API_PREFIX);
        add_implied(operation);
        operation["security"] = if is_public {
            json!([])
        } else {
            json!([{shared::API_KEY: [], shared::SECRET_KEY: []}])
        };
        share(operation, is_public);
        if let Some(body) = operation.get_mut("requestBody") {
            tell_parts_apart(body, &schemas);
            answer(operation, &[Code::BodyTooSlow], false);
        }
    }
    add_links(&mut document);
    forget_unused(&mut document);
    document
}

/// Pages have their items inline: an item that nothing else names would be a component without a use.
fn forget_unused(document: &mut Value) {
    let text = document.to_string();
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.retain(|name, _| text.contains(&format!("#/components/schemas/{name}\"")));
    }
}

/// The operations, each with its path.
fn operations(document: &mut Value) -> impl Iterator<Item = (&str, &mut Value)> {
    members(&mut document["paths"]).flat_map(|(path, item)| {
        let operations = members(item);
        operations.map(move |(_, operation)| (path.as_str(), operation))
    })
}

/// The members of an object.
fn members(object: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    object.as_object_mut().into_iter().flatten()
}

/// The elements of an array; none where it is absent.
fn elements(array: &Value) -> impl Iterator<Item = &Value> {
    array.as_array().into_iter().flatten()
}

/// Adds what an operation answers because of what it takes, unless it says so itself.
fn add_implied(operation: &mut Value) {
    let (mut responses, mut headers) = (Vec::new(), Vec::new());
    for parameter in elements(&operation["parameters"]) {
        match (parameter["in"].as_str(), parameter["name"].as_str()) {
            (Some("path"), _) => responses.push(("404", "`not_found`")),
            (Some("query"), Some("cursor")) => {
                headers.push(("Link", "The next page, `rel=\"next\"`"));
            }
            (_, Some("If-Match")) => {
                responses.push(("412", "`precondition_failed`"));
                headers.push(("ETag", "Of this version, for `If-Match`"));
            }
            (_, Some("If-None-Match")) => {
                responses.push(("304", "The caller's copy is still right"));
                let kept = "RFC 9211: whether it was kept or read from the database";
                headers.extend([
                    ("ETag", "The same for the same data"),
                    ("Cache-Status", kept),
                ]);
            }
            _ => {}
        }
    }
    if !operation["requestBody"]["content"]["application/json"].is_null() {
        responses.push(("400", "`invalid_json`"));
    }
    if operation.get("requestBody").is_some() {
        responses.extend([
            ("413", "`body_too_large`"),
            ("415", "`unsupported_media_type`"),
            ("422", "`validation_failed`"),
        ]);
    }
    if let Some(success) = operation.pointer_mut("/responses/200") {
        if success["content"]
            .as_object()
            .is_some_and(|kinds| kinds.len() > 1)
        {
            headers.push(("Vary", "`Accept`"));
        }
        for (name, description) in headers {
            default(&mut success["headers"][name], text(description));
        }
    }
    for (status, description) in responses {
        let response = &mut operation["responses"][status];
        default(response, json!({"description": description}));
    }
}

/// Sets what is absent.
fn default(member: &mut Value, value: Value) {
    if member.is_null() {
        *member = value;
    }
}

/// Adds the request id, the body of errors (a problem, for people who sent a form also a page), and the shared responses and
/// headers.
fn share(operation: &mut Value, is_public: bool) {
    let (responses, headers) = if is_public {
        (shared::PUBLIC, &[shared::REQUEST_ID][..])
    } else {
        (&shared::PROTECTED[..], &shared::KNOWN_CALLER[..])
    };
    let form = "application/x-www-form-urlencoded";
    let page = is_public && !operation["requestBody"]["content"][form].is_null();
    default(&mut operation["parameters"], json!([]));
    if let Some(parameters) = operation["parameters"].as_array_mut() {
        for parameter in parameters.iter_mut() {
            without_null(&mut parameter["schema"]);
        }
        parameters.push(shared::reference("parameters", shared::REQUEST_ID));
    }
    for (status, response) in members(&mut operation["responses"]) {
        if status.starts_with(['4', '5']) && response["content"].is_null() {
            response["content"] = shared::problem(page);
        }
        for name in headers {
            response["headers"][name] = shared::reference("headers", name);
        }
    }
    answer(operation, responses, is_public);
}

/// Adds these responses where the operation has none of its own.
fn answer(operation: &mut Value, responses: &[Code], is_public: bool) {
    for code in responses {
        let name = shared::component(*code, is_public);
        let response = &mut operation["responses"][code.status().as_str()];
        default(response, shared::reference("responses", &name));
    }
}

/// A form's pairs and its parts say the same. The schema of the parts is written out, or generated clients take one for the
/// other.
fn tell_parts_apart(body: &mut Value, schemas: &Value) {
    for (kind, content) in members(&mut body["content"]) {
        let schema = &mut content["schema"];
        without_null(schema);
        let name = schema["$ref"]
            .as_str()
            .and_then(|path| path.rsplit('/').next());
        if let (Some(name), "multipart/form-data") = (name, kind.as_str()) {
            let mut written = schemas[name].clone();
            written["title"] = json!(format!("{name}Parts"));
            *schema = written;
        }
    }
}

/// What is optional in a path, query, header or body of a form is left out: there is no null.
fn without_null(schema: &mut Value) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|one| one != "null");
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("oneOf") {
        kinds.retain(|kind| kind["type"] != "null");
        if let [only] = kinds.as_slice() {
            *schema = only.clone();
        }
    }
}

/// Parameters of paths, and where in a response their values are.
type ResponseParameters = &'static [(&'static str, &'static str)];

const FORM: ResponseParameters = &[
    ("form_id", "$response.body#/form_id"),
    ("bus_prop_id", "$response.body#/bus_props/0/bus_prop_id"),
    ("bus_prop", "$response.body#/bus_props/0/bus_prop"),
];
const LINK: ResponseParameters = &[("token", "$response.body#/token")];
const FEEDBACK: ResponseParameters = &[("feedback_id", "$response.body#/feedback_id")];
const BATCH: ResponseParameters = &[("batch_id", "$response.body#/batch_id")];
const CAMPAIGN: ResponseParameters = &[("campaign_id", "$response.body#/campaign_id")];
const SHARE: ResponseParameters = &[("share_id", "$response.body#/share_id")];

/// An operation, its status, and what it gives then to all operations whose paths name that.
const GIVING: [(&str, &str, ResponseParameters); 8] = [
    ("create_form", "201", FORM),
    ("publish_form", "200", FORM),
    ("create_link", "201", LINK),
    ("create_plain_link", "201", LINK),
    ("submit_answers", "201", FEEDBACK),
    ("import_sms", "202", BATCH),
    ("create_campaign", "201", CAMPAIGN),
    ("create_share", "201", SHARE),
];

/// Adds links to the operations that give something.
fn add_links(document: &mut Value) {
    let all: Vec<Value> = operations(document).map(|(_, next)| next.clone()).collect();
    for (_, operation) in operations(document) {
        let id = &operation["operationId"];
        let Some((_, status, given)) = GIVING.iter().find(|(of, ..)| id == of) else {
            continue;
        };
        for next in &all {
            let parameters = link(next, given);
            if let (Some(id), false) = (next["operationId"].as_str(), parameters.is_null()) {
                let link = json!({"operationId": id, "parameters": parameters});
                operation["responses"][*status]["links"][id] = link;
            }
        }
    }
}

/// The parameters of an operation's path that are given; null: none.
fn link(next: &Value, given: ResponseParameters) -> Value {
    let mut link = Value::Null;
    for parameter in elements(&next["parameters"]).filter(|parameter| parameter["in"] == "path") {
        let name = parameter["name"].as_str().unwrap_or_default();
        let meant = match (next["operationId"].as_str(), name) {
            (Some("create_plain_link"), "id") => "form_id",
            (_, "id") => "token",
            // Only a message's link stops messages.
            (Some("stop_messages"), _) => continue,
            (_, name) => name,
        };
        if let Some((_, value)) = given.iter().find(|(given, _)| *given == meant) {
            link[name] = json!(value);
        }
    }
    link
}
