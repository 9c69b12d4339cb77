//! A form as its editor has it: fields by rows, which keep in JSON what the page has no words for.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::form::{FieldType, FormContent, FormInput, MAX_BUS_PROPS, MAX_LANGUAGES, MAX_OPTIONS};
use domain::invalid::Invalid;
use serde_json::{Map, Value, json};

use crate::page;
use crate::sent::SentPairs;

/// Empty rows below those that have a field.
const EMPTY_ROWS: usize = 3;
/// Bytes of a form in JSON: as many as a program may send.
const MOST: usize = 1 << 20;

/// What the page's form has.
#[derive(Default)]
pub struct FormDraft {
    pub title: String,
    /// One a line.
    pub bus_props: String,
    pub piping: bool,
    /// The title in other languages, as [`lines_of`] writes them.
    pub labels: String,
    rows: Vec<FieldRow>,
    /// Bytes of what was sent of the fields as they are stored.
    before_bytes: usize,
}

/// A field; without a label it is none.
#[derive(Default)]
pub struct FieldRow {
    /// What is stored of it; what the page has no words for stays as it is.
    before: Map<String, Value>,
    pub kind: String,
    pub label: String,
    pub required: bool,
    /// The label in other languages.
    pub labels: String,
    /// `key=value,value`; empty: always asked.
    pub show_if: String,
    /// Numbers that define a field of its type, by name.
    numbers: BTreeMap<String, String>,
    /// One a line, `value=label`.
    pub options: String,
}

impl FieldRow {
    /// Of a field in JSON.
    fn read(field: &Value) -> Self {
        let before = field.as_object().cloned().unwrap_or_default();
        let numbers = before.iter().filter(|(_, value)| value.is_number());
        Self {
            kind: text(&field["type"]),
            label: text(&field["label"]),
            required: field["required"] == json!(true),
            labels: lines_of(&field["labels"]),
            show_if: condition_of(&field["show_if"]),
            numbers: numbers
                .map(|(name, value)| (name.clone(), value.to_string()))
                .collect(),
            options: list(&field["options"])
                .iter()
                .filter(|entry| in_use(entry))
                .map(option_of)
                .collect::<Vec<_>>()
                .join("\n"),
            before,
        }
    }

    fn field_type(&self) -> Option<FieldType> {
        self.kind.parse().ok()
    }

    /// As it was typed.
    pub fn number(&self, name: &str) -> &str {
        self.numbers.get(name).map_or("", String::as_str)
    }

    pub fn before_text(&self) -> String {
        Value::Object(self.before.clone()).to_string()
    }

    fn key(&self, place: usize) -> String {
        let known = self.before.get("key").and_then(Value::as_str);
        known
            .filter(|key| !key.is_empty())
            .map_or_else(|| key(&self.label, place), ToOwned::to_owned)
    }

    /// What is stored of a field of this type, without what may be left out and is on the page.
    fn kept(&self) -> Map<String, Value> {
        if self.before.get("type") != Some(&json!(self.kind)) {
            return Map::new();
        }
        let mut kept = self.before.clone();
        kept.retain(|name, _| name != "labels" && name != "show_if");
        kept
    }

    /// The field in JSON. `chosen` has the keys of fields with options.
    fn write(&self, place: usize, chosen: &HashSet<String>) -> Value {
        let mut field = Value::Object(self.kept());
        field["key"] = json!(self.key(place));
        field["type"] = json!(self.kind);
        field["label"] = json!(self.label);
        field["required"] = json!(self.required);
        let field_type = self.field_type();
        for (name, _) in field_type.map_or(&[][..], FieldType::numbers) {
            let number = self
                .numbers
                .get(*name)
                .and_then(|text| text.trim().parse::<i64>().ok());
            field[*name] = json!(number.unwrap_or(5));
        }
        if field_type.is_some_and(FieldType::has_options) {
            let before = list(&self.before.get("options").cloned().unwrap_or_default());
            let lines_before: HashMap<_, _> =
                before.iter().map(|one| (option_of(one), one)).collect();
            let values = before
                .iter()
                .filter_map(|one| Some((one["value"].as_str()?, one)));
            let values: HashMap<_, _> = values.collect();
            let option = |line: &str| {
                // A value may have a `=` of its own.
                if let Some(same) = lines_before.get(line) {
                    return Value::clone(same);
                }
                let (value, label) = line.split_once('=').unwrap_or((line, line));
                let known = values.get(value.trim());
                let mut option = known.map_or(Value::Null, |known| Value::clone(known));
                option["value"] = json!(value.trim());
                option["label"] = json!(label.trim());
                // What is typed again is in use again.
                option["retired"] = Value::Null;
                option
            };
            let options = lines(&self.options).take(MAX_OPTIONS + 1);
            field["options"] = options.map(option).collect();
        }
        let before = self.before.get("show_if");
        if let Some(same) = before.filter(|before| condition_of(before) == self.show_if) {
            // A value may have a comma of its own.
            field["show_if"] = same.clone();
        } else if let Some((key, values)) = self.show_if.split_once('=') {
            let key = key.trim();
            let value = |text: &str| match text.trim().parse::<u8>() {
                Ok(grade) if !chosen.contains(key) => json!(grade),
                _ => json!(text.trim()),
            };
            let values = values.split(',').take(MAX_OPTIONS + 1);
            let values: Vec<_> = values.map(value).collect();
            field["show_if"] = json!({"key": key, "in": values});
        }
        put_labels(&mut field, &self.labels);
        field
    }
}

/// `key=value,value`; empty where there is none.
fn condition_of(show_if: &Value) -> String {
    let values: Vec<_> = list(&show_if["in"]).iter().map(page::text).collect();
    let key = show_if["key"].as_str();
    key.map_or_else(String::new, |key| format!("{key}={}", values.join(",")))
}

fn option_of(option: &Value) -> String {
    format!("{}={}", text(&option["value"]), text(&option["label"]))
}

fn in_use(entry: &Value) -> bool {
    entry["retired"] != json!(true)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// The lines of a text that are not blank. Of a list one more is read than a form may have, which is enough to be
/// refused: in JSON each takes a hundred times the bytes that it was sent in.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// Texts by language, one a line: `de=Wie war es?`.
fn lines_of(labels: &Value) -> String {
    let labels = labels.as_object().into_iter().flatten();
    let lines: Vec<_> = labels
        .map(|(language, label)| format!("{language}={}", text(label)))
        .collect();
    lines.join("\n")
}

fn put_labels(of: &mut Value, labels: &str) {
    let labels: Map<_, _> = lines(labels)
        .filter_map(|line| line.split_once('='))
        .take(MAX_LANGUAGES + 1)
        .map(|(language, label)| (language.trim().to_owned(), json!(label.trim())))
        .collect();
    if !labels.is_empty() {
        of["labels"] = labels.into();
    }
}

impl From<SentPairs> for FormDraft {
    /// Each `before` begins a row.
    fn from(SentPairs(pairs): SentPairs) -> Self {
        let mut draft = Self::default();
        for (name, value) in pairs {
            match (&*name, draft.rows.last_mut()) {
                ("title", _) => draft.title = value,
                ("bus_props", _) => draft.bus_props = value,
                ("piping", _) => draft.piping = true,
                ("title_labels", _) => draft.labels = value,
                ("before", _) => {
                    draft.before_bytes += value.len();
                    let is_read = draft.before_bytes <= MOST;
                    let before = is_read.then(|| serde_json::from_str(&value).ok());
                    draft.rows.push(FieldRow {
                        before: before.flatten().unwrap_or_default(),
                        ..FieldRow::default()
                    });
                }
                ("type", Some(row)) => row.kind = value,
                ("label", Some(row)) => row.label = value,
                ("required", Some(row)) => row.required = true,
                ("labels", Some(row)) => row.labels = value,
                ("show_if", Some(row)) => row.show_if = value,
                ("options", Some(row)) => row.options = value,
                (_, Some(row)) => {
                    row.numbers.insert(name, value);
                }
                _ => {}
            }
        }
        draft.rows.retain(|row| !row.label.trim().is_empty());
        draft
    }
}

impl FormDraft {
    /// Of what is stored.
    pub fn read(form: &FormContent) -> Self {
        let bus_props = form.bus_props.iter().filter(|entry| !entry.retired);
        let bus_props: Vec<_> = bus_props.map(|entry| entry.text.as_str()).collect();
        let fields = form.fields.iter().filter(|field| !field.retired);
        let fields: Vec<_> = fields.map(|field| json!(field)).collect();
        Self {
            title: form.title.clone(),
            bus_props: bus_props.join("\n"),
            piping: form.piping,
            labels: lines_of(&json!(form.labels)),
            ..Self::of_fields(&fields)
        }
    }

    /// Without a title, of fields in JSON.
    pub fn of_fields(fields: &[Value]) -> Self {
        Self {
            rows: fields.iter().map(FieldRow::read).collect(),
            ..Self::default()
        }
    }

    /// What it wants a form to be.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn input(&self) -> Result<FormInput, Vec<Invalid>> {
        FormInput::parse(&self.write())
    }

    /// Whether it is larger than a form may be that a program sends: then it could not be edited again.
    pub fn is_too_large(&self) -> bool {
        self.write().to_string().len() > MOST
    }

    fn write(&self) -> Value {
        let rows = || self.rows.iter().enumerate();
        let chosen = rows().filter(|(_, row)| row.field_type().is_some_and(FieldType::has_options));
        let chosen = chosen.map(|(place, row)| row.key(place)).collect();
        let fields: Vec<_> = rows()
            .map(|(place, row)| row.write(place, &chosen))
            .collect();
        let bus_props = lines(&self.bus_props).take(MAX_BUS_PROPS + 1);
        let bus_props: Vec<_> = bus_props.collect();
        let mut form = json!({"title": self.title, "bus_props": bus_props, "fields": fields});
        if self.piping {
            form["piping"] = json!(true);
        }
        put_labels(&mut form, &self.labels);
        form
    }

    /// Bytes of what it has most of.
    pub fn size(&self) -> usize {
        let rows = self.rows.iter();
        let rows = rows.map(|row| row.label.len() + row.labels.len() + 2 * row.options.len());
        self.before_bytes + self.bus_props.len() + rows.sum::<usize>()
    }

    /// Rows with a field, and some without.
    pub fn rows_and_more(&self) -> impl Iterator<Item = Option<&FieldRow>> {
        self.rows
            .iter()
            .map(Some)
            .chain(std::iter::repeat_n(None, EMPTY_ROWS))
    }
}

/// A key that begins with the letters of the label.
fn key(label: &str, place: usize) -> String {
    let lower = label.to_lowercase();
    let letters = lower.chars().filter(char::is_ascii_lowercase);
    let letters: String = letters.take(20).collect();
    let word = if letters.is_empty() {
        "field"
    } else {
        &letters
    };
    format!("{word}{}", place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_written_as_it_was() {
        let form = json!({
            "title": "t", "bus_props": ["store:A"],
            "fields": [
                {"key": "a", "type": "nps", "label": "A", "required": true},
                {"key": "b", "type": "rating", "label": "B", "required": false, "scale": 7},
                {"key": "c", "type": "choice", "label": "C", "required": false, "show_if": {"key": "a", "in": [0, 1]},
                 "options": [{"value": "x=1", "label": "X=Y", "labels": {"de": "Ü"}}, {"value": "z, zz", "label": "Z"}]},
                {"key": "d", "type": "text", "label": "D {store|here}", "required": false, "labels": {"de": "D", "fr": "D=D"},
                 "show_if": {"key": "c", "in": ["x=1", "z, zz"]}}],
            "piping": true, "labels": {"de": "T"},
        });
        let content = |form| FormContent::new(FormInput::parse(form).unwrap()).unwrap();
        let mut stored = form.clone();
        stored["bus_props"] = json!(["store:A", "store:B"]);
        let mut stored = content(&stored);
        stored.bus_props[1].retired = true;
        let read = FormDraft::read(&stored);
        assert_eq!(content(&read.write()), content(&form));
        // What comes back from the page is the same.
        let mut pairs = vec![
            ("title".to_owned(), read.title.clone()),
            ("bus_props".to_owned(), read.bus_props.clone()),
            ("piping".to_owned(), "on".to_owned()),
            ("title_labels".to_owned(), read.labels.clone()),
        ];
        for row in &read.rows {
            let numbers = row
                .numbers
                .iter()
                .map(|(name, number)| (&**name, number.clone()));
            let members = [
                ("before", row.before_text()),
                ("type", row.kind.clone()),
                ("label", row.label.clone()),
                ("labels", row.labels.clone()),
                ("show_if", row.show_if.clone()),
                ("options", row.options.clone()),
            ];
            let required = row.required.then(|| ("required", "on".to_owned()));
            let members = members.into_iter().chain(required).chain(numbers);
            pairs.extend(members.map(|(name, value)| (name.to_owned(), value)));
        }
        assert_eq!(FormDraft::from(SentPairs(pairs)).write(), read.write());
    }

    #[test]
    fn what_the_page_has_no_words_for_is_kept_with_its_type() {
        let field = json!({"key": "a", "type": "text", "label": "A", "required": false, "unit": "kg",
                           "labels": {"de": "B"}, "show_if": {"key": "b", "in": [1]}});
        let mut row = FieldRow::read(&field);
        let written = |row: &FieldRow| row.write(0, &HashSet::new());
        assert_eq!(written(&row), field);
        (row.labels, row.show_if) = (String::new(), String::new());
        let plain =
            json!({"key": "a", "type": "text", "label": "A", "required": false, "unit": "kg"});
        assert_eq!(written(&row), plain);
        row.kind = "nps".to_owned();
        let other = json!({"key": "a", "type": "nps", "label": "A", "required": false});
        assert_eq!(written(&row), other);
    }

    #[test]
    fn rows_without_a_label_are_none_and_keys_follow_from_labels() {
        let pairs = [
            ("title", "t"),
            ("before", ""),
            ("type", "text"),
            ("label", "Your Name?"),
            ("required", "on"),
            ("before", ""),
            ("type", "nps"),
        ];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let draft = FormDraft::from(SentPairs(pairs.into()));
        let fields = &draft.write()["fields"];
        assert_eq!(
            fields,
            &json!([{"key": "yourname1", "type": "text", "label": "Your Name?", "required": true}])
        );
        assert_eq!(key("¿Qué?", 1), "qu2");
        assert_eq!(key("你好", 0), "field1");
    }
}
