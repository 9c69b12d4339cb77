//! What reports must say, counted anew from what was seen and answered, as slowly and plainly as the documents put it.
//!
//! It knows the documents and no code of the service: two ways of counting that agree are worth more than one.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use chrono::NaiveDate;
use serde_json::{Map, Value, json};

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// A form, and all that was seen and answered of it.
#[derive(Clone, Debug, Default)]
pub struct FormHistory {
    /// The form as its owner reads it.
    pub form: Value,
    /// Each visit of a link once a day: link, visit, day.
    pub views: BTreeSet<(usize, u128, NaiveDate)>,
    /// What each link names.
    pub links: Vec<BTreeSet<String>>,
    /// The feedbacks that are stored now.
    pub feedbacks: Vec<Feedback>,
}

/// What reports say of messages, as the API lists them: those that were accepted on one of the days of an account in UTC.
pub fn of_messages<'a>(
    messages: impl IntoIterator<Item = &'a Value>,
    (start, end): (&str, &str),
) -> Value {
    let accepted: Vec<&Value> = messages
        .into_iter()
        .filter(|message| {
            let day = message["accepted_at"].as_str().and_then(|at| at.get(..10));
            message["kind"] != "test" && day.is_some_and(|day| start <= day && day <= end)
        })
        .collect();
    let count = |is_counted: &dyn Fn(&Value) -> bool| {
        let counted = accepted.iter().filter(|message| is_counted(message));
        i64::try_from(counted.count()).unwrap_or_default()
    };
    let (sent, delivered) = (count(&|_| true), count(&|m| m["status"] == "delivered"));
    let answered = count(&|m| m["answered_at"].is_string());
    let both = count(&|m| m["status"] == "delivered" && m["answered_at"].is_string());
    let unless_empty = |count: i64| (sent > 0).then_some(count);
    json!({
        "sent": unless_empty(sent), "delivered": unless_empty(delivered), "answered": unless_empty(answered),
        "response_rate_delivered": (delivered > 0).then(|| real(both) / real(delivered)),
    })
}

/// A stored feedback.
#[derive(Clone, Debug)]
pub struct Feedback {
    /// As the service named it.
    pub id: String,
    /// The link's place in [`FormHistory::links`].
    pub link: usize,
    /// The account's day of it.
    pub day: NaiveDate,
    /// Only what was answered: no blanks.
    pub answers: Value,
}

/// Which days and which business property are counted; an empty one is the whole.
#[derive(Clone, Copy, Debug)]
pub struct ReportScope<'a> {
    /// The first day.
    pub start: NaiveDate,
    /// The last day.
    pub end: NaiveDate,
    /// As on the form.
    pub bus_prop: &'a str,
}

/// The nine counters of some days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayCounters {
    /// In the order of a report's `daily`.
    pub counters: [i64; 9],
}

impl FormHistory {
    /// The feedbacks of a part.
    pub fn part<'a>(&'a self, part: ReportScope<'a>) -> impl Iterator<Item = &'a Feedback> {
        self.feedbacks.iter().filter(move |feedback| {
            part.start <= feedback.day
                && feedback.day <= part.end
                && self.names(feedback.link, part.bus_prop)
        })
    }

    fn names(&self, link: usize, bus_prop: &str) -> bool {
        bus_prop.is_empty()
            || self
                .links
                .get(link)
                .is_some_and(|names| names.contains(bus_prop))
    }

    /// The counters of a part.
    pub fn counts(&self, part: ReportScope) -> DayCounters {
        let [kind_nps, kind_mood, kind_comment] =
            ["nps", "happiness", "comment"].map(|kind| self.key_of(kind));
        let mut counts = DayCounters::default();
        let [
            views,
            responses,
            comments,
            happy,
            happiness_answers,
            promoters,
            passives,
            detractors,
            nps_answers,
        ] = &mut counts.counters;
        for (link, _, day) in &self.views {
            if part.start <= *day && *day <= part.end && self.names(*link, part.bus_prop) {
                *views += 1;
            }
        }
        for feedback in self.part(part) {
            *responses += 1;
            let grade = |key: &Option<String>| {
                let key = key.as_deref()?;
                feedback.answers.get(key)?.as_i64()
            };
            if let Some(key) = &kind_comment
                && feedback.answers.get(key).is_some()
            {
                *comments += 1;
            }
            if let Some(mood) = grade(&kind_mood) {
                *happiness_answers += 1;
                *happy += i64::from(mood >= 4);
            }
            if let Some(grade) = grade(&kind_nps) {
                *nps_answers += 1;
                match grade {
                    9.. => *promoters += 1,
                    7..9 => *passives += 1,
                    _ => *detractors += 1,
                }
            }
        }
        counts
    }

    /// The key of the one field of a type.
    fn key_of(&self, kind: &str) -> Option<String> {
        let fields = self.form["fields"].as_array()?;
        let field = fields.iter().find(|field| field["type"] == kind)?;
        field["key"].as_str().map(str::to_owned)
    }

    /// `metrics`
    pub fn metrics(&self, part: ReportScope) -> Value {
        self.counts(part).metrics()
    }

    /// `daily`
    pub fn daily(&self, part: ReportScope) -> Value {
        let days = part.start.iter_days().take_while(|day| *day <= part.end);
        days.map(|day| {
            let one = ReportScope {
                start: day,
                end: day,
                ..part
            };
            self.counts(one).daily(day)
        })
        .collect()
    }

    /// `fields`
    pub fn fields(&self, part: ReportScope) -> Value {
        let given: Vec<&Feedback> = self.part(part).collect();
        let fields = self.form["fields"].as_array().cloned().unwrap_or_default();
        fields
            .iter()
            .map(|field| summary(field, &given))
            .collect::<Value>()
    }

    /// Metrics, days and fields of the report of a form.
    pub fn form_report(&self, part: ReportScope) -> Value {
        json!({"metrics": self.metrics(part), "daily": self.daily(part), "fields": self.fields(part)})
    }

    /// Metrics, days, the period before and the change of a summary.
    pub fn summary(&self, part: ReportScope) -> Value {
        let days = (part.end - part.start).num_days() + 1;
        let back = |day: NaiveDate| day - chrono::TimeDelta::days(days);
        let before = ReportScope {
            start: back(part.start),
            end: back(part.end),
            ..part
        };
        let (metrics, previous) = (self.metrics(part), self.metrics(before));
        json!({
            "metrics": metrics,
            "daily": self.daily(part),
            "previous": {"start_date": before.start.to_string(), "end_date": before.end.to_string(), "metrics": previous},
            "change": change(&metrics, &previous),
        })
    }
}

impl DayCounters {
    /// Both together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (sum, more) in self.counters.iter_mut().zip(other.counters) {
            *sum += more;
        }
        self
    }

    /// As a day.
    pub fn daily(self, day: NaiveDate) -> Value {
        let mut object = Map::new();
        object.insert("date".to_owned(), day.to_string().into());
        for (name, count) in crate::report::COUNTERS.into_iter().zip(self.counters) {
            object.insert(name.to_owned(), count.into());
        }
        object.into()
    }

    /// As metrics.
    pub fn metrics(self) -> Value {
        let [
            views,
            responses,
            comments,
            happy,
            moods,
            promoters,
            passives,
            detractors,
            answers,
        ] = self.counters;
        let wilson = (moods > 0).then(|| {
            let (n, p) = (real(moods), real(happy) / real(moods));
            let middle = p + Z * Z / (2.0 * n);
            let reach = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
            let under = 1.0 + Z * Z / n;
            [(middle - reach) / under, (middle + reach) / under]
        });
        let nps = (answers > 0).then(|| 100.0 * real(promoters - detractors) / real(answers));
        let rocks = nps.map(|nps| {
            let n = real(answers) + 3.0;
            let (p, d) = ((real(promoters) + 0.75) / n, (real(detractors) + 0.75) / n);
            let reach = 100.0 * Z * ((p + d - (p - d) * (p - d)) / n).sqrt();
            let middle = 100.0 * (p - d);
            [
                (middle - reach).max(-100.0).min(nps),
                (middle + reach).min(100.0).max(nps),
            ]
        });
        json!({
            "views": views, "responses": responses,
            "response_rate": (views > 0).then(|| real(responses) / real(views)),
            "comments": comments,
            "happiness_rate": (moods > 0).then(|| real(happy) / real(moods)),
            "happiness": {"happy": happy, "answers": moods,
                          "low": wilson.map(|ends| ends[0]), "high": wilson.map(|ends| ends[1])},
            "nps": nps,
            "nps_detail": {"promoters": promoters, "passives": passives, "detractors": detractors,
                           "answers": answers, "low": rocks.map(|ends| ends[0]), "high": rocks.map(|ends| ends[1])},
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "tests count a few thousand")]
fn real(count: i64) -> f64 {
    count as f64
}

/// The difference of every rate and count; intervals have none.
fn change(now: &Value, before: &Value) -> Value {
    match (now, before) {
        (Value::Object(now), Value::Object(before)) => {
            let both = now
                .iter()
                .filter(|(name, _)| !["low", "high"].contains(&name.as_str()));
            let both = both.map(|(name, value)| {
                let was = before.get(name).unwrap_or(&Value::Null);
                (name.clone(), change(value, was))
            });
            Value::Object(both.collect())
        }
        (Value::Number(now), Value::Number(before)) => {
            if let (Some(now), Some(before)) = (now.as_i64(), before.as_i64()) {
                (now - before).into()
            } else {
                let [now, before] = [now, before].map(|number| number.as_f64().unwrap_or(f64::NAN));
                (now - before).into()
            }
        }
        _ => Value::Null,
    }
}

fn summary(field: &Value, given: &[&Feedback]) -> Value {
    let key = field["key"].as_str().unwrap_or_default();
    let answered: Vec<&Value> = given
        .iter()
        .filter_map(|feedback| feedback.answers.get(key))
        .collect();
    let answers = i64::try_from(answered.len()).unwrap_or_default();
    let responses = i64::try_from(given.len()).unwrap_or_default();
    let grades = match field["type"].as_str().unwrap_or_default() {
        "nps" => Some(0..=10),
        "happiness" => Some(1..=5),
        "rating" => Some(1..=field["scale"].as_i64().unwrap_or_default()),
        _ => None,
    };
    let share = |value: Value, label: String| {
        let times = |answer: &&&Value| match answer.as_array() {
            Some(many) => many.contains(&value),
            None => **answer == &value,
        };
        let count = i64::try_from(answered.iter().filter(times).count()).unwrap_or_default();
        let share = (answers > 0).then(|| real(count) / real(answers));
        json!({"value": value, "label": label, "count": count, "share": share})
    };
    let mean = grades.is_some() && answers > 0;
    let sum: i64 = answered.iter().filter_map(|answer| answer.as_i64()).sum();
    let mut distribution: Vec<Value> = Vec::new();
    for grade in grades.into_iter().flatten() {
        distribution.push(share(grade.into(), grade.to_string()));
    }
    for option in field["options"].as_array().into_iter().flatten() {
        let label = option["label"].as_str().unwrap_or_default().to_owned();
        distribution.push(share(option["value"].clone(), label));
    }
    json!({
        "key": field["key"], "type": field["type"], "label": field["label"], "retired": field["retired"],
        "answers": answers, "skipped": responses - answers,
        "mean": mean.then(|| real(sum) / real(answers)), "distribution": distribution,
    })
}

/// Every member of `wanted` is in `found` and the same; numbers may differ by what rounding makes of them.
///
/// # Errors
/// The first place where they differ.
pub fn agrees(found: &Value, wanted: &Value) -> Result<()> {
    at("", found, wanted)
}

fn at(place: &str, found: &Value, wanted: &Value) -> Result<()> {
    match (found, wanted) {
        (Value::Object(has), Value::Object(wants)) => {
            for (name, value) in wants {
                ensure!(has.contains_key(name), "{place}/{name} is missing: {found}");
                at(&format!("{place}/{name}"), &found[name], value)?;
            }
        }
        (Value::Array(has), Value::Array(wants)) => {
            ensure!(
                has.len() == wants.len(),
                "{place} has {} items, not {}: {found}",
                has.len(),
                wants.len()
            );
            for (number, (value, wanted)) in has.iter().zip(wants).enumerate() {
                at(&format!("{place}/{number}"), value, wanted)?;
            }
        }
        (Value::Number(has), Value::Number(wants)) if !(has.is_i64() && wants.is_i64()) => {
            let [has, wants] = [has, wants].map(|number| number.as_f64().unwrap_or(f64::NAN));
            let most = 1e-12 * wants.abs().max(1.0);
            ensure!((has - wants).abs() <= most, "{place} is {has}, not {wants}");
        }
        _ => ensure!(found == wanted, "{place} is {found}, not {wanted}"),
    }
    Ok(())
}
