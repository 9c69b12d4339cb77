//! What a problem is called on the page: a sentence that says what to do.

use domain::answer::FieldProblem;
use domain::form::{Field, FieldKind};
use domain::invalid::code;

/// What to do about a problem of `field`, where `typed` is what came under its key.
pub(super) fn advice(problem: &FieldProblem, field: &Field, typed: &str) -> String {
    let most = field.kind.max_chars();
    match (problem.code, most) {
        (code::MISSING | code::BLANK, Some(_)) => "Please write an answer.".to_owned(),
        (code::MISSING | code::BLANK, None) => match field.kind {
            FieldKind::Choices { .. } => "Please choose at least one answer.".to_owned(),
            _ => "Please choose an answer.".to_owned(),
        },
        (code::TOO_LONG, Some(most)) => too_long(most, typed),
        (code::CONTROL_CHARACTER, _) => {
            "This holds a character that cannot be stored. Please type it again.".to_owned()
        }
        (_, None) => "Please choose one of the answers shown.".to_owned(),
        _ => problem.detail.clone(),
    }
}

/// What is said about a problem of no question on the page.
pub(super) fn general(problem: &FieldProblem) -> &'static str {
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
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
