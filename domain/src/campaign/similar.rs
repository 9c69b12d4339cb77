//! Names and values that are nearly the same, and so likely to be mistyped.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

/// A name of so many characters may differ in two of them.
const LONG: usize = 5;

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

/// A text without case, blanks and marks, and as it is written where a keyboard has no umlauts.
fn folded(text: &str) -> String {
    let chars = text.nfd().filter(|c| c.is_alphanumeric());
    let letters: String = chars.flat_map(char::to_lowercase).collect();
    let pairs = [("ß", "ss"), ("ae", "a"), ("oe", "o"), ("ue", "u")];
    let without = |text: String, (pair, letter): (&str, &str)| text.replace(pair, letter);
    pairs.into_iter().fold(letters, without)
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
        let values = [
            "Berlin Mitte",
            "Filiale 12",
            "Essen",
            "S1",
            "–",
            "Königstraße",
        ];
        for (value, expected) in [
            ("Berlin mitte ", Some("Berlin Mitte")),
            ("berlin-mite", Some("Berlin Mitte")),
            ("Filliale 12", Some("Filiale 12")),
            ("Filiale 13", None),
            ("Emden", None),
            ("Koenigstrasse", Some("Königstraße")),
            ("S2", None),
            ("s1", Some("S1")),
        ] {
            let found = SimilarValues::new(values.into_iter()).find(value);
            assert_eq!(found, expected, "{value}");
        }
    }
}
