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
    /// 0 to 10: detractors, passives, promoters.
    pub(super) fn nps(key: &str, typed: &[&str]) -> Self {
        let ends = ["not at all likely", "extremely likely"];
        let tone = |value: u8| match value {
            0..=6 => "low",
            7..=8 => "mid",
            _ => "high",
        };
        Self::new(0..=10, ends, tone, key, typed)
    }

    /// 1 to `highest`.
    pub(super) fn rating(highest: u8, key: &str, typed: &[&str]) -> Self {
        let ends = ["lowest", "highest"];
        Self::new(1..=highest, ends, |_| "even", key, typed)
    }

    fn new(
        values: RangeInclusive<u8>,
        [lowest, highest]: [&'static str; 2],
        tone: fn(u8) -> &'static str,
        key: &str,
        typed: &[&str],
    ) -> Self {
        let (low, high) = (*values.start(), *values.end());
        let grade = |(place, value)| {
            let meaning = match value {
                value if value == low => lowest,
                value if value == high => highest,
                _ => "",
            };
            Grade::new(id(key, place), value, meaning, tone(value), typed)
        };
        let grades: Vec<_> = values.enumerate().map(grade).collect();
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
    /// How it is coloured: the name of its class in the style.
    pub(super) tone: &'static str,
    /// A smiley's mouth, as a path in a square of 32; a number has none.
    pub(super) mouth: &'static str,
    pub(super) checked: bool,
}

/// What the smileys mean, their tones and mouths, from the first on.
const SMILEYS: [(&str, &str, &str); 5] = [
    ("Very unhappy", "low", "M10 23q6-7 12 0"),
    ("Unhappy", "low", "M11 22q5-3 10 0"),
    ("Neutral", "mid", "M11 21h10"),
    ("Happy", "high", "M11 20q5 4 10 0"),
    ("Very happy", "high", "M10 19q6 9 12 0z"),
];

impl Grade {
    /// 1 to 5, from very unhappy to very happy.
    pub(super) fn smileys(key: &str, typed: &[&str]) -> Vec<Self> {
        let smileys = (1..).zip(SMILEYS).enumerate();
        let grade = |(place, (value, (meaning, tone, mouth)))| Self {
            mouth,
            ..Self::new(id(key, place), value, meaning, tone, typed)
        };
        smileys.map(grade).collect()
    }

    fn new(
        id: String,
        value: u8,
        meaning: &'static str,
        tone: &'static str,
        typed: &[&str],
    ) -> Self {
        Self {
            id,
            value,
            meaning,
            tone,
            mouth: "",
            checked: typed.contains(&value.to_string().as_str()),
        }
    }
}

/// The words of the grade that is chosen; empty if none is.
pub(super) fn chosen(grades: &[Grade], words: impl Fn(&Grade) -> String) -> String {
    let chosen = grades.iter().find(|grade| grade.checked);
    chosen.map(words).unwrap_or_default()
}
