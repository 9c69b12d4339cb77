//! Which due messages are handed over next: claimed, judged, and given their link.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::campaign::{
    CampaignStatus, Count, CountsDelta, MessageKind, MessageStatus, PartStates,
};
use indexmap::IndexMap;
use rand::RngExt;
use rand::distr::Alphanumeric;
use uuid::Uuid;

use super::{Claimed, ClaimedKey, Driver, Loaded, Wanted, kind};
use crate::send::CampaignKey;
use crate::send::judge::{Context, DueMessage, Ready, Verdict};
use crate::send::tally::Changes;
use crate::tx::{Sql, get, values};
use crate::{Error, Tx};

const DUE: &str = "SELECT due_at, message_id, phone FROM message_due
      WHERE account_id = $1 AND campaign_id = $2 AND due_at <= $3 AND fence = 0 ORDER BY due_at, message_id LIMIT $4";
/// The same of a campaign that does not run.
const DUE_TESTS: &str = "SELECT due_at, message_id, phone FROM message_due
      WHERE account_id = $1 AND campaign_id = $2 AND due_at <= $3 AND fence = 0 AND phone IS NOT NULL
      ORDER BY due_at, message_id LIMIT $4";

/// Messages with their recipients. Of a reminder it is also asked whether the first message was answered.
const MESSAGES_POSTGRES: &str = "SELECT m.message_id, m.docid, m.kind, m.link_id, m.scheduled_at, r.phone,
            CAST(r.fields AS text) AS fields, l.token,
            f.answered_at IS NOT NULL AS answered
       FROM unnest($1::uuid[], $2::uuid[]) AS g(a, m)
       JOIN message m ON m.account_id = g.a AND m.message_id = g.m
       LEFT JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
       LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
       LEFT JOIN message f ON m.kind = 'reminder' AND f.account_id = m.account_id AND f.message_id = m.link_id";
const MESSAGES_SQLITE: &str = "SELECT m.message_id, m.docid, m.kind, m.link_id, m.scheduled_at, r.phone,
            CAST(r.fields AS text) AS fields, l.token,
            f.answered_at IS NOT NULL AS answered
       FROM message m
       LEFT JOIN recipient r ON r.account_id = m.account_id AND r.docid = m.docid
       LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
       LEFT JOIN message f ON m.kind = 'reminder' AND f.account_id = m.account_id AND f.message_id = m.link_id
      WHERE m.account_id = $1 AND m.message_id = $2";

const MAKE_CONTACTS_POSTGRES: &str = "INSERT INTO contact (account_id, phone_mac)
     SELECT DISTINCT * FROM unnest($1::uuid[], $2::bytea[]) AS g(a, p) ORDER BY a, p ON CONFLICT DO NOTHING";
const MAKE_CONTACTS_SQLITE: &str =
    "INSERT INTO contact (account_id, phone_mac) VALUES ($1, $2) ON CONFLICT DO NOTHING";

const LOCK_CONTACTS_POSTGRES: &str = "SELECT c.phone_mac, c.last_sent_at, c.last_campaign_id, c.opted_out_at
       FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::bytea[]) AS g(a, p) ORDER BY a, p) g
      CROSS JOIN LATERAL (
            SELECT * FROM contact c WHERE c.account_id = g.a AND c.phone_mac = g.p FOR NO KEY UPDATE) c";
const LOCK_CONTACTS_SQLITE: &str =
    "SELECT phone_mac, last_sent_at, last_campaign_id, opted_out_at FROM contact
      WHERE account_id = $1 AND phone_mac = $2";

const SENT_TO_POSTGRES: &str = "UPDATE contact c SET last_sent_at = g.t, last_campaign_id = g.c, docid = g.d
       FROM unnest($1::uuid[], $2::bytea[], $3::timestamptz[], $4::uuid[], $5::text[]) AS g(a, p, t, c, d)
      WHERE c.account_id = g.a AND c.phone_mac = g.p";
const SENT_TO_SQLITE: &str =
    "UPDATE contact SET last_sent_at = $3, last_campaign_id = $4, docid = $5
      WHERE account_id = $1 AND phone_mac = $2";

const SKIP_POSTGRES: &str = "UPDATE message m SET status = 'skipped', reason = g.r
       FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS g(a, m, r) WHERE m.account_id = g.a AND m.message_id = g.m";
const SKIP_SQLITE: &str =
    "UPDATE message SET status = 'skipped', reason = $3 WHERE account_id = $1 AND message_id = $2";

const LATER_POSTGRES: &str = "UPDATE message_due d SET due_at = g.later
       FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::timestamptz[]) AS g(a, c, t, m, later)
      WHERE d.account_id = g.a AND d.campaign_id = g.c AND d.due_at = g.t AND d.message_id = g.m";
const LATER_SQLITE: &str = "UPDATE message_due SET due_at = $5
      WHERE account_id = $1 AND campaign_id = $2 AND due_at = $3 AND message_id = $4";

const CLAIM_POSTGRES: &str = "UPDATE message_due d SET fence = g.f
       FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::bigint[]) AS g(a, c, t, m, f)
      WHERE d.account_id = g.a AND d.campaign_id = g.c AND d.due_at = g.t AND d.message_id = g.m";
const CLAIM_SQLITE: &str = "UPDATE message_due SET fence = $5
      WHERE account_id = $1 AND campaign_id = $2 AND due_at = $3 AND message_id = $4";

const SENDING_POSTGRES: &str = "UPDATE message m
        SET status = 'sending', parts = g.n, part_states = g.s, encoding = g.e, sent_mac = g.p
       FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::bytea[]) AS g(a, m, n, s, e, p)
      WHERE m.account_id = g.a AND m.message_id = g.m";
const SENDING_SQLITE: &str =
    "UPDATE message SET status = 'sending', parts = $3, part_states = $4, encoding = $5, sent_mac = $6
      WHERE account_id = $1 AND message_id = $2";

const LINK_POSTGRES: &str = "INSERT INTO link (account_id, link_id, form_id, token, bus_prop_ids, track_fields, expires_at,
            max_responses, created_at, campaign_id, is_test)
     SELECT g.a, g.l, g.f, g.t, g.b, g.x, g.e, 1, g.n, g.c, g.k
       FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
                   $8::timestamptz[], $9::uuid[], $10::boolean[]) AS g(a, l, f, t, b, x, e, n, c, k)
         ON CONFLICT (account_id, link_id) DO NOTHING";
const LINK_SQLITE: &str = "INSERT INTO link (account_id, link_id, form_id, token, bus_prop_ids, track_fields, expires_at,
            max_responses, created_at, campaign_id, is_test)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9, $10) ON CONFLICT (account_id, link_id) DO NOTHING";

const FIELD_POSTGRES: &str =
    "INSERT INTO link_track_field (account_id, form_id, track_field, link_id)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[]) ON CONFLICT DO NOTHING";
const FIELD_SQLITE: &str =
    "INSERT INTO link_track_field (account_id, form_id, track_field, link_id)
     VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";

/// The characters of a campaign link's token: 65 random bits.
const TOKEN_CHARS: usize = 11;

/// A due message with what was read of it.
struct Candidate {
    key: ClaimedKey,
    kind: MessageKind,
    docid: String,
    link_id: Uuid,
    scheduled_at: DateTime<Utc>,
    phone: Option<String>,
    fields: IndexMap<String, String>,
    token: String,
    answered: bool,
    /// Its phone's, under the current pepper first.
    macs: Vec<[u8; 32]>,
}

impl Candidate {
    fn mac(&self) -> Option<[u8; 32]> {
        self.macs.first().copied()
    }
}

/// When an account sent to a phone last and for which campaign, and whether the phone opted out.
#[derive(Clone, Copy, Default)]
struct Contact {
    last_sent: Option<(DateTime<Utc>, Option<Uuid>)>,
    opted_out: bool,
}

impl Contact {
    /// What is known under both.
    fn and(self, other: Self) -> Self {
        Self {
            last_sent: self.last_sent.max(other.last_sent),
            opted_out: self.opted_out || other.opted_out,
        }
    }
}

/// The rows that claiming writes.
#[derive(Default)]
struct Rows {
    skipped: Vec<Vec<sea_orm::Value>>,
    ended: Vec<Vec<sea_orm::Value>>,
    later: Vec<Vec<sea_orm::Value>>,
    claimed: Vec<Vec<sea_orm::Value>>,
    sending: Vec<Vec<sea_orm::Value>>,
    links: Vec<Vec<sea_orm::Value>>,
    fields: Vec<Vec<sea_orm::Value>>,
    sent_to: Vec<Vec<sea_orm::Value>>,
}

impl Tx {
    /// Claims due messages of a campaign, and adds those to be handed over. How many were due.
    pub(super) async fn claim_due_messages(
        &self,
        driver: &Driver<'_>,
        wanted: &Wanted,
        campaign: &Loaded,
        now: DateTime<Utc>,
        changes: &mut Changes,
        claimed: &mut Vec<Claimed>,
    ) -> Result<usize, Error> {
        let key = wanted.campaign;
        let candidates = self
            .candidates(driver, wanted, campaign.status, now)
            .await?;
        let found = candidates.len();
        if found == 0 {
            return Ok(0);
        }
        let contacts = self.lock_contacts(key, &candidates).await?;
        let context = Context {
            content: &campaign.content,
            account_zone: campaign.account_zone,
            campaign_id: key.campaign_id,
            form: campaign.form.as_ref(),
            countries: driver.countries,
            link_prefix: driver.link_prefix,
            now,
        };
        let mut rows = Rows::default();
        for candidate in candidates {
            let known = candidate
                .macs
                .iter()
                .filter_map(|mac| contacts.get(&mac[..]));
            let contact = known.fold(Contact::default(), |all, one| all.and(*one));
            let due = DueMessage {
                kind: candidate.kind,
                docid: candidate.docid.clone(),
                scheduled_at: candidate.scheduled_at,
                phone: candidate.phone.clone(),
                fields: candidate.fields.clone(),
                opted_out: contact.opted_out,
                last_sent: contact.last_sent,
                answered: candidate.answered,
                token: candidate.token.clone(),
            };
            let due_key = values![key, candidate.key.due_at, candidate.key.message_id];
            let delta = changes.of(key, candidate.kind);
            match context.judge(due) {
                Verdict::Skip(reason) => {
                    let scheduled = Count::Status(MessageStatus::Scheduled);
                    delta.merge(&CountsDelta::moved(scheduled, Count::Skipped(reason)));
                    let message =
                        values![key.account_id, candidate.key.message_id, reason.as_str()];
                    rows.skipped.push(message);
                    rows.ended.push(due_key);
                }
                Verdict::Later(at) => {
                    let mut row = due_key;
                    row.push(at.into());
                    rows.later.push(row);
                }
                Verdict::Send(ready) => {
                    let scheduled = Count::Status(MessageStatus::Scheduled);
                    let sending = Count::Status(MessageStatus::Sending);
                    delta.merge(&CountsDelta::moved(scheduled, sending));
                    delta.add(
                        Count::Parts,
                        ready.parts.texts.len().try_into().unwrap_or(0),
                    );
                    rows.send(driver, campaign, &candidate, &ready, due_key, now)?;
                    claimed.push(Claimed {
                        key: candidate.key,
                        account_number: campaign.account_number,
                        phone: ready.phone,
                        text: ready.text,
                        parts: ready.parts,
                        validity: (ready.ends_at - now).to_std().unwrap_or_default(),
                    });
                }
            }
        }
        self.write_claims(rows).await?;
        Ok(found)
    }

    async fn candidates(
        &self,
        driver: &Driver<'_>,
        wanted: &Wanted,
        status: CampaignStatus,
        now: DateTime<Utc>,
    ) -> Result<Vec<Candidate>, Error> {
        let key = wanted.campaign;
        let limit = i64::try_from(wanted.messages).unwrap_or(i64::MAX);
        let due = match status {
            CampaignStatus::Running => DUE,
            _ => DUE_TESTS,
        };
        let due = self.locking(due, "FOR UPDATE SKIP LOCKED");
        let due: Vec<(DateTime<Utc>, Uuid, Option<String>)> =
            self.all(due, values![key, now, limit]).await?;
        let ids = due.iter().map(|(_, id, _)| values![key.account_id, *id]);
        let rows = self.each(MESSAGES_POSTGRES, MESSAGES_SQLITE, ids.collect());
        let mut messages = HashMap::new();
        for row in rows.await? {
            messages.insert(get::<Uuid>(&row, "message_id")?, row);
        }
        let mut candidates = Vec::with_capacity(due.len());
        for (due_at, message_id, test_phone) in due {
            let row = messages.get(&message_id);
            let row = row.ok_or_else(|| Error::broken("a due message that is not there"))?;
            let stored: Option<String> = get(row, "phone")?;
            let fields: Option<String> = get(row, "fields")?;
            let fields = fields.unwrap_or_else(|| "{}".to_owned());
            let phone = test_phone.or(stored);
            let account = key.account_id;
            let token: Option<String> = get(row, "token")?;
            candidates.push(Candidate {
                key: ClaimedKey {
                    campaign: key,
                    due_at,
                    message_id,
                },
                kind: kind(row)?,
                docid: get(row, "docid")?,
                link_id: get(row, "link_id")?,
                scheduled_at: get(row, "scheduled_at")?,
                macs: match &phone {
                    Some(phone) => driver.pepper.phone_macs(account, phone).collect(),
                    None => Vec::new(),
                },
                phone,
                fields: serde_json::from_str(&fields).map_err(Error::broken)?,
                token: token.unwrap_or_else(token_text),
                answered: get(row, "answered")?,
            });
        }
        Ok(candidates)
    }

    /// The contacts of these phones, locked, so that whoever opts out comes before or after.
    async fn lock_contacts(
        &self,
        key: CampaignKey,
        candidates: &[Candidate],
    ) -> Result<HashMap<Vec<u8>, Contact>, Error> {
        let mut macs: Vec<Vec<u8>> = candidates
            .iter()
            .flat_map(|candidate| candidate.macs.iter().map(|mac| mac.to_vec()))
            .collect();
        macs.sort_unstable();
        macs.dedup();
        let rows = || {
            macs.iter()
                .map(|mac| values![key.account_id, mac.clone()])
                .collect()
        };
        self.each(MAKE_CONTACTS_POSTGRES, MAKE_CONTACTS_SQLITE, rows())
            .await?;
        let locked = self.each(LOCK_CONTACTS_POSTGRES, LOCK_CONTACTS_SQLITE, rows());
        let mut contacts = HashMap::new();
        for row in locked.await? {
            let last_sent_at: Option<DateTime<Utc>> = get(&row, "last_sent_at")?;
            let campaign_id: Option<Uuid> = get(&row, "last_campaign_id")?;
            let opted_out_at: Option<DateTime<Utc>> = get(&row, "opted_out_at")?;
            let contact = Contact {
                last_sent: last_sent_at.map(|at| (at, campaign_id)),
                opted_out: opted_out_at.is_some(),
            };
            contacts.insert(get(&row, "phone_mac")?, contact);
        }
        Ok(contacts)
    }

    async fn write_claims(&self, rows: Rows) -> Result<(), Error> {
        self.each(SENT_TO_POSTGRES, SENT_TO_SQLITE, rows.sent_to)
            .await?;
        self.each(SKIP_POSTGRES, SKIP_SQLITE, rows.skipped).await?;
        self.delete_due(rows.ended).await?;
        self.each(LATER_POSTGRES, LATER_SQLITE, rows.later).await?;
        self.each(CLAIM_POSTGRES, CLAIM_SQLITE, rows.claimed)
            .await?;
        self.each(SENDING_POSTGRES, SENDING_SQLITE, rows.sending)
            .await?;
        self.each(LINK_POSTGRES, LINK_SQLITE, rows.links).await?;
        self.each(FIELD_POSTGRES, FIELD_SQLITE, rows.fields).await?;
        Ok(())
    }
}

impl Rows {
    /// The rows of a message that is handed over.
    fn send(
        &mut self,
        driver: &Driver<'_>,
        campaign: &Loaded,
        candidate: &Candidate,
        ready: &Ready,
        due_key: Vec<sea_orm::Value>,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let key = candidate.key.campaign;
        let mut claimed = due_key;
        claimed.push(driver.lease.fence.into());
        self.claimed.push(claimed);
        let parts = ready.parts.texts.len();
        self.sending.push(values![
            key.account_id,
            candidate.key.message_id,
            i64::try_from(parts).unwrap_or(i64::MAX),
            PartStates::new(parts).as_str(),
            ready.parts.encoding.to_string(),
            candidate.mac().map(Vec::from)
        ]);
        let is_test = candidate.kind == MessageKind::Test;
        if let (Some(mac), false) = (candidate.mac(), is_test) {
            let docid = candidate.docid.as_str();
            self.sent_to.push(values![
                key.account_id,
                mac.to_vec(),
                now,
                key.campaign_id,
                docid
            ]);
        }
        if candidate.kind == MessageKind::Reminder {
            return Ok(());
        }
        let form_id = campaign.content.form_id;
        let days = TimeDelta::days(campaign.content.link_expires_after_days.into());
        let track_fields = serde_json::to_string(&ready.track_fields).map_err(Error::broken)?;
        self.links.push(values![
            key.account_id,
            candidate.link_id,
            form_id,
            candidate.token.as_str(),
            ready.bus_prop_ids.to_string(),
            track_fields,
            now + days,
            now,
            key.campaign_id,
            is_test
        ]);
        for (name, value) in ready.track_fields.iter() {
            let track_field = format!("{name}={value}");
            self.fields.push(values![
                key.account_id,
                form_id,
                track_field,
                candidate.link_id
            ]);
        }
        Ok(())
    }
}

fn token_text() -> String {
    let random = rand::rng().sample_iter(Alphanumeric);
    random.take(TOKEN_CHARS).map(char::from).collect()
}
