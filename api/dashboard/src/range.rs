//! Which days a page is about, and what they are compared with: `?days=30`, `?range=last-month`, or
//! `?from=2026-01-01&to=2026-01-31`, and `&compare=year`; kept in every link of the page.

use api_http::{Problem, Result};
use api_language::Text;
use axum::http::{StatusCode, Uri};
use chrono::{NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::date_range::{DateRange, day_of};
use domain::period::{CalendarPeriod, Comparison};
use serde::Deserialize;
use url::form_urlencoded::{Serializer, parse};

/// The last days that pages offer, and what they begin with.
const OFFERED: [i64; 4] = [1, 7, 30, 90];
const DEFAULT: i64 = 30;
/// What stays while somebody goes from page to page: days, what they are compared with, form and business property.
const KEPT: [&str; 7] = ["days", "range", "from", "to", "compare", "form", "bus_prop"];

/// The parameters of a page about some days, as texts: what is no range is said on the page.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct RangeQuery {
    days: Option<String>,
    range: Option<String>,
    from: Option<String>,
    to: Option<String>,
    compare: Option<String>,
}

/// Some days, and the links to others.
pub struct Range {
    pub dates: DateRange,
    /// What they are compared with; `None` where [`Self::is_running`], too.
    pub compared: Option<DateRange>,
    /// Whether not even their first day is over: counts have no hours, so there is no like part of days before.
    pub is_running: bool,
    /// Whether today, which is not over, is one of them.
    pub has_today: bool,
    choice: Choice,
    comparison: Comparison,
    /// What was typed as the first and the last day.
    pub from: String,
    pub to: String,
    /// Why the days are not those that were asked for.
    pub problem: Option<Problem>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Days(i64),
    Period(CalendarPeriod),
    Dates,
}

/// A link to other days.
pub struct OfferedRange {
    pub label: String,
    pub query: String,
    pub is_chosen: bool,
}

impl Range {
    /// Of parameters; where they are no range, of the days that pages begin with, and the problem.
    pub fn read(query: &RangeQuery, zone: Tz) -> Self {
        let today = day_of(Utc::now(), zone);
        let found = find(query, today);
        let comparison = query.compare.as_deref().map(str::parse::<Comparison>);
        let wrong = |_| Problem::invalid_parameter("compare is neither before nor year");
        let comparison = comparison.transpose().map_err(wrong);
        let (choice, dates) = match &found {
            Ok(found) => *found,
            Err(_) => (
                Choice::Days(DEFAULT),
                last_days(DEFAULT, today).unwrap_or(DateRange::day(today)),
            ),
        };
        let problem = found.err().or(comparison.as_ref().err().cloned());
        let comparison = comparison.ok().flatten().unwrap_or_default();
        let period = match choice {
            Choice::Period(period) => Some(period),
            Choice::Days(_) | Choice::Dates => None,
        };
        let is_running = dates.start() >= today;
        let compared = comparison.dates(period, dates);
        let typed = |text: &Option<String>, day: NaiveDate| text.clone().unwrap_or(day.to_string());
        Self {
            dates,
            compared: compared.filter(|_| !is_running),
            is_running,
            has_today: dates.contains(today),
            choice,
            comparison,
            from: typed(&query.from, dates.start()),
            to: typed(&query.to, dates.end()),
            problem,
        }
    }

    /// # Errors
    /// 400: no range.
    pub fn checked(query: &RangeQuery, zone: Tz) -> Result<Self> {
        let mut range = Self::read(query, zone);
        range.problem.take().map_or(Ok(range), Err)
    }

    /// Of a page about these days.
    pub fn status(&self) -> StatusCode {
        if self.problem.is_some() {
            StatusCode::BAD_REQUEST
        } else {
            StatusCode::OK
        }
    }

    /// As parameters of a URL.
    pub fn query(&self) -> String {
        query(self.choice, self.dates, self.comparison)
    }

    /// The same for other days.
    pub fn query_of(&self, dates: DateRange) -> String {
        query(Choice::Dates, dates, self.comparison)
    }

    /// The parameter that says what the days are compared with; empty: the days before.
    pub fn comparison(&self) -> &'static str {
        match self.comparison {
            Comparison::Before => "",
            Comparison::Year => self.comparison.into_str(),
        }
    }

    /// The same, for the fields of a form.
    pub fn pairs(&self) -> Vec<(String, String)> {
        parse(self.query().as_bytes()).into_owned().collect()
    }

    /// In words: how many days up to today, or which.
    pub fn words(&self, t: &Text) -> String {
        words(self.choice, self.dates, t)
    }

    /// From which day to which, in words.
    pub fn dates_words(&self, t: &Text) -> String {
        words(Choice::Dates, self.dates, t)
    }

    /// What figures are compared with, in words.
    pub fn compared_words(&self, t: &Text) -> String {
        let dates = |dates: DateRange| words(Choice::Dates, dates, t);
        self.compared.map_or_else(String::new, dates)
    }

    /// The last days that are offered, and these days if they are others.
    pub fn tabs(&self, t: &Text) -> Vec<OfferedRange> {
        let mut choices = OFFERED.map(Choice::Days).to_vec();
        if !choices.contains(&self.choice) {
            choices.push(self.choice);
        }
        choices
            .into_iter()
            .map(|choice| self.offered(choice, t))
            .collect()
    }

    /// The periods of the calendar.
    pub fn periods(&self, t: &Text) -> Vec<OfferedRange> {
        let periods = CalendarPeriod::all().map(Choice::Period);
        periods.map(|choice| self.offered(choice, t)).collect()
    }

    fn offered(&self, choice: Choice, t: &Text) -> OfferedRange {
        OfferedRange {
            label: words(choice, self.dates, t),
            query: query(choice, self.dates, self.comparison),
            is_chosen: choice == self.choice,
        }
    }

    /// The same days, compared with the days before or those a year ago.
    pub fn comparisons(&self, t: &Text) -> [OfferedRange; 2] {
        [Comparison::Before, Comparison::Year].map(|comparison| OfferedRange {
            label: t.of("compare", comparison.into_str()),
            query: query(self.choice, self.dates, comparison),
            is_chosen: comparison == self.comparison,
        })
    }
}

fn find(query: &RangeQuery, today: NaiveDate) -> Result<(Choice, DateRange)> {
    let wrong = |error: domain::invalid::NotValid| Problem::invalid_parameter(error.to_string());
    if let Some(period) = &query.range {
        let period: CalendarPeriod = period
            .parse()
            .map_err(|()| Problem::invalid_parameter("range is no period of the calendar"))?;
        return Ok((Choice::Period(period), period.dates(today)));
    }
    if let (Some(from), Some(to)) = (&query.from, &query.to) {
        return Ok((Choice::Dates, DateRange::parse(from, to).map_err(wrong)?));
    }
    let days = match query.days.as_deref() {
        None => DEFAULT,
        Some(days) => days
            .parse()
            .map_err(|_| Problem::invalid_parameter("days is no number"))?,
    };
    let dates = last_days(days, today).map_err(wrong)?;
    Ok((Choice::Days(days), dates))
}

/// So many days up to today.
fn last_days(days: i64, today: NaiveDate) -> Result<DateRange, domain::invalid::NotValid> {
    let first = days
        .checked_sub(1)
        .and_then(TimeDelta::try_days)
        .and_then(|back| today.checked_sub_signed(back));
    let first = first.unwrap_or(NaiveDate::MIN).to_string();
    DateRange::parse(&first, &today.to_string())
}

fn query(choice: Choice, dates: DateRange, comparison: Comparison) -> String {
    let days = match choice {
        Choice::Days(days) => format!("days={days}"),
        Choice::Period(period) => format!("range={period}"),
        Choice::Dates => format!("from={}&to={}", dates.start(), dates.end()),
    };
    match comparison {
        Comparison::Before => days,
        Comparison::Year => format!("{days}&compare={}", comparison.into_str()),
    }
}

fn words(choice: Choice, dates: DateRange, t: &Text) -> String {
    match choice {
        Choice::Days(1) => t.get("range-today"),
        Choice::Days(days) => t.count("range-days", days),
        Choice::Period(period) => t.of("range", period),
        Choice::Dates if dates.num_days() == 1 => t.date(dates.start()),
        Choice::Dates => format!("{} – {}", t.date(dates.start()), t.date(dates.end())),
    }
}

/// The parameters of a page that links in its frame keep.
pub fn kept(uri: &Uri) -> String {
    let pairs = parse(uri.query().unwrap_or_default().as_bytes());
    let pairs = pairs.filter(|(name, value)| KEPT.contains(&&**name) && !value.is_empty());
    let mut kept = Serializer::new(String::new());
    kept.extend_pairs(pairs);
    if let Some(form_id) = uri.path().strip_prefix("/dashboard/form/") {
        kept.append_pair("form", form_id);
    }
    kept.finish()
}
