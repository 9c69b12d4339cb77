//! Reports as their readers ask for them, and what must hold for every one of them.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::Value;

use crate::check;
use crate::client::{Answer, Client};
use crate::import::segment;

/// Where reports are.
pub const REPORT: &str = "/api_v1/report";

/// The counters of a day, in the order of reports.
pub const COUNTERS: [&str; 12] = [
    "views",
    "responses",
    "comments",
    "happy",
    "happiness_answers",
    "promoters",
    "passives",
    "detractors",
    "nps_answers",
    "sent",
    "delivered",
    "answered",
];

/// The counters of messages.
const MESSAGES: [&str; 3] = ["sent", "delivered", "answered"];

/// The first and the last day of a report.
pub type Days<'a> = (&'a str, &'a str);

/// One of the four operations on one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// `report/form`
    Form,
    /// `report/summary`
    Summary,
    /// `report/feedbacks`
    Feedbacks,
    /// `report/feedbacks/comment`
    Comments,
}

impl Of {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Form, Self::Summary, Self::Feedbacks, Self::Comments];

    /// Its path, with the parameters in the order of the specification; `bus_prop` is left out where it is empty.
    pub fn path(self, form: &Value, days: Days, bus_prop: &str) -> String {
        let form_id = form["form_id"].as_str().unwrap_or_default();
        self.path_of(form_id, days, bus_prop)
    }

    /// The same with any text for the form's id.
    pub fn path_of(self, form_id: &str, (start, end): Days, bus_prop: &str) -> String {
        let mut path = match self {
            Self::Form => format!("{REPORT}/form/{form_id}/{start}/{end}"),
            Self::Summary => format!("{REPORT}/summary/{start}/{end}/{form_id}"),
            Self::Feedbacks => format!("{REPORT}/feedbacks/{start}/{end}/{form_id}"),
            Self::Comments => format!("{REPORT}/feedbacks/comment/{start}/{end}/{form_id}"),
        };
        if !bus_prop.is_empty() {
            path.push('/');
            path.push_str(&segment(bus_prop));
        }
        path
    }

    fn members(self) -> &'static [&'static str] {
        match self {
            Self::Form => &["daily", "fields", "latest_comments", "metrics"],
            Self::Summary => &["change", "daily", "metrics", "previous"],
            Self::Feedbacks | Self::Comments => &["items", "next_cursor", "total"],
        }
    }
}

/// The path of the overview.
pub fn overview((start, end): Days) -> String {
    format!("{REPORT}/overview/{start}/{end}")
}

impl Client {
    /// A report of one form, whose shape and sums were checked.
    ///
    /// # Errors
    /// When it is anything else.
    pub async fn report(
        &self,
        of: Of,
        form: &Value,
        days: Days<'_>,
        bus_prop: &str,
    ) -> Result<Value> {
        let path = of.path(form, days, bus_prop);
        let report = self.get(&path).await?.expect(200)?.json()?;
        let mut members = vec![
            "as_of",
            "bus_prop",
            "end_date",
            "form_id",
            "start_date",
            "time_zone",
            "title",
        ];
        members.extend(of.members());
        members.sort_unstable();
        ensure!(
            check::members(&report) == members,
            "other members: {report}"
        );
        let wanted = match bus_prop {
            "" => Value::Null,
            text => text.into(),
        };
        ensure!(
            report["form_id"] == form["form_id"] && report["bus_prop"] == wanted,
            "another form: {report}"
        );
        frame(&report, days)?;
        if matches!(of, Of::Form | Of::Summary) {
            sums(&report, &COUNTERS, days)?;
        }
        Ok(report)
    }

    /// The overview, whose shape and sums were checked.
    ///
    /// # Errors
    /// When it is anything else.
    pub async fn overview(&self, days: Days<'_>) -> Result<Value> {
        let report = self.get(&overview(days)).await?.expect(200)?.json()?;
        ensure!(
            check::members(&report)
                == [
                    "as_of",
                    "daily",
                    "end_date",
                    "forms",
                    "metrics",
                    "start_date",
                    "time_zone"
                ],
            "other members: {report}"
        );
        frame(&report, days)?;
        let mut counters = COUNTERS.to_vec();
        counters.push("recipients");
        sums(&report, &counters, days)?;
        Ok(report)
    }

    /// Every item of a list of feedbacks, page by page, and how often a page was asked for.
    ///
    /// # Errors
    /// When a page is no page, or the list has no end.
    pub async fn pages(&self, path: &str) -> Result<(Vec<Value>, usize)> {
        let (mut all, mut pages, mut next) = (Vec::new(), 0, path.to_owned());
        loop {
            let answer = self.get(&next).await?.expect(200)?;
            let (page, link) = page(&answer)?;
            all.extend(page);
            pages += 1;
            ensure!(pages <= 10_000, "a list without an end");
            match link {
                Some(link) => next = link,
                None => return Ok((all, pages)),
            }
        }
    }

    /// A GET with a tag of something seen before.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn get_unless(&self, path: &str, tag: &str) -> Result<Answer> {
        let call = self.call(Method::GET, path);
        call.header("if-none-match", tag).send().await
    }
}

/// The items of a page, and the path of the next one.
///
/// # Errors
/// When it is no page, or its header and its member do not agree on the next one.
pub fn page(answer: &Answer) -> Result<(Vec<Value>, Option<String>)> {
    let body = answer.json()?;
    let items = body["items"].as_array().context("no items")?.clone();
    let Some(cursor) = body["next_cursor"].as_str() else {
        ensure!(body["next_cursor"].is_null(), "no cursor: {body}");
        ensure!(answer.header("link").is_none(), "a next page: {answer:?}");
        return Ok((items, None));
    };
    let link = answer.header("link").context("no Link")?;
    let next = link
        .strip_prefix('<')
        .and_then(|link| link.strip_suffix(">; rel=\"next\""))
        .with_context(|| format!("no next page in {link}"))?;
    ensure!(next.contains(cursor), "another cursor in {next}: {cursor}");
    Ok((items, Some(next.to_owned())))
}

/// The tag of an answer.
///
/// # Errors
/// When it has none that is strong.
pub fn etag(answer: &Answer) -> Result<String> {
    let tag = answer.header("etag").context("no ETag")?;
    let inner = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
    ensure!(inner.is_some_and(|tag| !tag.is_empty()), "no ETag: {tag}");
    Ok(tag.to_owned())
}

fn frame(report: &Value, (start, end): Days) -> Result<()> {
    ensure!(
        report["start_date"] == start && report["end_date"] == end,
        "other days: {report}"
    );
    ensure!(report["time_zone"].is_string(), "no zone: {report}");
    let as_of = &report["as_of"];
    ensure!(
        as_of.as_str().is_some_and(check::is_time) || as_of.is_null() && report["forms"].is_array(),
        "no as_of: {report}"
    );
    Ok(())
}

/// Every day of the range is there, and the days sum to the metrics.
fn sums(report: &Value, counters: &[&str], (start, end): Days) -> Result<()> {
    let daily = report["daily"].as_array().context("no daily")?;
    let mut day: chrono::NaiveDate = start.parse()?;
    let last: chrono::NaiveDate = end.parse()?;
    let mut sum = vec![0; counters.len()];
    let mut wanted: Vec<&str> = counters.to_vec();
    wanted.push("date");
    wanted.sort_unstable();
    for counted in daily {
        ensure!(check::members(counted) == wanted, "other: {counted}");
        ensure!(
            counted["date"] == day.to_string(),
            "{day} expected: {counted}"
        );
        ensure!(
            count(counted, "responses")? <= count(counted, "views")?,
            "more responses than views: {counted}"
        );
        for (sum, counter) in sum.iter_mut().zip(counters) {
            *sum += count(counted, counter)?;
        }
        day = day.succ_opt().context("the end of time")?;
    }
    ensure!(day == last.succ_opt().context("the end of time")?, "{day}");
    for (sum, counter) in sum.iter().zip(counters) {
        let whole = in_metrics(&report["metrics"], counter);
        // Of messages nothing is told where there are none.
        let is_untold = whole.is_null() && report["metrics"]["sent"].is_null() && *sum == 0;
        ensure!(
            whole.as_i64() == Some(*sum) || is_untold && MESSAGES.contains(counter),
            "{counter}: the days have {sum}: {report}"
        );
    }
    Ok(())
}

fn count(object: &Value, member: &str) -> Result<i64> {
    let count = object[member].as_i64();
    count.with_context(|| format!("{member} is no count: {object}"))
}

/// A day's counter as metrics have it.
fn in_metrics<'a>(metrics: &'a Value, counter: &str) -> &'a Value {
    match counter {
        "happy" => &metrics["happiness"]["happy"],
        "happiness_answers" => &metrics["happiness"]["answers"],
        "nps_answers" => &metrics["nps_detail"]["answers"],
        "promoters" | "passives" | "detractors" => &metrics["nps_detail"][counter],
        other => &metrics[other],
    }
}
