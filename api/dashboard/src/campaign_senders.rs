//! Which senders carry a campaign's messages, as it is chosen and read. A choice that the page has no fields for stays as it is.

use api_language::Text;
use domain::campaign::{ANY_COUNTRY, SenderChoice, SenderList};
use serde_json::{Map, Value, json};

/// What is stored stays. No sender has this name.
pub const KEEP: &str = "*";
/// Nobody sends to countries that are not named. No sender has this name.
pub const NOBODY: &str = "!";
/// The countries that a page shows at most.
pub const MAX_COUNTRIES: usize = 20;

/// The senders of a country: its own, and who takes its messages while that one is away; empty: nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountryRow {
    pub country: String,
    pub sender: String,
    pub next_sender: String,
}

/// What the page chooses: a sender and those that take its messages while it is away, where one is empty nobody, and countries that
/// have others.
pub type Chosen = ([String; 3], Vec<CountryRow>);

/// The names of a list, if a page has fields for so many.
fn fields<const N: usize>(list: &SenderList) -> Option<[String; N]> {
    let names = list.names();
    let name = |place: usize| names.get(place).cloned().unwrap_or_default();
    (names.len() <= N).then(|| std::array::from_fn(name))
}

fn in_fields(choice: &SenderChoice) -> Option<Chosen> {
    let lists = match choice {
        SenderChoice::All(list) => return Some((fields(list)?, vec![])),
        SenderChoice::ByCountry(lists) => lists,
    };
    let main = match lists.get(ANY_COUNTRY) {
        Some(list) => fields(list)?,
        None => [NOBODY.to_owned(), String::new(), String::new()],
    };
    let lists = lists.iter().filter(|(country, _)| *country != ANY_COUNTRY);
    let rows = lists.map(|(country, list)| {
        let [sender, next_sender] = fields(list)?;
        Some(CountryRow {
            country: country.clone(),
            sender,
            next_sender,
        })
    });
    let rows: Vec<CountryRow> = rows.collect::<Option<_>>()?;
    (rows.len() <= MAX_COUNTRIES).then_some((main, rows))
}

/// What a page shows of a choice.
pub fn chosen(choice: &SenderChoice) -> Chosen {
    in_fields(choice).unwrap_or_else(|| {
        let keep = [KEEP.to_owned(), String::new(), String::new()];
        (keep, vec![])
    })
}

/// The names that were chosen, as a campaign has them.
fn list(chosen: &[&str]) -> Value {
    let (first, next) = chosen.split_first().unwrap_or((&"", &[]));
    let next = next.iter().filter(|name| !name.is_empty());
    let names: Vec<_> = std::iter::once(first).chain(next).collect();
    match names[..] {
        [only] => json!(only),
        _ => json!(names),
    }
}

/// What was chosen, as a campaign has it; `None`: what is stored.
pub fn written(main: [&str; 3], rows: &[CountryRow]) -> Option<Value> {
    let [first, ..] = main;
    if first == KEEP {
        return None;
    }
    if rows.is_empty() && first != NOBODY {
        return Some(list(&main));
    }
    let of_country =
        |row: &CountryRow| (row.country.clone(), list(&[&row.sender, &row.next_sender]));
    let mut by_country: Map<_, _> = rows.iter().map(of_country).collect();
    if first != NOBODY {
        by_country.insert(ANY_COUNTRY.to_owned(), list(&main));
    }
    Some(Value::Object(by_country))
}

/// A choice in words, other countries last.
pub fn in_words(t: &Text, choice: &SenderChoice) -> String {
    let then = format!(", {} ", t.get("sender-then"));
    let words = |list: &SenderList| list.names().join(&then);
    match choice {
        SenderChoice::All(list) => words(list),
        SenderChoice::ByCountry(lists) => {
            let named = lists.iter().filter(|(key, _)| *key != ANY_COUNTRY);
            let named = named.map(|(country, list)| t.labelled(country, words(list)));
            let others = lists.get(ANY_COUNTRY);
            let others = others.map(|list| t.labelled(t.get("sender-others"), words(list)));
            named.chain(others).collect::<Vec<_>>().join("; ")
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
        let again = |json: &Value| {
            let ([first, next, third], rows) = chosen(&choice(json.clone()));
            written([&first, &next, &third], &rows)
        };
        for json in [
            json!("a"),
            json!(["a", "b"]),
            json!(["a", "b", "c"]),
            json!({"DE": "a", "FR": ["b", "a"], "*": ["c", "a", "b"]}),
            json!({"DE": "a"}),
        ] {
            assert_eq!(again(&json), Some(json));
        }
        for json in [
            json!(["a", "b", "c", "d"]),
            json!({"DE": ["a", "b", "c"], "*": "a"}),
            json!({"DE": "a", "*": ["a", "b", "c", "d"]}),
        ] {
            assert_eq!(again(&json), None);
        }
        assert_eq!(written(["a", "", "c"], &[]), Some(json!(["a", "c"])));
        assert_eq!(written(["", "", ""], &[]), Some(json!("")));
        assert_eq!(written([NOBODY, "", ""], &[]), Some(json!({})));
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
