//! Laws over many edits.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;

use super::*;

/// An input over few names, so that edits meet each other's.
fn any_body() -> impl Strategy<Value = Value> {
    let bus_prop = (0_u32..6, "[a-d]").prop_map(|(id, name)| match id {
        0 => json!(format!("n:{name}")),
        1 | 2 => json!({"bus_prop": format!("n:{name}")}),
        id => json!({"bus_prop_id": (id - 2).to_string(), "bus_prop": format!("n:{name}")}),
    });
    let kind = prop_oneof![
        Just(json!({"type": "nps"})),
        Just(json!({"type": "text"})),
        (4_u8..6).prop_map(|scale| json!({"type": "rating", "scale": scale})),
        prop::sample::subsequence(vec!["x", "y", "z"], 1..=3).prop_map(|values| {
            let options: Vec<_> = values
                .iter()
                .map(|value| json!({"value": value, "label": "L"}))
                .collect();
            json!({"type": "choice", "options": options})
        }),
    ];
    let field = ("[a-d]", kind, any::<bool>()).prop_map(|(key, mut field, required)| {
        field["key"] = json!(key);
        field["label"] = json!("L");
        field["required"] = json!(required);
        field
    });
    (
        prop::collection::vec(bus_prop, 0..4),
        prop::collection::vec(field, 0..4),
    )
        .prop_map(
            |(bus_props, fields)| json!({"title": "T", "bus_props": bus_props, "fields": fields}),
        )
}

/// A form after some edits, each in the status that follows from the one before.
fn any_form() -> impl Strategy<Value = FormContent> {
    prop::collection::vec((any_body(), any::<bool>()), 0..6).prop_map(|edits| {
        let mut form = form(&json!({"title": "T"}));
        let mut published = false;
        for (body, publish) in edits {
            published |= publish;
            if let Ok(input) = FormInput::parse(&body)
                && let Ok(next) = form.replaced_by(input, published)
            {
                form = next;
            }
        }
        form
    })
}

fn texts_by_id(form: &FormContent) -> BTreeMap<u32, String> {
    form.bus_props
        .iter()
        .map(|entry| (entry.id, entry.text.as_str().to_owned()))
        .collect()
}

proptest! {
    #[test]
    fn ids_texts_and_keys_stay_unique_and_no_id_is_given_twice(
        edits in prop::collection::vec(any_body(), 1..12),
        publish_at in 0_usize..14,
    ) {
        let mut form = form(&json!({"title": "T"}));
        let mut given = HashSet::new();
        for (n, body) in edits.iter().enumerate() {
            let published = n >= publish_at;
            let Ok(input) = FormInput::parse(body) else { continue };
            let Ok(next) = form.replaced_by(input, published) else { continue };
            let before = texts_by_id(&form);
            let after = texts_by_id(&next);
            prop_assert_eq!(after.len(), next.bus_props.len());
            prop_assert_eq!(after.values().collect::<HashSet<_>>().len(), after.len());
            for (id, text) in &after {
                // Either the form had the id just before, or nobody ever.
                prop_assert!(before.contains_key(id) || given.insert(*id), "{id} was reused");
                if published && let Some(old) = before.get(id) {
                    prop_assert_eq!(old, text);
                }
            }
            let keys: HashSet<_> = next.fields.iter().map(|field| &field.key).collect();
            prop_assert_eq!(keys.len(), next.fields.len());
            if published {
                prop_assert!(before.keys().all(|id| after.contains_key(id)));
                prop_assert!(form.fields.iter().all(|field| keys.contains(&field.key)));
            }
            form = next;
        }
    }

    #[test]
    fn a_stored_form_reads_back_and_what_is_shown_can_be_put_back(form in any_form()) {
        let stored = serde_json::to_string(&form).unwrap();
        prop_assert_eq!(&serde_json::from_str::<FormContent>(&stored).unwrap(), &form);
        let value = serde_json::to_value(&form).unwrap();
        prop_assert_eq!(&serde_json::from_value::<FormContent>(value).unwrap(), &form);
        let again = FormInput::parse(&shown(&form)).unwrap();
        prop_assert_eq!(form.replaced_by(again, true), Ok(form));
    }
}
