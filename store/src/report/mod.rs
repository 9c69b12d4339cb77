//! What reports are made of: a [`Store::snapshot`] reads counts, comments and the version that they have, all as of one moment.
//!
//! A version is judged by primary keys alone ([`Store::form_data_version`], [`Store::account_data_version`]).
//!
//! What is *not* here: copies of any of this (the crate `report`).

mod account;
mod feedback;
mod form;
mod reconcile;
mod rollup;

use domain::month::Month;
use sea_orm::QueryResult;
use uuid::Uuid;

pub use self::account::{AccountHead, FormEntry};
pub use self::feedback::{
    AnswerFilter, FeedbackPage, FeedbackQuery, FeedbackRow, ListPosition, ReadSize,
};
pub use self::form::FormHead;
pub use self::reconcile::{Drift, Slice, Slices};
pub use self::rollup::{PendingForms, RolledUp, ScanScope, WHOLE, Watermark};
use crate::form::FormKey;
use crate::tx::{Sql, get, values};
pub use crate::version::Version;
use crate::{Result, Store};

impl Store {
    /// The version of a form's reports. `None`: the account has no such form.
    pub async fn form_data_version(&self, form: FormKey) -> Result<Option<Version>> {
        let tx = self.snapshot().await?;
        let version = "SELECT data_version AS version, stamp FROM form_version WHERE account_id = $1 AND form_id = $2";
        let row = tx.row(version, values![form]).await?;
        row.as_ref().map(Version::of).transpose()
    }

    /// The version of an account's overview: the sum of its forms' versions and its recipients'.
    pub async fn account_data_version(&self, account_id: Uuid) -> Result<Version> {
        let tx = self.snapshot().await?;
        let rows = "SELECT data_version AS version, stamp FROM form_version WHERE account_id = $1
          UNION ALL SELECT data_version, stamp FROM recipient_version WHERE account_id = $1";
        let rows = tx.rows(rows, values![account_id]).await?;
        rows.iter().map(Version::of).sum()
    }
}

/// A month that has data, and the version at which its counts last changed.
fn month_of(row: &QueryResult) -> Result<(Month, Version)> {
    Ok((Month::of(get(row, "month")?), Version::of(row)?))
}
