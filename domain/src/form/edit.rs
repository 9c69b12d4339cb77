//! From an input to the content of a form. Ids are given here, and what a published form must keep is checked here.

use std::collections::{HashMap, HashSet};

use super::bus_prop::BusPropEntry;
use super::content::FormContent;
use super::field::Field;
use super::input::{BusPropInput, FieldInput, FormInput};
use super::limits::{MAX_BUS_PROPS, MAX_CONTENT, MAX_FIELDS, check_total};
use crate::invalid::{Invalid, Problems, code};

/// Why a form cannot be replaced by an input: at least one problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditRefused {
    /// The input does not fit the form in any status.
    Invalid(Vec<Invalid>),
    /// The input would change what links, answers and reports of the published form depend on.
    InUse(Vec<Invalid>),
}

impl FormContent {
    /// The content of a new form.
    ///
    /// # Errors
    /// A `bus_prop_id`: a new form has given none yet.
    pub fn new(input: FormInput) -> Result<Self, Vec<Invalid>> {
        Self::default()
            .replaced_by(input, false)
            .map_err(|(EditRefused::Invalid(problems) | EditRefused::InUse(problems))| problems)
    }

    /// This form with everything replaced by the input. Business properties match by `bus_prop_id`, else by text;
    /// fields by key; options by value. What is left out is retired if the form is published, and gone if not; what is
    /// put back comes alive again.
    pub fn replaced_by(
        &self,
        input: FormInput,
        published: bool,
    ) -> Result<FormContent, EditRefused> {
        let edit = FormMerge {
            form: self,
            published,
            invalid: Problems::default(),
            in_use: Problems::default(),
        };
        let (bus_props, last_bus_prop_id) = edit.bus_props(input.bus_props);
        let fields = edit.fields(input.fields);
        edit.check_text_columns(&fields);
        let of_choices = fields
            .iter()
            .filter(|field| !field.kind.options().is_empty());
        let numbers = of_choices.map(|field| (field.key.clone(), edit.option_numbers(field)));
        let option_numbers = numbers.collect();
        let (invalid, in_use) = (edit.invalid.into_vec(), edit.in_use.into_vec());
        if !invalid.is_empty() {
            return Err(EditRefused::Invalid(invalid));
        }
        if !in_use.is_empty() {
            return Err(EditRefused::InUse(in_use));
        }
        let content = FormContent {
            title: input.title,
            labels: input.labels,
            language: input.language,
            intro: input.intro.0,
            intro_labels: input.intro.1,
            thanks: input.thanks.0,
            thanks_labels: input.thanks.1,
            links: input.links,
            piping: input.piping,
            bus_props,
            fields,
            last_bus_prop_id,
            option_numbers,
        };
        let size = |content: &Self| serde_json::to_vec(content).map_or(0, |text| text.len());
        let bytes = size(&content);
        if published && bytes > MAX_CONTENT && bytes > size(self) {
            let detail = format!(
                "with what a published form keeps of before it has more than {} MiB: make a new one",
                MAX_CONTENT >> 20
            );
            let problem = Problems::default();
            problem.push("/fields", code::TOO_MANY, detail);
            return Err(EditRefused::InUse(problem.into_vec()));
        }
        Ok(content)
    }
}

struct FormMerge<'a> {
    form: &'a FormContent,
    published: bool,
    invalid: Problems,
    in_use: Problems,
}

impl FormMerge<'_> {
    /// The new list, and the highest id ever given.
    fn bus_props(&self, inputs: Vec<BusPropInput>) -> (Vec<BusPropEntry>, u32) {
        let old = &self.form.bus_props;
        let by_id: HashMap<_, _> = old.iter().map(|entry| (entry.id, entry)).collect();
        // A text stands for the entry that has it, unless the input names that entry by its id.
        let named: HashSet<_> = inputs.iter().filter_map(|input| input.id).collect();
        let unnamed = old.iter().filter(|entry| !named.contains(&entry.id));
        let by_text: HashMap<_, _> = unnamed.map(|entry| (&entry.text, entry.id)).collect();
        let mut last = self.form.last_bus_prop_id;
        let mut entries = Vec::with_capacity(inputs.len());
        for input in inputs {
            if let Some(id) = input.id {
                self.check_named(&input, by_id.get(&id).copied());
            }
            let known = input.id.or_else(|| by_text.get(&input.text).copied());
            let id = known.or_else(|| last.checked_add(1).inspect(|id| last = *id));
            let Some(id) = id else {
                let detail = "the form has given all its ids";
                self.invalid.push(input.pointer, code::TOO_MANY, detail);
                continue;
            };
            entries.push(BusPropEntry {
                id,
                text: input.text,
                retired: false,
            });
        }
        if self.published {
            let kept: HashSet<_> = entries.iter().map(|entry| entry.id).collect();
            let left_out = old.iter().filter(|entry| !kept.contains(&entry.id));
            entries.extend(left_out.map(|entry| BusPropEntry {
                retired: true,
                ..entry.clone()
            }));
            check_total(entries.len(), MAX_BUS_PROPS, "/bus_props", &self.in_use);
        }
        (entries, last)
    }

    /// An entry that the input names by its id.
    fn check_named(&self, input: &BusPropInput, old: Option<&BusPropEntry>) {
        match old {
            None => self.invalid.push(
                format!("{}/bus_prop_id", input.pointer),
                code::UNKNOWN_ID,
                "the form has no such bus_prop_id",
            ),
            Some(old) if self.published && old.text != input.text => self.in_use.push(
                format!("{}/bus_prop", input.pointer),
                code::BUS_PROP_CHANGED,
                "the text of a bus_prop_id cannot change once the form is published",
            ),
            Some(_) => {}
        }
    }

    fn fields(&self, inputs: Vec<FieldInput>) -> Vec<Field> {
        if !self.published {
            return inputs.into_iter().map(|input| input.field).collect();
        }
        let mut fields = Vec::with_capacity(inputs.len());
        for FieldInput { pointer, mut field } in inputs {
            match self.form.field(field.key.as_str()) {
                Some(old) => self.keep(old, &mut field, &pointer),
                None => self.check_single(&field, &pointer),
            }
            fields.push(field);
        }
        for old in &self.form.fields {
            if !fields.iter().any(|field| field.key == old.key) {
                fields.push(Field {
                    retired: true,
                    ..old.clone()
                });
            }
        }
        check_total(fields.len(), MAX_FIELDS, "/fields", &self.in_use);
        fields
    }

    /// Exports have the texts beside a field's options under `<key>_text`, which no other field may be called.
    fn check_text_columns(&self, fields: &[Field]) {
        let with_text = fields.iter().filter(|field| field.has_text());
        for column in with_text.map(Field::text_column) {
            if let Some(place) = fields.iter().position(|field| field.key.as_str() == column) {
                let detail = format!("exports call the text beside a choice {column}");
                let pointer = format!("/fields/{place}/key");
                self.invalid.push(pointer, code::RESERVED, detail);
            }
        }
    }

    /// The numbers of a field's options. Those of a published form keep theirs, because counts name options by them.
    fn option_numbers(&self, field: &Field) -> Vec<u8> {
        let old = self.form.field(field.key.as_str());
        let old = old.filter(|_| self.published).into_iter();
        let known = old.flat_map(|old| self.form.numbered_options(old));
        let known: HashMap<_, _> = known
            .map(|(number, option)| (&option.value, number))
            .collect();
        let last = known.values().max();
        // Options are fewer than a byte can number.
        let mut free = last.map_or(0, |last| last.saturating_add(1))..=u8::MAX;
        let options = field.kind.options().iter();
        let numbers =
            options.map(|option| known.get(&option.value).copied().or_else(|| free.next()));
        numbers.map(|number| number.unwrap_or(u8::MAX)).collect()
    }

    /// Refuses changes that a published field does not allow. Retires options that the input leaves out.
    fn keep(&self, old: &Field, new: &mut Field, pointer: &str) {
        if new.required && !old.required {
            self.in_use.push(
                format!("{pointer}/required"),
                code::MADE_REQUIRED,
                "an optional field cannot become required once the form is published",
            );
        }
        new.kind.replace(&old.kind, pointer, &self.in_use);
    }

    /// A new field of a type that a form has once, when the form has one under another key, retired or about to be.
    fn check_single(&self, new: &Field, pointer: &str) {
        let field_type = new.kind.field_type();
        let same = |old: &&Field| old.kind.field_type() == field_type;
        if field_type.is_single()
            && let Some(old) = self.form.fields.iter().find(same)
        {
            let (name, old) = (field_type.as_str(), old.key.as_str());
            let detail = format!("the published form has its field of type {name}: {old}");
            let pointer = format!("{pointer}/type");
            self.in_use.push(pointer, code::DUPLICATE, detail);
        }
    }
}
