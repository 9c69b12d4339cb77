//! Which due messages are handed over next: claimed, judged, and given their link.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::campaign::judge::{Contact, Context, DueMessage, Ready, Verdict};
use domain::campaign::{CampaignStatus, Count, MessageKind, MessageStatus, PartStates, SkipReason};
use domain::sms::NumberType;
use indexmap::IndexMap;
use rand::RngExt;
use rand::distr::Alphanumeric;
use sea_orm::FromQueryResult;
use strum::VariantArray;
use uuid::Uuid;

use super::charge::Charge;
use super::{CHANGE_DUE, Claimed, DELETE_DUE, DueChange, DueKey, LockedCampaign, StepTx, Wanted};
use crate::form::{FormKey, LinkTrackField, NEW_TRACK_FIELD};
use crate::send::due::OWN_SENDER;
use crate::send::end::CANCEL;
use crate::send::link::MessageLink;
use crate::send::provider_id::Echo;
use crate::send::{CampaignKey, MessageKey, REASONS};
use crate::tx::{BatchStatement, JsonText, Parsed, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result};

/// Due messages of the sender with their recipients; a test may wait for the sender that a DRAFT had before. Of a reminder it is also
/// asked whether the first message was answered.
macro_rules! due {
    ($which:literal) => {
        concat!(
            "SELECT d.due_at, d.message_id, d.failures, d.sender_list, m.docid, m.kind, m.link_id, m.scheduled_at, m.sent_mac,
                    coalesce(d.phone, r.phone) AS phone, coalesce(CAST(r.fields AS text), '{}') AS fields, l.token, m.phone_mac, m.quota_day,
                    f.answered_at IS NOT NULL AS answered
               FROM message_due d
               JOIN message m ON m.account_id = d.account_id AND m.message_id = d.message_id
               LEFT JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
               LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
               LEFT JOIN message f ON m.kind = 'reminder' AND f.account_id = m.account_id AND f.message_id = m.link_id
              WHERE d.account_id = $1 AND d.campaign_id = $2 AND d.due_at <= $3 AND d.fence = 0 AND d.sender = $5 ", $which,
            " ORDER BY d.due_at, d.message_id LIMIT $4"
        )
    };
}
const DUE: &Statement = statement!(lock "FOR UPDATE OF d SKIP LOCKED": due!(""));
/// Of a campaign that names several senders: they have an index.
const DUE_OF_LIST: &Statement =
    statement!(lock "FOR UPDATE OF d SKIP LOCKED": due!("AND d.sender_list IS NOT NULL"));
/// What a campaign that does not run may send.
const DUE_TESTS: &Statement =
    statement!(lock "FOR UPDATE OF d SKIP LOCKED": due!("AND d.phone IS NOT NULL"));

#[derive(FromQueryResult)]
struct DueRow {
    due_at: DateTime<Utc>,
    message_id: Uuid,
    failures: i64,
    sender_list: Option<String>,
    docid: String,
    kind: Parsed<MessageKind>,
    link_id: Uuid,
    scheduled_at: DateTime<Utc>,
    sent_mac: Option<Vec<u8>>,
    phone: Option<String>,
    fields: JsonText<IndexMap<String, String>>,
    token: Option<String>,
    answered: bool,
    phone_mac: Option<Vec<u8>>,
    quota_day: Option<NaiveDate>,
}

batch_row! {
    /// What is noted of a phone to which a message goes: of a test nothing but its phone and its sender.
    pub(in crate::send) struct SentTo {
        account_id: Uuid,
        phone_mac: Vec<u8>,
        /// The sender between spaces, as the column has them.
        senders: String,
        last_sent_at: Option<DateTime<Utc>>,
        last_campaign_id: Option<Uuid>,
        docid: Option<String>,
    }
}

/// Of phones that were not known a row that came meanwhile is left.
pub(in crate::send) const NEW_CONTACT: &BatchStatement<SentTo> = statement!(SentTo:
    "INSERT INTO contact ({columns}) SELECT {columns} FROM batch WHERE true
         ON CONFLICT DO NOTHING RETURNING phone_mac"
);
const KNOWN_CONTACT: &BatchStatement<SentTo> = statement!(SentTo:
    "UPDATE contact AS c SET last_sent_at = coalesce(batch.last_sent_at, c.last_sent_at),
            last_campaign_id = coalesce(batch.last_campaign_id, c.last_campaign_id), docid = coalesce(batch.docid, c.docid),
            senders = CASE WHEN c.senders LIKE '%' || batch.senders || '%' THEN c.senders ELSE c.senders || batch.senders END
       FROM batch WHERE c.account_id = batch.account_id AND c.phone_mac = batch.phone_mac"
);

batch_row! {
    /// The phone to which a message went before, where it goes to another one now.
    struct FormerPhone {
        account_id: Uuid,
        phone_mac: Vec<u8>,
        docid: String,
    }
}

/// The recipient is not the one of the former phone any more.
const FORMER_CONTACT: &BatchStatement<FormerPhone> = statement!(FormerPhone:
    "UPDATE contact AS c SET docid = NULL
       FROM batch WHERE c.account_id = batch.account_id AND c.phone_mac = batch.phone_mac AND c.docid = batch.docid"
);

batch_row! {
    struct SkippedMessage {
        message: MessageKey,
        reason: &'static str,
    }
}

const SKIP: &BatchStatement<SkippedMessage> = statement!(SkippedMessage:
    "UPDATE message AS m SET status = 'skipped', reason = batch.reason
       FROM batch WHERE m.account_id = batch.account_id AND m.message_id = batch.message_id"
);

batch_row! {
    /// A message that is handed over.
    struct Sending {
        message: MessageKey,
        parts: i64,
        part_states: String,
        encoding: String,
        sent_mac: Vec<u8>,
        quota_day: Option<NaiveDate>,
        sender: Option<String>,
        cost: Option<i64>,
    }
}

/// The ids of an attempt before are none of this one's.
const SEND: &BatchStatement<Sending> = statement!(Sending:
    "UPDATE message AS m SET status = 'sending', parts = batch.parts, part_states = batch.part_states, encoding = batch.encoding,
            sent_mac = batch.sent_mac, quota_day = batch.quota_day, sender = coalesce(batch.sender, m.sender), provider_ids = '[]',
            cost = coalesce(m.cost + batch.cost, batch.cost, m.cost)
       FROM batch WHERE m.account_id = batch.account_id AND m.message_id = batch.message_id"
);

/// The characters of a campaign link's token: 65 random bits.
const TOKEN_CHARS: usize = 11;

/// A due message with what was read of it.
pub(super) struct Candidate {
    pub(super) key: DueKey,
    failures: i64,
    /// By which list of the campaign's senders it came here.
    pub(super) sender_list: Option<String>,
    link_id: Uuid,
    /// Its phone's, under the current pepper first.
    pub(super) macs: Vec<Vec<u8>>,
    /// Of the phone for which it was planned.
    pub(super) planned_mac: Option<Vec<u8>>,
    /// Of the phone that it was handed over for before.
    pub(super) former_mac: Option<Vec<u8>>,
    /// The day on which it has a place among those that are asked.
    pub(super) quota_day: Option<NaiveDate>,
    pub(super) due: DueMessage,
}

impl Candidate {
    /// No other sender takes it.
    pub(super) fn stays(&self) -> bool {
        self.sender_list.as_deref() == Some(OWN_SENDER)
    }
}

impl<'a> StepTx<'a> {
    /// Claims due messages of a campaign. Whether more may be due.
    pub(super) async fn claim(
        &mut self,
        wanted: &Wanted,
        campaign: &LockedCampaign,
    ) -> Result<bool> {
        let candidates = self.candidates(wanted, campaign).await?;
        let found = candidates.len();
        if found == 0 {
            return Ok(false);
        }
        let candidates = self.follow_phones((wanted, campaign), candidates).await?;
        let mut candidates = self.follow_routes(campaign, candidates);
        let account_id = wanted.campaign.account_id;
        let macs = candidates.iter().flat_map(|candidate| &candidate.macs);
        // Whoever opts out, or sends to them through another sender, comes before or after.
        let contacts = self
            .tx
            .contacts(account_id, macs.map(Vec::as_slice).collect(), true);
        let contacts = contacts.await?;
        for Candidate { macs, due, .. } in &mut candidates {
            for contact in macs.iter().filter_map(|mac| contacts.get(mac)) {
                due.contact = due.contact.and(contact);
            }
        }
        let mut parts_left = self.parts_left(account_id, campaign).await?;
        let asking = (&campaign.content.0, campaign.form.0.as_ref());
        let today = self.today(campaign);
        let places = self.day_places(wanted.campaign, asking, &candidates, today);
        let mut places = places.await?;
        let budgets = self.budgets_left(wanted.campaign, campaign, today);
        let mut budgets = budgets.await?;
        let mut context = Context {
            content: asking.0,
            account_zone: campaign.time_zone.0,
            campaign_id: wanted.campaign.campaign_id,
            form: asking.1,
            countries: self.driver.countries,
            types: self.driver.types,
            min_gap_days: campaign.setting.0.min_gap_days,
            link_prefix: self.driver.link_prefix,
        };
        let mut sent_to = BTreeMap::new();
        let mut is_used_up = false;
        for mut candidate in candidates {
            match self.judge(&mut context, &candidate.due).await? {
                Err(reason) => {
                    let reason = self.reason(reason, &candidate, &budgets, asking.0.max_parts);
                    self.skip_here(campaign, &candidate, reason);
                }
                Ok(Verdict::Withdrawn) => self.withdraw(&candidate),
                Ok(Verdict::Later(at)) => {
                    self.put_off(candidate.key, at, candidate.failures, None);
                }
                Ok(Verdict::Send(ready)) => {
                    let parts = i64::try_from(ready.parts.texts.len()).map_err(Error::broken)?;
                    let charge = self.charge(today, &ready.phone, parts);
                    if parts > parts_left || !budgets.have(&charge) {
                        is_used_up = true;
                        break;
                    }
                    if !places.take(asking, &mut candidate) {
                        self.skip(&candidate, SkipReason::Quota);
                        continue;
                    }
                    parts_left -= parts;
                    budgets.take(&charge);
                    self.count_claim(&candidate, &charge);
                    let mac = candidate.macs.first().cloned().unwrap_or_default();
                    let contact = self.contact(&candidate, mac.clone());
                    if candidate.due.kind == MessageKind::Test {
                        // It does not undo what is noted of a message to the same phone.
                        sent_to.entry(mac.clone()).or_insert(contact);
                    } else {
                        sent_to.insert(mac.clone(), contact);
                    }
                    self.send(campaign, candidate, mac, *ready, &charge)?;
                }
            }
        }
        self.keep_places(wanted.campaign, places).await?;
        let (known, new): (Vec<SentTo>, Vec<SentTo>) = sent_to
            .into_values()
            .partition(|row| contacts.contains_key(&row.phone_mac));
        let expected = new.len();
        self.tx.execute_batch(KNOWN_CONTACT, known).await?;
        let new: Vec<Vec<u8>> = self.tx.fetch_batch_values(NEW_CONTACT, new).await?;
        if new.len() < expected {
            // Somebody opted out, or was sent to, before there was anything to lock.
            return Err(Error::Conflict("a contact came meanwhile".into()));
        }
        Ok(found == wanted.messages && !is_used_up)
    }

    /// Judges a message; of numbers, until the upgrade is finished, nothing that an older program has no reason for.
    async fn judge<'c>(
        &self,
        context: &mut Context<'c>,
        due: &DueMessage,
    ) -> Result<std::result::Result<Verdict, SkipReason>>
    where
        'a: 'c,
    {
        let phone = due.phone.as_deref().unwrap_or_default();
        context.countries = self.served(context.content, phone);
        let verdict = context.judge(due, self.now);
        let is_of_number = verdict == Err(SkipReason::NumberType);
        if is_of_number && !self.tx.admits_only_from(REASONS).await? {
            context.types = Some(NumberType::VARIANTS);
            return Ok(context.judge(due, self.now));
        }
        Ok(verdict)
    }

    /// Counts a message that is handed over.
    fn count_claim(&mut self, candidate: &Candidate, charge: &Charge) {
        let (campaign, kind) = (candidate.key.campaign, candidate.due.kind);
        self.add_parts(campaign, kind, charge.parts);
        self.add_charge(campaign, charge);
        let sending = Count::Status(MessageStatus::Sending);
        let scheduled = MessageStatus::Scheduled;
        self.changes.moved((campaign, kind), scheduled, sending);
    }

    /// Cancels a reminder that the campaign does not have any more.
    fn withdraw(&mut self, candidate: &Candidate) {
        let (key, kind) = (candidate.key, candidate.due.kind);
        let cancelled = Count::Status(MessageStatus::Cancelled);
        let scheduled = MessageStatus::Scheduled;
        self.changes
            .moved((key.campaign, kind), scheduled, cancelled);
        self.writes.add(CANCEL, key.message());
        self.writes.add(DELETE_DUE, key);
    }

    /// Skips a message for good.
    pub(super) fn skip(&mut self, candidate: &Candidate, reason: SkipReason) {
        let (key, kind) = (candidate.key, candidate.due.kind);
        let (scheduled, skipped) = (MessageStatus::Scheduled, Count::Skipped(reason));
        self.changes.moved((key.campaign, kind), scheduled, skipped);
        let skipped = SkippedMessage {
            message: key.message(),
            reason: reason.into_str(),
        };
        self.writes.add(SKIP, skipped);
        self.writes.add(DELETE_DUE, key);
    }

    async fn candidates(
        &self,
        wanted: &Wanted,
        campaign: &LockedCampaign,
    ) -> Result<Vec<Candidate>> {
        let due = match campaign.status.0 {
            CampaignStatus::Running if campaign.names_several => DUE_OF_LIST,
            CampaignStatus::Running => DUE,
            _ => DUE_TESTS,
        };
        let limit = i64::try_from(wanted.messages).unwrap_or(i64::MAX);
        let sender = self.driver.lease.name.as_str();
        let values = values![wanted.campaign, self.now, limit, sender];
        let due: Vec<DueRow> = self.tx.fetch_all(due, values).await?;
        let candidates = due.into_iter().map(|row| self.candidate(wanted, row));
        Ok(candidates.collect())
    }

    fn candidate(&self, wanted: &Wanted, row: DueRow) -> Candidate {
        let account_id = wanted.campaign.account_id;
        let macs = row.phone.iter().flat_map(|phone| {
            let macs = self.driver.pepper.phone_macs(account_id, phone);
            macs.map(Vec::from)
        });
        Candidate {
            key: DueKey {
                campaign: wanted.campaign,
                due_at: row.due_at,
                message_id: row.message_id,
            },
            failures: row.failures,
            sender_list: row.sender_list,
            link_id: row.link_id,
            macs: macs.collect(),
            planned_mac: row.phone_mac,
            former_mac: row.sent_mac,
            quota_day: row.quota_day,
            due: DueMessage {
                kind: row.kind.0,
                docid: row.docid,
                scheduled_at: row.scheduled_at,
                phone: row.phone,
                fields: row.fields.0,
                contact: Contact::default(),
                answered: row.answered,
                token: row.token.unwrap_or_else(token_text),
            },
        }
    }

    fn contact(&self, candidate: &Candidate, phone_mac: Vec<u8>) -> SentTo {
        let campaign = candidate.key.campaign;
        let noted = (candidate.due.kind != MessageKind::Test).then_some(());
        SentTo {
            account_id: campaign.account_id,
            phone_mac,
            senders: format!(" {} ", self.driver.lease.name),
            last_sent_at: noted.map(|()| self.now),
            last_campaign_id: noted.map(|()| campaign.campaign_id),
            docid: noted.map(|()| candidate.due.docid.clone()),
        }
    }

    /// Notes a message that is handed over.
    fn send(
        &mut self,
        campaign: &LockedCampaign,
        candidate: Candidate,
        mac: Vec<u8>,
        ready: Ready,
        charge: &Charge,
    ) -> Result<()> {
        let Candidate {
            key, due, link_id, ..
        } = candidate;
        let CampaignKey {
            account_id,
            campaign_id,
        } = key.campaign;
        let driver = self.driver;
        let count = u16::try_from(charge.parts).map_err(Error::broken)?;
        let number = driver.numbers.fetch_add(count, Ordering::Relaxed);
        let echo = driver
            .keeps_ids
            .then(|| Echo::of(number, &ready.phone, driver.pepper).to_string());
        let claimed = DueChange {
            key,
            echo,
            charge: Some(serde_json::to_string(charge).map_err(Error::broken)?),
            fence: self.driver.lease.fence,
            next_due_at: key.due_at,
            failures: candidate.failures,
            sender: None,
            sender_list: None,
        };
        self.writes.add(CHANGE_DUE, claimed);
        if let Some(former) = candidate.former_mac.filter(|former| *former != mac) {
            let former = FormerPhone {
                account_id,
                phone_mac: former,
                docid: due.docid.clone(),
            };
            self.writes.add(FORMER_CONTACT, former);
        }
        let sending = Sending {
            message: key.message(),
            parts: charge.parts,
            part_states: PartStates::new(ready.parts.texts.len()).as_str().to_owned(),
            encoding: ready.parts.encoding.to_string(),
            sent_mac: mac,
            quota_day: candidate.quota_day,
            sender: campaign.names_several.then(|| driver.lease.name.clone()),
            cost: charge.millionths(),
        };
        self.writes.add(SEND, sending);
        if due.kind != MessageKind::Reminder {
            let JsonText(content) = &campaign.content;
            let form_id = content.form_id;
            let days = TimeDelta::days(content.link_expires_after_days.into());
            let link = MessageLink {
                account_id,
                link_id,
                form_id,
                token: due.token,
                bus_prop_ids: ready.bus_prop_ids.to_string(),
                track_fields: serde_json::to_string(&ready.track_fields).map_err(Error::broken)?,
                expires_at: Some(self.now + days),
                created_at: self.now,
                campaign_id,
                is_test: due.kind == MessageKind::Test,
            };
            link.add_to(&mut self.writes, &self.tx);
            let form = FormKey::new(account_id, form_id);
            for field in LinkTrackField::of(form, link_id, &ready.track_fields) {
                self.writes.add(NEW_TRACK_FIELD, field);
            }
        }
        self.claimed.push(Claimed {
            key,
            attempt: due.scheduled_at.timestamp_micros(),
            kind: Some(due.kind),
            timeline: self.timeline,
            account_number: campaign.number,
            phone: ready.phone,
            text: ready.text,
            parts: ready.parts,
            number,
            validity: (ready.ends_at - self.now).to_std().unwrap_or_default(),
        });
        Ok(())
    }
}

pub(in crate::send) fn token_text() -> String {
    let random = rand::rng().sample_iter(Alphanumeric);
    random.take(TOKEN_CHARS).map(char::from).collect()
}
