//! What a terminal shows of each report.

use std::fmt::Write;

use serde_json::Value;

use super::table::{Table, printable};
use crate::output::{list, word};

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
        let retired = if field["retired"] == true {
            ", retired"
        } else {
            ""
        };
        let _ = write!(
            out,
            "\n{} ({}{retired}): {} answers, {} skipped",
            printable(word(&field["label"])),
            word(&field["type"]),
            field["answers"],
            field["skipped"]
        );
        if let Some(mean) = field["mean"].as_f64() {
            let _ = write!(out, ", mean {mean:.2}");
        }
        out.push('\n');
        let mut shares = Table::new(["  answer", "count#", "share#"]);
        for value in list(&field["distribution"]) {
            let label = format!("  {}", word(&value["label"]));
            shares.push([label, value["count"].to_string(), percent(&value["share"])]);
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
            number(&item["nps"]),
            number(&item["happiness"]),
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

/// Metrics by their names, and how they changed, unless that is null; then what they say of messages, if any were sent.
fn figures(rows: &[(String, &Value)], change: &Value, out: &mut String) {
    let titles = [
        "",
        "views#",
        "responses#",
        "rate#",
        "comments#",
        "happiness#",
        "NPS#",
    ];
    let mut figures = Table::new(titles);
    let titles = [
        "",
        "sent#",
        "delivered#",
        "answered#",
        "answered of delivered#",
    ];
    let mut messages = Table::new(titles);
    for (name, metrics) in rows {
        let (happiness, nps) = (&metrics["happiness"], &metrics["nps_detail"]);
        figures.push([
            name.clone(),
            metrics["views"].to_string(),
            metrics["responses"].to_string(),
            percent(&metrics["response_rate"]),
            metrics["comments"].to_string(),
            with_ends(percent(&metrics["happiness_rate"]), happiness, 100.0),
            with_ends(decimal(&metrics["nps"], 1.0), nps, 1.0),
        ]);
        if !metrics["sent"].is_null() {
            messages.push([
                name.clone(),
                metrics["sent"].to_string(),
                metrics["delivered"].to_string(),
                metrics["answered"].to_string(),
                percent(&metrics["response_rate_delivered"]),
            ]);
        }
    }
    if !change.is_null() {
        figures.push([
            "change".to_owned(),
            signed(&change["views"]),
            signed(&change["responses"]),
            points(&change["response_rate"], 100.0),
            signed(&change["comments"]),
            points(&change["happiness_rate"], 100.0),
            points(&change["nps"], 1.0),
        ]);
    }
    if !change["sent"].is_null() {
        messages.push([
            "change".to_owned(),
            signed(&change["sent"]),
            signed(&change["delivered"]),
            signed(&change["answered"]),
            points(&change["response_rate_delivered"], 100.0),
        ]);
    }
    figures.write(out);
    if !messages.is_empty() {
        out.push('\n');
        messages.write(out);
    }
}

/// The days on which there was anything.
fn days(body: &Value, out: &mut String) {
    let counters = [
        "views",
        "responses",
        "comments",
        "sent",
        "delivered",
        "answered",
    ];
    let titles = [
        "day",
        "views#",
        "responses#",
        "comments#",
        "sent#",
        "delivered#",
        "answered#",
    ];
    let mut table = Table::new(titles);
    for day in list(&body["daily"]) {
        let counts = counters.map(|counter| &day[counter]);
        if counts.iter().any(|count| count.as_i64() != Some(0)) {
            let [views, responses, comments, sent, delivered, answered] =
                counts.map(Value::to_string);
            let day = word(&day["date"]).to_owned();
            table.push([day, views, responses, comments, sent, delivered, answered]);
        }
    }
    if !table.is_empty() {
        out.push('\n');
        table.write(out);
    }
}

/// A figure with its 95 % interval.
fn with_ends(figure: String, detail: &Value, factor: f64) -> String {
    if detail["low"].is_null() {
        return figure;
    }
    let [low, high] = ["low", "high"].map(|end| decimal(&detail[end], factor));
    format!("{figure} ({low} to {high})")
}

fn percent(rate: &Value) -> String {
    figure(rate, |rate| format!("{:.1} %", 100.0 * rate))
}

fn decimal(value: &Value, factor: f64) -> String {
    figure(value, |value| format!("{:.1}", factor * value))
}

fn points(value: &Value, factor: f64) -> String {
    figure(value, |value| format!("{:+.1}", factor * value))
}

fn figure(value: &Value, show: impl FnOnce(f64) -> String) -> String {
    value.as_f64().map_or_else(dash, show)
}

fn signed(count: &Value) -> String {
    let count = count.as_i64();
    count.map_or_else(dash, |count| format!("{count:+}"))
}

/// A grade.
fn number(value: &Value) -> String {
    let grade = value.as_u64();
    grade.map_or_else(dash, |grade| grade.to_string())
}

fn dash() -> String {
    "–".to_owned()
}
