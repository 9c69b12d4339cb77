//! Forms: made, read, listed, and led through their life. What a content may be replaced by is ruled in
//! `domain::form`.
//!
//! Reports show titles and statuses, so every change also raises the form's data version.

use chrono::{DateTime, Utc};
use domain::form::{FormContent, FormStatus};
use sea_orm::QueryResult;
use uuid::Uuid;

pub use self::link::{Link, NewLink, PublicLink};
use crate::tx::{Patience, bytes_of, get, rows_that_fit};
use crate::version::Version;
use crate::{Committed, Error, ListPage, PAGE_BYTES, Store, Tx};

mod link;

/// A form, by its account and its id.
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

/// A stored form. In lists its content is still JSON: to read large ones takes long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form<C = FormContent> {
    pub form_id: Uuid,
    pub status: FormStatus,
    pub content: C,
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
            "SELECT form_id, status, content, revision, created_at, updated_at, published_at, deleted_at
               FROM form WHERE account_id = $1 AND ",
            $tail
        )
    };
}

impl Form<String> {
    /// Reads its content.
    ///
    /// # Errors
    /// What is stored is no content.
    pub fn read(self) -> Result<Form, Error> {
        Ok(Form {
            form_id: self.form_id,
            status: self.status,
            content: serde_json::from_str(&self.content).map_err(Error::broken)?,
            revision: self.revision,
            created_at: self.created_at,
            updated_at: self.updated_at,
            published_at: self.published_at,
            deleted_at: self.deleted_at,
        })
    }
}

fn stored_form(row: &QueryResult) -> Result<Form<String>, Error> {
    let status: String = get(row, "status")?;
    Ok(Form {
        form_id: get(row, "form_id")?,
        status: status.parse().map_err(Error::broken)?,
        content: get(row, "content")?,
        revision: get(row, "revision")?,
        created_at: get(row, "created_at")?,
        updated_at: get(row, "updated_at")?,
        published_at: get(row, "published_at")?,
        deleted_at: get(row, "deleted_at")?,
    })
}

pub(crate) fn form_of(row: &QueryResult) -> Result<Form, Error> {
    stored_form(row)?.read()
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
        let key = FormKey::new(account_id, form.form_id);
        let mut values = key.values();
        values.extend::<[sea_orm::Value; 4]>([
            form.status.as_str().into(),
            content.title.as_str().into(),
            json.into(),
            now.into(),
        ]);
        tx.execute(
            "INSERT INTO form (account_id, form_id, status, title, content, revision, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, 1, $6, $6)",
            values,
        )
        .await?;
        let mut values = key.values();
        values.extend::<[sea_orm::Value; 2]>([now.into(), rand::random::<i64>().into()]);
        tx.execute(
            "INSERT INTO form_version (account_id, form_id, data_version, as_of, next_watermark_at, stamp)
             VALUES ($1, $2, 1, $3, $3, $4)",
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

    /// A page of an account's forms of a status, newest first, of those older than `before`. Only the contents that are on
    /// the page are read.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn forms(
        &self,
        account_id: Uuid,
        status: FormStatus,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<Form<String>>, Error> {
        let mut tx = self.snapshot(Patience::Request).await?;
        let values = |rows: usize| -> Vec<sea_orm::Value> {
            vec![
                account_id.into(),
                status.as_str().into(),
                before.unwrap_or(Uuid::max()).into(),
                i64::try_from(rows).unwrap_or(i64::MAX).into(),
            ]
        };
        // The length of a text is read without the text.
        let sizes = tx
            .rows(
                "SELECT octet_length(content) AS bytes FROM form
                  WHERE account_id = $1 AND status = $2 AND form_id < $3 ORDER BY form_id DESC LIMIT $4",
                values(limit + 1),
            )
            .await?;
        let bytes = sizes.iter().map(bytes_of).collect::<Result<Vec<_>, _>>()?;
        let found = bytes.len();
        let rows = rows_that_fit(bytes, PAGE_BYTES);
        let forms = tx
            .rows(
                select_form!("status = $2 AND form_id < $3 ORDER BY form_id DESC LIMIT $4"),
                values(rows),
            )
            .await?;
        let forms = forms.iter().map(stored_form).collect::<Result<_, _>>()?;
        let position = |form: &Form<String>| form.form_id;
        Ok(ListPage::new(forms, limit, rows < found, position))
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
        let mut values = key.values();
        values.extend::<[sea_orm::Value; 7]>([
            form.status.as_str().into(),
            form.content.title.as_str().into(),
            json.into(),
            form.revision.into(),
            form.updated_at.into(),
            form.published_at.into(),
            form.deleted_at.into(),
        ]);
        self.execute(
            "UPDATE form SET status = $3, title = $4, content = $5, revision = $6, updated_at = $7,
                    published_at = $8, deleted_at = $9
              WHERE account_id = $1 AND form_id = $2",
            values,
        )
        .await?;
        Ok(())
    }

    /// Says that the form's reports changed by what came at a moment; the version from now on. Its row is the form's lock:
    /// the order of versions is that of commits.
    pub(crate) async fn raise_version(
        &mut self,
        key: FormKey,
        at: DateTime<Utc>,
    ) -> Result<Version, Error> {
        let stamp: i64 = rand::random();
        let mut values = key.values();
        values.extend::<[sea_orm::Value; 2]>([at.into(), stamp.into()]);
        let raised = self
            .row(
                "UPDATE form_version
                    SET data_version = data_version + 1, stamp = $4, as_of = CASE WHEN as_of > $3 THEN as_of ELSE $3 END
                  WHERE account_id = $1 AND form_id = $2 RETURNING data_version",
                values,
            )
            .await?
            .ok_or_else(|| Error::broken("a form without a version"))?;
        let number = get(&raised, "data_version")?;
        Ok(Version { number, stamp })
    }
}
