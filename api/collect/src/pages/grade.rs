//! Grades: rows of numbers, and smileys.

use std::ops::RangeInclusive;

use super::question::id;

/// The most grades that a row has room for at 320 px, each 44 px wide.
const NARROW: usize = 6;

/// A row of grades that breaks into equal rows on a narrow screen.
pub(super) struct Scale {
    pub(super) grades: Vec<Grade>,
    /// Grades in a row: of a narrow and of a wide screen.
    pub(super) narrow: usize,
    pub(super) wide: usize,
}

impl Scale {
    /// 0 to 10.
    pub(super) fn nps(key: &str, typed: &[&str]) -> Self {
        let ends = ["not at all likely", "extremely likely"];
        Self::new(0..=10, ends, nps_tone, key, typed)
    }

    /// 1 to `highest`.
    pub(super) fn rating(highest: u8, key: &str, typed: &[&str]) -> Self {
        let ends = ["lowest", "highest"];
        Self::new(1..=highest, ends, |_| Tone::Even, key, typed)
    }

    fn new(
        values: RangeInclusive<u8>,
        [lowest, highest]: [&'static str; 2],
        tone: fn(u8) -> Tone,
        key: &str,
        typed: &[&str],
    ) -> Self {
        let (low, high) = (*values.start(), *values.end());
        let meaning = |value| match value {
            value if value == low => lowest,
            value if value == high => highest,
            _ => "",
        };
        let grades = Grade::all(values, meaning, tone, key, typed);
        let wide = grades.len();
        Self {
            narrow: wide.div_ceil(wide.div_ceil(NARROW)),
            wide,
            grades,
        }
    }

    /// The grades whose meaning stands below.
    pub(super) fn ends(&self) -> impl Iterator<Item = &Grade> {
        self.grades.iter().filter(|grade| !grade.meaning.is_empty())
    }
}

/// One grade of a scale.
pub(super) struct Grade {
    pub(super) id: String,
    pub(super) value: u8,
    /// What it means, in words; empty between the ends of a scale of numbers.
    pub(super) meaning: &'static str,
    pub(super) tone: Tone,
    pub(super) checked: bool,
}

/// How a grade is coloured: the name of its class in the style.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    Low,
    Mid,
    High,
    Even,
}

impl Tone {
    pub(super) fn class(self) -> &'static str {
        match self {
            Tone::Low => "low",
            Tone::Mid => "mid",
            Tone::High => "high",
            Tone::Even => "even",
        }
    }
}

impl Grade {
    /// 1 to 5, from very unhappy to very happy.
    pub(super) fn smileys(key: &str, typed: &[&str]) -> Vec<Self> {
        Self::all(1..=5, smiley_meaning, happiness_tone, key, typed)
    }

    fn all(
        values: RangeInclusive<u8>,
        meaning: impl Fn(u8) -> &'static str,
        tone: fn(u8) -> Tone,
        key: &str,
        typed: &[&str],
    ) -> Vec<Self> {
        let grade = |(place, value): (usize, u8)| Self {
            id: id(key, place),
            value,
            meaning: meaning(value),
            tone: tone(value),
            checked: typed.contains(&value.to_string().as_str()),
        };
        values.enumerate().map(grade).collect()
    }

    /// A smiley's mouth, as a path in a square of 32.
    pub(super) fn mouth(&self) -> &'static str {
        match self.value {
            1 => "M10 23q6-7 12 0",
            2 => "M11 22q5-3 10 0",
            3 => "M11 21h10",
            4 => "M11 20q5 4 10 0",
            _ => "M10 19q6 9 12 0z",
        }
    }
}

/// The words of the grade that is chosen; empty if none is.
pub(super) fn chosen(grades: &[Grade], words: impl Fn(&Grade) -> String) -> String {
    let chosen = grades.iter().find(|grade| grade.checked);
    chosen.map(words).unwrap_or_default()
}

/// Detractors, passives, promoters.
fn nps_tone(grade: u8) -> Tone {
    match grade {
        0..=6 => Tone::Low,
        7..=8 => Tone::Mid,
        _ => Tone::High,
    }
}

fn happiness_tone(grade: u8) -> Tone {
    match grade {
        0..=2 => Tone::Low,
        3 => Tone::Mid,
        _ => Tone::High,
    }
}

fn smiley_meaning(grade: u8) -> &'static str {
    match grade {
        1 => "Very unhappy",
        2 => "Unhappy",
        3 => "Neutral",
        4 => "Happy",
        _ => "Very happy",
    }
}
