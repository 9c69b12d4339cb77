//! Forms, the trackable links to them, and how their pages look.
//!
//! # Layout
//! - `form`: forms and their life. `link`: links, made, read and listed (`link_request`: what one may be asked for).
//!   `branding`: whose the pages are. Each has its routes, which call [`operations`], as the dashboard does.
//!
//! What is *not* here: what a form can be (in `domain`), showing it to people (in `api-collect`).

mod branding;
mod form;
mod link;
mod link_request;
pub mod operations;
mod schema;

use api_http::scoped::scoped;
use axum::routing::post;
use domain::scope::Scope;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use self::link_request::LinkRequest;
pub use self::operations::{LinkResponse, LinkWithCounts};

/// Where forms and links are.
const PATH: &str = "/api_v1/form";

/// `/api_v1/account` and everything under `/api_v1/form`, documented.
pub fn routes() -> OpenApiRouter {
    let forms = OpenApiRouter::new()
        .routes(routes!(form::create_form))
        .routes(routes!(form::list_forms))
        .routes(routes!(form::read_form, form::delete_form))
        .routes(routes!(form::replace_form))
        .routes(routes!(form::publish_form));
    let links = OpenApiRouter::new()
        .routes(routes!(link::create_plain_link))
        .routes(routes!(link::read_link, link::delete_link))
        // The last segment may be left out or empty.
        .route("/api_v1/form/link/{id}/", post(link::create_plain_link))
        .routes(routes!(link::create_link))
        .routes(routes!(link::list_links));
    let account =
        OpenApiRouter::new().routes(routes!(branding::read_branding, branding::set_branding));
    let forms = scoped(Scope::Form, "form", forms);
    let account = scoped(Scope::Form, "account", account);
    let links = scoped(Scope::Link, "link", links);
    forms.merge(account).merge(links)
}
