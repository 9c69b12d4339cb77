use proptest::prelude::*;
use strum::VariantArray;

use super::*;
use MessageStatus::{
    Accepted, Cancelled, Delivered, Expired, Failed, Scheduled, Sending, Skipped, Undelivered,
    Unknown,
};

type Receipt = (Option<usize>, ReceiptStatus);

fn after(parts: usize, receipts: &[Receipt]) -> PartStates {
    let mut states = PartStates::new(parts);
    for (part, status) in receipts {
        states.record(*part, *status);
    }
    states
}

#[test]
fn receipts_have_the_names_of_the_wire() {
    let names = ["accepted", "delivered", "undelivered", "expired"];
    let known = ReceiptStatus::VARIANTS.iter().map(ReceiptStatus::into_str);
    assert!(known.eq(names));
    for status in ReceiptStatus::VARIANTS {
        assert_eq!(status.into_str().parse(), Ok(*status));
    }
}

#[test]
fn the_first_final_receipt_of_a_part_stands_but_delivered_beats_all() {
    use ReceiptStatus::{Accepted, Delivered, Expired, Undelivered};
    for (receipts, states) in [
        (&[][..], "---"),
        (&[(Some(1), Accepted)], "-a-"),
        (&[(Some(1), Accepted), (Some(1), Expired)], "-e-"),
        (&[(Some(1), Expired), (Some(1), Accepted)], "-e-"),
        (&[(Some(1), Expired), (Some(1), Undelivered)], "-e-"),
        (&[(Some(1), Undelivered), (Some(1), Expired)], "-u-"),
        (&[(Some(1), Undelivered), (Some(1), Delivered)], "-d-"),
        (&[(Some(1), Delivered), (Some(1), Undelivered)], "-d-"),
        (&[(Some(1), Delivered), (None, Expired)], "ede"),
        (&[(Some(2), Expired), (None, Accepted)], "aae"),
        (&[(Some(0), Expired), (None, Delivered)], "ddd"),
        (&[(Some(3), Undelivered)], "---"),
    ] {
        assert_eq!(after(3, receipts).as_str(), states);
    }
}

#[test]
fn a_message_is_as_its_parts() {
    for (states, status) in [
        ("d", Delivered),
        ("ddd", Delivered),
        ("u", Undelivered),
        ("ddu", Undelivered),
        ("-u", Undelivered),
        ("eu", Undelivered),
        ("ae", Expired),
        ("de", Expired),
        ("a", Accepted),
        ("-a", Accepted),
        ("d-", Accepted),
        ("da", Accepted),
    ] {
        let parts: PartStates = states.parse().unwrap();
        for before in [Sending, Accepted, Failed, Unknown, status] {
            assert_eq!(parts.status(before), status, "{states}");
        }
        for before in [Skipped, Scheduled, Cancelled] {
            assert_eq!(parts.status(before), before);
        }
    }
    for before in MessageStatus::VARIANTS {
        assert_eq!(PartStates::new(2).status(*before), *before);
        assert_eq!(PartStates::new(0).status(*before), *before);
    }
}

#[test]
fn states_are_read_back_and_nothing_else() {
    for text in ["", "-", "-adue", "ddd"] {
        let states: PartStates = text.parse().unwrap();
        assert_eq!(states.as_str(), text);
    }
    for text in ["x", "D", " ", "d d", "–"] {
        assert!(text.parse::<PartStates>().is_err(), "{text}");
    }
}

fn any_receipt() -> impl Strategy<Value = Receipt> {
    let part = prop::option::weighted(0.8, 0_usize..4);
    (part, prop::sample::select(ReceiptStatus::VARIANTS))
}

/// Receipts in two orders.
fn shuffled() -> impl Strategy<Value = (Vec<Receipt>, Vec<Receipt>)> {
    let receipts = prop::collection::vec(any_receipt(), 0..10);
    receipts.prop_flat_map(|receipts| (Just(receipts.clone()), Just(receipts).prop_shuffle()))
}

/// A status that receipts may change.
fn any_before() -> impl Strategy<Value = MessageStatus> {
    prop::sample::select(vec![Sending, Accepted, Failed, Unknown])
}

proptest! {
    #[test]
    fn the_order_of_receipts_matters_only_between_two_failures_of_a_part(
        (one, other) in shuffled(),
        parts in 1_usize..4,
        before in any_before(),
    ) {
        let fails_twice = (0..parts).any(|part| {
            let has = |status| one.iter().any(|receipt| {
                receipt.0.is_none_or(|named| named == part) && receipt.1 == status
            });
            has(ReceiptStatus::Undelivered) && has(ReceiptStatus::Expired)
        });
        let [a, b] = [one, other].map(|receipts| after(parts, &receipts));
        if fails_twice {
            let failures = |states: &PartStates| states.as_str().replace('e', "u");
            prop_assert_eq!(failures(&a), failures(&b));
        } else {
            prop_assert_eq!(a.status(before), b.status(before));
            prop_assert_eq!(a, b);
        }
    }

    #[test]
    fn delivered_for_all_parts_is_delivered(
        (receipts, _) in shuffled(),
        at in any::<prop::sample::Index>(),
        apart: bool,
        parts in 1_usize..4,
        before in any_before(),
    ) {
        let mut receipts = receipts;
        let delivered: Vec<Receipt> = if apart {
            (0..parts).map(|part| (Some(part), ReceiptStatus::Delivered)).collect()
        } else {
            vec![(None, ReceiptStatus::Delivered)]
        };
        let at = at.index(receipts.len() + 1);
        receipts.splice(at..at, delivered);
        prop_assert_eq!(after(parts, &receipts).status(before), Delivered);
    }

    #[test]
    fn the_status_does_not_depend_on_how_many_receipts_come_at_once(
        (receipts, _) in shuffled(),
        parts in 1_usize..4,
        before in any_before(),
    ) {
        let mut states = PartStates::new(parts);
        let mut status = before;
        for (part, receipt) in &receipts {
            states.record(*part, *receipt);
            status = states.status(status);
        }
        prop_assert_eq!(status, states.status(before));
    }

    #[test]
    fn a_receipt_that_comes_again_changes_nothing(
        (receipts, _) in shuffled(),
        again in any::<prop::sample::Index>(),
        parts in 1_usize..4,
    ) {
        let mut states = after(parts, &receipts);
        if !receipts.is_empty() {
            let before = states.clone();
            let (part, status) = receipts[again.index(receipts.len())];
            states.record(part, status);
            prop_assert_eq!(states, before);
        }
    }
}

#[test]
fn a_receipt_that_is_overridden_makes_no_status() {
    use ReceiptStatus::{Accepted, Delivered, Expired, Undelivered};
    for (parts, receipts) in [
        (
            1,
            vec![
                (None, Accepted, true),
                (None, Accepted, true),
                (None, Delivered, true),
            ],
        ),
        (
            1,
            vec![
                (None, Undelivered, true),
                (None, Expired, false),
                (None, Delivered, true),
            ],
        ),
        (
            1,
            vec![
                (None, Delivered, true),
                (None, Undelivered, false),
                (None, Accepted, false),
            ],
        ),
        (1, vec![(Some(1), Undelivered, false)]),
        // The part that failed says why the message did.
        (
            2,
            vec![
                (Some(0), Undelivered, true),
                (Some(1), Delivered, false),
                (Some(0), Delivered, true),
            ],
        ),
        (
            2,
            vec![
                (Some(0), Expired, true),
                (Some(1), Undelivered, true),
                (Some(0), Delivered, false),
            ],
        ),
    ] {
        let mut states = PartStates::new(parts);
        for (n, (part, status, expected)) in receipts.iter().enumerate() {
            let makes = states.record(*part, *status);
            assert_eq!(
                makes, *expected,
                "{parts} parts, receipt {n} of {receipts:?}"
            );
        }
    }
}
