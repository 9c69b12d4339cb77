//! Pages without questions: thanks, and what is said where no form can be shown.

use askama::Template;
use axum::http::StatusCode;
use domain::form::FormContent;
use uuid::Uuid;

use super::form::questions;
use super::page::{Page, Prepared};

/// After an answer was stored. `title` is the form's.
pub fn thanks(title: &str) -> Page {
    good(
        title,
        "Thank you",
        "Your feedback has arrived. You can close this page now.",
    )
}

/// After somebody opted out. `title` is the form's.
pub fn stopped(title: &str) -> Page {
    good(
        title,
        "No more messages",
        "You will get no more messages from this sender. You can close this page now.",
    )
}

fn good(title: &str, heading: &'static str, text: &'static str) -> Page {
    Message {
        about: title,
        good: true,
        ..Message::new(CHECK, heading, text)
    }
    .page()
}

/// For a token that opens no link.
pub fn not_found() -> Page {
    let text = "The link may be incomplete. Please check that you have all of it, or ask whoever sent it to you.";
    Message::new(LENS, "There is no form here", text).page()
}

/// For a link that is deleted, expired or used up.
pub fn gone() -> Page {
    Message::new(
        CLOCK,
        CLOSED,
        "It takes no more answers. Thank you for your time.",
    )
    .page()
}

/// The same after a submission: with all that was `typed`, so that it can be copied.
pub fn form_closed(form: &FormContent, typed: &[(String, String)]) -> Page {
    let questions = questions(form, typed, &[]);
    let answers = questions
        .iter()
        .map(|question| (question.label, question.answer()));
    Message {
        about: &form.title,
        answers: answers.filter(|(_, answer)| !answer.is_empty()).collect(),
        ..Message::new(
            CLOCK,
            CLOSED,
            "It closed before your answers arrived, and they were not saved. They are below, in case you want to copy them.",
        )
    }
    .page()
}

/// For a submission that could not be taken, nor its form shown: keeps all that was sent, to be sent again.
pub fn send_again(token: &str, sent: &[(String, String)]) -> Page {
    let message = Message {
        kept: sent,
        ..Message::new(
            EXCLAMATION,
            "Your answers are not sent yet",
            "We could not take them just now. They are kept on this page: please wait a moment and send them again.",
        )
    };
    Prepared::new(&message.to_string()).fill(token, Uuid::nil())
}

/// For any other failure.
pub fn trouble(status: StatusCode) -> Page {
    let (heading, text) = match status {
        StatusCode::PAYLOAD_TOO_LARGE => (
            "That is too much to send",
            "Please go back, shorten your answers and send them again.",
        ),
        StatusCode::TOO_MANY_REQUESTS => (
            "Please wait a moment",
            "There are too many requests right now. Please try again in a few seconds.",
        ),
        status if status.is_client_error() => (
            "We could not read that",
            "Please open the link again and fill in the form there.",
        ),
        _ => (
            "Something went wrong on our side",
            "Please try again in a few minutes.",
        ),
    };
    Message::new(EXCLAMATION, heading, text).page()
}

const CLOSED: &str = "This form is closed";

// Drawn in a square of 24.
const CHECK: &str = "M5 13l4.5 4.5L19 7.5";
const LENS: &str = "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zm5 11.5L20 20";
const CLOCK: &str = "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 4.5V12l3 2";
const EXCLAMATION: &str = "M12 4v10m0 5v.01";

#[derive(Template)]
#[template(path = "message.html", whitespace = "minimize")]
struct Message<'a> {
    /// The path of a drawing.
    mark: &'static str,
    good: bool,
    /// The form's title, where it is known.
    about: &'a str,
    heading: &'static str,
    text: &'static str,
    /// What was typed: a question's label and the answer.
    answers: Vec<(&'a str, String)>,
    /// What was sent: names and values.
    kept: &'a [(String, String)],
}

impl Message<'_> {
    fn new(mark: &'static str, heading: &'static str, text: &'static str) -> Self {
        Self {
            mark,
            good: false,
            about: "",
            heading,
            text,
            answers: Vec::new(),
            kept: &[],
        }
    }

    fn page(&self) -> Page {
        Prepared::new(&self.to_string()).fill("", Uuid::nil())
    }
}
