//! What a problem is called on the page: a sentence that says what to do.

use domain::form::{AnswerShape, Field};
use domain::invalid::{Invalid, code};

const CHOOSE: &str = "Please choose one of the answers shown.";

/// What to do about a problem of `field`, where `typed` is what came under its key.
pub(super) fn advice(problem: &Invalid, field: &Field, typed: &str) -> String {
    let (missing, wrong) = match field.kind.shape() {
        AnswerShape::Grade(grades) => (
            "Please choose an answer.",
            format!("Please choose from {grades}."),
        ),
        AnswerShape::One(_) => ("Please choose an answer.", CHOOSE.to_owned()),
        AnswerShape::Many(_) => ("Please choose at least one answer.", CHOOSE.to_owned()),
        AnswerShape::Text { max_chars } if problem.code == code::TOO_LONG => {
            return too_long(max_chars, typed);
        }
        AnswerShape::Text { .. } => ("Please write an answer.", problem.detail.clone()),
    };
    match problem.code {
        code::MISSING | code::BLANK => missing.to_owned(),
        code::CONTROL_CHARACTER => {
            "This holds a character that cannot be stored. Please type it again.".to_owned()
        }
        _ => wrong,
    }
}

/// What is said about a problem of no question on the page.
pub(super) fn general(problem: &Invalid) -> &'static str {
    match problem.code {
        code::MISSING => "Nothing is answered yet. Please answer at least one question.",
        _ => {
            "The form has changed since you opened it. Please check your answers and send them again."
        }
    }
}

fn too_long(most: usize, typed: &str) -> String {
    // A line break comes as two characters and is one.
    let over = (typed.chars().count() - typed.matches("\r\n").count()).saturating_sub(most);
    let noun = if over == 1 { "character" } else { "characters" };
    let (over, most) = (in_words(over), in_words(most));
    format!("Please shorten this by {over} {noun}. It can have at most {most}.")
}

/// A number as it is written in English: 10,000.
pub(super) fn in_words(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}
