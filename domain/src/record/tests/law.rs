//! The checks against the rules of records, written down a second time and plainly.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::phone::PhoneNumber;

#[derive(Debug, Clone)]
enum Drawn {
    Text(String),
    Null,
    Other,
}

fn text(text: &str) -> Drawn {
    Drawn::Text(text.to_owned())
}

fn any_value() -> impl Strategy<Value = Drawn> {
    let texts = prop_oneof![
        Just("+491701234521".to_owned()),
        Just("A1".to_owned()),
        Just(String::new()),
        Just("a\0".to_owned()),
        Just("x".repeat(1_025)),
        any::<String>(),
    ];
    prop_oneof![
        6 => texts.prop_map(Drawn::Text),
        1 => Just(Drawn::Null),
        1 => Just(Drawn::Other),
    ]
}

/// The rules, one after the other.
fn by_the_rules(members: &[(String, Drawn)]) -> BTreeSet<(String, &'static str)> {
    let mut found = BTreeSet::new();
    let mut times = BTreeMap::<&str, usize>::new();
    let mut given = BTreeSet::new();
    for (name, value) in members {
        *times.entry(name).or_default() += 1;
        let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        let mut add = |code: RecordCode| found.insert((pointer.clone(), code.into_str()));
        match (name.as_str(), value) {
            ("docid" | "phone", Drawn::Null) => continue,
            ("docid", Drawn::Other) => drop(add(RecordCode::DocidInvalid)),
            ("phone", Drawn::Other) => drop(add(RecordCode::PhoneInvalid)),
            ("docid", Drawn::Text(text)) => {
                if text.is_empty() || text.len() > 128 || text.chars().any(char::is_control) {
                    add(RecordCode::DocidInvalid);
                }
            }
            ("phone", Drawn::Text(text)) => {
                if PhoneNumber::parse(text).is_err() {
                    add(RecordCode::PhoneInvalid);
                }
            }
            (_, Drawn::Null) => {}
            (name, value) => {
                if name.is_empty() || name.len() > 64 || name.chars().any(char::is_control) {
                    add(RecordCode::FieldNameInvalid);
                }
                match value {
                    Drawn::Text(text) => {
                        if text.len() > 1_024 {
                            add(RecordCode::FieldTooLong);
                        }
                        if text.contains('\0') {
                            add(RecordCode::FieldInvalid);
                        }
                    }
                    Drawn::Null => {}
                    Drawn::Other => drop(add(RecordCode::FieldNotString)),
                }
            }
        }
        given.insert(name.as_str());
    }
    for (name, code) in [
        ("docid", RecordCode::DocidMissing),
        ("phone", RecordCode::PhoneMissing),
    ] {
        if !given.contains(name) {
            found.insert((format!("/{name}"), code.into_str()));
        }
    }
    for (name, times) in &times {
        if *times > 1 {
            let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            found.insert((pointer, RecordCode::DuplicateMember.into_str()));
        }
    }
    if times
        .keys()
        .filter(|name| !matches!(**name, "docid" | "phone"))
        .count()
        > 64
    {
        found.insert((String::new(), RecordCode::TooManyFields.into_str()));
    }
    found
}

proptest! {
    #[test]
    fn the_verdict_is_the_contracts(
        mut members in prop::collection::vec(
            ("docid|phone|[ab~/\u{85}é]{0,2}|[a-z]{65}", any_value()), 0..6),
        whole: bool,
        fields in prop_oneof![3 => Just(0_usize), 1 => 60..70_usize],
        turn: prop::sample::Index,
    ) {
        if whole {
            members.push(("docid".to_owned(), text("A1")));
            members.push(("phone".to_owned(), text("+491701234521")));
        }
        members.extend(many(fields).into_iter().map(|name| (name, text("x"))));
        let turn = turn.index(members.len() + 1);
        members.rotate_left(turn);
        let given: Vec<_> = members.iter().map(|(name, value)| {
            let value = match value {
                Drawn::Text(text) => Value::Text(text),
                Drawn::Null => Value::Null,
                Drawn::Other => Value::Other,
            };
            (name.as_str(), value)
        }).collect();
        let judged = judge(&given);
        let found = problems(&judged);
        let set: BTreeSet<_> = found.iter().map(|(at, code)| (at.clone(), code.into_str())).collect();
        prop_assert_eq!(set, by_the_rules(&members));
        if let Ok(fields) = judged {
            let expected: BTreeMap<_, _> = members.iter().filter_map(|(name, value)| match value {
                Drawn::Text(text) if !matches!(name.as_str(), "docid" | "phone") => Some((name, text)),
                _ => None,
            }).collect();
            prop_assert_eq!(fields, serde_json::to_string(&expected).unwrap());
        }
    }
}
