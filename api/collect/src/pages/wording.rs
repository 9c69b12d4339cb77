//! What a problem is called on the page: a sentence that says what to do.

use api_language::Text;
use domain::form::{AnswerShape, Field, MAX_OTHER_CHARS};
use domain::invalid::{Invalid, code};

use super::question::Typed;

/// What to do about a problem of `field`, where `typed` is what came under its key.
pub(super) fn advice(t: &Text, problem: &Invalid, field: &Field, typed: &Typed<'_>) -> String {
    let is_missing = matches!(problem.code, code::MISSING | code::BLANK);
    if problem.code == code::CONTROL_CHARACTER {
        return t.get("public-character");
    }
    match field.kind.shape() {
        AnswerShape::Many(_) if is_missing => t.get("public-choose-some"),
        AnswerShape::Grade(_) | AnswerShape::One(_) if is_missing => t.get("public-choose"),
        AnswerShape::Grade(grades) => {
            let range = format!("{}–{}", grades.lowest, grades.highest);
            t.with("public-choose-grade", range)
        }
        AnswerShape::One(_) | AnswerShape::Many(_) if problem.code == code::TOO_LONG => {
            too_long(t, MAX_OTHER_CHARS, typed.text.unwrap_or_default())
        }
        AnswerShape::One(_) | AnswerShape::Many(_) => t.get("public-choose-one"),
        AnswerShape::Text { max_chars } if problem.code == code::TOO_LONG => {
            too_long(t, max_chars, typed.first())
        }
        AnswerShape::Text { .. } => t.get("public-write"),
    }
}

/// What is said about a problem of no question on the page.
pub(super) fn general(t: &Text, problem: &Invalid) -> String {
    match problem.code {
        code::MISSING => t.get("public-unanswered"),
        _ => t.get("public-changed"),
    }
}

fn too_long(t: &Text, most: usize, typed: &str) -> String {
    // A line break comes as two characters and is one.
    let over = (typed.chars().count() - typed.matches("\r\n").count()).saturating_sub(most);
    let over = i64::try_from(over).unwrap_or(i64::MAX);
    let most = t.number(i64::try_from(most).unwrap_or(i64::MAX));
    let limit = t.with("public-limit", most);
    format!("{} {limit}", t.count("public-shorten", over))
}
