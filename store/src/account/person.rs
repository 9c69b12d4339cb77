//! People who sign in to the dashboard, their sessions, and what they changed.
//!
//! A session is a secret that the browser has; a link to sign in with is one that works once. Only the SHA-256 of either is kept.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::person::{PersonName, Role};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::tx::{Sql, get, parsed, read, values};
use crate::{Error, ListPage, Store, Tx};

/// Somebody who may sign in.
#[derive(Clone, Debug)]
pub struct Person {
    pub account_id: Uuid,
    pub account_name: String,
    pub time_zone: Tz,
    pub name: String,
    pub role: Role,
    /// A PHC string.
    pub password_hash: String,
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

/// What somebody changed.
#[derive(Clone, Debug, FromQueryResult)]
pub struct AuditRow {
    pub audit_id: Uuid,
    pub at: DateTime<Utc>,
    pub name: String,
    /// The network that it was asked from.
    pub address: String,
    pub action: String,
    /// What it was done to.
    pub subject: String,
    /// The HTTP status that it came to; `None`: not known.
    pub status: Option<i16>,
}

const PERSON: &str =
    "SELECT p.account_id, a.name AS account_name, a.time_zone, p.name, p.role, p.password_hash
       FROM person p JOIN account a ON a.account_id = p.account_id";

impl Person {
    fn read(row: &sea_orm::QueryResult) -> Result<Self, Error> {
        Ok(Self {
            account_id: get(row, "account_id")?,
            account_name: get(row, "account_name")?,
            time_zone: parsed(row, "time_zone")?,
            name: get(row, "name")?,
            role: parsed(row, "role")?,
            password_hash: get(row, "password_hash")?,
        })
    }
}

impl Store {
    /// Adds a person to an account, which must exist.
    pub async fn add_person(
        &self,
        account_name: &str,
        name: &PersonName,
        role: Role,
        password_hash: &str,
    ) -> Result<PersonChange, Error> {
        let account = "SELECT account_id FROM account WHERE name = $1";
        let account: Option<Uuid> = self.one(account, values![account_name]).await?;
        let Some(account_id) = account else {
            return Ok(PersonChange::NotFound);
        };
        let insert = "INSERT INTO person (account_id, name, role, password_hash, created_at)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
        let person = values![
            account_id,
            name.as_str(),
            role.as_str(),
            password_hash,
            Utc::now()
        ];
        Ok(match self.execute(insert, person).await? {
            0 => PersonChange::Taken,
            _ => PersonChange::Done,
        })
    }

    /// The person of a name.
    pub async fn person(&self, name: &PersonName) -> Result<Option<Person>, Error> {
        let person = format!("{PERSON} WHERE p.name = $1");
        let row = self.row(person, values![name.as_str()]).await?;
        row.as_ref().map(Person::read).transpose()
    }

    /// The people of an account, or of all, by account and name.
    pub async fn people(&self, account_id: Option<Uuid>) -> Result<Vec<PersonSummary>, Error> {
        let people = "SELECT a.name AS account, p.name, p.role, p.created_at
               FROM person p JOIN account a ON a.account_id = p.account_id
              WHERE p.account_id = coalesce($1, p.account_id) ORDER BY a.name, p.name";
        read(&self.rows(people, values![account_id]).await?)
    }

    /// Sets a password and ends the person's sessions.
    pub async fn set_password(
        &self,
        person: &Person,
        password_hash: &str,
    ) -> Result<PersonChange, Error> {
        let update = "UPDATE person SET password_hash = $3 WHERE account_id = $1 AND name = $2";
        self.change_person(person, update, Some(password_hash))
            .await
    }

    /// Sets a role and ends the person's sessions.
    pub async fn set_role(&self, person: &Person, role: Role) -> Result<PersonChange, Error> {
        let update = "UPDATE person SET role = $3 WHERE account_id = $1 AND name = $2";
        self.change_person(person, update, Some(role.as_str()))
            .await
    }

    /// Removes a person, whose sessions end.
    pub async fn remove_person(&self, person: &Person) -> Result<PersonChange, Error> {
        let delete = "DELETE FROM person WHERE account_id = $1 AND name = $2";
        self.change_person(person, delete, None).await
    }

    /// Ends the person's sessions and runs a statement of account, name and `value`, unless no admin would be left.
    async fn change_person(
        &self,
        person: &Person,
        statement: &str,
        value: Option<&str>,
    ) -> Result<PersonChange, Error> {
        let tx = self.begin().await?;
        // One change of an account's people at a time: otherwise two could each take the other's admin for the one that stays.
        let all = tx.locking(
            "SELECT name FROM person WHERE account_id = $1 ORDER BY name",
            "FOR UPDATE",
        );
        let all: Vec<String> = tx.all(all, values![person.account_id]).await?;
        if !all.contains(&person.name) {
            tx.rollback().await?;
            return Ok(PersonChange::NotFound);
        }
        let had_admin = has_admin(&tx, person.account_id).await?;
        let mut values = values![person.account_id, person.name.as_str()];
        let sessions = "DELETE FROM session WHERE account_id = $1 AND name = $2";
        tx.execute(sessions, values.clone()).await?;
        values.extend(value.map(Into::into));
        tx.execute(statement, values).await?;
        if had_admin && !has_admin(&tx, person.account_id).await? {
            tx.rollback().await?;
            return Ok(PersonChange::LastAdmin);
        }
        tx.commit_surely().await?;
        Ok(PersonChange::Done)
    }

    /// Opens a session, or makes a link to sign in with, for so long; false: there is no such person.
    pub async fn open_session(
        &self,
        person: &Person,
        hash: [u8; 32],
        is_link: bool,
        life: TimeDelta,
    ) -> Result<bool, Error> {
        let now = Utc::now();
        let over = "DELETE FROM session WHERE account_id = $1 AND expires_at < $2";
        self.execute(over, values![person.account_id, now]).await?;
        // The password that was checked must be the one that still stands.
        let open = self.dialect(
            "INSERT INTO session (account_id, hash, name, is_link, expires_at)
             SELECT account_id, CAST($3 AS bytea), name, CAST($4 AS boolean), CAST($5 AS timestamptz)
               FROM person WHERE account_id = $1 AND name = $2 AND password_hash = $6 FOR SHARE",
            "INSERT INTO session (account_id, hash, name, is_link, expires_at)
             SELECT account_id, $3, name, $4, $5
               FROM person WHERE account_id = $1 AND name = $2 AND password_hash = $6",
        );
        let values = values![
            person.account_id,
            person.name.as_str(),
            hash.to_vec(),
            is_link,
            now + life,
            person.password_hash.as_str(),
        ];
        Ok(self.execute(open, values).await? > 0)
    }

    /// Who has the session, or the link, of this hash.
    pub async fn find_session(
        &self,
        hash: [u8; 32],
        is_link: bool,
    ) -> Result<Option<Person>, Error> {
        let session = format!(
            "{PERSON} JOIN session s ON s.account_id = p.account_id AND s.name = p.name
              WHERE s.hash = $1 AND s.is_link = $2 AND s.expires_at > $3"
        );
        let values = values![hash.to_vec(), is_link, Utc::now()];
        let row = self.row(session, values).await?;
        row.as_ref().map(Person::read).transpose()
    }

    /// Ends a session or a link; false: it had ended.
    pub async fn close_session(&self, hash: [u8; 32]) -> Result<bool, Error> {
        let close = "DELETE FROM session WHERE hash = $1";
        Ok(self.execute(close, values![hash.to_vec()]).await? > 0)
    }

    /// Notes what a person is about to change; what it came to is told to [`Self::note_outcome`].
    pub async fn note_change(
        &self,
        person: &Person,
        address: &str,
        action: &str,
        subject: &str,
    ) -> Result<Uuid, Error> {
        let audit_id = Uuid::now_v7();
        let insert = "INSERT INTO audit (account_id, audit_id, at, name, address, action, subject)
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let values = values![
            person.account_id,
            audit_id,
            Utc::now(),
            person.name.as_str(),
            address,
            action,
            subject,
        ];
        self.execute(insert, values).await?;
        Ok(audit_id)
    }

    /// Notes the HTTP status that a change came to.
    pub async fn note_outcome(
        &self,
        account_id: Uuid,
        audit_id: Uuid,
        status: u16,
    ) -> Result<(), Error> {
        let update = "UPDATE audit SET status = $3 WHERE account_id = $1 AND audit_id = $2";
        let status = i16::try_from(status).map_err(Error::broken)?;
        self.execute(update, values![account_id, audit_id, status])
            .await
            .map(drop)
    }

    /// A page of what an account's people changed, newest first, after this position.
    pub async fn audit(
        &self,
        account_id: Uuid,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<AuditRow>, Error> {
        let rows = "SELECT audit_id, at, name, address, action, subject, status FROM audit
              WHERE account_id = $1 AND audit_id < $2 ORDER BY audit_id DESC LIMIT $3";
        let rows_and_one = i64::try_from(limit + 1).map_err(Error::broken)?;
        let values = values![account_id, after.unwrap_or(Uuid::max()), rows_and_one];
        let rows = read(&self.rows(rows, values).await?)?;
        Ok(ListPage::new(rows, limit, false, |row: &AuditRow| {
            row.audit_id
        }))
    }
}

async fn has_admin(tx: &Tx, account_id: Uuid) -> Result<bool, Error> {
    let admin = "SELECT 1 FROM person WHERE account_id = $1 AND role = 'admin' LIMIT 1";
    let admin: Option<i32> = tx.one(admin, values![account_id]).await?;
    Ok(admin.is_some())
}
