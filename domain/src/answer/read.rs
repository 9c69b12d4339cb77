//! From a submission to [`Answers`], or to the list of its problems.

use std::collections::HashMap;

use serde_json::Value;

use super::{AnswerValue, Answers, FieldProblem};
use crate::form::{Field, FieldKind, FormContent};
use crate::invalid::{MAX_PROBLEMS, code, whole_number};

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

fn from_value(field: &Field, value: &Value, problems: &mut FieldProblems) -> Option<AnswerValue> {
    match &field.kind {
        FieldKind::Nps | FieldKind::Happiness | FieldKind::Rating { .. } => {
            grade(field, value, problems)
        }
        FieldKind::Choice { .. } => match value {
            Value::String(text) => choice(field, text, problems),
            _ => problems.wrong_type(field, "This is not a string."),
        },
        FieldKind::Choices { .. } => {
            let texts = value
                .as_array()
                .and_then(|values| values.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
            match texts {
                Some(texts) => choices(field, &texts, problems),
                None => problems.wrong_type(field, "This is not an array of strings."),
            }
        }
        FieldKind::Text | FieldKind::Comment => match value {
            Value::String(given) => text(field, given, problems),
            _ => problems.wrong_type(field, "This is not a string."),
        },
    }
}

/// Of the values that the page sent under the field's key, none empty.
fn from_texts(field: &Field, values: &[&str], problems: &mut FieldProblems) -> Option<AnswerValue> {
    if matches!(field.kind, FieldKind::Choices { .. }) {
        return choices(field, values, problems);
    }
    let value = match values {
        [] => return None,
        [value] => *value,
        _ => {
            problems.push(
                field.key.as_str(),
                code::DUPLICATE,
                "This was answered more than once.",
            );
            return None;
        }
    };
    match &field.kind {
        FieldKind::Choice { .. } | FieldKind::Choices { .. } => choice(field, value, problems),
        FieldKind::Text | FieldKind::Comment => text(field, value, problems),
        FieldKind::Nps | FieldKind::Happiness | FieldKind::Rating { .. } => {
            // In plain digits a grade is the same in JSON; `5.0`, `+5`, `05` and ` 5` are none.
            let digits = value.bytes().all(|byte| byte.is_ascii_digit());
            let number = serde_json::from_str(value).ok().filter(|_| digits);
            grade(field, &number.unwrap_or(Value::Null), problems)
        }
    }
}

fn grade(field: &Field, value: &Value, problems: &mut FieldProblems) -> Option<AnswerValue> {
    let grades = field.kind.grades()?;
    whole_number(value, grades.clone())
        .map(AnswerValue::Grade)
        .map_err(|code| {
            let detail = format!(
                "This takes a whole number from {} to {}.",
                grades.start(),
                grades.end()
            );
            problems.push(field.key.as_str(), code, detail);
        })
        .ok()
}

fn choice(field: &Field, value: &str, problems: &mut FieldProblems) -> Option<AnswerValue> {
    if !is_offered(field, value) {
        problems.not_offered(field, value);
        return None;
    }
    Some(AnswerValue::Choice(value.to_owned()))
}

fn choices(field: &Field, values: &[&str], problems: &mut FieldProblems) -> Option<AnswerValue> {
    let mut chosen: Vec<String> = Vec::new();
    for value in values {
        if !is_offered(field, value) {
            problems.not_offered(field, value);
        } else if chosen.iter().any(|before| before == value) {
            problems.push(
                field.key.as_str(),
                code::DUPLICATE,
                format!("`{value}` is chosen more than once."),
            );
        } else {
            chosen.push((*value).to_owned());
        }
    }
    (!chosen.is_empty()).then_some(AnswerValue::Choices(chosen))
}

fn is_offered(field: &Field, value: &str) -> bool {
    field.page_options().any(|option| option.value == value)
}

fn text(field: &Field, given: &str, problems: &mut FieldProblems) -> Option<AnswerValue> {
    let max = field.kind.max_chars()?;
    let text = given.replace("\r\n", "\n");
    if text.trim().is_empty() {
        return None;
    }
    let nul = text.contains('\0');
    if nul {
        problems.push(
            field.key.as_str(),
            code::CONTROL_CHARACTER,
            "This holds the character U+0000.",
        );
    }
    let long = text.chars().nth(max).is_some();
    if long {
        problems.push(
            field.key.as_str(),
            code::TOO_LONG,
            format!("This takes at most {max} characters."),
        );
    }
    (!nul && !long).then_some(AnswerValue::Text(text))
}

#[derive(Default)]
struct FieldProblems(Vec<FieldProblem>);

impl FieldProblems {
    fn push(&mut self, key: &str, code: &'static str, detail: impl Into<String>) {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push(FieldProblem {
                key: key.to_owned(),
                code,
                detail: detail.into(),
            });
        }
    }

    fn wrong_type(&mut self, field: &Field, detail: &str) -> Option<AnswerValue> {
        self.push(field.key.as_str(), code::WRONG_TYPE, detail);
        None
    }

    fn not_offered(&mut self, field: &Field, value: &str) {
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
