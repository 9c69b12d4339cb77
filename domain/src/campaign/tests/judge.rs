//! Due messages, judged at noon UTC on a Friday, which is 14:00 in Berlin, where the phone is.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use indexmap::IndexMap;
use uuid::Uuid;

use super::*;
use crate::campaign::judge::{Contact, Context, DueMessage, Ready, Verdict};
use crate::docid::ERASED;
use crate::form::{FormContent, FormInput};
use crate::sms::{Country, NumberType, country_of};

const CAMPAIGN: Uuid = Uuid::from_u128(1);
const OTHER: Uuid = Uuid::from_u128(2);
const GERMAN: &str = "+491701234567";
const FRENCH: &str = "+33612345678";

struct Case {
    content: CampaignContent,
    form: Option<FormContent>,
    countries: Vec<Country>,
    types: Option<Vec<NumberType>>,
    min_gap_days: u32,
    due: DueMessage,
}

impl Case {
    /// A message that is sent.
    fn new() -> Self {
        let content = content(&with(&json!({
            "text": "Hi {name}, how was it? {link}",
            "track_fields": ["order", "note", "none"],
            "bus_props_from": {"store": "city", "brand": "make", "team": "none"},
            "send_window": {"from": "09:00", "to": "20:00"},
            "send_within_hours": 10,
            "contact_gap_days": 7,
            "max_parts": 1,
            "reminder": {"after_days": 3, "text": "Once more, {docid}: {link}"},
        })));
        let form = FormInput::parse(&json!({
            "title": "How was it?",
            "bus_props": ["brand:Kiosk", "store:Berlin"],
            "fields": [{"key": "stars", "type": "rating", "label": "Stars", "scale": 5}],
        }));
        let fields = [
            ("name", "Anna"),
            ("order", "A7"),
            ("city", "Berlin"),
            ("make", "Unknown"),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            content,
            form: Some(FormContent::new(form.unwrap()).unwrap()),
            countries: vec![country_of(GERMAN).unwrap()],
            types: None,
            min_gap_days: 0,
            due: DueMessage {
                kind: MessageKind::First,
                docid: "D-7".to_owned(),
                scheduled_at: noon() - TimeDelta::hours(1),
                phone: Some(GERMAN.to_owned()),
                fields: IndexMap::from(fields),
                contact: Contact::default(),
                answered: false,
                token: "0aB".to_owned(),
            },
        }
    }

    fn verdict(&self) -> Result<Verdict, SkipReason> {
        let context = Context {
            campaign_id: CAMPAIGN,
            content: &self.content,
            account_zone: Tz::UTC,
            form: self.form.as_ref(),
            countries: Some(&self.countries),
            types: self.types.as_deref(),
            min_gap_days: self.min_gap_days,
            link_prefix: "https://s.example/",
        };
        context.judge(&self.due, noon())
    }

    #[track_caller]
    fn ready(&self) -> Ready {
        match self.verdict() {
            Ok(Verdict::Send(ready)) => *ready,
            other => panic!("{other:?}"),
        }
    }

    fn sent_days_ago(&mut self, days: i64, campaign_id: Uuid) {
        self.due.contact.last_sent = Some((noon() - TimeDelta::days(days), Some(campaign_id)));
    }
}

fn noon() -> DateTime<Utc> {
    at("12:00")
}

fn at(time: &str) -> DateTime<Utc> {
    format!("2026-05-01T{time}:00Z").parse().unwrap()
}

/// What is changed of a message, and what becomes of it then: when it is judged again, or why it is skipped.
type Fault = (fn(&mut Case), Result<&'static str, SkipReason>);

/// What keeps a message from being sent now, in the order in which it is told.
const FAULTS: [Fault; 12] = [
    (
        |case| case.due.docid.insert(0, ERASED),
        Err(SkipReason::Erased),
    ),
    (|case| case.due.phone = None, Err(SkipReason::Erased)),
    (|case| case.form = None, Err(SkipReason::FormDeleted)),
    (
        |case| case.due.contact.opted_out = true,
        Err(SkipReason::OptedOut),
    ),
    (
        |case| case.due.answered = true,
        Err(SkipReason::AlreadyAnswered),
    ),
    (
        |case| case.countries = vec![country_of(FRENCH).unwrap()],
        Err(SkipReason::CountryNotAllowed),
    ),
    (
        |case| case.types = Some(vec![NumberType::FixedLine]),
        Err(SkipReason::NumberType),
    ),
    (
        |case| case.sent_days_ago(6, OTHER),
        Err(SkipReason::ContactGap),
    ),
    (
        |case| case.due.scheduled_at = at("02:00"),
        Err(SkipReason::TooLate),
    ),
    (
        |case| case.content.send_window = serde_json::from_value(json!({"from": "15:00"})).unwrap(),
        Ok("13:00"),
    ),
    (
        |case| case.content.text = "{name} {surname} {link}".to_owned().try_into().unwrap(),
        Err(SkipReason::TemplateFieldMissing),
    ),
    (
        |case| case.due.fields["name"] = "a".repeat(161),
        Err(SkipReason::TooLong),
    ),
];

#[test]
fn of_several_faults_the_first_is_told() {
    for (n, (fault, expected)) in FAULTS.iter().enumerate() {
        let expected = expected.map(|opens| Verdict::Later(at(opens)));
        let mut case = Case::new();
        fault(&mut case);
        assert_eq!(case.verdict(), expected, "fault {n} alone");
        for (also, _) in &FAULTS[n + 1..] {
            also(&mut case);
        }
        assert_eq!(case.verdict(), expected, "fault {n} and all that follow");
    }
}

#[test]
fn a_message_is_sent_with_its_text_and_what_its_link_gets() {
    let mut case = Case::new();
    let ready = case.ready();
    assert_eq!(ready.phone, GERMAN);
    assert_eq!(ready.text, "Hi Anna, how was it? https://s.example/0aB");
    assert_eq!(ready.parts.texts, [ready.text.as_str()]);
    let fields = serde_json::to_string(&ready.track_fields).unwrap();
    assert_eq!(fields, r#"{"order":"A7","docid":"D-7"}"#);
    assert_eq!(ready.bus_prop_ids.to_string(), "2");

    // Its own docid beats the recipient's; what an import could not hold is left out; a retired business property is none.
    case.due.fields.insert("docid".into(), "other".into());
    case.due.fields.insert("note".into(), "é".repeat(513));
    case.content.text = "“{docid}” {link}".to_owned().try_into().unwrap();
    case.form.as_mut().unwrap().bus_props[1].retired = true;
    let ready = case.ready();
    assert_eq!(ready.text, "\"other\" https://s.example/0aB");
    assert_eq!(ready.track_fields.get("docid"), Some("D-7"));
    assert_eq!(ready.track_fields.len(), 2);
    assert_eq!(ready.bus_prop_ids.to_string(), "");
}

#[test]
fn a_sender_reaches_unusual_numbers_only_where_its_types_say_so() {
    let mut case = Case::new();
    // A premium number of Germany.
    case.due.phone = Some("+499001234567".to_owned());
    assert_eq!(case.verdict(), Err(SkipReason::NumberType));
    case.types = Some(vec![NumberType::PremiumRate]);
    case.ready();
    case.due.kind = MessageKind::Test;
    case.types = None;
    assert_eq!(case.verdict(), Err(SkipReason::NumberType));
}

#[test]
fn a_message_ends_with_its_window_or_its_time() {
    let mut case = Case::new();
    // 20:00 in Berlin.
    assert_eq!(case.ready().ends_at, at("18:00"));
    case.due.scheduled_at = at("03:00");
    assert_eq!(case.ready().ends_at, at("13:00"));
    // The recipient's own time zone counts: 08:00 in New York.
    case.due
        .fields
        .insert("time_zone".into(), "America/New_York".into());
    assert_eq!(case.verdict(), Ok(Verdict::Later(at("13:00"))));
    case.content.send_window = None;
    assert_eq!(case.ready().ends_at, at("13:00"));
}

#[test]
fn a_gap_ends_after_its_days_and_is_not_of_the_campaign_itself() {
    for (days, campaign_id, is_sent) in [
        (0, OTHER, false),
        (6, OTHER, false),
        (7, OTHER, true),
        (0, CAMPAIGN, true),
    ] {
        let mut case = Case::new();
        case.sent_days_ago(days, campaign_id);
        assert_eq!(case.verdict().is_ok(), is_sent, "{days} {campaign_id}");
    }
    let mut case = Case::new();
    case.due.contact.last_sent = Some((noon(), None));
    assert_eq!(case.verdict(), Err(SkipReason::ContactGap));
    case.content.contact_gap_days = 0;
    assert!(case.verdict().is_ok());
}

#[test]
fn the_larger_of_the_account_s_gap_and_the_campaign_s_counts() {
    for (account, campaign, kind, is_sent) in [
        (10, 0, MessageKind::First, false),
        (10, 0, MessageKind::Reminder, true),
        (10, 0, MessageKind::Test, true),
        (8, 0, MessageKind::First, true),
        (0, 10, MessageKind::First, false),
        (5, 10, MessageKind::First, false),
        (5, 10, MessageKind::Reminder, false),
    ] {
        let mut case = Case::new();
        case.sent_days_ago(8, OTHER);
        (case.min_gap_days, case.due.kind) = (account, kind);
        case.content.contact_gap_days = campaign;
        let is_judged = case.verdict().is_ok();
        assert_eq!(is_judged, is_sent, "{account} {campaign} {kind:?}");
    }
}

#[test]
fn a_reminder_has_a_text_of_its_own_and_goes_with_it() {
    let mut case = Case::new();
    case.due.kind = MessageKind::Reminder;
    assert_eq!(case.ready().text, "Once more, D-7: https://s.example/0aB");
    case.content.reminder = None;
    assert_eq!(case.verdict(), Ok(Verdict::Withdrawn));
}

#[test]
fn a_test_waits_for_nothing() {
    for (fault, expected) in FAULTS {
        let mut case = Case::new();
        case.due.kind = MessageKind::Test;
        fault(&mut case);
        match expected {
            Ok(_) | Err(SkipReason::ContactGap | SkipReason::TooLate) => {
                let ends_at = case.due.scheduled_at + TimeDelta::hours(10);
                assert_eq!(case.ready().ends_at, ends_at, "{expected:?}");
            }
            // It shows the name of the field.
            Err(SkipReason::TemplateFieldMissing) => assert!(case.verdict().is_ok()),
            Err(reason) => assert_eq!(case.verdict(), Err(reason)),
        }
    }
}

#[test]
fn of_two_rows_of_a_phone_the_last_message_counts() {
    let (before, after) = (at("10:00"), at("11:00"));
    let sent = |at| Contact {
        opted_out: false,
        last_sent: Some((at, None)),
    };
    let opted_out = Contact {
        opted_out: true,
        last_sent: None,
    };
    let both = sent(before).and(&sent(after)).and(&opted_out);
    assert!(both.opted_out);
    assert_eq!(both.last_sent, Some((after, None)));
}
