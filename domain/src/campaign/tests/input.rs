use proptest::prelude::*;

use super::*;
use crate::sms::SendWindow;

const BATCH: &str = "0190c0de-0000-7000-8000-000000000001";

#[test]
fn what_is_left_out_or_null_has_its_default() {
    let least = content(&least());
    assert_eq!(least.name, "Autumn");
    assert_eq!(least.sender.only(), Some("demo"));
    assert_eq!(least.text.as_str(), "How was it? {link}");
    assert_eq!(least.audience, Audience::OnImport { on_import: true });
    assert!(least.track_fields.is_empty() && least.bus_props_from.is_empty());
    assert_eq!(least.link_expires_after_days, 30);
    assert_eq!(least.send_window, Some(SendWindow::default()));
    assert_eq!(least.send_within_hours, 72);
    assert_eq!(least.contact_gap_days, 0);
    assert_eq!(least.max_parts, 3);
    assert_eq!(least.max_messages, None);
    assert_eq!((least.sample, least.per_day.len()), (None, 0));
    assert_eq!(least.starts_at, None);
    assert_eq!(least.delay_minutes, 0);
    assert_eq!(least.reminder, None);
    let nulls = with(&json!({
        "track_fields": null, "bus_props_from": null, "link_expires_after_days": null, "send_within_hours": null,
        "contact_gap_days": null, "max_parts": null, "max_messages": null, "starts_at": null, "delay_minutes": null,
        "reminder": null, "sample": null, "per_day": null,
    }));
    assert_eq!(content(&nulls), least);
}

#[test]
fn a_campaign_in_json_has_every_member() {
    let full = json!({
        "name": "Autumn",
        "form_id": "0190c0de-0000-7000-8000-00000000000f",
        "sender": "demo-2",
        "text": "Hi {first_name|you}: {link}",
        "audience": {
            "created_from": "2026-01-01T00:00:00Z",
            "created_to": "2026-01-31T23:59:59.999Z",
            "fields": {"city": "Köln", "vip": ""},
        },
        "track_fields": ["order", "shop"],
        "bus_props_from": {"store": "store_code"},
        "link_expires_after_days": 365,
        "send_window": serde_json::to_value(SendWindow::default()).unwrap(),
        "send_within_hours": 720,
        "contact_gap_days": 365,
        "max_parts": 10,
        "max_messages": i64::MAX,
        "sample": 0.2,
        "per_day": {"store": 20},
        "budget": {"amount": 99.5, "currency": "EUR"},
        "starts_at": "2030-12-31T23:59:59Z",
        "delay_minutes": 43_200,
        "reminder": {"after_days": 90, "text": "Still: {link}"},
    });
    let read = content(&full);
    assert_eq!(serde_json::to_value(&read).unwrap(), full);
    assert_eq!(
        serde_json::from_value::<CampaignContent>(full).unwrap(),
        read
    );

    let names = |value: &Value| -> Vec<_> { value.as_object().unwrap().keys().cloned().collect() };
    let least = serde_json::to_value(content(&least())).unwrap();
    assert_eq!(names(&least), names(&serde_json::to_value(&read).unwrap()));
}

#[test]
fn a_campaign_that_asks_only_some_says_which() {
    let of = |sample: Value| with(&json!({"sample": sample}));
    for sample in [json!(0), json!(0.5), json!(1)] {
        content(&of(sample));
    }
    refused(&json!({"sample": 1.5}), &[("/sample", "out_of_range")]);
    refused(&json!({"sample": -0.5}), &[("/sample", "out_of_range")]);
    refused(&json!({"sample": "half"}), &[("/sample", "wrong_type")]);
    let from = json!({"store": "store_code"});
    for (per_day, expected) in [
        (json!({"store": 0}), ("/per_day/store", "out_of_range")),
        (json!({"store": null}), ("/per_day/store", "missing")),
        (json!({"store": "x"}), ("/per_day/store", "wrong_type")),
        (json!({"brand": 5}), ("/per_day/brand", "unknown_key")),
        (json!(20), ("/per_day", "wrong_type")),
    ] {
        refused(
            &json!({"per_day": per_day, "bus_props_from": from}),
            &[expected],
        );
    }
    let asked = content(&with(
        &json!({"per_day": {"store": 20}, "bus_props_from": from}),
    ));
    let quotas = |code| {
        let quotas = asked.quotas(None, |name| (name == "store_code").then_some(code));
        let quotas = quotas.into_iter();
        let quotas = quotas.map(|(text, most)| (text.as_str().to_owned(), most));
        quotas.collect::<Vec<_>>()
    };
    assert_eq!(quotas("S1"), [("store:S1".to_owned(), 20)]);
    assert_eq!(quotas(""), []);
    assert!(asked.asks_only_some() && !content(&least()).asks_only_some());
}

#[test]
fn a_budget_is_an_amount_of_a_currency() {
    let budget = content(&with(
        &json!({"budget": {"amount": 500, "currency": "EUR"}}),
    ))
    .budget;
    assert_eq!(budget, "500EUR".parse().ok());
    for (budget, expected) in [
        (json!(500), ("/budget", "wrong_type")),
        (
            json!({"amount": -1, "currency": "EUR"}),
            ("/budget/amount", "out_of_range"),
        ),
        (
            json!({"amount": 0.000_000_1, "currency": "EUR"}),
            ("/budget/amount", "out_of_range"),
        ),
        (
            json!({"amount": "500", "currency": "EUR"}),
            ("/budget/amount", "wrong_type"),
        ),
        (json!({"currency": "EUR"}), ("/budget/amount", "missing")),
        (
            json!({"amount": 5, "currency": "euro"}),
            ("/budget/currency", "malformed"),
        ),
        (
            json!({"amount": 5, "currency": "EUR", "x": 1}),
            ("/budget/x", "unknown_member"),
        ),
    ] {
        refused(&json!({"budget": budget}), &[expected]);
    }
}

#[test]
fn a_send_window_is_the_default_or_any_time_or_the_one_given() {
    let any_time = content(&with(&json!({"send_window": null})));
    assert_eq!(any_time.send_window, None);
    let stored = serde_json::to_value(&any_time).unwrap();
    assert_eq!(stored["send_window"], Value::Null);
    assert_eq!(
        serde_json::from_value::<CampaignContent>(stored.clone()).unwrap(),
        any_time
    );
    // A window that a row lacks is never any time.
    let mut without = stored;
    without.as_object_mut().unwrap().remove("send_window");
    let read: CampaignContent = serde_json::from_value(without).unwrap();
    assert_eq!(read.send_window, Some(SendWindow::default()));
    for window in [json!("always"), json!([]), json!({"from": 9})] {
        refused(
            &json!({"send_window": window}),
            &[("/send_window", "malformed")],
        );
    }
}

#[test]
fn what_must_be_there_is_asked_for() {
    let problems = CampaignContent::parse(&json!({})).unwrap_err();
    let expected = ["/name", "/form_id", "/sender", "/text", "/audience"];
    assert_eq!(codes(&problems), expected.map(|name| (name, "missing")));
    for body in [json!([]), json!(null), json!("Autumn")] {
        let problems = CampaignContent::parse(&body).unwrap_err();
        assert_eq!(codes(&problems), [("", "wrong_type")]);
    }
}

#[test]
fn names_are_short_and_plain() {
    for (name, code) in [
        (json!(1), "wrong_type"),
        (json!(" "), "blank"),
        (json!("é".repeat(201)), "too_long"),
        (json!("a\nb"), "control_character"),
    ] {
        refused(&json!({"name": name}), &[("/name", code)]);
    }
    content(&with(&json!({"name": "é".repeat(200)})));
    for sender in ["", "Demo", "de_mo", "demo ", "dé", &"a".repeat(41)] {
        refused(&json!({"sender": sender}), &[("/sender", "malformed")]);
    }
    content(&with(&json!({"sender": "a-1".repeat(13)})));
}

#[test]
fn a_sender_is_a_name_a_list_of_them_or_both_by_country() {
    let eleven: Vec<String> = (0..11).map(|n| format!("s{n}")).collect();
    for (sender, problem) in [
        (json!(1), ("/sender", "wrong_type")),
        (json!([]), ("/sender", "missing")),
        (json!({}), ("/sender", "missing")),
        (json!(["a", "a"]), ("/sender/1", "duplicate")),
        (json!(["a", 1]), ("/sender/1", "wrong_type")),
        (json!(["A"]), ("/sender/0", "malformed")),
        (json!(eleven), ("/sender", "too_many")),
        (json!({"de": "a"}), ("/sender/de", "unknown_key")),
        (json!({"XX": "a"}), ("/sender/XX", "unknown_key")),
        (json!({"001": "a"}), ("/sender/001", "unknown_key")),
        (json!({"DE": []}), ("/sender/DE", "missing")),
        (json!({"DE": null}), ("/sender/DE", "missing")),
        (json!({"*": ["a", "a"]}), ("/sender/*/1", "duplicate")),
    ] {
        refused(&json!({"sender": sender}), &[problem]);
    }
    for sender in [
        json!(["a"]),
        json!(&eleven[1..]),
        json!({"DE": "a", "FR": ["b", "a"], "*": "c"}),
    ] {
        let read = content(&with(&json!({"sender": sender})));
        assert_eq!(serde_json::to_value(&read.sender).unwrap(), sender);
    }
}

#[test]
fn ids_are_written_with_hyphens() {
    for id in [
        "",
        "1",
        "0190c0de000070008000000000000001",
        "{0190c0de-0000-7000-8000-000000000001}",
    ] {
        refused(&json!({"form_id": id}), &[("/form_id", "malformed")]);
        let audience = json!({"batch_ids": [BATCH, id]});
        let pointer = "/audience/batch_ids/1";
        refused(&json!({"audience": audience}), &[(pointer, "malformed")]);
    }
    refused(&json!({"form_id": 1}), &[("/form_id", "wrong_type")]);
}

#[test]
fn a_text_is_a_template() {
    refused(&json!({"text": "no link"}), &[("/text", "malformed")]);
    let problems = CampaignContent::parse(&with(&json!({"text": "no link"}))).unwrap_err();
    assert_eq!(problems[0].detail, "text has no {link}");
}

#[test]
fn numbers_are_whole_and_in_their_range() {
    for (name, lowest, highest) in [
        ("link_expires_after_days", 1_u64, 365_u64),
        ("send_within_hours", 1, 720),
        ("contact_gap_days", 0, 365),
        ("max_parts", 1, 10),
        ("max_messages", 1, i64::MAX.cast_unsigned()),
        ("delay_minutes", 0, 43_200),
    ] {
        let pointer = format!("/{name}");
        for number in [lowest, highest] {
            let read = content(&with(&json!({name: number})));
            assert_eq!(serde_json::to_value(&read).unwrap()[name], number);
        }
        for number in [json!(highest + 1), json!(-1), json!(u64::MAX)] {
            refused(&json!({name: number}), &[(&pointer, "out_of_range")]);
        }
        if lowest == 1 {
            refused(&json!({name: 0}), &[(&pointer, "out_of_range")]);
        }
        for number in [json!("1"), json!(1.0), json!(true), json!([1])] {
            refused(&json!({name: number}), &[(&pointer, "wrong_type")]);
        }
    }
}

#[test]
fn a_time_is_rfc_3339_in_utc() {
    for time in [
        "2030-12-31",
        "2030-12-31T23:59:59",
        "2030-12-31T23:59:59+01:00",
        "2030-12-31 23:59:59Z",
        "+12030-12-31T23:59:59Z",
        "2030-02-30T00:00:00Z",
        "",
    ] {
        refused(&json!({"starts_at": time}), &[("/starts_at", "malformed")]);
        let audience = json!({"created_to": time});
        let expected = [("/audience/created_to", "malformed")];
        refused(&json!({"audience": audience}), &expected);
    }
    refused(&json!({"starts_at": 1}), &[("/starts_at", "wrong_type")]);
}

#[test]
fn a_reminder_has_its_day_and_text() {
    for (reminder, expected) in [
        (json!(true), &[("/reminder", "wrong_type")][..]),
        (
            json!({}),
            &[
                ("/reminder/after_days", "missing"),
                ("/reminder/text", "missing"),
            ],
        ),
        (
            json!({"after_days": 0, "text": "x"}),
            &[
                ("/reminder/after_days", "out_of_range"),
                ("/reminder/text", "malformed"),
            ],
        ),
        (
            json!({"after_days": 91, "text": "{link}", "times": 2}),
            &[
                ("/reminder/after_days", "out_of_range"),
                ("/reminder/times", "unknown_member"),
            ],
        ),
    ] {
        refused(&json!({"reminder": reminder}), expected);
    }
}

#[test]
fn every_problem_is_reported() {
    refused(
        &json!({"text": "x", "sender": "", "track_fields": [1], "colour": 1, "max_parts": 11}),
        &[
            ("/sender", "malformed"),
            ("/text", "malformed"),
            ("/track_fields/0", "wrong_type"),
            ("/max_parts", "out_of_range"),
            ("/colour", "unknown_member"),
        ],
    );
}

/// A time with or without a fraction.
fn any_time() -> impl Strategy<Value = Value> {
    let of = |(seconds, nanos)| chrono::DateTime::from_timestamp(seconds, nanos).unwrap();
    (
        0_i64..4_000_000_000,
        prop_oneof![Just(0), 0_u32..1_000_000_000],
    )
        .prop_map(move |parts| json!(of(parts)))
}

fn any_audience() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"on_import": true})),
        prop::collection::hash_set(any::<u128>(), 1..5).prop_map(|ids| {
            let ids: Vec<_> = ids.into_iter().map(uuid::Uuid::from_u128).collect();
            json!({"batch_ids": ids})
        }),
        (
            prop::option::of(any_time()),
            prop::collection::hash_map("[a-z é:/~]{1,9}", "[^\0]{0,9}", 0..4),
        )
            .prop_map(|(from, fields)| json!({"created_from": from, "fields": fields})),
    ]
}

proptest! {
    #[test]
    fn a_stored_campaign_reads_back_and_what_is_shown_can_be_put_back(
        audience in any_audience(),
        starts_at in prop::option::of(any_time()),
        track_fields in prop::collection::hash_set("[a-z é=]{1,9}", 0..5),
        bus_props_from in prop::collection::hash_map("[a-z é=]{1,9}", "[a-z]{1,4}", 0..4),
        max_messages in prop::option::of(1..i64::MAX),
        days in prop::option::of(1..=90),
    ) {
        let reminder = days.map(|days| json!({"after_days": days, "text": "{link}"}));
        let body = with(&json!({
            "audience": audience, "starts_at": starts_at, "track_fields": track_fields,
            "max_messages": max_messages, "reminder": reminder,
            "bus_props_from": bus_props_from,
        }));
        let read = CampaignContent::parse(&body).unwrap();
        let stored = serde_json::to_string(&read).unwrap();
        prop_assert_eq!(&serde_json::from_str::<CampaignContent>(&stored).unwrap(), &read);
        let mut shown = serde_json::to_value(&read).unwrap();
        for name in READ_ONLY {
            shown[name] = json!("2026-11-22T00:00:00Z");
        }
        prop_assert_eq!(CampaignContent::parse(&shown), Ok(read));
    }
}
