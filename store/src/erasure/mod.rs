//! A person is erased, by docid: everything that leads to the person goes, in the tables of every capability.
//!
//! - `export`: what is stored of a person, for whoever asks for it.
//! - `created`: the recipients that an import created are erased, slice by slice.
//! - `imports`: what imports say of a person: record errors, first answers of idempotency keys, parked chunks.
//! - `links`: the tracking fields of links and of what was answered through them.
//! - `messages`: the messages, and what phones are known by.
//!
//! Counts and answers stay, without a way back to the person. Where a docid stood the
//! [erased docid](Pepper::erased_docid) stands (where no pepper is set, under the database's own key), which planning looks for, so that nobody is asked twice after an import
//! brought them back.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use domain::pepper::{DocIdKey, Pepper};
use entity::{docid_key, erasure, recipient};
use sea_orm::sea_query::LockType;
use sea_orm::{ActiveValue, DerivePartialModel, EntityTrait, QuerySelect};
use uuid::Uuid;

use crate::account::HASH_SUBJECT;
use crate::tx::{Sql, statement, values};
use crate::{Error, Result, Store, Tx};

mod created;
mod export;
mod imports;
mod links;
mod messages;

pub use self::created::WaitingMessages;
pub use self::export::{ExportRoom, StoredPerson};

/// The lowest number of a program, as the database admits it, from which on all of them look for stand-ins in messages. An older one
/// finds a person's message by the docid alone, and would make another. Until `feedback migrate finish`, which hashes them, docids
/// stay in messages.
const LOOK_FOR_STAND_INS: i64 = 8;

#[derive(DerivePartialModel)]
#[sea_orm(entity = "recipient::Entity")]
struct RecipientRow {
    phone: Option<String>,
    created_day: NaiveDate,
}

/// Whom an erasure is about.
struct ErasedPerson<'a> {
    account_id: Uuid,
    docid: &'a str,
    /// What stands where the docid stood.
    stand_in: String,
}

/// What docids of erased people are hashed under.
pub(crate) enum StandIns<'a> {
    Pepper(&'a Pepper),
    Database(DocIdKey),
}

impl StandIns<'_> {
    fn person<'a>(&self, account_id: Uuid, docid: &'a str) -> ErasedPerson<'a> {
        ErasedPerson {
            account_id,
            docid,
            stand_in: self.of(account_id, docid),
        }
    }

    /// What stands for a docid.
    pub(crate) fn of(&self, account_id: Uuid, docid: &str) -> String {
        match self {
            Self::Pepper(pepper) => pepper.erased_docid(account_id, docid),
            Self::Database(key) => key.erased_docid(account_id, docid),
        }
    }
}

impl Store {
    /// Erases a person, known or not: records of batches accepted before are never stored. `true`: there was one.
    ///
    /// An erasure takes its place in the order of acceptance like a batch, and is kept until the sweep has looked through what
    /// older imports say of the person. A row without a person refuses records of older batches meanwhile.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn erase_recipient(
        &self,
        account_id: Uuid,
        docid: &str,
        pepper: Option<&Pepper>,
    ) -> Result<bool> {
        let stand_ins = self.stand_ins(pepper).await?;
        let person = [stand_ins.person(account_id, docid)];
        self.forget_many_links(&person[0]).await?;
        self.retry(|| self.try_erase(&person, pepper)).await
    }

    /// So many at most who have this phone. It looks at each recipient of the account, as no index has phones: imports would pay
    /// for it.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn docids_of_phone(
        &self,
        account_id: Uuid,
        phone: &str,
        limit: usize,
    ) -> Result<Vec<String>> {
        let docids = statement!(
            "SELECT docid FROM recipient WHERE account_id = $1 AND phone = $2 ORDER BY docid LIMIT $3"
        );
        let limit = i64::try_from(limit).map_err(Error::broken)?;
        self.fetch_values(docids, values![account_id, phone, limit])
            .await
    }

    async fn try_erase(
        &self,
        person: &[ErasedPerson<'_>; 1],
        pepper: Option<&Pepper>,
    ) -> Result<bool> {
        let account_id = person[0].account_id;
        let mut tx = self.begin_long().await?;
        tx.note_work(account_id).await?;
        let stored = tx.erase_people(account_id, person, pepper).await?;
        let last = tx.draw_seqs(account_id, 1).await?;
        tx.keep_erasures(person, last).await?;
        tx.commit_surely().await?;
        Ok(stored > 0)
    }

    /// What stands where docids stood.
    pub(crate) async fn stand_ins<'a>(&self, pepper: Option<&'a Pepper>) -> Result<StandIns<'a>> {
        Ok(match pepper {
            Some(pepper) => StandIns::Pepper(pepper),
            None => StandIns::Database(self.docid_key().await?),
        })
    }
}

/// What docids are hashed under where no pepper is set.
pub(crate) trait DocIdKeys: Sql {
    async fn docid_key(&self) -> Result<DocIdKey> {
        let row = docid_key::Entity::find().one(self).await?;
        let key = row.and_then(|row| DocIdKey::new(&row.key));
        key.ok_or_else(|| Error::broken("a database without a key for docids"))
    }
}

impl<C: Sql> DocIdKeys for C {}

impl Tx {
    /// Takes people of an account, in the order of their docids, out of what is found by key; how many of them were stored. Their
    /// places in the order of acceptance are still to be [kept](Self::keep_erasures).
    async fn erase_people(
        &mut self,
        account_id: Uuid,
        people: &[ErasedPerson<'_>],
        pepper: Option<&Pepper>,
    ) -> Result<i64> {
        let now = self.now().await?;
        // All of them before what else is locked of one.
        let mut stored = Vec::with_capacity(people.len());
        for person in people {
            stored.push(self.forget_row(person, now).await?);
        }
        let look_for_stand_ins = self.admits_only_from(LOOK_FOR_STAND_INS).await?;
        let mut by_day = BTreeMap::<NaiveDate, i64>::new();
        for (person, stored) in people.iter().zip(stored) {
            let of_messages = if look_for_stand_ins {
                person.stand_in.as_str()
            } else {
                person.docid
            };
            let phone = stored.as_ref().map(|(phone, _)| phone.as_str());
            self.forget_person(person, phone, of_messages, pepper)
                .await?;
            if let Some((_, day)) = stored {
                *by_day.entry(day).or_default() += 1;
            }
        }
        let mut sum = 0;
        for (day, erased) in by_day {
            self.count_created(account_id, day, -erased, now).await?;
            sum += erased;
        }
        Ok(sum)
    }

    /// Leaves the person's row without a person, or puts one there. The phone and the day of the creation, if there was one.
    async fn forget_row(
        &mut self,
        person: &ErasedPerson<'_>,
        now: DateTime<Utc>,
    ) -> Result<Option<(String, NaiveDate)>> {
        let (account_id, docid) = (person.account_id, person.docid);
        let stored = recipient::Entity::find_by_id((account_id, docid.to_owned()));
        let stored = stored.lock(LockType::Update);
        let stored: Option<RecipientRow> = stored.into_partial_model().one(self).await?;
        if let Some(row) = stored {
            self.erase_recipient_row(account_id, docid, now).await?;
            return Ok(row.phone.map(|phone| (phone, row.created_day)));
        }
        let held = recipient::ActiveModel {
            account_id: ActiveValue::Set(account_id),
            docid: ActiveValue::Set(docid.to_owned()),
            seq: ActiveValue::Set(0),
            created_at: ActiveValue::Set(now),
            updated_at: ActiveValue::Set(now),
            created_day: ActiveValue::Set(now.date_naive()),
            ..Default::default()
        };
        if !self.insert_new(held).await? {
            return Err(Error::Conflict("the docid was stored meanwhile".into()));
        }
        Ok(None)
    }

    /// Takes a person out of messages, replies, links, answers and the audit log. `phone`: that of the recipient who was stored.
    async fn forget_person(
        &mut self,
        person: &ErasedPerson<'_>,
        phone: Option<&str>,
        of_messages: &str,
        pepper: Option<&Pepper>,
    ) -> Result<()> {
        let account_id = person.account_id;
        if let (Some(phone), Some(pepper)) = (phone, pepper) {
            let macs = pepper.phone_macs(account_id, phone);
            self.forget_phones(person, macs).await?;
        }
        // A receipt that was being stored may have planned a reminder, which shows once the first message could be locked.
        loop {
            self.skip_messages(person).await?;
            if let Some(phone) = phone {
                self.skip_tests(account_id, phone).await?;
            }
            self.forget_contacts(person).await?;
            self.forget_track_fields(person).await?;
            if self.forget_messages(person, of_messages).await? == 0 {
                break;
            }
        }
        self.forget_subjects(person).await
    }

    /// Draws the next places in an account's order of acceptance; the last of them.
    async fn draw_seqs(&self, account_id: Uuid, places: i64) -> Result<i64> {
        let draw = statement!(
            "UPDATE import_counter SET seq = seq + $2 WHERE account_id = $1 RETURNING seq"
        );
        let drawn: Option<i64> = self.fetch_value(draw, values![account_id, places]).await?;
        drawn.ok_or_else(|| Error::broken("an account without a counter"))
    }

    /// Keeps erasures, from this place on, until the sweep has looked through what older imports say of the people.
    async fn keep_erasures(&self, people: &[ErasedPerson<'_>], first: i64) -> Result<()> {
        let now = self.now().await?;
        for (person, seq) in people.iter().zip(first..) {
            let (account_id, docid) = (person.account_id, person.docid);
            let place = statement!(
                "UPDATE recipient SET seq = $3, updated_at = $4 WHERE account_id = $1 AND docid = $2"
            );
            self.execute(place, values![account_id, docid, seq, now])
                .await?;
            let keep = erasure::Model {
                account_id,
                seq,
                docid: docid.to_owned(),
                at: now,
            };
            self.insert(keep).await?;
        }
        Ok(())
    }

    /// Forgets which rows of the audit log are about this recipient. Those of programs before schema 26 have the docid.
    async fn forget_subjects(&self, person: &ErasedPerson<'_>) -> Result<()> {
        let forget = statement!("DELETE FROM audit_recipient WHERE account_id = $1 AND docid = $2");
        self.execute(forget, values![person.account_id, person.docid])
            .await?;
        let values = values![person.account_id, person.docid, person.stand_in.as_str()];
        self.execute(HASH_SUBJECT, values).await.map(drop)
    }
}
