//! What a campaign's texts need and recipients lack, counted recipient by recipient.

use std::collections::{BTreeMap, BTreeSet};

use super::content::CampaignContent;
use super::judge::DueMessage;
use super::preview::MissingField;
use crate::sms::Template;

/// So many names of tracking fields are kept to find one that is nearly the same.
const MAX_NAMES: usize = 1_000;
/// A name of so many characters may differ in two of them.
const LONG: usize = 5;

/// What recipients lack.
#[derive(Default)]
pub struct MissingFields {
    recipients: u64,
    /// By the name of a field how many lack it, and whether there is a text instead wherever it stands.
    missing: BTreeMap<String, (u64, bool)>,
    /// Names of tracking fields that recipients have.
    names: BTreeSet<String>,
}

impl MissingFields {
    /// Counts what a recipient lacks.
    pub fn add(&mut self, content: &CampaignContent, due: &DueMessage) {
        self.recipients += 1;
        let reminder = content.reminder.as_ref().map(|reminder| &reminder.text);
        let texts = [Some(&content.text), reminder].into_iter().flatten();
        let mut missing: BTreeMap<&str, bool> = BTreeMap::new();
        for (name, has_text) in
            texts.flat_map(|text: &Template| text.missing(|name| due.field(name)))
        {
            *missing.entry(name).or_insert(true) &= has_text;
        }
        for (name, has_text) in missing {
            let entry = self.missing.entry(name.to_owned()).or_insert((0, true));
            *entry = (entry.0 + 1, entry.1 && has_text);
        }
        for name in due.fields.keys() {
            if self.names.len() < MAX_NAMES && !self.names.contains(name) {
                self.names.insert(name.clone());
            }
        }
    }

    /// What is worth telling: a field without which somebody gets no message, and one that nobody has under this name while
    /// another is nearly called so.
    pub fn told(self) -> Vec<MissingField> {
        let (all, names) = (self.recipients, self.names);
        let missing = self.missing.into_iter();
        let told = missing.filter_map(|(name, (recipients, has_text))| {
            let similar = similar_name(&name, &names);
            let is_told = !has_text || (recipients == all && similar.is_some());
            is_told.then_some(MissingField {
                name,
                recipients,
                similar,
            })
        });
        told.collect()
    }
}

/// The name that is most like another: the same but for case, blanks and marks, or nearly so.
#[must_use]
pub fn similar_name(name: &str, names: &BTreeSet<String>) -> Option<String> {
    let names: Vec<_> = names.iter().map(|name| (folded(name), &**name)).collect();
    nearest(name, names.iter(), 2).map(str::to_owned)
}

/// Values among which one is found that is nearly another.
pub struct SimilarValues<'v>(Vec<(String, &'v str)>);

impl<'v> SimilarValues<'v> {
    #[must_use]
    pub fn new(values: impl Iterator<Item = &'v str>) -> Self {
        Self(values.map(|value| (folded(value), value)).collect())
    }

    /// The value that is most like another: the same but for case, blanks and marks, or for one character. Values with other digits
    /// are others: stores have numbers.
    #[must_use]
    pub fn find(&self, value: &str) -> Option<&'v str> {
        let digits = |text: &str| -> String { text.chars().filter(|c| c.is_numeric()).collect() };
        let wanted = digits(value);
        let alike = self.0.iter().filter(|(folded, _)| digits(folded) == wanted);
        nearest(value, alike, 1)
    }
}

/// A text without case, blanks and marks.
fn folded(text: &str) -> String {
    let chars = text.chars().filter(|c| c.is_alphanumeric());
    chars.flat_map(char::to_lowercase).collect()
}

/// The text that differs from a long one in so many characters at most, from a short one in none.
fn nearest<'o, 'v: 'o>(
    text: &str,
    others: impl Iterator<Item = &'o (String, &'v str)>,
    most: usize,
) -> Option<&'v str> {
    let wanted = folded(text);
    let is_long = wanted.chars().count() >= LONG;
    let most = if is_long { most } else { 0 };
    let others = others.filter(|(_, other)| *other != text);
    let distances = others.filter_map(|(folded, other)| {
        let distance = distance(&wanted, folded, most)?;
        Some((distance, *other))
    });
    let nearest = distances.min_by_key(|(distance, _)| *distance);
    nearest.map(|(_, other)| other)
}

/// In how many characters texts differ, two that are swapped counted as one; `None`: in more than so many. What both begin and end with is
/// left out first, because the rest takes time by its square.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let (mut one, mut other): (Vec<char>, Vec<char>) =
        (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    for _ in 0..2 {
        let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
        one.drain(..same);
        other.drain(..same);
        one.reverse();
        other.reverse();
    }
    if most <= 1 && one.len().max(other.len()) > 2 * most {
        return None;
    }
    let [one, other] = [one, other].map(|rest| rest.into_iter().collect::<String>());
    Some(strsim::osa_distance(&one, &other)).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_like_one_that_is_written_otherwise() {
        let names = ["Filiale", "Store Name", "kunde", "id"];
        let names = names.map(str::to_owned).into();
        for (name, expected) in [
            ("filiale", Some("Filiale")),
            ("store_name", Some("Store Name")),
            ("stroe_name", Some("Store Name")),
            ("kunden", Some("kunde")),
            ("ix", None),
            ("vorname", None),
        ] {
            assert_eq!(similar_name(name, &names).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_value_is_like_one_that_is_written_otherwise_and_has_its_digits() {
        let values = ["Berlin Mitte", "Filiale 12", "Essen", "S1", "–"];
        for (value, expected) in [
            ("Berlin mitte ", Some("Berlin Mitte")),
            ("berlin-mite", Some("Berlin Mitte")),
            ("Filliale 12", Some("Filiale 12")),
            ("Filiale 13", None),
            ("Emden", None),
            ("S2", None),
            ("s1", Some("S1")),
        ] {
            let found = SimilarValues::new(values.into_iter()).find(value);
            assert_eq!(found, expected, "{value}");
        }
    }
}
