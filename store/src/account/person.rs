//! People who sign in to the dashboard, their sessions, and what they changed.
//!
//! A session is a secret that the browser has; a link to sign in with is one that works once. Only the SHA-256 of either is kept.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::person::{PersonName, Role};
use entity::{account, audit, person};
use sea_orm::sea_query::LockType;
use sea_orm::{
    ColumnTrait, DbErr, DerivePartialModel, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QueryResult, QuerySelect,
};
use uuid::Uuid;

use crate::tx::{Parsed, Sql, statement, values};
use crate::{Error, ListPage, Store, Tx};

/// Somebody who may sign in.
#[derive(Clone, Debug)]
pub struct Person {
    pub account_id: Uuid,
    /// By which operators and senders know the account.
    pub account_name: String,
    /// What pages call the account: the name of its branding, or else its own.
    pub company: String,
    pub time_zone: Tz,
    pub name: String,
    pub role: Role,
    /// A PHC string; empty: they have not chosen a password yet.
    pub password_hash: String,
}

/// A link with which somebody signs in, once.
#[derive(Clone, Debug)]
pub struct SignInLink {
    pub person: Person,
    /// Whoever has it chooses a new password with it.
    pub sets_password: bool,
}

/// A person as an admin lists them.
#[derive(Clone, Debug, serde::Serialize, FromQueryResult)]
pub struct PersonSummary {
    pub account: String,
    pub name: String,
    pub role: String,
    pub created_at: DateTime<Utc>,
}

/// What making or changing a person came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersonChange {
    Done,
    /// No such person, or no such account.
    NotFound,
    /// The name is taken, perhaps in another account.
    Taken,
    /// An account with people keeps an admin.
    LastAdmin,
}

/// What somebody changed, or exported.
#[derive(Clone, Debug, DerivePartialModel)]
#[sea_orm(entity = "audit::Entity")]
pub struct AuditRow {
    pub audit_id: Uuid,
    pub at: DateTime<Utc>,
    /// Of a person or, such as `fk_…`, of a key; empty: it came through the command line.
    pub name: String,
    /// The network that it was asked from.
    pub address: String,
    pub action: String,
    /// What it was done to.
    pub subject: String,
    /// The HTTP status that it came to; `None`: not known.
    pub status: Option<i16>,
}

macro_rules! people {
    ($($more:literal)?) => {
        concat!(
            "SELECT p.account_id, a.name AS account_name, coalesce(b.name, a.name) AS company, a.time_zone, p.name, p.role, p.password_hash", $($more,)?
            " FROM person p JOIN account a ON a.account_id = p.account_id LEFT JOIN branding b ON b.account_id = p.account_id"
        )
    };
}

impl FromQueryResult for Person {
    fn from_query_result(row: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        let Parsed(time_zone) = row.try_get(prefix, "time_zone")?;
        let Parsed(role) = row.try_get(prefix, "role")?;
        Ok(Self {
            account_id: row.try_get(prefix, "account_id")?,
            account_name: row.try_get(prefix, "account_name")?,
            company: row.try_get(prefix, "company")?,
            time_zone,
            name: row.try_get(prefix, "name")?,
            role,
            password_hash: row.try_get(prefix, "password_hash")?,
        })
    }
}

impl FromQueryResult for SignInLink {
    fn from_query_result(row: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        Ok(Self {
            person: Person::from_query_result(row, prefix)?,
            sets_password: row.try_get(prefix, "sets_password")?,
        })
    }
}

impl Store {
    /// Adds a person to an account, which must exist. Without a hash they choose a password with a link.
    pub async fn add_person(
        &self,
        account_name: &str,
        name: &PersonName,
        role: Role,
        password_hash: &str,
    ) -> Result<PersonChange, Error> {
        let account = account::Entity::find().filter(account::Column::Name.eq(account_name));
        let Some(account) = account.one(self).await? else {
            return Ok(PersonChange::NotFound);
        };
        let person = person::Model {
            account_id: account.account_id,
            name: name.as_str().to_owned(),
            role: role.as_str().to_owned(),
            password_hash: password_hash.to_owned(),
            created_at: Utc::now(),
        };
        Ok(if self.insert_new(person).await? {
            PersonChange::Done
        } else {
            PersonChange::Taken
        })
    }

    /// The person of a name.
    pub async fn person(&self, name: &PersonName) -> Result<Option<Person>, Error> {
        let person = statement!(people!(), " WHERE p.name = $1");
        self.fetch_one(person, values![name.as_str()]).await
    }

    /// The people of an account, or of all, by account and name.
    pub async fn people(&self, account_id: Option<Uuid>) -> Result<Vec<PersonSummary>, Error> {
        let people = statement!(
            "SELECT a.name AS account, p.name, p.role, p.created_at
               FROM person p JOIN account a ON a.account_id = p.account_id
              WHERE p.account_id = coalesce($1, p.account_id) ORDER BY a.name, p.name"
        );
        self.fetch_all(people, values![account_id]).await
    }

    /// Sets a password and ends the person's sessions.
    pub async fn set_password(
        &self,
        person: &Person,
        password_hash: &str,
    ) -> Result<PersonChange, Error> {
        let password_hash = password_hash.to_owned();
        let set = |row| {
            Some(person::Model {
                password_hash,
                ..row
            })
        };
        self.change_person(person, set).await
    }

    /// Sets a role and ends the person's sessions.
    pub async fn set_role(&self, person: &Person, role: Role) -> Result<PersonChange, Error> {
        let role = role.as_str().to_owned();
        let set = |row| Some(person::Model { role, ..row });
        self.change_person(person, set).await
    }

    /// Removes a person, whose sessions end.
    pub async fn remove_person(&self, person: &Person) -> Result<PersonChange, Error> {
        self.change_person(person, |_| None).await
    }

    /// Ends the person's sessions, and changes their row or, to `None`, removes it, unless no admin would be left.
    async fn change_person(
        &self,
        person: &Person,
        change: impl FnOnce(person::Model) -> Option<person::Model>,
    ) -> Result<PersonChange, Error> {
        let tx = self.begin().await?;
        // One change of an account's people at a time: otherwise two could each take the other's admin for the one that stays.
        let all = person::Entity::find()
            .filter(person::Column::AccountId.eq(person.account_id))
            .order_by_asc(person::Column::Name)
            .lock(LockType::Update);
        let all = all.all(&tx).await?;
        let Some(row) = all.into_iter().find(|row| row.name == person.name) else {
            tx.rollback().await?;
            return Ok(PersonChange::NotFound);
        };
        let had_admin = has_admin(&tx, person.account_id).await?;
        let sessions = statement!("DELETE FROM session WHERE account_id = $1 AND name = $2");
        let of_person = values![person.account_id, person.name.as_str()];
        tx.execute(sessions, of_person).await?;
        if let Some(changed) = change(row) {
            tx.update(changed).await?;
        } else {
            let delete = person::Entity::delete_by_id((person.account_id, person.name.clone()));
            delete.exec(&tx).await?;
        }
        if had_admin && !has_admin(&tx, person.account_id).await? {
            tx.rollback().await?;
            return Ok(PersonChange::LastAdmin);
        }
        tx.commit_surely().await?;
        Ok(PersonChange::Done)
    }

    /// Opens a session for so long; false: there is no such person.
    pub async fn open_session(
        &self,
        person: &Person,
        hash: [u8; 32],
        life: TimeDelta,
    ) -> Result<bool, Error> {
        self.insert_session(person, hash, [false, false], life)
            .await
    }

    /// Makes a link to sign in with, once, within so long; false: there is no such person.
    pub async fn create_sign_in_link(
        &self,
        person: &Person,
        hash: [u8; 32],
        sets_password: bool,
        life: TimeDelta,
    ) -> Result<bool, Error> {
        self.insert_session(person, hash, [true, sets_password], life)
            .await
    }

    async fn insert_session(
        &self,
        person: &Person,
        hash: [u8; 32],
        [is_link, sets_password]: [bool; 2],
        life: TimeDelta,
    ) -> Result<bool, Error> {
        let now = Utc::now();
        let expired = statement!("DELETE FROM session WHERE account_id = $1 AND expires_at < $2");
        self.execute(expired, values![person.account_id, now])
            .await?;
        // The password that was checked must be the one that still stands.
        let open = statement!(
            lock "FOR SHARE":
            "INSERT INTO session (account_id, hash, name, is_link, expires_at, sets_password)
             SELECT account_id, $3, name, $4, $5, $7
               FROM person WHERE account_id = $1 AND name = $2 AND password_hash = $6"
        );
        let values = values![
            person.account_id,
            person.name.as_str(),
            hash.to_vec(),
            is_link,
            now + life,
            person.password_hash.as_str(),
            sets_password,
        ];
        Ok(self.execute(open, values).await? > 0)
    }

    /// Who has the session of this hash.
    pub async fn find_session(&self, hash: [u8; 32]) -> Result<Option<Person>, Error> {
        let person = statement!(
            people!(),
            " JOIN session s ON s.account_id = p.account_id AND s.name = p.name
              WHERE s.hash = $1 AND NOT s.is_link AND s.expires_at > $2"
        );
        let values = values![hash.to_vec(), Utc::now()];
        self.fetch_one(person, values).await
    }

    /// The link of this hash.
    pub async fn find_sign_in_link(&self, hash: [u8; 32]) -> Result<Option<SignInLink>, Error> {
        let link = statement!(
            people!(", s.sets_password"),
            " JOIN session s ON s.account_id = p.account_id AND s.name = p.name
              WHERE s.hash = $1 AND s.is_link AND s.expires_at > $2"
        );
        let values = values![hash.to_vec(), Utc::now()];
        self.fetch_one(link, values).await
    }

    /// Ends a session or a link; false: it had ended.
    pub async fn close_session(&self, hash: [u8; 32]) -> Result<bool, Error> {
        let close = statement!("DELETE FROM session WHERE hash = $1");
        Ok(self.execute(close, values![hash.to_vec()]).await? > 0)
    }

    /// Notes what somebody is about to do, `who` with the network that they ask from; what it came to is told to
    /// [`Self::note_outcome`]. Both are empty for the command line.
    pub async fn note_change(
        &self,
        account_id: Uuid,
        (who, address): (&str, &str),
        action: &str,
        subject: &str,
    ) -> Result<Uuid, Error> {
        let audit_id = Uuid::now_v7();
        let entry = audit::Model {
            account_id,
            audit_id,
            at: Utc::now(),
            name: who.to_owned(),
            address: address.to_owned(),
            action: action.to_owned(),
            subject: subject.to_owned(),
            status: None,
        };
        self.insert(entry).await?;
        Ok(audit_id)
    }

    /// Notes the HTTP status that a change came to.
    pub async fn note_outcome(
        &self,
        account_id: Uuid,
        audit_id: Uuid,
        status: u16,
    ) -> Result<(), Error> {
        let status = i16::try_from(status).map_err(Error::broken)?;
        let note =
            statement!("UPDATE audit SET status = $3 WHERE account_id = $1 AND audit_id = $2");
        let values = values![account_id, audit_id, status];
        self.execute(note, values).await.map(drop)
    }

    /// A page of what an account's people changed, newest first, after this position.
    pub async fn audit(
        &self,
        account_id: Uuid,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<AuditRow>, Error> {
        let rows = audit::Entity::find()
            .filter(audit::Column::AccountId.eq(account_id))
            .filter(audit::Column::AuditId.lt(after.unwrap_or(Uuid::max())))
            .order_by_desc(audit::Column::AuditId)
            .limit(limit as u64 + 1);
        let rows = rows.into_partial_model::<AuditRow>().all(self).await?;
        Ok(ListPage::new(rows, limit, false, |row| row.audit_id))
    }
}

async fn has_admin(tx: &Tx, account_id: Uuid) -> Result<bool, Error> {
    let admin = person::Entity::find()
        .filter(person::Column::AccountId.eq(account_id))
        .filter(person::Column::Role.eq(Role::Admin.as_str()));
    Ok(admin.one(tx).await?.is_some())
}
