//! What answers at which path: one file a resource, its DTOs beside its handlers.
//!
//! A group of routes shares its scope, which is checked before the method is (403 before 405).

mod batch;
mod feedback;
mod form;
mod import;
mod import_error;
mod link;
mod public;
mod recipient;
mod report;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::routing::get;
use domain::scope::Scope;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::AppState;
use crate::auth::{Caller, require};
use crate::deadline::{patient, quick};
use crate::error::method_not_allowed;

/// Everything under `/api_v1`, documented.
pub fn api() -> OpenApiRouter<AppState> {
    scoped(Scope::Import, sms())
        .merge(scoped(Scope::Report, reports()))
        .merge(scoped(Scope::Form, forms().merge(feedbacks())))
        .merge(scoped(Scope::Link, links()))
}

/// What is opened without a key, documented.
pub fn public() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(public::show_form, public::submit::submit_answers))
        .routes(routes!(public::view::view_form))
        .routes(routes!(public::draw_link))
        .routes(routes!(public::say_thanks))
}

fn forms() -> OpenApiRouter<AppState> {
    // Those that read a body have their own idea of time.
    let forms = OpenApiRouter::new()
        .routes(routes!(form::create_form))
        .routes(routes!(form::list_forms).layer(from_fn(quick)))
        .routes(routes!(form::read_form, form::change::delete_form).layer(from_fn(quick)))
        .routes(routes!(form::change::replace_form))
        .routes(routes!(form::change::publish_form).layer(from_fn(quick)));
    OpenApiRouter::new().nest("/api_v1/form", forms)
}

fn links() -> OpenApiRouter<AppState> {
    let links = OpenApiRouter::new()
        .routes(routes!(link::create_plain_link))
        .routes(routes!(link::read_link, link::delete_link).layer(from_fn(quick)))
        .routes(routes!(link::create_link));
    OpenApiRouter::new().nest("/api_v1/form/link", links)
}

fn feedbacks() -> OpenApiRouter<AppState> {
    let feedbacks =
        OpenApiRouter::new().routes(routes!(feedback::erase_feedback).layer(from_fn(quick)));
    OpenApiRouter::new().nest("/api_v1/feedback", feedbacks)
}

fn reports() -> OpenApiRouter<AppState> {
    use report::{feedbacks, form, overview, summary};
    // The last segment, a business property, may be left out or empty.
    let reports = OpenApiRouter::new()
        .routes(routes!(overview::overview))
        .routes(routes!(form::form_report))
        .routes(routes!(form::form_report_of))
        .route(
            "/form/{form_id}/{start_date}/{end_date}/",
            get(form::form_report),
        )
        .routes(routes!(summary::summary))
        .routes(routes!(summary::summary_of))
        .route(
            "/summary/{start_date}/{end_date}/{form_id}/",
            get(summary::summary),
        )
        .routes(routes!(feedbacks::list_feedbacks))
        .routes(routes!(feedbacks::list_feedbacks_of))
        .route(
            "/feedbacks/{start_date}/{end_date}/{form_id}/",
            get(feedbacks::list_feedbacks),
        )
        .routes(routes!(feedbacks::list_comments))
        .routes(routes!(feedbacks::list_comments_of))
        .route(
            "/feedbacks/comment/{start_date}/{end_date}/{form_id}/",
            get(feedbacks::list_comments),
        )
        .route_layer(from_fn(quick));
    OpenApiRouter::new().nest("/api_v1/report", reports)
}

fn sms() -> OpenApiRouter<AppState> {
    let sms = OpenApiRouter::new()
        .routes(routes!(import::import_sms))
        .routes(routes!(batch::list_batches).layer(from_fn(quick)))
        .routes(routes!(batch::read_batch).layer(from_fn(quick)))
        .routes(routes!(import_error::list_errors).layer(from_fn(quick)))
        .routes(routes!(batch::cancel_batch).layer(from_fn(patient)))
        .routes(routes!(batch::retry_batch).layer(from_fn(patient)))
        .routes(
            routes!(recipient::read_recipient, recipient::erase_recipient).layer(from_fn(quick)),
        );
    OpenApiRouter::new().nest("/api_v1/sms", sms)
}

/// The routes behind a scope, whatever the method.
fn scoped(scope: Scope, group: OpenApiRouter<AppState>) -> OpenApiRouter<AppState> {
    let (router, document) = group.split_for_parts();
    let check =
        move |caller: Caller, request: Request, next: Next| require(scope, caller, request, next);
    let router: Router<AppState> = router
        .method_not_allowed_fallback(method_not_allowed)
        .route_layer(from_fn(check));
    OpenApiRouter::with_openapi(document).merge(router.into())
}
