//! A question as the editor of forms has it, with its choices and when it is shown.

use std::collections::{BTreeMap, HashSet};

use domain::form::{FieldType, MAX_OPTIONS, MAX_VALUE_CHARS};
use serde_json::{Map, Value, json};

use crate::form_texts::Texts;

/// What the id of a question or a choice begins with that is not stored yet.
pub const NEW: char = '+';
/// Empty choices below those of a question.
const MORE_OPTIONS: u32 = 2;
/// What the id of a stored choice begins with; its value follows.
const STORED: char = '=';

/// A question.
#[derive(Clone, Default)]
pub struct FieldRow {
    /// What is stored of it; what the page has no words for stays as it is.
    pub before: Map<String, Value>,
    /// Its key; of a new one `+` and a number.
    pub id: String,
    pub kind: String,
    pub label: Texts,
    pub required: bool,
    /// Numbers that define a field of its type, by name.
    pub numbers: BTreeMap<String, String>,
    pub options: Vec<OptionRow>,
    /// The id of the question whose answer decides whether it is shown; empty: it always is.
    pub if_row: String,
    /// Grades, or ids of choices.
    pub if_values: Vec<String>,
}

/// A choice.
#[derive(Clone, Default)]
pub struct OptionRow {
    /// `=` and its value; of a new one `+` and a number.
    pub id: String,
    pub label: Texts,
    /// Whether a text may be given with it.
    pub text: bool,
}

impl FieldRow {
    /// Of a field in JSON.
    pub fn read(field: &Value) -> Self {
        let before = field.as_object().cloned().unwrap_or_default();
        let numbers = before.iter().filter(|(_, value)| value.is_number());
        let options = list(&field["options"]).filter(|entry| entry["retired"] != json!(true));
        let condition = &field["show_if"];
        Self {
            id: text(&field["key"]),
            kind: text(&field["type"]),
            label: Texts::read(field, "label", "labels"),
            required: field["required"] == json!(true),
            numbers: numbers
                .map(|(name, value)| (name.clone(), value.to_string()))
                .collect(),
            options: options.map(OptionRow::read).collect(),
            if_row: text(&condition["key"]),
            if_values: list(&condition["in"]).map(answer_id).collect(),
            before,
        }
    }

    pub fn field_type(&self) -> Option<FieldType> {
        self.kind.parse().ok()
    }

    pub fn has_options(&self) -> bool {
        self.field_type().is_some_and(FieldType::has_options)
    }

    pub fn is_new(&self) -> bool {
        self.id.starts_with(NEW)
    }

    /// Whether nothing was typed into a new one.
    pub fn is_empty(&self) -> bool {
        let is_blank = self.label.is_blank() && self.options.iter().all(|one| one.label.is_blank());
        self.is_new() && is_blank && self.if_row.is_empty()
    }

    /// As it was typed.
    pub fn number(&self, name: &str) -> &str {
        self.numbers.get(name).map_or("", String::as_str)
    }

    pub fn before_text(&self) -> String {
        Value::Object(self.before.clone()).to_string()
    }

    /// Takes what was typed of a choice. In the question's own language, it begins one.
    pub fn take_option(&mut self, id: &str, language: Option<&str>, text: String) {
        let last = self.options.last().is_some_and(|last| last.id == id);
        if language.is_none() || !last {
            self.options.push(OptionRow {
                id: id.to_owned(),
                ..OptionRow::default()
            });
        }
        if let Some(option) = self.options.last_mut() {
            option.label.take(language, text);
        }
    }

    /// The choices, and some that are empty.
    pub fn options_and_more(&self) -> Vec<OptionRow> {
        let ids = || self.options.iter().map(|option| &*option.id);
        let more = (0..MORE_OPTIONS).map(|more| OptionRow {
            id: next_id(ids(), more),
            ..OptionRow::default()
        });
        self.options.iter().cloned().chain(more).collect()
    }

    /// Leaves out choices of which nothing is there in any language.
    pub fn drop_blank_options(&mut self) {
        self.options.retain(|option| !option.label.is_blank());
    }

    /// The choices' values: stored ones keep theirs, new ones are called by their labels.
    pub fn values(&self) -> Vec<String> {
        let stored = |option: &OptionRow| option.id.strip_prefix(STORED).map(ToOwned::to_owned);
        let mut taken: HashSet<_> = self.options.iter().filter_map(stored).collect();
        let value = |option: &OptionRow| {
            stored(option).unwrap_or_else(|| {
                let label = option.label.any().trim();
                let label: String = label.chars().take(MAX_VALUE_CHARS).collect();
                let numbered = (2..).map(|n| format!("{}{n}", cut(&label)));
                let mut values = std::iter::once(label.clone()).chain(numbered);
                let free = values.find(|value| !taken.contains(value));
                let value = free.unwrap_or_default();
                taken.insert(value.clone());
                value
            })
        };
        let options = self.options.iter().take(MAX_OPTIONS + 1);
        options.map(value).collect()
    }

    /// What is stored of a field of this type, without what is on the page.
    fn kept(&self) -> Map<String, Value> {
        if self.before.get("type") != Some(&json!(self.kind)) {
            return Map::new();
        }
        let mut kept = self.before.clone();
        kept.retain(|name, _| !["labels", "show_if", "options"].contains(&name.as_str()));
        kept
    }

    /// The field in JSON, of this key. `condition` is what it is shown with.
    pub fn write(&self, key: &str, condition: Option<Value>) -> Value {
        let mut field = Value::Object(self.kept());
        field["key"] = json!(key);
        field["type"] = json!(self.kind);
        self.label.write(&mut field, "label", "labels");
        field["required"] = json!(self.required);
        let field_type = self.field_type();
        for (name, _) in field_type.map_or(&[][..], FieldType::numbers) {
            let number = self.number(name).trim();
            field[*name] = match number.parse::<i64>() {
                Ok(number) => json!(number),
                Err(_) if number.is_empty() => Value::Null,
                Err(_) => json!(number),
            };
        }
        if self.has_options() {
            let before = self.before.get("options").unwrap_or(&Value::Null);
            let options = self.options.iter().zip(self.values());
            field["options"] = options
                .map(|(option, value)| {
                    let known = list(before).find(|known| known["value"] == json!(value));
                    option.write(known.cloned().unwrap_or(json!({})), &value)
                })
                .collect();
        }
        if let Some(condition) = condition {
            field["show_if"] = condition;
        }
        field
    }

    /// The values for which another question is shown, by their ids.
    pub fn answers(&self, ids: &[String]) -> Vec<Value> {
        if !self.has_options() {
            let grade = |id: &String| {
                id.parse::<u8>()
                    .map_or_else(|_| json!(id), |grade| json!(grade))
            };
            return ids.iter().take(MAX_OPTIONS + 1).map(grade).collect();
        }
        let options = self.options.iter().zip(self.values());
        let chosen = options.filter(|(option, _)| ids.contains(&option.id));
        chosen.map(|(_, value)| json!(value)).collect()
    }

    pub fn size(&self) -> usize {
        let options = self.options.iter();
        let options = options.map(|option| 2 * option.id.len() + 2 * option.label.size());
        self.label.size() + options.sum::<usize>()
    }
}

impl OptionRow {
    fn read(option: &Value) -> Self {
        Self {
            id: format!("{STORED}{}", text(&option["value"])),
            label: Texts::read(option, "label", "labels"),
            text: option["text"] == json!(true),
        }
    }

    /// In JSON, with what is stored of it that the page has no words for.
    fn write(&self, mut option: Value, value: &str) -> Value {
        for name in ["labels", "text", "retired"] {
            option[name] = Value::Null;
        }
        option["value"] = json!(value);
        self.label.write(&mut option, "label", "labels");
        if self.text {
            option["text"] = json!(true);
        }
        // What is typed again is in use again.
        if let Some(members) = option.as_object_mut() {
            members.retain(|_, member| !member.is_null());
        }
        option
    }
}

/// An id that none of these is, nor those that were made before it.
pub fn next_id<'a>(ids: impl Iterator<Item = &'a str>, before: u32) -> String {
    let numbers = ids.filter_map(|id| id.strip_prefix(NEW)?.parse::<u32>().ok());
    let next = numbers.max().unwrap_or(0).saturating_add(1);
    format!("{NEW}{}", next.saturating_add(before))
}

/// The id of a value of a stored condition.
fn answer_id(value: &Value) -> String {
    match value {
        Value::String(value) => format!("{STORED}{value}"),
        grade => grade.to_string(),
    }
}

/// Room for a number behind it.
fn cut(value: &str) -> String {
    value.chars().take(MAX_VALUE_CHARS - 4).collect()
}

/// A key that begins with the words of a label, other than those that are taken.
pub fn key(label: &str, taken: &HashSet<String>) -> String {
    let lower = label.to_lowercase();
    let lower: String = lower.chars().map(base).collect();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let word: String = words.join("_").chars().take(24).collect();
    let word = word.trim_end_matches('_');
    let word = match word.chars().next() {
        Some('a'..='z') => word,
        _ => "question",
    };
    let numbered = (2..).map(|n| format!("{word}_{n}"));
    let mut keys = std::iter::once(word.to_owned()).chain(numbered);
    keys.find(|key| !taken.contains(key) && key != "visit")
        .unwrap_or_default()
}

/// A small letter as keys have it: without its marks, or as German writes it without them.
fn base(letter: char) -> String {
    let base = match letter {
        'ä' | 'æ' => "ae",
        'ö' | 'œ' => "oe",
        'ü' => "ue",
        'ß' => "ss",
        'à'..='ã' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'ç' | 'ć' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => "e",
        'ğ' | 'ģ' => "g",
        'ì'..='ï' | 'ī' | 'į' | 'ı' => "i",
        'ķ' => "k",
        'ļ' | 'ľ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='õ' | 'ø' | 'ō' | 'ő' => "o",
        'ŕ' | 'ř' => "r",
        'ś' | 'ş' | 'š' | 'ș' => "s",
        'þ' => "th",
        'ţ' | 'ť' | 'ț' => "t",
        'ù'..='û' | 'ū' | 'ů' | 'ű' | 'ų' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        // A mark of its own behind its letter.
        '\u{300}'..='\u{36f}' => "",
        other => return other.to_string(),
    };
    base.to_owned()
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
