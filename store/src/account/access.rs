//! Who was let in, and who let them: rows of the audit log about people, keys and pages that are shared.

use chrono::{DateTime, Utc};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, Store};

/// Rows that are read at once.
const ROWS: i64 = 1_000;

const GRANTS: &Statement = statement!(
    "SELECT a.audit_id, a.at, a.name, a.action, a.subject, coalesce(a.status, (
            SELECT min(o.status) FROM audit o WHERE o.account_id = $1 AND o.outcome_of = a.audit_id)) AS status
       FROM audit a
      WHERE a.account_id = $1 AND a.audit_id > $2 AND a.outcome_of IS NULL
        AND a.action IN ('person.add', 'person.role', 'person.remove', 'key.create', 'key.revoke', 'share.create', 'share.withdraw')
      ORDER BY a.audit_id LIMIT $3"
);

/// Somebody was let in, or no more.
#[derive(Clone, Debug, FromQueryResult)]
pub struct Grant {
    pub audit_id: Uuid,
    pub at: DateTime<Utc>,
    /// Of the person or the key; empty: it came through the command line.
    pub name: String,
    pub action: String,
    pub subject: String,
    /// The HTTP status that it came to; `None`: not known.
    pub status: Option<i16>,
}

impl Store {
    /// Some of an account's grants, oldest first, after this row; empty: there are no more.
    pub async fn grants(&self, account_id: Uuid, after: Uuid) -> Result<Vec<Grant>, Error> {
        self.fetch_all(GRANTS, values![account_id, after, ROWS])
            .await
    }
}
