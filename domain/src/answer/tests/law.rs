//! What is read, stored and read back is the same, whichever way it came.

use proptest::prelude::*;

use super::*;

fn any_given() -> impl Strategy<Value = Value> {
    let some = |values: BoxedStrategy<Value>| prop_oneof![1 => Just(Value::Null), 2 => values];
    let texts = || prop_oneof![any::<String>(), "[ \r\n]{0,3}", "[a\r\n\0]{0,6}"];
    (
        some((0_u8..12).prop_map(Value::from).boxed()),
        some((0_u8..8).prop_map(Value::from).boxed()),
        some(prop::sample::select(vec!["a", "b", "old", "c"]).prop_map(Value::from).boxed()),
        some(
            prop::collection::vec(prop::sample::select(vec!["a", "b", "old"]), 0..3)
                .prop_map(Value::from)
                .boxed(),
        ),
        some(texts().prop_map(Value::from).boxed()),
        some(texts().prop_map(Value::from).boxed()),
    )
        .prop_map(|(nps, stars, why, what, name, more)| {
            json!({"nps": nps, "stars": stars, "why": why, "what": what, "name": name, "more": more})
        })
}

/// The same answers as a page would send them.
fn as_pairs(given: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let mut pairs = Vec::new();
    for (key, value) in given.as_object().unwrap() {
        match value {
            Value::Null => {}
            Value::Array(values) => {
                pairs.extend(values.iter().map(|value| (key.clone(), text(value))));
            }
            value => pairs.push((key.clone(), text(value))),
        }
    }
    pairs
}

proptest! {
    #[test]
    fn stored_answers_read_back_as_they_were(given in any_given()) {
        if let Ok(answers) = Answers::from_json(&form(), &given) {
            let stored = answers.to_value();
            prop_assert_eq!(&Answers::from_stored(&form(), stored.clone()).unwrap(), &answers);
            // What was stored would be taken again, unchanged.
            prop_assert_eq!(&Answers::from_json(&form(), &stored).unwrap(), &answers);
            prop_assert!(!answers.is_empty());
        }
    }

    #[test]
    fn json_and_a_page_get_the_same_verdict(given in any_given()) {
        let by_json = Answers::from_json(&form(), &given);
        let by_pairs = Answers::from_pairs(&form(), &as_pairs(&given));
        prop_assert_eq!(by_json, by_pairs);
    }

    #[test]
    fn no_pairs_make_it_panic(pairs in prop::collection::vec(("nps|why|what|more|[a-z]{1,2}", any::<String>()), 0..8)) {
        if let Err(problems) = Answers::from_pairs(&form(), &pairs) {
            prop_assert!(!problems.is_empty());
        }
    }
}
