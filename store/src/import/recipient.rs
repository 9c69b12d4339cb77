//! Recipients as their account sees them, one or a page of them.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use indexmap::IndexMap;
use sea_orm::{QueryResult, Value};
use serde::Serialize;
use uuid::Uuid;

use super::bulk::columns::{VALUES, join};
use crate::tx::{Sql, get, json, values};
use crate::{Error, ListPage, Store};

/// Leaves a row without a person, whatever a record says of one.
pub(crate) static ERASE: LazyLock<String> = LazyLock::new(|| {
    let erased = join(VALUES, ", ", |column| format!("{} = NULL", column.name));
    format!(
        "UPDATE recipient SET {erased}, batch_id = NULL, updated_at = $3 WHERE account_id = $1 AND docid = $2"
    )
});

/// A stored recipient.
#[derive(Clone, Debug, Serialize)]
pub struct Recipient {
    pub docid: String,
    pub phone: String,
    /// Tracking fields.
    pub fields: serde_json::Value,
    /// The batch whose values stand.
    pub batch_id: Uuid,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Which recipients of an account.
#[derive(Clone, Debug, Default)]
pub struct RecipientQuery {
    /// The batches of which one has the values that stand.
    pub batch_ids: Option<Vec<Uuid>>,
    pub created_from: Option<DateTime<Utc>>,
    pub created_to: Option<DateTime<Utc>>,
    /// Tracking fields, all of which it has.
    pub fields: IndexMap<String, String>,
}

/// Recipients that are looked at in one statement, and for one page.
const SLICE: i64 = 2_000;
const MAX_LOOKED_AT: i64 = 10 * SLICE;

impl RecipientQuery {
    /// The condition with parameters from $5 on, and their values.
    pub(crate) fn condition(&self, is_sqlite: bool) -> (String, Vec<Value>) {
        let mut condition = String::new();
        let mut values: Vec<Value> = Vec::new();
        let mut and = |text: &str, value: Value| {
            values.push(value);
            let place = format!("${}", values.len() + 4);
            condition.push_str(" AND ");
            condition.push_str(&text.replace("$?", &place));
        };
        match &self.batch_ids {
            Some(ids) if is_sqlite => {
                let ids: Vec<String> = ids.iter().map(|id| id.simple().to_string()).collect();
                let ids = serde_json::json!(ids).to_string();
                and(
                    "batch_id IN (SELECT unhex(value) FROM json_each($?))",
                    ids.into(),
                );
            }
            Some(ids) => and("batch_id = ANY($?)", ids.clone().into()),
            None => {}
        }
        if let Some(from) = self.created_from {
            and("created_at >= $?", from.into());
        }
        if let Some(to) = self.created_to {
            and("created_at <= $?", to.into());
        }
        for (name, value) in &self.fields {
            // A name of its own parameter: any text is a tracking field's name.
            let pair = serde_json::json!({ name: value }).to_string();
            let has = if is_sqlite {
                "EXISTS (SELECT 1 FROM json_each($?) w JOIN json_each(fields) f ON f.key = w.key AND f.value = w.value)"
            } else {
                "fields @> CAST($? AS jsonb)"
            };
            and(has, pair.into());
        }
        (condition, values)
    }
}

fn recipient_of(row: &QueryResult) -> Result<Recipient, Error> {
    Ok(Recipient {
        docid: get(row, "docid")?,
        phone: get(row, "phone")?,
        fields: json(row, "fields")?,
        batch_id: get(row, "batch_id")?,
        created_at: get(row, "created_at")?,
        updated_at: get(row, "updated_at")?,
    })
}

impl Store {
    /// A page of recipients in the order of their docids, of those after a docid. It ends at `limit`, at about so many
    /// bytes or where many were looked at.
    pub async fn recipients(
        &self,
        account_id: Uuid,
        query: &RecipientQuery,
        after: Option<String>,
        (limit, bytes): (usize, usize),
    ) -> Result<ListPage<Recipient, String>, Error> {
        let (condition, of_query) = query.condition(self.is_sqlite());
        // Fields can be large, so those that do not fit are not read: of each row it is known how long those before it are.
        let slice = format!(
            "SELECT docid, batch_id, created_at, updated_at, found,
                    CASE WHEN found AND until - length(fields) < $4 THEN phone END AS phone,
                    CASE WHEN found AND until - length(fields) < $4 THEN fields END AS fields
               FROM (SELECT s.*, sum(CASE WHEN found THEN length(fields) ELSE 0 END) OVER (ORDER BY docid) AS until
                       FROM (SELECT docid, phone, CAST(fields AS text) AS fields, batch_id, created_at, updated_at,
                                    (phone IS NOT NULL {condition}) AS found
                               FROM recipient WHERE account_id = $1 AND docid > $2 ORDER BY docid LIMIT $3) s) s
              ORDER BY docid"
        );
        let next = Some(after.unwrap_or_default());
        let rows = Vec::new();
        let (mut page, mut left, mut looked_at) = (ListPage { rows, next }, bytes, 0);
        while looked_at < MAX_LOOKED_AT {
            let bytes = i64::try_from(left).unwrap_or(i64::MAX);
            let mut given = values![account_id, page.next.clone(), SLICE, bytes];
            given.extend(of_query.iter().cloned());
            let rows = self.rows(slice.as_str(), given).await?;
            for row in &rows {
                let fits = get::<Option<String>>(row, "phone")?.is_some();
                if get(row, "found")? && (!fits || page.rows.len() == limit) {
                    return Ok(page);
                }
                page.next = Some(get(row, "docid")?);
                if fits {
                    left = left.saturating_sub(get::<String>(row, "fields")?.len());
                    page.rows.push(recipient_of(row)?);
                }
            }
            if rows.len() < usize::try_from(SLICE).unwrap_or(usize::MAX) {
                page.next = None;
                break;
            }
            looked_at += SLICE;
        }
        Ok(page)
    }

    /// The recipient of a docid.
    pub async fn recipient(
        &self,
        account_id: Uuid,
        docid: &str,
    ) -> Result<Option<Recipient>, Error> {
        let row =
            "SELECT docid, phone, CAST(fields AS text) AS fields, batch_id, created_at, updated_at
           FROM recipient WHERE account_id = $1 AND docid = $2 AND phone IS NOT NULL";
        let row = self.row(row, values![account_id, docid]).await?;
        row.as_ref().map(recipient_of).transpose()
    }
}
