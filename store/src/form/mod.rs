//! Forms: made, read, listed, and led through their life. What a content may be replaced by is ruled in
//! `domain::form`.
//!
//! Reports show titles and statuses, so every change also raises the form's data version.

use chrono::{DateTime, Utc};
use domain::form::{Field, FormContent, FormStatus};
use entity::{form, form_version};
use sea_orm::sea_query::{Expr, LockType};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect,
};
use uuid::Uuid;

pub use self::link::{Link, NewLink, PublicLink, StoredLink};
pub(crate) use self::link::{LinkToken, LinkTrackField, NEW_TOKEN, NEW_TRACK_FIELD};
use crate::tx::{Sql, batch_row, rows_that_fit, statement, values};
use crate::version::Version;
use crate::{Error, ListPage, PAGE_BYTES, Result, Store, Tx};

mod link;

/// The lowest number of a program from which on all of them read an answer with a text beside a choice.
const READ_TEXTS: i64 = 10;

batch_row! {
    /// A form, by its account and its id.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, FromQueryResult)]
    pub struct FormKey {
        account_id: Uuid,
        form_id: Uuid,
    }
}

impl FormKey {
    pub fn new(account_id: Uuid, form_id: Uuid) -> Self {
        Self {
            account_id,
            form_id,
        }
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
    Done(Box<Form>),
    /// Not known in this account.
    NotFound,
    /// It has another revision than the expected one. Judged before the status.
    Changed,
    /// The status that it has does not allow the change.
    Refused(FormStatus),
}

/// A change of a form.
#[derive(Clone, Copy, Debug)]
pub enum FormEdit<'a> {
    /// Another content, which was made from that of the expected revision.
    Replace(&'a FormContent),
    /// DRAFT → PUBLISHED.
    Publish,
    /// DRAFT or PUBLISHED → DELETED. Its links are gone with this commit; what was answered stays in reports.
    Delete,
}

impl Form {
    /// Reads what is stored of a form. A large content takes long.
    ///
    /// # Errors
    /// The status or the content is none.
    pub fn read(row: &form::Model) -> Result<Self> {
        let content = serde_json::from_str(&row.content).map_err(Error::broken)?;
        Self::of(row, content)
    }

    fn of(row: &form::Model, content: FormContent) -> Result<Self> {
        Ok(Self {
            form_id: row.form_id,
            status: row.status.parse().map_err(Error::broken)?,
            content,
            revision: row.revision,
            created_at: row.created_at,
            updated_at: row.updated_at,
            published_at: row.published_at,
            deleted_at: row.deleted_at,
        })
    }
}

impl Store {
    /// Makes a form in DRAFT.
    ///
    /// # Errors
    /// [`Error::UpgradeUnfinished`].
    pub async fn create_form(&self, account_id: Uuid, content: &FormContent) -> Result<Form> {
        let form = FormKey::new(account_id, Uuid::now_v7());
        self.create_form_as(form, content).await
    }

    /// The same with an id that was drawn before, by which the audit log has it.
    ///
    /// # Errors
    /// [`Error::UpgradeUnfinished`].
    pub async fn create_form_as(&self, form: FormKey, content: &FormContent) -> Result<Form> {
        let FormKey {
            account_id,
            form_id,
        } = form;
        let text = serde_json::to_string(content).map_err(Error::broken)?;
        let mut tx = self.begin().await?;
        tx.check_readable(content).await?;
        let now = tx.now().await?;
        let row = form::Model {
            account_id,
            form_id,
            status: FormStatus::Draft.as_str().to_owned(),
            title: content.title.clone(),
            content: text,
            revision: 1,
            created_at: now,
            updated_at: now,
            published_at: None,
            deleted_at: None,
        };
        tx.insert(row.clone()).await?;
        let version = form_version::Model {
            account_id,
            form_id: row.form_id,
            data_version: 1,
            stamp: rand::random(),
            as_of: now,
            watermark: 0,
            next_watermark: 0,
            next_watermark_at: now,
        };
        tx.insert(version).await?;
        let made = async { Ok(self.form(account_id, row.form_id).await?.is_some()) };
        tx.commit_or_ask(made).await?;
        Form::of(&row, content.clone())
    }

    /// One form.
    pub async fn form(&self, account_id: Uuid, form_id: Uuid) -> Result<Option<Form>> {
        let row = self.form_row(account_id, form_id).await?;
        row.as_ref().map(Form::read).transpose()
    }

    /// One form as it is stored, for [`Form::read`].
    pub async fn form_row(&self, account_id: Uuid, form_id: Uuid) -> Result<Option<form::Model>> {
        let row = form::Entity::find_by_id((account_id, form_id));
        Ok(row.one(self).await?)
    }

    /// The titles of an account's newest forms, of a status or of any.
    pub async fn form_titles(
        &self,
        account_id: Uuid,
        status: Option<FormStatus>,
        limit: usize,
    ) -> Result<Vec<(Uuid, String)>> {
        let status = status.map(|status| form::Column::Status.eq(status.as_str()));
        let titles = form::Entity::find()
            .select_only()
            .columns([form::Column::FormId, form::Column::Title])
            .filter(form::Column::AccountId.eq(account_id))
            .filter(Condition::all().add_option(status))
            .order_by_desc(form::Column::FormId)
            .limit(limit as u64);
        Ok(titles.into_tuple().all(self).await?)
    }

    /// The account's form that was published last, and when, of those that are published.
    pub async fn latest_published_form(
        &self,
        account_id: Uuid,
    ) -> Result<Option<(Uuid, DateTime<Utc>)>> {
        let latest = form::Entity::find()
            .select_only()
            .columns([form::Column::FormId, form::Column::PublishedAt])
            .filter(form::Column::AccountId.eq(account_id))
            .filter(form::Column::Status.eq(FormStatus::Published.as_str()))
            .filter(form::Column::PublishedAt.is_not_null())
            .order_by_desc(form::Column::PublishedAt);
        Ok(latest.into_tuple().one(self).await?)
    }

    /// The same of the published ones that have business properties.
    pub async fn form_titles_with_bus_props(
        &self,
        account_id: Uuid,
        limit: usize,
    ) -> Result<Vec<(Uuid, String)>> {
        // No text within JSON has such quotes, and reading all contents as JSON would cost more than the page.
        let has_bus_props = "content LIKE '%\"bus_props\":[{%'";
        let titles = form::Entity::find()
            .select_only()
            .columns([form::Column::FormId, form::Column::Title])
            .filter(form::Column::AccountId.eq(account_id))
            .filter(form::Column::Status.eq(FormStatus::Published.as_str()))
            .filter(Expr::cust(has_bus_props))
            .order_by_desc(form::Column::FormId)
            .limit(limit as u64);
        Ok(titles.into_tuple().all(self).await?)
    }

    /// A page of an account's forms of a status, newest first, of those older than `before`, for [`Form::read`]. Only the
    /// contents that are on the page are read.
    pub async fn forms(
        &self,
        account_id: Uuid,
        status: FormStatus,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<form::Model>> {
        let tx = self.snapshot().await?;
        let listed = form::Entity::find()
            .filter(form::Column::AccountId.eq(account_id))
            .filter(form::Column::Status.eq(status.as_str()))
            .filter(form::Column::FormId.lt(before.unwrap_or(Uuid::max())))
            .order_by_desc(form::Column::FormId);
        // The length of a text is read without the text.
        let sizes = listed.clone().select_only();
        let sizes = sizes.expr(Expr::cust("octet_length(content)"));
        let sizes: Vec<i32> = sizes.limit(limit as u64 + 1).into_tuple().all(&tx).await?;
        let rows = rows_that_fit(&sizes, PAGE_BYTES);
        let forms = listed.limit(rows as u64).all(&tx).await?;
        let has_more = rows < sizes.len();
        Ok(ListPage::new(forms, limit, has_more, |form| form.form_id))
    }

    /// Changes a form, if it has the expected revision or none is expected.
    ///
    /// # Errors
    /// [`Error::UpgradeUnfinished`].
    pub async fn edit_form(
        &self,
        account_id: Uuid,
        form_id: Uuid,
        revision: Option<i64>,
        edit: FormEdit<'_>,
    ) -> Result<FormChange> {
        let key = FormKey::new(account_id, form_id);
        let mut tx = self.begin().await?;
        let row = form::Entity::find_by_id((key.account_id, key.form_id));
        let Some(mut row) = row.lock(LockType::NoKeyUpdate).one(&tx).await? else {
            return Ok(FormChange::NotFound);
        };
        let status: FormStatus = row.status.parse().map_err(Error::broken)?;
        if revision.is_some_and(|expected| expected != row.revision) {
            return Ok(FormChange::Changed);
        }
        let now = tx.now().await?;
        match edit {
            FormEdit::Replace(content) if status != FormStatus::Deleted => {
                tx.check_readable(content).await?;
                row.title.clone_from(&content.title);
                row.content = serde_json::to_string(content).map_err(Error::broken)?;
            }
            FormEdit::Publish if status.may_become(FormStatus::Published) => {
                FormStatus::Published.as_str().clone_into(&mut row.status);
                row.published_at = Some(now);
            }
            FormEdit::Delete if status.may_become(FormStatus::Deleted) => {
                FormStatus::Deleted.as_str().clone_into(&mut row.status);
                row.deleted_at = Some(now);
            }
            _ => return Ok(FormChange::Refused(status)),
        }
        row.revision += 1;
        row.updated_at = now;
        let form = Form::read(&row)?;
        tx.update(row).await?;
        tx.raise_version(key, now).await?;
        let edited = async {
            let found = self.form(key.account_id, key.form_id).await?;
            let of = |form: &Form| (form.revision, form.updated_at, form.status);
            Ok(found.as_ref().map(of) == Some(of(&form)))
        };
        tx.commit_or_ask(edited).await?;
        Ok(FormChange::Done(Box::new(form)))
    }
}

impl Tx {
    /// Answers to a form are read by whatever program runs.
    async fn check_readable(&mut self, content: &FormContent) -> Result<()> {
        let is_new = content.fields.iter().any(Field::has_text);
        if is_new && !self.admits_only_from(READ_TEXTS).await? {
            return Err(Error::UpgradeUnfinished);
        }
        Ok(())
    }

    /// Says that the form's reports changed by what came at a moment; the version from now on. Its row is the form's lock:
    /// the order of versions is that of commits.
    pub(crate) async fn raise_version(
        &mut self,
        key: FormKey,
        at: DateTime<Utc>,
    ) -> Result<Version> {
        let stamp: i64 = rand::random();
        let raised = statement!(
            "UPDATE form_version
                SET data_version = data_version + 1, stamp = $4, as_of = CASE WHEN as_of > $3 THEN as_of ELSE $3 END
              WHERE account_id = $1 AND form_id = $2 RETURNING data_version"
        );
        let raised = self.fetch_value(raised, values![key, at, stamp]).await?;
        let number = raised.ok_or_else(|| Error::broken("a form without a version"))?;
        Ok(Version { number, stamp })
    }
}
