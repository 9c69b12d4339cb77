//! Whether a due message is sent now, and its text: by the recipient, the contact and the campaign as they stand.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use indexmap::IndexMap;
use uuid::Uuid;

use super::{CampaignContent, MessageKind, SkipReason};
use crate::docid::is_erased;
use crate::form::FormContent;
use crate::link::{BusPropIds, TrackFields};
use crate::sms::{self, Country, NumberType, Parts};

/// Days in which a second message is one soon after the first.
const LATELY: u32 = 7;

/// What is known of the account, the form and the campaign of messages.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub campaign_id: Uuid,
    pub content: &'a CampaignContent,
    pub account_zone: Tz,
    /// None of a form that was deleted.
    pub form: Option<&'a FormContent>,
    /// The countries that the sender serves; `None`: all.
    pub countries: Option<&'a [Country]>,
    /// The types of numbers that the sender serves; `None`: those that are usual.
    pub types: Option<&'a [NumberType]>,
    /// The account's own least time between first messages of any campaigns to a phone.
    pub min_gap_days: u32,
    /// Before a link's token.
    pub link_prefix: &'a str,
}

/// What an account knows of a phone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contact {
    pub opted_out: bool,
    /// When the account sent to it last, and for which campaign.
    pub last_sent: Option<(DateTime<Utc>, Option<Uuid>)>,
}

impl Contact {
    /// What two rows of the same phone come to.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            opted_out: self.opted_out || other.opted_out,
            last_sent: self.last_sent.max(other.last_sent),
        }
    }
}

/// A message whose turn it is. Its `Debug` shows nothing of a person.
#[derive(Clone, derive_more::Debug)]
#[debug("DueMessage({kind:?})")]
pub struct DueMessage {
    pub kind: MessageKind,
    /// Empty of a test of nobody.
    pub docid: String,
    pub scheduled_at: DateTime<Utc>,
    /// None of an erased recipient.
    pub phone: Option<String>,
    /// Tracking fields.
    pub fields: IndexMap<String, String>,
    pub contact: Contact,
    /// Of a reminder: its link was answered.
    pub answered: bool,
    /// The token of its link.
    pub token: String,
}

impl DueMessage {
    /// A value for a text.
    pub fn field(&self, name: &str) -> Option<&str> {
        match self.fields.get(name) {
            Some(value) => Some(value.as_str()),
            None if name == "docid" && !self.docid.is_empty() => Some(self.docid.as_str()),
            None => None,
        }
    }
}

/// What becomes of a due message that is not skipped.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// Its window is closed: not before this moment.
    Later(DateTime<Utc>),
    /// A reminder that the campaign does not have any more.
    Withdrawn,
    Send(Box<Ready>),
}

/// A message to be handed over.
#[derive(Debug, PartialEq)]
pub struct Ready {
    pub phone: String,
    pub text: String,
    pub parts: Parts,
    pub track_fields: TrackFields,
    pub bus_prop_ids: BusPropIds,
    /// When its window or its time ends.
    pub ends_at: DateTime<Utc>,
}

impl Context<'_> {
    /// Judges a message at a moment.
    ///
    /// # Errors
    /// Of several reasons to skip it the first in the order of these lines is told.
    pub fn judge(&self, due: &DueMessage, now: DateTime<Utc>) -> Result<Verdict, SkipReason> {
        if due.kind == MessageKind::Reminder && self.content.reminder.is_none() {
            return Ok(Verdict::Withdrawn);
        }
        // A test has a phone of its own.
        skip_if(is_erased(&due.docid), SkipReason::Erased)?;
        let phone = due.phone.as_ref().ok_or(SkipReason::Erased)?;
        let form = self.form.ok_or(SkipReason::FormDeleted)?;
        skip_if(due.contact.opted_out, SkipReason::OptedOut)?;
        skip_if(due.answered, SkipReason::AlreadyAnswered)?;
        let country = sms::country_of(phone);
        let is_served =
            |served: &[Country]| country.is_some_and(|country| served.contains(&country));
        let is_allowed = self.countries.is_none_or(is_served);
        skip_if(!is_allowed, SkipReason::CountryNotAllowed)?;
        let number_type = sms::type_of(phone);
        let serves = |types: &[NumberType]| types.contains(&number_type);
        let is_allowed = self.types.map_or(number_type.is_usual(), serves);
        skip_if(!is_allowed, SkipReason::NumberType)?;
        let is_test = due.kind == MessageKind::Test;
        let deadline = due.scheduled_at + TimeDelta::hours(self.content.send_within_hours.into());
        let mut ends_at = deadline;
        if !is_test {
            let is_too_soon = self.is_too_soon(due, now);
            skip_if(is_too_soon, SkipReason::ContactGap)?;
            skip_if(now >= deadline, SkipReason::TooLate)?;
            let zone = due.fields.get("time_zone").map(String::as_str);
            let zones = sms::zones_for(zone, phone, self.account_zone);
            let slot = zones.slot(self.content.send_window.as_ref(), now);
            if slot.opens_at > now {
                return Ok(Verdict::Later(slot.opens_at));
            }
            ends_at = slot
                .closes_at
                .map_or(deadline, |closes| closes.min(deadline));
        }
        let template = match (&self.content.reminder, due.kind) {
            (Some(reminder), MessageKind::Reminder) => &reminder.text,
            _ => &self.content.text,
        };
        let known = |name: &str| due.field(name);
        // A test shows the name of a field that its recipient lacks.
        let missing = template.missing(known).filter(|_| is_test);
        let missing = missing.filter_map(|(name, has_text)| (!has_text).then_some(name));
        let missing: Vec<&str> = missing.collect();
        let field = |name: &str| {
            let mut missing = missing.iter().copied();
            missing.find(|one| *one == name).or_else(|| known(name))
        };
        let link = format!("{}{}", self.link_prefix, due.token);
        let text = template.fill(field, &link);
        let text = text.ok_or(SkipReason::TemplateFieldMissing)?;
        let text = sms::plain(&text).into_owned();
        let parts = Parts::of(&text);
        let is_too_long = parts.texts.len() > self.content.max_parts as usize;
        skip_if(is_too_long, SkipReason::TooLong)?;
        Ok(Verdict::Send(Box::new(Ready {
            phone: phone.clone(),
            parts,
            text,
            track_fields: self.track_fields(&due.docid, &due.fields),
            bus_prop_ids: self.bus_prop_ids(form, &due.fields),
            ends_at,
        })))
    }

    /// Whether another campaign wrote to the phone in the last [`LATELY`] days.
    pub fn was_contacted_lately(&self, due: &DueMessage, now: DateTime<Utc>) -> bool {
        self.was_contacted_within(LATELY, due, now)
    }

    fn is_too_soon(&self, due: &DueMessage, now: DateTime<Utc>) -> bool {
        let days = match due.kind {
            MessageKind::First => self.min_gap_days.max(self.content.contact_gap_days),
            _ => self.content.contact_gap_days,
        };
        self.was_contacted_within(days, due, now)
    }

    fn was_contacted_within(&self, days: u32, due: &DueMessage, now: DateTime<Utc>) -> bool {
        let gap = TimeDelta::days(days.into());
        due.contact.last_sent.is_some_and(|(at, campaign_id)| {
            // This very message, if it was not sent after all, or the one that a reminder follows.
            let is_own = campaign_id == Some(self.campaign_id);
            at + gap > now && !is_own
        })
    }

    /// The docid, and the tracking fields that the campaign names and the recipient has.
    fn track_fields(&self, docid: &str, fields: &IndexMap<String, String>) -> TrackFields {
        let named = self.content.track_fields.iter();
        let named = named.filter_map(|name| Some((name.as_str(), fields.get(name)?.as_str())));
        let mut track_fields = TrackFields::default();
        for (name, value) in
            named.chain([("docid", docid)].into_iter().filter(|_| !docid.is_empty()))
        {
            // What a link's field cannot hold is left out.
            let _ = track_fields.push(&format!("{name}={value}"));
        }
        track_fields
    }

    /// The business properties of the form that the recipient's fields name.
    fn bus_prop_ids(&self, form: &FormContent, fields: &IndexMap<String, String>) -> BusPropIds {
        let named = self.content.bus_props_from.iter();
        let ids = named.filter_map(|(name, field)| {
            let entry = form.bus_prop_of(name, fields.get(field)?)?;
            Some(entry.id.to_string())
        });
        let ids: Vec<String> = ids.collect();
        ids.join("_").parse().unwrap_or_default()
    }
}

fn skip_if(is_so: bool, reason: SkipReason) -> Result<(), SkipReason> {
    if is_so { Err(reason) } else { Ok(()) }
}
