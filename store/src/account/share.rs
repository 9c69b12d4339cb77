//! Pages of a report that whoever has a link may read. Only the SHA-256 of the link's secret is kept.

use chrono::{DateTime, Utc};
use entity::share::{self, Column};
use sea_orm::{
    ColumnTrait, DerivePartialModel, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
};
use uuid::Uuid;

use super::{hash_secret, random_text};
use crate::retention::Seals;
use crate::tx::{Sql, statement, values};
use crate::{Error, ListPage, Store};

/// A shared page as its account lists it.
#[derive(Clone, Debug, DerivePartialModel)]
#[sea_orm(entity = "share::Entity")]
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
    /// What pages call the account.
    pub company: String,
    /// An IANA name.
    pub time_zone: String,
    pub path: String,
    /// Of the account.
    #[sea_orm(nested)]
    pub seals: Seals,
}

impl Store {
    /// Shares a page, with an id that was drawn before, by which the audit log has it; with the secret, which is shown once.
    pub async fn create_share(
        &self,
        (account_id, share_id): (Uuid, Uuid),
        path: String,
        expires_at: DateTime<Utc>,
    ) -> Result<(Share, String), Error> {
        let secret = random_text();
        let share = Share {
            share_id,
            path,
            created_at: self.now().await?,
            expires_at,
        };
        let row = share::Model {
            account_id,
            share_id,
            hash: hash_secret(&secret).to_vec(),
            path: share.path.clone(),
            created_at: share.created_at,
            expires_at,
        };
        self.insert(row).await?;
        Ok((share, secret))
    }

    /// What is shared under a secret, unless it is over.
    pub async fn shared_page(&self, secret: &str) -> Result<Option<SharedPage>, Error> {
        let page = statement!(
            "SELECT s.account_id, a.name AS account_name, coalesce(b.name, a.name) AS company, a.time_zone, s.path,
                    r.answers_sealed AS answers, r.visits_sealed AS visits, r.messages_sealed AS messages
               FROM share s JOIN account a ON a.account_id = s.account_id
               LEFT JOIN branding b ON b.account_id = s.account_id
               LEFT JOIN retention r ON r.account_id = s.account_id
              WHERE s.hash = $1 AND s.expires_at > $2"
        );
        let values = values![hash_secret(secret).to_vec(), Utc::now()];
        self.fetch_one(page, values).await
    }

    /// A page of what an account shares, newest first, after this position.
    pub async fn shares(
        &self,
        account_id: Uuid,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Share>, Error> {
        let rows = share::Entity::find()
            .filter(Column::AccountId.eq(account_id))
            .filter(Column::ShareId.lt(after.unwrap_or(Uuid::max())))
            .order_by_desc(Column::ShareId)
            .limit(limit as u64 + 1);
        let rows = rows.into_partial_model::<Share>().all(self).await?;
        Ok(ListPage::new(rows, limit, false, |row| row.share_id))
    }

    /// How many pages an account shares that are not over.
    pub async fn live_shares(&self, account_id: Uuid) -> Result<u64, Error> {
        let live = share::Entity::find()
            .filter(Column::AccountId.eq(account_id))
            .filter(Column::ExpiresAt.gt(Utc::now()));
        Ok(live.count(self).await?)
    }

    /// A share of an account.
    pub async fn share(&self, account_id: Uuid, share_id: Uuid) -> Result<Option<Share>, Error> {
        let share = share::Entity::find_by_id((account_id, share_id));
        Ok(share.into_partial_model().one(self).await?)
    }

    /// Withdraws a share; false: the account has no such one.
    pub async fn withdraw_share(&self, account_id: Uuid, share_id: Uuid) -> Result<bool, Error> {
        let delete = share::Entity::delete_by_id((account_id, share_id));
        Ok(delete.exec(self).await?.rows_affected > 0)
    }
}
