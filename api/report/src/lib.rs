//! Reports as they are answered: each body beside its handler.
//!
//! # Layout
//! - `overview`, `form` (with the summary): figures, made from series of days and kept as they were rendered (`rendered`).
//!   `feedbacks`: lists of what was answered, read from the database each time, and erasing it.
//! - `share`: read-only pages of a report. `audit`: the audit log. `retention`: how long what is kept.
//! - [`operations`]: what the routes of feedbacks, shares and the audit log do, and the dashboard.
//! - `request`: which form, days and business property. `figures`: days and metrics as all reports show them.
//!
//! What is *not* here: where series come from (the crate `report`), how rates and intervals are made
//! (`domain::metrics`).

mod audit;
mod feedbacks;
mod figures;
mod form;
pub mod operations;
mod overview;
mod rendered;
mod request;
mod retention;
mod schema;
mod share;

use std::sync::Arc;

use api_http::AppState;
use api_http::scoped::scoped;
use domain::scope::Scope;
use platform::cache::Cache;
use utoipa::IntoParams;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::Paths;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

pub use self::feedbacks::item::{FeedbackItem, items};
pub use self::feedbacks::search::AnswerQuery;
pub use self::operations::ShareItem;
use self::rendered::RenderedReports;
use self::request::BusPropPath;

/// The state of these routes. Cheap to clone.
#[derive(Clone)]
struct ReportState {
    app: AppState,
    cache: Cache,
    rendered: Arc<RenderedReports>,
}

/// Everything under `/api_v1/report`, `/api_v1/feedback`, `/api_v1/audit` and `/api_v1/account/retention`, documented.
pub fn routes(app: &AppState, cache: Cache) -> OpenApiRouter {
    // The last segment, a business property, may be left out or empty.
    let reports = OpenApiRouter::new().routes(routes!(overview::overview));
    let of_form = "Report on a form's feedbacks of one business property.";
    let reports = with_bus_prop(reports, routes!(form::form_report), of_form);
    let of_summary = "Summarise a form's feedbacks of one business property.";
    let reports = with_bus_prop(reports, routes!(form::summary), of_summary);
    let of_list = "List feedbacks of one business property, newest first.";
    let reports = with_bus_prop(reports, routes!(feedbacks::list_feedbacks), of_list);
    let of_comments = "List feedbacks with a comment of one business property, newest first.";
    let comments = with_comment(routes!(feedbacks::list_feedbacks));
    let reports = with_bus_prop(reports, comments, of_comments);
    let reports = reports
        .routes(routes!(share::create_share, share::list_shares))
        .routes(routes!(share::withdraw_share));
    let feedback = OpenApiRouter::new().routes(routes!(feedbacks::erase_feedback));
    let audit = OpenApiRouter::new()
        .routes(routes!(audit::list_audit))
        .routes(routes!(audit::read_access_of_day));
    let retention = OpenApiRouter::new()
        .routes(routes!(retention::read_retention, retention::set_retention))
        .routes(routes!(retention::preview_retention));
    scoped(Scope::Report, "report", reports)
        .merge(scoped(Scope::Audit, "account", audit))
        .merge(scoped(Scope::Retention, "account", retention))
        .merge(scoped(Scope::Form, "form", feedback))
        .with_state(ReportState {
            app: app.clone(),
            cache,
            rendered: Arc::new(RenderedReports::new(app.parts.reports)),
        })
}

/// The list of feedbacks where those with a comment are.
fn with_comment(
    (schemas, paths, list): UtoipaMethodRouter<ReportState>,
) -> UtoipaMethodRouter<ReportState> {
    let mut of_comments = Paths::new();
    for (path, mut item) in paths.paths {
        if let Some(operation) = &mut item.get {
            operation.operation_id = Some("list_comments".to_owned());
            operation.summary = Some("List feedbacks with a comment, newest first.".to_owned());
        }
        let path = path.replace(feedbacks::FEEDBACKS, feedbacks::COMMENTS);
        of_comments.paths.insert(path, item);
    }
    (schemas, of_comments, list)
}

/// Adds a report of a form, and the same of one business property: the last segment of the path, which may be empty.
fn with_bus_prop(
    router: OpenApiRouter<ReportState>,
    (schemas, paths, report): UtoipaMethodRouter<ReportState>,
    summary: &str,
) -> OpenApiRouter<ReportState> {
    let mut of_bus_prop = Paths::new();
    let mut router = router;
    for (path, item) in &paths.paths {
        let mut item = item.clone();
        if let Some(operation) = &mut item.get {
            let id = operation.operation_id.as_deref().unwrap_or_default();
            operation.operation_id = Some(format!("{id}_of"));
            operation.summary = Some(summary.to_owned());
            let parameters = operation.parameters.get_or_insert_default();
            let bus_prop = BusPropPath::into_params(|| None);
            parameters.extend(bus_prop.into_iter().map(RefOr::T));
        }
        router = router.route(&format!("{path}/"), report.clone());
        let path = format!("{path}/{{bus_prop}}");
        of_bus_prop.paths.insert(path, item);
    }
    router
        .routes((schemas, paths, report.clone()))
        .routes((Vec::new(), of_bus_prop, report))
}
