//! Business properties that recipients would give a link, and that the form does not have.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::form::{BusProp, FormContent};

/// So many texts are told apart.
const MAX_TEXTS: usize = 100;

/// How many messages lack a business property because the form does not have it, by its text (`store:S9`); at most 100 texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UnknownBusProps(BTreeMap<String, u64>);

impl UnknownBusProps {
    /// Counts messages whose recipients have a value of a property, unless links of the form can have it.
    pub fn add(&mut self, form: &FormContent, name: &str, value: &str, messages: u64) {
        let text = format!("{name}:{value}");
        let known = form.bus_prop_by_text(&text);
        // What cannot be one is no text that could be added.
        if known.is_some_and(|entry| !entry.retired) || BusProp::parse(&text).is_err() {
            return;
        }
        if self.0.len() < MAX_TEXTS || self.0.contains_key(&text) {
            *self.0.entry(text).or_default() += messages;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each text and its messages.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(text, count)| (text.as_str(), *count))
    }
}
