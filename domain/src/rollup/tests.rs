//! How counts add up, and how they lie in bytes.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::*;
use crate::answer::Answers;
use crate::form::{FormContent, FormInput};

const COUNTERS: usize = 13;

fn of(counters: &[i64]) -> DayCounts {
    let mut counts = DayCounts::default();
    for ((_, counter), value) in counts.counters().into_iter().zip(counters) {
        *counter = *value;
    }
    counts
}

pub(crate) fn form() -> FormContent {
    let options = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]);
    let field =
        |key: &str, kind: &str| json!({"key": key, "type": kind, "label": key, "required": false});
    let mut fields = ["nps", "happiness", "text", "comment"]
        .map(|kind| field(kind, kind))
        .to_vec();
    let mut more = |key: &str, kind: &str, name: &str, with: Value| {
        let mut field = field(key, kind);
        field[name] = with;
        fields.push(field);
    };
    more("stars", "rating", "scale", json!(3));
    more("colour", "choice", "options", options.clone());
    more("extras", "choices", "options", options);
    let form = json!({"title": "Test", "bus_props": [], "fields": fields});
    FormContent::new(FormInput::parse(&form).unwrap()).unwrap()
}

/// A submission that the form takes.
fn any_answers() -> impl Strategy<Value = Value> {
    let texts = || prop::option::of(prop::sample::select(vec!["a", "b"]));
    (
        prop::option::of(0..=10),
        prop::option::of(1..=5),
        prop::option::of(1..=3),
        texts(),
        prop::option::of(prop::sample::select(vec![vec!["a"], vec!["b"], vec!["b", "a"]])),
        texts(),
        texts(),
    )
        .prop_filter_map("answers nothing", |(nps, happiness, stars, colour, extras, text, comment)| {
            let answers = json!({"nps": nps, "happiness": happiness, "stars": stars, "colour": colour,
                "extras": extras, "text": text, "comment": comment});
            let some = answers.as_object()?.values().any(|answer| !answer.is_null());
            some.then_some(answers)
        })
}

pub(crate) fn delta(submission: &Value) -> Delta {
    let form = form();
    Delta::answer(&form, &Answers::from_json(&form, submission).unwrap())
}

/// The counts of these submissions, one after the other and plainly.
fn recomputed(submissions: &[Value], views: i64) -> (Value, BTreeMap<(String, String), i64>) {
    let many = |hit: &dyn Fn(&Value) -> bool| submissions.iter().filter(|s| hit(s)).count();
    let grade = |submission: &Value, key: &str| submission[key].as_i64();
    let within = |key, low, high| many(&|s| grade(s, key).is_some_and(|g| low <= g && g <= high));
    let counts = json!({
        "views": views,
        "responses": submissions.len(),
        "comments": many(&|s| s["comment"].is_string()),
        "happy": within("happiness", 4, 5),
        "happiness_answers": within("happiness", 1, 5),
        "promoters": within("nps", 9, 10),
        "passives": within("nps", 7, 8),
        "detractors": within("nps", 0, 6),
        "nps_answers": within("nps", 0, 10),
        "sent": 0,
        "delivered": 0,
        "answered": 0,
    });
    let mut fields = BTreeMap::new();
    for (key, answer) in submissions.iter().filter_map(Value::as_object).flatten() {
        let mut add = |value: String| *fields.entry((key.clone(), value)).or_default() += 1;
        if !answer.is_null() {
            add("all".to_owned());
        }
        match answer {
            Value::Number(grade) => add(grade.to_string()),
            Value::String(value) if key == "colour" => add(number(value)),
            Value::Array(values) => values.iter().for_each(|v| add(number(v.as_str().unwrap()))),
            _ => {}
        }
    }
    (counts, fields)
}

/// Of an option of the form: its place.
fn number(value: &str) -> String {
    ["a", "b"]
        .iter()
        .position(|one| *one == value)
        .unwrap()
        .to_string()
}

/// The counts of the fields in the words of [`recomputed`].
fn counted(fields: &FieldCounts) -> BTreeMap<(String, String), i64> {
    let mut told = BTreeMap::new();
    for (key, field) in fields.iter() {
        let mut tell = |value: String, count| told.insert((key.to_owned(), value), count);
        tell("all".to_owned(), field.answers());
        for (value, count) in field.values() {
            tell(value.to_string(), count);
            assert_eq!(field.value(value), count);
        }
    }
    told
}

fn any_count() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -2..=2_i64, 1 => any::<i64>()]
}

fn any_fields() -> impl Strategy<Value = FieldCounts> {
    let part = ("[a-c]{1,2}", 0_u8..4, any_count(), any_count());
    prop::collection::vec(part, 0..12).prop_map(|parts| {
        let mut fields = FieldCounts::default();
        for (key, value, answers, count) in parts {
            let field = fields.field(&key);
            field.answers = answers;
            *field.at(value) = count;
            field.drop_zeros();
        }
        fields.drop_zeros();
        fields
    })
}

pub(super) fn any_delta() -> impl Strategy<Value = Delta> {
    let counters = prop::collection::vec(any_count(), COUNTERS);
    (counters, any_fields()).prop_map(|(counters, fields)| Delta {
        counts: of(&counters),
        fields,
    })
}

/// What a bad disk makes of bytes.
#[derive(Clone, Debug)]
pub(super) enum Damage {
    Flip(Index, u8),
    Cut(Index),
    Insert(Index, u8),
}

/// None or a few: with many hardly anything can be read.
pub(super) fn any_damages() -> impl Strategy<Value = Vec<Damage>> {
    let damage = prop_oneof![
        2 => any::<(Index, u8)>().prop_map(|(at, bits)| Damage::Flip(at, bits)),
        1 => any::<Index>().prop_map(Damage::Cut),
        1 => any::<(Index, u8)>().prop_map(|(at, byte)| Damage::Insert(at, byte)),
    ];
    prop::collection::vec(damage, 0..3)
}

pub(super) fn damaged(mut bytes: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        match damage {
            Damage::Flip(at, bits) if !bytes.is_empty() => *at.get_mut(&mut bytes) ^= bits,
            Damage::Flip(..) => {}
            Damage::Cut(at) => bytes.truncate(at.index(bytes.len() + 1)),
            Damage::Insert(at, byte) => bytes.insert(at.index(bytes.len() + 1), *byte),
        }
    }
    bytes
}

fn sum(a: &Delta, b: &Delta) -> Delta {
    let mut sum = a.clone();
    sum.merge(b);
    sum
}

proptest! {
    #[test]
    fn deltas_add_up_in_any_order_and_grouping(a in any_delta(), b in any_delta(), c in any_delta()) {
        prop_assert_eq!(sum(&a, &b), sum(&b, &a));
        prop_assert_eq!(sum(&sum(&a, &b), &c), sum(&a, &sum(&b, &c)));
        prop_assert_eq!(sum(&a, &Delta::default()), a.clone());
        prop_assert_eq!(sum(&sum(&a, &b), &b.clone().negated()), a.clone());
        prop_assert_eq!(sum(&a, &a.clone().negated()), Delta::default());
    }

    #[test]
    fn counts_read_back_and_add_up_from_bytes(a in any_delta(), b in any_delta()) {
        prop_assert_eq!(Delta::decode(&a.encode()), Ok(a.clone()));
        prop_assert_eq!(DayCounts::decode(&a.encode()), Ok(a.counts));
        let whole = sum(&a, &b);
        prop_assert_eq!(a.merged_with(&b.encode()), Ok(whole));
    }

    #[test]
    fn equal_counts_are_equal_bytes(a in any_delta(), b in any_delta()) {
        prop_assert_eq!(a == b, a.encode() == b.encode());
        prop_assert_eq!(sum(&sum(&a, &b), &b.negated()).encode(), a.encode());
    }

    #[test]
    fn sums_of_fields_add_up(a in any_fields(), b in any_fields()) {
        let mut whole = a.clone();
        whole.merge(&b);
        let of = |fields: &FieldCounts, key| fields.get(key).map_or(0, FieldCount::sum);
        for (key, _) in a.iter().chain(b.iter()) {
            prop_assert_eq!(of(&whole, key), of(&a, key).wrapping_add(of(&b, key)));
        }
    }

    #[test]
    fn bytes_that_are_read_are_the_bytes_that_are_written(
        delta in any_delta(), damages in any_damages()
    ) {
        let bytes = damaged(delta.encode(), &damages);
        let _ = DayCounts::decode(&bytes);
        if let Ok(read) = Delta::decode(&bytes) {
            prop_assert_eq!(read.encode(), bytes);
        }
    }

    #[test]
    fn damaged_bytes_are_refused_or_other_counts(
        delta in any_delta(), at: Index, flip: u8, cut: Index
    ) {
        let whole = delta.encode();
        let mut bytes = whole.clone();
        *at.get_mut(&mut bytes) ^= flip;
        if let Ok(read) = Delta::decode(&bytes) {
            prop_assert_eq!(read.encode(), bytes);
        }
        prop_assert!(Delta::decode(&whole[..cut.index(whole.len())]).is_err());
        let longer = [whole.as_slice(), &[flip]].concat();
        prop_assert!(Delta::decode(&longer).is_err());
    }

    #[test]
    fn what_is_rolled_up_is_what_is_recomputed(
        events in prop::collection::vec((any_answers(), any::<bool>(), any::<Index>()), 0..12),
        views in 0_i64..5,
    ) {
        // Some feedbacks are deleted again, and everything arrives in some order.
        let mut deltas: Vec<Delta> = (0..views).map(|_| Delta::view()).collect();
        let mut stay = Vec::new();
        for (submission, deleted, place) in events {
            let delta = delta(&submission);
            let mut arrive = |delta| {
                let place = place.index(deltas.len() + 1);
                deltas.insert(place, delta);
            };
            arrive(delta.clone());
            if deleted {
                arrive(delta.negated());
            } else {
                stay.push(submission);
            }
        }
        let rolled_up = deltas
            .iter()
            .try_fold(Delta::default(), |sum, delta| sum.merged_with(&delta.encode()))
            .unwrap();
        let (counts, fields) = recomputed(&stay, views);
        prop_assert_eq!(serde_json::to_value(rolled_up.counts).unwrap(), counts);
        prop_assert_eq!(counted(&rolled_up.fields), fields);
    }
}

#[test]
fn an_answer_counts_in_its_groups_and_fields() {
    let delta = delta(
        &json!({"nps": 9, "happiness": 4, "stars": 2, "extras": ["b", "a"],
        "comment": "Good."}),
    );
    assert_eq!(
        delta.counts,
        DayCounts {
            responses: 1,
            comments: 1,
            happy: 1,
            happiness_answers: 1,
            promoters: 1,
            nps_answers: 1,
            ..DayCounts::default()
        }
    );
    let keys: Vec<&str> = delta.fields.keys().map(String::as_str).collect();
    assert_eq!(keys, ["comment", "extras", "happiness", "nps", "stars"]);
    let extras = delta.fields.get("extras").unwrap();
    assert_eq!(extras.answers(), 1);
    assert_eq!(extras.values().collect::<Vec<_>>(), [(0, 1), (1, 1)]);
    let stars = delta.fields.get("stars").unwrap();
    assert_eq!(
        (stars.answers(), stars.sum(), stars.value(2), stars.value(3)),
        (1, 2, 1, 0)
    );
    assert_eq!(delta.fields.get("colour"), None);
}

#[test]
fn the_groups_of_nps_and_happiness_end_where_the_contract_says() {
    for (nps, group) in [
        (0, [0, 0, 1]),
        (6, [0, 0, 1]),
        (7, [0, 1, 0]),
        (8, [0, 1, 0]),
        (9, [1, 0, 0]),
        (10, [1, 0, 0]),
    ] {
        let counts = delta(&json!({"nps": nps})).counts;
        assert_eq!(
            [counts.promoters, counts.passives, counts.detractors],
            group,
            "{nps}"
        );
    }
    for (happiness, happy) in [(1, 0), (3, 0), (4, 1), (5, 1)] {
        assert_eq!(
            delta(&json!({"happiness": happiness})).counts.happy,
            happy,
            "{happiness}"
        );
    }
}

#[test]
fn day_counts_are_the_members_of_daily() {
    let counts = of(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    let json = r#"{"views":1,"responses":2,"comments":3,"happy":4,"happiness_answers":5,"promoters":6,"passives":7,"detractors":8,"nps_answers":9,"sent":10,"delivered":11,"answered":12}"#;
    assert_eq!(serde_json::to_string(&counts).unwrap(), json);
}

#[test]
fn a_view_takes_few_bytes() {
    let none = [0; COUNTERS];
    assert_eq!(Delta::view().encode(), [&[2, 2][..], &none].concat());
}

/// The bytes of a delta without counters.
fn of_fields(fields: &[u8]) -> Vec<u8> {
    [&[2][..], &[0; COUNTERS], fields].concat()
}

#[test]
fn the_bytes_are_as_documented() {
    let mut delta = delta(&json!({"nps": 7, "extras": ["b"]}));
    delta.counts = DayCounts::default();
    let fields = [
        &[2, 6][..],
        b"extras",
        &[2, 1, 1, 2, 3],
        b"nps",
        &[2, 1, 7, 2],
    ];
    assert_eq!(delta.encode(), of_fields(&fields.concat()));
}

#[test]
fn bytes_that_are_no_counts_are_refused_with_the_reason() {
    use DecodeError::{Corrupt, UnknownVersion};
    assert_eq!(Delta::decode(&[]), Err(Corrupt("they are empty")));
    assert_eq!(Delta::decode(&[3, 0]), Err(UnknownVersion(3)));
    assert_eq!(DayCounts::decode(&[1, 0]), Err(UnknownVersion(1)));
    let cut_off = Corrupt("a number is cut off or too large");
    let out_of_order = Corrupt("they are out of order");
    let zero = Corrupt("a count of 0 is listed");
    for (fields, error) in [
        // A field and values are announced that are not there, more than memory holds.
        (
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f][..],
            cut_off,
        ),
        (
            &[1, 1, b'a', 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
            cut_off,
        ),
        (
            &[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, b'a'],
            Corrupt("a text is cut off"),
        ),
        (&[1, 1, 0xff, 2, 0], Corrupt("a text is not UTF-8")),
        (&[2, 1, b'b', 2, 0, 1, b'a', 2, 0], out_of_order),
        (&[2, 1, b'a', 2, 0, 1, b'a', 2, 0], out_of_order),
        (&[1, 1, b'a', 2, 2, 3, 2, 3, 2], out_of_order),
        (&[1, 1, b'a', 2, 2, 3, 2, 1, 2], out_of_order),
        (&[1, 1, b'a', 0, 0], zero),
        (&[1, 1, b'a', 2, 1, 3, 0], zero),
        (&[0, 0], Corrupt("more follows")),
    ] {
        assert_eq!(Delta::decode(&of_fields(fields)), Err(error), "{fields:?}");
    }
}

#[test]
fn a_message_counts_where_it_was_delivered_and_answered() {
    let message = |delivered, answered| {
        let mut counts = DayCounts::message(delivered, answered);
        let counts = counts.counters().map(|(_, counter)| *counter);
        counts[COUNTERS - 4..].to_vec()
    };
    assert_eq!(message(false, false), [1, 0, 0, 0]);
    assert_eq!(message(true, false), [1, 1, 0, 0]);
    assert_eq!(message(false, true), [1, 0, 1, 0]);
    assert_eq!(message(true, true), [1, 1, 1, 1]);
}
