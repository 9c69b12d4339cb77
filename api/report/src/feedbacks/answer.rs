//! Stored answers, read once and borrowed: what lists show of them by the thousand. Owned texts in a map halve the export
//! (`--bench report export`: 0.48 of `\copy`, 0.97 as it is).

use std::borrow::Cow;
use std::fmt;
use std::iter::repeat_with;

use domain::form::{Field, FormContent};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// One answer as it was given. In JSON a number, a string or a list of strings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum AnswerRef<'a> {
    Grade(u8),
    Text(Cow<'a, str>),
    Chosen(Vec<Cow<'a, str>>),
}

/// A form's fields, retired ones last, and where each key is.
pub struct Columns<'f> {
    pub fields: &'f [Field],
    /// Each key and its column, in the order in which answers are stored: that of the keys.
    by_key: Vec<(&'f str, usize)>,
}

/// A feedback's answers, one place a column.
#[derive(Debug, PartialEq, Eq)]
pub struct Row<'a> {
    pub cells: Vec<Option<AnswerRef<'a>>>,
    /// Whether there are answers to fields that the columns have not: the form got them later.
    pub has_more: bool,
}

impl<'f> Columns<'f> {
    pub fn new(form: &'f FormContent) -> Self {
        let fields = form.fields.as_slice();
        let keys = fields.iter().enumerate();
        let mut by_key: Vec<_> = keys.map(|(n, field)| (field.key.as_str(), n)).collect();
        by_key.sort_unstable();
        Self { fields, by_key }
    }

    /// Reads an object of answers by key.
    ///
    /// # Errors
    /// It is none.
    pub fn read<'a>(&self, answers: &'a str) -> Result<Row<'a>, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_str(answers);
        let row = self.deserialize(&mut reader)?;
        reader.end()?;
        Ok(row)
    }

    /// Where in `by_key` a key is. The guess is mostly right: answers come in an order.
    fn find(&self, key: &str, guess: usize) -> Option<usize> {
        match self.by_key.get(guess) {
            Some((guessed, _)) if *guessed == key => Some(guess),
            _ => self
                .by_key
                .binary_search_by_key(&key, |(other, _)| other)
                .ok(),
        }
    }
}

impl<'de> DeserializeSeed<'de> for &Columns<'_> {
    type Value = Row<'de>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Row<'de>, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &Columns<'_> {
    type Value = Row<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("answers by key")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row<'de>, A::Error> {
        let mut row = Row {
            cells: repeat_with(|| None).take(self.fields.len()).collect(),
            has_more: false,
        };
        let mut guess = 0;
        while let Some(Text(key)) = map.next_key()? {
            if let Some(found) = self.find(&key, guess) {
                row.cells[self.by_key[found].1] = Some(map.next_value()?);
                guess = found + 1;
            } else {
                map.next_value::<IgnoredAny>()?;
                row.has_more = true;
            }
        }
        Ok(row)
    }
}

/// A string, borrowed unless it has escapes. (`Cow` itself is always read as an owned one.)
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        match AnswerRef::deserialize(reader)? {
            AnswerRef::Text(text) => Ok(Self(text)),
            _ => Err(D::Error::custom("not a string")),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for AnswerRef<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = AnswerRef<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a grade, a string or a list of strings")
            }

            fn visit_u64<E: Error>(self, grade: u64) -> Result<AnswerRef<'de>, E> {
                u8::try_from(grade).map(AnswerRef::Grade).map_err(E::custom)
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<AnswerRef<'de>, E> {
                Ok(AnswerRef::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<AnswerRef<'de>, E> {
                Ok(AnswerRef::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<AnswerRef<'de>, A::Error> {
                let mut chosen = Vec::new();
                while let Some(Text(text)) = seq.next_element()? {
                    chosen.push(text);
                }
                Ok(AnswerRef::Chosen(chosen))
            }
        }

        reader.deserialize_any(Any)
    }
}

#[cfg(test)]
pub mod tests {
    use domain::form::FormInput;
    use serde_json::json;

    use super::*;

    /// One field of each kind; the keys are the types.
    pub fn form() -> FormContent {
        let field = |kind: &str| json!({"key": kind, "type": kind, "label": format!("{kind}?"), "required": false});
        let options = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]);
        let mut fields = [
            "nps",
            "happiness",
            "rating",
            "choice",
            "choices",
            "text",
            "comment",
        ]
        .map(field);
        fields[2]["scale"] = json!(5);
        fields[3]["options"] = options.clone();
        fields[4]["options"] = options;
        let draft =
            json!({"title": "T", "bus_props": ["store:Berlin", "store:\"Ü\""], "fields": fields});
        FormContent::new(FormInput::parse(&draft).unwrap()).unwrap()
    }

    #[test]
    fn answers_are_read_into_the_columns_of_their_fields() {
        let form = form();
        let columns = Columns::new(&form);
        let row = columns
            .read(r#"{"text": "a\nb", "nps":10, "choices": ["a", "\u0062"], "comment": "plain"}"#)
            .unwrap();
        let text = |text: &'static str| AnswerRef::Text(Cow::Borrowed(text));
        assert_eq!(
            row.cells,
            [
                Some(AnswerRef::Grade(10)),
                None,
                None,
                None,
                Some(AnswerRef::Chosen(vec!["a".into(), "b".into()])),
                Some(text("a\nb")),
                Some(text("plain")),
            ]
        );
        assert!(!row.has_more);
        assert!(matches!(
            &row.cells[6],
            Some(AnswerRef::Text(Cow::Borrowed(_)))
        ));
    }

    #[test]
    fn answers_to_later_fields_are_noted() {
        let form = form();
        let columns = Columns::new(&form);
        let row = columns
            .read(r#"{"newer": [1, {"x": null}], "nps": 0}"#)
            .unwrap();
        assert!(row.has_more);
        assert_eq!(row.cells[0], Some(AnswerRef::Grade(0)));
    }

    #[test]
    fn what_are_no_answers_is_refused() {
        let form = form();
        let columns = Columns::new(&form);
        for text in [
            "",
            "[]",
            "{",
            "{} {}",
            r#"{"nps": 256}"#,
            r#"{"nps": -1}"#,
            r#"{"nps": null}"#,
            r#"{"choices": [1]}"#,
        ] {
            assert!(columns.read(text).is_err(), "{text}");
        }
    }
}
