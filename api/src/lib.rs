//! The HTTP side of the service: a router over the capabilities, and what serves it.
//!
//! - [`router`] puts everything together; [`serve`] answers on a port until told to stop. `openapi`: the document's
//!   shared parts.
//! - Around all routes is one layer, `api_http::entry`.
//! - The routes are those of `api-import`, `api-form`, `api-send`, `api-collect` and `api-report`, which do not know each other.
//!
//! What is *not* here: SQL (in `store`), records and their rules (in `domain`), brokers, caches, settings and sockets
//! (in `platform`), storing what was accepted (in `worker`).

mod openapi;
mod serve;

use std::future::ready;

use api_collect::pages::{self, Frame};
use api_http::{AppState, Problem, entry, error};
use api_import::ImportState;
use api_send::SendState;
use axum::Router;
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use platform::backends::Backends;
use platform::config::Config;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_swagger_ui::{Config as DocsConfig, SwaggerUi};

pub use self::serve::serve;
pub use api_dashboard::{FirstAdmin, LinkPurpose, hash_password, sign_in_path};

/// The service's routes with all their layers, `/openapi.json` and `/docs`; without health and metrics.
pub fn router(
    state: &AppState,
    config: &Config,
    backends: &Backends,
    first_admin: Option<FirstAdmin>,
) -> Router {
    let (imports, sending) = (ImportState::new(config), SendState::new(state, config));
    let documented = OpenApiRouter::with_openapi(openapi::ApiDoc::openapi())
        .merge(api_import::routes(imports.clone()))
        .merge(api_report::routes(state, backends.cache.clone()))
        .merge(api_form::routes())
        .merge(api_send::routes(sending.clone()))
        .merge(api_collect::routes(state));
    let (router, document) = documented.split_for_parts();
    let document = Bytes::from(openapi::complete(&document).to_string());
    let document = move || ready(([(CONTENT_TYPE, "application/json")], document.clone()));
    let docs = SwaggerUi::new("/docs")
        // Its validator is a service elsewhere.
        .config(DocsConfig::new(["/openapi.json"]).validator_url("none"));
    let mut docs = Router::from(docs).route("/openapi.json", get(document));
    if let Some(contact) = &config.security_contact {
        let text = Bytes::from(security_text(contact, Utc::now()));
        let text = move || ready(([(CONTENT_TYPE, "text/plain; charset=utf-8")], text.clone()));
        docs = docs.route("/.well-known/security.txt", get(text));
    }
    let docs = docs.layer(map_response(with_policy));
    let pages = api_dashboard::routes(state, config, backends, imports, sending, first_admin);
    router
        .merge(docs)
        .merge(pages)
        .fallback(nothing_here)
        .method_not_allowed_fallback(nothing_to_read)
        .layer(from_fn_with_state(state.clone(), entry::guarded))
}

/// Whom to tell of weaknesses, as RFC 9116 has it. A process that nobody has started again for so long knows no better.
fn security_text(contact: &str, started: DateTime<Utc>) -> String {
    let expires = started + TimeDelta::days(360);
    let expires = expires.to_rfc3339_opts(SecondsFormat::Secs, true);
    format!("Contact: {contact}\nExpires: {expires}\n")
}

/// The page of the docs comes from this service alone. Its library writes styles into the page.
const DOCS_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                           font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// The headers of all pages.
async fn with_policy(mut response: Response) -> Response {
    let headers = [
        (CONTENT_SECURITY_POLICY, DOCS_POLICY),
        (REFERRER_POLICY, "same-origin"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    response.headers_mut().extend(headers);
    response
}

/// What is answered where no route is. People get a page: those of the dashboard, and under a link, where most had theirs damaged
/// on its way, such as by a slash after it.
async fn nothing_here(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let reads = method == Method::GET || method == Method::HEAD;
    if reads && uri.path().starts_with("/dashboard/") {
        api_dashboard::nothing_here(&headers)
    } else if reads && uri.path().starts_with("/f/") {
        let page = pages::not_found(Frame::of_request(&headers));
        (StatusCode::NOT_FOUND, page).into_response()
    } else {
        Problem::not_found().into_response()
    }
}

/// What is answered where a route takes another method. For people who read the dashboard there is no page.
async fn nothing_to_read(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let reads = method == Method::GET || method == Method::HEAD;
    if reads && uri.path().starts_with("/dashboard/") {
        return api_dashboard::nothing_here(&headers);
    }
    error::method_not_allowed().await.into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn people_with_a_damaged_link_get_a_page() {
        for (method, path, page) in [
            (Method::GET, "/f/AAAAAAAAAAAAAAAAAAAAAA/", true),
            (Method::HEAD, "/f/AAAAAAAAAAAAAAAAAAAAAA/more", true),
            (Method::GET, "/f/", true),
            (Method::POST, "/f/AAAAAAAAAAAAAAAAAAAAAA/", false),
            (Method::GET, "/favicon.ico", false),
        ] {
            let response = nothing_here(method, Uri::from_static(path), HeaderMap::new()).await;
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
            let kind = response.headers().get(CONTENT_TYPE);
            let is_html = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
            assert_eq!(is_html, page, "{path}");
        }
    }
}
