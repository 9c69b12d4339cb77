//! What the editor of campaigns tells of columns: those that nobody has, those that the form's texts need, and the one that answers could
//! be grouped by.

use std::collections::BTreeSet;

use api_language::Text;
use domain::campaign::{Columns, MAX_COPIED_FIELDS, Preview, similar_name};

use crate::campaign_draft::CampaignDraft;
use crate::names::called_as;

/// What a column of stores is called: its name, or the first word of it, in small letters.
const STORES: [&str; 11] = [
    "store",
    "stores",
    "shop",
    "filiale",
    "filial",
    "filialname",
    "filialnummer",
    "filialnr",
    "standort",
    "magasin",
    "agence",
];

/// Whether the name of a column is that of a store.
fn is_of_stores(column: &str) -> bool {
    let column = column.to_lowercase();
    let mut words = column.split(|c: char| !c.is_alphanumeric());
    words.next().is_some_and(|word| STORES.contains(&word))
}

/// What is said of a draft that groups answers by nothing, while a column looks as if it could.
pub fn ungrouped(t: &Text, draft: &CampaignDraft, columns: &Columns) -> Option<String> {
    if !draft.started.is_empty() || !draft.group_columns().is_empty() {
        return None;
    }
    let (names, mut bus_props) = (&columns.names, columns.bus_props.iter());
    let column = columns.of_form.as_ref();
    let column = column.or_else(|| bus_props.find_map(|name| called_as(t, name, names)));
    let column = column.or_else(|| names.iter().find(|column| is_of_stores(column)))?;
    let words = t.with("ungrouped", column);
    Some(if columns.bus_props.is_empty() {
        format!("{words} {}", t.get("ungrouped-form"))
    } else {
        words
    })
}

/// What is said of columns that a draft, its texts or those of its form use and nobody has or that it does not keep, unless the preview
/// says that they are missing. `columns` are those of the account.
pub fn strange(
    t: &Text,
    draft: &CampaignDraft,
    columns: &[String],
    preview: &Preview,
) -> Vec<String> {
    if columns.is_empty() {
        return Vec::new();
    }
    let known: BTreeSet<String> = columns.iter().cloned().collect();
    let mut used = draft.text_columns();
    if draft.started.is_empty() {
        used.extend(draft.kept_columns());
        used.extend(draft.group_columns().into_iter().map(|group| group.column));
    }
    let told = &preview.fields_missing;
    used.retain(|column| told.iter().all(|field| field.name != *column));
    let strange = used.difference(&known).take(MAX_COPIED_FIELDS);
    let strange = strange.map(|column| with_similar(t, "column-strange", column, &known));
    strange.chain(of_form(t, draft, &preview.columns)).collect()
}

/// The same of the form's texts, as long as it can be changed.
fn of_form(t: &Text, draft: &CampaignDraft, columns: &Columns) -> Vec<String> {
    if !draft.started.is_empty() || columns.names.is_empty() {
        return Vec::new();
    }
    let (kept, groups) = (draft.kept_columns(), draft.group_names());
    let piped = columns.piped.iter();
    // A link has the customer number, and the values that answers are grouped by.
    let piped = piped.filter(|name| *name != "docid" && !groups.contains(name));
    let sentence = |name: &String| {
        if !columns.names.contains(name) {
            Some(with_similar(t, "form-field-nobody", name, &columns.names))
        } else if kept.contains(name) {
            None
        } else {
            Some(t.with("form-field-not-kept", name))
        }
    };
    piped.filter_map(sentence).take(MAX_COPIED_FIELDS).collect()
}

/// A sentence about a name that nobody has, and the name that is nearly the same.
fn with_similar(t: &Text, key: &str, name: &str, known: &BTreeSet<String>) -> String {
    let words = t.with(key, name);
    match similar_name(name, known) {
        Some(similar) => format!("{words} {}", t.with("field-similar", similar)),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use api_language::of_code;

    use super::*;
    use crate::campaign_draft::Group;

    fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
        names.map(str::to_owned).into()
    }

    #[test]
    fn a_column_that_looks_like_one_of_stores_is_told() {
        let t = of_code("de");
        let told = |draft: &CampaignDraft, columns: &[&str], of_form: Option<&str>| {
            let columns = Columns {
                names: columns.iter().map(|&name| name.to_owned()).collect(),
                of_form: of_form.map(str::to_owned),
                bus_props: names(["Kasse", "store"]),
                ..Columns::default()
            };
            ungrouped(t, draft, &columns)
        };
        let new = CampaignDraft::default();
        for (columns, of_form, expected) in [
            (&["Ort", "FILIALE"][..], None, Some("FILIALE")),
            (&["Filial-Nr.", "kasse"], None, Some("kasse")),
            (&["Filiale", "Ort"], Some("Ort"), Some("Ort")),
            (&["Vorname", "store_code"], None, Some("store_code")),
            (&["Vorname", "Shopify"], None, None),
        ] {
            let expected = expected.map(|column| t.with("ungrouped", column));
            assert_eq!(told(&new, columns, of_form), expected, "{columns:?}");
        }
        let started = CampaignDraft {
            started: "yes".to_owned(),
            ..CampaignDraft::default()
        };
        assert_eq!(told(&started, &["Filiale"], None), None);
        let column = "Ort".to_owned();
        let grouped = CampaignDraft {
            groups: vec![Group {
                column,
                ..Group::default()
            }],
            ..CampaignDraft::default()
        };
        assert_eq!(told(&grouped, &["Filiale"], None), None);
        // A form without stores can take the values.
        let columns = Columns {
            names: names(["Magasin"]),
            ..Columns::default()
        };
        let words = ungrouped(of_code("en"), &new, &columns).unwrap();
        assert!(words.contains("“Magasin”"), "{words}");
        assert!(words.contains("values to the form"), "{words}");
    }

    #[test]
    fn what_the_texts_of_a_form_lack_is_told() {
        let draft = CampaignDraft {
            kept: vec!["Vorname".to_owned()],
            groups: vec![Group {
                column: "Filiale".to_owned(),
                name: "store".to_owned(),
            }],
            ..CampaignDraft::default()
        };
        let preview = Preview {
            columns: Columns {
                names: names(["Filiale", "Vorname", "Store Name", "Ort"]),
                piped: names(["Ort", "Vorname", "docid", "nick", "store", "store_name"]),
                ..Columns::default()
            },
            ..Preview::default()
        };
        let columns = ["Filiale", "Vorname", "Store Name", "Ort"].map(str::to_owned);
        let told = strange(of_code("en"), &draft, &columns, &preview);
        let expected = [
            "The form inserts “Ort”, but the campaign does not keep this column: tick it under “Columns to keep with each answer”.",
            "The form inserts “nick”, but none of these people have this column.",
            "The form inserts “store_name”, but none of these people have this column. Did you mean “Store Name”?",
        ];
        assert_eq!(told, expected);
    }
}
