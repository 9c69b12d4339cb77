//! Recipients as their account sees them, one or a page of them.

use chrono::{DateTime, Utc};
use domain::phone;
use entity::recipient;
use indexmap::IndexMap;
use sea_orm::sea_query::extension::postgres::PgExpr;
use sea_orm::sea_query::{Asterisk, Expr, Keyword, Order, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, EntityTrait, ExprTrait, FromQueryResult,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Set,
};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::bulk::columns::VALUES;
use crate::report::pattern_of_all;
use crate::{Error, ListPage, Store, Tx};

/// A stored recipient.
#[derive(Clone, Debug, Default, FromQueryResult, Serialize)]
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

impl Recipient {
    /// The recipient as lists show it: what is personal is masked.
    #[must_use]
    pub fn masked(self) -> Self {
        let phone = phone::masked(&self.phone);
        Self { phone, ..self }
    }
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
    /// The same, whatever the case of their letters.
    pub fields_in_any_case: IndexMap<String, String>,
    pub phone: Option<String>,
    /// What its docid begins with.
    pub docid_prefix: String,
}

/// Recipients that are looked at in one statement, and how many such statements a page takes.
const SLICE: usize = 2_000;
const SLICES: usize = 10;

impl RecipientQuery {
    /// The range of the key in which these are.
    fn docids(&self) -> Condition {
        use recipient::Column;
        if self.docid_prefix.is_empty() {
            return Condition::all();
        }
        Condition::all()
            .add(Column::Docid.gte(self.docid_prefix.as_str()))
            .add_option(behind(&self.docid_prefix).map(|end| Column::Docid.lt(end)))
    }

    /// Which rows of `recipient` have a person and are among these.
    pub(crate) fn condition(&self, database: DbBackend) -> Condition {
        use recipient::Column;
        let batches = self.batch_ids.clone();
        let among = |ids: Vec<Uuid>| match database {
            DbBackend::Sqlite => Column::BatchId.is_in(ids),
            // One parameter, so that the text is the same for any number of batches.
            _ => Column::BatchId.eq_any(ids),
        };
        let condition = Condition::all()
            .add(self.docids())
            .add(Column::Phone.is_not_null())
            .add_option(self.phone.as_ref().map(|phone| Column::Phone.eq(phone)))
            .add_option(batches.map(among))
            .add_option(self.created_from.map(|from| Column::CreatedAt.gte(from)))
            .add_option(self.created_to.map(|to| Column::CreatedAt.lte(to)));
        let fields = self.fields.iter().map(|(name, value)| match database {
            DbBackend::Sqlite => Expr::cust_with_values(
                "EXISTS (SELECT 1 FROM json_each(fields) WHERE key = ? AND value = ?)",
                [name, value],
            ),
            _ => Column::Fields.into_expr().contains(json!({ name: value })),
        });
        let condition = fields.fold(condition, Condition::add);
        let is_sqlite = database == DbBackend::Sqlite;
        let fields = self.fields_in_any_case.iter().map(|(name, value)| {
            let equal = if is_sqlite {
                "EXISTS (SELECT 1 FROM json_each(fields) WHERE key = ? AND trim(value) GLOB ?)"
            } else {
                "coalesce(btrim(fields ->> $1) ~ $2, false)"
            };
            Expr::cust_with_values(equal, [name, &pattern_of_all(value, is_sqlite)])
        });
        fields.fold(condition, Condition::add)
    }
}

/// The first text behind all that begin with this one, in byte order; `None`: there is none.
fn behind(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        if let Some(next) = (last..=char::MAX).nth(1) {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

/// A recipient that was looked at for a page.
#[derive(FromQueryResult)]
struct LookedAt {
    docid: String,
    /// It is among those that are asked for.
    is_found: bool,
    /// `None`: it is not, or does not fit into the page.
    #[sea_orm(nested)]
    recipient: Option<Recipient>,
    /// Of the fields of all that are found so far.
    bytes: i64,
}

impl Tx {
    /// Leaves a recipient's row without a person, whatever a record says of one.
    pub(crate) async fn erase_recipient_row(
        &self,
        account_id: Uuid,
        docid: &str,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let row = recipient::ActiveModel {
            batch_id: Set(None),
            updated_at: Set(now),
            ..Default::default()
        };
        let update = recipient::Entity::update_many()
            .set(row)
            .filter(recipient::Column::AccountId.eq(account_id))
            .filter(recipient::Column::Docid.eq(docid));
        let update = VALUES.iter().fold(update, |update, column| {
            update.col_expr(column.name, Keyword::Null.into())
        });
        update.exec(self).await?;
        Ok(())
    }
}

impl Store {
    /// How many of these docids recipients have.
    pub async fn stored_docids(&self, account_id: Uuid, docids: &[String]) -> Result<u64, Error> {
        use recipient::Column;
        let among = match self.get_database_backend() {
            DbBackend::Sqlite => Column::Docid.is_in(docids.iter().map(String::as_str)),
            _ => Column::Docid.eq_any(docids.iter().cloned()),
        };
        let stored = recipient::Entity::find()
            .filter(Column::AccountId.eq(account_id))
            .filter(Column::Phone.is_not_null())
            .filter(among);
        Ok(stored.count(self).await?)
    }

    /// A page of recipients in the order of their docids, of those after a docid. It ends at `limit`, at about so many
    /// bytes or where many were looked at.
    pub async fn recipients(
        &self,
        account_id: Uuid,
        query: &RecipientQuery,
        after: Option<String>,
        (limit, bytes): (usize, usize),
    ) -> Result<ListPage<Recipient, String>, Error> {
        let next = Some(after.unwrap_or_default());
        let rows = Vec::new();
        let mut page = ListPage { rows, next };
        let mut left = i64::try_from(bytes).unwrap_or(i64::MAX);
        for _ in 0..SLICES {
            let after = page.next.clone().unwrap_or_default();
            let slice = self.look_at(account_id, query, after, left).await?;
            let is_last = slice.len() < SLICE;
            let mut bytes = 0;
            for row in slice {
                let fits = row.recipient.is_some() && page.rows.len() < limit;
                if row.is_found && !fits {
                    return Ok(page);
                }
                page.next = Some(row.docid);
                page.rows.extend(row.recipient);
                bytes = row.bytes;
            }
            if is_last {
                page.next = None;
                break;
            }
            left -= bytes;
        }
        Ok(page)
    }

    /// The next recipients after a docid, in their order. Fields can be large, so those that do not fit into `left` bytes are not
    /// read: of each row it is known how many bytes those before it have.
    async fn look_at(
        &self,
        account_id: Uuid,
        query: &RecipientQuery,
        after: String,
        left: i64,
    ) -> Result<Vec<LookedAt>, Error> {
        use recipient::Column;
        let database = self.get_database_backend();
        let slice = recipient::Entity::find()
            .expr_as(query.condition(database), "is_found")
            .filter(Column::AccountId.eq(account_id))
            .filter(Column::Docid.gt(after))
            .filter(query.docids())
            .order_by_asc(Column::Docid)
            .limit(SLICE as u64);
        // Of those alone that are found: most of what a search looks at is not.
        let size = "CASE WHEN is_found THEN octet_length(CAST(fields AS text)) ELSE 0 END";
        let slice = Query::select()
            .column(Asterisk)
            .expr_as(Expr::cust(size), "size")
            .from_subquery(slice.into_query(), "slice")
            .take();
        let bytes = "sum(size) OVER (ORDER BY docid)";
        let slice = Query::select()
            .column(Asterisk)
            .expr_as(Expr::cust(bytes), "bytes")
            .from_subquery(slice, "slice")
            .take();
        let mut fitting = Query::select();
        fitting
            .columns([
                "docid",
                "batch_id",
                "created_at",
                "updated_at",
                "is_found",
                "bytes",
            ])
            .from_subquery(slice, "slice")
            .order_by("docid", Order::Asc);
        for column in VALUES {
            let fits = Expr::cust("bytes - size").lt(left);
            let if_fits = Expr::case(Expr::col("is_found").and(fits), Expr::col(column.name));
            fitting.expr_as(if_fits, column.name);
        }
        let rows = LookedAt::find_by_statement(database.build(&fitting));
        Ok(rows.all(self).await?)
    }

    /// The recipient of a docid.
    pub async fn recipient(
        &self,
        account_id: Uuid,
        docid: &str,
    ) -> Result<Option<Recipient>, Error> {
        let row = recipient::Entity::find_by_id((account_id, docid.to_owned()))
            .filter(recipient::Column::Phone.is_not_null());
        Ok(row.into_model().one(self).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_with_a_text_ends_before_the_one_behind_it() {
        let last = char::MAX.to_string();
        for (prefix, end) in [
            ("a", Some("b")),
            ("A-1", Some("A-2")),
            ("ä\u{d7ff}", Some("ä\u{e000}")),
            (&format!("a{last}"), Some("b")),
            (&last, None),
        ] {
            assert_eq!(behind(prefix).as_deref(), end, "{prefix}");
        }
    }
}
