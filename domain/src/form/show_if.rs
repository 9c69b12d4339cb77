//! When a field is asked: only where one before it has certain answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::key::FieldKey;
use super::kind::{AnswerShape, FieldKind};
use super::limits::MAX_OPTIONS;
use crate::answer::Answers;
use crate::invalid::{Fault, code};
use crate::members::Members;

/// The field is asked only where an earlier one is answered with one of some values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShowIf {
    // The key of an earlier field that is answered by a value.
    pub key: FieldKey,
    /// Grades, or values of options.
    #[serde(rename = "in")]
    pub values: Vec<Value>,
}

impl ShowIf {
    /// Reads the member `show_if` of a field that has these before it, by their keys.
    pub(super) fn parse<'f>(
        field: &Members,
        mut before: impl Iterator<Item = (&'f FieldKey, &'f FieldKind)>,
    ) -> Option<Self> {
        let show_if = field.member("show_if")?;
        let key = show_if.parsed("key", FieldKey::parse);
        let values = show_if.require("in");
        let entries = show_if.list("in", MAX_OPTIONS);
        show_if.no_others(&[]);
        let (key, _, entries) = (key?, values?, entries?);
        let Some((_, kind)) = before.find(|(of, _)| **of == key) else {
            show_if.note("key", code::UNKNOWN_KEY, "no field before has this key");
            return None;
        };
        let mut values = Vec::new();
        for (pointer, value) in entries {
            match check(kind, value) {
                Ok(()) => values.push(value.clone()),
                Err(fault) => show_if.problems.push(pointer, fault.code, fault.detail),
            }
        }
        if values.is_empty() {
            show_if.note("in", code::MISSING, "at least one value is needed");
        }
        Some(Self { key, values })
    }

    /// Whether the answers of the fields before make this field asked.
    pub fn holds(&self, answers: &Answers) -> bool {
        let given = answers.get(self.key.as_str());
        given.is_some_and(|given| match serde_json::json!(given) {
            Value::Array(chosen) => chosen.iter().any(|value| self.values.contains(value)),
            value => self.values.contains(&value),
        })
    }
}

/// Whether a field is answered by one of its values rather than by free text.
fn check(kind: &FieldKind, value: &Value) -> Result<(), Fault> {
    match kind.shape() {
        AnswerShape::Grade(grades) => match grades.read(value) {
            Ok(_) => Ok(()),
            Err(code) => Err(Fault::new(
                code,
                format!("not a whole number from {grades}"),
            )),
        },
        AnswerShape::One(options) | AnswerShape::Many(options) => {
            let offered = options.iter().any(|option| *value == option.value);
            let detail = "not the value of an option";
            offered
                .then_some(())
                .ok_or_else(|| Fault::new(code::NOT_OFFERED, detail))
        }
        AnswerShape::Text { .. } => {
            let detail = "the field with this key is a text";
            Err(Fault::new(code::UNKNOWN_TYPE, detail))
        }
    }
}
