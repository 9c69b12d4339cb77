//! How two counts differ, for `verify`.

use std::collections::BTreeMap;

use super::{Delta, FieldCounts};

/// A number that differs between two counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// A counter's name; of a field `<key>` for its answers and `<key>=<grade or number of an option>` for one of them.
    pub counter: String,
    pub left: i64,
    pub right: i64,
}

impl Delta {
    /// Every number that differs from the other's: the counters first, then those of the fields by their name.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let (mut own, mut others) = (self.counts, other.counts);
        let counters = own.counters().into_iter().zip(others.counters());
        let counters =
            counters.map(|((name, left), (_, right))| (name.to_owned(), (*left, *right)));
        let mut fields: BTreeMap<String, (i64, i64)> = BTreeMap::new();
        for (name, count) in named(&self.fields) {
            fields.entry(name).or_default().0 = count;
        }
        for (name, count) in named(&other.fields) {
            fields.entry(name).or_default().1 = count;
        }
        counters
            .chain(fields)
            .filter(|(_, (left, right))| left != right)
            .map(|(counter, (left, right))| Difference {
                counter,
                left,
                right,
            })
            .collect()
    }
}

fn named(fields: &FieldCounts) -> impl Iterator<Item = (String, i64)> {
    fields.iter().flat_map(|(key, field)| {
        let values = field.values();
        let values = values.map(move |(value, count)| (format!("{key}={value}"), count));
        std::iter::once((key.to_owned(), field.answers())).chain(values)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rollup::tests::delta;

    #[test]
    fn equal_counts_do_not_differ_and_others_tell_where() {
        let mut left = Delta::view();
        left.fields = delta(&json!({"nps": 9, "colour": "b"})).fields;
        assert_eq!(left.differences(&left.clone()), []);
        let mut right = left.clone();
        right.counts.views = 3;
        right.fields.merge(&delta(&json!({"nps": 2})).fields);
        let differ = |counter: &str, left, right| Difference {
            counter: counter.to_owned(),
            left,
            right,
        };
        assert_eq!(
            left.differences(&right),
            [
                differ("views", 1, 3),
                differ("nps", 1, 2),
                differ("nps=2", 0, 1)
            ]
        );
        let against_nothing = left.differences(&Delta::default());
        let names: Vec<_> = against_nothing.iter().map(|d| d.counter.as_str()).collect();
        assert_eq!(names, ["views", "colour", "colour=1", "nps", "nps=9"]);
    }
}
