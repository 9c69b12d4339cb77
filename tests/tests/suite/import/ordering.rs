//! Which value stands: that of the batch accepted last, in whatever order workers run.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use tests::app::App;
use tests::check;
use tests::client::Client;
use tests::import::{Accepted, records};
use tests::wait::{LATER, SOON};

async fn all_completed(client: &Client, batches: &[Accepted]) -> Result<()> {
    for batch in batches {
        client.completed(&batch.batch_id, LATER).await?;
    }
    Ok(())
}

#[tokio::test]
async fn of_ten_batches_at_once_one_stands_whole() -> Result<()> {
    let app = App::setup().apis(2).workers(4).start().await?;
    let client = app.client().await?;
    for round in 0..3 {
        let prefix = format!("R{round}");
        let batches = try_join_all((0..10).map(|number| {
            let api = app.apis.get(number % app.apis.len());
            let client = client.at(api.map_or_else(String::new, tests::app::Service::base));
            let all = records(&prefix, 600, &format!("v{number}"));
            async move { client.import(&all).await }
        }))
        .await?;
        all_completed(&client, &batches).await?;

        let mut batch_ids = BTreeSet::new();
        for number in [0, 1, 299, 300, 598, 599] {
            let docid = format!("{prefix}-{number}");
            let stored = client.recipient(&docid).await?.expect(200)?.json()?;
            batch_ids.insert(stored["batch_id"].as_str().unwrap_or_default().to_owned());
        }
        ensure!(batch_ids.len() == 1, "several batches: {batch_ids:?}");
        let batch_id = batch_ids.first().context("no batch")?;
        let number = batches
            .iter()
            .position(|batch| batch.batch_id == *batch_id)
            .context("an unknown batch stands")?;
        let all = records(&prefix, 600, &format!("v{number}"));
        check::stored(&client, &all, batch_id).await?;
        let batch = client.batch(batch_id).await?;
        ensure!(check::outcome(&batch, "superseded")? == 0, "{batch}");
        let mut created = 0;
        for batch in &batches {
            let batch = client.batch(&batch.batch_id).await?;
            created += check::outcome(&batch, "created")?;
        }
        ensure!(created == 600, "{created} were created, not each once");
    }
    Ok(())
}

#[tokio::test]
async fn of_batches_one_after_the_other_the_last_stands() -> Result<()> {
    let app = App::setup().workers(4).start().await?;
    let client = app.client().await?;
    // Small and large ones take different lanes; the order must hold across them.
    for (round, sizes) in [[300, 300, 300], [6_000, 200, 6_000], [200, 6_000, 50]]
        .into_iter()
        .enumerate()
    {
        let prefix = format!("R{round}");
        let mut batches = Vec::new();
        for number in 0..9 {
            let size = sizes.get(number % 3).copied().unwrap_or_default();
            let all = records(&prefix, size, &format!("v{number}"));
            batches.push(client.import(&all).await?);
        }
        all_completed(&client, &batches).await?;
        let last_of = |smallest: usize| {
            (0..9_usize)
                .rev()
                .find(|number| sizes.get(number % 3).is_some_and(|size| *size > smallest))
        };
        let last = batches.last().context("no batch")?;
        let batch = client.batch(&last.batch_id).await?;
        ensure!(check::outcome(&batch, "superseded")? == 0, "{batch}");
        for number in (0..6_000).step_by(199) {
            let Some(winner) = last_of(number) else {
                continue;
            };
            let all = records(&prefix, number + 1, &format!("v{winner}"));
            let expected = all.get(number..).unwrap_or_default();
            let winner = batches.get(winner).context("no batch")?;
            check::stored(&client, expected, &winner.batch_id).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_same_value_again_between_two_others_changes_nothing_of_the_order() -> Result<()> {
    let app = App::setup().workers(4).start().await?;
    let client = app.client().await?;
    let (one, two) = (records("A", 800, "one"), records("A", 800, "two"));
    let mut batches = Vec::new();
    for all in [&one, &one, &two, &one, &one, &two, &two] {
        batches.push(client.import(all).await?);
    }
    all_completed(&client, &batches).await?;
    let stored = client.recipient("A-5").await?.json()?;
    ensure!(stored["fields"]["version"] == "two", "{stored}");
    let last = batches.last().context("no batch")?;
    let batch = client.batch(&last.batch_id).await?;
    ensure!(check::outcome(&batch, "superseded")? == 0, "{batch}");
    for docid in ["A-0", "A-400", "A-799"] {
        let stored = client.recipient(docid).await?.json()?;
        ensure!(stored["fields"]["version"] == "two", "{stored}");
    }
    Ok(())
}

#[tokio::test]
async fn an_erasure_between_two_imports_takes_only_the_first() -> Result<()> {
    let app = App::setup().workers(4).start().await?;
    let client = app.client().await?;
    let (one, two) = (records("A", 400, "one"), records("A", 200, "two"));
    let first = client.import(&one).await?;
    for number in (0..400).step_by(3) {
        client.erase(&format!("A-{number}")).await?.expect(204)?;
    }
    let second = client.import(&two).await?;
    all_completed(&client, &[first, second.clone()]).await?;
    check::stored(&client, &two, &second.batch_id).await?;
    for number in 200..400 {
        let status = client.recipient(&format!("A-{number}")).await?.status;
        let expected = if number % 3 == 0 { 404 } else { 200 };
        ensure!(status == expected, "A-{number}: {status}, not {expected}");
    }
    let batch = client.import_and_wait(&one, SOON).await?;
    ensure!(check::outcome(&batch, "superseded")? == 0, "{batch}");
    Ok(())
}
