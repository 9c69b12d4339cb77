//! Texts, numbers and dates as people write them, on the dashboard and on the pages behind links: one message file a language,
//! in `messages`.
//!
//! A language is a file and a line of `LANGUAGES`. Numbers and dates follow from messages too: separators, the names of months,
//! the order of a date. What spreadsheets say of lists is in `spreadsheet`.

mod spreadsheet;

use std::borrow::Borrow;
use std::fmt::{Display, Write};
use std::sync::LazyLock;

use api_http::accept::languages;
use axum::http::HeaderMap;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use chrono_tz::Tz;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

/// By code, with their texts; the first is what others get.
const LANGUAGES: [(&str, &str); 3] = [
    ("en", include_str!("../messages/en.ftl")),
    ("de", include_str!("../messages/de.ftl")),
    ("fr", include_str!("../messages/fr.ftl")),
];

static TEXTS: LazyLock<Vec<Text>> =
    LazyLock::new(|| LANGUAGES.map(|(code, texts)| Text::new(code, texts)).into());

/// A language.
pub struct Text {
    /// As in the attribute `lang`.
    pub code: &'static str,
    bundle: FluentBundle<FluentResource>,
    group: String,
    decimal: String,
}

/// The codes of all languages.
pub fn codes() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code)
}

/// The language of a code; of an unknown one, English.
pub fn of_code(code: &str) -> &'static Text {
    find(code).unwrap_or(&TEXTS[0])
}

/// The language that a request asks for, if it is known, by the weights of `Accept-Language`; of those without a weight the
/// first.
pub fn wanted(headers: &HeaderMap) -> Option<&'static Text> {
    languages(headers).find_map(find)
}

/// The same; where it is not known, English.
pub fn of_request(headers: &HeaderMap) -> &'static Text {
    wanted(headers).unwrap_or(&TEXTS[0])
}

/// The language of a code, if it is known.
pub fn find(code: &str) -> Option<&'static Text> {
    let mut known = TEXTS.iter();
    known.find(|text| code.eq_ignore_ascii_case(text.code))
}

/// The key of one of several names.
fn key(kind: &str, name: impl Display) -> String {
    let name = name.to_string().to_lowercase().replace(['_', '.'], "-");
    format!("{kind}-{name}")
}

impl Text {
    fn new(code: &'static str, texts: &str) -> Self {
        let locale = code.parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![locale]);
        bundle.set_use_isolating(false);
        let resource = FluentResource::try_new(texts.to_owned());
        // A test reads all files without an error.
        bundle.add_resource_overriding(resource.unwrap_or_else(|(resource, _)| resource));
        let mut text = Self {
            code,
            bundle,
            group: String::new(),
            decimal: String::new(),
        };
        (text.group, text.decimal) = (text.get("number-group"), text.get("number-decimal"));
        text
    }

    /// The text of a key.
    pub fn get(&self, key: &str) -> String {
        self.format(key, None)
    }

    /// The text of one of several names, such as a status: its key is the `kind`, `-`, and the name.
    pub fn of(&self, kind: &str, name: impl Display) -> String {
        self.get(&key(kind, name))
    }

    /// The same, if there is one.
    pub fn known(&self, kind: &str, name: impl Display) -> Option<String> {
        let key = key(kind, name);
        self.bundle.has_message(&key).then(|| self.get(&key))
    }

    /// The text of a key with a value: `$value`.
    pub fn with(&self, key: &str, value: impl Display) -> String {
        let mut args = FluentArgs::new();
        args.set("value", value.to_string());
        self.format(key, Some(&args))
    }

    /// The text of a key with a count: `$n`, which selects the plural, and `$value`, the count as it is written.
    pub fn count(&self, key: &str, n: impl Borrow<i64>) -> String {
        let n = *n.borrow();
        let mut args = FluentArgs::new();
        args.set("n", n);
        args.set("value", self.number(n));
        self.format(key, Some(&args))
    }

    /// The text of a key with a number that is written with so many digits: `$n`, which selects the plural, and `$value`, as
    /// it is written.
    pub fn measured(&self, key: &str, n: f64, digits: usize, written: impl Display) -> String {
        let shown = format!("{:.digits$}", n.abs());
        let mut args = FluentArgs::new();
        args.set("n", shown.parse().unwrap_or(n));
        args.set("value", written.to_string());
        self.format(key, Some(&args))
    }

    /// The same as [`Self::count`] with something else: `$what`.
    pub fn count_with(&self, key: &str, n: i64, what: impl Display) -> String {
        let mut args = FluentArgs::new();
        args.set("n", n);
        args.set("value", self.number(n));
        args.set("what", what.to_string());
        self.format(key, Some(&args))
    }

    /// What something is, behind its name.
    pub fn labelled(&self, name: impl Display, value: impl Display) -> String {
        let mut args = FluentArgs::new();
        args.set("what", name.to_string());
        args.set("value", value.to_string());
        self.format("labelled", Some(&args))
    }

    /// Why something was refused, by its code, or where there is a text for it by its code and the name of what was wrong.
    /// `detail` is the sentence of the API, which is English: `$value`, with its last two numbers as `$low` and `$high`. It
    /// is used as it is where English has no text for the code.
    pub fn refused(&self, code: &str, name: &str, detail: &str) -> String {
        let (of_name, of_code) = (format!("{code}-{name}"), code.to_owned());
        let mut keys = [of_name, of_code]
            .map(|name| key("refused", name))
            .into_iter();
        let Some(key) = keys.find(|key| self.bundle.has_message(key)) else {
            return detail.to_owned();
        };
        let words = detail.split(|character: char| !character.is_ascii_digit());
        let mut numbers = words.rev().filter_map(|word| word.parse().ok());
        let mut args = FluentArgs::new();
        args.set("value", detail.to_owned());
        for name in ["high", "low"] {
            let number = numbers.next().map(|number: i64| self.number(number));
            args.set(name, number.unwrap_or_default());
        }
        self.format(&key, Some(&args))
    }

    fn format(&self, key: &str, args: Option<&FluentArgs>) -> String {
        let message = self.bundle.get_message(key);
        match message.and_then(|message| message.value()) {
            Some(pattern) => self
                .bundle
                .format_pattern(pattern, args, &mut Vec::new())
                .into_owned(),
            None => key.to_owned(),
        }
    }

    /// `12,345`.
    pub fn number(&self, n: impl Borrow<i64>) -> String {
        let n = n.borrow();
        let digits = n.unsigned_abs().to_string();
        let mut written = String::from(if *n < 0 { "−" } else { "" });
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place) % 3 == 0 {
                written.push_str(&self.group);
            }
            written.push(digit);
        }
        written
    }

    /// With so many digits after the point.
    pub fn real(&self, x: impl Borrow<f64>, digits: usize) -> String {
        let x = *x.borrow();
        let written = format!("{:.digits$}", x.abs());
        // What is rounded to zero has no sign.
        let sign = if x < 0.0 && written.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
            "−"
        } else {
            ""
        };
        format!("{sign}{}", written.replace('.', &self.decimal))
    }

    /// A share as a percentage with one digit; a dash where there is none.
    pub fn percent(&self, share: impl Borrow<Option<f64>>) -> String {
        match share.borrow() {
            Some(share) => self.with("percent", self.real(100.0 * share, 1)),
            None => "–".to_owned(),
        }
    }

    /// A score from -100 to 100, or a mean, with so many digits; a dash where there is none.
    pub fn score(&self, score: impl Borrow<Option<f64>>, digits: usize) -> String {
        score
            .borrow()
            .map_or_else(|| "–".to_owned(), |score| self.real(score, digits))
    }

    /// The same with a sign; what is rounded to zero is `± 0`.
    pub fn signed(&self, x: f64, digits: usize) -> String {
        let written = self.real(x, digits);
        let is_zero = !written.bytes().any(|byte| (b'1'..=b'9').contains(&byte));
        match written.starts_with('−') {
            _ if is_zero => "± 0".to_owned(),
            true => written,
            false => format!("+{written}"),
        }
    }

    /// `23 Nov 2026`.
    pub fn date(&self, day: impl Borrow<NaiveDate>) -> String {
        let day = *day.borrow();
        let mut args = self.day_args(day);
        args.set("year", day.year().to_string());
        self.format("date", Some(&args))
    }

    /// `23 Nov`.
    pub fn day(&self, day: impl Borrow<NaiveDate>) -> String {
        self.format("date-short", Some(&self.day_args(*day.borrow())))
    }

    /// `Nov 2026`.
    pub fn month(&self, day: NaiveDate) -> String {
        let month = self.get(&format!("month-{}", day.month()));
        format!("{month} {}", day.year())
    }

    fn day_args(&self, day: NaiveDate) -> FluentArgs<'static> {
        let mut args = FluentArgs::new();
        args.set("day", day.day());
        args.set("month", self.get(&format!("month-{}", day.month())));
        args
    }

    /// A date and a time of day in a zone.
    pub fn moment(&self, at: &DateTime<Utc>, zone: Tz) -> String {
        let local = at.with_timezone(&zone);
        let mut written = self.date(local.date_naive());
        // Writing to a string cannot fail.
        let _ = write!(written, ", {}", local.format("%H:%M"));
        written
    }

    /// The same with seconds.
    pub fn exact_moment(&self, at: &DateTime<Utc>, zone: Tz) -> String {
        let seconds = at.with_timezone(&zone).format(":%S");
        format!("{}{seconds}", self.moment(at, zone))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use api_http::Code;
    use axum::http::header::ACCEPT_LANGUAGE;
    use domain::form::FieldType;
    use domain::record::{COLUMNS, RecordCode};
    use strum::{IntoEnumIterator, VariantArray};

    use super::*;

    fn keys(texts: &str) -> BTreeSet<&str> {
        let keys = texts.lines().filter_map(|line| line.split_once(" ="));
        keys.map(|(key, _)| key)
            .filter(|key| {
                key.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            })
            .collect()
    }

    #[test]
    fn every_language_has_every_text() {
        // The codes that members of a body have are constants.
        let members = include_str!("../../../domain/src/invalid.rs");
        let members = members.split("pub const ").filter_map(|line| {
            let (_, code) = line.split_once(": &str = \"")?;
            Some(code.split_once('"')?.0)
        });
        let records = RecordCode::VARIANTS.iter().map(Into::<&str>::into);
        let problems = Code::iter().map(Code::as_str);
        let refused: BTreeSet<_> = members
            .chain(records)
            .chain(problems)
            .map(|code| key("refused", code))
            .collect();
        let [(_, english), others @ ..] = LANGUAGES;
        for (code, texts) in others {
            assert!(FluentResource::try_new(texts.to_owned()).is_ok(), "{code}");
            let (mut english, other) = (keys(english), keys(texts));
            english.extend(refused.iter().map(String::as_str));
            let differ: Vec<_> = english.symmetric_difference(&other).collect();
            assert!(differ.is_empty(), "{code}: {differ:?}");
        }
    }

    #[test]
    fn every_text_of_a_page_is_there() {
        let known = keys(LANGUAGES[0].1);
        let types = FieldType::all().map(|kind| key("type", kind.as_str()));
        let numbers = FieldType::all().flat_map(FieldType::numbers);
        let numbers = numbers.map(|(name, _)| key("number", name));
        // Of a recipient the docid is the heading, and the tracking fields have names of their own.
        let columns = COLUMNS[1..].iter().filter(|column| !column.is_json());
        let columns = columns.map(|column| key("column", column.name));
        for key in types.chain(numbers).chain(columns) {
            assert!(known.contains(&*key), "{key}");
        }
        let mut used = 0;
        for folder in [
            "dashboard/templates",
            "dashboard/src",
            "dashboard/src/stores",
            "collect/templates",
            "collect/src/pages",
        ] {
            let folder = format!("{}/../{folder}", env!("CARGO_MANIFEST_DIR"));
            let files = fs::read_dir(folder)
                .unwrap()
                .map(|file| file.unwrap().path());
            for file in files.filter(|file| file.is_file()) {
                let text = fs::read_to_string(file).unwrap();
                for call in ["t.get(\"", "t.with(\"", "t.count(\""] {
                    for key in text
                        .split(call)
                        .skip(1)
                        .filter_map(|rest| rest.split('"').next())
                    {
                        assert!(known.contains(key), "{key}");
                        used += 1;
                    }
                }
            }
        }
        assert!(used > 50, "{used}");
    }

    #[test]
    fn numbers_are_written_as_people_do() {
        let [english, german] = [&TEXTS[0], &TEXTS[1]];
        assert_eq!(english.number(-1_234_567), "−1,234,567");
        assert_eq!(german.number(1_234), "1.234");
        assert_eq!(german.percent(Some(0.123)), "12,3 %");
        assert_eq!(english.percent(Some(1.0)), "100.0%");
        assert_eq!(english.signed(-0.04, 1), "± 0");
        assert_eq!(english.signed(0.05, 2), "+0.05");
        assert_eq!(english.signed(-0.05, 2), "−0.05");
        let day = NaiveDate::from_ymd_opt(2026, 3, 7).unwrap();
        assert_eq!(english.date(day), "7 Mar 2026");
        assert_eq!(german.date(day), "7. März 2026");
        let french = &TEXTS[2];
        assert_eq!(french.number(1_234), "1\u{202f}234");
        assert_eq!(french.percent(Some(0.123)), "12,3\u{202f}%");
        assert_eq!(french.date(day), "7 mars 2026");
        assert_eq!(french.day(day.with_day(1).unwrap()), "1er mars");
        assert_eq!(french.count("answers-n", 0), "0 réponse");
    }

    /// A line must not end before them, nor behind an opening quotation mark.
    #[test]
    fn french_punctuation_has_spaces_that_do_not_break() {
        let (_, french) = LANGUAGES[2];
        for wrong in [" ;", " !", " ?", " :", " %", " »", "« "] {
            let line = french.lines().find(|line| line.contains(wrong));
            assert_eq!(line, None, "{wrong}");
        }
    }

    #[test]
    fn the_language_is_the_best_that_is_known() {
        let asked = |value: &'static str| {
            let header = (ACCEPT_LANGUAGE, value.parse().unwrap());
            of_request(&HeaderMap::from_iter([header])).code
        };
        assert_eq!(asked("nl, de-AT;q=0.8, en;q=0.5"), "de");
        assert_eq!(asked("fr-CH, de;q=0.8"), "fr");
        assert_eq!(asked("de; q=0.3 , en-GB"), "en");
        assert_eq!(asked("nl"), "en");
        assert_eq!(asked("de;q=0"), "en");
    }
}
