//! Pages without questions: thanks, and what is said where no form can be shown.

use askama::Template;
use axum::http::StatusCode;
use domain::form::{FormContent, FormLink};
use uuid::Uuid;

use super::form::{Reader, lang, questions};
use super::page::{Frame, HtmlPage, Prepared};

/// After an answer was stored, in the form's words if it has any. On a kiosk's large screen the form comes back for whoever is next.
pub fn thanks(f: Frame<'_>, form: &FormContent, reader: Reader, token: &str) -> HtmlPage {
    MessagePage {
        is_trial: reader == Reader::Owner,
        is_kiosk: reader == Reader::Kiosk,
        good: true,
        about: &form.title,
        lang: lang(form),
        own_text: form.thanks.as_deref(),
        links: &form.links,
        ..MessagePage::new(f, CHECK, "public-thanks")
    }
    .page(token)
}

/// After somebody opted out. `title` is the form's.
pub fn stopped(f: Frame<'_>, title: &str) -> HtmlPage {
    MessagePage {
        about: title,
        good: true,
        ..MessagePage::new(f, CHECK, "public-stop")
    }
    .page("")
}

/// After somebody wanted to opt out whose phone is not known any more.
pub fn not_stopped(f: Frame<'_>) -> HtmlPage {
    MessagePage::new(f, EXCLAMATION, "public-unstopped").page("")
}

/// For a token that opens no link.
pub fn not_found(f: Frame<'_>) -> HtmlPage {
    MessagePage::new(f, LENS, "public-nothing").page("")
}

/// For a link that is deleted, expired or used up. Whoever got it in a message can still get no more.
pub fn gone(f: Frame<'_>, reader: Reader, token: &str) -> HtmlPage {
    MessagePage {
        stops: reader == Reader::Recipient,
        ..MessagePage::new(f, CLOCK, "public-closed")
    }
    .page(token)
}

/// The same after a submission: with all that was `typed`, so that it can be copied. A page of at most so many bytes.
///
/// # Errors
/// So many bytes it has, which are more.
pub fn form_closed(
    f: Frame<'_>,
    form: &FormContent,
    typed: &[(String, String)],
    most: usize,
) -> Result<Prepared, usize> {
    let questions = questions(f.t, form, typed, &[]);
    let answers = questions
        .iter()
        .map(|question| (question.label, question.answer()));
    let page = MessagePage {
        about: &form.title,
        lang: lang(form),
        answers: answers.filter(|(_, answer)| !answer.is_empty()).collect(),
        ..MessagePage::new(f, CLOCK, "public-late")
    };
    Prepared::draw(&page, most)
}

/// For a submission that could not be taken, nor its form shown: keeps all that was sent, to be sent again. A page of at most so
/// many bytes.
///
/// # Errors
/// So many bytes it has, which are more.
pub fn send_again(f: Frame<'_>, sent: &[(String, String)], most: usize) -> Result<Prepared, usize> {
    let page = MessagePage {
        kept: sent,
        ..MessagePage::new(f, EXCLAMATION, "public-kept")
    };
    Prepared::draw(&page, most)
}

/// For any other failure.
pub fn trouble(f: Frame<'_>, status: StatusCode) -> HtmlPage {
    let name = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "public-large",
        StatusCode::TOO_MANY_REQUESTS => "public-many",
        status if status.is_client_error() => "public-unread",
        _ => "public-broken",
    };
    MessagePage::new(f, EXCLAMATION, name).page("")
}

// Drawn in a square of 24.
const CHECK: &str = "M5 13l4.5 4.5L19 7.5";
const LENS: &str = "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zm5 11.5L20 20";
const CLOCK: &str = "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zm0 4.5V12l3 2";
const EXCLAMATION: &str = "M12 4v10m0 5v.01";

#[derive(Template)]
#[template(path = "message.html", whitespace = "minimize")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "what a page has, each by itself"
)]
struct MessagePage<'a> {
    f: Frame<'a>,
    /// The path of a drawing.
    mark: &'static str,
    /// All went well, and the page is below the link's.
    good: bool,
    /// Nothing was stored.
    is_trial: bool,
    /// On a large screen the form comes back by itself.
    is_kiosk: bool,
    /// It offers to get no more messages.
    stops: bool,
    /// The form's title, where it is known.
    about: &'a str,
    /// The language of the form's texts; empty where nobody said it.
    lang: &'a str,
    heading: String,
    text: String,
    /// What the form says instead of the text.
    own_text: Option<&'a str>,
    /// Of the form.
    links: &'a [FormLink],
    /// What was typed: a question's label and the answer.
    answers: Vec<(&'a str, String)>,
    /// What was sent: names and values.
    kept: &'a [(String, String)],
}

impl<'a> MessagePage<'a> {
    /// `name` is that of its heading; its text is named after it.
    fn new(f: Frame<'a>, mark: &'static str, name: &str) -> Self {
        Self {
            f,
            mark,
            good: false,
            is_trial: false,
            is_kiosk: false,
            stops: false,
            about: "",
            lang: "",
            heading: f.t.get(name),
            text: f.t.of(name, "text"),
            own_text: None,
            links: &[],
            answers: Vec::new(),
            kept: &[],
        }
    }

    fn page(&self, token: &str) -> HtmlPage {
        Prepared::new(self.to_string()).fill(token, Uuid::nil())
    }
}
