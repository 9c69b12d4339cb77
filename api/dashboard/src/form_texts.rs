//! A text of a form as its editor has it: in the form's own language, and beside it in others.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Languages that the editor offers, by what their speakers call them.
pub const LANGUAGES: [(&str, &str); 28] = [
    ("ar", "العربية"),
    ("bg", "Български"),
    ("cs", "Čeština"),
    ("da", "Dansk"),
    ("de", "Deutsch"),
    ("el", "Ελληνικά"),
    ("en", "English"),
    ("es", "Español"),
    ("et", "Eesti"),
    ("fi", "Suomi"),
    ("fr", "Français"),
    ("hr", "Hrvatski"),
    ("hu", "Magyar"),
    ("it", "Italiano"),
    ("lt", "Lietuvių"),
    ("lv", "Latviešu"),
    ("nl", "Nederlands"),
    ("no", "Norsk"),
    ("pl", "Polski"),
    ("pt", "Português"),
    ("ro", "Română"),
    ("ru", "Русский"),
    ("sk", "Slovenčina"),
    ("sl", "Slovenščina"),
    ("sv", "Svenska"),
    ("tr", "Türkçe"),
    ("uk", "Українська"),
    ("zh", "中文"),
];

/// What the editor calls a language.
pub fn language_name(code: &str) -> &str {
    let mut known = LANGUAGES.iter();
    known
        .find(|(known, _)| *known == code)
        .map_or(code, |(_, name)| name)
}

/// A text in the form's own language and in others, as it was typed.
#[derive(Clone, Default)]
pub struct Texts {
    pub own: String,
    pub others: BTreeMap<String, String>,
}

impl Texts {
    /// Of the members of an object in JSON: the text, and what it is in other languages.
    pub fn read(of: &Value, name: &str, labels: &str) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let others = of[labels].as_object().into_iter().flatten();
        Self {
            own: text(&of[name]),
            others: others
                .map(|(code, value)| (code.clone(), text(value)))
                .collect(),
        }
    }

    /// Puts it into an object, without languages that it is not there in.
    pub fn write(&self, of: &mut Value, name: &str, labels: &str) {
        of[name] = json!(self.own);
        let others = self.others.iter().filter(|(_, text)| !is_blank(text));
        let others: serde_json::Map<_, _> = others
            .map(|(code, text)| (code.clone(), json!(text)))
            .collect();
        if !others.is_empty() {
            of[labels] = others.into();
        }
    }

    /// Takes what was typed under a name, behind which is a `.` and a language, or nothing.
    pub fn take(&mut self, language: Option<&str>, text: String) {
        match language {
            None => self.own = text,
            Some(code) => drop(self.others.insert(code.to_owned(), text)),
        }
    }

    /// The text in a language; in its own where none is named.
    pub fn get(&self, language: Option<&str>) -> &str {
        match language {
            None => &self.own,
            Some(code) => self.others.get(code).map_or("", String::as_str),
        }
    }

    /// The languages that it is there in besides its own.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        let said = self.others.iter().filter(|(_, text)| !is_blank(text));
        said.map(|(code, _)| code.as_str())
    }

    /// The text in its own language, or in any other.
    pub fn any(&self) -> &str {
        let mut texts = [&self.own].into_iter().chain(self.others.values());
        texts
            .find(|text| !is_blank(text))
            .map_or("", String::as_str)
    }

    /// Whether nothing was typed in any language.
    pub fn is_blank(&self) -> bool {
        is_blank(&self.own) && self.others.values().all(|text| is_blank(text))
    }

    /// Whether it is there, but not in this language.
    pub fn lacks(&self, language: &str) -> bool {
        !is_blank(&self.own) && is_blank(self.get(Some(language)))
    }

    pub fn size(&self) -> usize {
        self.own.len() + self.others.values().map(String::len).sum::<usize>()
    }
}

pub fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
