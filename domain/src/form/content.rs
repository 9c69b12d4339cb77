//! What a form asks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::bus_prop::{BusProp, BusPropEntry};
use super::choice::ChoiceOption;
use super::field::Field;
use super::key::FieldKey;
use super::label::Labels;
use super::limits::MAX_BUS_PROPS;
use super::link::FormLink;
use crate::changes::Logged;

/// What a form asks. Its JSON is what is stored; it is not checked again when it is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FormContent {
    pub title: String,
    /// The title in other languages.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Of its own texts, as a code of two or three small letters. `None`: nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Before the first question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intro: Option<String>,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub intro_labels: Labels,
    /// After the answers are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thanks: Option<String>,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub thanks_labels: Labels,
    /// At its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<FormLink>,
    /// Whether `{name|text}` in any of its texts is a tracking field of the link, or its business property.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub piping: bool,
    /// Each id and each text once; those in use in the order given, then the retired ones.
    pub bus_props: Vec<BusPropEntry>,
    /// Each key once; those in use in the order of the page, then the retired ones.
    pub fields: Vec<Field>,
    /// The highest `bus_prop_id` ever given, 0 before the first.
    pub(super) last_bus_prop_id: u32,
    /// What counts know the options of a field by, in their order: each number once in a field, and the same as long as the
    /// form is published. Clients do not see them, so they are beside the fields.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) option_numbers: BTreeMap<FieldKey, Vec<u8>>,
}

impl FormContent {
    /// This form with these business properties too, as long as it may have more; one that is retired is in use again.
    #[must_use]
    pub fn with_bus_props<'t>(mut self, texts: impl IntoIterator<Item = &'t str>) -> Self {
        for text in texts {
            let mut entries = self.bus_props.iter_mut();
            if let Some(known) = entries.find(|entry| entry.text.as_str() == text) {
                known.retired = false;
            } else if let Ok(text) = BusProp::parse(text)
                && let Some(id) = self.last_bus_prop_id.checked_add(1)
                && self.bus_props.len() < MAX_BUS_PROPS
            {
                self.last_bus_prop_id = id;
                let retired = false;
                self.bus_props.push(BusPropEntry { id, text, retired });
            }
        }
        self.bus_props.sort_by_key(|entry| entry.retired);
        self
    }

    /// The field with this key, retired or not.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key.as_str() == key)
    }

    /// The fields of the page.
    pub fn page_fields(&self) -> impl Iterator<Item = &Field> + Clone {
        self.fields.iter().filter(|field| !field.retired)
    }

    /// The options of a field, retired ones included, by the numbers that counts know them by.
    pub(crate) fn numbered_options<'a>(
        &'a self,
        field: &'a Field,
    ) -> impl Iterator<Item = (u8, &'a ChoiceOption)> {
        let numbers = self.option_numbers.get(&field.key).into_iter().flatten();
        numbers.copied().zip(field.kind.options())
    }

    /// The business property with this id, retired or not.
    pub fn bus_prop(&self, id: u32) -> Option<&BusPropEntry> {
        self.bus_props.iter().find(|entry| entry.id == id)
    }

    /// The business property with this text (`<name>:<value>`), retired or not.
    pub fn bus_prop_by_text(&self, text: &str) -> Option<&BusPropEntry> {
        let mut entries = self.bus_props.iter();
        entries.find(|entry| entry.text.as_str() == text)
    }

    /// The business property in use of this name that a recipient's value means: the same with or without blanks around it, or else the
    /// only one that is the same but for case.
    pub fn bus_prop_of(&self, name: &str, value: &str) -> Option<&BusPropEntry> {
        let in_use = self.bus_props.iter().filter(|entry| !entry.retired);
        let of_name = in_use.filter(|entry| entry.text.name() == name);
        let trimmed = value.trim();
        for reading in [value, trimmed] {
            let mut entries = of_name.clone();
            if let Some(exact) = entries.find(|entry| entry.text.value() == reading) {
                return Some(exact);
            }
        }
        let mut alike = of_name.filter(|entry| is_same_but_for_case(entry.text.value(), trimmed));
        alike.next().filter(|_| alike.next().is_none())
    }
}

impl Logged for FormContent {
    /// What its page has: business properties by their texts, and nothing that is retired.
    fn logged(&self) -> Value {
        let mut content = json!(self);
        if let Some(members) = content.as_object_mut() {
            members.remove("last_bus_prop_id");
            members.remove("option_numbers");
        }
        without_retired(&mut content);
        let in_use = self.bus_props.iter().filter(|entry| !entry.retired);
        content["bus_props"] = in_use.map(|entry| entry.text.as_str()).collect();
        content
    }
}

/// Leaves out of all lists what is retired.
fn without_retired(value: &mut Value) {
    match value {
        Value::Array(entries) => {
            entries.retain(|entry| entry["retired"] != true);
            entries.iter_mut().for_each(without_retired);
        }
        Value::Object(members) => {
            members.remove("retired");
            members.values_mut().for_each(without_retired);
        }
        _ => {}
    }
}

fn is_same_but_for_case(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|text| text.chars().flat_map(char::to_lowercase));
    one.eq(other)
}
