//! From a submission to [`Answers`], or to the list of its problems.

use std::collections::HashMap;

use serde_json::Value;

use super::value::{from_texts, from_value};
use super::{AnswerValue, Answers, FieldProblem};
use crate::form::{Field, FormContent};
use crate::invalid::{MAX_PROBLEMS, code};

/// A problem shows at most this many characters of what was sent.
const MAX_SHOWN_CHARS: usize = 100;

impl Answers {
    /// Reads an object of answers by key: a whole number, a string or an array of strings, as the field's type wants
    /// it. `null`, blank text and an empty array are no answer.
    ///
    /// # Errors
    /// Everything that is wrong, field by field in the order of the form, then the unknown keys; up to
    /// [`MAX_PROBLEMS`].
    pub fn from_json(form: &FormContent, answers: &Value) -> Result<Self, Vec<FieldProblem>> {
        let Value::Object(given) = answers else {
            return Err(vec![FieldProblem {
                key: String::new(),
                code: code::WRONG_TYPE,
                detail: "The answers are not a JSON object.".to_owned(),
            }]);
        };
        let keys = given.keys().map(String::as_str);
        judge(form, keys, |field, problems| {
            match given.get(field.key.as_str()) {
                None | Some(Value::Null) => None,
                Some(value) => from_value(field, value, problems),
            }
        })
    }

    /// Reads the decoded pairs of a form-encoded body, without those that are no answers (such as `visit`). An empty
    /// value is no answer.
    ///
    /// # Errors
    /// As [`Answers::from_json`].
    pub fn from_pairs(
        form: &FormContent,
        pairs: &[(String, String)],
    ) -> Result<Self, Vec<FieldProblem>> {
        let mut keys = Vec::new();
        let mut given: HashMap<&str, Vec<&str>> = HashMap::new();
        for (key, value) in pairs {
            let values = given.entry(key).or_insert_with(|| {
                keys.push(key.as_str());
                Vec::new()
            });
            if !value.is_empty() {
                values.push(value);
            }
        }
        judge(form, keys.into_iter(), |field, problems| {
            let values = given.get(field.key.as_str())?;
            from_texts(field, values, problems)
        })
    }
}

/// Reads every field that the page has, and refuses every key that it has not.
fn judge<'a>(
    form: &FormContent,
    keys: impl Iterator<Item = &'a str>,
    read: impl Fn(&Field, &mut FieldProblems) -> Option<AnswerValue>,
) -> Result<Answers, Vec<FieldProblem>> {
    let mut answers = Answers::default();
    let mut problems = FieldProblems::default();
    for field in form.page_fields() {
        let before = problems.0.len();
        match read(field, &mut problems) {
            Some(value) => answers.push(field, value),
            None if field.required && problems.0.len() == before => {
                problems.push(field.key.as_str(), code::MISSING, "This needs an answer.");
            }
            None => {}
        }
    }
    for key in keys {
        match form.field(key) {
            Some(field) if field.retired => {
                problems.push(key, code::RETIRED, "The form no longer asks this.");
            }
            Some(_) => {}
            None => problems.push(
                &shown(key),
                code::UNKNOWN_KEY,
                "The form does not ask this.",
            ),
        }
    }
    if problems.0.is_empty() && answers.is_empty() {
        problems.push("", code::MISSING, "Nothing is answered.");
    }
    if problems.0.is_empty() {
        Ok(answers)
    } else {
        Err(problems.0)
    }
}

/// The problems of one submission, at most [`MAX_PROBLEMS`].
#[derive(Default)]
pub(super) struct FieldProblems(Vec<FieldProblem>);

impl FieldProblems {
    pub(super) fn push(&mut self, key: &str, code: &'static str, detail: impl Into<String>) {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push(FieldProblem {
                key: key.to_owned(),
                code,
                detail: detail.into(),
            });
        }
    }

    pub(super) fn wrong_type(&mut self, field: &Field, detail: &str) -> Option<AnswerValue> {
        self.push(field.key.as_str(), code::WRONG_TYPE, detail);
        None
    }

    pub(super) fn not_offered(&mut self, field: &Field, value: &str) {
        let detail = format!("`{}` is not one of the choices.", shown(value));
        self.push(field.key.as_str(), code::NOT_OFFERED, detail);
    }
}

/// The head of what was sent, with U+FFFD for control characters.
fn shown(text: &str) -> String {
    text.chars()
        .take(MAX_SHOWN_CHARS)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
