//! Accounts, API keys and their secrets, people (`person`), pages that are shared (`share`), and how an account's pages look
//! (`branding`). A secret is seen once, when it is issued; only its SHA-256 is kept.
//!
//! A plain hash is enough because a secret is 244 random bits, not a password: there is nothing to guess.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::scope::Scopes;
use sea_orm::FromQueryResult;
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub use self::branding::PageBranding;
pub use self::person::{AuditRow, Person, PersonChange, PersonSummary};
pub use self::share::{Share, SharedPage};
use crate::tx::{Source, Sql, get, parsed, read, values};
use crate::{Error, Store, Tx};

mod branding;
mod person;
mod share;

/// What authentication needs of a key that is not revoked.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    pub account_id: Uuid,
    pub account_name: String,
    pub api_key: String,
    pub time_zone: Tz,
    pub scopes: Scopes,
    /// At most two.
    pub secrets: Vec<SecretHash>,
}

/// A secret's SHA-256 and the end of its life.
#[derive(Clone, Debug)]
pub struct SecretHash {
    pub hash: [u8; 32],
    pub expires_at: Option<DateTime<Utc>>,
}

/// A key or a rotated secret as it is shown once.
#[derive(Clone, serde::Serialize)]
pub struct IssuedKey {
    pub account_id: Uuid,
    pub api_key: String,
    pub secret_key: String,
    pub scopes: Scopes,
}

/// A key as an operator lists it.
#[derive(Clone, Debug, serde::Serialize, FromQueryResult)]
pub struct KeySummary {
    pub account: String,
    pub time_zone: String,
    pub api_key: String,
    pub scopes: String,
    pub created_at: DateTime<Utc>,
    pub last_used_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
    /// Secrets that work now.
    pub live_secrets: i64,
}

/// Why no key was made.
#[derive(Debug, thiserror::Error)]
pub enum CreateKeyError {
    /// Days already stored were counted in the account's zone.
    #[error("the account's time zone is {0} and cannot change")]
    TimeZoneFixed(String),
    #[error(transparent)]
    NotShown(Source),
    #[error(transparent)]
    Store(#[from] Error),
}

/// SHA-256 of a secret's text.
pub fn hash_secret(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

fn new_secret() -> String {
    format!("fs_{}", random_text())
}

/// A secret: 244 random bits in 64 characters.
pub fn random_text() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

impl Store {
    /// Whether anybody could use the service yet.
    pub async fn has_accounts(&self) -> Result<bool, Error> {
        let some: Option<i32> = self.one("SELECT 1 FROM account LIMIT 1", vec![]).await?;
        Ok(some.is_some())
    }

    /// A key that is not revoked, with its secrets (expired ones too: the caller has the clock).
    pub async fn find_key(&self, key: &str) -> Result<Option<KeyRecord>, Error> {
        let rows = "SELECT k.account_id, a.name, a.time_zone, k.scopes, s.secret_hash, s.expires_at
           FROM api_key k
           JOIN account a ON a.account_id = k.account_id
           JOIN api_secret s ON s.account_id = k.account_id AND s.api_key = k.api_key
          WHERE k.api_key = $1 AND k.revoked_at IS NULL";
        let rows = self.rows(rows, values![key]).await?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let secret = |row| {
            let hash: Vec<u8> = get(row, "secret_hash")?;
            let hash = hash.try_into();
            Ok(SecretHash {
                hash: hash.map_err(|_| Error::broken("a secret's hash is not 32 bytes"))?,
                expires_at: get(row, "expires_at")?,
            })
        };
        Ok(Some(KeyRecord {
            account_id: get(first, "account_id")?,
            account_name: get(first, "name")?,
            api_key: key.to_owned(),
            time_zone: parsed(first, "time_zone")?,
            scopes: parsed(first, "scopes")?,
            secrets: rows.iter().map(secret).collect::<Result<_, Error>>()?,
        }))
    }

    /// Makes a key, and the account if its name is new (`time_zone` then defaults to UTC).
    ///
    /// # Errors
    /// [`CreateKeyError::TimeZoneFixed`] where the account exists with another zone.
    pub async fn create_key(
        &self,
        account_name: &str,
        time_zone: Option<Tz>,
        scopes: Scopes,
    ) -> Result<IssuedKey, CreateKeyError> {
        self.create_key_shown(account_name, time_zone, scopes, |_| Ok(()))
            .await
    }

    /// As [`Self::create_key`], but `show` is called first: if it fails, or the process ends in it, there is no key.
    ///
    /// # Errors
    /// As [`Self::create_key`], or what `show` returned.
    pub async fn create_key_shown(
        &self,
        account_name: &str,
        time_zone: Option<Tz>,
        scopes: Scopes,
        show: impl FnOnce(&IssuedKey) -> Result<(), Source>,
    ) -> Result<IssuedKey, CreateKeyError> {
        let tx = self.begin().await?;
        let now = Utc::now();
        let insert =
            "INSERT INTO account (account_id, name, time_zone, created_at) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (name) DO NOTHING";
        let values = values![
            Uuid::now_v7(),
            account_name,
            time_zone.unwrap_or(Tz::UTC).name(),
            now
        ];
        tx.execute(insert, values).await?;
        let account = "SELECT account_id, time_zone FROM account WHERE name = $1";
        let account: Option<(Uuid, String)> = tx.one(account, values![account_name]).await?;
        let vanished = || Error::broken("an account vanished while it was made");
        let (account_id, zone) = account.ok_or_else(vanished)?;
        if time_zone.is_some_and(|asked| asked.name() != zone) {
            return Err(CreateKeyError::TimeZoneFixed(zone));
        }
        let insert =
            "INSERT INTO import_counter (account_id, seq) VALUES ($1, 0) ON CONFLICT DO NOTHING";
        tx.execute(insert, values![account_id]).await?;
        let issued = IssuedKey {
            account_id,
            api_key: format!("fk_{}", Uuid::new_v4().simple()),
            secret_key: new_secret(),
            scopes,
        };
        let insert =
            "INSERT INTO api_key (account_id, api_key, scopes, created_at) VALUES ($1, $2, $3, $4)";
        let values = values![account_id, issued.api_key.as_str(), scopes.to_string(), now];
        tx.execute(insert, values).await?;
        insert_secret(&tx, &issued, now).await?;
        show(&issued).map_err(CreateKeyError::NotShown)?;
        tx.commit_surely().await?;
        Ok(issued)
    }

    /// Issues a new secret; the newest of the others lives on for `overlap`, older ones end now.
    /// `None`: no such key, or it is revoked.
    pub async fn rotate_key(
        &self,
        key: &str,
        overlap: TimeDelta,
    ) -> Result<Option<IssuedKey>, Error> {
        let tx = self.begin().await?;
        let found = tx.locking(
            "SELECT account_id, scopes FROM api_key WHERE api_key = $1 AND revoked_at IS NULL",
            "FOR UPDATE",
        );
        let Some(found) = tx.row(found, values![key]).await? else {
            return Ok(None);
        };
        let account_id: Uuid = get(&found, "account_id")?;
        let now = Utc::now();
        let delete =
            "DELETE FROM api_secret WHERE account_id = $1 AND api_key = $2 AND secret_hash NOT IN (
                SELECT secret_hash FROM api_secret WHERE account_id = $1 AND api_key = $2
                 ORDER BY created_at DESC LIMIT 1)";
        tx.execute(delete, values![account_id, key]).await?;
        let update = "UPDATE api_secret SET expires_at = $3
          WHERE account_id = $1 AND api_key = $2 AND (expires_at IS NULL OR expires_at > $3)";
        tx.execute(update, values![account_id, key, now + overlap])
            .await?;
        let issued = IssuedKey {
            account_id,
            api_key: key.to_owned(),
            secret_key: new_secret(),
            scopes: parsed(&found, "scopes")?,
        };
        insert_secret(&tx, &issued, now).await?;
        tx.commit_surely().await?;
        Ok(Some(issued))
    }

    /// Ends a key for good. `false`: no such key, or it was revoked before.
    pub async fn revoke_key(&self, key: &str) -> Result<bool, Error> {
        let revoke = "UPDATE api_key SET revoked_at = $2 WHERE api_key = $1 AND revoked_at IS NULL";
        let revoked = self.execute(revoke, values![key, Utc::now()]).await?;
        Ok(revoked > 0)
    }

    /// The keys of an account, or of all, oldest first.
    pub async fn list_keys(&self, account_id: Option<Uuid>) -> Result<Vec<KeySummary>, Error> {
        let rows = "SELECT a.name AS account, a.time_zone, k.api_key, k.scopes, k.created_at, k.last_used_at, k.revoked_at,
                (SELECT count(*) FROM api_secret s
                  WHERE s.account_id = k.account_id AND s.api_key = k.api_key AND k.revoked_at IS NULL
                    AND (s.expires_at IS NULL OR s.expires_at > $1)) AS live_secrets
           FROM api_key k JOIN account a ON a.account_id = k.account_id
          WHERE k.account_id = coalesce($2, k.account_id) ORDER BY k.created_at";
        let rows = self.rows(rows, values![Utc::now(), account_id]).await?;
        read(&rows)
    }

    /// Notes when keys were last used.
    pub async fn touch_keys(&self, used: &[(String, DateTime<Utc>)]) -> Result<(), Error> {
        for (key, at) in used {
            let update = "UPDATE api_key SET last_used_at = $2
              WHERE api_key = $1 AND (last_used_at IS NULL OR last_used_at < $2)";
            self.execute(update, values![key.as_str(), *at]).await?;
        }
        Ok(())
    }
}

async fn insert_secret(tx: &Tx, issued: &IssuedKey, now: DateTime<Utc>) -> Result<(), Error> {
    tx.execute(
        "INSERT INTO api_secret (account_id, api_key, secret_hash, created_at) VALUES ($1, $2, $3, $4)",
        values![
            issued.account_id,
            issued.api_key.as_str(),
            hash_secret(&issued.secret_key).to_vec(),
            now
        ],
    )
    .await.map(drop)
}
