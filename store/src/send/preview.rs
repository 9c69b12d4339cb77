//! What a campaign would do if it started now: every recipient of its audience is judged, and nothing is stored.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use chrono::{DateTime, Utc};
use domain::campaign::judge::{Contact, Context, DueMessage, Verdict};
use domain::campaign::{
    Audience, BusPropsCheck, CampaignContent, ColumnsCheck, MessageKind, MissingFields, Preview,
    Sample, SkipReason,
};
use domain::form::BusProp;
use domain::pepper::Pepper;
use domain::price::{Money, Prices};
use domain::sms::{Country, Encoding, NumberType, SendWindow, country_or_code, zones_for};
use uuid::Uuid;

use super::audience::{AudienceSlice, PlannedRecipient, audience};
use crate::tx::{Sql, statement, values};
use crate::{Error, Result, Store};

/// Recipients that are read and judged at once.
const SLICE: u64 = 1_000;
/// Of an audience that comes with imports so many recipients stand for those to come.
const NEWEST: i64 = 1_000;
const SAMPLES: usize = 5;
/// Recipients after whom others have their turn on this thread.
const BETWEEN: u64 = 20;
/// Of an audience that is a small part of the account, so many times as many recipients are read as may be judged.
const READ_PER_JUDGED: u64 = 10;
/// As long as the token of a message's link.
const TOKEN: &str = "00000000000";

/// Which messages a sender takes, and what they cost.
#[derive(Clone, Copy, Default)]
pub struct Serves<'a> {
    /// The countries; `None`: all.
    pub countries: Option<&'a [Country]>,
    /// The types of numbers; `None`: those that are usual.
    pub types: Option<&'a [NumberType]>,
    /// `None`: nobody says.
    pub prices: Option<&'a Prices>,
}

/// By the names of senders.
pub type Served<'a> = HashMap<&'a str, Serves<'a>>;

impl Store {
    /// Judges the audience of a campaign by today's state, or of a large one about so many: then it is `partial`. What `turn` gives is
    /// held for a thousand recipients at a time.
    pub async fn preview_campaign<T: Send, F: Future<Output = T> + Send>(
        &self,
        account_id: Uuid,
        pepper: &Pepper,
        (context, served): (&Context<'_>, &Served<'_>),
        most: u64,
        turn: impl Fn() -> F + Send + Sync,
    ) -> Result<Preview> {
        let now = self.now().await?;
        // Whoever is outside of the window waits for it, which keeps nobody from getting the message.
        let window = context.content.send_window.as_ref();
        let any_time = CampaignContent {
            send_window: None,
            ..context.content.clone()
        };
        let context = Context {
            content: &any_time,
            ..*context
        };
        let (mut preview, mut missing) = (Preview::default(), MissingFields::default());
        let prices = |name: &str| served.get(name)?.prices;
        let currency = context.content.sender.names().into_iter().find_map(prices);
        preview.cost = currency.map(|prices| Money::none(prices.currency().clone()));
        let form = context.form;
        let mut columns = ColumnsCheck::new(context.content, form);
        let mut bus_props = form.map(|form| BusPropsCheck::new(context.content, form));
        // How many would be asked of a business property of which only so many are.
        let mut asked = HashMap::new();
        // Phones that have a message, as hashes: an audience can be millions.
        let (mut phones, hasher) = (HashSet::new(), RandomState::new());
        let comes_with_imports = matches!(context.content.audience, Audience::OnImport { .. });
        let (mut after, mut seen) = (Some(String::new()), 0_u64);
        while let Some(docid) = after {
            let _turn = turn().await;
            let mut recipients: Vec<PlannedRecipient> = if comes_with_imports {
                let newest = statement!(
                    "SELECT docid, phone, CAST(fields AS text) AS more FROM recipient
                      WHERE account_id = $1 AND phone IS NOT NULL ORDER BY created_at DESC LIMIT $2"
                );
                self.fetch_all(newest, values![account_id, NEWEST]).await?
            } else {
                let slice = AudienceSlice {
                    account_id,
                    after: &docid,
                    limit: SLICE,
                    at: now,
                };
                let column = "CAST(fields AS text)";
                audience(self, &context.content.audience, column, slice).await?
            };
            let last = recipients.last().filter(|_| !comes_with_imports);
            after = last.map(|last| last.docid.clone());
            seen += recipients.len() as u64;
            recipients.retain(|recipient| recipient.phone.is_some());
            let given = recipients.iter().filter_map(|of| of.phone.as_deref());
            let macs = given.map(|phone| pepper.phone_macs(account_id, phone));
            let macs: Vec<Vec<[u8; 32]>> = macs.map(Iterator::collect).collect();
            let tx = self.snapshot().await?;
            let wanted = macs.iter().flatten().map(|mac| &mac[..]).collect();
            let contacts = tx.contacts(account_id, wanted, false).await?;
            let contacts = macs.iter().map(|macs| {
                let known = macs.iter().filter_map(|mac| contacts.get(&mac[..]));
                known.fold(Contact::default(), Contact::and)
            });
            for (recipient, contact) in recipients.into_iter().zip(contacts) {
                preview.recipients += 1;
                // A thousand long texts keep a core busy.
                if preview.recipients.is_multiple_of(BETWEEN) {
                    tokio::task::yield_now().await;
                }
                if !any_time.asks(context.campaign_id, &recipient.docid) {
                    let none = preview.skipped.entry(SkipReason::NotSampled);
                    *none.or_default() += 1;
                } else if phones.insert(hasher.hash_one(&recipient.phone)) {
                    let due = due(recipient, contact, now)?;
                    missing.add(context.content, &due);
                    columns.add(&due.fields);
                    let lists = (&mut preview, bus_props.as_mut(), &mut asked);
                    let (context, prices) = for_phone(context, served, &due);
                    add(lists, (&context, prices), due, (now, window));
                } else {
                    let twice = preview.skipped.entry(SkipReason::DuplicatePhone);
                    *twice.or_default() += 1;
                }
            }
            if preview.recipients >= most || seen / READ_PER_JUDGED >= most {
                preview.partial = after.is_some();
                break;
            }
            tokio::task::yield_now().await;
        }
        preview.fields_missing = missing.told(columns.names());
        preview.columns = columns.columns();
        preview.bus_props_unknown = bus_props.map(BusPropsCheck::unknown).unwrap_or_default();
        Ok(preview)
    }
}

/// What is known of messages to the country of a phone, which the first sender of its list would carry, and its prices; where there is
/// none, to no country.
fn for_phone<'c>(
    context: Context<'c>,
    served: &Served<'c>,
    due: &DueMessage,
) -> (Context<'c>, Option<&'c Prices>) {
    let phone = due.phone.as_deref().unwrap_or_default();
    let list = context.content.sender.of(phone);
    let sender = list.and_then(|(_, list)| list.names().first());
    let of_sender = match sender {
        Some(name) => served.get(name.as_str()).copied().unwrap_or_default(),
        None => Serves {
            countries: Some(&[]),
            ..Serves::default()
        },
    };
    let context = Context {
        countries: of_sender.countries,
        types: of_sender.types,
        ..context
    };
    (context, of_sender.prices)
}

/// The message that a recipient would get.
fn due(recipient: PlannedRecipient, contact: Contact, now: DateTime<Utc>) -> Result<DueMessage> {
    let fields = recipient.more.unwrap_or_else(|| "{}".to_owned());
    Ok(DueMessage {
        kind: MessageKind::First,
        docid: recipient.docid,
        scheduled_at: now,
        phone: recipient.phone,
        fields: serde_json::from_str(&fields).map_err(Error::broken)?,
        contact,
        answered: false,
        token: TOKEN.to_owned(),
    })
}

/// Takes a place of each business property; false: one has none left.
fn take(asked: &mut HashMap<String, u32>, quotas: Vec<(BusProp, u32)>) -> bool {
    let before = |text: &BusProp| asked.get(text.as_str()).copied().unwrap_or_default();
    let is_free = quotas.iter().all(|(text, most)| before(text) < *most);
    if is_free {
        for (text, _) in quotas {
            *asked.entry(text.as_str().to_owned()).or_default() += 1;
        }
    }
    is_free
}

/// Adds the message of a recipient who has none yet.
fn add(
    (preview, bus_props, asked): (
        &mut Preview,
        Option<&mut BusPropsCheck>,
        &mut HashMap<String, u32>,
    ),
    (context, prices): (&Context<'_>, Option<&Prices>),
    due: DueMessage,
    (now, window): (DateTime<Utc>, Option<&SendWindow>),
) {
    let field = |name: &str| due.fields.get(name).map(String::as_str);
    let judged = context.judge(&due, now);
    let judged = match judged {
        Ok(Verdict::Send(_)) if !take(asked, context.content.quotas(context.form, field)) => {
            Err(SkipReason::Quota)
        }
        judged => judged,
    };
    match judged {
        Err(reason) => *preview.skipped.entry(reason).or_default() += 1,
        Ok(Verdict::Send(ready)) => {
            preview.eligible += 1;
            preview.contacted_lately += u64::from(context.was_contacted_lately(&due, now));
            let parts = ready.parts.texts.len();
            *preview.parts.entry(parts).or_default() += 1;
            let cost = prices.and_then(|prices| prices.of(&ready.phone, parts as u64));
            if let (Some(sum), Some(cost)) = (&mut preview.cost, cost) {
                sum.add(&cost);
            }
            match ready.parts.encoding {
                Encoding::Gsm7 => preview.encodings.gsm7 += 1,
                Encoding::Ucs2 => preview.encodings.ucs2 += 1,
            }
            let starts_at = context.content.starts_at;
            let start = starts_at.map_or(now, |starts_at| starts_at.max(now));
            // None is earlier.
            if preview.first_at != Some(start) {
                let zones = zones_for(field("time_zone"), &ready.phone, context.account_zone);
                let opens_at = zones.slot(window, start).opens_at;
                let first_at = preview.first_at.unwrap_or(opens_at);
                preview.first_at = Some(first_at.min(opens_at));
            }
            let country = preview.countries.entry(country_or_code(&ready.phone));
            *country.or_default() += 1;
            if let Some(bus_props) = bus_props {
                bus_props.add(field);
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
        // There is no window that could be closed, and no reminder.
        Ok(Verdict::Later(_) | Verdict::Withdrawn) => preview.eligible += 1,
    }
}
