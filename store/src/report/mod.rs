//! What reports are made of, read as of one moment together with the version that it has then.
//!
//! A version is judged by primary keys alone ([`Store::form_data_version`], [`Store::account_data_version`]). Equal versions
//! are equal data: every change of what a report says raises a form's or an account's number in its own commit.
//!
//! What is *not* here: lists of feedbacks ([`crate::feedback`]), and copies of any of this (those are `platform`'s).

mod account;
mod blocks;
mod feedback;
mod form;
mod reconcile;
mod rollup;
mod series;

use chrono::NaiveDate;
use domain::month::Month;
use domain::rollup::Delta;
use sea_orm::QueryResult;
use uuid::Uuid;

pub use self::account::{AccountDays, AccountHead, FormEntry};
pub use self::blocks::FormBlocks;
pub use self::feedback::{
    FeedbackPage, FeedbackPart, FeedbackQuery, FeedbackRow, ListPosition, Stride,
};
pub use self::form::{FormDays, FormHead};
pub use self::reconcile::{Drift, RecipientDrift, Slices};
pub use self::rollup::{
    PendingForms, RolledUp, RollupDays, ScanScope, StoredDelta, WHOLE, Watermark,
};
pub use self::series::RecipientSeries;
use crate::form::FormKey;
use crate::tx::{Patience, get};
use crate::{Error, Store};

/// What counts are labelled with. The order is that of commits: numbers rise within an epoch, and epochs rise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Of the database; another one after a rebuild, and so after a restore.
    pub epoch: i64,
    /// Of the data within the epoch.
    pub number: i64,
}

/// The counts of one month, at the version that the month has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthDays<T = Delta> {
    pub month: Month,
    /// The number of [`Version`] at which the month last changed.
    pub version: i64,
    /// Days in order, only those with a row.
    pub days: Vec<(NaiveDate, T)>,
}

impl Store {
    /// The version of a form's reports. `None`: the account has no such form.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn form_data_version(&self, form: FormKey) -> Result<Option<Version>, Error> {
        let mut tx = self.snapshot(Patience::Request).await?;
        tx.row(
            "SELECT e.epoch, v.data_version AS number FROM form_version v CROSS JOIN cache_epoch e
              WHERE v.account_id = $1 AND v.form_id = $2",
            form.values(),
        )
        .await?
        .as_ref()
        .map(version_of)
        .transpose()
    }

    /// The version of an account's overview: the sum of its forms' numbers and its recipients'. None of them ever falls,
    /// so equal sums are equal data.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn account_data_version(&self, account_id: Uuid) -> Result<Version, Error> {
        let mut tx = self.snapshot(Patience::Request).await?;
        let row = tx
            .row(
                "SELECT e.epoch, CAST(
                        (SELECT COALESCE(SUM(f.data_version), 0) FROM form_version f WHERE f.account_id = $1)
                      + COALESCE((SELECT r.data_version FROM recipient_version r WHERE r.account_id = $1), 0)
                     AS bigint) AS number
                   FROM cache_epoch e",
                vec![account_id.into()],
            )
            .await?;
        row.as_ref()
            .map(version_of)
            .ok_or_else(|| Error::broken("a database without an epoch"))?
    }
}

fn version_of(row: &QueryResult) -> Result<Version, Error> {
    Ok(Version {
        epoch: get(row, "epoch")?,
        number: get(row, "number")?,
    })
}

/// Months and their versions, as heads read them: a list of pairs as JSON, or nothing.
fn months_of(row: &QueryResult) -> Result<Vec<(Month, i64)>, Error> {
    let text: Option<String> = get(row, "months")?;
    let pairs: Vec<(NaiveDate, i64)> = match text {
        Some(text) => serde_json::from_str(&text).map_err(Error::broken)?,
        None => Vec::new(),
    };
    let mut months: Vec<(Month, i64)> = pairs
        .into_iter()
        .map(|(first, version)| (Month::of(first), version))
        .collect();
    months.sort_unstable();
    Ok(months)
}

/// The months of a form of `$1` from one day to another, as [`months_of`] reads them.
macro_rules! months {
    ($list:literal, $form:literal, $from:literal, $to:literal) => {
        concat!(
            "(SELECT CAST(",
            $list,
            " AS text) FROM rollup_month m WHERE m.account_id = $1 AND m.form_id = ",
            $form,
            " AND m.month BETWEEN ",
            $from,
            " AND ",
            $to,
            ") AS months"
        )
    };
    (postgres $form:literal, $from:literal, $to:literal) => {
        months!(
            "json_agg(json_build_array(m.month, m.version))",
            $form,
            $from,
            $to
        )
    };
    (sqlite $form:literal, $from:literal, $to:literal) => {
        months!(
            "json_group_array(json_array(m.month, m.version))",
            $form,
            $from,
            $to
        )
    };
}
use months;
