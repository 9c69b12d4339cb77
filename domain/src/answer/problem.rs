//! What is wrong with a submission, field by field.

use serde::Serialize;

use crate::form::{Field, MAX_OPTIONS};
use crate::invalid::{MAX_PROBLEMS, code};

/// A problem shows at most this many characters of what was sent.
const MAX_SHOWN_CHARS: usize = 100;

/// One thing wrong with a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldProblem {
    /// The field's key; of a key that the form has not, at most 100 characters; `""` means the answers as a whole.
    pub key: String,
    /// One of [`crate::invalid::code`].
    pub code: &'static str,
    /// A sentence for the person who answers.
    pub detail: String,
}

/// The problems of one submission, at most [`MAX_PROBLEMS`].
#[derive(Default)]
pub(super) struct FieldProblems(Vec<FieldProblem>);

impl FieldProblems {
    /// The detail is written only if the problem is kept.
    pub(super) fn push(&mut self, key: &str, code: &'static str, detail: impl FnOnce() -> String) {
        if !self.is_full() {
            self.0.push(FieldProblem {
                key: key.to_owned(),
                code,
                detail: detail(),
            });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_vec(self) -> Vec<FieldProblem> {
        self.0
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= MAX_PROBLEMS
    }

    pub(super) fn wrong_type(&mut self, field: &Field, detail: &str) {
        self.push(field.key.as_str(), code::WRONG_TYPE, || detail.to_owned());
    }

    pub(super) fn too_many(&mut self, field: &Field) {
        self.push(field.key.as_str(), code::TOO_MANY, || {
            format!("This takes at most {MAX_OPTIONS} choices.")
        });
    }

    pub(super) fn not_offered(&mut self, field: &Field, value: &str) {
        self.push(field.key.as_str(), code::NOT_OFFERED, || {
            format!("`{}` is not one of the choices.", shown(value))
        });
    }
}

/// The beginning of what was sent, with U+FFFD for control characters.
pub(super) fn shown(text: &str) -> String {
    text.chars()
        .take(MAX_SHOWN_CHARS)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
