//! The audit log: what people and keys changed or exported. What is tried and what came of it are two rows; `chain` seals them.

use chrono::{DateTime, SubsecRound, Utc};
use entity::audit;
use sea_orm::FromQueryResult;
use serde::Serialize;
use uuid::Uuid;

use crate::tx::{Sql, statement, values};
use crate::{Error, ListPage, Store};

/// The last second of the year 9999, in Unix time: later ones are longer texts, which SQLite takes for earlier.
const LAST: i64 = 253_402_300_799;

/// What somebody changed, or exported.
#[derive(Clone, Debug, Serialize, FromQueryResult)]
pub struct AuditRow {
    pub audit_id: Uuid,
    pub at: DateTime<Utc>,
    /// Of a person or, such as `fk_…`, of a key; empty: it came through the command line.
    pub name: String,
    /// The network that it was asked from.
    pub address: String,
    pub action: String,
    /// What it was done to.
    pub subject: String,
    /// The HTTP status that it came to; `None`: not known.
    pub status: Option<i16>,
}

impl Store {
    /// Notes what somebody is about to do, `who` with the network that they ask from; what it came to is told to
    /// [`Self::note_outcome`]. Both are empty for the command line.
    pub async fn note_change(
        &self,
        account_id: Uuid,
        (who, address): (&str, &str),
        action: &str,
        subject: &str,
    ) -> Result<Uuid, Error> {
        let audit_id = Uuid::now_v7();
        let entry = audit::Model {
            account_id,
            audit_id,
            at: Utc::now().trunc_subsecs(6),
            name: who.to_owned(),
            address: address.to_owned(),
            action: action.to_owned(),
            subject: subject.to_owned(),
            status: None,
            outcome_of: None,
            seal: None,
            salt: None,
            subject_hash: None,
        };
        self.note_work(account_id).await?;
        self.insert(entry).await?;
        Ok(audit_id)
    }

    /// Notes the HTTP status that a change came to, in a row of its own.
    pub async fn note_outcome(
        &self,
        account_id: Uuid,
        audit_id: Uuid,
        status: u16,
    ) -> Result<(), Error> {
        let status = i16::try_from(status).map_err(Error::broken)?;
        let note = statement!(
            "INSERT INTO audit (account_id, audit_id, at, name, address, action, subject, status, outcome_of)
             SELECT account_id, $3, $4, name, address, action, subject, $5, audit_id
               FROM audit WHERE account_id = $1 AND audit_id = $2"
        );
        let at = Utc::now().trunc_subsecs(6);
        let values = values![account_id, audit_id, Uuid::now_v7(), at, status];
        self.execute(note, values).await.map(drop)
    }

    /// A page of what an account's people changed from one moment until before another, with what it came to, newest first, after
    /// this position.
    pub async fn audit(
        &self,
        account_id: Uuid,
        (from, until): (Option<DateTime<Utc>>, Option<DateTime<Utc>>),
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<AuditRow>, Error> {
        let rows = statement!(
            "SELECT a.audit_id, a.at, a.name, a.address, a.action, a.subject, coalesce(a.status, (
                    SELECT min(o.status) FROM audit o WHERE o.account_id = $1 AND o.outcome_of = a.audit_id)) AS status
               FROM audit a
              WHERE a.account_id = $1 AND a.audit_id < $2 AND a.outcome_of IS NULL AND a.at >= $4 AND a.at < $5
              ORDER BY a.audit_id DESC LIMIT $3"
        );
        let more = i64::try_from(limit).map_err(Error::broken)? + 1;
        let from = from.unwrap_or(DateTime::UNIX_EPOCH);
        let until = until.or_else(|| DateTime::from_timestamp(LAST, 0));
        let values = values![
            account_id,
            after.unwrap_or(Uuid::max()),
            more,
            from,
            until.unwrap_or_else(Utc::now)
        ];
        let rows = self.fetch_all(rows, values).await?;
        Ok(ListPage::new(rows, limit, false, |row: &AuditRow| {
            row.audit_id
        }))
    }
}
