//! The audit log: it is sealed, and verified by a command.

use anyhow::{Result, ensure};
use tests::app::App;
use tests::wait::{SOON, eventually};

/// The command that verifies the log of one account.
const VERIFY: [&str; 4] = ["audit", "verify", "--account", "shop"];

#[tokio::test]
async fn what_is_sealed_within_seconds_cannot_be_changed_unseen() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    eventually(SOON, async || {
        let output = app.cli(&VERIFY).await?;
        let told = String::from_utf8_lossy(&output.stderr);
        let is_sealed = told.contains("shop: 2 rows as they were sealed");
        ensure!(output.status.success() && is_sealed, "{output:?}");
        Ok(())
    })
    .await?;
    app.sql("UPDATE audit SET action = 'key.revoke' WHERE outcome_of IS NULL")
        .await?;
    let output = app.cli(&VERIFY).await?;
    let listed = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.code() == Some(1), "{output:?}");
    ensure!(listed.contains("row_changed"), "{output:?}");
    app.refuses(
        &["audit", "verify", "--account", "nobody"],
        "there is no account",
    )
    .await
}
