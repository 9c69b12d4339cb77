use strum::VariantArray;

use super::*;
use crate::invalid::code;
use crate::link::{BusPropIds, TrackFields};

/// The problems of a body whose other parts are right.
fn problems(body: &Value) -> Vec<Invalid> {
    FormInput::parse(body).unwrap_err()
}

#[track_caller]
fn refused(body: &Value, expected: &[(&str, &str)]) {
    assert_eq!(codes(&problems(body)), expected, "{body}");
}

fn field(extra: &Value) -> Value {
    let mut field = json!({"key": "a", "type": "text", "label": "A"});
    for (name, value) in extra.as_object().unwrap() {
        field[name] = value.clone();
    }
    json!({"title": "T", "fields": [field]})
}

#[track_caller]
fn field_refused(extra: &Value, member: &str, code: &str) {
    refused(&field(extra), &[(&format!("/fields/0{member}"), code)]);
}

#[test]
fn a_form_of_every_type_is_read_in_order() {
    let form = form(&json!({
        "title": "Your visit",
        "bus_props": ["store:Berlin", {"bus_prop": "store:Köln"}],
        "fields": [
            {"key": "nps", "type": "nps", "label": "Recommend?", "required": true},
            {"key": "mood", "type": "happiness", "label": "Happy?"},
            {"key": "stars", "type": "rating", "label": "Stars", "scale": 5},
            {"key": "why", "type": "choice", "label": "Why", "options": [{"value": "a", "label": "A"}]},
            {"key": "what", "type": "choices", "label": "What", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "A"}]},
            {"key": "name", "type": "text", "label": "Name"},
            {"key": "more", "type": "comment", "label": "More"},
        ],
    }));
    assert_eq!(
        bus_props(&form),
        [(1, "store:Berlin", false), (2, "store:Köln", false)]
    );
    let types: Vec<_> = form.fields.iter().map(|f| f.kind.field_type()).collect();
    assert_eq!(types, FieldType::VARIANTS);
    assert_eq!(form.fields[2].kind, FieldKind::Rating { scale: 5 });
    assert!(form.fields[0].required && !form.fields[1].required);
}

#[test]
fn a_stored_field_has_its_type_beside_its_other_members() {
    let form = form(&json!({"title": "T", "fields": [
        {"key": "stars", "type": "rating", "label": "S", "scale": 5},
    ]}));
    assert_eq!(
        serde_json::to_value(&form).unwrap(),
        json!({"title": "T", "bus_props": [], "last_bus_prop_id": 0, "fields": [
            {"key": "stars", "type": "rating", "scale": 5, "label": "S", "required": false, "retired": false},
        ]})
    );
}

#[test]
fn a_title_alone_is_a_form() {
    let form = form(&json!({"title": "T", "bus_props": null}));
    assert!(form.bus_props.is_empty() && form.fields.is_empty());
}

#[test]
fn what_is_no_object_has_one_problem() {
    for body in [json!([]), json!("T"), json!(null), json!(1)] {
        refused(&body, &[("", "wrong_type")]);
    }
}

#[test]
fn a_title_has_1_to_200_characters_on_one_line() {
    for (title, code) in [
        (json!(null), "missing"),
        (json!(1), "wrong_type"),
        (json!(""), "blank"),
        (json!(" \t\u{a0}"), "blank"),
        (json!("é".repeat(201)), "too_long"),
        (json!("a\0b"), "control_character"),
        (json!("a\nb"), "control_character"),
    ] {
        refused(&json!({"title": title}), &[("/title", code)]);
    }
    refused(&json!({}), &[("/title", "missing")]);
    for title in ["é".repeat(200), " <b>&\u{202e} ".to_owned()] {
        assert_eq!(form(&json!({"title": title})).title, title);
    }
}

#[test]
fn a_label_has_1_to_500_characters_on_one_line() {
    for (label, code) in [
        (json!(null), "missing"),
        (json!(["A"]), "wrong_type"),
        (json!("  "), "blank"),
        (json!("é".repeat(501)), "too_long"),
        (json!("\0"), "control_character"),
    ] {
        field_refused(&json!({"label": label}), "/label", code);
        let options = json!([{"value": "v", "label": label}]);
        let choice = json!({"type": "choice", "options": options});
        field_refused(&choice, "/options/0/label", code);
    }
    input(&field(&json!({"label": "é".repeat(500)})));
}

#[test]
fn a_key_is_short_plain_and_not_visit() {
    field_refused(&json!({"key": null}), "/key", "missing");
    field_refused(&json!({"key": 1}), "/key", "wrong_type");
    field_refused(&json!({"key": "A"}), "/key", "malformed");
    field_refused(&json!({"key": "a\0"}), "/key", "malformed");
    field_refused(&json!({"key": "visit"}), "/key", "reserved");
}

#[test]
fn a_scale_is_a_whole_number_from_2_to_10() {
    for (scale, code) in [
        (json!(null), "missing"),
        (json!("5"), "wrong_type"),
        (json!(5.0), "wrong_type"),
        (json!(true), "wrong_type"),
        (json!(1), "out_of_range"),
        (json!(11), "out_of_range"),
        (json!(-3), "out_of_range"),
        (json!(261), "out_of_range"),
        (json!(u64::MAX), "out_of_range"),
    ] {
        field_refused(&json!({"type": "rating", "scale": scale}), "/scale", code);
    }
    for scale in 2..=10 {
        input(&field(&json!({"type": "rating", "scale": scale})));
    }
}

#[test]
fn a_type_is_known_and_takes_no_others_members() {
    field_refused(&json!({"type": null}), "/type", "missing");
    field_refused(&json!({"type": "NPS"}), "/type", "unknown_type");
    // What goes with an unknown type is not known either.
    field_refused(
        &json!({"type": "stars", "scale": 5}),
        "/type",
        "unknown_type",
    );
    field_refused(&json!({"scale": 5}), "/scale", "unknown_member");
    let options = json!([{"value": "v", "label": "L"}]);
    let rating = json!({"type": "rating", "scale": 5, "options": options});
    field_refused(&rating, "/options", "unknown_member");
    let choice = json!({"type": "choice", "options": options, "scale": 5});
    field_refused(&choice, "/scale", "unknown_member");
}

#[test]
fn a_choice_has_1_to_100_options_of_different_values() {
    let options = |count: usize| -> Vec<Value> {
        (0..count)
            .map(|n| json!({"value": n.to_string(), "label": "L"}))
            .collect()
    };
    for kind in ["choice", "choices"] {
        let refused = |options: Value, member: &str, code: &str| {
            let extra = json!({"type": kind, "options": options});
            field_refused(&extra, &format!("/options{member}"), code);
        };
        refused(json!(null), "", "missing");
        refused(json!([]), "", "missing");
        refused(json!({}), "", "wrong_type");
        refused(json!(options(101)), "", "too_many");
        refused(json!(["a"]), "/0", "wrong_type");
        let retired = json!([{"value": "v", "label": "L", "retired": true}]);
        refused(retired, "", "missing");
        for (value, code) in [
            (json!(null), "missing"),
            (json!(1), "wrong_type"),
            (json!(""), "blank"),
            (json!("é".repeat(101)), "too_long"),
            (json!("a\nb"), "control_character"),
        ] {
            refused(json!([{"value": value, "label": "L"}]), "/0/value", code);
        }
        let twice = json!([{"value": "v", "label": "L"}, {"value": "v", "label": "M"}]);
        refused(twice, "/1/value", "duplicate");
        let more = json!([{"value": "v", "label": "L", "points": 3}]);
        refused(more, "/0/points", "unknown_member");
        input(&field(&json!({"type": kind, "options": options(100)})));
    }
}

#[test]
fn a_form_has_at_most_100_fields_of_different_keys() {
    let fields = |count: usize| -> Vec<Value> {
        (0..count)
            .map(|n| json!({"key": format!("k{n}"), "type": "text", "label": "L"}))
            .collect()
    };
    input(&json!({"title": "T", "fields": fields(100)}));
    let body = json!({"title": "T", "fields": fields(101)});
    refused(&body, &[("/fields", "too_many")]);
    let mut twice = fields(2);
    twice[1]["key"] = json!("k0");
    let body = json!({"title": "T", "fields": twice});
    refused(&body, &[("/fields/1/key", "duplicate")]);
    let body = json!({"title": "T", "fields": {}});
    refused(&body, &[("/fields", "wrong_type")]);
    let body = json!({"title": "T", "fields": [null]});
    refused(&body, &[("/fields/0", "wrong_type")]);
}

#[test]
fn a_form_has_one_nps_one_happiness_and_one_comment_field() {
    for kind in ["nps", "happiness", "comment"] {
        let field = |key: &str| json!({"key": key, "type": kind, "label": "L"});
        let body = json!({"title": "T", "fields": [field("a"), field("b")]});
        refused(&body, &[("/fields/1/type", "duplicate")]);
    }
    let text = |key: &str| json!({"key": key, "type": "text", "label": "L"});
    input(&json!({"title": "T", "fields": [text("a"), text("b")]}));
}

#[test]
fn business_properties_are_checked_one_by_one() {
    let long = format!("a:{}", "b".repeat(499));
    for (entry, member, code) in [
        (json!(1), "", "wrong_type"),
        (json!(null), "", "wrong_type"),
        (json!("store"), "", "malformed"),
        (json!(":a"), "", "malformed"),
        (json!(long), "", "too_long"),
        (json!("a:b\0"), "", "control_character"),
        (json!({}), "/bus_prop", "missing"),
        (json!({"bus_prop": 1}), "/bus_prop", "wrong_type"),
        (json!({"bus_prop": "a:"}), "/bus_prop", "malformed"),
        (json!({"bus_prop": "a:b", "id": 1}), "/id", "unknown_member"),
        (
            json!({"bus_prop": "a:b", "bus_prop_id": 1}),
            "/bus_prop_id",
            "wrong_type",
        ),
        (
            json!({"bus_prop": "a:b", "bus_prop_id": "01"}),
            "/bus_prop_id",
            "malformed",
        ),
        (
            json!({"bus_prop": "a:b", "bus_prop_id": "0"}),
            "/bus_prop_id",
            "malformed",
        ),
        (
            json!({"bus_prop": "a:b", "retired": "no"}),
            "/retired",
            "wrong_type",
        ),
    ] {
        let body = json!({"title": "T", "bus_props": [entry]});
        refused(&body, &[(&format!("/bus_props/0{member}"), code)]);
    }
}

#[test]
fn a_business_property_comes_once_and_at_most_1000_do() {
    let many = |count: usize| -> Vec<String> { (0..count).map(|n| format!("n:{n}")).collect() };
    input(&json!({"title": "T", "bus_props": many(1_000)}));
    let body = json!({"title": "T", "bus_props": many(1_001)});
    refused(&body, &[("/bus_props", "too_many")]);
    let body = json!({"title": "T", "bus_props": ["a:b", {"bus_prop": "a:b"}]});
    refused(&body, &[("/bus_props/1", "duplicate")]);
    let entry = |text: &str| json!({"bus_prop_id": "1", "bus_prop": text});
    let body = json!({"title": "T", "bus_props": [entry("a:b"), entry("a:c")]});
    refused(&body, &[("/bus_props/1/bus_prop_id", "duplicate")]);
}

#[test]
fn a_new_form_has_given_no_ids() {
    let given = input(
        &json!({"title": "T", "bus_props": ["a:a", {"bus_prop_id": "1", "bus_prop": "a:b"}]}),
    );
    let problems = FormContent::new(given).unwrap_err();
    assert_eq!(
        codes(&problems),
        [("/bus_props/1/bus_prop_id", "unknown_id")]
    );
}

#[test]
fn every_problem_is_reported_up_to_100() {
    refused(
        &json!({"titel": "T", "a/b": 1, "bus_props": ["x"], "fields": [{"key": "A", "type": "x", "colour": 1}, {"retired": true, "any": 1}]}),
        &[
            ("/title", "missing"),
            ("/bus_props/0", "malformed"),
            ("/fields/0/key", "malformed"),
            ("/fields/0/label", "missing"),
            ("/fields/0/type", "unknown_type"),
            ("/fields/0/colour", "unknown_member"),
            ("/a~1b", "unknown_member"),
            ("/titel", "unknown_member"),
        ],
    );
    let bad: Vec<_> = (0..500).map(|_| "x").collect();
    assert_eq!(
        problems(&json!({"title": "T", "bus_props": bad})).len(),
        100
    );
}

#[test]
fn a_field_may_depend_on_one_before() {
    let fields = |show_if: Value| {
        json!({"title": "T", "fields": [
            {"key": "nps", "type": "nps", "label": "N"},
            {"key": "why", "type": "choices", "label": "W", "options": [{"value": "1", "label": "A"}]},
            {"key": "name", "type": "text", "label": "A"},
            {"key": "more", "type": "comment", "label": "M", "show_if": show_if},
        ]})
    };
    for right in [
        json!({"key": "nps", "in": [0, 10]}),
        json!({"key": "why", "in": ["1"]}),
        json!(null),
    ] {
        let form = form(&fields(right.clone()));
        assert_eq!(json!(form.fields[3].show_if), right);
    }
    for (wrong, pointer, code) in [
        (
            json!({"key": "nps", "in": [11]}),
            "/in/0",
            code::OUT_OF_RANGE,
        ),
        (
            json!({"key": "nps", "in": ["1"]}),
            "/in/0",
            code::WRONG_TYPE,
        ),
        (json!({"key": "why", "in": [1]}), "/in/0", code::NOT_OFFERED),
        (
            json!({"key": "name", "in": ["x"]}),
            "/in/0",
            code::UNKNOWN_TYPE,
        ),
        (
            json!({"key": "more", "in": ["x"]}),
            "/key",
            code::UNKNOWN_KEY,
        ),
        (json!({"key": "nps", "in": []}), "/in", code::MISSING),
        (json!({"key": "nps"}), "/in", code::MISSING),
        (
            json!({"key": "nps", "in": [1], "or": 1}),
            "/or",
            code::UNKNOWN_MEMBER,
        ),
        (json!("nps"), "", code::WRONG_TYPE),
    ] {
        let problems = problems(&fields(wrong.clone()));
        let at = format!("/fields/3/show_if{pointer}");
        assert!(
            codes(&problems).contains(&(at.as_str(), code)),
            "{wrong}: {problems:?}"
        );
    }
}

#[test]
fn texts_may_be_there_in_other_languages_and_hold_tracking_fields() {
    let translated = json!({"title": "T {store|here}", "labels": {"de": "D {store|hier}", "fr": null}, "piping": true, "fields": [
        {"key": "a", "type": "choice", "label": "A", "labels": {"de": "B"}, "options": [
            {"value": "x", "label": "X", "labels": {"de": "{{x}"}}]},
    ]});
    let form = form(&translated);
    let mut fields = TrackFields::default();
    let texts = |language, fields: &_| {
        let form = form.for_reader(language, fields, &BusPropIds::default());
        let field = &form.fields[0];
        [
            form.title.clone(),
            field.label.clone(),
            field.kind.options()[0].label.clone(),
        ]
        .join(", ")
    };
    assert_eq!(texts(None, &fields), "T here, A, X");
    fields.push("store=Köln <1>").unwrap();
    assert_eq!(texts(Some("de"), &fields), "D Köln <1>, B, {x}");
    assert_eq!(texts(Some("fr"), &fields), "T Köln <1>, A, X");
    assert!(form.is_translated("de") && !form.is_translated("fr"));
    assert_eq!(form.piped_names(), ["store".to_owned()].into());
    for (member, value, code) in [
        ("labels", json!({"DE": "x"}), code::MALFORMED),
        ("labels", json!({"german": "x"}), code::MALFORMED),
        ("labels", json!({"de": ""}), code::BLANK),
        ("labels", json!("de"), code::WRONG_TYPE),
        ("label", json!("{store}"), code::MALFORMED),
        ("label", json!("{store|"), code::MALFORMED),
        ("label", json!("{link}"), code::MALFORMED),
        ("label", json!("{a|}".repeat(6)), code::TOO_MANY),
    ] {
        let mut body = translated.clone();
        body["fields"][0][member] = value.clone();
        let problems = problems(&body);
        assert_eq!(problems[0].code, code, "{value}: {problems:?}");
    }
    let mut body = translated;
    body["piping"] = json!(false);
    body["fields"][0]["label"] = json!("{store|");
    let plain = super::form(&body);
    assert_eq!(
        plain
            .for_reader(None, &fields, &BusPropIds::default())
            .title,
        "T {store|here}"
    );
}

#[test]
fn all_texts_of_a_form_together_hold_a_thousand_tracking_fields() {
    let five = "{a|}{b|}{c|}{d|}{e|}";
    let option = |n: usize| json!({"value": n.to_string(), "label": five});
    let options: Vec<_> = (0..99).map(option).collect();
    let field =
        |key: &str| json!({"key": key, "type": "choices", "label": five, "options": options});
    let thousand = json!({"title": "T", "piping": true, "fields": [field("a"), field("b")]});
    input(&thousand);
    let one = json!("{a|}T");
    for (member, value) in [
        ("title", one.clone()),
        ("labels", json!({"de": one})),
        ("intro", one.clone()),
    ] {
        let mut body = thousand.clone();
        body[member] = value;
        refused(&body, &[("/fields/1/options/98/label", code::TOO_MANY)]);
        // Without piping a brace is only a brace.
        body["piping"] = json!(false);
        input(&body);
    }
    let mut body = thousand;
    let last = json!({"key": "c", "type": "text", "label": one});
    body["fields"].as_array_mut().unwrap().push(last);
    refused(&body, &[("/fields/2/label", code::TOO_MANY)]);
}

#[test]
fn a_business_property_stands_where_the_link_has_no_tracking_field_of_its_name() {
    let form = form(&json!({
        "title": "{store|us}, {city|here}", "piping": true, "bus_props": ["city:Bonn", "store:Berlin: Mitte", "store:Köln"],
    }));
    let title = |fields: &TrackFields, ids: &str| {
        let ids: BusPropIds = ids.parse().unwrap();
        form.for_reader(None, fields, &ids).title.clone()
    };
    let mut fields = TrackFields::default();
    assert_eq!(title(&fields, ""), "us, here");
    assert_eq!(title(&fields, "2_3"), "Berlin: Mitte, here");
    fields.push("store=Ulm").unwrap();
    assert_eq!(title(&fields, "1_2"), "Ulm, Bonn");
}

#[test]
fn a_form_says_its_language_and_what_stands_around_its_questions() {
    let body = json!({
        "title": "T", "language": "de", "intro": "Zwei\r\nZeilen", "intro_labels": {"en": "Two\nlines"},
        "thanks": "Danke", "links": [{"label": "Datenschutz", "labels": {"en": "Privacy"}, "url": "https://a.example/p"}],
    });
    let form = form(&body);
    assert_eq!(form.intro.as_deref(), Some("Zwei\nZeilen"));
    let stored = serde_json::to_value(&form).unwrap();
    assert_eq!(serde_json::from_value::<FormContent>(stored).unwrap(), form);
    let shown = form.for_reader(Some("en"), &TrackFields::default(), &BusPropIds::default());
    assert_eq!(shown.language.as_deref(), Some("en"));
    assert_eq!(shown.intro.as_deref(), Some("Two\nlines"));
    assert_eq!(
        (&*shown.links[0].label, shown.thanks.as_deref()),
        ("Privacy", Some("Danke"))
    );
    let link = |url: &str| json!({"label": "L", "url": url});
    let links = vec![link("https://a.example"); 6];
    for (member, value, pointer, code) in [
        ("language", json!("De"), "/language", "malformed"),
        ("labels", json!({"de": "T"}), "/labels/de", "duplicate"),
        ("intro", json!(" \n "), "/intro", "blank"),
        ("intro", json!("é".repeat(2_001)), "/intro", "too_long"),
        ("intro", json!("a\0"), "/intro", "control_character"),
        ("links", json!(links), "/links", "too_many"),
        (
            "links",
            json!([link("http://a.example")]),
            "/links/0/url",
            "malformed",
        ),
    ] {
        let mut body = body.clone();
        body[member] = value;
        refused(&body, &[(pointer, code)]);
    }
}

#[test]
fn a_reader_gets_the_first_language_that_the_form_has() {
    let labels = json!({"en": "T", "fr": "T"});
    let form = form(&json!({"title": "T", "labels": labels}));
    for (own, wanted, language) in [
        (Some("de"), &["it", "fr", "en"][..], Some("fr")),
        (Some("de"), &["de", "en"], None),
        (Some("de"), &["it"], None),
        // The second may be the form's own.
        (None, &["it", "fr"], None),
        (None, &["en"], Some("en")),
    ] {
        let found = form.language_for(own, wanted.iter().copied());
        assert_eq!(found, language, "{own:?} {wanted:?}");
    }
}

#[test]
fn one_option_of_a_field_takes_a_text_for_which_exports_have_a_column() {
    let options = |more: bool| json!([{"value": "a", "label": "A", "text": true}, {"value": "b", "label": "B", "text": more}]);
    let field =
        |more| json!({"key": "why", "type": "choice", "label": "L", "options": options(more)});
    refused(
        &json!({"title": "T", "fields": [field(true)]}),
        &[("/fields/0/options/1/text", "duplicate")],
    );
    let form = form(&json!({"title": "T", "fields": [field(false)]}));
    assert_eq!(form.fields[0].text_option().unwrap().value, "a");
    let taken = json!({"key": "why_text", "type": "text", "label": "L"});
    let both = input(&json!({"title": "T", "fields": [field(false), taken]}));
    let problems = FormContent::new(both).unwrap_err();
    assert_eq!(codes(&problems), [("/fields/1/key", "reserved")]);
}
