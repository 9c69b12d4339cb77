//! Which due messages are handed over next: claimed, judged, and given their link.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::campaign::judge::{Contact, Context, DueMessage, Ready, Verdict};
use domain::campaign::{CampaignStatus, Count, MessageKind, MessageStatus, PartStates};
use rand::RngExt;
use rand::distr::Alphanumeric;
use sea_orm::{QueryResult, Value};
use uuid::Uuid;

use super::{Claimed, ClaimedKey, DELETE_DUE, Loaded, SET_DUE, StepTx, Wanted};
use crate::form::{FIELD, LINK};
use crate::tx::{Sql, get, json, parsed, values};
use crate::{Error, Result};

/// Due messages of the sender with their recipients; a test may wait for the sender that a DRAFT had before. Of a reminder it is also asked whether the first message was answered.
const DUE: &str = "SELECT d.due_at, d.message_id, d.failures, m.docid, m.kind, m.link_id, m.scheduled_at, m.sent_mac,
            coalesce(d.phone, r.phone) AS phone, coalesce(CAST(r.fields AS text), '{}') AS fields, l.token, f.answered_at IS NOT NULL AS answered
       FROM message_due d
       JOIN message m ON m.account_id = d.account_id AND m.message_id = d.message_id
       LEFT JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
       LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
       LEFT JOIN message f ON m.kind = 'reminder' AND f.account_id = m.account_id AND f.message_id = m.link_id
      WHERE d.account_id = $1 AND d.campaign_id = $2 AND d.due_at <= $3 AND d.fence = 0 AND d.sender = $5 TESTS
      ORDER BY d.due_at, d.message_id LIMIT $4";

/// Nothing is noted of a test but its phone and its sender. Of phones that were not known a row that came meanwhile is left.
pub(in crate::send) const NEW_CONTACT: &str = "WITH g(a, p, s, t, c, d) AS (ROWS)
     INSERT INTO contact (account_id, phone_mac, senders, last_sent_at, last_campaign_id, docid) SELECT * FROM g WHERE true
         ON CONFLICT DO NOTHING RETURNING phone_mac";
const SENT_TO: &str = "WITH g(a, p, s, t, c, d) AS (ROWS)
     UPDATE contact AS c SET last_sent_at = coalesce(g.t, c.last_sent_at),
            last_campaign_id = coalesce(g.c, c.last_campaign_id), docid = coalesce(g.d, c.docid),
            senders = CASE WHEN c.senders LIKE '%' || g.s || '%' THEN c.senders ELSE c.senders || g.s END
       FROM g WHERE c.account_id = g.a AND c.phone_mac = g.p";

/// A message goes to another phone than it went to before, so that the recipient is not the one of the former any more.
const FORMER_CONTACT: &str = "WITH g(a, p, d) AS (ROWS)
     UPDATE contact AS c SET docid = NULL FROM g WHERE c.account_id = g.a AND c.phone_mac = g.p AND c.docid = g.d";

const SKIP: &str =
    "WITH g(a, m, r) AS (ROWS) UPDATE message AS m SET status = 'skipped', reason = g.r
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m";

const SENDING: &str = "WITH g(a, m, n, s, e, p) AS (ROWS)
     UPDATE message AS m SET status = 'sending', parts = g.n, part_states = g.s, encoding = g.e, sent_mac = g.p
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m";

/// The characters of a campaign link's token: 65 random bits.
const TOKEN_CHARS: usize = 11;

/// A due message with what was read of it.
struct Candidate {
    key: ClaimedKey,
    failures: i64,
    link_id: Uuid,
    /// Its phone's, under the current pepper first.
    macs: Vec<Vec<u8>>,
    /// Of the phone that it was handed over for before.
    former_mac: Option<Vec<u8>>,
    due: DueMessage,
}

impl StepTx<'_> {
    /// Claims due messages of a campaign. Whether more may be due.
    pub(super) async fn claim(&mut self, wanted: &Wanted, campaign: &Loaded) -> Result<bool> {
        let mut candidates = self.candidates(wanted, campaign.status).await?;
        let found = candidates.len();
        if found == 0 {
            return Ok(false);
        }
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
        let context = Context {
            content: &campaign.content,
            account_zone: campaign.account_zone,
            campaign_id: wanted.campaign.campaign_id,
            form: campaign.form.as_ref(),
            countries: self.driver.countries,
            link_prefix: self.driver.link_prefix,
        };
        let mut sent_to = BTreeMap::new();
        let mut is_used_up = false;
        for candidate in candidates {
            match context.judge(&candidate.due, self.now) {
                Err(reason) => {
                    let skipped = Count::Skipped(reason);
                    let (kind, scheduled) = (candidate.due.kind, MessageStatus::Scheduled);
                    self.changes
                        .moved((wanted.campaign, kind), scheduled, skipped);
                    let reason = values![reason.into_str()];
                    self.write(SKIP, candidate.key.of_message(), reason);
                    self.write(DELETE_DUE, candidate.key.of_due(), vec![]);
                }
                Ok(Verdict::Later(at)) => {
                    let later = values![0_i64, at, candidate.failures];
                    self.write(SET_DUE, candidate.key.of_due(), later);
                }
                Ok(Verdict::Send(ready)) => {
                    let parts = i64::try_from(ready.parts.texts.len()).map_err(Error::broken)?;
                    if parts > parts_left {
                        is_used_up = true;
                        break;
                    }
                    parts_left -= parts;
                    self.add_parts(wanted.campaign, candidate.due.kind, parts);
                    let sending = Count::Status(MessageStatus::Sending);
                    let (kind, scheduled) = (candidate.due.kind, MessageStatus::Scheduled);
                    self.changes
                        .moved((wanted.campaign, kind), scheduled, sending);
                    let mac = candidate.macs.first().cloned().unwrap_or_default();
                    let contact = self.contact(&candidate, &mac);
                    if candidate.due.kind == MessageKind::Test {
                        // It does not undo what is noted of a message to the same phone.
                        sent_to.entry(mac.clone()).or_insert(contact);
                    } else {
                        sent_to.insert(mac.clone(), contact);
                    }
                    self.send(campaign, candidate, mac, *ready, parts)?;
                }
            }
        }
        let sent_to = sent_to.into_iter();
        let (old, new): (Vec<_>, Vec<_>) = sent_to.partition(|(mac, _)| contacts.contains_key(mac));
        let rows = |contacts: Vec<(_, _)>| contacts.into_iter().map(|(_, row)| row).collect();
        let expected = new.len();
        self.tx.for_rows(SENT_TO, rows(old)).await?;
        if self.tx.for_rows(NEW_CONTACT, rows(new)).await?.len() < expected {
            // Somebody opted out, or was sent to, before there was anything to lock.
            return Err(Error::Conflict("a contact came meanwhile".into()));
        }
        Ok(found == wanted.messages && !is_used_up)
    }

    async fn candidates(&self, wanted: &Wanted, status: CampaignStatus) -> Result<Vec<Candidate>> {
        // What a campaign that does not run may send.
        let tests = match status {
            CampaignStatus::Running => "",
            _ => "AND d.phone IS NOT NULL",
        };
        let due = DUE.replace("TESTS", tests);
        let due = self.tx.locking(&due, "FOR UPDATE OF d SKIP LOCKED");
        let limit = i64::try_from(wanted.messages).unwrap_or(i64::MAX);
        let sender = self.driver.lease.name.as_str();
        let rows = self
            .tx
            .rows(due, values![wanted.campaign, self.now, limit, sender]);
        let rows = rows.await?;
        rows.iter().map(|row| self.candidate(wanted, row)).collect()
    }

    fn candidate(&self, wanted: &Wanted, row: &QueryResult) -> Result<Candidate> {
        let phone: Option<String> = get(row, "phone")?;
        let token: Option<String> = get(row, "token")?;
        let account_id = wanted.campaign.account_id;
        let macs = phone.iter().flat_map(|phone| {
            let macs = self.driver.pepper.phone_macs(account_id, phone);
            macs.map(Vec::from)
        });
        Ok(Candidate {
            key: ClaimedKey {
                campaign: wanted.campaign,
                due_at: get(row, "due_at")?,
                message_id: get(row, "message_id")?,
            },
            failures: get(row, "failures")?,
            link_id: get(row, "link_id")?,
            macs: macs.collect(),
            former_mac: get(row, "sent_mac")?,
            due: DueMessage {
                kind: parsed(row, "kind")?,
                docid: get(row, "docid")?,
                scheduled_at: get(row, "scheduled_at")?,
                phone,
                fields: json(row, "fields")?,
                contact: Contact::default(),
                answered: get(row, "answered")?,
                token: token.unwrap_or_else(token_text),
            },
        })
    }

    /// What is noted of a phone to which a message goes: of a test nothing.
    fn contact(&self, candidate: &Candidate, mac: &[u8]) -> Vec<Value> {
        let campaign = candidate.key.campaign;
        let noted = (candidate.due.kind != MessageKind::Test).then_some(());
        values![
            campaign.account_id,
            mac.to_vec(),
            // Between spaces, as its column has them.
            format!(" {} ", self.driver.lease.name),
            noted.map(|()| self.now),
            noted.map(|()| campaign.campaign_id),
            noted.map(|()| candidate.due.docid.clone())
        ]
    }

    /// Notes a message that is handed over.
    fn send(
        &mut self,
        campaign: &Loaded,
        candidate: Candidate,
        mac: Vec<u8>,
        ready: Ready,
        parts: i64,
    ) -> Result<()> {
        let Candidate {
            key, due, link_id, ..
        } = candidate;
        let link_key = || values![key.campaign.account_id, link_id];
        let claimed = values![self.driver.lease.fence, key.due_at, candidate.failures];
        self.write(SET_DUE, key.of_due(), claimed);
        let states = PartStates::new(ready.parts.texts.len());
        let encoding = ready.parts.encoding.to_string();
        if let Some(former) = candidate.former_mac.filter(|former| *former != mac) {
            let former = values![former, due.docid.as_str()];
            self.write(FORMER_CONTACT, values![key.campaign.account_id], former);
        }
        let sending = values![parts, states.as_str(), encoding, mac];
        self.write(SENDING, key.of_message(), sending);
        if due.kind != MessageKind::Reminder {
            let form_id = campaign.content.form_id;
            let days = TimeDelta::days(campaign.content.link_expires_after_days.into());
            let link = values![
                form_id,
                due.token,
                ready.bus_prop_ids.to_string(),
                serde_json::to_string(&ready.track_fields).map_err(Error::broken)?,
                self.now + days,
                self.now,
                key.campaign.campaign_id,
                due.kind == MessageKind::Test,
                1_i64
            ];
            self.write(LINK, link_key(), link);
            for (name, value) in ready.track_fields.iter() {
                let field = values![form_id, format!("{name}={value}")];
                self.write(FIELD, link_key(), field);
            }
        }
        self.claimed.push(Claimed {
            key,
            account_number: campaign.account_number,
            phone: ready.phone,
            text: ready.text,
            parts: ready.parts,
            validity: (ready.ends_at - self.now).to_std().unwrap_or_default(),
        });
        Ok(())
    }
}

pub(in crate::send) fn token_text() -> String {
    let random = rand::rng().sample_iter(Alphanumeric);
    random.take(TOKEN_CHARS).map(char::from).collect()
}
