//! Audiences, and the tracking fields of recipients that a campaign names.

use super::*;

const BATCH: &str = "0190c0de-0000-7000-8000-000000000001";

#[test]
fn an_audience_is_of_one_kind() {
    let audience = |audience: Value| content(&with(&json!({"audience": audience}))).audience;
    let batches = json!({"on_import": false, "batch_ids": [BATCH], "fields": null});
    assert_eq!(
        audience(batches),
        Audience::Batches {
            batch_ids: vec![BATCH.parse().unwrap()]
        }
    );
    let everybody = Audience::Recipients {
        created_from: None,
        created_to: None,
        fields: indexmap::IndexMap::new(),
    };
    assert_eq!(audience(json!({"fields": {}})), everybody);

    for (audience, code) in [
        (json!({}), "missing"),
        (json!({"on_import": false}), "missing"),
        (json!({"fields": null, "created_from": null}), "missing"),
        (
            json!({"on_import": true, "batch_ids": [BATCH]}),
            "malformed",
        ),
        (json!({"on_import": true, "fields": {}}), "malformed"),
        (json!({"batch_ids": [BATCH], "fields": {}}), "malformed"),
        (json!("on_import"), "wrong_type"),
        (json!([]), "wrong_type"),
    ] {
        refused(&json!({"audience": audience}), &[("/audience", code)]);
    }
    for (audience, pointer, code) in [
        (json!({"on_import": 1}), "/on_import", "wrong_type"),
        (json!({"batch_ids": BATCH}), "/batch_ids", "wrong_type"),
        (json!({"batch_ids": []}), "/batch_ids", "missing"),
        (
            json!({"batch_ids": [BATCH, BATCH]}),
            "/batch_ids/1",
            "duplicate",
        ),
        (json!({"batch_ids": [1]}), "/batch_ids/0", "wrong_type"),
        (
            json!({"batch_ids": vec![BATCH; 101]}),
            "/batch_ids",
            "too_many",
        ),
        (
            json!({"created_from": "2026-02-01T00:00:00Z", "created_to": "2026-01-31T00:00:00Z"}),
            "/created_to",
            "out_of_range",
        ),
        (json!({"fields": []}), "/fields", "wrong_type"),
        (json!({"fields": {"a": 1}}), "/fields/a", "wrong_type"),
        (json!({"fields": {"a": null}}), "/fields/a", "missing"),
        (json!({"fields": {"": "x"}}), "/fields/", "blank"),
        (
            json!({"fields": {"docid": "x"}}),
            "/fields/docid",
            "reserved",
        ),
        (
            json!({"fields": {"a": "\0"}}),
            "/fields/a",
            "control_character",
        ),
        (
            json!({"fields": {"a": "é".repeat(513)}}),
            "/fields/a",
            "too_long",
        ),
        (
            json!({"on_import": true, "all": 1}),
            "/all",
            "unknown_member",
        ),
    ] {
        let pointer = format!("/audience{pointer}");
        refused(&json!({"audience": audience}), &[(&pointer, code)]);
    }
    let many: Value = (0..65).map(|n| (n.to_string(), json!("x"))).collect();
    let expected = [("/audience/fields", "too_many")];
    refused(&json!({"audience": {"fields": many}}), &expected);
}

#[test]
fn track_fields_are_five_different_ones_besides_docid() {
    for (names, pointer, code) in [
        (json!("a"), "", "wrong_type"),
        (json!(["a", "b", "c", "d", "e", "f"]), "", "too_many"),
        (json!(["a", "b", "a"]), "/2", "duplicate"),
        (json!(["a", null]), "/1", "wrong_type"),
        (json!(["docid"]), "/0", "reserved"),
        (json!(["phone"]), "/0", "reserved"),
        (json!([""]), "/0", "blank"),
        (json!(["é".repeat(33)]), "/0", "too_long"),
        (json!(["a\n"]), "/0", "control_character"),
    ] {
        let pointer = format!("/track_fields{pointer}");
        refused(&json!({"track_fields": names}), &[(&pointer, code)]);
    }
    let five = ["e", "d", "c", "b", "a"];
    let read = content(&with(&json!({"track_fields": five})));
    assert_eq!(read.track_fields, five);
}

#[test]
fn business_properties_come_from_tracking_fields() {
    for (bus_props, pointer, code) in [
        (json!([]), "", "wrong_type"),
        (json!({"store": null}), "/store", "missing"),
        (json!({"store": 1}), "/store", "wrong_type"),
        (json!({"store": ""}), "/store", "blank"),
        (json!({"store": "docid"}), "/store", "reserved"),
        (json!({"": "a"}), "/", "blank"),
        (json!({"a:b": "a"}), "/a:b", "malformed"),
        (json!({"a\n": "a"}), "/a\n", "control_character"),
    ] {
        let pointer = format!("/bus_props_from{pointer}");
        refused(&json!({"bus_props_from": bus_props}), &[(&pointer, code)]);
    }
    let long = "é".repeat(499);
    let problems = CampaignContent::parse(&with(&json!({"bus_props_from": {long: "a"}})));
    assert_eq!(problems.unwrap_err()[0].code, "too_long");
    content(&with(&json!({"bus_props_from": {"é".repeat(498): "a"}})));
    let many: Value = (0..51).map(|n| (n.to_string(), json!("x"))).collect();
    let expected = [("/bus_props_from", "too_many")];
    refused(&json!({"bus_props_from": many}), &expected);
}
