//! The worker that rolls up is killed and started again during a run of answers: each is counted once.
//!
//! `FEEDBACK_TEST_ANSWERS` says how many (3,000 if it does not).

use std::cell::Cell;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::form::form;
use tests::report::Of;
use tests::visitor::Visitor;
use tests::wait::{LATER, eventually};

const WRITERS: usize = 8;
/// Kills while answers come, at even distances.
const KILLS: usize = 10;

/// A tenth of the answers on a slow machine.
const LONGEST: Duration = Duration::from_mins(15);

fn answers() -> Result<usize> {
    match std::env::var("FEEDBACK_TEST_ANSWERS") {
        Ok(text) if !text.is_empty() => text.parse().context("FEEDBACK_TEST_ANSWERS"),
        _ => Ok(3_000),
    }
}

/// Answers, one after the other. Embedded the whole service goes at times: the same visit again is the same answer.
async fn write(public: Client, link: Value, count: usize, stored: &Cell<usize>) -> Result<()> {
    for number in 0..count {
        let visitor = Visitor::new(&public, &link)?;
        let given = json!({"recommend": number % 11, "mood": 1 + number % 5, "seen": ["a", "c"],
                           "more": format!("number {number}")});
        eventually(LATER, async || {
            if number % 3 == 0 {
                visitor.view().await?.expect(204)?;
            }
            visitor.stored(&given).await
        })
        .await?;
        stored.set(stored.get() + 1);
    }
    Ok(())
}

async fn kill(app: &mut App, count: usize, stored: &Cell<usize>) -> Result<()> {
    for kill in 1..=KILLS {
        let due = count * kill / (KILLS + 1);
        eventually(LONGEST, async || {
            let so_far = stored.get();
            ensure!(so_far >= due, "{so_far} of {due}");
            Ok(())
        })
        .await?;
        let victim = if app.embedded() {
            app.api()?
        } else {
            let workers = app.workers.len();
            app.workers.get_mut(kill % workers).context("no worker")?
        };
        victim.kill()?;
        victim.start_again().await?;
    }
    Ok(())
}

#[tokio::test]
async fn two_workers_are_killed_again_and_again_and_every_answer_is_counted_once() -> Result<()> {
    let count = answers()?;
    // All come from one address.
    let setup = App::setup().workers(2).setting("FEEDBACK_LINK_RATE", "0");
    let mut app = setup.start().await?;
    let keys = app
        .create_key("shop", &["--time-zone", "America/St_Johns"])
        .await?;
    let owner = app.anonymous()?.with_keys(&keys);
    let form = owner.published(&form()).await?;
    let stored = Cell::new(0);
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let ids = ["", "1", "2", "1_3"][writer % 4];
        let link = owner.link(&form, ids, &[]).await?;
        let mine = count / WRITERS + usize::from(writer < count % WRITERS);
        writers.push(write(app.anonymous()?, link, mine, &stored));
    }
    let (written, killed) = tokio::join!(try_join_all(writers), kill(&mut app, count, &stored));
    written?;
    killed?;
    ensure!(stored.get() == count, "{} of {count}", stored.get());

    let today = chrono::Utc::now().date_naive();
    let day = |offset: i64| (today + chrono::TimeDelta::days(offset)).to_string();
    let (from, to) = (day(-2), day(1));
    eventually(LATER, async || {
        let report = owner.report(Of::Form, &form, (&from, &to), "").await?;
        let metrics = &report["metrics"];
        ensure!(
            metrics["responses"] == count && metrics["comments"] == count,
            "not {count}: {metrics}"
        );
        Ok(())
    })
    .await?;
    let list = owner.report(Of::Feedbacks, &form, (&from, &to), "").await?;
    ensure!(list["total"] == count, "not {count}: {}", list["total"]);
    let output = app.cli(&["verify"]).await?;
    ensure!(
        output.status.success() && output.stdout.is_empty(),
        "drift: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
