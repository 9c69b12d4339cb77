//! What an account is called whose end has begun, so that it is known by that.

use entity::account;
use sea_orm::sea_query::LockType;
use sea_orm::{EntityTrait, QuerySelect};
use uuid::Uuid;

use crate::tx::{Sql, statement, values};
use crate::{Result, Tx};

/// Behind the name of an account that ends.
macro_rules! mark {
    () => {
        " (ending)"
    };
}
pub(super) use mark;

/// The name of an account once its end has begun.
pub fn ending(name: &str) -> String {
    format!("{name}{}", mark!())
}

/// The account, whose end does not begin before this transaction is over; `None`: it has begun. Before all else that is locked.
pub(super) async fn keep(tx: &Tx, account_id: Uuid) -> Result<Option<account::Model>> {
    let account = account::Entity::find_by_id(account_id).lock(LockType::Share);
    Ok(match account.one(tx).await? {
        Some(account) if !is_ending(tx, &account).await? => Some(account),
        _ => None,
    })
}

/// Whether the end of an account has begun: it has such a name and, unlike one that was called so by itself, no key. Nor has one
/// that is just being made.
pub(super) async fn is_ending(db: &impl Sql, account: &account::Model) -> Result<bool> {
    let key = statement!("SELECT api_key FROM api_key WHERE account_id = $1 LIMIT 1");
    Ok(account.name.ends_with(mark!())
        && db
            .fetch_value::<String>(key, values![account.account_id])
            .await?
            .is_none())
}
