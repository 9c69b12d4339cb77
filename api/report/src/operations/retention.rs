//! How long an account keeps what it collected: read, set, and looked at before.

use api_http::{Caller, Change, QUICK, Result, within};
use axum::http::StatusCode;
use domain::changes::{Changes, Logged};
use domain::retention::Retention;
use domain::scope::Scope;
use store::retention::{StoredRetention, WouldGo};

const SET: Change = Change::new(Scope::Retention, "account.retention", StatusCode::OK);

/// Reads it.
///
/// # Errors
/// 403; 503.
pub async fn read_retention(caller: &Caller) -> Result<StoredRetention> {
    caller.read(Scope::Retention, stored(caller)).await
}

async fn stored(caller: &Caller) -> Result<StoredRetention> {
    let stored = caller.app.store.retention(caller.account_id());
    Ok(within(QUICK, stored).await?)
}

/// Sets all of it. With fewer days than before nothing goes for a day.
///
/// # Errors
/// 403; 409 `upgrade_unfinished`; 503.
pub async fn set_retention(caller: &Caller, retention: &Retention) -> Result<StoredRetention> {
    let set = async {
        let before = stored(caller).await?.retention;
        let set = caller
            .app
            .store
            .set_retention(caller.account_id(), retention);
        within(QUICK, set).await?;
        let changes = Changes::between(&before.logged(), &retention.logged());
        Ok((stored(caller).await?, changes))
    };
    caller.change_content(SET, &subject(retention), set).await
}

/// What it would delete once it holds.
///
/// # Errors
/// 403; 503.
pub async fn preview_retention(caller: &Caller, retention: &Retention) -> Result<WouldGo> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let would_go = store.would_go(account_id, caller.time_zone(), retention);
    let would_go = async { Ok(within(QUICK, would_go).await?) };
    caller.read(Scope::Retention, would_go).await
}

/// As the audit log has it.
fn subject(retention: &Retention) -> String {
    let Retention {
        answers_days,
        visits_days,
        messages_days,
        audit_days,
    } = retention;
    let kept = [
        ("answers_days", answers_days),
        ("visits_days", visits_days),
        ("messages_days", messages_days),
        ("audit_days", audit_days),
    ];
    let kept = kept.iter().filter_map(|(name, days)| {
        let days = days.as_ref()?;
        Some(format!("{name}={days}"))
    });
    kept.collect::<Vec<_>>().join(" ")
}
