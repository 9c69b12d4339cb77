//! From a draft to the content of a form: ids are given here, and what a published form keeps is judged here.

use std::collections::{HashMap, HashSet};

use super::draft::{DraftBusProp, DraftField};
use super::{
    BusPropEntry, ChoiceOption, Field, FieldKind, FormContent, FormDraft, MAX_BUS_PROPS,
    MAX_FIELDS, MAX_OPTIONS,
};
use crate::invalid::{Invalid, Problems, code};

/// Why a form cannot be replaced by a draft. Never without a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditRefused {
    /// The draft does not fit the form in any status.
    Invalid(Vec<Invalid>),
    /// The draft would change what links, answers and reports of the published form rest on.
    InUse(Vec<Invalid>),
}

impl FormContent {
    /// The content of a new form.
    ///
    /// # Errors
    /// A `bus_prop_id`: a new form has given none yet.
    pub fn new(draft: FormDraft) -> Result<Self, Vec<Invalid>> {
        let empty = FormContent {
            title: String::new(),
            bus_props: Vec::new(),
            fields: Vec::new(),
            last_bus_prop_id: 0,
        };
        empty
            .replaced_by(draft, false)
            .map_err(|(EditRefused::Invalid(problems) | EditRefused::InUse(problems))| problems)
    }

    /// This form with everything replaced by the draft. Business properties match by `bus_prop_id`, else by text;
    /// fields by key; options by value. What is left out is retired if the form is published, and gone if not; what is
    /// put back comes alive again.
    pub fn replaced_by(
        &self,
        draft: FormDraft,
        published: bool,
    ) -> Result<FormContent, EditRefused> {
        let mut edit = Edit {
            form: self,
            published,
            invalid: Problems::default(),
            in_use: Problems::default(),
        };
        let (bus_props, last_bus_prop_id) = edit.bus_props(draft.bus_props);
        let fields = edit.fields(draft.fields);
        if !edit.invalid.is_empty() {
            return Err(EditRefused::Invalid(edit.invalid.into_vec()));
        }
        if !edit.in_use.is_empty() {
            return Err(EditRefused::InUse(edit.in_use.into_vec()));
        }
        Ok(FormContent {
            title: draft.title,
            bus_props,
            fields,
            last_bus_prop_id,
        })
    }
}

struct Edit<'a> {
    form: &'a FormContent,
    published: bool,
    invalid: Problems,
    in_use: Problems,
}

impl Edit<'_> {
    /// The new list and the highest id ever given.
    fn bus_props(&mut self, drafts: Vec<DraftBusProp>) -> (Vec<BusPropEntry>, u32) {
        let by_id: HashMap<u32, &BusPropEntry> = self
            .form
            .bus_props
            .iter()
            .map(|entry| (entry.id, entry))
            .collect();
        // A text means the entry that has it, unless the draft names that entry by its id.
        let named: HashSet<u32> = drafts.iter().filter_map(|draft| draft.id).collect();
        let by_text: HashMap<&str, u32> = self
            .form
            .bus_props
            .iter()
            .filter(|entry| !named.contains(&entry.id))
            .map(|entry| (entry.text.as_str(), entry.id))
            .collect();
        let mut last = self.form.last_bus_prop_id;
        let mut entries = Vec::with_capacity(drafts.len());
        for draft in drafts {
            if let Some(id) = draft.id {
                self.check_named(&draft, by_id.get(&id).copied());
            }
            let known = draft
                .id
                .or_else(|| by_text.get(draft.text.as_str()).copied());
            let id = known.or_else(|| {
                last = last.checked_add(1)?;
                Some(last)
            });
            let Some(id) = id else {
                self.invalid.push(
                    draft.pointer,
                    code::TOO_MANY,
                    "the form has given all its ids",
                );
                continue;
            };
            entries.push(BusPropEntry {
                id,
                text: draft.text,
                retired: false,
            });
        }
        if self.published {
            let kept: HashSet<u32> = entries.iter().map(|entry| entry.id).collect();
            let left_out = self
                .form
                .bus_props
                .iter()
                .filter(|entry| !kept.contains(&entry.id));
            entries.extend(left_out.map(|entry| BusPropEntry {
                retired: true,
                ..entry.clone()
            }));
            self.check_total("/bus_props", entries.len(), MAX_BUS_PROPS);
        }
        (entries, last)
    }

    /// An entry that the draft names by its id.
    fn check_named(&mut self, draft: &DraftBusProp, old: Option<&BusPropEntry>) {
        match old {
            None => self.invalid.push(
                format!("{}/bus_prop_id", draft.pointer),
                code::UNKNOWN_ID,
                "the form has no such bus_prop_id",
            ),
            Some(old) if self.published && old.text != draft.text => self.in_use.push(
                format!("{}/bus_prop", draft.pointer),
                code::BUS_PROP_CHANGED,
                "the text of a bus_prop_id cannot change once the form is published",
            ),
            Some(_) => {}
        }
    }

    fn fields(&mut self, drafts: Vec<DraftField>) -> Vec<Field> {
        if !self.published {
            return drafts.into_iter().map(|draft| draft.field).collect();
        }
        let mut fields = Vec::with_capacity(drafts.len());
        for DraftField { pointer, mut field } in drafts {
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
        self.check_total("/fields", fields.len(), MAX_FIELDS);
        fields
    }

    /// Refuses what a published field cannot become. Its options keep their numbers; those that the draft leaves out
    /// are retired.
    fn keep(&mut self, old: &Field, new: &mut Field, pointer: &str) {
        if new.required && !old.required {
            self.in_use.push(
                format!("{pointer}/required"),
                code::MADE_REQUIRED,
                "an optional field cannot become required once the form is published",
            );
        }
        match (&old.kind, &mut new.kind) {
            (FieldKind::Rating { scale: old }, FieldKind::Rating { scale: new }) if old != new => {
                self.in_use.push(
                    format!("{pointer}/scale"),
                    code::SCALE_CHANGED,
                    format!("the scale stays {old} once the form is published"),
                );
            }
            (FieldKind::Choice { options: old }, FieldKind::Choice { options: new })
            | (FieldKind::Choices { options: old }, FieldKind::Choices { options: new }) => {
                keep_options(old, new);
                self.check_total(&format!("{pointer}/options"), new.len(), MAX_OPTIONS);
            }
            (old, new) if old.type_name() != new.type_name() => self.in_use.push(
                format!("{pointer}/type"),
                code::TYPE_CHANGED,
                format!(
                    "the type stays {} once the form is published",
                    old.type_name()
                ),
            ),
            _ => {}
        }
    }

    /// A new field of a type that a form has once, when the form has one under another key, retired or about to be.
    fn check_single(&mut self, new: &Field, pointer: &str) {
        let same = |old: &&Field| old.kind.type_name() == new.kind.type_name();
        if new.kind.is_single()
            && let Some(old) = self.form.fields.iter().find(same)
        {
            self.in_use.push(
                format!("{pointer}/type"),
                code::DUPLICATE,
                format!(
                    "the published form has its field of type {}: {}",
                    old.kind.type_name(),
                    old.key
                ),
            );
        }
    }

    /// The limits count what is retired, so that a form cannot grow without end.
    fn check_total(&mut self, pointer: &str, total: usize, max: usize) {
        if total > max {
            self.in_use.push(
                pointer,
                code::TOO_MANY,
                format!("{total} with the retired ones; at most {max} are kept"),
            );
        }
    }
}

/// Counts name options by their numbers, so those of a published field never change hands.
fn keep_options(old: &[ChoiceOption], new: &mut Vec<ChoiceOption>) {
    let mut free = old
        .iter()
        .map(|option| option.number)
        .max()
        .map_or(0, |last| last.saturating_add(1));
    for option in new.iter_mut() {
        if let Some(known) = old.iter().find(|known| known.value == option.value) {
            option.number = known.number;
        } else {
            option.number = free;
            free = free.saturating_add(1);
        }
    }
    for option in old {
        if !new.iter().any(|new| new.value == option.value) {
            new.push(ChoiceOption {
                retired: true,
                ..option.clone()
            });
        }
    }
}
