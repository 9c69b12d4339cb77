//! A published form of one account, links to it, visits that see and answer them, and roll-ups one at a time.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::answer::Answers;
use domain::date_range::{DateRange, day_of};
use domain::form::{FormContent, FormInput};
use domain::link::{Token, TrackFields};
use domain::month::Month;
use domain::rollup::{DayCounts, DecodeCounts, Delta};
use serde_json::{Value, json};
use store::collect::{NewAnswer, NewView, Recorded};
use store::form::{Form, FormChange, FormEdit, FormKey, Link, NewLink, PublicLink};
use store::report::{ScanScope, Version, WHOLE};
use uuid::Uuid;
use worker::roll_up;

use super::fixture::Ledger;

pub struct Survey {
    pub ledger: Ledger,
    pub form: FormKey,
    /// A moment that is not near midnight in the account's zone.
    pub noon: DateTime<Utc>,
}

/// Counts as the database has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Rollup {
    pub version: Version,
    pub as_of: DateTime<Utc>,
    pub days: Vec<(NaiveDate, Delta)>,
}

/// How many may answer, and until when.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    pub max_responses: Option<i64>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// A link that was sent out.
pub struct Sent {
    pub token: Token,
    pub link: PublicLink,
}

pub fn content() -> FormContent {
    let body = json!({
        "title": "How was it?",
        "bus_props": ["store:S1", "store:S2", "brand:B"],
        "fields": [
            {"key": "nps", "type": "nps", "label": "Recommend us?", "required": false},
            {"key": "mood", "type": "happiness", "label": "Happy?", "required": false},
            {"key": "why", "type": "comment", "label": "Why?", "required": false},
        ],
    });
    read_form(&body)
}

fn read_draft(body: &Value) -> FormInput {
    FormInput::parse(body).unwrap_or_else(|problems| panic!("{problems:?}"))
}

pub fn read_form(body: &Value) -> FormContent {
    FormContent::new(read_draft(body)).unwrap_or_else(|problems| panic!("{problems:?}"))
}

impl Survey {
    pub async fn open() -> Result<Self> {
        let ledger = Ledger::open().await?;
        let form = publish(&ledger, &content()).await?;
        let midnight = Utc::now().date_naive().and_time(NaiveTime::MIN);
        Ok(Self {
            ledger,
            form,
            noon: (midnight - TimeDelta::hours(2)).and_utc(),
        })
    }

    /// Another published form of the account.
    pub async fn another_form(&self) -> Result<FormKey> {
        publish(&self.ledger, &content()).await
    }

    /// A published form of this body.
    pub async fn publish(&self, body: &Value) -> Result<FormKey> {
        publish(&self.ledger, &read_form(body)).await
    }

    /// The form's content as its owner sees it now.
    pub async fn shown(&self, form: FormKey) -> Result<Value> {
        let found = self
            .ledger
            .store
            .form(form.account_id, form.form_id)
            .await?;
        Ok(serde_json::to_value(found.context("no form")?.content)?)
    }

    /// Replaces the content of a published form.
    pub async fn edit(&self, form: FormKey, body: &Value) -> Result<()> {
        let store = &self.ledger.store;
        let found = store.form(form.account_id, form.form_id).await?;
        let found = found.context("no form")?;
        let draft = read_draft(body);
        let Ok(content) = found.content.replaced_by(draft, true) else {
            bail!("no edit: {body}");
        };
        let edited = store
            .edit_form(
                form.account_id,
                form.form_id,
                Some(found.revision),
                FormEdit::Replace(&content),
            )
            .await?;
        match edited {
            FormChange::Done(_) => Ok(()),
            other => bail!("{other:?}"),
        }
    }

    /// A link to the form; `bus_prop_ids` like `1_2`.
    pub async fn send(&self, bus_prop_ids: &str) -> Result<Sent> {
        self.send_limited(self.form, bus_prop_ids, Limits::default())
            .await
    }

    pub async fn send_limited(
        &self,
        form: FormKey,
        bus_prop_ids: &str,
        limits: Limits,
    ) -> Result<Sent> {
        let mut track_fields = TrackFields::default();
        track_fields.push("zone=north")?;
        track_fields.push("a=b=c")?;
        let link = NewLink {
            account_id: form.account_id,
            form_id: form.form_id,
            token: Token::new(*Uuid::new_v4().as_bytes()),
            bus_prop_ids: bus_prop_ids.parse()?,
            track_fields,
            expires_at: limits.expires_at,
            max_responses: limits.max_responses,
            name: None,
            kiosk: false,
            is_test: false,
            made_by: None,
            made_from: None,
        };
        let token = self.ledger.store.create_link(&link).await?.token;
        let link = self.open_link(token).await?;
        Ok(Sent { token, link })
    }

    /// The link as the public meets it now.
    pub async fn open_link(&self, token: Token) -> Result<PublicLink> {
        let link = self.ledger.store.stored_link(&token).await?;
        Ok(link.context("the link is not there")?.read()?)
    }

    /// The link as its account sees it once all is rolled up.
    pub async fn read_link(&self, sent: &Sent) -> Result<Link> {
        self.roll_up().await?;
        let store = &self.ledger.store;
        let link = store.link(sent.link.account_id, &sent.token).await?;
        link.context("the link is not there")
    }

    /// A visit's answer at [`Survey::noon`] or days after it.
    pub fn answer(&self, sent: &Sent, visit: Uuid, days: i64, answers: &Value) -> NewAnswer {
        let answers = read_answers(&sent.link.content, answers);
        NewAnswer::new(
            &sent.link,
            visit,
            self.noon + TimeDelta::days(days),
            &answers,
        )
    }

    pub fn view(&self, sent: &Sent, visit: Uuid, days: i64) -> NewView {
        NewView::new(&sent.link, visit, self.noon + TimeDelta::days(days))
    }

    /// The same, hours after noon of that day.
    pub fn answer_at(
        &self,
        sent: &Sent,
        visit: Uuid,
        days: i64,
        hours: usize,
        answers: &Value,
    ) -> NewAnswer {
        let answers = read_answers(&sent.link.content, answers);
        NewAnswer::new(&sent.link, visit, self.at(days, hours), &answers)
    }

    pub fn view_at(&self, sent: &Sent, visit: Uuid, days: i64, hours: usize) -> NewView {
        NewView::new(&sent.link, visit, self.at(days, hours))
    }

    fn at(&self, days: i64, hours: usize) -> DateTime<Utc> {
        let hours = i64::try_from(hours).unwrap_or_default();
        self.noon + TimeDelta::days(days) + TimeDelta::hours(hours)
    }

    /// The day hours after noon.
    pub fn day_at(&self, days: i64, hours: usize) -> NaiveDate {
        day_of(self.at(days, hours), Tz::Pacific__Kiritimati)
    }

    pub async fn record(&self, answers: &[NewAnswer]) -> Result<Vec<Recorded>> {
        Ok(self.ledger.store.record_answers(answers).await?)
    }

    /// The day of [`Survey::noon`] or days after it.
    pub fn day(&self, days: i64) -> NaiveDate {
        day_of(self.noon + TimeDelta::days(days), Tz::Pacific__Kiritimati)
    }

    /// Rolls up all that is pending for the form.
    pub async fn roll_up(&self) -> Result<()> {
        while roll_up::run(&self.ledger.store, self.form, ScanScope::Recent)
            .await?
            .rows
            > 0
        {}
        Ok(())
    }

    /// What the database has of the form, of its whole or of one business property.
    pub async fn rollup(&self, bus_prop_id: i64) -> Result<Rollup> {
        let store = &self.ledger.store;
        let mut snapshot = store.snapshot().await?;
        let head = snapshot.form_head(self.form).await?;
        let head = head.context("the form is not there")?;
        let years = DateRange::parse("2026-01-01", "2030-01-01")?;
        let months = (Month::of(years.start()), Month::of(years.end()));
        let days = snapshot.form_days(self.form, bus_prop_id, months).await?;
        let days = days
            .into_iter()
            .map(|(day, sum)| Ok((day, Delta::decode(&sum)?)));
        Ok(Rollup {
            version: head.version,
            as_of: head.as_of,
            days: days.collect::<Result<_>>()?,
        })
    }

    /// Rolls up, then reads the whole's counts of a day.
    pub async fn rolled_up(&self, days: i64) -> Result<DayCounts> {
        self.roll_up().await?;
        let rollup: BTreeMap<NaiveDate, Delta> =
            self.rollup(WHOLE).await?.days.into_iter().collect();
        Ok(rollup
            .get(&self.day(days))
            .map(|day| day.counts)
            .unwrap_or_default())
    }
}

pub fn read_answers(content: &FormContent, answers: &Value) -> Answers {
    Answers::from_json(content, answers).unwrap_or_else(|problems| panic!("{problems:?}"))
}

async fn publish(ledger: &Ledger, content: &FormContent) -> Result<FormKey> {
    let store = &ledger.store;
    let form: Form = store.create_form(ledger.account_id, content).await?;
    let published = store
        .edit_form(
            ledger.account_id,
            form.form_id,
            Some(form.revision),
            FormEdit::Publish,
        )
        .await?;
    let FormChange::Done(form) = published else {
        bail!("{published:?}");
    };
    Ok(FormKey::new(ledger.account_id, form.form_id))
}

pub fn stored(recorded: Recorded) -> Uuid {
    match recorded {
        Recorded::Stored(id) => id,
        other => panic!("{other:?}"),
    }
}
