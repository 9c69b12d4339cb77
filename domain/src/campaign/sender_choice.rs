//! Which senders carry a campaign's messages: one, several in order, or others by the country of the phone.

use std::slice::from_ref;

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::value::once;
use super::value::sender_name;
use crate::invalid::code;
use crate::members::Members;
use crate::sms::{countries, country_of};

/// The senders of a list, at most; at least 1.
pub const MAX_SENDERS: usize = 10;
/// What stands for all countries that are not named.
pub const ANY_COUNTRY: &str = "*";

/// Senders of which the next takes what the one before certainly did not, in JSON an array; or one, in JSON its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SenderList {
    One(String),
    InOrder(Vec<String>),
}

/// Which senders carry a campaign's messages. In JSON as its account wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SenderChoice {
    All(SenderList),
    /// By ISO code, or `*` for all others.
    ByCountry(IndexMap<String, SenderList>),
}

impl SenderList {
    /// The names in their order, at least one.
    pub fn names(&self) -> &[String] {
        match self {
            Self::One(name) => from_ref(name),
            Self::InOrder(names) => names,
        }
    }
}

impl SenderChoice {
    /// Its only sender, where it is nothing but a name.
    pub fn only(&self) -> Option<&str> {
        match self {
            Self::All(SenderList::One(name)) => Some(name),
            _ => None,
        }
    }

    /// All names, each once.
    pub fn names(&self) -> IndexSet<&str> {
        let lists = self.lists().into_iter();
        lists
            .flat_map(|(_, list)| list.names().iter().map(String::as_str))
            .collect()
    }

    /// The name that stands first.
    pub fn first(&self) -> &str {
        self.names().first().copied().unwrap_or_default()
    }

    /// All lists with what they are for: `*`, or an ISO code.
    pub fn lists(&self) -> Vec<(&str, &SenderList)> {
        match self {
            Self::All(list) => vec![(ANY_COUNTRY, list)],
            Self::ByCountry(lists) => {
                let lists = lists.iter();
                lists.map(|(key, list)| (key.as_str(), list)).collect()
            }
        }
    }

    /// The list of a phone with what it is for; `None`: no sender is for its country.
    pub fn of(&self, phone: &str) -> Option<(&str, &SenderList)> {
        match self {
            Self::All(list) => Some((ANY_COUNTRY, list)),
            Self::ByCountry(lists) => {
                let country = country_of(phone);
                let of_country = country.and_then(|one| lists.get_key_value(&one.to_string()));
                let found = of_country.or_else(|| lists.get_key_value(ANY_COUNTRY));
                found.map(|(key, list)| (key.as_str(), list))
            }
        }
    }

    /// Reads the member `sender` of a campaign, which must be there.
    pub(super) fn read(campaign: &Members) -> Option<Self> {
        const NAME: &str = "sender";
        if !campaign.require(NAME)?.is_object() {
            return read_list(campaign, NAME).map(Self::All);
        }
        let by_country = campaign.member(NAME)?;
        let mut lists = IndexMap::new();
        for key in by_country.names() {
            let is_known = |key: &str| countries().any(|(country, _)| country.to_string() == key);
            if key == ANY_COUNTRY || is_known(key) {
                let list = read_list(&by_country, key);
                lists.extend(list.map(|list| (key.to_owned(), list)));
            } else {
                let detail = format!("{key} is neither the ISO code of a country nor `*`");
                by_country.note(key, code::UNKNOWN_KEY, detail);
            }
        }
        if by_country.names().next().is_none() {
            campaign.note(NAME, code::MISSING, "sender names none");
        }
        (!lists.is_empty()).then_some(Self::ByCountry(lists))
    }
}

fn read_list(object: &Members, key: &str) -> Option<SenderList> {
    let Value::Array(entries) = object.require(key)? else {
        return object.parsed(key, sender_name).map(SenderList::One);
    };
    let names = object.strings(key, MAX_SENDERS, "the name", once(sender_name));
    if entries.is_empty() {
        object.note(key, code::MISSING, "the list is empty");
    }
    (!names.is_empty()).then_some(SenderList::InOrder(names))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn choice(json: Value) -> SenderChoice {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn a_choice_reads_back_as_it_was_written() {
        for json in [
            json!("a"),
            json!(["a"]),
            json!(["a", "b"]),
            json!({"DE": "a", "*": ["b", "a"]}),
        ] {
            assert_eq!(serde_json::to_value(choice(json.clone())).unwrap(), json);
        }
    }

    #[test]
    fn names_are_all_that_it_has_each_once() {
        let by_country = choice(json!({"FR": ["c", "a"], "DE": "b", "*": "a"}));
        let names: Vec<_> = by_country.names().into_iter().collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!((by_country.first(), by_country.only()), ("a", None));
        assert_eq!(choice(json!("a")).only(), Some("a"));
        assert_eq!(choice(json!(["a"])).only(), None);
    }

    #[test]
    fn a_phone_has_the_list_of_its_country_or_of_all_others() {
        let (german, french) = ("+4915112345678", "+33612345678");
        let of = |choice: &SenderChoice, phone| {
            let (key, list) = choice.of(phone)?;
            Some((key.to_owned(), list.names().to_vec()))
        };
        let found = |key: &str, names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned());
            Some((key.to_owned(), names.collect::<Vec<_>>()))
        };
        let in_order = choice(json!(["a", "b"]));
        assert_eq!(of(&in_order, german), found("*", &["a", "b"]));
        assert_eq!(of(&in_order, ""), found("*", &["a", "b"]));
        let with_others = choice(json!({"DE": "a", "*": ["b", "c"]}));
        assert_eq!(of(&with_others, german), found("DE", &["a"]));
        assert_eq!(of(&with_others, french), found("*", &["b", "c"]));
        let without = choice(json!({"DE": "a"}));
        assert_eq!(of(&without, german), found("DE", &["a"]));
        assert_eq!(of(&without, french), None);
    }
}
