//! An account's counts by day: of each of its forms, and of its recipients.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use domain::date_range::DateRange;
use domain::form::FormStatus;
use domain::month::Month;
use domain::rollup::{DayCounts, month};
use store::Store;
use store::form::FormKey;
use store::report::{AccountHead, Version, WHOLE};
use uuid::Uuid;

use super::blocks::{self, Copy};
use super::{Source, recipients, turn};
use crate::cache::Cache;

/// The counts of an account on the days of a range, all as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountSeries {
    pub version: Version,
    /// When the last change that is counted was made; `None` before the first.
    pub as_of: Option<DateTime<Utc>>,
    /// All forms, of every status, in the order of their making.
    pub forms: Vec<FormDays>,
    /// Recipients now stored, by the day of their creation, in order; days without any may be missing.
    pub recipients: Vec<(NaiveDate, i64)>,
    pub source: Source,
}

/// One form of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormDays {
    pub form_id: Uuid,
    pub title: String,
    pub status: FormStatus,
    /// Of the whole, in order; days on which nothing was counted may be missing.
    pub days: Vec<(NaiveDate, DayCounts)>,
}

/// Numbers by day, and the version that they are of.
type Of<T> = (i64, Vec<(NaiveDate, T)>);

/// What is in hand.
struct Known {
    months: BTreeMap<(Uuid, Month), Of<DayCounts>>,
    recipients: Option<Of<i64>>,
}

impl Known {
    fn is_all_of(&self, head: &AccountHead) -> bool {
        let months: usize = head.forms.iter().map(|form| form.months.len()).sum();
        self.months.len() == months && self.recipients.is_some()
    }
}

/// The counts of an account.
///
/// # Errors
/// The database is unavailable: without it no copy can be checked.
pub async fn account_series(
    store: &Store,
    cache: &Cache,
    account_id: Uuid,
    range: DateRange,
) -> Result<AccountSeries, store::Error> {
    loop {
        let head = store.account_head(account_id, range).await?;
        let mut known = copies(cache, account_id, &head).await;
        if known.is_all_of(&head) {
            return Ok(series(head, known, range, Source::Cache));
        }
        let turn = turn().await;
        let wanted = |form_id, month, version| {
            let known = known.months.get(&(form_id, month));
            known.is_none_or(|(known, _)| *known != version)
        };
        let recipients_held = known.recipients.as_ref().map(|(version, _)| *version);
        let read = store
            .account_days(account_id, range, wanted, recipients_held)
            .await?;
        drop(turn);
        // In between a rebuild may have ended.
        let epoch = read.head.version.epoch;
        if epoch != head.version.epoch {
            continue;
        }
        let mut fresh = Vec::new();
        for (form_id, months) in read.read {
            let form = FormKey::new(account_id, form_id);
            for block in months {
                fresh.extend(Copy::of_stored(epoch, form, WHOLE, &block));
                let days = block
                    .days
                    .into_iter()
                    .map(|(day, delta)| (day, delta.counts));
                known
                    .months
                    .insert((form_id, block.month), (block.version, days.collect()));
            }
        }
        if let Some(series) = read.recipients {
            fresh.extend(recipients::copy(account_id, &series));
            known.recipients = Some((series.version, series.days));
        }
        blocks::offer(cache, fresh).await;
        return Ok(series(read.head, known, range, Source::Database));
    }
}

/// Those parts of the head of which the cache has right copies.
async fn copies(cache: &Cache, account_id: Uuid, head: &AccountHead) -> Known {
    let epoch = head.version.epoch;
    let months: Vec<(Uuid, Month, i64)> = head
        .forms
        .iter()
        .flat_map(|form| {
            let months = form.months.iter();
            months.map(|(month, version)| (form.form_id, *month, *version))
        })
        .collect();
    let mut wanted = vec![(recipients::key(epoch, account_id), head.recipients)];
    wanted.extend(months.iter().map(|(form_id, month, version)| {
        let form = FormKey::new(account_id, *form_id);
        (blocks::key(epoch, form, WHOLE, *month), *version)
    }));
    let mut copies = cache.get_many(&wanted).await.into_iter();
    let recipients = copies.next().flatten();
    let recipients = recipients.and_then(|bytes| recipients::days(&bytes));
    let months = months.into_iter().zip(copies);
    Known {
        months: months
            .filter_map(|((form_id, month, version), bytes)| {
                // What cannot be read, a newer process wrote.
                let days = month::decode_counts(month, &bytes?).ok()?;
                Some(((form_id, month), (version, days)))
            })
            .collect(),
        recipients: match head.recipients {
            0 => Some((0, Vec::new())),
            version => recipients.map(|days| (version, days)),
        },
    }
}

/// All of the head is known in its versions.
fn series(head: AccountHead, mut known: Known, range: DateRange, source: Source) -> AccountSeries {
    let forms = head.forms.into_iter().map(|form| {
        let months = form.months.iter();
        let days = months.filter_map(|(month, _)| known.months.remove(&(form.form_id, *month)));
        let days = days.flat_map(|(_, days)| days);
        FormDays {
            form_id: form.form_id,
            title: form.title,
            status: form.status,
            days: days.filter(|(day, _)| range.contains(*day)).collect(),
        }
    });
    let forms = forms.collect();
    let recipients = known.recipients.into_iter().flat_map(|(_, days)| days);
    AccountSeries {
        version: head.version,
        as_of: head.as_of,
        forms,
        recipients: recipients.filter(|(day, _)| range.contains(*day)).collect(),
        source,
    }
}
