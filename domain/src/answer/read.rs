//! From a submission to [`Answers`], or to the list of its problems.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde_json::Value;

use super::answers::Answers;
use super::value::{Reader, Response, shown};
use crate::form::{Field, FormContent};
use crate::invalid::{Invalid, Problems, code, member};

impl Answers {
    /// Reads an object of answers by key: a whole number, a string or an array of strings, as the field's type wants
    /// it. An option with which a text may be given is its value, or `{"value", "text"}`. `null`, blank text and an empty array
    /// are no answer.
    ///
    /// # Errors
    /// Everything that is wrong, field by field in the order of the form, then the unknown keys; up to
    /// [`MAX_PROBLEMS`](crate::invalid::MAX_PROBLEMS).
    pub fn from_json(form: &FormContent, answers: &Value) -> Result<Self, Vec<Invalid>> {
        let Value::Object(members) = answers else {
            let problems = Problems::default();
            problems.push("", code::WRONG_TYPE, "The answers are not a JSON object.");
            return Err(problems.into_vec());
        };
        let keys = members.keys().map(String::as_str);
        check(form, keys, |field, is_shown, problems| {
            let value = members.get(field.key.as_str())?;
            let answer = Reader { field, problems }.json(value)?;
            if !is_shown {
                let pointer = format!("/{}", field.key.as_str());
                let detail = "This is not asked beside the other answers.";
                problems.push(pointer, code::HIDDEN, detail);
            }
            Some(answer)
        })
    }

    /// Reads the decoded pairs of a form-encoded body, without those that are no answers (such as `visit`). The text beside an
    /// option comes as `<key>.text`; where nothing else is chosen, it chooses the option, and where another option is, it is none. An empty
    /// value is no answer, nor is one of a field that is not asked beside the others: a page without its script shows all fields,
    /// and a choice cannot be taken back there.
    ///
    /// # Errors
    /// As [`Answers::from_json`].
    pub fn from_pairs(
        form: &FormContent,
        pairs: &[(String, String)],
    ) -> Result<Self, Vec<Invalid>> {
        let mut by_key: IndexMap<&str, Vec<&str>> = IndexMap::new();
        let mut texts: HashMap<&str, &str> = HashMap::new();
        for (key, value) in pairs {
            let of_text = key.strip_suffix(".text").and_then(|key| form.field(key));
            if let Some(field) = of_text.filter(|field| field.text_option().is_some()) {
                texts.insert(field.key.as_str(), value);
                continue;
            }
            let values = by_key.entry(key).or_default();
            if !value.is_empty() {
                values.push(value);
            }
        }
        check(form, by_key.keys().copied(), |field, is_shown, problems| {
            let key = field.key.as_str();
            let values = by_key.get(key).map_or(&[][..], Vec::as_slice);
            let reader = Reader { field, problems };
            is_shown.then(|| reader.texts(values, texts.get(key).copied()))?
        })
    }
}

/// Reads every field of the page, each with whether the answers before it make it asked. Refuses keys that the page does not
/// have.
fn check<'a>(
    form: &FormContent,
    keys: impl Iterator<Item = &'a str>,
    read: impl Fn(&Field, bool, &Problems) -> Option<Response>,
) -> Result<Answers, Vec<Invalid>> {
    let mut answers = Answers::default();
    let problems = Problems::default();
    for field in form.page_fields() {
        let before = problems.len();
        let show_if = field.show_if.as_ref();
        let is_shown = show_if.is_none_or(|show_if| show_if.holds(&answers));
        match read(field, is_shown, &problems) {
            Some(Response { value, text }) => answers.push(field, value, text),
            None if field.required && is_shown && problems.len() == before => {
                let pointer = format!("/{}", field.key.as_str());
                problems.push(pointer, code::MISSING, "This needs an answer.");
            }
            None => {}
        }
    }
    for key in keys {
        if problems.is_full() {
            break;
        }
        let (code, detail) = match form.field(key) {
            Some(field) if field.retired => (code::RETIRED, "The form no longer asks this."),
            Some(_) => continue,
            None => (code::UNKNOWN_KEY, "The form does not ask this."),
        };
        problems.push(member("", &shown(key)), code, detail);
    }
    if problems.len() == 0 && answers.is_empty() {
        problems.push("", code::MISSING, "Nothing is answered.");
    }
    match problems.into_vec() {
        problems if problems.is_empty() => Ok(answers),
        problems => Err(problems),
    }
}
