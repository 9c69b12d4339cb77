//! Every region's numbers are taken: the example mobile numbers of libphonenumber, through its Python port.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tests::app::App;
use tests::check;
use tests::tools::{Tool, own};
use tests::wait::SOON;

#[tokio::test]
async fn every_example_mobile_number_of_libphonenumber_is_accepted() -> Result<()> {
    let app = App::start().await?;
    let printed = Tool::python("python")?
        .args([own("python/example_numbers.py")])
        .run_in(app.folder(), Duration::from_mins(1))
        .await?;
    let all: Vec<Value> = printed
        .lines()
        .map(|line| {
            let (region, phone) = line.split_once(' ').unwrap_or_default();
            json!({"docid": format!("{region} {phone}"), "phone": phone, "region": region})
        })
        .collect();
    ensure!(all.len() > 200, "only {} numbers: {printed}", all.len());
    let client = app.client().await?;
    let accepted = client.import(&all).await?;
    ensure!(accepted.body["rejected"] == 0, "{}", accepted.body);
    client.completed(&accepted.batch_id, SOON).await?;
    check::stored(&client, &all, &accepted.batch_id).await
}
