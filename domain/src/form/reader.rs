//! The texts of a form as one reader sees them: in their language, with what their link says in them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::bus_prop::BusProp;
use super::content::FormContent;
use super::field::Field;
use super::label::Labels;
use crate::link::{BusPropIds, TrackFields};
use crate::sms::Template;
use crate::text::cut;

/// The bytes of a tracking field or a business property that a text shows, at most: pages are made by the thousand.
const MAX_SHOWN: usize = 200;

impl FormContent {
    /// What stands in other languages beside each of its texts, retired ones included.
    pub fn translations(&self) -> impl Iterator<Item = &Labels> {
        let fields = self.fields.iter();
        let options = fields.clone().flat_map(|field| field.kind.options());
        let links = self.links.iter().map(|link| &link.labels);
        [&self.labels, &self.intro_labels, &self.thanks_labels]
            .into_iter()
            .chain(links)
            .chain(fields.map(|field| &field.labels))
            .chain(options.map(|option| &option.labels))
    }

    /// How many of its texts lack each language that it is translated into, by its code.
    pub fn missing_texts(&self) -> BTreeMap<&str, usize> {
        let labels: Vec<_> = self.translations().collect();
        let blocks = [&self.intro, &self.thanks].into_iter();
        let unset = blocks.filter(|block| block.is_none()).count();
        let codes: BTreeSet<&str> = labels
            .iter()
            .flat_map(|labels| labels.keys().map(String::as_str))
            .collect();
        let missing = codes.into_iter().map(|code| {
            let lack = labels.iter().filter(|labels| !labels.contains_key(code));
            (code, lack.count().saturating_sub(unset))
        });
        missing.collect()
    }

    /// The names of tracking fields that stand in its texts, in any language, but for retired fields.
    pub fn piped_names(&self) -> BTreeSet<String> {
        if !self.piping {
            return BTreeSet::new();
        }
        let blocks = [&self.intro, &self.thanks].into_iter().flatten();
        let links = self.links.iter().map(|link| (&link.label, &link.labels));
        let fields = self.page_fields();
        let options = fields.clone().flat_map(Field::page_options);
        let options = options.map(|option| (&option.label, &option.labels));
        let fields = fields.map(|field| (&field.label, &field.labels));
        let labelled = links.chain(fields).chain(options);
        let labelled = labelled.flat_map(|(text, labels)| labels.values().chain([text]));
        let around = [&self.labels, &self.intro_labels, &self.thanks_labels];
        let around = around.into_iter().flat_map(BTreeMap::values);
        let texts = blocks.chain([&self.title]).chain(around).chain(labelled);
        let templates = texts.filter_map(|text| Template::of_label(text).ok());
        let mut names = BTreeSet::new();
        for template in templates {
            names.extend(template.field_names().map(str::to_owned));
        }
        names
    }

    /// Whether any text of the form is there in this language, besides its own.
    pub fn is_translated(&self, language: &str) -> bool {
        let mut labels = self.translations();
        labels.any(|labels| labels.contains_key(language))
    }

    /// The language in which somebody reads the form who wants one of these, best first; `None`: its own.
    /// Where nobody said which that is, it may be the second that they want.
    pub fn language_for<'a>(
        &self,
        own: Option<&str>,
        wanted: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        let looked_at = if own.is_some() { usize::MAX } else { 1 };
        let mut wanted = wanted.into_iter().take(looked_at);
        let language = wanted.find(|one| own == Some(*one) || self.is_translated(one));
        language.filter(|one| own != Some(*one))
    }

    /// The form as reports name it: in its own language, without tracking fields in its texts.
    #[must_use]
    pub fn for_reports(self) -> Self {
        match self.for_reader(None, &TrackFields::default(), &BusPropIds::default()) {
            Cow::Owned(form) => form,
            Cow::Borrowed(_) => self,
        }
    }

    /// The form with its texts in a language, as far as it has them, and with tracking fields of a link in them; where it has none
    /// of a name, with the value of the link's first business property of that name. Its language is that one.
    pub fn for_reader(
        &self,
        language: Option<&str>,
        fields: &TrackFields,
        bus_props: &BusPropIds,
    ) -> Cow<'_, Self> {
        let language = language.filter(|language| self.is_translated(language));
        if language.is_none() && !self.piping {
            return Cow::Borrowed(self);
        }
        let piping = self.piping;
        let bus_prop = |name: &str| {
            let mut texts = bus_props.texts(self);
            texts.find(|text| text.name() == name).map(BusProp::value)
        };
        let fill = |text: &mut String, labels: &Labels| {
            if let Some(translated) = language.and_then(|language| labels.get(language)) {
                text.clone_from(translated);
            }
            let template = piping.then(|| Template::of_label(text).ok()).flatten();
            let value = |name: &str| {
                let value = fields.get(name).or_else(|| bus_prop(name));
                value.map(|value| cut(value, MAX_SHOWN))
            };
            if let Some(filled) = template.and_then(|of| of.fill(value, "")) {
                *text = filled;
            }
        };
        let mut form = self.clone();
        if let Some(language) = language {
            form.language = Some(language.to_owned());
        }
        fill(&mut form.title, &form.labels);
        let blocks = [
            (&mut form.intro, &form.intro_labels),
            (&mut form.thanks, &form.thanks_labels),
        ];
        for (text, labels) in blocks {
            let mut filled = text.take().unwrap_or_default();
            fill(&mut filled, labels);
            *text = Some(filled).filter(|filled| !filled.is_empty());
        }
        for link in &mut form.links {
            fill(&mut link.label, &link.labels);
        }
        for field in &mut form.fields {
            fill(&mut field.label, &field.labels);
            for option in field.kind.options_mut() {
                fill(&mut option.label, &option.labels);
            }
        }
        Cow::Owned(form)
    }
}
