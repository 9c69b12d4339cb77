//! The first start of the embedded service, and its files. Servers are for operators, who make keys and databases themselves.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Result, ensure};
use serde_json::Value;
use tests::app::App;
use tests::import::records;
use tests::wait::{SOON, eventually};

#[tokio::test]
async fn the_first_start_makes_a_key_and_the_second_does_not() -> Result<()> {
    let mut app = App::start().await?;
    let path = app.folder().join("data/first-key.json");
    let key: Value = eventually(SOON, async || {
        Ok(serde_json::from_slice(&fs::read(&path)?)?)
    })
    .await?;
    let mode = fs::metadata(&path)?.permissions().mode();
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

#[tokio::test]
async fn files_are_their_owner_s_alone_and_a_clean_end_leaves_no_log() -> Result<()> {
    let mut app = App::start().await?;
    let client = app.client().await?;
    client.import_and_wait(&records("A", 20, "1"), SOON).await?;
    let data = app.folder().join("data");
    let files = || {
        let files = fs::read_dir(&data)?.collect::<Result<Vec<_>, _>>()?;
        let files = files.into_iter().map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            Ok((name, file.metadata()?.permissions().mode() & 0o777))
        });
        files.collect::<Result<Vec<_>>>()
    };
    let is_log = |(name, _): &(String, u32)| name.ends_with("-wal");
    let running = files()?;
    ensure!(running.iter().any(is_log), "no log: {running:?}");
    ensure!(
        running.iter().all(|(_, mode)| *mode == 0o600),
        "others may read: {running:?}"
    );
    let status = app.api()?.stop().await?;
    ensure!(status.code() == Some(0), "ended with {status}");
    let ended = files()?;
    ensure!(!ended.iter().any(is_log), "a log is left: {ended:?}");
    Ok(())
}
