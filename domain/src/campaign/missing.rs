//! What a campaign's texts need and recipients lack, counted recipient by recipient.

use std::collections::{BTreeMap, BTreeSet};

use super::content::CampaignContent;
use super::judge::DueMessage;
use super::preview::MissingField;
use super::similar::similar_name;
use crate::sms::Template;

/// What recipients lack.
#[derive(Default)]
pub struct MissingFields {
    recipients: u64,
    /// By the name of a field how many lack it, and whether there is a text instead wherever it stands.
    missing: BTreeMap<String, (u64, bool)>,
}

impl MissingFields {
    /// Counts what a recipient lacks.
    pub fn add(&mut self, content: &CampaignContent, due: &DueMessage) {
        self.recipients += 1;
        let reminder = content.reminder.as_ref().map(|reminder| &reminder.text);
        let texts = [Some(&content.text), reminder].into_iter().flatten();
        let mut missing: BTreeMap<&str, bool> = BTreeMap::new();
        for (name, has_text) in
            texts.flat_map(|text: &Template| text.missing(|name| due.field(name)))
        {
            *missing.entry(name).or_insert(true) &= has_text;
        }
        for (name, has_text) in missing {
            let entry = self.missing.entry(name.to_owned()).or_insert((0, true));
            *entry = (entry.0 + 1, entry.1 && has_text);
        }
    }

    /// What is worth telling: a field without which somebody gets no message, and one that nobody has under this name while
    /// another of these names of tracking fields is nearly the same.
    pub fn told(self, names: &BTreeSet<String>) -> Vec<MissingField> {
        let all = self.recipients;
        let missing = self.missing.into_iter();
        let told = missing.filter_map(|(name, (recipients, has_text))| {
            let similar = similar_name(&name, names);
            let is_told = !has_text || (recipients == all && similar.is_some());
            is_told.then_some(MissingField {
                name,
                recipients,
                similar,
            })
        });
        told.collect()
    }
}
