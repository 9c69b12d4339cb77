//! A form as its editor has it: its texts, its questions by rows, and what is shown beside them. What the page has no words for is
//! kept in JSON.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use domain::form::{
    BusProp, Field, FieldType, FormContent, FormInput, MAX_BUS_PROPS, MAX_FIELDS, MAX_LANGUAGES,
    MAX_LINKS,
};
use domain::invalid::{Invalid, code};
use serde_json::{Value, json};

use crate::form_row::{FieldRow, key, list, next_id, text};
use crate::form_texts::{Texts, is_blank};
use crate::sent::SentPairs;

/// Bytes of a form in JSON: as many as a program may send.
const MOST: usize = 1 << 20;
/// The key of a question that was taken away, in what depended on it.
const REMOVED: &str = "removed_question";
/// What a group to compare is of where nobody says it.
const PROPERTY: &str = "store";

/// What the page's form has.
#[derive(Clone, Default)]
pub struct FormDraft {
    pub title: Texts,
    pub intro: Texts,
    pub thanks: Texts,
    pub links: Vec<LinkRow>,
    /// Of its own texts; empty: nobody said it.
    pub language: String,
    /// Those that it is there in besides.
    pub others: BTreeSet<String>,
    /// One a line.
    pub bus_props: String,
    pub piping: bool,
    pub rows: Vec<FieldRow>,
    /// Questions that are retired or were taken away, as they were, by their keys.
    pub retired: BTreeMap<String, Value>,
    /// What the button did that was pressed; empty: it saved.
    pub done: String,
    /// Bytes of what was sent of the fields as they are stored.
    before_bytes: usize,
    /// The same of those that are retired.
    retired_bytes: usize,
}

/// A link at the end of the form.
#[derive(Clone, Default)]
pub struct LinkRow {
    pub label: Texts,
    pub url: String,
}

impl LinkRow {
    fn is_empty(&self) -> bool {
        self.label.is_blank() && is_blank(&self.url)
    }
}

/// The lines of a text that are not blank. Of a list one more is read than a form may have, which is enough to be
/// refused: in JSON each takes a hundred times the bytes that it was sent in.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// Groups to compare as people type them, each once: a name alone is a group of the first property that a line before it names.
fn bus_props(text: &str) -> Vec<String> {
    let mut property = None;
    let mut taken = HashSet::new();
    let entries = lines(text).map(|line| {
        if !line.contains(':') {
            return format!("{}:{line}", property.as_deref().unwrap_or(PROPERTY));
        }
        if property.is_none()
            && let Ok(read) = BusProp::parse(line)
        {
            property = Some(read.name().to_owned());
        }
        line.to_owned()
    });
    let each = entries.filter(|entry| taken.insert(entry.clone()));
    each.take(MAX_BUS_PROPS + 1).collect()
}

/// An address as people type it, which begins with its host: `www.example.org`.
fn with_scheme(url: &str) -> String {
    let host = url.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('.') && !host.contains(':') {
        format!("https://{url}")
    } else {
        url.to_owned()
    }
}

/// A name of a page's form before its first `.`, and the language behind it.
fn of_language(name: &str) -> (&str, Option<&str>) {
    match name.split_once('.') {
        Some((name, language)) => (name, Some(language)),
        None => (name, None),
    }
}

impl From<SentPairs> for FormDraft {
    /// Each `row` begins a question, each `link` a link. What was pressed is done.
    fn from(SentPairs(pairs): SentPairs) -> Self {
        let mut draft = Self::default();
        let mut added = String::new();
        for (name, value) in pairs {
            match &*name {
                "language" => draft.language = value,
                "also" => drop(draft.others.insert(value)),
                "add_language" => added = value,
                "retired" if value.len() <= MOST => {
                    draft.retired = serde_json::from_str(&value).unwrap_or_default();
                    draft.retired_bytes = value.len();
                }
                "do" => draft.done = value,
                "bus_props" => draft.bus_props = value,
                "piping" => draft.piping = true,
                "link" => draft.links.push(LinkRow::default()),
                "row" => draft.rows.push(FieldRow {
                    id: value,
                    ..FieldRow::default()
                }),
                _ => draft.take(&name, value),
            }
        }
        if !added.is_empty() && added != draft.language {
            draft.others.insert(added);
        }
        draft.act();
        draft
    }
}

impl FormDraft {
    fn take(&mut self, name: &str, value: String) {
        let (named, id) = name.split_once(':').unwrap_or((name, ""));
        let (named, language) = of_language(named);
        match (named, self.rows.last_mut(), self.links.last_mut()) {
            ("title", ..) => self.title.take(language, value),
            ("intro", ..) => self.intro.take(language, value),
            ("thanks", ..) => self.thanks.take(language, value),
            ("link_label", _, Some(link)) => link.label.take(language, value),
            ("link_url", _, Some(link)) => link.url = value,
            ("before", Some(row), _) => {
                self.before_bytes += value.len();
                let is_read = self.before_bytes <= MOST;
                let before = is_read.then(|| serde_json::from_str(&value).ok());
                row.before = before.flatten().unwrap_or_default();
            }
            ("type", Some(row), _) => row.kind = value,
            ("label", Some(row), _) => row.label.take(language, value),
            ("required", Some(row), _) => row.required = true,
            ("if", Some(row), _) => row.if_row = value,
            // What was ticked for another question says nothing of this one.
            ("if_value", Some(row), _) if id == row.if_row => row.if_values.push(value),
            ("if_value", ..) => {}
            ("option", Some(row), _) => row.take_option(id, language, value),
            ("option_text", Some(row), _) => {
                if let Some(option) = row.options.last_mut().filter(|option| option.id == value) {
                    option.text = true;
                }
            }
            (_, Some(row), _) => drop(row.numbers.insert(name.to_owned(), value)),
            _ => {}
        }
    }

    /// Does what the pressed button says: `add`, or `up`, `down`, `remove`, `restore` and `option` of the question whose id follows a
    /// `:`. What nothing was typed into is left out, unless somebody is about to.
    fn act(&mut self) {
        let (done, id) = self.done.split_once(':').unwrap_or((&self.done, ""));
        let place = self.rows.iter().position(|row| row.id == id);
        match (done, place) {
            ("add", _) => {
                let id = next_id(self.rows.iter().map(|row| &*row.id), 0);
                self.rows.push(FieldRow {
                    id,
                    kind: "choice".to_owned(),
                    ..FieldRow::default()
                });
            }
            ("up", Some(place)) if place > 0 => self.rows.swap(place, place - 1),
            ("down", Some(place)) if place + 1 < self.rows.len() => {
                self.rows.swap(place, place + 1);
            }
            ("remove", Some(place)) => {
                let row = self.rows.remove(place);
                if !row.is_new() && !row.before.is_empty() {
                    self.retired.insert(row.id, row.before.into());
                }
            }
            ("restore", None) => {
                let restored = self.retired.remove(id);
                self.rows.extend(restored.as_ref().map(FieldRow::read));
            }
            _ => {}
        }
        for row in &mut self.rows {
            row.drop_blank_options();
        }
        self.links.retain(|link| !link.is_empty());
        if self.done.is_empty() {
            self.rows.retain(|row| !row.is_empty());
        }
        let said = self.texts().flat_map(Texts::languages);
        let said: Vec<_> = said
            .take(MAX_LANGUAGES + 1)
            .map(ToOwned::to_owned)
            .collect();
        self.others.extend(said);
    }

    /// Of what is stored.
    pub fn read(form: &FormContent) -> Self {
        let bus_props = form.bus_props.iter().filter(|entry| !entry.retired);
        // As people type them: by their names, as long as these are stores.
        let mut are_stores = true;
        let bus_props = bus_props.map(|entry| {
            are_stores &= entry.text.name() == PROPERTY;
            match entry.text.value() {
                value if are_stores && !value.contains(':') => value,
                _ => entry.text.as_str(),
            }
        });
        let bus_props: Vec<_> = bus_props.collect();
        let (retired, fields): (Vec<_>, Vec<_>) =
            form.fields.iter().partition(|field| field.retired);
        let fields: Vec<_> = fields.iter().map(|field| json!(field)).collect();
        let retired = retired.iter().map(|field| {
            let in_use = Field {
                retired: false,
                ..Field::clone(field)
            };
            (field.key.as_str().to_owned(), json!(in_use))
        });
        Self {
            retired: retired.collect(),
            bus_props: bus_props.join("\n"),
            ..Self::of_json(&json!({
                "title": form.title, "labels": form.labels, "language": form.language, "piping": form.piping,
                "intro": form.intro, "intro_labels": form.intro_labels, "links": form.links,
                "thanks": form.thanks, "thanks_labels": form.thanks_labels, "fields": fields,
            }))
        }
    }

    /// Of a form in JSON, without its business properties.
    pub fn of_json(form: &Value) -> Self {
        let links = list(&form["links"]).map(|link| LinkRow {
            label: Texts::read(link, "label", "labels"),
            url: text(&link["url"]),
        });
        let mut draft = Self {
            title: Texts::read(form, "title", "labels"),
            intro: Texts::read(form, "intro", "intro_labels"),
            thanks: Texts::read(form, "thanks", "thanks_labels"),
            links: links.collect(),
            language: text(&form["language"]),
            piping: form["piping"] == json!(true),
            rows: list(&form["fields"]).map(FieldRow::read).collect(),
            ..Self::default()
        };
        let others = draft.texts().flat_map(Texts::languages);
        draft.others = others.map(ToOwned::to_owned).collect();
        draft
    }

    /// All its texts.
    fn texts(&self) -> impl Iterator<Item = &Texts> {
        let links = self.links.iter().map(|link| &link.label);
        let rows = self.rows.iter().flat_map(|row| {
            let options = row.has_options().then_some(&row.options);
            let options = options.into_iter().flatten();
            std::iter::once(&row.label).chain(options.map(|option| &option.label))
        });
        [&self.title, &self.intro, &self.thanks]
            .into_iter()
            .chain(links)
            .chain(rows)
    }

    /// How many texts its page has, of all languages.
    pub fn inputs(&self) -> usize {
        self.texts().count() * (1 + self.others.len())
    }

    /// How many of its texts are missing in a language.
    pub fn missing(&self, language: &str) -> i64 {
        let missing = self.texts().filter(|texts| texts.lacks(language)).count();
        i64::try_from(missing).unwrap_or(i64::MAX)
    }

    /// What it wants a form to be.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn input(&self) -> Result<FormInput, Vec<Invalid>> {
        let mut wrong = match FormInput::parse(&self.write()) {
            Ok(input) => return Ok(input),
            Err(wrong) => wrong,
        };
        // A line among many is found by its text.
        let bus_props = bus_props(&self.bus_props);
        for one in wrong.iter_mut().filter(|one| one.code == code::MALFORMED) {
            let place = one.pointer.strip_prefix("/bus_props/");
            let line = place.and_then(|place| bus_props.get(place.parse::<usize>().ok()?));
            if let Some(line) = line {
                one.detail.clone_from(line);
            }
        }
        Err(wrong)
    }

    /// The same to be stored: one that is translated says its own language, so that buttons and scales are in that of the questions.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn input_to_store(&self) -> Result<FormInput, Vec<Invalid>> {
        let input = self.input();
        if !self.language.is_empty() || self.others.is_empty() {
            return input;
        }
        let mut wrong = input.err().unwrap_or_default();
        let detail = "is missing: the form has texts in other languages";
        wrong.push(Invalid::of_member("language", code::MISSING, detail));
        Err(wrong)
    }

    /// Whether it is larger than a form may be that a program sends: then it could not be edited again.
    pub fn is_too_large(&self) -> bool {
        self.write().to_string().len() > MOST
    }

    /// The keys of its questions. A new one gets that of a retired question of its type, if a form has such a question once; else one that
    /// no question has, or had.
    fn keys(&self) -> Vec<String> {
        let stored = self.rows.iter().filter(|row| !row.is_new());
        let stored = stored.map(|row| row.id.clone());
        let mut taken: HashSet<String> = stored.chain(self.retired.keys().cloned()).collect();
        // Under these, exports have the texts beside choices.
        taken.extend(taken.clone().iter().map(|key| format!("{key}_text")));
        let rows = self.rows.iter().take(MAX_FIELDS + 1);
        let keys = rows.map(|row| {
            if !row.is_new() {
                return row.id.clone();
            }
            let is_single = row.field_type().is_some_and(FieldType::is_single);
            let mut retired = self.retired.iter();
            let retired = retired.find(|(_, field)| is_single && field["type"] == json!(row.kind));
            let key = retired.map_or_else(|| key(&row.label.own, &taken), |(key, _)| key.clone());
            taken.extend([format!("{key}_text"), key.clone()]);
            key
        });
        keys.collect()
    }

    fn write(&self) -> Value {
        let keys = self.keys();
        let by_id: HashMap<_, _> = self
            .rows
            .iter()
            .zip(&keys)
            .map(|(row, key)| (&*row.id, (row, key)))
            .collect();
        let condition = |row: &FieldRow| {
            if row.if_row.is_empty() {
                return None;
            }
            let known = by_id.get(&*row.if_row);
            Some(match known {
                Some((of, key)) => json!({"key": key, "in": of.answers(&row.if_values)}),
                None => json!({"key": REMOVED, "in": [0]}),
            })
        };
        let rows = self.rows.iter().zip(&keys);
        let fields: Vec<_> = rows
            .map(|(row, key)| row.write(key, condition(row)))
            .collect();
        let mut form = json!({"bus_props": bus_props(&self.bus_props), "fields": fields});
        self.title.write(&mut form, "title", "labels");
        for (name, texts) in [("intro", &self.intro), ("thanks", &self.thanks)] {
            if !texts.is_blank() {
                texts.write(&mut form, name, &format!("{name}_labels"));
            }
        }
        let links = self.links.iter().take(MAX_LINKS + 1).map(|link| {
            let mut written = json!({"url": with_scheme(link.url.trim())});
            link.label.write(&mut written, "label", "labels");
            written
        });
        form["links"] = links.collect();
        if !self.language.is_empty() {
            form["language"] = json!(self.language);
        }
        if self.piping {
            form["piping"] = json!(true);
        }
        form
    }

    /// What was ticked for a question that does not come before it: it counts again once that does.
    pub fn kept(&self, place: impl Borrow<usize>) -> &[String] {
        let place = *place.borrow();
        let row = &self.rows[place];
        let mut before = self.rows[..place].iter();
        if before.any(|of| of.id == row.if_row) {
            return &[];
        }
        &row.if_values
    }

    /// Bytes of what it has most of.
    pub fn size(&self) -> usize {
        let rows = self.rows.iter().map(FieldRow::size);
        let languages = 1 + self.others.len();
        let around = self.title.size() + self.intro.size() + self.thanks.size();
        let stored = self.before_bytes + self.retired_bytes;
        stored + self.bus_props.len() + around + languages * rows.sum::<usize>()
    }

    /// What is retired, as it comes back from the page.
    pub fn retired_text(&self) -> String {
        json!(self.retired).to_string()
    }

    /// Questions that can be had back: their keys, and what they ask.
    pub fn removed(&self) -> Vec<(&str, &str)> {
        let retired = self.retired.iter();
        retired
            .map(|(key, field)| (key.as_str(), field["label"].as_str().unwrap_or_default()))
            .collect()
    }

    /// Languages that were added and have no text yet, which are not stored.
    pub fn unsaid(&self) -> impl Iterator<Item = &str> {
        let others = self.others.iter().map(String::as_str);
        others.filter(|code| !self.texts().any(|texts| !is_blank(texts.get(Some(code)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(pairs: &[(&str, &str)]) -> FormDraft {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        FormDraft::from(SentPairs(pairs.collect()))
    }

    #[test]
    fn an_address_may_be_typed_without_its_scheme() {
        for (typed, written) in [
            ("www.example.org", "https://www.example.org"),
            (
                "example.org/imprint?a=b:c",
                "https://example.org/imprint?a=b:c",
            ),
            ("https://example.org", "https://example.org"),
            ("http://example.org", "http://example.org"),
            ("javascript:a.b", "javascript:a.b"),
            ("imprint", "imprint"),
            ("", ""),
        ] {
            assert_eq!(with_scheme(typed), written);
        }
    }

    #[test]
    fn what_was_read_is_written_as_it_was() {
        let form = json!({
            "title": "t", "bus_props": ["store:A"], "language": "en", "intro": "I", "intro_labels": {"fr": "J"},
            "links": [{"label": "L", "labels": {"de": "M"}, "url": "https://a.example"}],
            "fields": [
                {"key": "a", "type": "nps", "label": "A", "required": true},
                {"key": "b", "type": "rating", "label": "B", "required": false, "scale": 7},
                {"key": "c", "type": "choice", "label": "C", "required": false, "show_if": {"key": "a", "in": [0, 1]},
                 "options": [{"value": "x=1", "label": "X=Y", "labels": {"de": "Ü"}}, {"value": "z, zz", "label": "Z", "text": true}]},
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
        assert_eq!(
            read.others,
            BTreeSet::from(["de".to_owned(), "fr".to_owned()])
        );
        assert_eq!((read.missing("de"), read.missing("fr")), (5, 7));
    }

    #[test]
    fn a_new_question_refers_to_another_and_to_its_choices() {
        let first = [
            ("title", "t"),
            ("row", "+2"),
            ("type", "choice"),
            ("label", "How was it?"),
            ("option:+1", "Too cold"),
            ("option.de:+1", "Zu kalt"),
            ("option:+2", "Other"),
            ("option_text", "+2"),
            ("option:+3", ""),
        ];
        let second = [
            ("row", "+5"),
            ("type", "text"),
            ("label", "Why?"),
            ("if", "+2"),
            ("if_value:+1", "+1"),
            ("if_value:+2", "+2"),
        ];
        let empty = [("row", "+6"), ("type", "nps"), ("label", " ")];
        let draft = sent(&[&first[..], &second, &empty].concat());
        assert_eq!(
            draft.write()["fields"],
            json!([
                {"key": "how_was_it", "type": "choice", "label": "How was it?", "required": false, "options": [
                    {"value": "Too cold", "label": "Too cold", "labels": {"de": "Zu kalt"}},
                    {"value": "Other", "label": "Other", "text": true}]},
                {"key": "why", "type": "text", "label": "Why?", "required": false, "show_if": {"key": "how_was_it", "in": ["Other"]}},
            ])
        );
        // Moved before it, or without it, the page says so.
        for done in ["up:+5", "remove:+2"] {
            let mut moved = sent(&[&first[..], &second, &[("do", done)]].concat());
            moved.done = String::new();
            let wrong = moved.input().unwrap_err();
            let place = moved.rows.iter().position(|row| row.id == "+5").unwrap();
            assert_eq!(
                wrong[0].pointer,
                format!("/fields/{place}/show_if/key"),
                "{done}"
            );
        }
    }

    #[test]
    fn ticks_are_there_again_where_the_question_is_before_it_again() {
        let rows = [
            ("title", "t"),
            ("row", "+1"),
            ("type", "nps"),
            ("label", "A"),
            ("row", "+2"),
            ("type", "text"),
            ("label", "B"),
            ("if", "+1"),
            ("if_value:+1", "3"),
        ];
        let moved = sent(&[&rows[..], &[("do", "up:+2")]].concat());
        assert_eq!(moved.kept(0), ["3"]);
        assert!(moved.rows[1].if_values.is_empty());
        let stays = sent(&rows);
        assert!(stays.kept(1).is_empty() && stays.rows[1].if_values == ["3"]);
    }

    #[test]
    fn a_question_that_was_taken_away_can_be_had_back() {
        let field = json!({"key": "why", "type": "text", "label": "Why?", "required": true});
        let before = field.to_string();
        let rows = [
            ("title", "t"),
            ("row", "why"),
            ("before", &*before),
            ("type", "text"),
            ("label", "Why not?"),
        ];
        let removed = sent(&[&rows[..], &[("do", "remove:why")]].concat());
        assert_eq!(removed.removed(), [("why", "Why?")]);
        assert!(removed.rows.is_empty());
        let retired = removed.retired_text();
        let pairs = [("title", "t"), ("retired", &retired), ("do", "restore:why")];
        let restored = sent(&pairs);
        assert!(restored.removed().is_empty());
        assert_eq!(restored.write()["fields"], json!([field]));
        // One that is new has nothing to be had back.
        let pairs = [("row", "+1"), ("label", "A"), ("do", "remove:+1")];
        assert!(sent(&pairs).removed().is_empty());
    }

    #[test]
    fn groups_to_compare_are_typed_by_their_names() {
        for (typed, entries) in [
            (
                " Berlin \n\nKöln\nBerlin\nstore:Berlin",
                vec!["store:Berlin", "store:Köln"],
            ),
            (
                "A\nregion:Nord\nstore:B",
                vec!["store:A", "region:Nord", "store:B"],
            ),
            (
                "Ort:Ulm\nregion:Nord\nKöln",
                vec!["Ort:Ulm", "region:Nord", "Ort:Köln"],
            ),
            (":x\nA", vec![":x", "store:A"]),
            ("", vec![]),
        ] {
            assert_eq!(bus_props(typed), entries);
        }
        let wrong = sent(&[("title", "t"), ("bus_props", "A\nB:")]).input();
        let wrong = wrong.unwrap_err();
        assert_eq!(
            (&*wrong[0].pointer, &*wrong[0].detail),
            ("/bus_props/1", "B:")
        );
    }

    #[test]
    fn a_language_without_texts_is_told() {
        let pairs = [
            ("title", "t"),
            ("title.fr", "u"),
            ("also", "fr"),
            ("also", "de"),
        ];
        assert_eq!(sent(&pairs).unsaid().collect::<Vec<_>>(), ["de"]);
    }

    #[test]
    fn nothing_half_filled_is_left_out() {
        let wrong = |pairs: &[(&str, &str)]| {
            let wrong = sent(&[&[("title", "t")], pairs].concat())
                .input()
                .unwrap_err();
            wrong.into_iter().map(|one| one.pointer).collect::<Vec<_>>()
        };
        let row = [("row", "+1"), ("type", "choice"), ("label", "")];
        assert_eq!(
            wrong(&[&row[..], &[("option:+1", "A")]].concat()),
            ["/fields/0/label"]
        );
        assert_eq!(
            wrong(&[("row", "a"), ("type", "text"), ("label", "")]),
            ["/fields/0/label"]
        );
        let translated = [
            ("row", "+1"),
            ("type", "choice"),
            ("label", "A"),
            ("option:+1", ""),
            ("option.de:+1", "B"),
        ];
        assert_eq!(wrong(&translated), ["/fields/0/options/0/label"]);
        assert_eq!(
            wrong(&[("link", ""), ("link_label", "A")]),
            ["/links/0/url"]
        );
        assert_eq!(wrong(&[("intro", ""), ("intro.de", "B")]), ["/intro"]);
        assert_eq!(
            wrong(&[
                ("row", "+1"),
                ("type", "rating"),
                ("label", "A"),
                ("scale", "x")
            ]),
            ["/fields/0/scale"]
        );
    }

    #[test]
    fn a_key_is_that_of_nobody_else() {
        let pairs = [
            ("title", "t"),
            (
                "retired",
                r#"{"name": {"type": "text"}, "old": {"type": "nps"}}"#,
            ),
            ("row", "more"),
            ("type", "text"),
            ("label", "More"),
            ("row", "+1"),
            ("type", "text"),
            ("label", "Name"),
            ("row", "+2"),
            ("type", "nps"),
            ("label", "Would you?"),
            ("row", "+3"),
            ("type", "text"),
            ("label", "你好"),
            ("row", "+4"),
            ("type", "text"),
            ("label", "Visit"),
        ];
        let keys = sent(&pairs).keys();
        assert_eq!(keys, ["more", "name_2", "old", "question", "visit_2"]);
    }

    #[test]
    fn a_key_has_the_base_letters_of_its_label() {
        for (label, key) in [
            ("Möchten Sie größere Räume?", "moechten_sie_groessere_r"),
            ("Été à l’hôtel", "ete_a_l_hotel"),
            ("Łódź, İzmir", "lodz_izmir"),
            ("ÜBER", "ueber"),
        ] {
            let pairs = [
                ("title", "t"),
                ("row", "+1"),
                ("type", "text"),
                ("label", label),
            ];
            assert_eq!(sent(&pairs).keys(), [key]);
        }
    }
}
