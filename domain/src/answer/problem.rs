//! What is wrong with a submission, field by field.

use std::fmt::Display;

use serde::Serialize;

use crate::invalid::MAX_PROBLEMS;

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
    pub(super) fn push(&mut self, key: &str, code: &'static str, detail: impl Display) {
        if !self.is_full() {
            self.0.push(FieldProblem {
                key: key.to_owned(),
                code,
                detail: detail.to_string(),
            });
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn into_vec(self) -> Vec<FieldProblem> {
        self.0
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= MAX_PROBLEMS
    }
}

/// The beginning of what was sent, with U+FFFD for control characters.
pub(super) fn shown(text: &str) -> String {
    text.chars()
        .take(MAX_SHOWN_CHARS)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
