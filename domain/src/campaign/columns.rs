//! What the tracking fields of an audience are called and look like, for the pages of a campaign.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use indexmap::IndexMap;

use super::content::CampaignContent;
use crate::form::{BusProp, FormContent};

/// So many names of tracking fields are kept to find one that is nearly the same.
const MAX_NAMES: usize = 1_000;

/// The tracking fields that recipients have, and what a form could do with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    pub names: BTreeSet<String>,
    /// The one whose values are business properties of the form, for half of the recipients at least. Only of a campaign whose links
    /// have none.
    pub of_form: Option<String>,
    /// The names of the business properties in use of the form.
    pub bus_props: BTreeSet<String>,
    /// The names that stand in the texts of the form.
    pub piped: BTreeSet<String>,
}

/// Finds them, recipient by recipient.
pub struct ColumnsCheck {
    columns: Columns,
    recipients: u64,
    /// Values of the form's business properties in small letters.
    values: HashSet<String>,
    /// How many recipients have one of them, by the tracking field.
    found: BTreeMap<String, u64>,
}

impl ColumnsCheck {
    pub fn new(content: &CampaignContent, form: Option<&FormContent>) -> Self {
        let entries = form.into_iter().flat_map(|form| &form.bus_props);
        let in_use = entries.filter(|entry| !entry.retired);
        let in_use: Vec<&BusProp> = in_use.map(|entry| &entry.text).collect();
        let is_grouped = !content.bus_props_from.is_empty();
        let sought = in_use.iter().filter(|_| !is_grouped);
        Self {
            values: sought.map(|text| small(text.value())).collect(),
            columns: Columns {
                bus_props: in_use.iter().map(|text| text.name().to_owned()).collect(),
                piped: form.map(FormContent::piped_names).unwrap_or_default(),
                ..Columns::default()
            },
            recipients: 0,
            found: BTreeMap::new(),
        }
    }

    /// Looks at the tracking fields of a recipient.
    pub fn add(&mut self, fields: &IndexMap<String, String>) {
        self.recipients += 1;
        let names = &mut self.columns.names;
        for (name, value) in fields {
            if names.len() < MAX_NAMES && !names.contains(name) {
                names.insert(name.clone());
            }
            let is_sought = !self.values.is_empty() && names.contains(name);
            if is_sought && self.values.contains(&small(value)) {
                *self.found.entry(name.clone()).or_default() += 1;
            }
        }
    }

    /// The names of those that were found so far.
    pub fn names(&self) -> &BTreeSet<String> {
        &self.columns.names
    }

    pub fn columns(self) -> Columns {
        let found = self.found.into_iter();
        let most = found.max_by_key(|(_, recipients)| *recipients);
        let of_form = most.filter(|(_, recipients)| recipients * 2 >= self.recipients);
        Columns {
            of_form: of_form.map(|(name, _)| name),
            ..self.columns
        }
    }
}

fn small(value: &str) -> String {
    value.trim().chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_column_with_values_of_the_form_is_found() {
        let mut form = FormContent::default().with_bus_props(["store:Köln", "store:Ulm"]);
        form.piping = true;
        form.title = "Your visit to {store_name|us}".to_owned();
        let id = "0192f0c1-2345-7abc-8def-0123456789ab";
        let campaign = |from: Value| {
            let campaign = json!({
                "name": "n", "form_id": id, "sender": "demo", "text": "{link}", "audience": {"on_import": true}, "bus_props_from": from,
            });
            CampaignContent::parse(&campaign).unwrap()
        };
        let found = |from: Value, places: &[&str]| {
            let mut check = ColumnsCheck::new(&campaign(from), Some(&form));
            for place in places {
                let fields = [("Vorname", "Ada"), ("Ort", *place)];
                let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
                check.add(&fields.into());
            }
            check.columns()
        };
        let columns = found(json!({}), &["Köln", " KÖLN ", "Essen"]);
        assert_eq!(columns.of_form.as_deref(), Some("Ort"));
        assert_eq!(columns.names, ["Ort", "Vorname"].map(str::to_owned).into());
        assert_eq!(columns.bus_props, ["store".to_owned()].into());
        assert_eq!(columns.piped, ["store_name".to_owned()].into());
        assert_eq!(found(json!({}), &["Köln", "Essen", "Bonn"]).of_form, None);
        assert_eq!(found(json!({"store": "Ort"}), &["Köln"]).of_form, None);
        assert_eq!(found(json!({}), &[]).of_form, None);
    }
}
