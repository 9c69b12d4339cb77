//! What a campaign would do if it started now: every recipient of its audience is judged, and nothing is stored.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain::campaign::{Audience, CampaignContent, MessageKind, Preview, Sample, SkipReason};
use domain::form::FormContent;
use domain::pepper::Pepper;
use domain::sms::{Country, Encoding, country_of};
use indexmap::IndexMap;
use sea_orm::{QueryResult, Value};
use uuid::Uuid;

use super::CampaignKey;
use super::judge::{Context, DueMessage, Verdict};
use super::plan::audience;
use crate::tx::{Sql, get, values};
use crate::{Error, Store};

/// Recipients that are read and judged at once.
const SLICE: i64 = 1_000;
/// Of an audience that comes with imports so many recipients stand for those to come.
const NEWEST: i64 = 1_000;
const SAMPLES: usize = 5;
/// As long as the token of a message's link.
const TOKEN: &str = "00000000000";

const CONTACTS_POSTGRES: &str =
    "SELECT phone_mac, opted_out_at IS NOT NULL AS opted_out, last_sent_at, last_campaign_id
       FROM contact WHERE account_id = $1 AND phone_mac = ANY($2)";
const CONTACTS_SQLITE: &str = "SELECT phone_mac, opted_out_at IS NOT NULL AS opted_out, last_sent_at, last_campaign_id
       FROM contact WHERE account_id = $1 AND phone_mac IN (SELECT unhex(value) FROM json_each($2))";

/// The campaign to look ahead for, with what judging needs.
#[derive(Debug)]
pub struct PreviewQuery<'a> {
    pub campaign: CampaignKey,
    pub content: &'a CampaignContent,
    /// None of a form that was deleted.
    pub form: Option<&'a FormContent>,
    pub account_zone: Tz,
    /// The countries that the sender serves; `None`: all.
    pub countries: Option<&'a [Country]>,
    pub link_prefix: &'a str,
    pub pepper: &'a Pepper,
}

struct Recipient {
    docid: String,
    phone: String,
    fields: IndexMap<String, String>,
}

/// What an account knows of a phone.
#[derive(Clone, Copy, Default)]
struct Contact {
    opted_out: bool,
    last_sent: Option<(DateTime<Utc>, Option<Uuid>)>,
}

/// Phones that have a message, as hashes: an audience can be millions.
#[derive(Default)]
struct Phones {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

impl Phones {
    fn insert(&mut self, phone: &str) -> bool {
        self.hashes.insert(self.hasher.hash_one(phone))
    }
}

impl Recipient {
    /// `None` of a row that is not of the audience.
    fn read(row: &QueryResult) -> Result<Option<Self>, Error> {
        let Some(phone) = get(row, "phone")? else {
            return Ok(None);
        };
        let fields: Option<String> = get(row, "fields")?;
        let fields = fields.unwrap_or_else(|| "{}".to_owned());
        Ok(Some(Self {
            docid: get(row, "docid")?,
            phone,
            fields: serde_json::from_str(&fields).map_err(Error::broken)?,
        }))
    }
}

impl Store {
    /// Judges the audience of a campaign by today's state.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn preview_campaign(&self, query: &PreviewQuery<'_>) -> Result<Preview, Error> {
        let now = self.now().await?;
        // Whoever is outside of the window waits for it, which keeps nobody from getting the message.
        let any_time = CampaignContent {
            send_window: None,
            ..query.content.clone()
        };
        let context = Context {
            content: &any_time,
            account_zone: query.account_zone,
            campaign_id: query.campaign.campaign_id,
            form: query.form,
            countries: query.countries,
            link_prefix: query.link_prefix,
            now,
        };
        let mut preview = Preview::default();
        let mut phones = Phones::default();
        let mut after = Some(String::new());
        while let Some(docid) = after {
            let rows = self.preview_slice(query, &docid, now).await?;
            after = match (&query.content.audience, rows.last()) {
                (Audience::OnImport { .. }, _) | (_, None) => None,
                (_, Some(last)) => Some(get(last, "docid")?),
            };
            let recipients = rows
                .iter()
                .filter_map(|row| Recipient::read(row).transpose());
            let recipients = recipients.collect::<Result<Vec<_>, _>>()?;
            let contacts = self.contacts(query, &recipients).await?;
            for (recipient, contact) in recipients.into_iter().zip(contacts) {
                add(&mut preview, &context, recipient, contact, &mut phones);
            }
            tokio::task::yield_now().await;
        }
        Ok(preview)
    }

    async fn preview_slice(
        &self,
        query: &PreviewQuery<'_>,
        after: &str,
        now: DateTime<Utc>,
    ) -> Result<Vec<QueryResult>, Error> {
        let account_id = query.campaign.account_id;
        if matches!(query.content.audience, Audience::OnImport { .. }) {
            let newest = "SELECT docid, phone, CAST(fields AS text) AS fields FROM recipient
                           WHERE account_id = $1 AND phone IS NOT NULL ORDER BY created_at DESC LIMIT $2";
            return self.rows(newest, values![account_id, NEWEST]).await;
        }
        let (matches, mut more) = audience(&query.content.audience, self.is_sqlite());
        let mut given = values![account_id, after, SLICE, now];
        given.append(&mut more);
        let slice = format!(
            "SELECT docid, CASE WHEN phone IS NOT NULL AND created_at <= $4 {matches} THEN phone END AS phone,
                    CAST(fields AS text) AS fields
               FROM recipient WHERE account_id = $1 AND docid > $2 ORDER BY docid LIMIT $3"
        );
        self.rows(slice, given).await
    }

    /// What is known of each recipient's phone.
    async fn contacts(
        &self,
        query: &PreviewQuery<'_>,
        recipients: &[Recipient],
    ) -> Result<Vec<Contact>, Error> {
        let account_id = query.campaign.account_id;
        let macs: Vec<[u8; 32]> = recipients
            .iter()
            .map(|recipient| query.pepper.phone_mac(account_id, &recipient.phone))
            .collect();
        let wanted: Value = if self.is_sqlite() {
            let macs: Vec<String> = macs.iter().map(|mac| hex(mac)).collect();
            serde_json::json!(macs).to_string().into()
        } else {
            macs.iter()
                .map(|mac| mac.to_vec())
                .collect::<Vec<_>>()
                .into()
        };
        let known = self.dialect(CONTACTS_POSTGRES, CONTACTS_SQLITE);
        let mut contacts = HashMap::new();
        for row in self.rows(known, values![account_id, wanted]).await? {
            let at: Option<DateTime<Utc>> = get(&row, "last_sent_at")?;
            let campaign_id: Option<Uuid> = get(&row, "last_campaign_id")?;
            let contact = Contact {
                opted_out: get(&row, "opted_out")?,
                last_sent: at.map(|at| (at, campaign_id)),
            };
            contacts.insert(get::<Vec<u8>>(&row, "phone_mac")?, contact);
        }
        let contacts = macs.iter().map(|mac| contacts.get(&mac[..]).copied());
        Ok(contacts.map(Option::unwrap_or_default).collect())
    }
}

fn add(
    preview: &mut Preview,
    context: &Context<'_>,
    recipient: Recipient,
    contact: Contact,
    phones: &mut Phones,
) {
    preview.recipients += 1;
    if !phones.insert(&recipient.phone) {
        *preview
            .skipped
            .entry(SkipReason::DuplicatePhone)
            .or_default() += 1;
        return;
    }
    let due = DueMessage {
        kind: MessageKind::First,
        docid: recipient.docid,
        scheduled_at: context.now,
        phone: Some(recipient.phone),
        fields: recipient.fields,
        opted_out: contact.opted_out,
        last_sent: contact.last_sent,
        answered: false,
        token: TOKEN.to_owned(),
    };
    match context.judge(&due) {
        Verdict::Skip(reason) => *preview.skipped.entry(reason).or_default() += 1,
        // There is no window that could be closed.
        Verdict::Later(_) => preview.eligible += 1,
        Verdict::Send(ready) => {
            preview.eligible += 1;
            let parts = ready.parts.texts.len();
            *preview.parts.entry(parts).or_default() += 1;
            match ready.parts.encoding {
                Encoding::Gsm7 => preview.encodings.gsm7 += 1,
                Encoding::Ucs2 => preview.encodings.ucs2 += 1,
            }
            if let Some(country) = country_of(&ready.phone) {
                *preview.countries.entry(country.to_string()).or_default() += 1;
            }
            if preview.samples.len() < SAMPLES {
                preview.samples.push(Sample {
                    docid: due.docid,
                    text: ready.text,
                    parts,
                    encoding: ready.parts.encoding,
                });
            }
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}
