//! Who was let in, and who let them: rows of the audit log about people, keys and pages that are shared.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, Store};

/// Rows that are read at once.
const ROWS: i64 = 1_000;

macro_rules! grants {
    ($after:literal) => {
        concat!(
            "SELECT a.audit_id, a.at, a.name, a.action, a.subject, coalesce(a.status, (
                    SELECT min(o.status) FROM audit o WHERE o.account_id = $1 AND o.outcome_of = a.audit_id)) AS status
               FROM audit a
              WHERE a.account_id = $1 AND a.outcome_of IS NULL AND ", $after, "
                AND a.action IN ('person.add', 'person.role', 'person.remove', 'key.create', 'key.revoke', 'share.create',
                                 'share.withdraw')
              ORDER BY a.audit_id LIMIT $3"
        )
    };
}
const GRANTS: &Statement = statement!(
    postgres: grants!("a.audit_id > $2");
    // It has no statistics, and would read the whole log in the order of its key.
    sqlite: grants!("+a.audit_id > $2")
);

const LAST_SIGN_INS: &Statement = statement!(
    "SELECT name, max(at) AS at FROM audit
      WHERE account_id = $1 AND status < 400
        AND action IN ('sign-in.password', 'sign-in.code', 'sign-in.link', 'sign-in.provider')
      GROUP BY name"
);

const KEYS_MADE: &Statement = statement!(
    "SELECT subject, name FROM audit WHERE account_id = $1 AND action = 'key.create' AND outcome_of IS NULL"
);

#[derive(FromQueryResult)]
struct SignIn {
    name: String,
    at: DateTime<Utc>,
}

#[derive(FromQueryResult)]
struct KeyMade {
    subject: String,
    name: String,
}

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

impl Grant {
    /// The key that was made or ended: its scopes stand behind it.
    pub fn key(&self) -> &str {
        key_of(&self.subject)
    }
}

fn key_of(subject: &str) -> &str {
    subject.split(' ').next().unwrap_or_default()
}

impl Store {
    /// When people of an account signed in last, by name, as far as its audit log is kept. Another of the same name may have been there before.
    pub async fn last_sign_ins(
        &self,
        account_id: Uuid,
    ) -> Result<HashMap<String, DateTime<Utc>>, Error> {
        let rows: Vec<SignIn> = self.fetch_all(LAST_SIGN_INS, values![account_id]).await?;
        Ok(rows.into_iter().map(|row| (row.name, row.at)).collect())
    }

    /// Who made the keys of an account, by key, as far as its audit log is kept; empty: it came through the command line.
    pub async fn makers_of_keys(&self, account_id: Uuid) -> Result<HashMap<String, String>, Error> {
        let rows: Vec<KeyMade> = self.fetch_all(KEYS_MADE, values![account_id]).await?;
        let rows = rows.into_iter();
        Ok(rows
            .map(|row| (key_of(&row.subject).to_owned(), row.name))
            .collect())
    }

    /// Some of an account's grants, oldest first, after this row; empty: there are no more.
    pub async fn grants(&self, account_id: Uuid, after: Uuid) -> Result<Vec<Grant>, Error> {
        self.fetch_all(GRANTS, values![account_id, after, ROWS])
            .await
    }
}
