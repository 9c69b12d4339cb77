//! What a list of feedbacks is searched for: grades, answers, and words of comments.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::answer::{AnswerMatch, GradeRange};
use domain::form::{Field, FieldKind, FieldType, FormContent};
use store::report::AnswerFilter;
use utoipa::IntoParams;

use api_http::{Parameters, Problem, Result};

const MAX_CHARS: usize = 200;
const MAX_ANSWERS: usize = 20;

/// What the answers must be.
#[derive(Clone, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AnswerQuery {
    /// Only those whose comment has each of these words, whatever their case.
    #[param(required = false, nullable = false, value_type = String, min_length = 1, max_length = 200, pattern = "^[^\\u0000]*$")]
    q: Vec<String>,
    /// Only those with one of these answers, such as `0-6` or `10`.
    #[param(required = false, nullable = false, value_type = String, pattern = "^(0(-([0-9]|10))?|1(-([1-9]|10))?|2(-([2-9]|10))?|3(-([3-9]|10))?|4(-([4-9]|10))?|5(-([5-9]|10))?|6(-([6-9]|10))?|7(-([7-9]|10))?|8(-([8-9]|10))?|9(-(9|10))?|10(-10)?)$")]
    nps: Option<(u8, u8)>,
    /// Only those with one of these answers, such as `4-5`.
    #[param(required = false, nullable = false, value_type = String, pattern = "^(1(-[1-5])?|2(-[2-5])?|3(-[3-5])?|4(-[4-5])?|5(-5)?)$")]
    happiness: Option<(u8, u8)>,
    /// Only those with this answer, `<key>=<value>`: a grade, or an option, maybe chosen among others; `<key>` alone: any answer.
    /// Repeated, all of them. At most 20.
    #[param(required = false, nullable = false, max_items = 20, style = Form, explode, value_type = Option<Vec<String>>,
            pattern = "^[a-z][a-z0-9_]{0,39}(=[^\\u0000]*)?$")]
    answer: Vec<String>,
}

impl AnswerQuery {
    /// Of the texts of its parameters.
    ///
    /// # Errors
    /// 400 `invalid_parameter`.
    pub fn parse(
        q: Option<&str>,
        nps: Option<&str>,
        happiness: Option<&str>,
        answer: Vec<String>,
    ) -> Result<Self> {
        if q.is_some_and(|q| q.is_empty() || q.contains('\0') || q.chars().nth(MAX_CHARS).is_some())
        {
            let detail = "q has 1 to 200 characters";
            return Err(Problem::invalid_parameter(detail));
        }
        let grades = |name, text: Option<&str>, lowest, highest| {
            let read = text.map(|text| read(text, lowest, highest).ok_or(()));
            let wrong =
                |()| Problem::invalid_parameter(format!("{name} is no grade or range of grades"));
            read.transpose().map_err(wrong)
        };
        if answer.len() > MAX_ANSWERS {
            return Err(Problem::invalid_parameter("answer is given too often"));
        }
        Ok(Self {
            answer,
            q: q.into_iter()
                .flat_map(str::split_whitespace)
                .map(ToOwned::to_owned)
                .collect(),
            nps: grades("nps", nps, 0, 10)?,
            happiness: grades("happiness", happiness, 1, 5)?,
        })
    }

    /// Of a form's list. With texts words may also stand in short texts, and in those beside options.
    ///
    /// # Errors
    /// 400 `invalid_parameter`: the form has no such answer.
    pub fn filter(self, form: &FormContent, with_texts: bool) -> Result<AnswerFilter> {
        let fields = form.fields.iter();
        let searched = fields.filter(|field| with_texts || field.kind == FieldKind::Comment);
        let keys = searched.filter_map(Field::written_name);
        let range = |kind, grades: Option<(u8, u8)>| {
            grades.map(|grades| GradeRange::new(form, kind, grades))
        };
        let answer = |text: &String| {
            let detail = "answer is no `<key>=<value>` that the form has";
            let read = AnswerMatch::read(form, text);
            read.ok_or_else(|| Problem::invalid_parameter(detail))
        };
        Ok(AnswerFilter {
            nps: range(FieldType::Nps, self.nps),
            happiness: range(FieldType::Happiness, self.happiness),
            answers: self.answer.iter().map(answer).collect::<Result<_>>()?,
            any_of: Vec::new(),
            words: self.q,
            word_keys: keys.collect(),
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AnswerQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let parameters = Parameters::from_request_parts(parts, state).await?;
        let [q, nps, happiness] = ["q", "nps", "happiness"].map(|name| parameters.one(name));
        let answer = parameters.all("answer").map(ToOwned::to_owned);
        Self::parse(q?, nps?, happiness?, answer.collect())
    }
}

/// A grade, or two with a hyphen between them, the lower one first.
fn read(text: &str, lowest: u8, highest: u8) -> Option<(u8, u8)> {
    let grade = |text: &str| {
        let grade: u8 = text.parse().ok()?;
        (lowest <= grade && grade <= highest && grade.to_string() == text).then_some(grade)
    };
    let (one, other) = text.split_once('-').unwrap_or((text, text));
    let (one, other) = (grade(one)?, grade(other)?);
    (one <= other).then_some((one, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_are_one_or_a_range() {
        assert_eq!(read("0-6", 0, 10), Some((0, 6)));
        assert_eq!(read("10", 0, 10), Some((10, 10)));
        assert_eq!(read("4-5", 1, 5), Some((4, 5)));
        for text in [
            "", "-", "11", "0-11", "1-2-3", "01", "+1", " 1", "a", "6-", "6-0",
        ] {
            assert_eq!(read(text, 0, 10), None, "{text:?}");
        }
        assert_eq!(read("0", 1, 5), None);
    }
}
