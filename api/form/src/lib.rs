//! Forms, the trackable links to them, and how their pages look.
//!
//! # Layout
//! - `form`: forms and their life. `link`: links, made, read and listed. `branding`: whose the pages are.
//!
//! What is *not* here: what a form can be (in `domain`), showing it to people (in `api-collect`).

mod branding;
mod form;
mod link;
mod schema;

use api_http::deadline::quick;
use api_http::scoped::scoped;
use axum::middleware::from_fn;
use axum::routing::post;
use domain::scope::Scope;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

/// Where forms and links are.
const PATH: &str = "/api_v1/form";

/// `/api_v1/account` and everything under `/api_v1/form`, documented.
pub fn routes() -> OpenApiRouter {
    // Those that read or write a large body have their own idea of time.
    let forms = OpenApiRouter::new()
        .routes(routes!(form::create_form))
        .routes(routes!(form::list_forms))
        .routes(routes!(form::read_form, form::delete_form).layer(from_fn(quick)))
        .routes(routes!(form::replace_form))
        .routes(routes!(form::publish_form).layer(from_fn(quick)));
    let links = OpenApiRouter::new()
        .routes(routes!(link::create_plain_link))
        .routes(routes!(link::read_link, link::delete_link).layer(from_fn(quick)))
        // The last segment may be left out or empty.
        .route("/api_v1/form/link/{id}/", post(link::create_plain_link))
        .routes(routes!(link::create_link))
        .routes(routes!(link::list_links).layer(from_fn(quick)));
    let account = routes!(branding::read_branding, branding::set_branding);
    let account = OpenApiRouter::new().routes(account.layer(from_fn(quick)));
    let forms = scoped(Scope::Form, "form", forms);
    let account = scoped(Scope::Form, "account", account);
    let links = scoped(Scope::Link, "link", links);
    forms.merge(account).merge(links)
}
