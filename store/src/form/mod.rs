//! Forms: made, read, listed, and led through their life. What a content may be replaced by is ruled in
//! `domain::form`.
//!
//! Reports show titles and statuses, so every change also raises the form's data version.

use chrono::{DateTime, Utc};
use domain::form::{FormContent, FormStatus};
use sea_orm::QueryResult;
use uuid::Uuid;

pub use self::link::{Link, NewLink, PublicLink};
use crate::tx::get;
use crate::{Committed, Error, Store, Tx};

mod link;

/// A form by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormKey {
    pub account_id: Uuid,
    pub form_id: Uuid,
}

impl FormKey {
    pub fn new(account_id: Uuid, form_id: Uuid) -> Self {
        Self {
            account_id,
            form_id,
        }
    }

    pub(crate) fn values(self) -> Vec<sea_orm::Value> {
        vec![self.account_id.into(), self.form_id.into()]
    }
}

/// A stored form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    pub form_id: Uuid,
    pub status: FormStatus,
    pub content: FormContent,
    /// 1 at first, one more with every change of any kind.
    pub revision: i64,
    pub created_at: DateTime<Utc>,
    /// Of the last change of any kind.
    pub updated_at: DateTime<Utc>,
    pub published_at: Option<DateTime<Utc>>,
    pub deleted_at: Option<DateTime<Utc>>,
}

/// What a change of a form came to.
#[derive(Clone, Debug)]
pub enum FormChange {
    Done(Form),
    /// Not known in this account.
    NotFound,
    /// It has another revision than the expected one. Judged before the status.
    Changed,
    /// The status that it has does not allow the change.
    Refused(FormStatus),
}

enum Edit<'a> {
    Replace(&'a FormContent),
    Become(FormStatus),
}

macro_rules! select_form {
    ($tail:literal) => {
        concat!(
            "SELECT form_id, status, CAST(content AS text) AS content, revision, created_at, updated_at,
                    published_at, deleted_at
               FROM form WHERE account_id = $1 AND ",
            $tail
        )
    };
}

pub(crate) fn form_of(row: &QueryResult) -> Result<Form, Error> {
    let (status, content): (String, String) = (get(row, "status")?, get(row, "content")?);
    Ok(Form {
        form_id: get(row, "form_id")?,
        status: status.parse().map_err(Error::broken)?,
        content: serde_json::from_str(&content).map_err(Error::broken)?,
        revision: get(row, "revision")?,
        created_at: get(row, "created_at")?,
        updated_at: get(row, "updated_at")?,
        published_at: get(row, "published_at")?,
        deleted_at: get(row, "deleted_at")?,
    })
}

impl Store {
    /// Makes a form in DRAFT.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn create_form(
        &self,
        account_id: Uuid,
        content: &FormContent,
    ) -> Result<Form, Error> {
        let mut tx = self.begin().await?;
        let now = tx.now().await?;
        let form = Form {
            form_id: Uuid::now_v7(),
            status: FormStatus::Draft,
            content: content.clone(),
            revision: 1,
            created_at: now,
            updated_at: now,
            published_at: None,
            deleted_at: None,
        };
        let json = serde_json::to_string(content).map_err(Error::broken)?;
        let insert = tx.dialect(
            "INSERT INTO form (account_id, form_id, status, content, revision, created_at, updated_at)
             VALUES ($1, $2, $3, CAST($4 AS jsonb), 1, $5, $5)",
            "INSERT INTO form (account_id, form_id, status, content, revision, created_at, updated_at)
             VALUES ($1, $2, $3, $4, 1, $5, $5)",
        );
        let key = FormKey::new(account_id, form.form_id);
        let mut values = key.values();
        values.extend::<[sea_orm::Value; 3]>([
            form.status.as_str().into(),
            json.into(),
            now.into(),
        ]);
        tx.execute(insert, values).await?;
        let mut values = key.values();
        values.push(now.into());
        tx.execute(
            "INSERT INTO form_version (account_id, form_id, data_version, as_of, next_watermark_at)
             VALUES ($1, $2, 1, $3, $3)",
            values,
        )
        .await?;
        match tx.commit().await? {
            Committed::Done => Ok(form),
            Committed::Unknown(error) => {
                let found = self.form(account_id, form.form_id).await?;
                found.ok_or(error)
            }
        }
    }

    /// One form.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn form(&self, account_id: Uuid, form_id: Uuid) -> Result<Option<Form>, Error> {
        let key = FormKey::new(account_id, form_id);
        self.rows(select_form!("form_id = $2"), key.values())
            .await?
            .first()
            .map(form_of)
            .transpose()
    }

    /// Forms of a status, newest first, those older than `before`.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn forms(
        &self,
        account_id: Uuid,
        status: FormStatus,
        before: Option<Uuid>,
        limit: u64,
    ) -> Result<Vec<Form>, Error> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.rows(
            select_form!("status = $2 AND form_id < $3 ORDER BY form_id DESC LIMIT $4"),
            vec![
                account_id.into(),
                status.as_str().into(),
                before.unwrap_or(Uuid::max()).into(),
                limit.into(),
            ],
        )
        .await?
        .iter()
        .map(form_of)
        .collect()
    }

    /// Gives a form another content, which was made from that of this revision.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn replace_form(
        &self,
        account_id: Uuid,
        form_id: Uuid,
        revision: i64,
        content: &FormContent,
    ) -> Result<FormChange, Error> {
        let key = FormKey::new(account_id, form_id);
        self.edit_form(key, Some(revision), Edit::Replace(content))
            .await
    }

    /// DRAFT → PUBLISHED.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn publish_form(
        &self,
        account_id: Uuid,
        form_id: Uuid,
        revision: Option<i64>,
    ) -> Result<FormChange, Error> {
        let key = FormKey::new(account_id, form_id);
        self.edit_form(key, revision, Edit::Become(FormStatus::Published))
            .await
    }

    /// DRAFT or PUBLISHED → DELETED. Its links are gone with this commit; what was answered stays in reports.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn delete_form(
        &self,
        account_id: Uuid,
        form_id: Uuid,
        revision: Option<i64>,
    ) -> Result<FormChange, Error> {
        let key = FormKey::new(account_id, form_id);
        self.edit_form(key, revision, Edit::Become(FormStatus::Deleted))
            .await
    }

    async fn edit_form(
        &self,
        key: FormKey,
        revision: Option<i64>,
        edit: Edit<'_>,
    ) -> Result<FormChange, Error> {
        let mut tx = self.begin().await?;
        let lock = tx.dialect(
            select_form!("form_id = $2 FOR NO KEY UPDATE"),
            select_form!("form_id = $2"),
        );
        let Some(row) = tx.row(lock, key.values()).await? else {
            return Ok(FormChange::NotFound);
        };
        let mut form = form_of(&row)?;
        if revision.is_some_and(|expected| expected != form.revision) {
            return Ok(FormChange::Changed);
        }
        let now = tx.now().await?;
        match edit {
            Edit::Replace(_) if form.status == FormStatus::Deleted => {
                return Ok(FormChange::Refused(form.status));
            }
            Edit::Replace(content) => form.content = content.clone(),
            Edit::Become(next) if !form.status.may_become(next) => {
                return Ok(FormChange::Refused(form.status));
            }
            Edit::Become(next) => {
                form.status = next;
                match next {
                    FormStatus::Deleted => form.deleted_at = Some(now),
                    _ => form.published_at = Some(now),
                }
            }
        }
        form.revision += 1;
        form.updated_at = now;
        tx.write_form(key, &form).await?;
        tx.raise_version(key, now).await?;
        match tx.commit().await? {
            Committed::Done => Ok(FormChange::Done(form)),
            Committed::Unknown(error) => {
                let found = self.form(key.account_id, key.form_id).await?;
                let of = |form: &Form| (form.revision, form.updated_at, form.status);
                found
                    .filter(|found| of(found) == of(&form))
                    .map(FormChange::Done)
                    .ok_or(error)
            }
        }
    }
}

impl Tx {
    async fn write_form(&mut self, key: FormKey, form: &Form) -> Result<(), Error> {
        let json = serde_json::to_string(&form.content).map_err(Error::broken)?;
        let update = self.dialect(
            "UPDATE form SET status = $3, content = CAST($4 AS jsonb), revision = $5, updated_at = $6,
                    published_at = $7, deleted_at = $8
              WHERE account_id = $1 AND form_id = $2",
            "UPDATE form SET status = $3, content = $4, revision = $5, updated_at = $6,
                    published_at = $7, deleted_at = $8
              WHERE account_id = $1 AND form_id = $2",
        );
        let mut values = key.values();
        values.extend::<[sea_orm::Value; 6]>([
            form.status.as_str().into(),
            json.into(),
            form.revision.into(),
            form.updated_at.into(),
            form.published_at.into(),
            form.deleted_at.into(),
        ]);
        self.execute(update, values).await?;
        Ok(())
    }

    /// Says that the form's reports changed by what came at a moment; the version from now on. Its row is the form's lock:
    /// the order of versions is that of commits.
    pub(crate) async fn raise_version(
        &mut self,
        key: FormKey,
        at: DateTime<Utc>,
    ) -> Result<i64, Error> {
        let mut values = key.values();
        values.push(at.into());
        let raised = self
            .row(
                "UPDATE form_version
                    SET data_version = data_version + 1, as_of = CASE WHEN as_of > $3 THEN as_of ELSE $3 END
                  WHERE account_id = $1 AND form_id = $2 RETURNING data_version",
                values,
            )
            .await?
            .ok_or_else(|| Error::broken("a form without a version"))?;
        get(&raised, "data_version")
    }
}
