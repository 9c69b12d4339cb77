//! What a change in the audit log made of a form, a campaign or settings, in words.

use std::collections::HashMap;

use api_language::Text;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::changes::{ChangedMember, Changes};
use serde_json::Value;

use crate::page::text;

/// So many members are named before somebody looks.
const NAMED: usize = 3;

/// What stands in these is called as somebody called it, such as the key of a question.
const NAMED_BY_PEOPLE: [&str; 8] = [
    "fields",
    "options",
    "bus_props_from",
    "per_day",
    "labels",
    "intro_labels",
    "thanks_labels",
    "sender",
];

/// A member that was changed, in words; `before` and `after` are empty where nothing was.
pub struct ShownChange {
    pub member: String,
    pub before: String,
    pub after: String,
}

impl ShownChange {
    /// How it was and how it is, each behind the key of its text.
    pub fn sides(&self) -> [(&'static str, &str); 2] {
        [("audit-before", &self.before), ("audit-after", &self.after)]
    }
}

/// The members of a change; `names` are those of forms and campaigns by their ids.
pub fn shown(
    changes: &Changes,
    (t, zone): (&Text, Tz),
    names: &HashMap<String, String>,
) -> Vec<ShownChange> {
    let shown = |change: &ChangedMember| {
        let value = |value| value_words(&change.member, value, (t, zone), names);
        ShownChange {
            member: member_words(t, &change.member),
            before: value(&change.before),
            after: value(&change.after),
        }
    };
    changes.changes.iter().map(shown).collect()
}

/// That more was changed than is kept.
pub fn more(t: &Text, changes: &Changes) -> Option<String> {
    let more = i64::try_from(changes.changes_dropped).unwrap_or(i64::MAX);
    (more > 0).then(|| t.count("audit-more", more))
}

/// How many there are, and the names of the first.
pub fn summary(t: &Text, changes: &[ShownChange]) -> String {
    let count = i64::try_from(changes.len()).unwrap_or(i64::MAX);
    let mut names: Vec<_> = changes.iter().map(|one| one.member.as_str()).collect();
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push("…");
    }
    t.labelled(t.count("audit-changes", count), names.join(", "))
}

/// The names of a pointer, as people call them.
fn member_words(t: &Text, member: &str) -> String {
    let names: Vec<_> = names_of(member).collect();
    let words = names.iter().enumerate().map(|(place, name)| {
        let is_within = |other: &&str| place > 0 && names[place - 1] == **other;
        if NAMED_BY_PEOPLE.iter().any(is_within) {
            return name.clone();
        }
        // The same name may be another thing in another one.
        let before = names[..place].iter().rev();
        let mut within = before.map(|other| format!("{other}-{name}"));
        let of_other = within.find_map(|both| t.known("member", both));
        let known = of_other.or_else(|| t.known("member", name));
        known.unwrap_or_else(|| name.clone())
    });
    words.collect::<Vec<_>>().join(" › ")
}

fn names_of(member: &str) -> impl Iterator<Item = String> {
    let names = member.split('/').skip(1);
    names.map(|name| name.replace("~1", "/").replace("~0", "~"))
}

fn value_words(
    member: &str,
    value: &Value,
    (t, zone): (&Text, Tz),
    names: &HashMap<String, String>,
) -> String {
    let kind = match names_of(member).last().as_deref() {
        Some("type") => "type",
        Some("days") => "day",
        Some("language") => "language",
        _ => "",
    };
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => t.get("audit-yes"),
        Value::Bool(false) => t.get("audit-no"),
        Value::String(word) => {
            let moment = word.parse::<DateTime<Utc>>().ok();
            let known = (!kind.is_empty()).then(|| t.known(kind, word)).flatten();
            known
                .or_else(|| names.get(word).cloned())
                .or_else(|| moment.map(|at| t.moment(&at, zone)))
                .unwrap_or_else(|| word.clone())
        }
        Value::Array(values) => {
            let words = values.iter();
            let words = words.map(|value| value_words(member, value, (t, zone), names));
            words.collect::<Vec<_>>().join(", ")
        }
        other => text(other),
    }
}

#[cfg(test)]
mod tests {
    use api_language::of_code;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_is_told_as_people_call_what_was_changed() {
        let form = "0190c0de-0000-7000-8000-000000000000";
        let names = HashMap::from([(form.to_owned(), "After the visit".to_owned())]);
        let told = |code, member: &str, before: Value, after: Value| {
            let changes = Changes {
                changes: vec![ChangedMember {
                    member: member.to_owned(),
                    before,
                    after,
                }],
                changes_dropped: 0,
            };
            let t = of_code(code);
            let mut all = shown(&changes, (t, Tz::Europe__Berlin), &names);
            let one = all.pop().unwrap();
            [one.member, one.before, one.after]
        };
        for (code, member, before, after, expected) in [
            (
                "en",
                "/reminder/text",
                json!(null),
                json!("Again {link}"),
                ["Reminder › Text", "", "Again {link}"],
            ),
            (
                "de",
                "/fields/name~1first/required",
                json!(false),
                json!(true),
                ["Fragen › name/first › Pflicht", "nein", "ja"],
            ),
            (
                "fr",
                "/audience/fields",
                json!(["store"]),
                json!(["store", "city"]),
                ["Qui le reçoit › avec les colonnes", "store", "store, city"],
            ),
            (
                "en",
                "/send_window/days",
                json!(["mon"]),
                json!(["mon", "sun"]),
                ["Hours for sending › days", "Mon", "Mon, Sun"],
            ),
            (
                "en",
                "/form_id",
                json!(form),
                json!("2026-01-31T23:00:00Z"),
                ["Form", "After the visit", "1 Feb 2026, 00:00"],
            ),
        ] {
            assert_eq!(told(code, member, before, after), expected);
        }
    }
}
