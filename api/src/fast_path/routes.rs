//! What the fast path may be asked for, and what is counted of it under the names that the router has.

use std::time::Duration;

use axum::http::StatusCode;

use crate::observe::Meter;

/// Where reports are.
const REPORTS: &str = "/api_v1/report/";

/// The reports that are kept as they were answered, by their operation and how many segments follow it.
const KEPT: [(&str, usize, &str); 5] = [
    (
        "overview",
        2,
        "/api_v1/report/overview/{start_date}/{end_date}",
    ),
    (
        "form",
        3,
        "/api_v1/report/form/{form_id}/{start_date}/{end_date}",
    ),
    (
        "form",
        4,
        "/api_v1/report/form/{form_id}/{start_date}/{end_date}/{bus_prop}",
    ),
    (
        "summary",
        3,
        "/api_v1/report/summary/{start_date}/{end_date}/{form_id}",
    ),
    (
        "summary",
        4,
        "/api_v1/report/summary/{start_date}/{end_date}/{form_id}/{bus_prop}",
    ),
];

/// Every route of the fast path.
pub struct Routes {
    pub page: Route,
    reports: [Route; KEPT.len()],
}

/// What is counted of one route, by the statuses that the fast path answers with.
pub struct Route {
    found: Meter,
    not_modified: Meter,
}

impl Routes {
    pub fn new() -> Self {
        Self {
            page: Route::new("/f/{token}"),
            reports: KEPT.map(|(_, _, route)| Route::new(route)),
        }
    }

    /// The route of a report's path.
    pub fn of_report(&self, path: &str) -> Option<&Route> {
        let (operation, rest) = path.strip_prefix(REPORTS)?.split_once('/')?;
        let segments = rest.split('/').count();
        let place = KEPT
            .iter()
            .position(|(name, count, _)| *name == operation && *count == segments)?;
        self.reports.get(place)
    }
}

impl Route {
    fn new(route: &str) -> Self {
        Self {
            found: Meter::new(route, "GET", StatusCode::OK.as_u16()),
            not_modified: Meter::new(route, "GET", StatusCode::NOT_MODIFIED.as_u16()),
        }
    }

    /// Counts an answer that took so long.
    pub fn count(&self, status: StatusCode, latency: Duration) {
        let meter = if status == StatusCode::NOT_MODIFIED {
            &self.not_modified
        } else {
            &self.found
        };
        meter.count(latency);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_told_by_its_path() {
        let routes = Routes::new();
        let place = |path: &str| {
            let route = routes.of_report(path)?;
            routes
                .reports
                .iter()
                .position(|one| std::ptr::eq(one, route))
        };
        for (path, is) in [
            ("/api_v1/report/overview/a/b", Some(0)),
            ("/api_v1/report/form/a/b/c", Some(1)),
            ("/api_v1/report/form/a/b/c/d:e", Some(2)),
            ("/api_v1/report/summary/a/b/c", Some(3)),
            ("/api_v1/report/summary/a/b/c/d:e", Some(4)),
            ("/api_v1/report/overview/a", None),
            ("/api_v1/report/feedbacks/a/b/c", None),
            ("/api_v1/report/overview", None),
            ("/api_v1/reports/overview/a/b", None),
        ] {
            assert_eq!(place(path), is, "{path}");
        }
    }
}
