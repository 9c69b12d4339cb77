//! Feedbacks as lines: CSV, or NDJSON of the items that a page shows.

use bytes::Bytes;
use chrono::SecondsFormat;
use domain::form::{BusProp, FormContent};
use domain::link::BusPropIds;
use store::report::FeedbackRow;

use super::answer::{AnswerRef, Columns};
use super::item::Item;
use api_http::csv_text::{TEXT_CSV, disarm, write_cell};

/// Columns before those of the fields.
const FIRST: &str = "feedback_id,submitted_at,bus_props,track_fields";
/// What a line takes at a guess.
const LINE_BYTES: usize = 256;

/// The kinds of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// A header, then a line a feedback; one column a field of the form as it is when the stream begins.
    Csv,
    /// An object a line.
    Ndjson,
}

impl Lines {
    /// The media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => TEXT_CSV,
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// What comes before the first line.
    pub fn header(self, form: &FormContent) -> Vec<u8> {
        let mut out = Vec::new();
        if self == Self::Csv {
            // None of these names needs quotes.
            out.extend_from_slice(FIRST.as_bytes());
            for field in &form.fields {
                out.push(b',');
                out.extend_from_slice(field.key.as_str().as_bytes());
            }
            out.extend_from_slice(b"\r\n");
        }
        out
    }

    /// The lines of feedbacks, appended to what is there.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn write(
        self,
        form: &FormContent,
        feedbacks: &[FeedbackRow],
        mut out: Vec<u8>,
    ) -> serde_json::Result<Bytes> {
        out.reserve(feedbacks.len() * LINE_BYTES);
        let columns = Columns::new(form);
        match self {
            Self::Csv => write_csv(form, &columns, feedbacks, &mut out)?,
            Self::Ndjson => {
                for feedback in feedbacks {
                    let (item, _) = Item::read(form, &columns, feedback)?;
                    serde_json::to_writer(&mut out, &item)?;
                    out.push(b'\n');
                }
            }
        }
        Ok(Bytes::from(out))
    }
}

fn write_csv(
    form: &FormContent,
    columns: &Columns<'_>,
    feedbacks: &[FeedbackRow],
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let mut id = [0; uuid::fmt::Hyphenated::LENGTH];
    let mut json = Vec::new();
    // Neighbours mostly came through the same link.
    let mut bus_props: Option<(&BusPropIds, Vec<u8>)> = None;
    for feedback in feedbacks {
        let id = feedback.feedback_id.hyphenated().encode_lower(&mut id);
        out.extend_from_slice(id.as_bytes());
        out.push(b',');
        let submitted = feedback.submitted_at;
        let submitted = submitted.to_rfc3339_opts(SecondsFormat::AutoSi, true);
        out.extend_from_slice(submitted.as_bytes());
        out.push(b',');
        let ids = &feedback.bus_prop_ids;
        let (_, cell) = match bus_props {
            Some(ref same) if same.0 == ids => same,
            _ => bus_props.insert((ids, bus_props_cell(ids, form)?)),
        };
        out.extend_from_slice(cell);
        out.push(b',');
        write_cell(out, feedback.track_fields.as_bytes());
        for cell in columns.read(&feedback.answers)?.cells {
            out.push(b',');
            match cell {
                None => {}
                Some(AnswerRef::Grade(grade)) => serde_json::to_writer(&mut *out, &grade)?,
                Some(AnswerRef::Text(text)) => write_cell(out, disarm(text).as_bytes()),
                Some(AnswerRef::Chosen(values)) => {
                    json.clear();
                    serde_json::to_writer(&mut json, &values)?;
                    write_cell(out, &json);
                }
            }
        }
        out.extend_from_slice(b"\r\n");
    }
    Ok(())
}

fn bus_props_cell(ids: &BusPropIds, form: &FormContent) -> serde_json::Result<Vec<u8>> {
    let texts: Vec<&str> = ids.texts(form).map(BusProp::as_str).collect();
    let mut cell = Vec::new();
    write_cell(&mut cell, &serde_json::to_vec(&texts)?);
    Ok(cell)
}

#[cfg(test)]
mod tests {
    use super::super::answer::tests::form;
    use super::super::item::tests::feedback;
    use super::*;

    fn text(lines: Lines, answers: &[&str]) -> String {
        let form = form();
        let rows: Vec<_> = answers.iter().map(|answers| feedback(answers)).collect();
        let header = lines.header(&form);
        let bytes = lines.write(&form, &rows, header).unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn csv_has_a_column_a_field_and_runs_no_formula() {
        let csv = text(
            Lines::Csv,
            &[
                r#"{"nps": 0, "rating": 5, "choice": "a", "choices": ["a", "b"], "text": "-1", "comment": "=1+\"x\"\n2"}"#,
                r#"{"nps": 10, "comment": "'+49 170"}"#,
                "{}",
            ],
        );
        insta::assert_snapshot!(csv.replace("\r\n", "\n"), @r#"
        feedback_id,submitted_at,bus_props,track_fields,nps,happiness,rating,choice,choices,text,comment
        00000000-0000-0000-0000-000000000007,2026-01-01T00:00:00.000001Z,"[""store:\""Ü\"""",""store:Berlin""]","{""order"": ""=1""}",0,,5,a,"[""a"",""b""]",'-1,"'=1+""x""
        2"
        00000000-0000-0000-0000-000000000007,2026-01-01T00:00:00.000001Z,"[""store:\""Ü\"""",""store:Berlin""]","{""order"": ""=1""}",10,,,,,,''+49 170
        00000000-0000-0000-0000-000000000007,2026-01-01T00:00:00.000001Z,"[""store:\""Ü\"""",""store:Berlin""]","{""order"": ""=1""}",,,,,,,
        "#);
    }

    #[test]
    fn ndjson_has_an_item_a_line() {
        let lines = text(Lines::Ndjson, &[r#"{"nps": 3}"#, r#"{"comment": "a\nb"}"#]);
        let values: Vec<serde_json::Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(values.len(), 2);
        assert_eq!(values[0]["answers"][0]["value"], 3);
        assert_eq!(values[1]["comment"], "a\nb");
    }
}
