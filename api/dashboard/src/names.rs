//! What people call forms and campaigns, which other things know by their ids.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;

use api_http::{QUICK, Result, within};
use api_import::operations::read_batch;
use api_language::Text;
use chrono_tz::Tz;
use domain::campaign::{Audience, UnknownBusProps};
use domain::form::{BusProp, BusPropEntry, FormContent, FormStatus};
use store::import::Batch;
use uuid::Uuid;

use crate::signed_in::SignedIn;

/// Of so many forms and so many campaigns, the newest.
const MOST: usize = 200;
/// So many imports of a campaign are named.
const NAMED: usize = 10;

/// A form that can be chosen.
pub struct FormChoice {
    pub form_id: String,
    pub title: String,
}

/// The values of a business property that can be chosen.
pub struct BusPropGroup<'a> {
    pub name: &'a str,
    pub values: Vec<&'a BusProp>,
}

/// The name of a business property as people read it: usual ones in their language.
pub fn property_name(t: &Text, name: impl Display) -> String {
    t.known("property", &name)
        .unwrap_or_else(|| name.to_string())
}

/// The column that is called as a business property, or as pages call it, whatever its case.
pub fn called_as<'c>(
    t: &Text,
    name: &str,
    columns: impl IntoIterator<Item = &'c String>,
) -> Option<&'c String> {
    let called = [name.to_lowercase(), property_name(t, name).to_lowercase()];
    let columns: Vec<&String> = columns.into_iter().collect();
    called.iter().find_map(|called| {
        let mut columns = columns.iter().copied();
        columns.find(|column| column.to_lowercase() == *called)
    })
}

/// What belongs to no value of a business property.
pub fn without(t: &Text, name: impl Display) -> String {
    t.with("stores-no-value", property_name(t, name))
}

/// A business property, `<name>:<value>`, as people read it.
pub fn bus_prop_words(t: &Text, bus_prop: impl Display) -> String {
    let text = bus_prop.to_string();
    let Some((name, value)) = text.split_once(':') else {
        return text;
    };
    t.labelled(property_name(t, name), value)
}

/// An import as people know it: its file, and when it came.
pub fn import_name(t: &Text, zone: Tz, batch: &Batch) -> String {
    let at = t.moment(&batch.created_at, zone);
    match &batch.name {
        Some(name) => format!("{name}, {at}"),
        None => at,
    }
}

/// The people whom an import stands for at most: some may have come with another one since.
pub fn import_people(batch: &Batch) -> i64 {
    batch.outcomes.created + batch.outcomes.updated + batch.pending - batch.erased
}

/// The imports of an audience; empty if they are many, or one cannot be had.
pub async fn import_names(person: &SignedIn, audience: &Audience) -> Vec<String> {
    let batch_ids = match audience {
        Audience::Batches { batch_ids } if batch_ids.len() <= NAMED => batch_ids,
        _ => return Vec::new(),
    };
    let zone = person.caller.time_zone();
    let mut names = Vec::new();
    for batch_id in batch_ids {
        let Ok(body) = read_batch(&person.caller, *batch_id).await else {
            return Vec::new();
        };
        names.push(import_name(person.t, zone, &body.batch));
    }
    names
}

/// Business properties that a form does not have, each with how many have it.
#[derive(Default)]
pub struct UnknownWords {
    /// Those that can be added to the form.
    pub addable: Vec<String>,
    /// Those that are nearly another, with that.
    pub similar: Vec<String>,
}

impl UnknownWords {
    pub fn is_empty(&self) -> bool {
        self.addable.is_empty() && self.similar.is_empty()
    }
}

/// What a form does not have, told apart by whether it has nearly the same.
pub async fn unknown_bus_props(
    person: &SignedIn,
    form_id: Uuid,
    unknown: &UnknownBusProps,
) -> UnknownWords {
    let mut words = UnknownWords::default();
    if unknown.is_empty() {
        return words;
    }
    // A page can do without what is nearly the same.
    let form = person.state.app.form(person.account_id, form_id).await;
    let known = form.iter().flat_map(|form| &form.content.bus_props);
    let known = known.filter(|entry| !entry.retired);
    let known = known.map(|entry| &entry.text);
    let similar = unknown.similar(known);
    for (text, people) in unknown.iter() {
        let similar = similar.get(text);
        let words = match similar {
            Some(_) => &mut words.similar,
            None => &mut words.addable,
        };
        words.push(unknown_words(person.t, text, people, similar));
    }
    words
}

fn unknown_words(t: &Text, text: &str, people: u64, similar: Option<&&str>) -> String {
    let people = t.number(i64::try_from(people).unwrap_or(i64::MAX));
    let words = format!("{} ({people})", bus_prop_words(t, text));
    match similar {
        Some(similar) => format!("{words} {}", t.with("field-similar", similar)),
        None => words,
    }
}

/// What a list of business properties is called: by their name, if they have one name.
pub fn bus_prop_label(t: &Text, groups: &[BusPropGroup<'_>]) -> String {
    match groups {
        [only] => property_name(t, only.name),
        _ => t.get("bus-prop"),
    }
}

/// Business properties by name.
pub fn bus_prop_groups<'a>(
    entries: impl Iterator<Item = &'a BusPropEntry>,
) -> Vec<BusPropGroup<'a>> {
    let mut groups: Vec<BusPropGroup<'_>> = Vec::new();
    for entry in entries {
        let name = entry.text.name();
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.values.push(&entry.text),
            None => groups.push(BusPropGroup {
                name,
                values: vec![&entry.text],
            }),
        }
    }
    groups
}

/// What the business properties of a form that are in use are called.
pub fn bus_prop_names(form: &FormContent) -> Vec<String> {
    let entries = form.bus_props.iter().filter(|entry| !entry.retired);
    let groups = bus_prop_groups(entries).into_iter();
    groups.map(|group| group.name.to_owned()).collect()
}

/// The forms that are published, newest first.
///
/// # Errors
/// 503.
pub async fn published(person: &SignedIn) -> Result<Vec<FormChoice>> {
    let (store, status) = (person.store(), FormStatus::Published);
    let titles = store.form_titles(person.account_id, Some(status), MOST);
    Ok(choices(within(QUICK, titles).await?))
}

/// Those of them that have stores or groups, newest first.
///
/// # Errors
/// 503.
pub async fn with_bus_props(person: &SignedIn) -> Result<Vec<FormChoice>> {
    let store = person.store();
    let titles = store.form_titles_with_bus_props(person.account_id, MOST);
    Ok(choices(within(QUICK, titles).await?))
}

fn choices(titles: Vec<(Uuid, String)>) -> Vec<FormChoice> {
    let choice = |(form_id, title): (Uuid, String)| FormChoice {
        form_id: form_id.to_string(),
        title,
    };
    titles.into_iter().map(choice).collect()
}

/// The tracking fields that links of campaigns have. A page can do without them: what cannot be read has none.
pub async fn track_fields(person: &SignedIn) -> BTreeSet<String> {
    let campaigns = person.store().campaigns(person.account_id, None, MOST);
    let campaigns = campaigns.await.into_iter().flat_map(|page| page.rows);
    campaigns
        .flat_map(|campaign| campaign.content.track_fields)
        .collect()
}

/// Names by their ids. A page can do without them: what cannot be read has none.
pub async fn names(person: &SignedIn) -> HashMap<String, String> {
    let (store, account_id) = (person.store(), person.account_id);
    let forms = store.form_titles(account_id, None, MOST).await;
    let campaigns = store.campaigns(account_id, None, MOST).await;
    let campaigns = campaigns.into_iter().flat_map(|page| page.rows);
    let campaigns = campaigns.map(|one| (one.campaign_id, one.content.name));
    let all = forms.unwrap_or_default().into_iter().chain(campaigns);
    all.map(|(id, name)| (id.to_string(), name)).collect()
}

#[cfg(test)]
mod tests {
    use api_language::of_code;

    use super::*;

    #[test]
    fn what_is_nearly_in_the_form_is_told() {
        let (english, french) = (of_code("en"), of_code("fr"));
        for (t, text, similar, words) in [
            (
                english,
                "store:Berlin  mitte",
                Some(&"Berlin Mitte"),
                "store: Berlin  mitte (3) Did you mean “Berlin Mitte”?",
            ),
            (english, "store:Filiale 13", None, "store: Filiale 13 (3)"),
            (french, "Ort:Ulm", None, "Ort\u{a0}: Ulm (3)"),
        ] {
            assert_eq!(unknown_words(t, text, 3, similar), words);
        }
    }
}
