//! Which days a page is about: `?days=30`, or `?from=2026-01-01&to=2026-01-31`, kept in every link of the page.

use api_http::{Problem, Result};
use api_language::Text;
use chrono::{NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::date_range::{DateRange, day_of};
use serde::Deserialize;

/// What pages offer; the second is what they begin with.
const OFFERED: [i64; 4] = [7, 30, 90, 1];
const DEFAULT: i64 = OFFERED[1];

/// The parameters of a page about some days.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct RangeQuery {
    /// A text, because what is flattened into other parameters comes as one.
    days: Option<String>,
    from: Option<String>,
    to: Option<String>,
}

/// Some days, and the links to others.
pub struct Range {
    pub dates: DateRange,
    /// Of the offered ranges; `None`: any other.
    days: Option<i64>,
}

impl Range {
    /// # Errors
    /// 400: no range.
    pub fn read(query: &RangeQuery, zone: Tz) -> Result<Self> {
        let today = day_of(Utc::now(), zone);
        let wrong =
            |error: domain::invalid::NotValid| Problem::invalid_parameter(error.to_string());
        if let (Some(from), Some(to)) = (&query.from, &query.to) {
            let dates = DateRange::parse(from, to).map_err(wrong)?;
            return Ok(Self { dates, days: None });
        }
        let days = match query.days.as_deref() {
            None => DEFAULT,
            Some(days) => days
                .parse()
                .map_err(|_| Problem::invalid_parameter("days is no number"))?,
        };
        let first = days
            .checked_sub(1)
            .and_then(TimeDelta::try_days)
            .and_then(|back| today.checked_sub_signed(back));
        let first = first.unwrap_or(NaiveDate::MIN).to_string();
        let dates = DateRange::parse(&first, &today.to_string()).map_err(wrong)?;
        Ok(Self {
            dates,
            days: Some(days),
        })
    }

    /// As parameters of a URL.
    pub fn query(&self) -> String {
        match self.days {
            Some(days) => format!("days={days}"),
            None => format!("from={}&to={}", self.dates.start(), self.dates.end()),
        }
    }

    /// In words: how many days up to today, or which.
    pub fn words(&self, t: &Text) -> String {
        match self.days {
            Some(1) => t.get("range-today"),
            Some(days) => t.count("range-days", days),
            None => format!(
                "{} – {}",
                t.date(self.dates.start()),
                t.date(self.dates.end())
            ),
        }
    }

    /// The ranges that are offered: their days, and whether this is one.
    pub fn offered(&self) -> [(i64, bool); 4] {
        let [week, month, quarter, today] = OFFERED;
        [today, week, month, quarter].map(|days| (days, self.days == Some(days)))
    }
}
