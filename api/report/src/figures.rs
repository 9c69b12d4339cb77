//! Days and metrics, as every report shows them.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::metrics::Metrics;
use domain::rollup::DayCounts;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::request::FormReportRequest;
use api_http::{Problem, Result};

/// What every report of one form begins with.
#[derive(Serialize, ToSchema)]
#[schema(as = FormHead)]
pub struct FormReportHead<'a> {
    start_date: NaiveDate,
    end_date: NaiveDate,
    /// In which the days are counted.
    #[schema(example = "Europe/Berlin")]
    time_zone: &'static str,
    /// When the last change that is counted was made.
    as_of: DateTime<Utc>,
    form_id: Uuid,
    title: &'a str,
    /// Which feedbacks are counted; null: all.
    #[schema(required = true, example = "store:Berlin")]
    bus_prop: Option<&'a str>,
}

impl<'a> FormReportHead<'a> {
    pub fn new(request: &'a FormReportRequest, title: &'a str, as_of: DateTime<Utc>) -> Self {
        Self {
            start_date: request.range.start(),
            end_date: request.range.end(),
            time_zone: request.time_zone.name(),
            as_of,
            form_id: request.form.form_id,
            title,
            bus_prop: request.bus_prop(),
        }
    }
}

/// One day.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Day {
    pub date: NaiveDate,
    #[serde(flatten)]
    #[schema(value_type = crate::schema::DayCounts)]
    pub counts: DayCounts,
}

/// Every day of the range, in order; `counts` of any days, in any order, those of one day are summed.
pub fn daily<T: Default + AddAssign>(
    range: DateRange,
    counts: impl IntoIterator<Item = (NaiveDate, T)>,
) -> BTreeMap<NaiveDate, T> {
    let mut days: BTreeMap<NaiveDate, T> = range.days().map(|date| (date, T::default())).collect();
    for (date, counts) in counts {
        if let Some(day) = days.get_mut(&date) {
            *day += counts;
        }
    }
    days
}

/// Days and their figures, of one form.
#[derive(Serialize, ToSchema)]
pub struct Figures {
    #[schema(value_type = crate::schema::Metrics)]
    pub metrics: Metrics,
    /// Every day of the range.
    pub daily: Vec<Day>,
}

impl Figures {
    pub fn new(days: BTreeMap<NaiveDate, DayCounts>) -> Self {
        let metrics = Metrics::from(&days.values().copied().sum());
        let days = days.into_iter();
        let daily = days.map(|(date, counts)| Day { date, counts }).collect();
        Self { metrics, daily }
    }
}

/// A body in JSON.
pub fn json(body: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(body).map_err(|error| Problem::internal(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn views(views: i64) -> DayCounts {
        DayCounts {
            views,
            ..DayCounts::default()
        }
    }

    #[test]
    fn every_day_is_listed_and_other_days_are_not_counted() {
        let range = DateRange::parse("2026-02-27", "2026-03-01").unwrap();
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        let days = daily(
            range,
            [
                (date("2026-03-01"), views(2)),
                (date("2026-02-26"), views(100)),
                (date("2026-03-02"), views(100)),
                (date("2026-02-27"), views(1)),
                (date("2026-03-01"), views(3)),
            ],
        );
        let figures = Figures::new(days);
        let days = figures.daily.iter();
        let seen: Vec<_> = days
            .map(|day| (day.date.to_string(), day.counts.views))
            .collect();
        assert_eq!(
            seen,
            [
                ("2026-02-27".to_owned(), 1),
                ("2026-02-28".to_owned(), 0),
                ("2026-03-01".to_owned(), 5)
            ]
        );
        assert_eq!(figures.metrics.views, 6);
    }

    #[test]
    fn a_day_is_one_object() {
        let day = Day {
            date: NaiveDate::default(),
            counts: views(7),
        };
        assert_eq!(
            serde_json::to_string(&day).unwrap(),
            concat!(
                r#"{"date":"1970-01-01","views":7,"responses":0,"comments":0,"happy":0,"happiness_answers":0,"#,
                r#""promoters":0,"passives":0,"detractors":0,"nps_answers":0,"#,
                r#""sent":0,"delivered":0,"answered":0}"#
            )
        );
    }
}
