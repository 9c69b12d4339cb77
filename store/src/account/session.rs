//! Sessions of people: secrets that their browsers have, and links to sign in with, which work once. Only the SHA-256 of either is kept.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{DbErr, FromQueryResult, QueryResult};
use uuid::Uuid;

use super::person::{Person, people};
use crate::tx::{Sql, statement, values};
use crate::{Error, Store};

/// A link with which somebody signs in, once.
#[derive(Clone, Debug)]
pub struct SignInLink {
    pub person: Person,
    /// Whoever has it chooses a new password with it.
    pub sets_password: bool,
}

/// Where somebody is signed in.
#[derive(Clone, Debug, FromQueryResult)]
pub struct SessionSummary {
    /// Of its secret.
    pub hash: Vec<u8>,
    pub expires_at: DateTime<Utc>,
    /// Within a minute; `None`: not known.
    pub last_seen_at: Option<DateTime<Utc>>,
    /// In a few words; empty: not known.
    pub browser: String,
    /// The network; empty: not known.
    pub address: String,
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
    /// Opens a session for so long, from this browser and network; false: there is no such person any more, or their password or
    /// second factor is another one.
    pub async fn open_session(
        &self,
        person: &Person,
        hash: [u8; 32],
        life: TimeDelta,
        from: (&str, &str),
    ) -> Result<bool, Error> {
        self.insert_session(person, hash, [false, false], life, from)
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
        self.insert_session(person, hash, [true, sets_password], life, ("", ""))
            .await
    }

    async fn insert_session(
        &self,
        person: &Person,
        hash: [u8; 32],
        [is_link, sets_password]: [bool; 2],
        life: TimeDelta,
        (browser, address): (&str, &str),
    ) -> Result<bool, Error> {
        let now = Utc::now();
        let expired = statement!("DELETE FROM session WHERE account_id = $1 AND expires_at < $2");
        self.execute(expired, values![person.account_id, now])
            .await?;
        // The password that was checked must be the one that still stands, and the second factor the one that was asked for, if any.
        let open = statement!(
            lock "FOR SHARE":
            "INSERT INTO session (account_id, hash, name, is_link, expires_at, sets_password, last_seen_at, browser, address)
             SELECT account_id, $3, name, $4, $5, $7, $8, $9, $10
               FROM person WHERE account_id = $1 AND name = $2 AND password_hash = $6
                AND coalesce(second_factor, '') = $11"
        );
        let values = values![
            person.account_id,
            person.name.as_str(),
            hash.to_vec(),
            is_link,
            now + life,
            person.password_hash.as_str(),
            sets_password,
            now,
            browser,
            address,
            person.second_factor.as_deref().unwrap_or_default(),
        ];
        Ok(self.execute(open, values).await? > 0)
    }

    /// Who has the session of this hash, unless they have done nothing since then.
    pub async fn find_session(
        &self,
        hash: [u8; 32],
        idle_since: DateTime<Utc>,
    ) -> Result<Option<Person>, Error> {
        let person = statement!(
            people!(),
            " JOIN session s ON s.account_id = p.account_id AND s.name = p.name
              WHERE s.hash = $1 AND NOT s.is_link AND s.expires_at > $2
                AND (s.last_seen_at IS NULL OR s.last_seen_at > $3)"
        );
        let values = values![hash.to_vec(), Utc::now(), idle_since];
        self.fetch_one(person, values).await
    }

    /// Notes that the person of a session did something, unless that was noted within so long.
    pub async fn touch_session(
        &self,
        account_id: Uuid,
        hash: [u8; 32],
        within: TimeDelta,
    ) -> Result<(), Error> {
        let now = Utc::now();
        let touch = statement!(
            "UPDATE session SET last_seen_at = $3
              WHERE account_id = $1 AND hash = $2 AND (last_seen_at IS NULL OR last_seen_at < $4)"
        );
        let values = values![account_id, hash.to_vec(), now, now - within];
        self.execute(touch, values).await.map(drop)
    }

    /// Where somebody is signed in, but for what nobody has used since then: what was used last comes first, a hundred at most.
    pub async fn sessions(
        &self,
        person: &Person,
        idle_since: DateTime<Utc>,
    ) -> Result<Vec<SessionSummary>, Error> {
        let sessions = statement!(
            "SELECT hash, expires_at, last_seen_at, browser, address FROM session
              WHERE account_id = $1 AND name = $2 AND NOT is_link AND expires_at > $3
                AND (last_seen_at IS NULL OR last_seen_at > $4)
              ORDER BY coalesce(last_seen_at, $4) DESC, hash LIMIT 100"
        );
        let values = values![
            person.account_id,
            person.name.as_str(),
            Utc::now(),
            idle_since
        ];
        self.fetch_all(sessions, values).await
    }

    /// Ends all sessions of somebody.
    pub async fn close_sessions(&self, person: &Person) -> Result<(), Error> {
        let close = statement!("DELETE FROM session WHERE account_id = $1 AND name = $2");
        let of_person = values![person.account_id, person.name.as_str()];
        self.execute(close, of_person).await.map(drop)
    }

    /// Ends all sessions of somebody but one.
    pub async fn close_other_sessions(&self, person: &Person, hash: [u8; 32]) -> Result<(), Error> {
        close_others(self, person, hash).await
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
}

/// Ends all sessions of somebody but that of this hash.
pub(super) async fn close_others(
    sql: &impl Sql,
    person: &Person,
    hash: [u8; 32],
) -> Result<(), Error> {
    let close = statement!(
        "DELETE FROM session WHERE account_id = $1 AND name = $2 AND NOT is_link AND hash <> $3"
    );
    let values = values![person.account_id, person.name.as_str(), hash.to_vec()];
    Sql::execute(sql, close, values).await.map(drop)
}
