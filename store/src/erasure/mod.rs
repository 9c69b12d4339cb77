//! A person is erased, by docid: everything that leads to the person goes, in the tables of every capability.
//!
//! - `imports`: what imports say of a person: record errors, first answers of idempotency keys, parked chunks.
//! - `links`: the tracking fields of links and of what was answered through them.
//! - `messages`: the messages, and what phones are known by.
//!
//! Counts and answers stay, without a way back to the person. Where a docid stood the
//! [erased docid](Pepper::erased_docid) stands (where no pepper is set, under the database's own key), which planning looks for, so that nobody is asked twice after an import
//! brought them back.

use chrono::NaiveDate;
use domain::pepper::{DocIdKey, Pepper};
use entity::{docid_key, erasure, recipient};
use sea_orm::sea_query::LockType;
use sea_orm::{ActiveValue, DerivePartialModel, EntityTrait, QuerySelect};
use uuid::Uuid;

use crate::tx::{Sql, statement, values};
use crate::{Error, Result, Store, Tx};

mod imports;
mod links;
mod messages;

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
        let stand_in = match pepper {
            Some(pepper) => pepper.erased_docid(account_id, docid),
            None => self.docid_key().await?.erased_docid(account_id, docid),
        };
        let person = ErasedPerson {
            account_id,
            docid,
            stand_in,
        };
        self.retry(|| self.try_erase(&person, pepper)).await
    }

    async fn try_erase(&self, person: &ErasedPerson<'_>, pepper: Option<&Pepper>) -> Result<bool> {
        let (account_id, docid) = (person.account_id, person.docid);
        let mut tx = self.begin_long().await?;
        tx.note_work(account_id).await?;
        let now = tx.now().await?;
        let stored = recipient::Entity::find_by_id((account_id, docid.to_owned()));
        let stored = stored.lock(LockType::Update);
        let stored: Option<RecipientRow> = stored.into_partial_model().one(&tx).await?;
        if stored.is_some() {
            tx.erase_recipient_row(account_id, docid, now).await?;
        } else {
            let held = recipient::ActiveModel {
                account_id: ActiveValue::Set(account_id),
                docid: ActiveValue::Set(docid.to_owned()),
                seq: ActiveValue::Set(0),
                created_at: ActiveValue::Set(now),
                updated_at: ActiveValue::Set(now),
                created_day: ActiveValue::Set(now.date_naive()),
                ..Default::default()
            };
            if !tx.insert_new(held).await? {
                return Err(Error::Conflict("the docid was stored meanwhile".into()));
            }
        }
        let known = stored.and_then(|row| Some((row.phone?, row.created_day)));
        if let (Some((phone, _)), Some(pepper)) = (&known, pepper) {
            let macs = pepper.phone_macs(account_id, phone);
            tx.forget_replies(account_id, macs).await?;
        }
        let of_messages = if tx.admits_only_from(LOOK_FOR_STAND_INS).await? {
            person.stand_in.as_str()
        } else {
            docid
        };
        // A receipt that was being stored may have planned a reminder, which shows once the first message could be locked.
        loop {
            tx.skip_messages(person).await?;
            if let Some((phone, _)) = &known {
                tx.skip_tests(account_id, phone).await?;
            }
            tx.forget_contacts(person).await?;
            tx.forget_track_fields(person).await?;
            if tx.forget_messages(person, of_messages).await? == 0 {
                break;
            }
        }
        tx.forget_subjects(person).await?;
        if let Some((_, day)) = known {
            tx.count_created(account_id, day, -1, now).await?;
        }
        let seq = tx.draw_seq(account_id).await?;
        let now = tx.now().await?;
        let place = statement!(
            "UPDATE recipient SET seq = $3, updated_at = $4 WHERE account_id = $1 AND docid = $2"
        );
        tx.execute(place, values![account_id, docid, seq, now])
            .await?;
        let keep = erasure::Model {
            account_id,
            seq,
            docid: docid.to_owned(),
            at: now,
        };
        tx.insert(keep).await?;
        tx.commit_surely().await?;
        Ok(known.is_some())
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
    /// The next place in an account's order of acceptance.
    async fn draw_seq(&self, account_id: Uuid) -> Result<i64> {
        let draw = statement!(
            "UPDATE import_counter SET seq = seq + 1 WHERE account_id = $1 RETURNING seq"
        );
        let drawn: Option<i64> = self.fetch_value(draw, values![account_id]).await?;
        drawn.ok_or_else(|| Error::broken("an account without a counter"))
    }

    /// Takes the docid out of the audit log's rows of this recipient.
    async fn forget_subjects(&self, person: &ErasedPerson<'_>) -> Result<()> {
        let update = statement!(
            "UPDATE audit SET subject = $3 WHERE account_id = $1 AND subject = $2 AND action LIKE 'recipient.%'"
        );
        let values = values![person.account_id, person.docid, person.stand_in.as_str()];
        self.execute(update, values).await?;
        Ok(())
    }
}
