//! What one account sends is not felt by another.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use tests::app::App;
use tests::client::{Answer, Client};
use tests::import::{Accepted, IMPORT, JSON, record, records, zstd};
use tests::upload::{Pace, Upload};
use tests::wait::LATER;

/// Without an end that a test would see.
const ENDLESS: usize = 1_000_000;

fn upload(client: &Client, at_once: usize, rate: usize) -> Upload {
    let pace = Pace {
        at_once,
        rate,
        records: ENDLESS,
    };
    Upload::start(client, "slow", pace)
}

/// Sixty thousand records of the witness are accepted, and stored.
async fn imports(witness: &Client) -> Result<()> {
    let batch = witness
        .import_and_wait(&records("W", 60_000, "1"), LATER)
        .await?;
    ensure!(batch["accepted"] == 60_000, "not all: {batch}");
    Ok(())
}

#[tokio::test]
async fn slow_uploads_of_one_account_hold_up_nobody_else() -> Result<()> {
    let app = App::start().await?;
    let (slow, witness) = (app.client().await?, app.client().await?);
    let paces = [(0, 40_000); 4]
        .into_iter()
        .chain([(1_500_000, 110_000); 5]);
    let mut uploads: Vec<_> = paces
        .chain([(0, 1_000)])
        .map(|(at_once, rate)| upload(&slow, at_once, rate))
        .collect();
    for upload in &mut uploads {
        upload.begun().await?;
    }
    imports(&witness).await?;
    ensure!(
        uploads.iter().all(Upload::is_on_its_way),
        "a slow upload was ended"
    );
    Ok(())
}

#[tokio::test]
async fn a_slow_uplink_is_not_refused_while_nobody_waits() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    // Half a minute: far below the minimum throughput, and longer than its time of grace.
    let pace = Pace {
        at_once: 0,
        rate: 1_000,
        records: 350,
    };
    let answer = Upload::start(&client, "A", pace).answer().await?;
    let accepted = Accepted::read(answer)?;
    ensure!(accepted.body["accepted"] == 350, "{}", accepted.body);
    client.completed(&accepted.batch_id, LATER).await?;
    Ok(())
}

#[tokio::test]
async fn an_account_that_uses_up_its_share_is_busy_and_makes_others_hurry() -> Result<()> {
    let app = App::start().await?;
    let (greedy, slow, witness) = (
        app.client().await?,
        app.client().await?,
        app.client().await?,
    );
    let trickle = upload(&slow, 0, 1_000);
    let mut first = upload(&greedy, 16 << 20, 1_000);
    first.begun().await?;
    // It waits for memory that the first keeps for itself.
    let second = upload(&greedy, 16 << 20, 1_000);
    imports(&witness).await?;
    trickle.answer().await?.problem(408, "body_too_slow")?;
    let answer = second.answer().await?;
    answer.problem(503, "busy")?;
    let wait: u32 = answer
        .header("retry-after")
        .context("no Retry-After")?
        .parse()?;
    ensure!(wait > 0, "come back at once");
    ensure!(first.is_on_its_way(), "the first was ended");
    imports(&witness).await
}

/// What an import may cost a process beyond what it has when idle.
const MEMORY: u64 = 96 << 20;
const BROKEN: usize = 10_600;

/// Sends a body of a hundred million bytes that is small on the wire: records of 5,000 problems each, behind `first`.
async fn imports_problems(client: &Client, first: &str) -> Result<Answer> {
    let broken = format!(",{{{}}}", vec![r#""":1"#; 2_500].join(","));
    let body = zstd(format!("[{first}{}]", broken.repeat(BROKEN)).as_bytes())?;
    let call = client.call(Method::POST, IMPORT);
    let call = call.header("content-encoding", "zstd").body(JSON, body);
    call.send().await
}

#[tokio::test]
async fn a_hundred_thousand_problems_are_kept_the_others_counted_and_nobody_waits() -> Result<()> {
    let mut app = App::start().await?;
    let (broken, witness) = (app.client().await?, app.client().await?);
    witness
        .import_and_wait(&records("W", 10, "1"), LATER)
        .await?;
    let idle = app.api()?.process.peak_memory()?;
    let valid = record("A1").to_string();
    let (accepted, refused, ()) = futures::try_join!(
        imports_problems(&broken, &valid),
        imports_problems(&broken, "7"),
        async {
            witness
                .import_and_wait(&records("W", 10, "2"), LATER)
                .await
                .map(drop)
        },
    )?;
    let used = app.api()?.process.peak_memory()?;
    ensure!(used <= idle + MEMORY, "{} MiB more", (used - idle) >> 20);

    // Of each record: two of each member, docid and phone that are missing, and the name that comes twice.
    let problems = BROKEN as u64 * (2 * 2_500 + 3);
    let problem = refused.problem(422, "validation_failed")?;
    ensure!(problem["rejected"] == BROKEN + 1, "{problem}");
    ensure!(
        problem["errors_dropped"] == problems + 1 - 100_000,
        "{problem}"
    );
    let accepted = Accepted::read(accepted)?;
    ensure!(accepted.body["rejected"] == BROKEN, "{}", accepted.body);
    ensure!(
        accepted.body["errors_dropped"] == problems - 100_000,
        "{}",
        accepted.body
    );
    let batch = broken.completed(&accepted.batch_id, LATER).await?;
    ensure!(batch["errors_dropped"] == problems - 100_000, "{batch}");

    let path = format!("{IMPORT}/{}/errors", accepted.batch_id);
    let whole = broken
        .call(Method::GET, &path)
        .header("accept", "text/csv")
        .pass()
        .await?;
    ensure!(whole.lines == 100_001, "{} lines", whole.lines);
    let page = broken
        .get(&format!("{path}?limit=1000"))
        .await?
        .expect(200)?
        .json()?;
    let items = page["items"].as_array().context("no items")?;
    for (number, item) in items.iter().enumerate() {
        ensure!(
            item["index"] == 1 + number / 100,
            "not a hundred of each record: {item}"
        );
    }
    ensure!(items.len() == 1_000, "{} items", items.len());
    Ok(())
}
