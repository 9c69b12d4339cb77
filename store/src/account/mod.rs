//! Accounts, API keys and their secrets, people (`person`), their second factors (`second_factor`), their sessions (`session`) and what they
//! changed (`audit`, `chain`), who was let in (`access`), pages that are shared (`share`), and how an account's pages look (`branding`), and the end of an account (`end`, `ending`). A secret is seen once, when it
//! is issued; only its SHA-256 is kept.
//!
//! A plain hash is enough because a secret is 244 random bits, not a password: there is nothing to guess.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::key::{NewKey, ends_soon, has_ended};
use domain::networks::Networks;
use domain::scope::{Scope, Scopes};
use domain::text::{has_unseen, looks_empty};
use entity::{account, api_key, api_secret, import_counter};
use sea_orm::sea_query::LockType;
use sea_orm::{
    ActiveValue, ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
};
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub use self::access::Grant;
pub(crate) use self::audit::HASH_SUBJECT;
pub use self::audit::{AuditFilter, AuditRow};
pub use self::branding::PageBranding;
pub use self::chain::{Chain, ChainFault, Fault, SealHash};
pub use self::ending::ending;
pub use self::person::{Person, PersonChange, PersonSummary};
pub use self::progress::Progress;
pub use self::session::{SessionSummary, SignInLink};
pub use self::share::{Share, SharedPage};
use crate::tx::{BoxError, Parsed, Sql, statement, values};
use crate::{Error, Store, Tx};

mod access;
mod audit;
mod branding;
mod chain;
mod end;
mod ending;
mod person;
mod progress;
mod second_factor;
mod session;
mod share;
mod time_zone;

/// Scopes that not all programs know, each with the lowest number of one that does.
const NEW_SCOPES: [(Scope, i64); 2] = [(Scope::Audit, 23), (Scope::Retention, 27)];

/// What authentication needs of a key that is not revoked.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    pub account_id: Uuid,
    pub account_name: String,
    pub api_key: String,
    pub time_zone: Tz,
    pub scopes: Scopes,
    /// Its end.
    pub expires_at: Option<DateTime<Utc>>,
    /// From where it may be used; none: from anywhere.
    pub networks: Networks,
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
    pub name: Option<String>,
    pub expires_at: Option<DateTime<Utc>>,
    /// From where it may be used, with commas between; `None`: from anywhere.
    pub networks: Option<String>,
    /// Secrets that work now.
    pub live_secrets: i64,
}

impl KeySummary {
    /// Whether it works no more.
    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        self.revoked_at.is_some() || has_ended(self.expires_at, now)
    }

    /// Whether its owner is to be warned of its end.
    pub fn ends_soon(&self, now: DateTime<Utc>) -> bool {
        self.revoked_at.is_none() && ends_soon(self.expires_at, now)
    }
}

/// A key with one of its secrets.
#[derive(FromQueryResult)]
struct KeyRow {
    account_id: Uuid,
    account_name: String,
    time_zone: Parsed<Tz>,
    scopes: Parsed<Scopes>,
    key_expires_at: Option<DateTime<Utc>>,
    networks: Parsed<Networks>,
    secret_hash: Vec<u8>,
    expires_at: Option<DateTime<Utc>>,
}

/// Why no key was made.
#[derive(Debug, thiserror::Error)]
pub enum CreateKeyError {
    /// Days already stored were counted in the account's zone.
    #[error("the account's time zone is {0} and cannot change")]
    TimeZoneFixed(String),
    /// Also of a name with which it would seem to be.
    #[error(
        "the account of this name is being deleted, which `feedback account end` finishes; no name ends in \" (ending)\""
    )]
    Ending,
    /// Of a new account.
    #[error("the name of an account has visible characters, and no others")]
    Unseen,
    #[error(transparent)]
    NotShown(BoxError),
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
        Ok(account::Entity::find().one(self).await?.is_some())
    }

    /// The id and the name of the account, if there is one and no other, unless its end has begun.
    pub async fn only_account(&self) -> Result<Option<(Uuid, String)>, Error> {
        let mut accounts = account::Entity::find().limit(2).all(self).await?;
        Ok(match accounts.pop() {
            Some(account) if accounts.is_empty() && !ending::is_ending(self, &account).await? => {
                Some((account.account_id, account.name))
            }
            _ => None,
        })
    }

    /// The ids and names of all accounts, in the order of their names.
    pub async fn accounts(&self) -> Result<Vec<(Uuid, String)>, Error> {
        let accounts = account::Entity::find().order_by_asc(account::Column::Name);
        let accounts = accounts.all(self).await?.into_iter();
        let accounts = accounts.map(|account| (account.account_id, account.name));
        Ok(accounts.collect())
    }

    /// Scopes that all programs know which may run. Others cannot read a key that has more.
    pub async fn known_scopes(&self) -> Result<Scopes, Error> {
        self.snapshot().await?.known_scopes().await
    }

    /// A key that is not revoked, with its secrets (expired ones too: the caller has the clock).
    pub async fn find_key(&self, key: &str) -> Result<Option<KeyRecord>, Error> {
        let rows = statement!(
            "SELECT k.account_id, a.name AS account_name, a.time_zone, k.scopes, k.expires_at AS key_expires_at,
                    coalesce(k.networks, '') AS networks, s.secret_hash, s.expires_at
               FROM api_key k
               JOIN account a ON a.account_id = k.account_id
               JOIN api_secret s ON s.account_id = k.account_id AND s.api_key = k.api_key
              WHERE k.api_key = $1 AND k.revoked_at IS NULL"
        );
        let rows: Vec<KeyRow> = self.fetch_all(rows, values![key]).await?;
        let mut record = None;
        for row in rows {
            let hash = row.secret_hash.try_into();
            let secret = SecretHash {
                hash: hash.map_err(|_| Error::broken("a secret's hash is not 32 bytes"))?,
                expires_at: row.expires_at,
            };
            let record = record.get_or_insert_with(|| KeyRecord {
                account_id: row.account_id,
                account_name: row.account_name,
                api_key: key.to_owned(),
                time_zone: row.time_zone.0,
                scopes: row.scopes.0,
                expires_at: row.key_expires_at,
                networks: row.networks.0,
                secrets: Vec::new(),
            });
            record.secrets.push(secret);
        }
        Ok(record)
    }

    /// Makes a key, and the account if its name is new (`time_zone` then defaults to UTC).
    ///
    /// # Errors
    /// [`CreateKeyError::TimeZoneFixed`] where the account exists with another zone; [`CreateKeyError::Ending`];
    /// [`CreateKeyError::Unseen`].
    pub async fn create_key(
        &self,
        account_name: &str,
        time_zone: Option<Tz>,
        key: impl Into<NewKey>,
    ) -> Result<IssuedKey, CreateKeyError> {
        self.create_key_shown(account_name, time_zone, key, |_| Ok(()))
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
        key: impl Into<NewKey>,
        show: impl FnOnce(&IssuedKey) -> Result<(), BoxError>,
    ) -> Result<IssuedKey, CreateKeyError> {
        let mut new = key.into();
        let tx = self.begin().await?;
        let known = tx.known_scopes().await?;
        if new.scopes == Scopes::ALL {
            new.scopes = known;
        }
        if new.scopes.iter().any(|scope| !known.contains(scope)) {
            return Err(Error::UpgradeUnfinished.into());
        }
        let now = Utc::now();
        let account = find_or_make_account(&tx, account_name, time_zone, now).await?;
        if time_zone.is_some_and(|asked| asked.name() != account.time_zone) {
            return Err(CreateKeyError::TimeZoneFixed(account.time_zone));
        }
        let renamed = person::account_of(&tx, &ending(account_name)).await?;
        for one in renamed.iter().chain([&account]) {
            if ending::keep(&tx, one.account_id).await?.is_none() {
                return Err(CreateKeyError::Ending);
            }
        }
        let issued = IssuedKey {
            account_id: account.account_id,
            api_key: new.api_key,
            secret_key: new_secret(),
            scopes: new.scopes,
        };
        let key = api_key::Model {
            account_id: issued.account_id,
            api_key: issued.api_key.clone(),
            scopes: issued.scopes.to_string(),
            created_at: now,
            revoked_at: None,
            last_used_at: None,
            name: new.name.as_deref().cloned(),
            expires_at: new.expires_at,
            networks: (!new.networks.is_empty()).then(|| new.networks.to_string()),
        };
        tx.insert(key).await?;
        insert_secret(&tx, &issued, now).await?;
        show(&issued).map_err(CreateKeyError::NotShown)?;
        tx.commit_surely().await?;
        Ok(issued)
    }

    /// Issues a new secret; the newest of the others lives on for `overlap`, older ones end now.
    /// `None`: no such key, or it is revoked or has ended.
    pub async fn rotate_key(
        &self,
        key: &str,
        overlap: TimeDelta,
    ) -> Result<Option<IssuedKey>, Error> {
        let tx = self.begin().await?;
        let stored = api_key::Entity::find()
            .filter(api_key::Column::ApiKey.eq(key))
            .filter(api_key::Column::RevokedAt.is_null())
            .lock(LockType::Update);
        let now = Utc::now();
        let stored = stored.one(&tx).await?;
        let Some(stored) = stored.filter(|key| !has_ended(key.expires_at, now)) else {
            return Ok(None);
        };
        let account_id = stored.account_id;
        let all_but_newest = statement!(
            "DELETE FROM api_secret WHERE account_id = $1 AND api_key = $2 AND secret_hash NOT IN (
                SELECT secret_hash FROM api_secret WHERE account_id = $1 AND api_key = $2
                 ORDER BY created_at DESC LIMIT 1)"
        );
        tx.execute(all_but_newest, values![account_id, key]).await?;
        let end_of_newest = statement!(
            "UPDATE api_secret SET expires_at = $3
              WHERE account_id = $1 AND api_key = $2 AND (expires_at IS NULL OR expires_at > $3)"
        );
        tx.execute(end_of_newest, values![account_id, key, now + overlap])
            .await?;
        let issued = IssuedKey {
            account_id,
            api_key: key.to_owned(),
            secret_key: new_secret(),
            scopes: stored.scopes.parse().map_err(Error::broken)?,
        };
        insert_secret(&tx, &issued, now).await?;
        tx.commit_surely().await?;
        Ok(Some(issued))
    }

    /// Ends a key for good. `false`: no such key, or it was revoked before.
    pub async fn revoke_key(&self, key: &str) -> Result<bool, Error> {
        let revoke = statement!(
            "UPDATE api_key SET revoked_at = $2 WHERE api_key = $1 AND revoked_at IS NULL"
        );
        Ok(self.execute(revoke, values![key, Utc::now()]).await? > 0)
    }

    /// The keys of an account, or of all, oldest first.
    pub async fn list_keys(&self, account_id: Option<Uuid>) -> Result<Vec<KeySummary>, Error> {
        let keys = statement!(
            "SELECT a.name AS account, a.time_zone, k.api_key, k.scopes, k.created_at, k.last_used_at, k.revoked_at,
                    k.name, k.expires_at, k.networks,
                    (SELECT count(*) FROM api_secret s
                      WHERE s.account_id = k.account_id AND s.api_key = k.api_key AND k.revoked_at IS NULL
                        AND (k.expires_at IS NULL OR k.expires_at > $1) AND (s.expires_at IS NULL OR s.expires_at > $1)) AS live_secrets
               FROM api_key k JOIN account a ON a.account_id = k.account_id
              WHERE k.account_id = coalesce($2, k.account_id) ORDER BY k.created_at"
        );
        self.fetch_all(keys, values![Utc::now(), account_id]).await
    }

    /// Notes when keys were last used.
    pub async fn touch_keys(&self, used: &[(String, DateTime<Utc>)]) -> Result<(), Error> {
        for (key, at) in used {
            let touch = statement!(
                "UPDATE api_key SET last_used_at = $2
                  WHERE api_key = $1 AND (last_used_at IS NULL OR last_used_at < $2)"
            );
            self.execute(touch, values![key.as_str(), *at]).await?;
        }
        Ok(())
    }
}

impl Tx {
    async fn known_scopes(&self) -> Result<Scopes, Error> {
        let mut known = Scopes::ALL;
        for (scope, known_from) in NEW_SCOPES {
            if !self.admits_only_from(known_from).await? {
                known = known.without(scope);
            }
        }
        Ok(known)
    }
}

/// The account of a name, which is made where there is none.
async fn find_or_make_account(
    tx: &Tx,
    name: &str,
    time_zone: Option<Tz>,
    now: DateTime<Utc>,
) -> Result<account::Model, CreateKeyError> {
    let made = account::ActiveModel {
        account_id: ActiveValue::Set(Uuid::now_v7()),
        number: ActiveValue::NotSet,
        name: ActiveValue::Set(name.to_owned()),
        time_zone: ActiveValue::Set(time_zone.unwrap_or(Tz::UTC).name().to_owned()),
        created_at: ActiveValue::Set(now),
        demands_second_factor: ActiveValue::NotSet,
    };
    let is_new = tx.insert_new(made).await?;
    if is_new && (looks_empty(name) || has_unseen(name)) {
        return Err(CreateKeyError::Unseen);
    }
    let account = person::account_of(tx, name).await?;
    let account = account.ok_or_else(|| Error::broken("an account vanished while it was made"))?;
    let counter = import_counter::Model {
        account_id: account.account_id,
        seq: 0,
    };
    tx.insert_new(counter).await?;
    Ok(account)
}

async fn insert_secret(tx: &Tx, issued: &IssuedKey, now: DateTime<Utc>) -> Result<(), Error> {
    let secret = api_secret::Model {
        account_id: issued.account_id,
        api_key: issued.api_key.clone(),
        secret_hash: hash_secret(&issued.secret_key).to_vec(),
        created_at: now,
        expires_at: None,
    };
    tx.insert(secret).await
}
