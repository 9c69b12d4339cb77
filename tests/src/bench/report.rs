//! What a bench found: rows, one table of them for people, one JSON file for machines.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::spread::Spread;

/// What a figure counts.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// MiB of memory.
    Mebibytes,
    /// Records a second.
    RecordsPerSecond,
    /// Answers a second.
    AnswersPerSecond,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds of a core.
    CoreMicroseconds,
    /// Bytes.
    Bytes,
    /// Commits.
    Commits,
    /// Answers.
    Answers,
    /// Messages.
    Messages,
    /// Messages a second.
    MessagesPerSecond,
    /// Receipts a second.
    ReceiptsPerSecond,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Mebibytes => "MiB",
            Self::RecordsPerSecond => "records/s",
            Self::AnswersPerSecond => "answers/s",
            Self::Milliseconds => "ms",
            Self::CoreMicroseconds => "core-µs",
            Self::Bytes => "bytes",
            Self::Commits => "commits",
            Self::Answers => "answers",
            Self::Messages => "messages",
            Self::MessagesPerSecond => "messages/s",
            Self::ReceiptsPerSecond => "receipts/s",
        }
    }

    fn show(self, value: f64) -> String {
        match self {
            Self::Seconds => format!("{value:.3} s"),
            Self::Mebibytes => format!("{value:.1} MiB"),
            Self::RecordsPerSecond
            | Self::AnswersPerSecond
            | Self::MessagesPerSecond
            | Self::ReceiptsPerSecond => format!("{value:.0}/s"),
            Self::Answers | Self::Messages | Self::Bytes => format!("{value:.0}"),
            Self::Commits => format!("{value:.4}"),
            Self::CoreMicroseconds => format!("{value:.1} µs"),
            Self::Milliseconds => format!("{value:.1} ms"),
        }
    }
}

/// What a row is judged by.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// The median of the rounds' ratios (ours ÷ reference) is at most this.
    RatioAtMost(f64),
    /// It is at least this.
    RatioAtLeast(f64),
    /// It is at least the first and at most the second.
    RatioBetween(f64, f64),
    /// Ours is at most this in every round, whatever a reference is.
    AtMost(f64),
    /// Ours is at least this in every round, whatever a reference is.
    AtLeast(f64),
    /// By nothing.
    None,
}

/// One measure, over some rounds.
#[derive(Clone, Debug)]
pub struct Row {
    measure: String,
    reference: &'static str,
    unit: Unit,
    target: Target,
    ours: Vec<f64>,
    references: Vec<f64>,
}

impl Row {
    /// A measure without rounds; `reference` says against what it is measured.
    pub fn new(
        measure: impl Into<String>,
        unit: Unit,
        reference: &'static str,
        target: Target,
    ) -> Self {
        Self {
            measure: measure.into(),
            reference,
            unit,
            target,
            ours: Vec::new(),
            references: Vec::new(),
        }
    }

    /// Adds a round of ours beside the reference.
    pub fn round(&mut self, ours: f64, reference: f64) {
        self.ours.push(ours);
        self.references.push(reference);
    }

    /// Adds a round that has no reference.
    pub fn lone_round(&mut self, ours: f64) {
        self.ours.push(ours);
    }

    fn ours(&self) -> Option<Spread> {
        Spread::of(self.ours.iter().copied())
    }

    fn ratio(&self) -> Option<Spread> {
        Spread::of(self.ours.iter().zip(&self.references).map(|(a, b)| a / b))
    }

    /// Whether the target is met; without rounds it is not.
    pub fn met(&self) -> bool {
        match self.target {
            Target::RatioAtMost(most) => self.ratio().is_some_and(|ratio| ratio.median <= most),
            Target::RatioAtLeast(least) => self.ratio().is_some_and(|ratio| ratio.median >= least),
            Target::RatioBetween(least, most) => self
                .ratio()
                .is_some_and(|ratio| (least..=most).contains(&ratio.median)),
            Target::AtMost(most) => self.ours().is_some_and(|ours| ours.max <= most),
            Target::AtLeast(least) => self.ours().is_some_and(|ours| ours.min >= least),
            Target::None => self.ours().is_some(),
        }
    }

    fn cells(&self) -> [String; 6] {
        let show = |values: &[f64]| {
            let spread = Spread::of(values.iter().copied());
            spread.map_or_else(String::new, |spread| self.unit.show(spread.median))
        };
        let ours = match (self.target, self.ours()) {
            // The one that is judged.
            (Target::AtMost(_), Some(spread)) => self.unit.show(spread.max),
            (Target::AtLeast(_), Some(spread)) => self.unit.show(spread.min),
            _ => show(&self.ours),
        };
        let reference = show(&self.references);
        let ratio = self.ratio().map_or_else(String::new, |ratio| {
            let (median, min, max) = (ratio.median, ratio.min, ratio.max);
            format!("{median:.2} ({min:.2}–{max:.2})")
        });
        let target = match self.target {
            Target::RatioAtMost(most) => format!("≤ {most:.2} ×"),
            Target::RatioAtLeast(least) => format!("≥ {least:.2} ×"),
            Target::RatioBetween(least, most) => format!("{least:.2}–{most:.2} ×"),
            Target::AtMost(most) => format!("≤ {}", self.unit.show(most)),
            Target::AtLeast(least) => format!("≥ {}", self.unit.show(least)),
            Target::None => String::new(),
        };
        let met = match self.target {
            Target::None => "",
            _ if self.met() => "met",
            _ => "MISSED",
        };
        [
            self.measure.clone(),
            ours,
            format!("{reference} {}", self.reference).trim().to_owned(),
            ratio,
            target,
            met.to_owned(),
        ]
    }

    fn json(&self) -> Value {
        let figures = |values: &[f64]| {
            let spread = Spread::of(values.iter().copied());
            spread.map(|spread| {
                let Spread { median, min, max } = spread;
                json!({"median": median, "min": min, "max": max, "rounds": values})
            })
        };
        let (kind, value) = match self.target {
            Target::RatioAtMost(most) => ("ratio_at_most", json!(most)),
            Target::RatioAtLeast(least) => ("ratio_at_least", json!(least)),
            Target::RatioBetween(least, most) => ("ratio_between", json!([least, most])),
            Target::AtMost(most) => ("at_most", json!(most)),
            Target::AtLeast(least) => ("at_least", json!(least)),
            Target::None => ("none", Value::Null),
        };
        let ratio = self
            .ratio()
            .map(|ratio| json!({"median": ratio.median, "min": ratio.min, "max": ratio.max}));
        json!({
            "measure": self.measure,
            "unit": self.unit.name(),
            "ours": figures(&self.ours),
            "reference": figures(&self.references),
            "against": self.reference,
            "ratio": ratio,
            "target": {"kind": kind, "value": value},
            "met": self.met(),
        })
    }
}

/// The table, for a terminal.
pub fn table(rows: &[Row]) -> String {
    let head = ["measure", "ours", "reference", "ratio", "target", ""].map(str::to_owned);
    let lines: Vec<[String; 6]> = std::iter::once(head)
        .chain(rows.iter().map(Row::cells))
        .collect();
    let mut widths = [0; 6];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut table = String::new();
    for line in &lines {
        let mut text = String::new();
        for (width, cell) in widths.iter().zip(line) {
            // Writing to a string cannot fail.
            let _ = write!(text, "{cell:width$}  ");
        }
        table.push_str(text.trim_end());
        table.push('\n');
    }
    table
}

/// Writes `TARGET/bench/NAME.json`: the facts of the run (an object), then its rows.
///
/// # Errors
/// When the facts are no object, or the file cannot be written.
pub fn write_json(target: &Path, name: &str, mut facts: Value, rows: &[Row]) -> Result<PathBuf> {
    let folder = target.join("bench");
    std::fs::create_dir_all(&folder)?;
    ensure!(facts.is_object(), "facts that are no object: {facts}");
    facts["bench"] = json!(name);
    facts["rows"] = rows.iter().map(Row::json).collect();
    let path = folder.join(format!("{name}.json"));
    std::fs::write(&path, format!("{facts:#}\n"))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_judged_by_its_median_and_a_limit_by_its_worst() {
        let mut ratio = Row::new("a", Unit::Seconds, r"\copy", Target::RatioAtMost(1.0));
        assert!(!ratio.met());
        for ours in [0.5, 0.9, 3.0] {
            ratio.round(ours, 1.0);
        }
        assert!(ratio.met());
        let mut between = Row::new("d", Unit::Seconds, "", Target::RatioBetween(0.9, 1.1));
        between.round(1.05, 1.0);
        assert!(between.met());
        between.round(3.0, 1.0);
        assert!(!between.met());
        let mut limit = Row::new("b", Unit::Mebibytes, "", Target::AtMost(96.0));
        limit.lone_round(95.0);
        assert!(limit.met());
        limit.lone_round(97.0);
        assert!(!limit.met());
        let mut step = Row::new("c", Unit::Seconds, "", Target::None);
        step.lone_round(1.5);
        let table = table(&[ratio, limit, step]);
        assert!(table.contains("1.500 s"), "{table}");
        assert!(table.contains("0.90 (0.50–3.00)  ≤ 1.00 ×"), "{table}");
        assert!(table.contains("97.0 MiB"), "{table}");
    }
}
