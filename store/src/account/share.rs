//! Pages of a report that whoever has a link may read. Only the SHA-256 of the link's secret is kept.

use chrono::{DateTime, Utc};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::{hash_secret, random_text};
use crate::tx::{Sql, read, values};
use crate::{Error, ListPage, Store};

/// A shared page as its account lists it.
#[derive(Clone, Debug, FromQueryResult)]
pub struct Share {
    pub share_id: Uuid,
    /// Path and query of the page.
    pub path: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// A shared page as it is read, and whose it is.
#[derive(Clone, Debug, FromQueryResult)]
pub struct SharedPage {
    pub account_id: Uuid,
    pub account_name: String,
    /// An IANA name.
    pub time_zone: String,
    pub path: String,
}

impl Store {
    /// Shares a page; with the secret, which is shown once.
    pub async fn create_share(
        &self,
        account_id: Uuid,
        path: String,
        expires_at: DateTime<Utc>,
    ) -> Result<(Share, String), Error> {
        let secret = random_text();
        let share = Share {
            share_id: Uuid::now_v7(),
            path,
            created_at: self.now().await?,
            expires_at,
        };
        let insert = "INSERT INTO share (account_id, share_id, hash, path, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)";
        let mut values = values![account_id, share.share_id, hash_secret(&secret).to_vec()];
        values.extend(values![share.path.as_str(), share.created_at, expires_at]);
        self.execute(insert, values).await?;
        Ok((share, secret))
    }

    /// What is shared under a secret, unless it is over.
    pub async fn shared_page(&self, secret: &str) -> Result<Option<SharedPage>, Error> {
        let page = "SELECT s.account_id, a.name AS account_name, a.time_zone, s.path
               FROM share s JOIN account a ON a.account_id = s.account_id
              WHERE s.hash = $1 AND s.expires_at > $2";
        let values = values![hash_secret(secret).to_vec(), Utc::now()];
        Ok(read(&self.rows(page, values).await?)?.pop())
    }

    /// A page of what an account shares, newest first, after this position.
    pub async fn shares(
        &self,
        account_id: Uuid,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Share>, Error> {
        let rows = "SELECT share_id, path, created_at, expires_at FROM share
              WHERE account_id = $1 AND share_id < $2 ORDER BY share_id DESC LIMIT $3";
        let rows_and_one = i64::try_from(limit + 1).map_err(Error::broken)?;
        let values = values![account_id, after.unwrap_or(Uuid::max()), rows_and_one];
        let rows = read(&self.rows(rows, values).await?)?;
        Ok(ListPage::new(rows, limit, false, |row: &Share| {
            row.share_id
        }))
    }

    /// Whether an account has this share.
    pub async fn has_share(&self, account_id: Uuid, share_id: Uuid) -> Result<bool, Error> {
        let share = "SELECT 1 FROM share WHERE account_id = $1 AND share_id = $2";
        let share: Option<i32> = self.one(share, values![account_id, share_id]).await?;
        Ok(share.is_some())
    }

    /// Withdraws a share; false: the account has no such one.
    pub async fn withdraw_share(&self, account_id: Uuid, share_id: Uuid) -> Result<bool, Error> {
        let delete = "DELETE FROM share WHERE account_id = $1 AND share_id = $2";
        Ok(self.execute(delete, values![account_id, share_id]).await? > 0)
    }
}
