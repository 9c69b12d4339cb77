//! Which due messages are handed over next: claimed, judged, and given their link.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use domain::campaign::{
    CampaignStatus, Count, CountsDelta, MessageKind, MessageStatus, PartStates,
};
use indexmap::IndexMap;
use rand::RngExt;
use rand::distr::Alphanumeric;
use sea_orm::{QueryResult, Value};
use uuid::Uuid;

use super::{Claimed, ClaimedKey, DUE_AGAIN, Loaded, StepTx, Wanted};
use crate::send::judge::{Context, DueMessage, Ready, Verdict};
use crate::tx::{Sql, get, parsed, values};
use crate::{Error, Tx};

/// Due messages with their recipients. Of a reminder it is also asked whether the first message was answered.
const DUE: &str = "SELECT d.due_at, d.message_id, d.failures, m.docid, m.kind, m.link_id, m.scheduled_at,
            coalesce(d.phone, r.phone) AS phone, CAST(r.fields AS text) AS fields, l.token, f.answered_at IS NOT NULL AS answered
       FROM message_due d
       JOIN message m ON m.account_id = d.account_id AND m.message_id = d.message_id
       LEFT JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
       LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
       LEFT JOIN message f ON m.kind = 'reminder' AND f.account_id = m.account_id AND f.message_id = m.link_id
      WHERE d.account_id = $1 AND d.campaign_id = $2 AND d.due_at <= $3 AND d.fence = 0 TESTS
      ORDER BY d.due_at, d.message_id LIMIT $4";

const CONTACTS: &str = "WITH g(a, p) AS (ROWS)
     SELECT c.phone_mac, c.last_sent_at, c.last_campaign_id, c.opted_out_at IS NOT NULL AS opted_out
       FROM g JOIN contact c ON c.account_id = g.a AND c.phone_mac = g.p ORDER BY c.account_id, c.phone_mac";

/// Nothing is noted of a test but that its phone is there.
const SENT_TO: &str = "WITH g(a, p, t, c, d) AS (ROWS)
     INSERT INTO contact AS c (account_id, phone_mac, last_sent_at, last_campaign_id, docid) SELECT * FROM g WHERE true
         ON CONFLICT (account_id, phone_mac) DO UPDATE SET last_sent_at = coalesce(excluded.last_sent_at, c.last_sent_at),
            last_campaign_id = coalesce(excluded.last_campaign_id, c.last_campaign_id), docid = coalesce(excluded.docid, c.docid)
     RETURNING phone_mac, opted_out_at IS NOT NULL AS opted_out";

const SKIP: &str =
    "WITH g(a, m, r) AS (ROWS) UPDATE message AS m SET status = 'skipped', reason = g.r
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m";

const CLAIM: &str = "WITH g(a, c, t, m, f) AS (ROWS) UPDATE message_due AS d SET fence = g.f
       FROM g WHERE d.account_id = g.a AND d.campaign_id = g.c AND d.due_at = g.t AND d.message_id = g.m";

const SENDING: &str = "WITH g(a, m, n, s, e, p) AS (ROWS)
     UPDATE message AS m SET status = 'sending', parts = g.n, part_states = g.s, encoding = g.e, sent_mac = g.p
       FROM g WHERE m.account_id = g.a AND m.message_id = g.m";

const LINK: &str = "WITH g(a, l, f, t, b, x, e, n, c, k) AS (ROWS)
     INSERT INTO link (account_id, link_id, form_id, token, bus_prop_ids, track_fields, expires_at, created_at, campaign_id,
            is_test, max_responses)
     SELECT g.*, 1 FROM g WHERE true ON CONFLICT (account_id, link_id) DO NOTHING";

const FIELD: &str = "WITH g(a, f, t, l) AS (ROWS)
     INSERT INTO link_track_field (account_id, form_id, track_field, link_id) SELECT * FROM g WHERE true ON CONFLICT DO NOTHING";

/// The characters of a campaign link's token: 65 random bits.
const TOKEN_CHARS: usize = 11;

/// A due message with what was read of it.
struct Candidate {
    key: ClaimedKey,
    failures: i64,
    link_id: Uuid,
    /// Its phone's, under the current pepper first.
    macs: Vec<Vec<u8>>,
    due: DueMessage,
}

/// The rows that claiming writes.
#[derive(Default)]
struct Rows {
    skipped: Vec<Vec<Value>>,
    ended: Vec<Vec<Value>>,
    later: Vec<Vec<Value>>,
    claimed: Vec<Vec<Value>>,
    sending: Vec<Vec<Value>>,
    links: Vec<Vec<Value>>,
    fields: Vec<Vec<Value>>,
    /// By the phone's MAC.
    sent_to: BTreeMap<Vec<u8>, Vec<Value>>,
}

impl StepTx<'_> {
    /// Claims due messages of a campaign. Whether more may be due.
    pub(super) async fn claim(
        &mut self,
        wanted: &Wanted,
        campaign: &Loaded,
    ) -> Result<bool, Error> {
        let mut candidates = self.candidates(wanted, campaign.status).await?;
        let found = candidates.len();
        if found == 0 {
            return Ok(false);
        }
        let account_id = wanted.campaign.account_id;
        self.tx.lock_contacts(account_id, &mut candidates).await?;
        let mut parts_left = self.parts_left(account_id, campaign).await?;
        let context = Context {
            content: &campaign.content,
            account_zone: campaign.account_zone,
            campaign_id: wanted.campaign.campaign_id,
            form: campaign.form.as_ref(),
            countries: self.driver.countries,
            link_prefix: self.driver.link_prefix,
            now: self.now,
        };
        let mut rows = Rows::default();
        let mut is_used_up = false;
        for candidate in candidates {
            match context.judge(&candidate.due) {
                Verdict::Skip(reason) => {
                    let counts = self.changes.of(wanted.campaign, candidate.due.kind);
                    let scheduled = Count::Status(MessageStatus::Scheduled);
                    counts.merge(&CountsDelta::moved(scheduled, Count::Skipped(reason)));
                    let mut row = candidate.key.of_message();
                    row.push(reason.as_str().into());
                    rows.skipped.push(row);
                    rows.ended.push(candidate.key.of_due());
                }
                Verdict::Later(at) => {
                    let mut row = candidate.key.of_due();
                    row.extend(values![at, candidate.failures]);
                    rows.later.push(row);
                }
                Verdict::Send(ready) => {
                    let parts = i64::try_from(ready.parts.texts.len()).map_err(Error::broken)?;
                    if parts > parts_left {
                        is_used_up = true;
                        break;
                    }
                    parts_left -= parts;
                    self.add_parts(wanted.campaign, candidate.due.kind, parts);
                    let counts = self.changes.of(wanted.campaign, candidate.due.kind);
                    let (scheduled, sending) = (MessageStatus::Scheduled, MessageStatus::Sending);
                    let moved =
                        CountsDelta::moved(Count::Status(scheduled), Count::Status(sending));
                    counts.merge(&moved);
                    self.send(&mut rows, campaign, candidate, *ready, parts)?;
                }
            }
        }
        self.tx.write_claims(rows).await?;
        Ok(found == wanted.messages && !is_used_up)
    }

    async fn candidates(
        &self,
        wanted: &Wanted,
        status: CampaignStatus,
    ) -> Result<Vec<Candidate>, Error> {
        // What a campaign that does not run may send.
        let tests = match status {
            CampaignStatus::Running => "",
            _ => "AND d.phone IS NOT NULL",
        };
        let due = DUE.replace("TESTS", tests);
        let due = self.tx.locking(&due, "FOR UPDATE OF d SKIP LOCKED");
        let limit = i64::try_from(wanted.messages).unwrap_or(i64::MAX);
        let rows = self.tx.rows(due, values![wanted.campaign, self.now, limit]);
        let rows = rows.await?;
        rows.iter().map(|row| self.candidate(wanted, row)).collect()
    }

    fn candidate(&self, wanted: &Wanted, row: &QueryResult) -> Result<Candidate, Error> {
        let phone: Option<String> = get(row, "phone")?;
        let fields: Option<String> = get(row, "fields")?;
        let fields = fields.map(|fields| serde_json::from_str(&fields));
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
            due: DueMessage {
                kind: parsed(row, "kind")?,
                docid: get(row, "docid")?,
                scheduled_at: get(row, "scheduled_at")?,
                phone,
                fields: fields
                    .transpose()
                    .map_err(Error::broken)?
                    .unwrap_or_else(IndexMap::new),
                opted_out: false,
                last_sent: None,
                answered: get(row, "answered")?,
                token: token.unwrap_or_else(token_text),
            },
        })
    }

    /// Notes a message that is handed over.
    fn send(
        &mut self,
        rows: &mut Rows,
        campaign: &Loaded,
        candidate: Candidate,
        ready: Ready,
        parts: i64,
    ) -> Result<(), Error> {
        let Candidate {
            key,
            link_id,
            due,
            macs,
            ..
        } = candidate;
        let (account_id, campaign_id) = (key.campaign.account_id, key.campaign.campaign_id);
        let is_test = due.kind == MessageKind::Test;
        let mac = macs.into_iter().next().unwrap_or_default();
        let mut claimed = key.of_due();
        claimed.push(self.driver.lease.fence.into());
        rows.claimed.push(claimed);
        let mut sending = key.of_message();
        let states = PartStates::new(ready.parts.texts.len());
        let encoding = ready.parts.encoding.to_string();
        sending.extend(values![parts, states.as_str(), encoding, mac.clone()]);
        rows.sending.push(sending);
        rows.sent_to.insert(
            mac.clone(),
            if is_test {
                values![
                    account_id,
                    mac,
                    None::<DateTime<Utc>>,
                    None::<Uuid>,
                    None::<String>
                ]
            } else {
                values![
                    account_id,
                    mac,
                    Some(self.now),
                    Some(campaign_id),
                    Some(due.docid)
                ]
            },
        );
        if due.kind != MessageKind::Reminder {
            let form_id = campaign.content.form_id;
            let days = TimeDelta::days(campaign.content.link_expires_after_days.into());
            rows.links.push(values![
                account_id,
                link_id,
                form_id,
                due.token,
                ready.bus_prop_ids.to_string(),
                serde_json::to_string(&ready.track_fields).map_err(Error::broken)?,
                self.now + days,
                self.now,
                campaign_id,
                is_test
            ]);
            let fields = ready.track_fields.iter();
            rows.fields.extend(fields.map(|(name, value)| {
                values![account_id, form_id, format!("{name}={value}"), link_id]
            }));
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

impl Tx {
    /// Reads the contacts of phones. They are locked, so that whoever opts out comes before or after.
    async fn lock_contacts(
        &self,
        account_id: Uuid,
        candidates: &mut [Candidate],
    ) -> Result<(), Error> {
        let macs = candidates.iter().flat_map(|candidate| &candidate.macs);
        let macs: BTreeSet<&Vec<u8>> = macs.collect();
        let rows = macs.into_iter().map(|mac| values![account_id, mac.clone()]);
        let locked = self.locking(CONTACTS, "FOR NO KEY UPDATE OF c");
        let mut contacts = HashMap::new();
        for row in self.for_rows(&locked, rows.collect()).await? {
            contacts.insert(get::<Vec<u8>>(&row, "phone_mac")?, row);
        }
        for Candidate { macs, due, .. } in candidates {
            for row in macs.iter().filter_map(|mac| contacts.get(mac)) {
                let at: Option<DateTime<Utc>> = get(row, "last_sent_at")?;
                let campaign_id: Option<Uuid> = get(row, "last_campaign_id")?;
                due.last_sent = due.last_sent.max(at.map(|at| (at, campaign_id)));
                due.opted_out |= get::<bool>(row, "opted_out")?;
            }
        }
        Ok(())
    }

    async fn write_claims(&self, rows: Rows) -> Result<(), Error> {
        let sent_to = rows.sent_to.into_values().collect();
        for row in self.for_rows(SENT_TO, sent_to).await? {
            if get(&row, "opted_out")? {
                let late = "a phone opted out before it was known";
                return Err(Error::Conflict(late.into()));
            }
        }
        self.for_rows(SKIP, rows.skipped).await?;
        self.delete_due(rows.ended).await?;
        self.for_rows(DUE_AGAIN, rows.later).await?;
        self.for_rows(CLAIM, rows.claimed).await?;
        self.for_rows(SENDING, rows.sending).await?;
        self.for_rows(LINK, rows.links).await?;
        self.for_rows(FIELD, rows.fields).await?;
        Ok(())
    }
}

fn token_text() -> String {
    let random = rand::rng().sample_iter(Alphanumeric);
    random.take(TOKEN_CHARS).map(char::from).collect()
}
