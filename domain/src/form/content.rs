//! What a form asks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bus_prop::BusPropEntry;
use super::field::Field;
use super::key::FieldKey;

/// What a form asks. Its JSON is what is stored; it is not checked again when it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct FormContent {
    pub title: String,
    /// Each id and each text once; those in use in the order given, then the retired ones.
    pub bus_props: Vec<BusPropEntry>,
    /// Each key once; those in use in the order of the page, then the retired ones.
    pub fields: Vec<Field>,
    /// The highest `bus_prop_id` ever given, 0 before the first.
    pub(super) last_bus_prop_id: u32,
}

impl FormContent {
    /// The field with this key, retired or not.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key.as_str() == key)
    }

    /// The fields of the page.
    pub fn page_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.retired)
    }

    /// The business property with this id, retired or not.
    pub fn bus_prop(&self, id: u32) -> Option<&BusPropEntry> {
        self.bus_props.iter().find(|entry| entry.id == id)
    }

    /// The business property with this text (`<name>:<value>`), retired or not.
    pub fn bus_prop_by_text(&self, text: &str) -> Option<&BusPropEntry> {
        self.bus_props
            .iter()
            .find(|entry| entry.text.as_str() == text)
    }
}

/// The JSON of a form in the store. Clients do not see the numbers of options, so they are beside the fields.
#[derive(Serialize, Deserialize)]
struct Stored {
    title: String,
    bus_props: Vec<BusPropEntry>,
    fields: Vec<Field>,
    last_bus_prop_id: u32,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    option_numbers: BTreeMap<FieldKey, Vec<u8>>,
}

impl From<FormContent> for Stored {
    fn from(form: FormContent) -> Self {
        let numbers = form.fields.iter().filter_map(|field| {
            let numbers: Vec<_> = field.kind.options().iter().map(|o| o.number).collect();
            (!numbers.is_empty()).then(|| (field.key.clone(), numbers))
        });
        Self {
            option_numbers: numbers.collect(),
            title: form.title,
            bus_props: form.bus_props,
            fields: form.fields,
            last_bus_prop_id: form.last_bus_prop_id,
        }
    }
}

impl From<Stored> for FormContent {
    fn from(mut stored: Stored) -> Self {
        for field in &mut stored.fields {
            let numbers = stored.option_numbers.remove(&field.key);
            let options = field.kind.options_mut().iter_mut();
            for (option, number) in options.zip(numbers.unwrap_or_default()) {
                option.number = number;
            }
        }
        Self {
            title: stored.title,
            bus_props: stored.bus_props,
            fields: stored.fields,
            last_bus_prop_id: stored.last_bus_prop_id,
        }
    }
}
