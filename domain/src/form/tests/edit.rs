use std::collections::HashMap;

use super::*;

fn first() -> FormContent {
    form(&json!({
        "title": "T",
        "bus_props": ["store:A", "store:B", "store:C"],
        "fields": [
            {"key": "nps", "type": "nps", "label": "N", "required": true},
            {"key": "stars", "type": "rating", "label": "S", "scale": 5},
            {"key": "why", "type": "choice", "label": "W", "options": [
                {"value": "a", "label": "A"}, {"value": "b", "label": "B"},
            ]},
        ],
    }))
}

fn edited(form: &FormContent, body: &Value, published: bool) -> FormContent {
    form.replaced_by(input(body), published).unwrap()
}

#[track_caller]
fn in_use(form: &FormContent, body: &Value, expected: &[(&str, &str)]) {
    match form.replaced_by(input(body), true).unwrap_err() {
        EditRefused::InUse(problems) => assert_eq!(codes(&problems), expected),
        EditRefused::Invalid(problems) => panic!("{problems:?}"),
    }
    assert!(form.replaced_by(input(body), false).is_ok());
}

#[test]
fn of_a_draft_what_is_left_out_is_gone_and_its_id_not_given_again() {
    let body = json!({"title": "U", "bus_props": ["store:B", "store:D"], "fields": []});
    let second = edited(&first(), &body, false);
    assert_eq!(
        bus_props(&second),
        [(2, "store:B", false), (4, "store:D", false)]
    );
    assert!(second.fields.is_empty());
    let third = edited(&second, &json!({"title": "U"}), false);
    let fourth = edited(&third, &json!({"title": "U", "bus_props": ["a:a"]}), false);
    assert_eq!(bus_props(&fourth), [(5, "a:a", false)]);
}

#[test]
fn of_a_published_form_what_is_left_out_is_retired_and_comes_alive_when_put_back() {
    let body = json!({
        "title": "U",
        "bus_props": ["store:D", {"bus_prop_id": "3", "bus_prop": "store:C"}],
        "fields": [
            {"key": "new", "type": "text", "label": "New", "required": true},
            {"key": "why", "type": "choice", "label": "W2", "options": [
                {"value": "c", "label": "C"}, {"value": "b", "label": "B2"},
            ]},
        ],
    });
    let second = edited(&first(), &body, true);
    assert_eq!(
        bus_props(&second),
        [
            (4, "store:D", false),
            (3, "store:C", false),
            (1, "store:A", true),
            (2, "store:B", true),
        ]
    );
    assert_eq!(
        fields(&second),
        [
            ("new", false),
            ("why", false),
            ("nps", true),
            ("stars", true)
        ]
    );
    let options: Vec<_> = second
        .numbered_options(&second.fields[1])
        .map(|(number, o)| (o.value.as_str(), o.label.as_str(), o.retired, number))
        .collect();
    assert_eq!(
        options,
        [
            ("c", "C", false, 2),
            ("b", "B2", false, 1),
            ("a", "A", true, 0)
        ]
    );
    let offered: Vec<_> = second.fields[1]
        .page_options()
        .map(|o| o.value.as_str())
        .collect();
    assert_eq!(offered, ["c", "b"]);

    let back = json!({
        "title": "U",
        "bus_props": ["store:A", {"bus_prop_id": "2", "bus_prop": "store:B"}],
        "fields": [
            {"key": "nps", "type": "nps", "label": "N", "required": true},
            {"key": "why", "type": "choice", "label": "W", "options": [{"value": "a", "label": "A"}]},
        ],
    });
    let third = edited(&second, &back, true);
    assert_eq!(
        bus_props(&third),
        [
            (1, "store:A", false),
            (2, "store:B", false),
            (4, "store:D", true),
            (3, "store:C", true),
        ]
    );
    assert_eq!(
        fields(&third),
        [
            ("nps", false),
            ("why", false),
            ("new", true),
            ("stars", true)
        ]
    );
}

#[test]
fn a_form_that_was_read_can_be_put_back() {
    let body = json!({"title": "T", "bus_props": ["store:A"], "fields": [
        {"key": "why", "type": "choice", "label": "W", "options": [{"value": "b", "label": "B"}]},
    ]});
    let second = edited(&first(), &body, true);
    for published in [false, true] {
        let form = first();
        assert_eq!(edited(&form, &shown(&form), published), form);
    }
    assert_eq!(edited(&second, &shown(&second), true), second);
}

#[test]
fn a_text_without_id_means_its_entry_unless_another_id_has_taken_it() {
    let named = |id: &str, text: &str| json!({"bus_prop_id": id, "bus_prop": text});
    let body = json!({"title": "T", "bus_props": ["store:A", named("1", "store:X")]});
    assert_eq!(
        bus_props(&edited(&first(), &body, false)),
        [(4, "store:A", false), (1, "store:X", false)]
    );
    let swapped =
        json!({"title": "T", "bus_props": [named("1", "store:B"), named("2", "store:A")]});
    assert_eq!(
        bus_props(&edited(&first(), &swapped, false)),
        [(1, "store:B", false), (2, "store:A", false)]
    );
}

#[test]
fn an_id_that_the_form_has_not_is_refused_in_any_status() {
    let gone = edited(&first(), &json!({"title": "T"}), false);
    let body = json!({"title": "T", "bus_props": [{"bus_prop_id": "1", "bus_prop": "store:A"}]});
    for published in [false, true] {
        match gone.replaced_by(input(&body), published).unwrap_err() {
            EditRefused::Invalid(problems) => assert_eq!(
                codes(&problems),
                [("/bus_props/0/bus_prop_id", "unknown_id")]
            ),
            EditRefused::InUse(problems) => panic!("{problems:?}"),
        }
    }
}

#[test]
fn what_a_published_form_rests_on_cannot_change() {
    let field = |key: &str, kind: &str| json!({"key": key, "type": kind, "label": "L"});
    let form = first();
    let body = json!({
        "title": "T",
        "bus_props": ["store:D", {"bus_prop_id": "2", "bus_prop": "store:X"}],
        "fields": [
            {"key": "stars", "type": "rating", "label": "S", "scale": 10, "required": true},
            field("nps", "text"),
            {"key": "why", "type": "choices", "label": "W", "options": [{"value": "a", "label": "A"}]},
        ],
    });
    in_use(
        &form,
        &body,
        &[
            ("/bus_props/1/bus_prop", "bus_prop_changed"),
            ("/fields/0/required", "made_required"),
            ("/fields/0/scale", "scale_changed"),
            ("/fields/1/type", "type_changed"),
            ("/fields/2/type", "type_changed"),
        ],
    );
    // Neither does a field that was retired.
    let retired = edited(&form, &json!({"title": "T"}), true);
    let body = json!({"title": "T", "fields": [field("nps", "text")]});
    in_use(&retired, &body, &[("/fields/0/type", "type_changed")]);
    // Labels, order and required made optional are free.
    edited(
        &form,
        &json!({"title": "T", "fields": [field("nps", "nps")]}),
        true,
    );
}

#[test]
fn a_published_form_keeps_its_one_nps_field() {
    let other = json!({"title": "T", "fields": [{"key": "nps2", "type": "nps", "label": "L"}]});
    in_use(&first(), &other, &[("/fields/0/type", "duplicate")]);
    let retired = edited(&first(), &json!({"title": "T"}), true);
    in_use(&retired, &other, &[("/fields/0/type", "duplicate")]);
}

#[test]
fn the_limits_of_a_published_form_count_what_is_retired() {
    let fields = |prefix: &str, count: usize| -> Vec<Value> {
        (0..count)
            .map(|n| json!({"key": format!("{prefix}{n}"), "type": "text", "label": "L"}))
            .collect()
    };
    let form_of_60 = form(&json!({"title": "T", "fields": fields("a", 60)}));
    let body = json!({"title": "T", "fields": fields("b", 41)});
    in_use(&form_of_60, &body, &[("/fields", "too_many")]);
    let body = json!({"title": "T", "fields": fields("b", 40)});
    assert_eq!(edited(&form_of_60, &body, true).fields.len(), 100);

    let texts =
        |from: usize, to: usize| -> Vec<_> { (from..to).map(|n| format!("n:{n}")).collect() };
    let full = form(&json!({"title": "T", "bus_props": texts(0, 1_000)}));
    let body = json!({"title": "T", "bus_props": texts(1, 1_001)});
    in_use(&full, &body, &[("/bus_props", "too_many")]);

    let choice = |from: usize, to: usize| {
        let options: Vec<_> = (from..to)
            .map(|n| json!({"value": n.to_string(), "label": "L"}))
            .collect();
        json!({"title": "T", "fields": [{"key": "c", "type": "choice", "label": "L", "options": options}]})
    };
    let full = form(&choice(0, 100));
    in_use(&full, &choice(1, 101), &[("/fields/0/options", "too_many")]);
}

#[test]
fn a_published_form_grows_no_larger_than_its_pages_may_be() {
    let languages = ["de", "fr", "es", "it", "nl", "pt", "pl", "da", "sv", "fi"];
    let labels: HashMap<_, _> = languages.map(|code| (code, "x".repeat(500))).into();
    let body = |key: usize| {
        let options = (0..100).map(|value| {
            let value = format!("o{value}");
            json!({"value": value, "label": "L", "labels": labels})
        });
        let options: Vec<_> = options.collect();
        let field =
            json!({"key": format!("f{key}"), "type": "choice", "label": "F", "options": options});
        json!({"title": "T", "fields": [field]})
    };
    let mut form = form(&body(0));
    for key in 1..8 {
        form = edited(&form, &body(key), true);
    }
    in_use(&form, &body(8), &[("/fields", "too_many")]);
}

#[test]
fn a_form_that_has_given_all_its_ids_gives_no_more() {
    let mut last = first();
    last.last_bus_prop_id = u32::MAX - 1;
    let one = edited(&last, &json!({"title": "T", "bus_props": ["n:1"]}), true);
    assert_eq!(one.bus_props[0].id, u32::MAX);
    let two = input(&json!({"title": "T", "bus_props": ["n:1", "n:2"]}));
    match one.replaced_by(two, false).unwrap_err() {
        EditRefused::Invalid(problems) => {
            assert_eq!(codes(&problems), [("/bus_props/1", "too_many")]);
        }
        EditRefused::InUse(problems) => panic!("{problems:?}"),
    }
}
