//! Whom a campaign is for, as far as recipients of the account are asked for: in the order of their docids, slice by slice.

use chrono::{DateTime, Utc};
use domain::campaign::Audience;
use entity::recipient;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect};
use uuid::Uuid;

use crate::Result;
use crate::import::RecipientQuery;
use crate::tx::Sql;

/// A recipient of an account.
#[derive(FromQueryResult)]
pub(super) struct PlannedRecipient {
    pub(super) docid: String,
    /// `None`: it is not of the audience.
    pub(super) phone: Option<String>,
    /// One more column: the time zone, or all fields as JSON.
    pub(super) more: Option<String>,
}

/// Which recipients are looked at, in the order of their docids.
pub(super) struct AudienceSlice<'a> {
    pub(super) account_id: Uuid,
    /// The docid after which they begin.
    pub(super) after: &'a str,
    pub(super) limit: u64,
    /// The moment at which they have to be of the audience.
    pub(super) at: DateTime<Utc>,
}

/// Recipients, each with one more column; a phone have only those who are of the audience.
pub(super) async fn audience(
    database: &impl Sql,
    audience: &Audience,
    column: &'static str,
    slice: AudienceSlice<'_>,
) -> Result<Vec<PlannedRecipient>> {
    let query = match audience.clone() {
        // Its recipients come with imports.
        Audience::OnImport { .. } => return Ok(vec![]),
        Audience::Batches { batch_ids } => RecipientQuery {
            batch_ids: Some(batch_ids),
            ..RecipientQuery::default()
        },
        Audience::Recipients {
            created_from,
            created_to,
            fields,
        } => RecipientQuery {
            created_from,
            created_to,
            fields,
            ..RecipientQuery::default()
        },
    };
    let matches = query.condition(database.get_database_backend());
    let matches = matches.add(recipient::Column::CreatedAt.lte(slice.at));
    let slice = recipient::Entity::find()
        .select_only()
        .column(recipient::Column::Docid)
        .expr_as(
            Expr::case(matches, recipient::Column::Phone.into_expr()),
            "phone",
        )
        .expr_as(Expr::cust(column), "more")
        .filter(recipient::Column::AccountId.eq(slice.account_id))
        .filter(recipient::Column::Docid.gt(slice.after))
        .order_by_asc(recipient::Column::Docid)
        .limit(slice.limit);
    Ok(slice.into_model().all(database).await?)
}
