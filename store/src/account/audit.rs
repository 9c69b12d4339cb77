//! The audit log: what people and keys changed or exported.

use chrono::{DateTime, Utc};
use entity::audit;
use sea_orm::{ColumnTrait, DerivePartialModel, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::tx::{Sql, statement, values};
use crate::{Error, ListPage, Store};

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

impl Store {
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
