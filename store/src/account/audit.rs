//! The audit log: what people and keys changed, exported or saw. What is tried and what came of it are two rows; `chain` seals them.
//!
//! A recipient stands there by what would replace the docid of an erased person. Which docid that is of is kept apart, in
//! `audit_recipient`, as long as the recipient is stored.

use std::cmp::Reverse;
use std::collections::HashMap;

use chrono::{DateTime, SubsecRound, Utc};
use domain::changes::Changes;
use domain::pepper::Pepper;
use entity::{audit, audit_recipient};
use sea_orm::FromQueryResult;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::erasure::DocIdKeys;
use crate::tx::{
    BatchStatement, JsonText, Sql, Statement, batch_row, rows_that_fit, statement, values,
};
use crate::{Error, ListPage, PAGE_BYTES, Store, Tx};

/// The last second of the year 9999, in Unix time: later ones are longer texts, which SQLite takes for earlier.
const LAST: i64 = 253_402_300_799;

/// What was done, with what came of it and whom it is about. The last condition leads to an index, or is none. SQLite is told by which
/// index to find whom a row is about, and the rows of a subject: by itself it looks at all of the account.
macro_rules! rows {
    ($of:literal) => {
        rows!("", $of)
    };
    ($by:literal, $of:literal) => {
        statement!(
            postgres: rows!(text "", "", $of);
            sqlite: rows!(text $by, " INDEXED BY audit_recipient_subject", $of)
        )
    };
    (text $by:literal, $about:literal, $of:literal) => {
        concat!(
            "SELECT a.audit_id, a.at, a.name, a.address, a.action, a.subject, coalesce(a.status, (
                    SELECT min(o.status) FROM audit o WHERE o.account_id = $1 AND o.outcome_of = a.audit_id)) AS status, (
                    SELECT CAST(coalesce(max(octet_length(o.changes)), 0) AS integer) FROM audit o
                     WHERE o.account_id = $1 AND o.outcome_of = a.audit_id) AS size, (
                    SELECT max(r.docid) FROM audit_recipient p", $about, " CROSS JOIN recipient r
                     WHERE p.account_id = $1 AND p.subject = a.subject
                       AND r.account_id = p.account_id AND r.docid = p.docid AND r.phone IS NOT NULL) AS docid
               FROM audit a", $by, "
              WHERE a.account_id = $1 AND a.audit_id < $2 AND a.outcome_of IS NULL AND a.at >= $4 AND a.at < $5
                AND a.name = coalesce($6, a.name) AND (a.action LIKE $7 OR a.action LIKE $8 OR a.action LIKE $9) ",
            $of,
            " ORDER BY a.audit_id DESC LIMIT $3"
        )
    };
}

/// Docids in rows of programs before schema 26.
const DOCIDS: &Statement = statement!(
    "SELECT DISTINCT subject FROM audit
      WHERE account_id = $1 AND action LIKE 'recipient.%' AND subject <> '' AND subject NOT LIKE $2 LIMIT $3"
);
/// Puts what stands for a docid where they have it. Their seals hold without the salt.
pub(crate) const HASH_SUBJECT: &Statement = statement!(
    "UPDATE audit SET subject = $3, salt = NULL WHERE account_id = $1 AND subject = $2 AND action LIKE 'recipient.%'"
);
/// The pattern of what stands for docids.
const STANDS_IN: &str = "\u{1}%";
/// The lowest number of a program that writes no docid.
const WRITES_NONE: i64 = 26;
/// Rows in which it is looked who is in the log.
const NEWEST: i64 = 10_000;
/// Docids that are hashed, and people who are forgotten, at once.
const AT_ONCE: i64 = 500;

/// With which imports somebody was erased.
const ERASED_WITH: &Statement =
    statement!("SELECT batch_id FROM audit_erased WHERE account_id = $1 AND subject = $2");

const ROWS: &Statement = rows!("");
const ROWS_OF: &Statement = rows!(" INDEXED BY audit_subject", "AND a.subject = $10");
const ERASURES_OF: &Statement = rows!(
    " INDEXED BY audit_subject",
    "AND a.subject = $10 AND a.action = 'import.erase'"
);
/// Those of a key, a form, a campaign or a share that begin with it and say more, such as that of its making. It may be what somebody
/// typed, so it is no pattern.
const ROWS_OF_MADE: &Statement = rows!(
    " INDEXED BY audit_action",
    "AND a.action IN ('key.create', 'form.create', 'campaign.create', 'share.create', 'share.withdraw')
     AND substr(a.subject, 1, length($10) + 1) = $10 || ' '"
);

batch_row! {
    /// A row, by its account and its id.
    struct RowKey {
        account_id: Uuid,
        audit_id: Uuid,
    }
}

const NOTE_OUTCOME: &Statement = statement!(
    "INSERT INTO audit (account_id, audit_id, at, name, address, action, subject, status, outcome_of, changes)
     SELECT account_id, $3, $4, name, address, action, subject, $5, audit_id, $6
       FROM audit WHERE account_id = $1 AND audit_id = $2"
);

/// The last time that an import's recipients were to be erased.
const ERASURE: &Statement = statement!(
    "SELECT audit_id FROM audit WHERE account_id = $1 AND subject = $2 AND action = 'import.erase' AND outcome_of IS NULL
      ORDER BY audit_id DESC LIMIT 1"
);

/// What changes made, by the rows of what was tried.
const CHANGES: &BatchStatement<RowKey> = statement!(RowKey:
    "SELECT a.outcome_of AS audit_id, a.changes FROM batch
       JOIN audit a ON a.account_id = batch.account_id AND a.outcome_of = batch.audit_id WHERE a.changes IS NOT NULL"
);

/// The HTTP status of what is done.
const DONE: u16 = 200;
/// The lowest number of a program that seals rows with what changed.
const SEALS_CHANGES: i64 = 28;

#[derive(FromQueryResult)]
struct StoredChanges {
    audit_id: Uuid,
    changes: JsonText<Changes>,
}

/// A row without what it changed.
#[derive(FromQueryResult)]
struct ListedRow {
    audit_id: Uuid,
    at: DateTime<Utc>,
    name: String,
    address: String,
    action: String,
    subject: String,
    docid: Option<String>,
    status: Option<i16>,
    /// Bytes of what it changed.
    size: i32,
}

/// Which rows of an audit log; all by default.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Of this moment, or later.
    pub from: Option<DateTime<Utc>>,
    /// Before this moment.
    pub until: Option<DateTime<Utc>>,
    /// Of a person or a key; empty: of the command line.
    pub name: Option<String>,
    /// Patterns, as of `LIKE`, of which an action has one.
    pub actions: Option<[&'static str; 3]>,
    /// What it was done to is one of these; empty: anything.
    pub subjects: Vec<String>,
    /// Of these imports also the erasures of their recipients.
    pub erased_with: Vec<Uuid>,
}

/// What somebody changed, exported or saw.
#[derive(Clone, Debug, Serialize)]
pub struct AuditRow {
    pub audit_id: Uuid,
    pub at: DateTime<Utc>,
    /// Of a person or, such as `fk_…`, of a key; empty: it came through the command line.
    pub name: String,
    /// The network that it was asked from.
    pub address: String,
    pub action: String,
    /// What it was done to; of a recipient U+0001 and a hash.
    pub subject: String,
    /// Of a recipient who is stored: for pages alone.
    #[serde(skip)]
    pub docid: Option<String>,
    /// The HTTP status that it came to; `None`: not known.
    pub status: Option<i16>,
    /// Of a form, a campaign or settings.
    #[serde(flatten)]
    pub changes: Changes,
}

impl ListedRow {
    fn with(self, changes: Changes) -> AuditRow {
        AuditRow {
            audit_id: self.audit_id,
            at: self.at,
            name: self.name,
            address: self.address,
            action: self.action,
            subject: self.subject,
            docid: self.docid,
            status: self.status,
            changes,
        }
    }
}

impl Store {
    /// Notes what somebody is about to do, `who` with the network that they ask from; what it came to is told to
    /// [`Self::note_outcome`]. Both are empty for the command line.
    ///
    /// # Errors
    /// [`Error::AccountEnded`].
    pub async fn note_change(
        &self,
        account_id: Uuid,
        (who, address): (&str, &str),
        action: &str,
        subject: &str,
    ) -> Result<Uuid, Error> {
        self.add_row(account_id, (who, address), (action, subject), None)
            .await
    }

    /// Notes in one row what was done already, and the HTTP status that it came to.
    pub async fn note_done(
        &self,
        account_id: Uuid,
        by: (&str, &str),
        what: (&str, &str),
        status: u16,
    ) -> Result<(), Error> {
        let row = self.add_row(account_id, by, what, Some(status));
        row.await.map(drop)
    }

    async fn add_row(
        &self,
        account_id: Uuid,
        (who, address): (&str, &str),
        (action, subject): (&str, &str),
        status: Option<u16>,
    ) -> Result<Uuid, Error> {
        let audit_id = Uuid::now_v7();
        let status = status.map(i16::try_from).transpose();
        let entry = audit::Model {
            account_id,
            audit_id,
            at: Utc::now().trunc_subsecs(6),
            name: who.to_owned(),
            address: address.to_owned(),
            action: action.to_owned(),
            subject: subject.to_owned(),
            status: status.map_err(Error::broken)?,
            outcome_of: None,
            changes: None,
            seal: None,
            salt: None,
            subject_hash: None,
        };
        self.note_work(account_id).await?;
        let added = self.insert(entry).await;
        added.map_err(Error::ended_with_its_account)?;
        Ok(audit_id)
    }

    /// Whether somebody has done this to that since a moment.
    pub async fn has_done(
        &self,
        account_id: Uuid,
        who: &str,
        (action, subject): (&str, &str),
        since: DateTime<Utc>,
    ) -> Result<bool, Error> {
        let row = statement!(
            "SELECT audit_id FROM audit
              WHERE account_id = $1 AND action = $2 AND name = $3 AND subject = $4 AND at >= $5 LIMIT 1"
        );
        let values = values![account_id, action, who, subject, since];
        let row: Option<Uuid> = self.fetch_value(row, values).await?;
        Ok(row.is_some())
    }

    /// Notes the HTTP status that a change came to, in a row of its own.
    pub async fn note_outcome(
        &self,
        account_id: Uuid,
        audit_id: Uuid,
        status: u16,
    ) -> Result<(), Error> {
        let none = Changes::default();
        self.note_changes(account_id, audit_id, status, &none).await
    }

    /// The same with what it changed, unless programs are admitted that seal rows without it.
    pub async fn note_changes(
        &self,
        account_id: Uuid,
        audit_id: Uuid,
        status: u16,
        changes: &Changes,
    ) -> Result<(), Error> {
        // That something was done is noted in any case.
        let are_kept = !changes.is_empty() && self.seals_changes().await.unwrap_or(false);
        let changes = changes_text(changes, are_kept)?;
        let values = outcome(account_id, audit_id, status, changes)?;
        self.execute(NOTE_OUTCOME, values).await.map(drop)
    }

    /// What stands for a recipient in the audit log. As long as the recipient is stored it leads to the docid.
    pub async fn audit_recipient(
        &self,
        account_id: Uuid,
        docid: &str,
        pepper: Option<&Pepper>,
    ) -> Result<String, Error> {
        let subject = self.stand_ins(pepper).await?.of(account_id, docid);
        let tx = self.begin().await?;
        // Nobody erases them meanwhile.
        let stored = statement!(
            lock "FOR KEY SHARE":
            "SELECT docid FROM recipient WHERE account_id = $1 AND docid = $2 AND phone IS NOT NULL"
        );
        let stored: Option<String> = tx.fetch_value(stored, values![account_id, docid]).await?;
        if let Some(docid) = stored {
            let subject = subject.clone();
            tx.insert_new(audit_recipient::Model {
                account_id,
                docid,
                subject,
            })
            .await?;
            tx.commit_surely().await?;
        }
        Ok(subject)
    }

    /// Puts what stands for recipients where rows have their docids, of all rows. Whether there may be more: also as long as programs
    /// are admitted that write such rows.
    ///
    /// # Errors
    /// The first of an account, once there are none of the others. Doing it again is safe.
    pub async fn hash_audit(&self, pepper: Option<&Pepper>) -> Result<bool, Error> {
        if !self.snapshot().await?.admits_only_from(WRITES_NONE).await? {
            return Ok(true);
        }
        let (mut done, mut were_some) = (Ok(()), false);
        for (account_id, _) in self.accounts().await? {
            let hashed = self.hash_audit_of(account_id, pepper).await;
            done = done.and(hashed.map(|has_some| were_some |= has_some));
        }
        done.map(|()| were_some)
    }

    /// Those of an account. Whether it had any.
    async fn hash_audit_of(
        &self,
        account_id: Uuid,
        pepper: Option<&Pepper>,
    ) -> Result<bool, Error> {
        let mut has_some = false;
        loop {
            let some = values![account_id, STANDS_IN, AT_ONCE];
            let docids: Vec<String> = self.fetch_values(DOCIDS, some).await?;
            has_some |= !docids.is_empty();
            let is_last = i64::try_from(docids.len()) != Ok(AT_ONCE);
            for docid in docids {
                let subject = self.audit_recipient(account_id, &docid, pepper).await?;
                self.execute(HASH_SUBJECT, values![account_id, docid, subject])
                    .await?;
            }
            if is_last {
                return Ok(has_some);
            }
        }
    }

    /// All that may stand for a recipient in the audit log, stored or not: of before schema 26 the docid.
    pub async fn audit_subjects(
        &self,
        account_id: Uuid,
        docid: &str,
        pepper: Option<&Pepper>,
    ) -> Result<Vec<String>, Error> {
        let own = self.docid_key().await?.erased_docid(account_id, docid);
        let mut subjects = vec![own, docid.to_owned()];
        if let Some(pepper) = pepper {
            subjects.extend(pepper.erased_docids(account_id, docid));
        }
        Ok(subjects)
    }

    /// The imports with which somebody was erased, by what may stand for them.
    pub async fn erased_with(
        &self,
        account_id: Uuid,
        subjects: &[String],
    ) -> Result<Vec<Uuid>, Error> {
        let mut batches = Vec::new();
        for subject in subjects {
            let found = values![account_id, subject.as_str()];
            batches.extend(self.fetch_values::<Uuid>(ERASED_WITH, found).await?);
        }
        batches.sort_unstable();
        batches.dedup();
        Ok(batches)
    }

    /// Everybody whom the newest 10,000 rows of an account's audit log have, as it names them. All rows would be read one by one: no index
    /// has their names.
    pub async fn audit_names(&self, account_id: Uuid) -> Result<Vec<String>, Error> {
        let names = statement!(
            "SELECT DISTINCT name FROM (
                    SELECT name FROM audit WHERE account_id = $1 ORDER BY audit_id DESC LIMIT $2) AS newest"
        );
        self.fetch_values(names, values![account_id, NEWEST]).await
    }

    /// The moment of the first row of an account's audit log.
    pub async fn audit_began(&self, account_id: Uuid) -> Result<Option<DateTime<Utc>>, Error> {
        let first =
            statement!("SELECT at FROM audit WHERE account_id = $1 ORDER BY audit_id LIMIT 1");
        self.fetch_value(first, values![account_id]).await
    }

    /// A page of an account's audit log, newest first, after this position. Only what its rows changed is read.
    pub async fn audit(
        &self,
        account_id: Uuid,
        filter: &AuditFilter,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<ListPage<AuditRow>, Error> {
        let more = i64::try_from(limit).map_err(Error::broken)? + 1;
        let from = filter.from.unwrap_or(DateTime::UNIX_EPOCH);
        let until = filter.until.or_else(|| DateTime::from_timestamp(LAST, 0));
        let [one, two, three] = filter.actions.unwrap_or(["%"; 3]);
        let values = || {
            values![
                account_id,
                after.unwrap_or(Uuid::max()),
                more,
                from,
                until.unwrap_or_else(Utc::now),
                filter.name.clone(),
                one,
                two,
                three
            ]
        };
        let mut rows: Vec<ListedRow> = if filter.subjects.is_empty() {
            self.fetch_all(ROWS, values()).await?
        } else {
            let mut rows = Vec::new();
            for subject in &filter.subjects {
                let mut values = values();
                values.push(subject.as_str().into());
                if subject.starts_with("fk_") || subject.parse::<Uuid>().is_ok() {
                    let made = self.fetch_all::<ListedRow>(ROWS_OF_MADE, values.clone());
                    rows.extend(made.await?);
                }
                rows.extend(self.fetch_all::<ListedRow>(ROWS_OF, values).await?);
            }
            for batch_id in &filter.erased_with {
                let mut values = values();
                values.push(batch_id.to_string().into());
                rows.extend(self.fetch_all::<ListedRow>(ERASURES_OF, values).await?);
            }
            rows.sort_unstable_by_key(|row| Reverse(row.audit_id));
            rows.truncate(limit + 1);
            rows
        };
        let sizes: Vec<i32> = rows.iter().map(|row| row.size).collect();
        let fitting = rows_that_fit(&sizes, PAGE_BYTES);
        let has_more = fitting < rows.len();
        rows.truncate(fitting.min(limit + 1));
        let rows = self.with_changes(account_id, rows).await?;
        Ok(ListPage::new(rows, limit, has_more, |row| row.audit_id))
    }

    /// Rows with what they changed.
    async fn with_changes(
        &self,
        account_id: Uuid,
        rows: Vec<ListedRow>,
    ) -> Result<Vec<AuditRow>, Error> {
        let keys = rows.iter().filter(|row| row.size > 0);
        let keys: Vec<_> = keys
            .map(|row| RowKey {
                account_id,
                audit_id: row.audit_id,
            })
            .collect();
        let found: Vec<StoredChanges> = match &keys[..] {
            [] => Vec::new(),
            _ => self.snapshot().await?.fetch_batch(CHANGES, keys).await?,
        };
        let found = found.into_iter().map(|row| (row.audit_id, row.changes.0));
        let mut found: HashMap<_, _> = found.collect();
        let rows = rows.into_iter().map(|row| {
            let changes = found.remove(&row.audit_id).unwrap_or_default();
            row.with(changes)
        });
        Ok(rows.collect())
    }
}

impl Store {
    async fn seals_changes(&self) -> Result<bool, Error> {
        self.snapshot().await?.seals_changes().await
    }
}

impl Tx {
    /// Whether all programs that are admitted seal what rows changed.
    async fn seals_changes(&self) -> Result<bool, Error> {
        self.admits_only_from(SEALS_CHANGES).await
    }

    /// Notes that all recipients of an import are erased who were to be, and how many these were.
    pub(crate) async fn note_erased(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
        erased: i64,
    ) -> Result<(), Error> {
        let asked = values![account_id, batch_id.to_string()];
        let asked: Option<Uuid> = self.fetch_value(ERASURE, asked).await?;
        let Some(audit_id) = asked else {
            return Ok(());
        };
        let changes = Changes::of_new(&json!({"erased": erased}));
        let changes = changes_text(&changes, self.seals_changes().await?)?;
        let values = outcome(account_id, audit_id, DONE, changes)?;
        self.execute(NOTE_OUTCOME, values).await.map(drop)
    }

    /// Drops some of who was erased with an import before a moment. Whether there were any.
    pub(crate) async fn drop_erased(
        &self,
        account_id: Uuid,
        before: DateTime<Utc>,
    ) -> Result<bool, Error> {
        let drop = statement!(
            "DELETE FROM audit_erased WHERE account_id = $1 AND (subject, batch_id) IN (
                SELECT subject, batch_id FROM audit_erased WHERE account_id = $1 AND erased_at < $2
                 ORDER BY erased_at LIMIT $3)"
        );
        Ok(self
            .execute(drop, values![account_id, before, AT_ONCE])
            .await?
            > 0)
    }
}

/// What changed as it is stored, where that may be.
fn changes_text(changes: &Changes, are_kept: bool) -> Result<Option<String>, Error> {
    let changes = are_kept.then(|| serde_json::to_string(changes));
    changes.transpose().map_err(Error::broken)
}

/// The values of [`NOTE_OUTCOME`].
fn outcome(
    account_id: Uuid,
    audit_id: Uuid,
    status: u16,
    changes: Option<String>,
) -> Result<Vec<sea_orm::Value>, Error> {
    let status = i16::try_from(status).map_err(Error::broken)?;
    let at = Utc::now().trunc_subsecs(6);
    Ok(values![
        account_id,
        audit_id,
        Uuid::now_v7(),
        at,
        status,
        changes
    ])
}
