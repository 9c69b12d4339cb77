//! Reports as they are answered: one file an operation, its body beside its handler.
//!
//! # Layout
//! - `overview`, `form`, `summary`: figures, made from series of days and kept as they were rendered (`rendered`,
//!   `answer`). `feedbacks`: lists of what was answered, read from the database each time. `feedback`: erasing one.
//! - `request`: which form, days and business property. `figures`: days and metrics as all reports show them. `schema`:
//!   what `domain` serialises, for the document.
//!
//! What is *not* here: where series come from (the crate `report`), how rates and intervals are made
//! (`domain::metrics`).

mod answer;
mod feedback;
mod feedbacks;
mod figures;
mod form;
mod overview;
mod rendered;
mod request;
mod schema;
mod summary;

use std::sync::Arc;

use api_http::AppState;
use api_http::deadline::quick;
use api_http::scoped::{PathParameter, scoped};
use axum::extract::FromRef;
use axum::middleware::from_fn;
use axum::routing::get;
use domain::scope::Scope;
use platform::cache::Cache;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use self::rendered::RenderedReports;

/// The state of these routes. Cheap to clone.
#[derive(Clone)]
struct ReportState {
    app: AppState,
    cache: Cache,
    rendered: Arc<RenderedReports>,
}

impl FromRef<ReportState> for AppState {
    fn from_ref(state: &ReportState) -> Self {
        state.app.clone()
    }
}

/// Everything under `/api_v1/report` and `/api_v1/feedback`, documented.
pub fn routes(app: &AppState, cache: Cache) -> OpenApiRouter {
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
    let feedback =
        OpenApiRouter::new().routes(routes!(feedback::erase_feedback).layer(from_fn(quick)));
    let reports = OpenApiRouter::new().nest("/api_v1/report", reports);
    let feedback = OpenApiRouter::new().nest("/api_v1/feedback", feedback);
    scoped(app, Scope::Report, "report", exists, reports)
        .merge(scoped(app, Scope::Form, "form", exists, feedback))
        .with_state(ReportState {
            app: app.clone(),
            cache,
            rendered: Arc::new(RenderedReports::new()),
        })
}

/// Whether the account has what a path names.
async fn exists(named: PathParameter) -> Result<bool, store::Error> {
    match (named.name.as_str(), named.uuid()) {
        ("form_id", Some(form_id)) => named.is_form(form_id).await,
        ("feedback_id", Some(feedback_id)) => {
            let store = named.app.store();
            let form = store.form_of_feedback(named.account_id, feedback_id);
            Ok(form.await?.is_some())
        }
        _ => Ok(true),
    }
}
