//! The first start of the embedded service. Servers are for operators, who make keys themselves.

use anyhow::{Result, ensure};
use serde_json::Value;
use tests::app::App;
use tests::wait::{SOON, eventually};

#[tokio::test]
async fn the_first_start_makes_a_key_and_the_second_does_not() -> Result<()> {
    let mut app = App::start().await?;
    let path = app.folder().join("data/first-key.json");
    let key: Value = eventually(SOON, async || {
        Ok(serde_json::from_slice(&std::fs::read(&path)?)?)
    })
    .await?;
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path)?.permissions());
    ensure!(mode & 0o777 == 0o600, "mode {mode:o}");
    let call = app
        .anonymous()?
        .call(reqwest::Method::GET, tests::import::IMPORT);
    call.header("x-api-key", key["api_key"].as_str().unwrap_or_default())
        .header(
            "x-secret-key",
            key["secret_key"].as_str().unwrap_or_default(),
        )
        .send()
        .await?
        .expect(200)?;
    let before = app.succeeds(&["key", "list"]).await?;
    app.api()?.stop().await?;
    app.api()?.start_again().await?;
    let after = app.succeeds(&["key", "list"]).await?;
    ensure!(
        before.lines().count() == after.lines().count(),
        "another key was made: {after}"
    );
    Ok(())
}
