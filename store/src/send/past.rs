//! The past of a demo: recipients, messages and links as if they had been imported and sent when it is said they were.

use chrono::{DateTime, NaiveDate, SubsecRound, TimeDelta, Utc};
use domain::campaign::{
    CampaignStatus, Count, MessageKind, MessageStatus, PartStates, ReceiptStatus,
};
use domain::date_range::day_of;
use domain::pepper::Pepper;
use domain::rollup::DayCounts;
use entity::{campaign, import_batch};
use sea_orm::ActiveValue::Set;
use uuid::Uuid;

use super::CampaignKey;
use super::drive::claims::{NEW_CONTACT, SentTo, token_text};
use super::link::MessageLink;
use super::tally::Changes;
use crate::collect::id_at;
use crate::form::{FormKey, LinkTrackField, NEW_TRACK_FIELD, PublicLink};
use crate::tx::{BatchStatement, BatchWrites, Sql, batch_row, statement};
use crate::{Error, Result, Store, Tx};

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

batch_row! {
    struct PastRecipient {
        account_id: Uuid,
        batch_id: Uuid,
        docid: String,
        phone: String,
        fields: String,
        created_at: DateTime<Utc>,
        created_day: NaiveDate,
    }
}

macro_rules! new_recipient {
    ($fields:literal) => {
        concat!(
            "INSERT INTO recipient (account_id, batch_id, docid, phone, fields, seq, created_at, updated_at, created_day)
             SELECT account_id, batch_id, docid, phone, ", $fields, ", 0, created_at, created_at, created_day
               FROM batch WHERE true ON CONFLICT DO NOTHING"
        )
    };
}
const NEW_RECIPIENT: &BatchStatement<PastRecipient> = statement!(PastRecipient:
    postgres: new_recipient!("CAST(fields AS jsonb)");
    sqlite: new_recipient!("fields")
);

batch_row! {
    struct SentMessage {
        campaign: CampaignKey,
        message_id: Uuid,
        docid: String,
        status: &'static str,
        phone_mac: Vec<u8>,
        part_states: String,
        sent_at: DateTime<Utc>,
        sent_day: NaiveDate,
        delivered_at: Option<DateTime<Utc>>,
    }
}

const NEW_MESSAGE: &BatchStatement<SentMessage> = statement!(SentMessage:
    "INSERT INTO message (account_id, campaign_id, message_id, docid, kind, status, phone_mac, sent_mac, parts, part_states,
            encoding, link_id, scheduled_at, accepted_at, accepted_day, delivered_at)
     SELECT account_id, campaign_id, message_id, docid, 'first', status, phone_mac, phone_mac, 1, part_states,
            'gsm7', message_id, sent_at, sent_at, sent_day, delivered_at
       FROM batch"
);

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
        tx.add_past_batch(key, batch_id, began, count).await?;
        let mut changes = Changes::default();
        let mut writes = BatchWrites::default();
        for message in messages {
            let (link, at) = (&message.link, message.sent_at.trunc_subsecs(6));
            let day = day_of(at, link.time_zone);
            let mac = pepper.phone_mac(key.account_id, &message.phone).to_vec();
            let form = FormKey::new(key.account_id, link.form_id);
            let recipient = PastRecipient {
                account_id: key.account_id,
                batch_id,
                docid: message.docid.clone(),
                phone: message.phone.clone(),
                fields: message.fields.clone(),
                created_at: at,
                created_day: day,
            };
            writes.add(NEW_RECIPIENT, recipient);
            let new_link = MessageLink {
                account_id: key.account_id,
                link_id: link.link_id,
                form_id: link.form_id,
                token: token_text(),
                bus_prop_ids: link.bus_prop_ids.to_string(),
                track_fields: serde_json::to_string(&link.track_fields).map_err(Error::broken)?,
                expires_at: link.expires_at,
                created_at: at,
                campaign_id: key.campaign_id,
                is_test: false,
            };
            new_link.add_to(&mut writes, &tx);
            for field in LinkTrackField::of(form, link.link_id, &link.track_fields) {
                writes.add(NEW_TRACK_FIELD, field);
            }
            let (status, reported) = if message.delivered {
                (MessageStatus::Delivered, ReceiptStatus::Delivered)
            } else {
                (MessageStatus::Undelivered, ReceiptStatus::Undelivered)
            };
            let mut part_states = PartStates::new(1);
            part_states.record(Some(0), reported);
            let sent = SentMessage {
                campaign: key,
                message_id: link.link_id,
                docid: message.docid.clone(),
                status: status.into_str(),
                phone_mac: mac.clone(),
                part_states: part_states.as_str().to_owned(),
                sent_at: at,
                sent_day: day,
                delivered_at: message.delivered.then(|| at + TimeDelta::seconds(3)),
            };
            writes.add(NEW_MESSAGE, sent);
            let contact = SentTo {
                account_id: key.account_id,
                phone_mac: mac,
                senders: format!(" {sender} "),
                last_sent_at: Some(at),
                last_campaign_id: Some(key.campaign_id),
                docid: Some(message.docid.clone()),
            };
            writes.add(NEW_CONTACT, contact);
            let counts = changes.of(key, MessageKind::First);
            for count in [Count::Recipients, Count::Status(status), Count::Parts] {
                counts.add(count, 1);
            }
            let sent = DayCounts::message(message.delivered, false);
            let ids = link.bus_prop_ids.to_string();
            changes.reported.add_messages(form, day, &ids, sent);
        }
        writes.execute(&tx).await?;
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
        let campaign = campaign::ActiveModel {
            account_id: Set(key.account_id),
            campaign_id: Set(key.campaign_id),
            status: Set(status.into_str().to_owned()),
            created_at: Set(started_at),
            started_at: Set(Some(started_at)),
            finished_at: Set(finished_at),
            ..Default::default()
        };
        self.update(campaign).await
    }
}

impl Tx {
    /// Adds an import for a campaign that stored all of its records at once.
    async fn add_past_batch(
        &self,
        key: CampaignKey,
        batch_id: Uuid,
        at: DateTime<Utc>,
        records: i64,
    ) -> Result<()> {
        let batch = import_batch::ActiveModel {
            account_id: Set(key.account_id),
            batch_id: Set(batch_id),
            status: Set("completed".to_owned()),
            attempt: Set(batch_id),
            heartbeat_at: Set(at),
            campaign_id: Set(Some(key.campaign_id)),
            lane: Set("small".to_owned()),
            seq: Set(Some(0)),
            received: Set(records),
            accepted: Set(records),
            created: Set(records),
            created_at: Set(at),
            queued_at: Set(Some(at)),
            started_at: Set(Some(at)),
            completed_at: Set(Some(at)),
            ..Default::default()
        };
        self.insert(batch).await
    }
}
