//! The form: empty, made once for all its readers, or again with what was typed.

use api_language::Text;
use askama::Template;
use domain::form::{Field, FormContent};
use domain::invalid::Invalid;

use super::page::{Frame, HtmlPage, Prepared};
use super::question::{Control, Question, Typed};
use super::wording;

/// Who is to open a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reader {
    Anybody,
    /// Many, on one device or each on their own.
    Kiosk,
    /// Whoever got a message with the link, and may want no more of them.
    Recipient,
    /// Whoever tries the form.
    Owner,
}

/// A form's empty page of at most so many bytes, rendered once for all links and visits; to be made anew when the form is edited.
///
/// # Errors
/// So many bytes it has, which are more.
pub fn prepare(
    f: Frame<'_>,
    form: &FormContent,
    reader: Reader,
    most: usize,
) -> Result<Prepared, usize> {
    let page = PublicFormPage {
        f,
        form,
        summary: None,
        questions: &questions(f.t, form, &[], &[]),
        reader,
    };
    Prepared::draw(&page, most)
}

/// The page of a form that has no link, to be looked at in a frame of another page of the service, with these answers: pairs of
/// field key and text.
pub fn preview(f: Frame<'_>, form: &FormContent, typed: &[(String, String)]) -> HtmlPage {
    let page = PublicFormPage {
        f,
        form,
        summary: None,
        questions: &questions(f.t, form, typed, &[]),
        reader: Reader::Anybody,
    };
    Prepared::new(page.to_string()).preview()
}

/// Why a form is shown again.
#[derive(Clone, Copy, Debug)]
pub enum FormNotice<'a> {
    /// The answers are not valid.
    Invalid(&'a [Invalid]),
    /// A limit was met.
    TooMany,
    /// The address has given the link enough for an hour.
    Enough,
    /// Something needed is down.
    Unavailable,
}

/// The form with all that was `typed`, as pairs of field key and text in the order they came, and what is wrong: a page of at most
/// so many bytes.
///
/// # Errors
/// So many bytes it has, which are more.
pub fn form_again(
    f: Frame<'_>,
    form: &FormContent,
    reader: Reader,
    typed: &[(String, String)],
    why: FormNotice<'_>,
    most: usize,
) -> Result<Prepared, usize> {
    let (problems, name) = match why {
        FormNotice::Invalid(problems) => (problems, "public-check"),
        FormNotice::TooMany => ([].as_slice(), "public-busy"),
        FormNotice::Enough => ([].as_slice(), "public-enough"),
        FormNotice::Unavailable => ([].as_slice(), "public-unsaved"),
    };
    let questions = questions(f.t, form, typed, problems);
    let on_page = |problem: &&Invalid| {
        let mut questions = questions.iter();
        questions.any(|question| is_of(problem, question.key))
    };
    let general = problems.iter().find(|problem| !on_page(problem));
    let wrong = questions.iter().filter(|question| question.error.is_some());
    let text = match (why, general) {
        (FormNotice::Invalid(_), None) => String::new(),
        (FormNotice::Invalid(_), Some(problem)) => wording::general(f.t, problem),
        (FormNotice::TooMany | FormNotice::Enough | FormNotice::Unavailable, _) => {
            f.t.of(name, "text")
        }
    };
    let summary = Summary {
        heading: f.t.get(name),
        text,
        wrong: wrong.collect(),
    };
    let page = PublicFormPage {
        f,
        form,
        summary: Some(summary),
        questions: &questions,
        reader,
    };
    Prepared::draw(&page, most)
}

/// The language of the form's texts, as in the attribute `lang`; empty where nobody said it.
pub(super) fn lang(form: &FormContent) -> &str {
    form.language.as_deref().unwrap_or_default()
}

/// The questions of a form's page, each with what was typed under its key.
pub(super) fn questions<'a>(
    t: &Text,
    form: &'a FormContent,
    typed: &'a [(String, String)],
    problems: &[Invalid],
) -> Vec<Question<'a>> {
    let question = |field: &'a Field| {
        let key = field.key.as_str();
        let under = |key: &str| {
            let typed = typed.iter().filter(move |(name, _)| name == key);
            typed.map(|(_, text)| text.as_str()).collect::<Vec<_>>()
        };
        let typed = Typed {
            values: under(key),
            text: under(&field.key.text_name()).first().copied(),
        };
        let problem = problems.iter().find(|problem| is_of(problem, key));
        let error = problem.map(|problem| wording::advice(t, problem, field, &typed));
        Question::new(t, field, &typed, error)
    };
    form.page_fields().map(question).collect()
}

/// Whether it is a problem of the field with this key.
fn is_of(problem: &Invalid, key: &str) -> bool {
    problem.pointer.strip_prefix('/') == Some(key)
}

#[derive(Template)]
#[template(path = "form.html", whitespace = "minimize")]
struct PublicFormPage<'a> {
    f: Frame<'a>,
    form: &'a FormContent,
    summary: Option<Summary<'a>>,
    questions: &'a [Question<'a>],
    reader: Reader,
}

/// What stands above the form when it is shown again. It takes the focus.
struct Summary<'a> {
    heading: String,
    text: String,
    /// The questions that have a problem.
    wrong: Vec<&'a Question<'a>>,
}
