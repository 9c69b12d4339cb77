//! Business properties that recipients would give a link, and that the form does not have.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::content::CampaignContent;
use super::similar::SimilarValues;
use crate::form::{BusProp, FormContent};
use crate::record::Record;

/// So many texts are told apart.
const MAX_TEXTS: usize = 100;

/// How many recipients have a business property that the form does not have, by its text (`store:S9`); at most 100 texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UnknownBusProps(BTreeMap<String, u64>);

impl UnknownBusProps {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value that is meant, by the text of each that is nearly the same: one that is known, or else one that more recipients have.
    pub fn similar<'t>(
        &'t self,
        known: impl Iterator<Item = &'t BusProp>,
    ) -> BTreeMap<&'t str, &'t str> {
        let known = by_name(known.map(BusProp::as_str));
        let similar = self.iter().filter_map(|(text, recipients)| {
            let (name, value) = text.split_once(':')?;
            let more = self.iter();
            let more = more.filter(|(other, more)| (*more, text) > (recipients, *other));
            let more = by_name(more.map(|(other, _)| other));
            let mut places = [&known, &more].into_iter();
            let similar = places.find_map(|values| values.get(name)?.find(value))?;
            Some((text, similar))
        });
        similar.collect()
    }

    /// Each text and its recipients.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(text, count)| (text.as_str(), *count))
    }
}

/// The values of business properties by their names.
fn by_name<'t>(texts: impl Iterator<Item = &'t str>) -> HashMap<&'t str, SimilarValues<'t>> {
    let mut values: HashMap<&str, Vec<&str>> = HashMap::new();
    for (name, value) in texts.filter_map(|text| text.split_once(':')) {
        values.entry(name).or_default().push(value);
    }
    let similar = values.into_iter();
    let similar = similar.map(|(name, values)| (name, SimilarValues::new(values.into_iter())));
    similar.collect()
}

/// Counts what a campaign's form lacks.
#[derive(Clone, Debug)]
pub struct BusPropsCheck {
    /// Those that links of the form can have. Of many records `FormContent::bus_prop_of` would take long.
    known: HashSet<String>,
    /// Those in small letters, and whether only one is written so.
    in_small: HashMap<String, bool>,
    /// By the name of a business property the tracking field that has its value.
    from: BTreeMap<String, String>,
    unknown: UnknownBusProps,
}

impl BusPropsCheck {
    pub fn new(content: &CampaignContent, form: &FormContent) -> Self {
        let from = content.bus_props_from.iter();
        Self::of(from.map(|(name, field)| (&**name, &**field)), form)
    }

    fn of<'f>(from: impl Iterator<Item = (&'f str, &'f str)>, form: &FormContent) -> Self {
        let known = form.bus_props.iter().filter(|entry| !entry.retired);
        let mut in_small = HashMap::new();
        for entry in known.clone() {
            let alike = in_small.entry(small(entry.text.name(), entry.text.value()));
            alike
                .and_modify(|is_alone| *is_alone = false)
                .or_insert(true);
        }
        Self {
            in_small,
            known: known.map(|entry| entry.text.as_str().to_owned()).collect(),
            from: from
                .map(|(name, field)| (name.to_owned(), field.to_owned()))
                .collect(),
            unknown: UnknownBusProps::default(),
        }
    }

    /// Counts a recipient by their tracking fields.
    pub fn add<'v>(&mut self, field: impl Fn(&str) -> Option<&'v str>) {
        let values = self.from.iter();
        let values = values.filter_map(|(name, of)| Some((name.clone(), field(of)?)));
        for (name, value) in values.collect::<Vec<_>>() {
            self.add_value(&name, value, 1);
        }
    }

    /// Counts a record that is imported for the campaign.
    pub fn add_record(&mut self, record: &Record<'_>) {
        if self.from.is_empty() {
            return;
        }
        // It was made of strings just now.
        let fields: BTreeMap<String, String> =
            serde_json::from_str(record.fields).unwrap_or_default();
        self.add(|name| fields.get(name).map(String::as_str));
    }

    /// Counts recipients who have the same value of a business property.
    pub fn add_value(&mut self, name: &str, value: &str, recipients: u64) {
        if self.known.contains(&format!("{name}:{value}")) {
            return;
        }
        let text = format!("{name}:{}", value.trim());
        let is_alike = self.in_small.get(&small(name, value.trim())) == Some(&true);
        // What cannot be one is no text that could be added.
        if self.known.contains(&text) || is_alike || BusProp::parse(&text).is_err() {
            return;
        }
        let unknown = &mut self.unknown.0;
        if unknown.len() < MAX_TEXTS || unknown.contains_key(&text) {
            *unknown.entry(text).or_default() += recipients;
        }
    }

    pub fn unknown(self) -> UnknownBusProps {
        self.unknown
    }
}

/// A business property whose value is in small letters.
fn small(name: &str, value: &str) -> String {
    let value: String = value.chars().flat_map(char::to_lowercase).collect();
    format!("{name}:{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_is_what_a_link_does_not_get() {
        let texts = ["store:Köln", "store:Ulm", "store:ULM", "store:Essen"];
        let mut form = FormContent::default().with_bus_props(texts);
        form.bus_props[3].retired = true;
        for (value, expected) in [
            ("Köln", Some(1)),
            (" KÖLN ", Some(1)),
            ("köln", Some(1)),
            ("Koeln", None),
            ("ULM", Some(3)),
            ("ulm", None),
            ("Essen", None),
        ] {
            let found = form.bus_prop_of("store", value).map(|entry| entry.id);
            assert_eq!(found, expected, "{value}");
            assert!(form.bus_prop_of("Store", value).is_none(), "{value}");
            let mut check = BusPropsCheck::of([("store", "store")].into_iter(), &form);
            check.add_value("store", value, 1);
            assert_eq!(check.unknown().is_empty(), found.is_some(), "{value}");
        }
    }

    #[test]
    fn what_is_nearly_known_or_had_by_more_is_told() {
        let known = ["store:Berlin Mitte", "store:Filiale 12", "region:Norden"];
        let known = known.map(|text| BusProp::parse(text).unwrap());
        let unknown = [
            ("store:Berlin  mitte", 3),
            ("store:Filiale 13", 3),
            ("store:Norden", 3),
            ("store:Muenchen Sued", 2),
            ("store:Muenchen Süd", 4),
        ];
        let unknown = unknown.map(|(text, recipients)| (text.to_owned(), recipients));
        let unknown = UnknownBusProps(unknown.into_iter().collect());
        let similar = unknown.similar(known.iter());
        let expected = [
            ("store:Berlin  mitte", "Berlin Mitte"),
            ("store:Muenchen Sued", "Muenchen Süd"),
        ];
        assert_eq!(similar, expected.into());
        let more = UnknownBusProps(
            [("store:Essen Ost", 2), ("store:Essen  ost", 1)]
                .map(|(text, recipients)| (text.to_owned(), recipients))
                .into(),
        );
        let similar = more.similar(known.iter());
        assert_eq!(similar, [("store:Essen  ost", "Essen Ost")].into());
    }
}
