//! Which senders carry a campaign's messages, as it is chosen and read. By country, and of more than three, a choice stays as it is.

use api_language::Text;
use domain::campaign::{ANY_COUNTRY, SenderChoice, SenderList};
use serde_json::{Value, json};

/// What is stored stays. No sender has this name.
pub const KEEP: &str = "*";

/// What the page chooses: a sender, and those that take its messages while it is away; empty: none.
pub fn chosen(choice: &SenderChoice) -> [String; 3] {
    let names = match choice {
        SenderChoice::All(list) => list.names(),
        SenderChoice::ByCountry(_) => &[],
    };
    let name = |place: usize| names.get(place).cloned().unwrap_or_default();
    if names.is_empty() || names.len() > 3 {
        return [KEEP.to_owned(), String::new(), String::new()];
    }
    [name(0), name(1), name(2)]
}

/// What was chosen, as a campaign has it; `None`: what is stored.
pub fn written(chosen: [&str; 3]) -> Option<Value> {
    let [first, next @ ..] = chosen;
    let mut names = vec![first];
    names.extend(next.into_iter().filter(|name| !name.is_empty()));
    match &names[..] {
        [KEEP, ..] => None,
        [only] => Some(json!(only)),
        names => Some(json!(names)),
    }
}

/// A choice in words.
pub fn in_words(t: &Text, choice: &SenderChoice) -> String {
    let then = format!(", {} ", t.get("sender-then"));
    let words = |list: &SenderList| list.names().join(&then);
    match choice {
        SenderChoice::All(list) => words(list),
        SenderChoice::ByCountry(lists) => {
            let lists = lists.iter().map(|(key, list)| {
                let key = match &**key {
                    ANY_COUNTRY => t.get("sender-others"),
                    country => country.to_owned(),
                };
                t.labelled(key, words(list))
            });
            lists.collect::<Vec<_>>().join("; ")
        }
    }
}

#[cfg(test)]
mod tests {
    use api_language::of_code;

    use super::*;

    fn choice(json: Value) -> SenderChoice {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn what_is_chosen_is_written_as_it_was_and_what_cannot_be_stays() {
        for json in [json!("a"), json!(["a", "b"]), json!(["a", "b", "c"])] {
            let [first, next, third] = chosen(&choice(json.clone()));
            assert_eq!(written([&first, &next, &third]), Some(json));
        }
        for json in [json!({"DE": "a"}), json!(["a", "b", "c", "d"])] {
            let [first, next, third] = chosen(&choice(json));
            assert_eq!(written([&first, &next, &third]), None);
        }
        assert_eq!(written(["a", "", "c"]), Some(json!(["a", "c"])));
        assert_eq!(written(["", "", ""]), Some(json!("")));
    }

    #[test]
    fn a_choice_is_told_in_the_order_in_which_its_senders_come() {
        let t = of_code("en");
        for (json, words) in [
            (json!("a"), "a"),
            (json!(["a", "b", "c"]), "a, then b, then c"),
            (
                json!({"DE": "a", "*": ["b", "c"]}),
                "DE: a; all other countries: b, then c",
            ),
        ] {
            assert_eq!(in_words(t, &choice(json)), words);
        }
    }
}
