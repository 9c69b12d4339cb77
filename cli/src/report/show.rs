//! What a terminal shows of each report.

use std::fmt::Write;
use std::iter::once;

use console::Term;
use serde_json::Value;

use super::chart::chart;
use crate::output::{list, word};
use crate::table::{Table, printable};

/// The overview.
pub(super) fn overview(body: &Value) -> String {
    let mut out = head(body);
    let mut rows = vec![("all forms".to_owned(), &body["metrics"])];
    rows.extend(list(&body["forms"]).iter().map(|form| {
        let name = format!("{} ({})", word(&form["title"]), word(&form["status"]));
        (name, &form["metrics"])
    }));
    figures(&rows, &Value::Null, &mut out);
    let _ = writeln!(out, "\nrecipients: {}", body["metrics"]["recipients"]);
    days(body, &mut out);
    out
}

/// A form's report.
pub(super) fn form(body: &Value) -> String {
    let mut out = head(body);
    let rows = [("figures".to_owned(), &body["metrics"])];
    figures(&rows, &Value::Null, &mut out);
    for field in list(&body["fields"]) {
        let (label, kind) = (printable(word(&field["label"])), word(&field["type"]));
        let is_retired = field["retired"] == true;
        let retired = if is_retired { ", retired" } else { "" };
        let (answers, skipped) = (&field["answers"], &field["skipped"]);
        let _ = write!(
            out,
            "\n{label} ({kind}{retired}): answers {answers}, skipped {skipped}"
        );
        if let Some(mean) = field["mean"].as_f64() {
            let _ = write!(out, ", mean {mean:.2}");
        }
        out.push('\n');
        let mut shares = Table::new(["  answer", "count#", "share#"]);
        for value in list(&field["distribution"]) {
            let label = format!("  {}", word(&value["label"]));
            shares.push([
                label,
                value["count"].to_string(),
                figure(&value["share"], PERCENT),
            ]);
        }
        if !shares.is_empty() {
            shares.write(&mut out);
        }
    }
    days(body, &mut out);
    let mut comments = Table::new(["latest comments", ""]);
    for item in list(&body["latest_comments"]) {
        let texts = [&item["submitted_at"], &item["comment"]];
        comments.push(texts.map(|text| word(text).to_owned()));
    }
    if !comments.is_empty() {
        out.push('\n');
        comments.write(&mut out);
    }
    out
}

/// A summary.
pub(super) fn summary(body: &Value) -> String {
    let mut out = head(body);
    let previous = &body["previous"];
    let (start, end) = (&previous["start_date"], &previous["end_date"]);
    let before = format!("{} to {}", word(start), word(end));
    let rows = [
        ("now".to_owned(), &body["metrics"]),
        (before, &previous["metrics"]),
    ];
    figures(&rows, &body["change"], &mut out);
    days(body, &mut out);
    out
}

/// A page of feedbacks.
pub(super) fn feedbacks(body: &Value) -> String {
    let mut out = head(body);
    let items = list(&body["items"]);
    let _ = writeln!(out, "{} of {}\n", items.len(), body["total"]);
    let mut table = Table::new(["submitted_at", "nps#", "happiness#", "bus_props", "comment"]);
    for item in items {
        let bus_props: Vec<_> = list(&item["bus_props"]).iter().map(word).collect();
        table.push([
            word(&item["submitted_at"]).to_owned(),
            figure(&item["nps"], COUNT),
            figure(&item["happiness"], COUNT),
            bus_props.join(", "),
            word(&item["comment"]).to_owned(),
        ]);
    }
    table.write(&mut out);
    out
}

/// What is reported: form, days, and as of when.
fn head(body: &Value) -> String {
    let mut out = String::new();
    if let Some(title) = body["title"].as_str() {
        out.push_str(&printable(title));
        if let Some(bus_prop) = body["bus_prop"].as_str() {
            let _ = write!(out, ", {}", printable(bus_prop));
        }
        out.push('\n');
    }
    let (start, end) = (word(&body["start_date"]), word(&body["end_date"]));
    let zone = word(&body["time_zone"]);
    let as_of = body["as_of"].as_str().unwrap_or("the beginning");
    let _ = writeln!(out, "{start} to {end} ({zone}), as of {as_of}\n");
    out
}

/// A column of figures: its title, the member that it shows, where the ends of its 95 % interval are (if anywhere), and its
/// unit.
type FigureColumn = (&'static str, &'static str, &'static str, FigureUnit);

/// By what a figure is multiplied, how many decimals it has, and what stands behind it.
type FigureUnit = (f64, usize, &'static str);

const COUNT: FigureUnit = (1.0, 0, "");
const PERCENT: FigureUnit = (100.0, 1, " %");
const POINTS: FigureUnit = (1.0, 1, "");

const FIGURES: &[FigureColumn] = &[
    ("views#", "views", "", COUNT),
    ("responses#", "responses", "", COUNT),
    ("rate#", "response_rate", "", PERCENT),
    ("comments#", "comments", "", COUNT),
    ("happiness#", "happiness_rate", "happiness", PERCENT),
    ("NPS#", "nps", "nps_detail", POINTS),
];
/// What the figures say of messages, if any were sent.
const MESSAGES: &[FigureColumn] = &[
    ("sent#", "sent", "", COUNT),
    ("delivered#", "delivered", "", COUNT),
    ("answered#", "answered", "", COUNT),
    (
        "answered of delivered#",
        "response_rate_delivered",
        "",
        PERCENT,
    ),
];

/// Metrics by their names, and how they changed, unless that is null; then those of messages.
fn figures(rows: &[(String, &Value)], change: &Value, out: &mut String) {
    for (place, columns) in [FIGURES, MESSAGES].into_iter().enumerate() {
        let (_, first, ..) = columns[0];
        let titles = columns.iter().map(|(title, ..)| *title);
        let mut table = Table::new(once("").chain(titles));
        for (name, metrics) in rows.iter().filter(|(_, metrics)| !metrics[first].is_null()) {
            let cells = columns.iter().map(|column| cell(column, metrics));
            table.push(once(name.clone()).chain(cells));
        }
        if !change[first].is_null() {
            let cells = columns.iter().map(|column| difference(column, change));
            table.push(once("change".to_owned()).chain(cells));
        }
        if !table.is_empty() {
            out.push_str(if place == 0 { "" } else { "\n" });
            table.write(out);
        }
    }
}

/// A figure with its 95 % interval.
fn cell((_, member, detail, unit): &FigureColumn, metrics: &Value) -> String {
    let (value, detail) = (figure(&metrics[member], *unit), &metrics[detail]);
    if detail["low"].is_null() {
        return value;
    }
    let (factor, decimals, _) = *unit;
    let [low, high] = ["low", "high"].map(|end| figure(&detail[end], (factor, decimals, "")));
    format!("{value} ({low} to {high})")
}

fn difference((_, member, _, (factor, decimals, _)): &FigureColumn, change: &Value) -> String {
    let more = change[member].as_f64();
    more.map_or_else(dash, |more| format!("{:+.decimals$}", factor * more))
}

/// What is counted of a day.
const COUNTERS: [&str; 6] = [
    "views#",
    "responses#",
    "comments#",
    "sent#",
    "delivered#",
    "answered#",
];

/// The trend, and the days on which there was anything.
fn days(body: &Value, out: &mut String) {
    let days = list(&body["daily"]);
    let counters = COUNTERS.map(|counter| counter.trim_end_matches('#'));
    let (_, width) = Term::stdout().size();
    chart(days, &counters, width.into(), out);
    let mut table = Table::new(once("day").chain(COUNTERS));
    for day in days {
        let counts = counters.map(|counter| &day[counter]);
        if counts.iter().any(|count| count.as_i64() != Some(0)) {
            let date = word(&day["date"]).to_owned();
            table.push(once(date).chain(counts.map(Value::to_string)));
        }
    }
    if !table.is_empty() {
        out.push('\n');
        table.write(out);
    }
}

fn figure(value: &Value, (factor, decimals, unit): FigureUnit) -> String {
    let value = value.as_f64();
    value.map_or_else(dash, |value| format!("{:.decimals$}{unit}", factor * value))
}

fn dash() -> String {
    "–".to_owned()
}
