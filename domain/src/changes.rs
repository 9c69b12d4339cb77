//! What a change made of a content, such as a form or a campaign: each member as it was and as it is. The audit log keeps it, in a
//! bounded size.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Bytes of a value, at most. Longer ones are cut. No text that a campaign may have is longer.
const MAX_VALUE: usize = 8 << 10;
/// Bytes of all that is kept of a change, as it is stored.
const MAX_BYTES: usize = 48 << 10;
/// Of a list with more bytes only those entries are kept that the other one has not.
const LONG_LIST: usize = 1 << 10;
/// What an entry of a list is known by, in a list whose entries are objects.
const NAMES: [&str; 2] = ["key", "value"];
/// Behind a value that was cut.
const CUT: char = '…';

/// The members that a change made different. The default is no change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// In the order of their names.
    pub changes: Vec<ChangedMember>,
    /// How many members more were changed than are kept.
    pub changes_dropped: usize,
}

/// A member as it was and as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedMember {
    /// Where it is, such as `/reminder/text`; in a list of objects by the key or the value of the entry: `/fields/recommend/label`.
    pub member: String,
    /// Null: nothing.
    pub before: Value,
    pub after: Value,
}

impl Changes {
    /// What differs between two contents in JSON, as [`Logged`] gives them. Null is none.
    pub fn between(before: &Value, after: &Value) -> Self {
        let [mut before, mut after] = [before, after].map(|content| {
            let mut members = BTreeMap::new();
            flatten(content, "", &mut members);
            members
        });
        let names: BTreeSet<String> = before.keys().chain(after.keys()).cloned().collect();
        let mut changed = Vec::new();
        for member in names {
            let [before, after] =
                [&mut before, &mut after].map(|of| of.remove(&member).unwrap_or_default());
            if before == after {
                continue;
            }
            let (before, after) = only_different(before, after);
            let (before, after) = (cut(before), cut(after));
            let one = ChangedMember {
                member,
                before,
                after,
            };
            let size = serde_json::to_string(&one).map_or(MAX_BYTES, |text| text.len());
            changed.push((size, one));
        }
        Self::within(changed)
    }

    /// Those for which there is room, of these with their bytes. Parts of the content take turns, each with its smallest changes first, so
    /// that a change of many members, or of large ones, pushes no other out.
    fn within(mut different: Vec<(usize, ChangedMember)>) -> Self {
        different.sort_by_key(|(size, _)| *size);
        let mut of_part: HashMap<String, usize> = HashMap::new();
        let mut by_place: Vec<_> = different
            .into_iter()
            .map(|(size, one)| {
                let part = one.member.split('/').nth(1).unwrap_or_default();
                let place = of_part.entry(part.to_owned()).or_default();
                *place += 1;
                (*place, size, one)
            })
            .collect();
        by_place.sort_by_key(|(place, size, _)| (*place, *size));
        let mut changes = Self::default();
        let mut bytes = 0;
        for (_, size, one) in by_place {
            if bytes + size > MAX_BYTES {
                changes.changes_dropped += 1;
            } else {
                bytes += size;
                changes.changes.push(one);
            }
        }
        changes.changes.sort_by(|a, b| a.member.cmp(&b.member));
        changes
    }

    /// What a new content has.
    pub fn of_new(after: &Value) -> Self {
        Self::between(&Value::Null, after)
    }

    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// A content of which the audit log keeps what changes.
pub trait Logged {
    /// As JSON, without secrets and without what could be a person's.
    fn logged(&self) -> Value;
}

/// The members of the members, by where they are. What is null or empty is not there.
fn flatten(value: &Value, member: &str, members: &mut BTreeMap<String, Value>) {
    let place = |name: &str| {
        let name = name.replace('~', "~0").replace('/', "~1");
        format!("{member}/{name}")
    };
    match value {
        Value::Null => {}
        Value::Object(entries) => {
            for (name, entry) in entries {
                flatten(entry, &place(name), members);
            }
        }
        Value::Array(entries) if entries.is_empty() => {}
        Value::Array(entries) => match named(entries) {
            Some(objects) => {
                let names = objects.iter().map(|(name, _)| Value::from(*name));
                members.insert(member.to_owned(), names.collect());
                for (name, entry) in objects {
                    flatten(&Value::Object(entry), &place(name), members);
                }
            }
            None => {
                members.insert(member.to_owned(), value.clone());
            }
        },
        _ => {
            members.insert(member.to_owned(), value.clone());
        }
    }
}

/// The entries of a list by what they are known by, each without it; `None`: they are no objects that have it.
fn named(entries: &[Value]) -> Option<Vec<(&str, Map<String, Value>)>> {
    let name = NAMES.into_iter().find(|name| {
        let mut names = HashSet::new();
        let mut entries = entries.iter();
        entries.all(|entry| entry[*name].as_str().is_some_and(|text| names.insert(text)))
    })?;
    let objects = entries.iter().map(|entry| {
        let mut rest = entry.as_object()?.clone();
        rest.remove(name);
        Some((entry[name].as_str()?, rest))
    });
    objects.collect()
}

/// Of long lists those entries that the other one has not; where both have the same entries, all in their order.
fn only_different(before: Value, after: Value) -> (Value, Value) {
    let is_long = |list: &Value| list.is_array() && length(list) > LONG_LIST;
    if !is_long(&before) && !is_long(&after) {
        return (before, after);
    }
    let texts = |list: &Value| -> HashSet<String> {
        let entries = list.as_array().into_iter().flatten();
        entries.map(Value::to_string).collect()
    };
    let without = |list: &Value, other: &HashSet<String>| -> Vec<Value> {
        let entries = list.as_array().into_iter().flatten();
        let entries = entries.filter(|entry| !other.contains(&entry.to_string()));
        entries.cloned().collect()
    };
    let gone = without(&before, &texts(&after));
    let new = without(&after, &texts(&before));
    if gone.is_empty() && new.is_empty() {
        return (before, after);
    }
    let list = |entries: Vec<Value>| match &entries[..] {
        [] => Value::Null,
        _ => Value::Array(entries),
    };
    (list(gone), list(new))
}

fn length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        other => other.to_string().len(),
    }
}

/// The value; of a longer one the beginning of its text.
fn cut(value: Value) -> Value {
    if length(&value) <= MAX_VALUE {
        return value;
    }
    let text = match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let end = text.floor_char_boundary(MAX_VALUE);
    Value::String(format!("{}{CUT}", &text[..end]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each change as `member: before -> after`.
    fn told(before: &Value, after: &Value) -> Vec<String> {
        let changes = Changes::between(before, after).changes;
        let changes = changes.iter();
        changes
            .map(|one| format!("{}: {} -> {}", one.member, one.before, one.after))
            .collect()
    }

    #[test]
    fn a_large_change_pushes_no_other_out() {
        let senders: Map<String, Value> = (0..300)
            .map(|country| (country.to_string(), json!("s".repeat(200))))
            .collect();
        let labels: Map<String, Value> = (0..20)
            .map(|language| (language.to_string(), json!("i".repeat(8_000))))
            .collect();
        let after = json!({"intro_labels": labels, "sender": senders, "text": "t".repeat(2_000), "title": "T"});
        let changes = Changes::of_new(&after);
        let kept = |member: &str| changes.changes.iter().any(|one| one.member == member);
        assert!(kept("/text") && kept("/title"));
        assert_eq!(changes.changes.len() + changes.changes_dropped, 322);
    }

    #[test]
    fn each_member_is_told_as_it_was_and_as_it_is() {
        let before = json!({"name": "A", "text": "Hello", "reminder": null, "days": [],
            "fields": [{"key": "q", "label": "Would you?", "options": [{"value": "x/y", "label": "X"}]}, {"key": "r", "label": "R"}]});
        let after = json!({"name": "A", "text": "Bye", "reminder": {"text": "Again"}, "days": null,
            "fields": [{"key": "r", "label": "R"}, {"key": "q", "label": "Will you?", "options": [{"value": "x/y", "label": "Y"}]}]});
        assert_eq!(
            told(&before, &after),
            [
                r#"/fields: ["q","r"] -> ["r","q"]"#,
                r#"/fields/q/label: "Would you?" -> "Will you?""#,
                r#"/fields/q/options/x~1y/label: "X" -> "Y""#,
                r#"/reminder/text: null -> "Again""#,
                r#"/text: "Hello" -> "Bye""#,
            ]
        );
        assert_eq!(told(&after, &after), [""; 0]);
        let gone = told(&json!({"name": "A"}), &Value::Null);
        assert_eq!(gone, [r#"/name: "A" -> null"#]);
    }

    #[test]
    fn what_is_kept_is_bounded_and_of_long_lists_it_is_what_differs() {
        let names: Vec<_> = (0..1_000).map(|n| format!("store:{n}")).collect();
        let mut more = names.clone();
        more.push("store:Berlin".to_owned());
        let told_of_lists = told(&json!({"bus_props": names}), &json!({"bus_props": more}));
        assert_eq!(told_of_lists, [r#"/bus_props: null -> ["store:Berlin"]"#]);
        let long = json!({"text": "é".repeat(MAX_VALUE)});
        let changes = Changes::of_new(&long);
        let text = changes.changes[0].after.as_str().unwrap();
        assert_eq!(text.len(), MAX_VALUE + CUT.len_utf8());
        let many: Map<_, _> = (0..20)
            .map(|n| (format!("text{n}"), long["text"].clone()))
            .collect();
        let changes = Changes::of_new(&many.into());
        assert_eq!((changes.changes.len(), changes.changes_dropped), (5, 15));
    }
}
