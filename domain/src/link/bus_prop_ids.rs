//! The business properties of a link, by their ids in the form.

use std::fmt;
use std::str::FromStr;

use crate::form::{BusProp, FormContent, parse_bus_prop_id};
use crate::invalid::{Fault, code};

/// A link names at most this many of a form's business properties. Each answer is counted once in each of them.
pub const MAX_LINK_BUS_PROPS: usize = 50;

/// Ids of a form's business properties, each once, in the order given. As text `1_2`; none is the empty text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, derive_more::Deref)]
pub struct BusPropIds(Vec<u32>);

impl BusPropIds {
    /// Checks that the form has each of these ids and none is retired.
    pub fn check_for_new_link(&self, form: &FormContent) -> Result<(), Fault> {
        let offered = |id| form.bus_prop(id).is_some_and(|entry| !entry.retired);
        match self.iter().find(|id| !offered(**id)) {
            Some(id) => {
                let detail = format!("the form has no bus_prop_id {id}");
                Err(Fault::new(code::UNKNOWN_ID, detail))
            }
            None => Ok(()),
        }
    }

    /// The texts of these ids in the form, retired or not, in this order.
    pub fn texts<'a>(&'a self, form: &'a FormContent) -> impl Iterator<Item = &'a BusProp> {
        self.iter()
            .filter_map(|id| form.bus_prop(*id).map(|entry| &entry.text))
    }
}

impl FromStr for BusPropIds {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut ids = Vec::new();
        if text.is_empty() {
            return Ok(Self(ids));
        }
        for part in text.split('_') {
            let shape = "not numbers from 1 in plain digits, joined by `_`";
            let id = parse_bus_prop_id(part).ok_or_else(|| Fault::new(code::MALFORMED, shape))?;
            if ids.contains(&id) {
                let detail = format!("the id {id} comes twice");
                return Err(Fault::new(code::DUPLICATE, detail));
            }
            if ids.len() == MAX_LINK_BUS_PROPS {
                let detail = format!("more than {MAX_LINK_BUS_PROPS} ids");
                return Err(Fault::new(code::TOO_MANY, detail));
            }
            ids.push(id);
        }
        Ok(Self(ids))
    }
}

impl fmt::Display for BusPropIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<_> = self.iter().map(u32::to_string).collect();
        f.write_str(&ids.join("_"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::form::FormInput;

    #[test]
    fn ids_are_joined_by_an_underline_and_keep_their_order() {
        for (text, ids) in [
            ("", &[][..]),
            ("1", &[1]),
            ("2_1", &[2, 1]),
            ("10_9_4294967295", &[10, 9, u32::MAX]),
        ] {
            let parsed: BusPropIds = text.parse().unwrap();
            assert_eq!(*parsed, ids);
            assert_eq!(parsed.to_string(), text);
            assert_eq!(parsed.len(), ids.len());
            assert_eq!(parsed.is_empty(), ids.is_empty());
        }
        assert!(BusPropIds::default().is_empty());
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        let refused = |text: &str| text.parse::<BusPropIds>().unwrap_err().code;
        for text in [
            "_",
            "_1",
            "1_",
            "1__2",
            "0",
            "01",
            "1_02",
            "+1",
            "-1",
            " 1",
            "1,2",
            "1.0",
            "a",
            "٣",
            "4294967296",
            "1\0",
        ] {
            assert_eq!(refused(text), code::MALFORMED, "{text}");
        }
        assert_eq!(refused("3_1_3"), code::DUPLICATE);
        let many: Vec<_> = (1..=51).map(|id: u32| id.to_string()).collect();
        assert_eq!(refused(&many.join("_")), code::TOO_MANY);
        assert!(many[1..].join("_").parse::<BusPropIds>().is_ok());
    }

    #[test]
    fn a_new_link_takes_what_the_form_offers_and_an_old_one_keeps_its_texts() {
        let draft = |body| FormInput::parse(&body).unwrap();
        let form = FormContent::new(draft(json!({"title": "T", "bus_props": ["n:a", "n:b"]})));
        let form = form.unwrap();
        let form = form.replaced_by(draft(json!({"title": "T", "bus_props": ["n:a"]})), true);
        let form = form.unwrap();
        let check = |text: &str| {
            text.parse::<BusPropIds>()
                .unwrap()
                .check_for_new_link(&form)
        };
        assert_eq!(check("1"), Ok(()));
        assert_eq!(check(""), Ok(()));
        let unknown = |id| {
            Err(Fault::new(
                code::UNKNOWN_ID,
                format!("the form has no bus_prop_id {id}"),
            ))
        };
        assert_eq!(check("1_2"), unknown(2));
        assert_eq!(check("3"), unknown(3));
        let old: BusPropIds = "2_1".parse().unwrap();
        let texts: Vec<_> = old.texts(&form).map(BusProp::as_str).collect();
        assert_eq!(texts, ["n:b", "n:a"]);
    }

    proptest! {
        #[test]
        fn what_parses_shows_the_same_text(text in "[0-9_+]{0,8}") {
            if let Ok(ids) = text.parse::<BusPropIds>() {
                prop_assert_eq!(ids.to_string(), text);
            }
        }

        #[test]
        fn different_ids_read_back(ids in prop::collection::hash_set(1_u32.., 0..20)) {
            let ids: Vec<_> = ids.into_iter().collect();
            let parsed: BusPropIds = BusPropIds(ids.clone()).to_string().parse().unwrap();
            prop_assert_eq!(parsed.0, ids);
        }
    }
}
