//! Feedbacks as lines: CSV, or NDJSON of the items that a page shows.

use std::io::{self, Write};

use bytes::Bytes;
use chrono::SecondsFormat;
use domain::form::{BusProp, FormContent};
use store::feedback::FeedbackRow;

use super::given::{Columns, Given};
use super::item::Item;
use crate::csv_text::{TEXT_CSV, disarm};

/// Columns before those of the fields.
const FIRST: [&str; 4] = ["feedback_id", "submitted_at", "bus_props", "track_fields"];
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
    pub fn header(self, form: &FormContent) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        if self == Self::Csv {
            let keys = form.fields.iter().map(|field| field.key.as_str());
            let mut writer = csv_writer(&mut out);
            writer.write_record(FIRST.into_iter().chain(keys))?;
            writer.flush()?;
        }
        Ok(out)
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
    ) -> io::Result<Bytes> {
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

fn csv_writer<W: Write>(out: W) -> csv::Writer<W> {
    csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(out)
}

fn write_csv(
    form: &FormContent,
    columns: &Columns<'_>,
    feedbacks: &[FeedbackRow],
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let mut writer = csv_writer(out);
    let mut json = Vec::new();
    let mut id = [0; uuid::fmt::Hyphenated::LENGTH];
    for feedback in feedbacks {
        writer.write_field(feedback.feedback_id.hyphenated().encode_lower(&mut id))?;
        let submitted = feedback.submitted_at;
        writer.write_field(submitted.to_rfc3339_opts(SecondsFormat::AutoSi, true))?;
        let bus_props: Vec<&str> = feedback
            .bus_prop_ids
            .texts(form)
            .map(BusProp::as_str)
            .collect();
        json.clear();
        serde_json::to_writer(&mut json, &bus_props)?;
        writer.write_field(&json)?;
        writer.write_field(&feedback.track_fields)?;
        for cell in columns.read(&feedback.answers)?.cells {
            match cell {
                None => writer.write_field("")?,
                Some(Given::Grade(grade)) => writer.write_field(digits(grade, &mut [0; 3]))?,
                Some(Given::Text(text)) => writer.write_field(disarm(text).as_ref())?,
                Some(Given::Chosen(values)) => {
                    json.clear();
                    serde_json::to_writer(&mut json, &values)?;
                    writer.write_field(&json)?;
                }
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// A number's digits, without a text of its own.
fn digits(number: u8, room: &mut [u8; 3]) -> &[u8] {
    *room = [number / 100, number / 10 % 10, number % 10].map(|digit| b'0' + digit);
    let begin = match number {
        0..10 => 2,
        10..100 => 1,
        100.. => 0,
    };
    &room[begin..]
}

#[cfg(test)]
mod tests {
    use super::super::given::tests::form;
    use super::super::item::tests::feedback;
    use super::*;

    fn text(lines: Lines, answers: &[&str]) -> String {
        let form = form();
        let rows: Vec<_> = answers.iter().map(|answers| feedback(answers)).collect();
        let header = lines.header(&form).unwrap();
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

    #[test]
    fn a_number_is_its_digits() {
        for number in 0..=u8::MAX {
            assert_eq!(digits(number, &mut [0; 3]), number.to_string().as_bytes());
        }
    }
}
