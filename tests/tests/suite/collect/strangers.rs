//! Strangers who are refused do not fill the log.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use serde_json::Value;
use tests::app::App;
use tests::form::short_form;
use tests::wait::{SOON, eventually};

#[tokio::test]
async fn what_strangers_are_refused_has_no_line_in_the_log() -> Result<()> {
    let mut app = App::setup()
        .setting("FEEDBACK_ADDRESS_RATE", "1")
        .setting("RUST_LOG", "info")
        .start()
        .await?;
    let owner = app.client().await?;
    let stranger = app.anonymous()?;
    let unknown = format!("/f/{}", "A".repeat(22));
    let mut refused = BTreeSet::new();
    for path in [
        format!("{unknown}/thanks"),
        format!("{unknown}/stop"),
        "/hooks/demo/unknown/status".to_owned(),
        "/nothing".to_owned(),
        // From no page of the service, and of nobody who is signed in.
        "/dashboard/sign-in".to_owned(),
        "/dashboard/keys".to_owned(),
    ] {
        // Until an address may get nothing wrong any more.
        for _ in 0..30 {
            refused.insert(stranger.post(&path).await?.status);
        }
    }
    ensure!(
        refused == BTreeSet::from([303, 401, 403, 404, 405, 429]),
        "{refused:?}"
    );
    owner.draft(&short_form("After the visit")).await?;
    let api = app.api()?;
    let told = eventually(SOON, async || {
        let log = api.process.log()?;
        let answers = log.lines().filter(|line| line.contains("request answered"));
        let answers = answers.map(serde_json::from_str::<Value>);
        let statuses = answers.map(|line| Ok(line?["span"]["http.response.status_code"].as_u64()));
        let told: BTreeSet<_> = statuses.collect::<Result<_>>()?;
        // All of the others came before.
        ensure!(told.contains(&Some(201)), "not told yet: {told:?}");
        Ok(told)
    })
    .await?;
    ensure!(told.len() == 1, "{told:?}");
    Ok(())
}
