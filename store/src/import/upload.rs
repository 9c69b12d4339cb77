//! Files that somebody looks at before they are imported, and what an account said last of the columns of one.

use chrono::{DateTime, TimeDelta, Utc};
use entity::{account, import_choice, upload};
use sea_orm::sea_query::LockType;
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::tx::{Sql, statement, values};
use crate::{Error, Store};

/// How long a file is kept.
pub(crate) const KEPT: TimeDelta = TimeDelta::hours(1);
/// Files of an account, at most.
const MOST: u64 = 3;

/// A file that has arrived, or begins to.
#[derive(Clone, Debug, FromQueryResult)]
pub struct Upload {
    pub upload_id: Uuid,
    pub name: String,
    pub created_at: DateTime<Utc>,
}

impl Store {
    /// Begins a file of the account with a part 0 that is empty. The oldest goes where there are too many.
    pub async fn begin_upload(&self, account_id: Uuid, upload: &Upload) -> Result<(), Error> {
        use upload::Column;
        let tx = self.begin().await?;
        let account = account::Entity::find_by_id(account_id);
        account.lock(LockType::NoKeyUpdate).one(&tx).await?;
        let begun = upload::Entity::find()
            .select_only()
            .column(Column::UploadId)
            .filter(Column::AccountId.eq(account_id))
            .filter(Column::Part.eq(0))
            .order_by_desc(Column::UploadId)
            .offset(MOST - 1)
            .limit(1);
        let oldest: Option<Uuid> = begun.into_tuple().one(&tx).await?;
        if let Some(oldest) = oldest {
            let surplus = upload::Entity::delete_many()
                .filter(Column::AccountId.eq(account_id))
                .filter(Column::UploadId.lte(oldest));
            surplus.exec(&tx).await?;
        }
        let begins = upload::Model {
            account_id,
            upload_id: upload.upload_id,
            part: 0,
            name: upload.name.clone(),
            is_last: false,
            created_at: upload.created_at,
            body: Vec::new(),
        };
        tx.insert(begins).await?;
        tx.commit_surely().await
    }

    /// Adds a part of a file, from 1 on, which comes after those before it: its bytes, compressed, and whether it is the last one.
    /// Whether the file is still there: it goes where others begin.
    pub async fn add_upload_part(
        &self,
        account_id: Uuid,
        upload_id: Uuid,
        part: i64,
        (body, is_last): (Vec<u8>, bool),
    ) -> Result<bool, Error> {
        let add = statement!(
            "INSERT INTO upload (account_id, upload_id, part, name, is_last, created_at, body)
             SELECT account_id, upload_id, $3, name, $4, created_at, $5
               FROM upload WHERE account_id = $1 AND upload_id = $2 AND part = 0"
        );
        let values = values![account_id, upload_id, part, is_last, body];
        Ok(self.execute(add, values).await? > 0)
    }

    /// A file that has arrived whole and is not too old.
    pub async fn upload(&self, account_id: Uuid, upload_id: Uuid) -> Result<Option<Upload>, Error> {
        let whole = statement!(
            "SELECT u.upload_id, u.name, u.created_at
               FROM upload u JOIN upload l ON l.account_id = u.account_id AND l.upload_id = u.upload_id AND l.is_last
              WHERE u.account_id = $1 AND u.upload_id = $2 AND u.part = 0 AND u.created_at > $3"
        );
        let values = values![account_id, upload_id, Utc::now() - KEPT];
        self.fetch_one(whole, values).await
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
