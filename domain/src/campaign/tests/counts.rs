use proptest::prelude::*;
use strum::VariantArray;

use super::*;

/// Whether the statuses add up to the recipients.
fn adds_up(counts: &Counts) -> bool {
    let statuses = MessageStatus::VARIANTS.iter();
    let sum: i64 = statuses.map(|status| counts.status(*status)).sum();
    sum == counts.get(Count::Recipients)
}

fn counts(counted: &[(Count, i64)]) -> Counts {
    let mut counts = Counts::default();
    for (count, more) in counted {
        counts.add(*count, *more);
    }
    counts
}

fn sum(all: &[Counts]) -> Counts {
    let mut sum = Counts::default();
    for counts in all {
        sum.merge(counts);
    }
    sum
}

fn name(count: Count) -> String {
    json!(count).as_str().unwrap().to_owned()
}

#[test]
fn counts_in_json_have_every_status_and_the_reasons_that_occur() {
    let empty = json!({
        "recipients": 0, "skipped": {}, "scheduled": 0, "sending": 0, "accepted": 0, "delivered": 0, "undelivered": 0,
        "expired": 0, "failed": 0, "unknown": 0, "cancelled": 0, "parts": 0, "viewed": 0, "answered": 0,
    });
    assert_eq!(serde_json::to_value(Counts::default()).unwrap(), empty);
    let names = empty.as_object().unwrap();
    for status in MessageStatus::VARIANTS {
        assert!(names.contains_key(status.into_str()), "{status:?}");
    }

    let some = counts(&[
        (Count::Recipients, 4),
        (Count::Status(MessageStatus::Delivered), 1),
        (Count::Skipped(SkipReason::TooLate), 2),
        (Count::Skipped(SkipReason::OptedOut), 1),
        (Count::Parts, 3),
    ]);
    let json = serde_json::to_value(&some).unwrap();
    assert_eq!(json["skipped"], json!({"opted_out": 1, "too_late": 2}));
    assert_eq!(json["delivered"], 1);
    assert_eq!(json["parts"], 3);
    assert_eq!(some.status(MessageStatus::Skipped), 3);
    assert!(adds_up(&some));
}

#[test]
fn a_message_is_counted_once_when_it_is_skipped() {
    let scheduled = Count::Status(MessageStatus::Scheduled);
    let skipped = Count::Skipped(SkipReason::Erased);
    let planned = counts(&[(Count::Recipients, 1), (scheduled, 1)]);
    let moved = Counts::moved(scheduled, skipped);
    let both = sum(&[planned.clone(), moved]);
    assert!(adds_up(&both));
    // Its status may be counted too, and changes nothing.
    let status = Count::Status(MessageStatus::Skipped);
    let mut moved = Counts::moved(scheduled, status);
    moved.add(skipped, 1);
    assert_eq!(sum(&[planned.clone(), moved]), both);
    // Without its reason it is missing.
    let moved = Counts::moved(scheduled, status);
    assert!(!adds_up(&sum(&[planned, moved])));
}

#[test]
fn a_change_is_a_short_json_object() {
    let scheduled = Count::Status(MessageStatus::Scheduled);
    let sending = Count::Status(MessageStatus::Sending);
    assert_eq!(Counts::default().to_string(), "{}");
    assert!(Counts::moved(sending, sending).is_empty());
    let mut change = Counts::moved(scheduled, sending);
    assert_eq!(change.to_string(), r#"{"scheduled":-1,"sending":1}"#);
    change.merge(&Counts::moved(
        sending,
        Count::Skipped(SkipReason::OptedOut),
    ));
    let text = r#"{"scheduled":-1,"opted_out":1}"#;
    assert_eq!(change.to_string(), text);
    assert_eq!((change.get(scheduled), change.get(sending)), (-1, 0));

    let zeros: Counts = r#"{"parts": 0, "viewed":1}"#.parse().unwrap();
    assert_eq!(zeros, counts(&[(Count::Viewed, 1)]));
    for text in [
        "",
        "[]",
        r#"{"views":1}"#,
        r#"{"":1}"#,
        r#"{"late":1}"#,
        r#"{"parts":1.5}"#,
        r#"{"parts":"1"}"#,
        r#"{"parts":9223372036854775808}"#,
        r#"{"parts":1} "#,
    ] {
        let is_refused = text.parse::<Counts>().is_err();
        assert_eq!(is_refused, !text.ends_with(' '), "{text}");
    }
}

fn every_count() -> Vec<Count> {
    let statuses = MessageStatus::VARIANTS.iter().copied().map(Count::Status);
    let reasons = SkipReason::VARIANTS.iter().copied().map(Count::Skipped);
    [
        Count::Recipients,
        Count::Parts,
        Count::Viewed,
        Count::Answered,
    ]
    .into_iter()
    .chain(statuses)
    .chain(reasons)
    .collect()
}

#[test]
fn every_count_has_a_name_of_its_own() {
    let names: std::collections::HashSet<_> = every_count().into_iter().map(name).collect();
    assert_eq!(names.len(), every_count().len());
    for count in every_count() {
        let read: Count = serde_json::from_value(json!(count)).unwrap();
        assert_eq!(read, count);
    }
}

fn any_change() -> impl Strategy<Value = Counts> {
    let change = (prop::sample::select(every_count()), -9_i64..9);
    prop::collection::vec(change, 0..12).prop_map(|changes| counts(&changes))
}

/// Where a message can be counted.
fn any_place() -> impl Strategy<Value = Count> {
    let places = every_count().into_iter().filter(|count| match count {
        Count::Status(status) => *status != MessageStatus::Skipped,
        Count::Skipped(_) => true,
        _ => false,
    });
    prop::sample::select(places.collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn a_change_reads_back(change in any_change()) {
        let text = change.to_string();
        prop_assert_eq!(text.parse::<Counts>().unwrap(), change);
    }

    #[test]
    fn changes_may_be_merged_in_any_order_before_they_are_added(
        changes in prop::collection::vec(any_change(), 0..6),
    ) {
        let mut merged = Counts::default();
        for change in changes.iter().rev() {
            merged.merge(change);
        }
        prop_assert_eq!(merged, sum(&changes));
    }

    #[test]
    fn messages_that_move_are_counted_where_they_stand(
        walks in prop::collection::vec(prop::collection::vec(any_place(), 1..6), 0..12),
    ) {
        let mut by_moves = Counts::default();
        let mut counted = Counts::default();
        for walk in &walks {
            by_moves.merge(&counts(&[(Count::Recipients, 1), (walk[0], 1)]));
            prop_assert!(adds_up(&by_moves));
            for step in walk.windows(2) {
                by_moves.merge(&Counts::moved(step[0], step[1]));
                prop_assert!(adds_up(&by_moves));
            }
            counted.add(Count::Recipients, 1);
            counted.add(walk[walk.len() - 1], 1);
        }
        prop_assert_eq!(by_moves, counted);
    }

    #[test]
    fn every_change_of_a_count_is_seen(change in any_change()) {
        let json = json!(change);
        for count in every_count() {
            let shown = match count {
                Count::Skipped(reason) => &json["skipped"][reason.into_str()],
                Count::Status(MessageStatus::Skipped) => continue,
                other => &json[name(other)],
            };
            prop_assert_eq!(shown.as_i64().unwrap_or_default(), change.get(count));
        }
    }
}
