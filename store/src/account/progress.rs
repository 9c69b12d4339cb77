//! How far an account got on its way to the first answer.

use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::tx::{Sql, statement, values};
use crate::{Error, Result, Store};

/// What an account has had so far.
#[derive(Clone, Copy, Debug, FromQueryResult)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the columns of a row; none excludes another"
)]
pub struct Progress {
    /// A form that was published.
    pub has_form: bool,
    /// A stored recipient.
    pub has_recipients: bool,
    /// A campaign that was started.
    pub has_campaign: bool,
    /// An answer, stored still or not.
    pub has_answer: bool,
}

impl Store {
    /// How far an account got.
    pub async fn progress(&self, account_id: Uuid) -> Result<Progress> {
        let progress = statement!(
            "SELECT EXISTS (SELECT 1 FROM form WHERE account_id = $1 AND status <> 'DRAFT') AS has_form,
                    EXISTS (SELECT 1 FROM recipient_rollup WHERE account_id = $1) AS has_recipients,
                    EXISTS (SELECT 1 FROM campaign WHERE account_id = $1 AND status <> 'DRAFT') AS has_campaign,
                    EXISTS (SELECT 1 FROM visit WHERE account_id = $1) AS has_answer"
        );
        let progress = self.fetch_one(progress, values![account_id]).await?;
        progress.ok_or_else(|| Error::broken("a query without a row"))
    }
}
