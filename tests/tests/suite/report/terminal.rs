//! `feedback report …`: the same figures in a terminal.

use anyhow::{Result, ensure};
use serde_json::Value;
use tests::app::Keys;
use tests::report::Of;

use super::stage::Stage;
use super::week::{self, WEEK};

async fn printed(stage: &Stage, keys: &Keys, arguments: &[&str]) -> Result<String> {
    let base = stage.owner.base().to_owned();
    let variables = [
        ("FEEDBACK_URL", base.as_str()),
        ("FEEDBACK_API_KEY", &keys.api_key),
        ("FEEDBACK_SECRET_KEY", &keys.secret_key),
    ];
    let output = stage.app.cli_with(arguments, &variables).await?;
    ensure!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}

#[tokio::test]
async fn every_report_is_a_table_and_json_the_same_as_over_http() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    let keys = stage
        .app
        .create_key("shop", &["--scopes", "report"])
        .await?;
    let form_id = week.form["form_id"].as_str().unwrap_or_default();
    let overview = stage.owner.overview(WEEK).await?;
    let arguments = ["report", "overview", WEEK.0, WEEK.1, "--json"];
    let json: Value = serde_json::from_str(&printed(&stage, &keys, &arguments).await?)?;
    ensure!(json == overview, "not the same: {json} {overview}");
    let table = printed(&stage, &keys, &arguments[..4]).await?;
    for text in ["How was your visit?", "PUBLISHED", "11", "7"] {
        ensure!(table.contains(text), "no {text} in {table}");
    }
    for (name, of, texts) in [
        (
            "form",
            Of::Form,
            &["Would you recommend us?", "Shelf B", "Too loud", "=SUM(A1)"][..],
        ),
        ("summary", Of::Summary, &["11", "7", "2026-03-02"]),
        ("feedbacks", Of::Feedbacks, &["Great", "2026-03-08"]),
        ("comments", Of::Comments, &["Great", "Fine"]),
    ] {
        for bus_prop in ["", "store:Berlin"] {
            let mut arguments = vec!["report", name, form_id, WEEK.0, WEEK.1];
            if !bus_prop.is_empty() {
                arguments.extend(["--bus-prop", bus_prop]);
            }
            let table = printed(&stage, &keys, &arguments).await?;
            for text in texts {
                ensure!(
                    table.contains(text) || !bus_prop.is_empty(),
                    "no {text} in {table}"
                );
            }
            arguments.push("--json");
            let json: Value = serde_json::from_str(&printed(&stage, &keys, &arguments).await?)?;
            let report = stage.owner.report(of, &week.form, WEEK, bus_prop).await?;
            ensure!(json == report, "{name}: {json} is not {report}");
        }
    }
    let bad = ["report", "form", form_id, "2026-13-01", "2026-03-08"];
    ensure!(printed(&stage, &keys, &bad).await.is_err(), "no month 13");
    Ok(())
}
