//! The past of a demo: recipients, messages and links as if they had been imported and sent when it is said they were.

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use domain::campaign::{
    CampaignStatus, Count, MessageKind, MessageStatus, PartStates, ReceiptStatus,
};
use domain::date_range::day_of;
use domain::pepper::Pepper;
use domain::rollup::DayCounts;
use uuid::Uuid;

use super::CampaignKey;
use super::drive::claims::{NEW_CONTACT, token_text};
use super::tally::Changes;
use crate::collect::id_at;
use crate::form::{FIELD, FormKey, LINK, PublicLink};
use crate::tx::{Sql, values};
use crate::{Error, Result, Store};

/// A message of one part that was sent, to a recipient who had just been imported.
#[derive(Clone, Debug)]
pub struct PastMessage {
    /// Of the message, whose id it has.
    pub link: PublicLink,
    pub docid: String,
    pub phone: String,
    /// Tracking fields as a JSON object.
    pub fields: String,
    pub sent_at: DateTime<Utc>,
    pub delivered: bool,
}

/// An import that stored all of its records at once.
const BATCH: &str = "INSERT INTO import_batch (account_id, batch_id, status, attempt, heartbeat_at, campaign_id, lane, seq, received,
            accepted, created, created_at, queued_at, started_at, completed_at)
     VALUES ($1, $3, 'completed', $3, $4, $2, 'small', 0, $5, $5, $5, $4, $4, $4, $4)";
const RECIPIENT: &str = "WITH g(a, b, d, p, f, t, y) AS (ROWS)
     INSERT INTO recipient (account_id, batch_id, docid, phone, fields, seq, created_at, updated_at, created_day)
     SELECT a, b, d, p, FIELDS, 0, t, t, y FROM g WHERE true ON CONFLICT DO NOTHING";
const MESSAGE: &str = "WITH g(a, c, m, d, p, t, y, r, s, n) AS (ROWS)
     INSERT INTO message (account_id, campaign_id, message_id, docid, phone_mac, scheduled_at, accepted_day, delivered_at, status,
            part_states, kind, sent_mac, parts, encoding, link_id, accepted_at)
     SELECT g.*, 'first', p, 1, 'gsm7', m, t FROM g";

impl Store {
    /// Adds messages of a campaign with their links, recipients and the import that these came with, and counts them. The
    /// recipients are counted by [`Store::rebuild_recipients`].
    pub async fn add_past_messages(
        &self,
        key: CampaignKey,
        sender: &str,
        messages: &[PastMessage],
        pepper: &Pepper,
    ) -> Result<()> {
        let tx = self.begin().await?;
        let Some(began) = messages.iter().map(|message| message.sent_at).min() else {
            return Ok(());
        };
        let batch_id: Uuid = id_at(began);
        let count = i64::try_from(messages.len()).map_err(Error::broken)?;
        tx.execute(BATCH, values![key, batch_id, began, count])
            .await?;
        let mut changes = Changes::default();
        let (mut recipients, mut rows, mut links) = (Vec::new(), Vec::new(), Vec::new());
        let (mut fields, mut contacts) = (Vec::new(), Vec::new());
        for message in messages {
            let (link, at) = (&message.link, message.sent_at.trunc_subsecs(6));
            let day = day_of(at, link.time_zone);
            let mac = pepper.phone_mac(key.account_id, &message.phone).to_vec();
            let docid = message.docid.as_str();
            recipients.push(values![
                key.account_id,
                batch_id,
                docid,
                message.phone.as_str(),
                message.fields.as_str(),
                at,
                day
            ]);
            let (status, reported) = if message.delivered {
                (MessageStatus::Delivered, ReceiptStatus::Delivered)
            } else {
                (MessageStatus::Undelivered, ReceiptStatus::Undelivered)
            };
            let delivered_at = message.delivered.then(|| at + TimeDelta::seconds(3));
            let mut part_states = PartStates::new(1);
            part_states.record(Some(0), reported);
            rows.push(values![
                key,
                link.link_id,
                docid,
                mac.clone(),
                at,
                day,
                delivered_at,
                status.into_str(),
                part_states.as_str()
            ]);
            links.push(values![
                key.account_id,
                link.link_id,
                link.form_id,
                token_text(),
                link.bus_prop_ids.to_string(),
                serde_json::to_string(&link.track_fields).map_err(Error::broken)?,
                link.expires_at,
                at,
                key.campaign_id,
                false,
                1_i64
            ]);
            for (name, value) in link.track_fields.iter() {
                let field = format!("{name}={value}");
                fields.push(values![key.account_id, link.link_id, link.form_id, field]);
            }
            let senders = format!(" {sender} ");
            contacts.push(values![
                key.account_id,
                mac,
                senders,
                at,
                key.campaign_id,
                docid
            ]);
            let counts = changes.of(key, MessageKind::First);
            for count in [Count::Recipients, Count::Status(status), Count::Parts] {
                counts.add(count, 1);
            }
            let form = FormKey::new(key.account_id, link.form_id);
            let sent = DayCounts::message(message.delivered, false);
            let place = link.bus_prop_ids.to_string();
            changes.reported.add_messages(form, day, &place, sent);
        }
        let fields_value = tx.dialect("CAST(f AS jsonb)", "f");
        let recipient = RECIPIENT.replace("FIELDS", fields_value);
        for (statement, rows) in [
            (&*recipient, recipients),
            (LINK, links),
            (FIELD, fields),
            (MESSAGE, rows),
            (NEW_CONTACT, contacts),
        ] {
            tx.for_rows(statement, rows).await?;
        }
        tx.append_counts(changes).await?;
        tx.commit_surely().await
    }

    /// Lets a campaign have begun, and perhaps ended, at some time.
    pub async fn backdate_campaign(
        &self,
        key: CampaignKey,
        status: CampaignStatus,
        started_at: DateTime<Utc>,
        finished_at: Option<DateTime<Utc>>,
    ) -> Result<()> {
        let update =
            "UPDATE campaign SET status = $3, created_at = $4, started_at = $4, finished_at = $5
             WHERE account_id = $1 AND campaign_id = $2";
        let values = values![key, status.into_str(), started_at, finished_at];
        self.execute(update, values).await.map(drop)
    }
}
