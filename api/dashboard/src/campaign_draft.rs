//! A campaign as its editor has it, and the content that it stands for.

use std::collections::{BTreeSet, HashSet};

use api_http::{Problem, Result};
use api_language::Text;
use api_send::operations::SentTest;
use chrono::{DateTime, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;
use domain::campaign::{
    Audience, CampaignContent, MAX_BATCHES, MAX_BUS_PROPS_FROM, MAX_COPIED_FIELDS, SampleShare,
    SenderChoice,
};
use domain::price::Money;
use domain::sms::Template;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::campaign_senders::{self, CountryRow, MAX_COUNTRIES};
use crate::campaign_settings::DAYS;
use crate::money;
use crate::names::called_as;
use crate::sent::SentPairs;

/// An audience that the page has no words for stays as it is.
const KEEP: &str = "keep";
/// The hours in which a new one sends.
pub const WINDOW: (&str, &str) = ("09:00", "20:00");
/// How a page's input has a moment.
const MOMENT: &str = "%Y-%m-%dT%H:%M";

/// What the page's form has. Lists are texts with commas.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct CampaignDraft {
    /// What is stored, in JSON; what the page has no words for stays as it is.
    pub before: String,
    pub name: String,
    pub form_id: String,
    /// [`KEEP`](campaign_senders::KEEP): what is stored.
    pub sender: String,
    /// Who takes its messages while it is away, and who while that one is too; empty: nobody.
    pub next_sender: String,
    pub third_sender: String,
    /// Countries that have others.
    #[serde(skip)]
    pub countries: Vec<CountryRow>,
    pub text: String,
    /// Empty: whoever comes with an import for it; [`KEEP`]: what is stored; else a batch.
    pub audience: String,
    /// Beside a batch: others.
    #[serde(skip)]
    pub also: Vec<String>,
    /// Columns to keep that were chosen, in their order.
    #[serde(skip)]
    pub kept: Vec<String>,
    /// Those that were typed.
    pub track_fields: String,
    /// Columns to group by that were chosen.
    #[serde(skip)]
    pub groups: Vec<Group>,
    /// Those that were typed: `store=store_code`, a business property and the field that has its value, or a field alone.
    pub bus_props_from: String,
    /// Empty: any time.
    pub window_from: String,
    pub window_to: String,
    /// Names of days.
    pub days: Vec<String>,
    /// In the account's zone.
    pub starts_at: String,
    pub delay_minutes: String,
    pub send_within_hours: String,
    pub link_expires_after_days: String,
    pub max_messages: String,
    /// In percent; empty: all.
    pub sample: String,
    /// Empty: no limit.
    pub budget: String,
    pub budget_currency: String,
    #[serde(skip)]
    pub quotas: Vec<Quota>,
    pub contact_gap_days: String,
    pub max_parts: String,
    pub reminder_days: String,
    pub reminder_text: String,
    /// Of one that was started: some of it stays as it is.
    pub started: String,
    /// Of one that was started: how many of its first messages were still to be sent when its page was drawn.
    pub waiting: String,
    /// Nothing of it may change any more.
    #[serde(skip)]
    pub is_over: bool,
    #[serde(skip)]
    pub test: TestDraft,
}

/// A column that answers are grouped by.
#[derive(Clone, Default)]
pub struct Group {
    pub column: String,
    /// What reports call it; empty: as the column.
    pub name: String,
}

/// How many of each value of a business property are asked a day, as it was typed.
#[derive(Clone, Default)]
pub struct Quota {
    pub name: String,
    pub most: String,
}

/// A test message: what was typed, why it was refused, or the message.
#[derive(Default)]
pub struct TestDraft {
    pub phone: String,
    pub docid: String,
    pub problem: Option<Problem>,
    pub shown: Option<SentTest>,
}

impl From<SentPairs> for CampaignDraft {
    /// Each `group_column` begins a group, each `quota_name` a quota, each `country` its senders.
    fn from(SentPairs(pairs): SentPairs) -> Self {
        let (mut days, mut kept, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let mut also = Vec::new();
        let (mut groups, mut quotas) = (Vec::<Group>::new(), Vec::<Quota>::new());
        let mut countries = Vec::<CountryRow>::new();
        for (name, value) in pairs {
            match (&*name, countries.last_mut()) {
                ("country", _) => countries.push(CountryRow {
                    country: value,
                    ..CountryRow::default()
                }),
                ("country_sender", Some(row)) => row.sender = value,
                ("country_next", Some(row)) => row.next_sender = value,
                _ => others.push((name, value)),
            }
        }
        for (name, value) in std::mem::take(&mut others) {
            match (&*name, groups.last_mut(), quotas.last_mut()) {
                ("day", ..) => days.push(value),
                ("also", ..) => also.push(value),
                ("keep", ..) => kept.push(value),
                ("group_column", ..) => groups.push(Group {
                    column: value,
                    name: String::new(),
                }),
                ("group_name", Some(group), _) => value.trim().clone_into(&mut group.name),
                ("quota_name", ..) => quotas.push(Quota {
                    name: value,
                    most: String::new(),
                }),
                ("quota_most", _, Some(quota)) => value.trim().clone_into(&mut quota.most),
                _ => others.push((name, value)),
            }
        }
        countries.retain(|row| !row.country.is_empty() || !row.sender.is_empty());
        countries.truncate(MAX_COUNTRIES + 1);
        groups.retain(|group| !group.column.is_empty());
        quotas.retain(|quota| !quota.name.is_empty() || !quota.most.is_empty());
        // One more than a campaign may have is enough to be refused.
        also.truncate(MAX_BATCHES + 1);
        kept.truncate(MAX_COPIED_FIELDS + 1);
        groups.truncate(MAX_BUS_PROPS_FROM + 1);
        quotas.truncate(MAX_BUS_PROPS_FROM + 1);
        let draft = serde_json::from_value(others.into_iter().collect());
        Self {
            countries,
            also,
            kept,
            groups,
            days,
            quotas,
            ..draft.unwrap_or_default()
        }
    }
}

impl CampaignDraft {
    /// What its messages may cost, where that is typed.
    pub fn budget(&self) -> Option<Money> {
        let written = money::written(&self.budget, &self.budget_currency);
        serde_json::from_value(written).ok()
    }

    /// A copy that was not started.
    pub fn into_new(self, t: &Text) -> Self {
        Self {
            name: t.with("copy-of", self.name),
            started: String::new(),
            waiting: String::new(),
            is_over: false,
            ..self
        }
    }

    pub fn read(content: &CampaignContent, zone: Tz) -> Self {
        let window = json!(content.send_window);
        // A whole day is no hours.
        let time = |name| match window[name].as_str().unwrap_or_default() {
            "00:00" if window["to"] == "24:00" => String::new(),
            "24:00" if window["from"] == "00:00" => String::new(),
            "24:00" => "00:00".to_owned(),
            time => time.to_owned(),
        };
        let days = window["days"].as_array().map_or_else(
            || DAYS.map(str::to_owned).to_vec(),
            |days| days.iter().map(crate::page::text).collect(),
        );
        let local = |at: DateTime<Utc>| at.with_timezone(&zone).format(MOMENT).to_string();
        let reminder = content.reminder.as_ref();
        let (audience, also) = audience(&content.audience);
        let before = json!(content);
        let (main, countries) = campaign_senders::chosen(&content.sender);
        let [sender, next_sender, third_sender] = main;
        Self {
            before: before.to_string(),
            name: content.name.clone(),
            form_id: content.form_id.to_string(),
            sender,
            next_sender,
            third_sender,
            countries,
            text: content.text.as_str().to_owned(),
            audience,
            also,
            kept: content.track_fields.clone(),
            track_fields: String::new(),
            groups: groups(content),
            bus_props_from: String::new(),
            window_from: time("from"),
            window_to: time("to"),
            days,
            starts_at: content.starts_at.map_or_else(String::new, local),
            delay_minutes: content.delay_minutes.to_string(),
            send_within_hours: content.send_within_hours.to_string(),
            link_expires_after_days: content.link_expires_after_days.to_string(),
            max_messages: content
                .max_messages
                .map_or_else(String::new, |most| most.to_string()),
            sample: content.sample.map_or_else(String::new, percent),
            budget: content
                .budget
                .as_ref()
                .map_or_else(String::new, money::typed),
            budget_currency: content
                .budget
                .as_ref()
                .map_or_else(String::new, |budget| budget.currency.as_str().to_owned()),
            quotas: quotas(content),
            contact_gap_days: content.contact_gap_days.to_string(),
            max_parts: content.max_parts.to_string(),
            reminder_days: reminder.map_or_else(String::new, |one| one.after_days.to_string()),
            reminder_text: reminder.map_or_else(String::new, |one| one.text.as_str().to_owned()),
            started: String::new(),
            waiting: String::new(),
            is_over: false,
            test: TestDraft::default(),
        }
    }

    /// The content, or what is wrong with it.
    ///
    /// # Errors
    /// 422.
    pub fn content(&self, zone: Tz) -> Result<CampaignContent> {
        CampaignContent::parse(&self.write(zone)).map_err(Problem::invalid)
    }

    /// What it does, whatever its name, form, sender and text are; `None`: something else is wrong.
    pub fn settings(&self, zone: Tz) -> Option<CampaignContent> {
        let mut campaign = self.write(zone);
        campaign["form_id"] = json!(Uuid::nil());
        for (member, value) in [("name", "-"), ("sender", "-"), ("text", "{link}")] {
            campaign[member] = json!(value);
        }
        CampaignContent::parse(&campaign).ok()
    }

    /// What it makes of what is stored, whose other members stay.
    fn write(&self, zone: Tz) -> Value {
        let before =
            CampaignContent::parse(&serde_json::from_str(&self.before).unwrap_or_default());
        let before = before.ok();
        let mut campaign: Map<String, Value> =
            serde_json::from_str(&self.before).unwrap_or_default();
        // What is no number is said to be wrong by the operation.
        let number = |text: &str| match text.trim() {
            "" => Value::Null,
            text => text
                .parse::<i64>()
                .map_or_else(|_| json!(text), |number| json!(number)),
        };
        let bus_props: Map<_, _> = self
            .group_columns()
            .into_iter()
            .map(|group| (group.name, json!(group.column)))
            .collect();
        let per_day = self.quotas.iter();
        let per_day = per_day.map(|quota| (quota.name.clone(), number(&quota.most)));
        let [days, text] = [&self.reminder_days, &self.reminder_text].map(|text| text.trim());
        let reminder = (!days.is_empty() || !text.is_empty())
            .then(|| json!({"after_days": number(days), "text": self.reminder_text}));
        let starts_at = match NaiveDateTime::parse_from_str(&self.starts_at, MOMENT) {
            Ok(local) => match (zone.from_local_datetime(&local).earliest(), &before) {
                // Seconds are not shown.
                (Some(at), Some(before))
                    if before
                        .starts_at
                        .is_some_and(|known| (known - at.to_utc()).num_minutes() == 0) =>
                {
                    json!(before.starts_at)
                }
                (Some(at), _) => json!(at.to_utc()),
                (None, _) => json!(self.starts_at),
            },
            Err(_) if self.starts_at.is_empty() => Value::Null,
            Err(_) => json!(self.starts_at),
        };
        for (name, value) in [
            ("name", json!(self.name)),
            ("form_id", json!(self.form_id)),
            ("text", json!(self.text)),
            ("send_window", self.window()),
            ("starts_at", starts_at),
            ("delay_minutes", number(&self.delay_minutes)),
            ("send_within_hours", number(&self.send_within_hours)),
            (
                "link_expires_after_days",
                number(&self.link_expires_after_days),
            ),
            ("max_messages", number(&self.max_messages)),
            ("sample", share(&self.sample)),
            ("per_day", Value::Object(per_day.collect())),
            (
                "budget",
                money::written(&self.budget, &self.budget_currency),
            ),
            ("contact_gap_days", number(&self.contact_gap_days)),
            ("max_parts", number(&self.max_parts)),
            ("reminder", json!(reminder)),
        ] {
            campaign.insert(name.to_owned(), value);
        }
        // Of one that was started they stay as they are.
        if self.started.is_empty() {
            campaign.insert("track_fields".to_owned(), json!(self.kept_columns()));
            campaign.insert("bus_props_from".to_owned(), Value::Object(bus_props));
        }
        let sender = self.written_senders();
        campaign.extend(sender.map(|sender| ("sender".to_owned(), sender)));
        let audience = self.written_audience();
        campaign.extend(audience.map(|audience| ("audience".to_owned(), audience)));
        Value::Object(campaign)
    }

    /// The senders that it names, whatever else it is.
    pub fn senders(&self) -> Option<SenderChoice> {
        let before: Value = serde_json::from_str(&self.before).unwrap_or_default();
        let sender = self.written_senders();
        serde_json::from_value(sender.unwrap_or_else(|| before["sender"].clone())).ok()
    }

    /// `None`: what is stored.
    fn written_senders(&self) -> Option<Value> {
        let main = [&self.sender, &self.next_sender, &self.third_sender];
        campaign_senders::written(main.map(String::as_str), &self.countries)
    }

    /// The countries with senders of their own, and one that is empty.
    pub fn countries_and_more(&self) -> Vec<CountryRow> {
        let more = std::iter::once(CountryRow::default());
        self.countries.iter().cloned().chain(more).collect()
    }

    /// `None`: what is stored.
    fn written_audience(&self) -> Option<Value> {
        match &*self.audience {
            KEEP => None,
            "" => Some(json!({"on_import": true})),
            _ => Some(json!({"batch_ids": self.batches()})),
        }
    }

    /// The batches that were chosen, each once; what is ticked beside no batch is not one of them.
    pub fn batches(&self) -> Vec<&str> {
        let mut batches = Vec::new();
        if !self.audience.is_empty() && self.audience != KEEP {
            for batch in std::iter::once(&self.audience).chain(&self.also) {
                if !batches.contains(&batch.as_str()) {
                    batches.push(batch.as_str());
                }
            }
        }
        batches
    }

    /// Whether a batch is ticked.
    pub fn has_also(&self, batch_id: &Uuid) -> bool {
        let batch_id = batch_id.to_string();
        self.also.contains(&batch_id)
    }

    /// The columns to keep: those chosen, then those typed, each once.
    pub fn kept_columns(&self) -> Vec<String> {
        let mut kept: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        for column in self
            .kept
            .iter()
            .map(String::as_str)
            .chain(items(&self.track_fields))
        {
            if seen.insert(column) {
                kept.push(column.to_owned());
            }
        }
        kept
    }

    /// The columns that stand in the texts; a customer number everybody has.
    pub fn text_columns(&self) -> BTreeSet<String> {
        let texts = [&self.text, &self.reminder_text];
        let texts = texts.map(|text| Template::parse(text));
        let texts = texts.iter().flatten();
        let columns = texts.flat_map(Template::field_names);
        let columns = columns.filter(|name| *name != "docid");
        columns.map(str::to_owned).collect()
    }

    /// The columns to group by, each with its name: those chosen, then those typed.
    pub fn group_columns(&self) -> Vec<Group> {
        let chosen = self.groups.iter().map(|group| Group {
            column: group.column.clone(),
            name: match &*group.name {
                // A name has no colon: what stands behind one is the value.
                "" => group.column.replace(':', " "),
                name => name.to_owned(),
            },
        });
        let typed = items(&self.bus_props_from).map(|pair| {
            let (name, column) = pair.split_once('=').unwrap_or((pair, pair));
            Group {
                column: column.trim().to_owned(),
                name: name.trim().to_owned(),
            }
        });
        chosen.chain(typed).collect()
    }

    /// The groups that were chosen, and one that is empty.
    pub fn groups_and_more(&self) -> Vec<Group> {
        let more = std::iter::once(Group::default());
        self.groups.iter().cloned().chain(more).collect()
    }

    /// The quotas, and one that is empty.
    pub fn quotas_and_more(&self) -> Vec<Quota> {
        let more = std::iter::once(Quota::default());
        self.quotas.iter().cloned().chain(more).collect()
    }

    /// The names of what answers are grouped by; of one that was started those that are stored.
    pub fn group_names(&self) -> Vec<String> {
        if self.started.is_empty() {
            let groups = self.group_columns().into_iter();
            return groups.map(|group| group.name).collect();
        }
        let before: Value = serde_json::from_str(&self.before).unwrap_or_default();
        let from = before["bus_props_from"].as_object();
        from.map_or_else(Vec::new, |from| from.keys().cloned().collect())
    }

    /// Whether something is set of what recipients' columns are used for.
    pub fn uses_columns(&self) -> bool {
        !self.kept_columns().is_empty() || !self.group_columns().is_empty()
    }

    /// Groups by the columns that are called as these business properties, or as pages call them, whatever their case.
    pub fn group_by(&mut self, t: &Text, names: &[impl AsRef<str>], columns: &[String]) {
        let group = |name: &str| {
            let column = called_as(t, name, columns)?;
            let name = if column == name { "" } else { name };
            Some(Group {
                column: column.clone(),
                name: name.to_owned(),
            })
        };
        let groups = names.iter().filter_map(|name| group(name.as_ref()));
        self.groups = groups.take(MAX_BUS_PROPS_FROM).collect();
    }

    /// Whether it sends at other times than a new one does.
    pub fn has_times(&self) -> bool {
        let is_daily = self.days.is_empty() || self.days.len() == DAYS.len();
        (&*self.window_from, &*self.window_to) != WINDOW
            || !is_daily
            || !is_default(&self.delay_minutes, "0")
    }

    pub fn has_reminder(&self) -> bool {
        !self.reminder_days.is_empty() || !self.reminder_text.is_empty()
    }

    /// How many of its first messages are still to be sent, if it was started.
    pub fn waiting(&self) -> Option<i64> {
        self.waiting.parse().ok()
    }

    /// How many messages it sends at most.
    pub fn most(&self) -> Option<i64> {
        self.max_messages.trim().parse().ok()
    }

    /// Whether it sends on a day.
    pub fn has_day(&self, day: &str) -> bool {
        self.days.iter().any(|one| one == day)
    }

    /// Whether one of the settings that few need is not as it is by default.
    pub fn has_limits(&self) -> bool {
        let others = [
            (&self.max_messages, ""),
            (&self.contact_gap_days, "0"),
            (&self.max_parts, "3"),
            (&self.sample, ""),
            (&self.budget, ""),
            (&self.send_within_hours, "72"),
            (&self.link_expires_after_days, "30"),
        ];
        !self.quotas.is_empty()
            || !others
                .into_iter()
                .all(|(text, default)| is_default(text, default))
    }

    /// The send window; without hours and with all days any time. No day is every day.
    fn window(&self) -> Value {
        let is_daily = self.days.is_empty() || self.days.len() == DAYS.len();
        if self.window_from.is_empty() && self.window_to.is_empty() && is_daily {
            return Value::Null;
        }
        let from = match &*self.window_from {
            "" => "00:00",
            from => from,
        };
        let to = match &*self.window_to {
            "" | "00:00" => "24:00",
            to => to,
        };
        if is_daily {
            json!({"from": from, "to": to})
        } else {
            json!({"from": from, "to": to, "days": self.days})
        }
    }
}

/// What the page chooses of an audience, and the batches that are ticked beside it.
fn audience(audience: &Audience) -> (String, Vec<String>) {
    match audience {
        Audience::OnImport { .. } => (String::new(), Vec::new()),
        Audience::Batches { batch_ids } => {
            let mut batches = batch_ids.iter().map(Uuid::to_string);
            (batches.next().unwrap_or_default(), batches.collect())
        }
        Audience::Recipients { .. } => (KEEP.to_owned(), Vec::new()),
    }
}

/// What a share is of a hundred; of six decimals it has four.
fn percent(share: SampleShare) -> String {
    let text = format!("{:.4}", f64::from(share) * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The share of a percentage. What is no number is said to be wrong by the operation.
fn share(percent: &str) -> Value {
    match percent.trim() {
        "" => Value::Null,
        text => text
            .replace(',', ".")
            .parse::<f64>()
            .ok()
            .filter(|percent| percent.is_finite())
            .map_or_else(|| json!(text), |percent| json!(percent / 100.0)),
    }
}

fn quotas(content: &CampaignContent) -> Vec<Quota> {
    let quotas = content.per_day.iter();
    let quota = |(name, most): (&String, &u32)| Quota {
        name: name.clone(),
        most: most.to_string(),
    };
    quotas.map(quota).collect()
}

fn is_default(text: &str, default: &str) -> bool {
    text.is_empty() || text == default
}

/// What was typed as a list.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let items = text.split([',', ';', '\n']).map(str::trim);
    items.filter(|item| !item.is_empty())
}

/// Business properties and the fields that have their values. One that is called like its field has no name of its own.
fn groups(content: &CampaignContent) -> Vec<Group> {
    let pairs = content.bus_props_from.iter();
    let group = |(name, column): (&String, &String)| Group {
        column: column.clone(),
        name: if name == column {
            String::new()
        } else {
            name.clone()
        },
    };
    pairs.map(group).collect()
}

#[cfg(test)]
mod tests {
    use api_language::of_code;

    use super::*;

    #[test]
    fn what_was_read_is_written_as_it_was() {
        let id = "0192f0c1-2345-7abc-8def-0123456789ab";
        let mut campaign = json!({
            "name": "n", "form_id": id, "sender": "demo", "text": "t {link}", "audience": {},
            "track_fields": ["a; b", "c"], "starts_at": "2026-12-01T08:00:30Z", "delay_minutes": 5, "bus_props_from": {"store": "store_code"},
            "send_window": {"from": "08:00", "to": "20:30"}, "contact_gap_days": 7, "max_parts": 3, "max_messages": 5, "sample": 0.075, "per_day": {"store": 20},
            "budget": {"amount": 99.5, "currency": "EUR"}, "reminder": {"after_days": 2, "text": "r {link}"},
        });
        for audience in [
            json!({"on_import": true}),
            json!({"batch_ids": [id, "0192f0c1-2345-7abc-8def-0123456789ac"]}),
            json!({"fields": {"a": "b"}}),
            json!({"batch_ids": [id]}),
        ] {
            campaign["audience"] = audience;
            let content = CampaignContent::parse(&campaign).unwrap();
            let zone = Tz::Europe__Berlin;
            let draft = CampaignDraft::read(&content, zone);
            assert_eq!(draft.content(zone).unwrap(), content);
        }
        let sent = [("max_parts", "many"), ("token", "t")];
        let sent = sent.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let draft = CampaignDraft::from(SentPairs(sent.into()));
        let problem = draft.content(Tz::UTC).unwrap_err();
        let mut wrong = problem.members().iter();
        assert!(wrong.any(|one| one.pointer == "/max_parts"));
        let draft = CampaignDraft {
            reminder_days: "3".to_owned(),
            days: DAYS.map(str::to_owned).to_vec(),
            starts_at: "2026-12-01T09:00".to_owned(),
            track_fields: "Filiale; Vorname".to_owned(),
            ..CampaignDraft::default()
        };
        let written = draft.write(Tz::Europe__Berlin);
        assert_eq!(written["reminder"]["text"], "");
        assert_eq!(written["send_window"], Value::Null);
        assert_eq!(written["starts_at"], "2026-12-01T08:00:00Z");
        assert_eq!(written["track_fields"], json!(["Filiale", "Vorname"]));
    }

    #[test]
    fn an_import_is_chosen_and_others_are_ticked() {
        let sent = |audience: &str| {
            let sent = [
                ("audience", audience),
                ("also", "b"),
                ("also", "a"),
                ("also", "b"),
            ];
            let sent = sent.map(|(name, value)| (name.to_owned(), value.to_owned()));
            CampaignDraft::from(SentPairs(sent.into()))
        };
        let audience = |chosen| sent(chosen).write(Tz::UTC)["audience"].clone();
        assert_eq!(audience("a"), json!({"batch_ids": ["a", "b"]}));
        // Beside later imports none is chosen.
        assert_eq!(audience(""), json!({"on_import": true}));
        assert_eq!(audience(KEEP), Value::Null);
    }

    #[test]
    fn columns_are_chosen_and_typed() {
        let sent = [
            ("keep", "Vorname"),
            ("keep", "a; b"),
            ("track_fields", "Vorname, later"),
            ("group_column", "Filiale"),
            ("group_name", ""),
            ("group_column", "Ort: Land"),
            ("group_name", ""),
            ("group_column", "Kasse"),
            ("group_name", " till "),
            ("group_column", ""),
            ("group_name", "nothing"),
            ("bus_props_from", "region=Gebiet; Team"),
            ("quota_name", "till"),
            ("quota_most", " 20 "),
            ("quota_name", "gone"),
            ("quota_most", "many"),
            ("quota_name", ""),
            ("quota_most", ""),
        ];
        let sent = sent.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let draft = CampaignDraft::from(SentPairs(sent.into()));
        let written = draft.write(Tz::UTC);
        assert_eq!(written["track_fields"], json!(["Vorname", "a; b", "later"]));
        let groups = json!({
            "Filiale": "Filiale", "Ort  Land": "Ort: Land", "till": "Kasse", "region": "Gebiet", "Team": "Team",
        });
        assert_eq!(written["bus_props_from"], groups);
        assert!(draft.uses_columns() && !draft.has_reminder());
        assert_eq!(written["per_day"], json!({"till": 20, "gone": "many"}));
        assert!(draft.has_limits());
        let names = draft.group_names();
        assert_eq!(names, ["Filiale", "Ort  Land", "till", "region", "Team"]);
    }

    #[test]
    fn groups_that_are_called_as_columns_are_chosen() {
        let grouped = |columns: &[&str]| {
            let columns: Vec<_> = columns.iter().map(|&column| column.to_owned()).collect();
            let mut draft = CampaignDraft::default();
            draft.group_by(of_code("de"), &["store", "Kasse", "region"], &columns);
            let groups = draft.groups.into_iter();
            let groups = groups.map(|one| (one.column, one.name));
            groups.collect::<Vec<_>>()
        };
        let pair = |column: &str, name: &str| (column.to_owned(), name.to_owned());
        let store = [pair("Store", "store"), pair("Kasse", "")];
        assert_eq!(grouped(&["Filiale", "Store", "store_code", "Kasse"]), store);
        assert_eq!(grouped(&["FILIALE"]), [pair("FILIALE", "store")]);
    }
}
