//! What a request for a report of one form names in its path.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use chrono_tz::Tz;
use domain::date_range::DateRange;
use domain::form::BusProp;
use report::FormQuery;
use serde::Deserialize;
use store::form::FormKey;
use utoipa::IntoParams;

use crate::ReportState;
use api_http::{Caller, Problem, Result, parse_id};

/// A form of the caller's account or of nobody, days, and a business property that some form may have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FormReportRequest {
    pub form: FormKey,
    pub range: DateRange,
    pub bus_prop: Option<BusProp>,
    pub time_zone: Tz,
}

impl FormReportRequest {
    fn new(path: &FormPath, form: FormKey, time_zone: Tz) -> Result<Self> {
        let range = DateRange::parse(&path.start_date, &path.end_date)
            .map_err(|error| Problem::invalid_parameter(error.to_string()))?;
        let bus_prop = match path.bus_prop.as_str() {
            "" => None,
            text => Some(
                BusProp::parse(text)
                    .map_err(|error| Problem::invalid_parameter(format!("bus_prop {error}")))?,
            ),
        };
        Ok(Self {
            form,
            range,
            bus_prop,
            time_zone,
        })
    }

    /// The business property as text.
    pub fn bus_prop(&self) -> Option<&str> {
        self.bus_prop.as_ref().map(BusProp::as_str)
    }

    /// What the report of these days is made of.
    pub fn query(&self, range: DateRange, comments: usize) -> FormQuery<'_> {
        FormQuery {
            form: self.form,
            bus_prop: self.bus_prop(),
            range,
            time_zone: self.time_zone,
            comments,
            texts: 0,
        }
    }
}

/// The form has no business property of this text.
pub fn no_bus_prop() -> Problem {
    Problem::invalid_parameter("the form has no such bus_prop")
}

impl FromRequestParts<ReportState> for FormReportRequest {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ReportState) -> Result<Self> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let Path(path) = Path::<FormPath>::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::invalid_parameter("the path is not UTF-8"))?;
        let form_id = parse_id("form_id", &path.form_id)?;
        let form = FormKey::new(caller.account_id(), form_id);
        // 404 comes before other errors.
        let request = Self::new(&path, form, caller.time_zone());
        caller.unless_missing(form_id, request).await
    }
}

/// The path's parameters by their names: operations have them in different orders.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct FormPath {
    /// First day.
    #[param(example = "2026-01-01", format = Date, value_type = String)]
    start_date: String,
    /// Last day; at most 1,830 days in all.
    #[param(example = "2026-12-31", format = Date, value_type = String)]
    end_date: String,
    /// A form of any status, DELETED too.
    #[param(value_type = Uuid)]
    form_id: String,
    /// Left out or empty: all. For the document it is a [`BusPropPath`].
    #[param(ignore)]
    #[serde(default)]
    bus_prop: String,
}

/// The business property of a path, for the document.
#[expect(dead_code, reason = "only its parameters are used")]
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub struct BusPropPath {
    /// One of the form's, `<name>:<value>`, percent-encoded. It may be retired.
    #[param(example = "store:Berlin", max_length = 500, pattern = "^[^:]+:.+$")]
    bus_prop: String,
}

/// What a caller has already, for the document.
#[expect(dead_code, reason = "only its parameters are used")]
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct Conditional {
    /// An `ETag` that the caller has. One of a newer version than this instance keeps is never answered from what it keeps.
    #[param(rename = "If-None-Match", required = false, nullable = false)]
    if_none_match: Option<String>,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn request(bus_prop: &str) -> Result<FormReportRequest> {
        let path = FormPath {
            form_id: String::new(),
            start_date: "2026-02-01".to_owned(),
            end_date: "2026-02-28".to_owned(),
            bus_prop: bus_prop.to_owned(),
        };
        let form = FormKey::new(Uuid::from_u128(1), Uuid::from_u128(2));
        FormReportRequest::new(&path, form, Tz::UTC)
    }

    #[test]
    fn a_business_property_has_a_name_and_a_value() {
        for text in ["store", ":x", "x:", ":", "a:\u{0}"] {
            assert!(request(text).is_err(), "{text}");
        }
    }
}
