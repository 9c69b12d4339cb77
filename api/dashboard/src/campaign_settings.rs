//! What a campaign does and what it waits for, as people read it.

use std::collections::BTreeMap;

use api_language::Text;
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::campaign::{Audience, CampaignContent, WaitReason, Waiting};
use serde_json::{Value, json};

use crate::money;

/// The days of the week, as a send window names them.
pub const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Settings by their names, in the order of the editor; those that do nothing are left out. `imports` are the names of its audience's.
pub fn settings(
    t: &Text,
    zone: Tz,
    content: &CampaignContent,
    imports: &[String],
) -> Vec<(&'static str, String)> {
    let moment = |at: &DateTime<Utc>| t.moment(at, zone);
    let bus_props = content.bus_props_from.iter();
    let bus_props: Vec<_> = bus_props
        .map(|(name, field)| {
            if name == field {
                name.clone()
            } else {
                t.labelled(name, field)
            }
        })
        .collect();
    let starts_at = content.starts_at.as_ref();
    let delay = i64::from(content.delay_minutes);
    let gap = i64::from(content.contact_gap_days);
    let max = content
        .max_messages
        .and_then(|most| i64::try_from(most).ok());
    let per_day = content.per_day.iter();
    let per_day: Vec<_> = per_day
        .map(|(name, most)| t.labelled(name, t.number(i64::from(*most))))
        .collect();
    let sample = content.sample.map(f64::from);
    let reminder = content.reminder.as_ref();
    let all = [
        (
            "audience",
            Some(audience(t, zone, &content.audience, imports)),
        ),
        ("window", Some(window(t, content))),
        ("starts-at", starts_at.map(moment)),
        ("delay", (delay > 0).then(|| t.count("minutes-n", delay))),
        (
            "within",
            Some(t.count("hours-n", i64::from(content.send_within_hours))),
        ),
        ("gap", (gap > 0).then(|| t.count("days-n", gap))),
        ("parts", Some(t.with("sms-n", content.max_parts))),
        ("most", max.map(|most| t.count("preview-eligible", most))),
        ("sample", sample.map(|share| t.percent(Some(share)))),
        ("per-day", joined(&per_day)),
        (
            "budget",
            content.budget.as_ref().map(|one| money::shown(t, one)),
        ),
        (
            "expiry",
            Some(t.count("days-n", i64::from(content.link_expires_after_days))),
        ),
        ("fields", joined(&content.track_fields)),
        ("bus-props", joined(&bus_props)),
        (
            "reminder",
            reminder.map(|one| {
                let after = t.count("reminder-after", i64::from(one.after_days));
                format!("{after} {}", one.text.as_str())
            }),
        ),
    ];
    let told = all.into_iter();
    told.filter_map(|(key, value)| Some((key, value?)))
        .collect()
}

fn joined(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join(", "))
}

fn audience(t: &Text, zone: Tz, audience: &Audience, imports: &[String]) -> String {
    match audience {
        Audience::OnImport { .. } => t.get("audience-import"),
        Audience::Batches { batch_ids } => {
            let count = i64::try_from(batch_ids.len()).unwrap_or_default();
            let told = t.count("audience-batches", count);
            if imports.is_empty() {
                told
            } else {
                t.labelled(told, imports.join(" · "))
            }
        }
        Audience::Recipients {
            created_from,
            created_to,
            fields,
        } => {
            let moment = |(key, at): (&str, &Option<DateTime<Utc>>)| {
                let at = t.moment(at.as_ref()?, zone);
                Some(t.with(key, at))
            };
            let times = [("audience-from", created_from), ("audience-to", created_to)];
            let times = times.into_iter().filter_map(moment);
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{name} = {value}"));
            let told: Vec<_> = times.chain(fields).collect();
            joined(&told).unwrap_or_else(|| t.get("audience-all"))
        }
    }
}

/// The hours and days in which it sends.
fn window(t: &Text, content: &CampaignContent) -> String {
    let window = json!(content.send_window);
    let Some(days) = window["days"].as_array() else {
        return t.get("window-any");
    };
    let hours = match (text(&window["from"]), text(&window["to"])) {
        ("00:00", "24:00") => None,
        (from, to) => Some(format!("{from}–{to}")),
    };
    let days = if days.len() == DAYS.len() {
        t.get("window-daily")
    } else {
        let days = days.iter().map(|day| t.of("day", text(day)));
        days.collect::<Vec<_>>().join(", ")
    };
    let told = hours.into_iter().chain([days, t.get("window-zone")]);
    told.collect::<Vec<_>>().join(", ")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Why messages wait, a sentence a reason; so many first messages are scheduled. `troubled` says what is wrong with senders, by their
/// names.
pub fn waits(
    (t, zone): (&Text, Tz),
    content: &CampaignContent,
    (waiting, first): (&[Waiting], i64),
    troubled: &BTreeMap<String, String>,
) -> Vec<String> {
    let window = json!(content.send_window);
    let sentence = |wait: &Waiting| {
        let until = wait.until.map(|at| t.moment(&at, zone)).unwrap_or_default();
        let sender = wait.sender.as_deref().unwrap_or_default();
        let (key, what) = match wait.reason {
            WaitReason::SendWindow => ("wait-send-window", text(&window["from"]).to_owned()),
            WaitReason::Delay => ("wait-delay", until.clone()),
            WaitReason::StartsAt => ("wait-starts-at", until.clone()),
            WaitReason::Reminder => ("wait-reminder", until.clone()),
            WaitReason::Rate => ("wait-rate", String::new()),
            WaitReason::Budget if wait.until.is_some() => ("wait-month-budget", until.clone()),
            WaitReason::Budget => ("wait-budget", String::new()),
            WaitReason::SenderPaused => ("wait-sender-paused", sender.to_owned()),
            WaitReason::Paused => return paused(t, wait.messages, first),
        };
        let sentence = t.count_with(key, wait.messages, what);
        vec![match wait.reason {
            WaitReason::SendWindow => format!("{sentence} {}", t.with("wait-first", until)),
            WaitReason::SenderPaused => match troubled.get(sender) {
                Some(trouble) => format!("{sentence} {trouble}"),
                None => sentence,
            },
            _ => sentence,
        }]
    };
    waiting.iter().flat_map(sentence).collect()
}

/// What waits because a campaign is paused: first messages and reminders apart.
fn paused(t: &Text, messages: i64, first: i64) -> Vec<String> {
    let first = first.min(messages);
    let waiting = [
        ("wait-paused", first),
        ("wait-paused-reminder", messages - first),
    ];
    let waiting = waiting.into_iter().filter(|(_, n)| *n > 0);
    waiting.map(|(key, n)| t.count(key, n)).collect()
}

/// What resuming a campaign comes to, while so many of its messages wait; so many first messages are scheduled.
pub fn resume_question(
    t: &Text,
    content: &CampaignContent,
    (waiting, first): (&[Waiting], i64),
) -> String {
    let messages = waiting.iter().map(|wait| wait.messages).sum::<i64>();
    let import = matches!(content.audience, Audience::OnImport { .. });
    let import = import.then(|| t.get("resume-import"));
    let hours = t.labelled(t.get("setting-window"), window(t, content));
    let first = first.min(messages);
    let reminders = messages - first;
    let sent = (first > 0 || reminders == 0).then(|| t.count("resume-n", first));
    let reminders = (reminders > 0).then(|| t.count("resume-reminder-n", reminders));
    let told = [sent, reminders, import];
    let told = told.into_iter().flatten();
    told.chain([format!("{hours}.")])
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use api_language::of_code;

    use super::*;

    #[test]
    fn first_messages_and_reminders_of_a_paused_campaign_are_told_apart() {
        let id = "0192f0c1-2345-7abc-8def-0123456789ab";
        let content = json!({
            "name": "n", "form_id": id, "sender": "demo", "text": "t {link}", "audience": {"on_import": true},
            "bus_props_from": {"Filiale": "Filiale", "region": "Gebiet"},
        });
        let content = CampaignContent::parse(&content).unwrap();
        let t = of_code("en");
        let waiting = [Waiting {
            reason: WaitReason::Paused,
            messages: 3,
            until: None,
            sender: None,
        }];
        let told = |first| waits((t, Tz::UTC), &content, (&waiting, first), &BTreeMap::new());
        let message = "1 message waits because the campaign is paused.";
        let reminders = "2 reminders wait because the campaign is paused.";
        assert_eq!(told(1), [message, reminders]);
        assert_eq!(told(3).len(), 1);
        let question = "1 message that waits is sent, within its hours. 2 reminders that wait are sent, within their hours. Whoever you import into this campaign gets the message. \
                        Sent: 09:00–20:00, every day, in each person’s time zone.";
        assert_eq!(resume_question(t, &content, (&waiting, 1)), question);
        let settings = settings(t, Tz::UTC, &content, &[]);
        // A group that is called as its column is told once.
        assert!(settings.contains(&("bus-props", "Filiale, region: Gebiet".to_owned())));
    }
}
