//! Files that somebody looks at before they are imported, and what an account said last of the columns of one.

use chrono::{DateTime, TimeDelta, Utc};
use entity::{import_choice, upload};
use sea_orm::{ColumnTrait, DerivePartialModel, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::tx::Sql;
use crate::{Error, Store};

/// How long a file is kept.
pub(crate) const KEPT: TimeDelta = TimeDelta::hours(1);
/// Files of an account, at most.
const MOST: u64 = 3;

/// A file that has arrived.
#[derive(Clone, Debug, DerivePartialModel)]
#[sea_orm(entity = "upload::Entity")]
pub struct Upload {
    pub upload_id: Uuid,
    pub name: String,
    pub created_at: DateTime<Utc>,
}

impl Store {
    /// Makes room for another file of the account: the oldest goes where there are too many.
    pub async fn begin_upload(&self, account_id: Uuid) -> Result<(), Error> {
        use upload::Column;
        let begun = upload::Entity::find()
            .select_only()
            .column(Column::UploadId)
            .filter(Column::AccountId.eq(account_id))
            .filter(Column::Part.eq(0))
            .order_by_desc(Column::UploadId)
            .offset(MOST - 1)
            .limit(1);
        let oldest: Option<Uuid> = begun.into_tuple().one(self).await?;
        if let Some(oldest) = oldest {
            let surplus = upload::Entity::delete_many()
                .filter(Column::AccountId.eq(account_id))
                .filter(Column::UploadId.lte(oldest));
            surplus.exec(self).await?;
        }
        Ok(())
    }

    /// Adds a part of a file, which comes after those before it: its bytes, compressed, and whether it is the last one.
    pub async fn add_upload_part(
        &self,
        account_id: Uuid,
        upload: &Upload,
        part: i64,
        (body, is_last): (Vec<u8>, bool),
    ) -> Result<(), Error> {
        let row = upload::Model {
            account_id,
            upload_id: upload.upload_id,
            part,
            name: upload.name.clone(),
            is_last,
            body,
            created_at: upload.created_at,
        };
        self.insert(row).await
    }

    /// A file that has arrived whole and is not too old.
    pub async fn upload(&self, account_id: Uuid, upload_id: Uuid) -> Result<Option<Upload>, Error> {
        use upload::Column;
        let whole = upload::Entity::find()
            .filter(Column::AccountId.eq(account_id))
            .filter(Column::UploadId.eq(upload_id))
            .filter(Column::IsLast.eq(true))
            .filter(Column::CreatedAt.gt(Utc::now() - KEPT));
        Ok(whole.into_partial_model().one(self).await?)
    }

    /// The bytes of a part, compressed, and whether it is the last one.
    pub async fn upload_part(
        &self,
        account_id: Uuid,
        upload_id: Uuid,
        part: i64,
    ) -> Result<Option<(Vec<u8>, bool)>, Error> {
        let found = upload::Entity::find_by_id((account_id, upload_id, part));
        let found = found.one(self).await?;
        Ok(found.map(|part| (part.body, part.is_last)))
    }

    /// Forgets a file.
    pub async fn drop_upload(&self, account_id: Uuid, upload_id: Uuid) -> Result<(), Error> {
        use upload::Column;
        let parts = upload::Entity::delete_many()
            .filter(Column::AccountId.eq(account_id))
            .filter(Column::UploadId.eq(upload_id));
        parts.exec(self).await?;
        Ok(())
    }

    /// What the account said last of the columns of a file.
    pub async fn import_choice(&self, account_id: Uuid) -> Result<Option<String>, Error> {
        let found = import_choice::Entity::find_by_id(account_id).one(self);
        Ok(found.await?.map(|found| found.choice))
    }

    /// Remembers it.
    pub async fn set_import_choice(&self, account_id: Uuid, choice: String) -> Result<(), Error> {
        let row = import_choice::Model { account_id, choice };
        self.upsert(row).await
    }
}
