//! What an account is called whose end has begun, so that it is known by that.

use entity::account;

use crate::Result;
use crate::tx::{Sql, statement, values};

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
