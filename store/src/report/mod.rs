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
use entity::rollup_month;
use uuid::Uuid;

pub use self::account::{AccountHead, FormEntry};
pub use self::feedback::{
    AnswerFilter, FeedbackPage, FeedbackQuery, FeedbackRow, LatestRows, ListPosition, NEWEST,
    ReadSize, has_words,
};
pub(crate) use self::feedback::{first_id, ids_of_days, pattern_of_all};
pub use self::form::FormHead;
pub use self::reconcile::{Drift, Slice, Slices};
pub use self::rollup::{PendingForms, RolledUp, ScanScope, WHOLE, Watermark};
use crate::form::FormKey;
use crate::tx::{Sql, statement, values};
pub use crate::version::Version;
use crate::{Result, Store, Tx};

impl Store {
    /// The version of a form's reports. `None`: the account has no such form.
    pub async fn form_data_version(&self, form: FormKey) -> Result<Option<Version>> {
        self.snapshot().await?.form_data_version(form).await
    }

    /// The version of an account's overview: the sum of its forms' versions and its recipients'.
    pub async fn account_data_version(&self, account_id: Uuid) -> Result<Version> {
        let tx = self.snapshot().await?;
        let versions = statement!(
            "SELECT data_version AS number, stamp FROM form_version WHERE account_id = $1
              UNION ALL SELECT data_version, stamp FROM recipient_version WHERE account_id = $1"
        );
        let versions: Vec<Version> = tx.fetch_all(versions, values![account_id]).await?;
        Ok(versions.into_iter().sum())
    }
}

impl Tx {
    /// The same in a snapshot.
    pub async fn form_data_version(&self, form: FormKey) -> Result<Option<Version>> {
        let version = statement!(
            "SELECT data_version AS number, stamp FROM form_version WHERE account_id = $1 AND form_id = $2"
        );
        self.fetch_one(version, values![form]).await
    }
}

/// A month that has data, and the version at which its counts last changed.
fn month_of(row: &rollup_month::Model) -> (Month, Version) {
    let version = Version {
        number: row.version,
        stamp: row.stamp,
    };
    (Month::of(row.month), version)
}
