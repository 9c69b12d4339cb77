//! Previews of what no message holds.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tests::campaign::on_import;
use tests::import::records;
use tests::wait::LATER;

use super::with_demo;

const RECIPIENTS: usize = 200;

#[tokio::test]
async fn a_text_that_its_fields_make_endless_is_too_long_for_everybody() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let mut all = records("A", RECIPIENTS, "1");
    for record in &mut all {
        record["all"] = json!("é".repeat(512));
    }
    client.import_and_wait(&all, LATER).await?;
    for max_parts in [1, 10] {
        let campaign = client.campaign(|form| {
            let mut campaign = on_import(form, "demo");
            campaign["text"] = json!(format!("{{link}} {}", "{all}".repeat(390)));
            campaign["max_parts"] = json!(max_parts);
            campaign
        });
        let campaign = campaign.await?;
        let preview = client.act(&campaign, "preview").await?.expect(200)?;
        let preview: Value = preview.json()?;
        ensure!(
            preview["recipients"] == RECIPIENTS && preview["eligible"] == 0,
            "{preview}"
        );
        let skipped = json!({"too_long": RECIPIENTS});
        ensure!(preview["skipped"] == skipped, "{preview}");
    }
    Ok(())
}
