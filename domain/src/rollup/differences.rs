//! How two counts differ, for `verify`.

use std::collections::BTreeMap;

use super::{Delta, FieldCounts};

impl Delta {
    /// Every number that differs from the other's, by its name, with both: the counters first, then those of the fields, `<key>`
    /// for the answers of one and `<key>=<grade or number of an option>` for one of them.
    pub fn differences(&self, other: &Self) -> Vec<(String, (i64, i64))> {
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
        let all = counters.chain(fields);
        all.filter(|(_, (left, right))| left != right).collect()
    }
}

fn named(fields: &FieldCounts) -> impl Iterator<Item = (String, i64)> {
    fields.iter().flat_map(|(key, field)| {
        let values = field.values();
        let values = values.map(move |(value, count)| (format!("{key}={value}"), count));
        std::iter::once((key.clone(), field.answers())).chain(values)
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
        let differ = [("views", (1, 3)), ("nps", (1, 2)), ("nps=2", (0, 1))];
        let differ = differ.map(|(counter, found)| (counter.to_owned(), found));
        assert_eq!(left.differences(&right), differ);
        let against_nothing = left.differences(&Delta::default());
        let names: Vec<_> = against_nothing
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["views", "colour", "colour=1", "nps", "nps=9"]);
    }
}
