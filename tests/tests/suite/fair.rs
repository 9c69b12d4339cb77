//! What one account sends is not felt by the next: a hostile account brings as much as the limits allow, and another, the
//! witness, is served meanwhile.

use anyhow::{Result, ensure};
use bytes::Bytes;
use chrono::{TimeDelta, Utc};
use futures::future::try_join_all;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::json;
use tests::app::App;
use tests::check::count;
use tests::client::{Client, Crowd};
use tests::form::short_form;
use tests::hostile::{all_bus_props, huge_answers, huge_form};
use tests::import::{Accepted, JSON, array, records};
use tests::visitor::Visitor;
use tests::wait::{LATER, SOON, eventually};

/// Answers of 680 kB each.
const HUGE_ANSWERS: usize = 60;
/// So many are on their way at once.
const AT_ONCE: usize = 6;
/// Answers of the witness, one after the other.
const ANSWERS: u64 = 10;

/// The overview of yesterday, today and tomorrow has so many responses.
async fn overview_has(client: &Client, responses: u64) -> Result<()> {
    let today = Utc::now().date_naive();
    let day = |offset: i64| (today + TimeDelta::days(offset)).to_string();
    let overview = client.overview((&day(-1), &day(1))).await?;
    let counted = count(&overview["metrics"], "responses")?;
    ensure!(counted == responses, "{counted} of {responses}");
    Ok(())
}

#[tokio::test]
async fn huge_answers_of_one_account_hold_up_neither_answers_nor_reports_of_another() -> Result<()>
{
    let setup = App::setup().setting("FEEDBACK_LINK_RATE", "0");
    let app = setup.start().await?;
    let (hostile, witness) = (app.client().await?, app.client().await?);
    let form = hostile.published(&huge_form()).await?;
    let huge_link = hostile.link(&form, &all_bus_props(), &[]).await?;
    let form = witness.published(&short_form("small")).await?;
    let link = witness.link(&form, "", &[]).await?;
    let public = app.anonymous()?;

    let answers = huge_answers().to_string();
    let attack = async {
        let posts = stream::iter(0..HUGE_ANSWERS).map(async |_| {
            let visitor = Visitor::new(&public, &huge_link)?;
            let body = format!(r#"{{"visit": "{}", "answers": {answers}}}"#, visitor.visit);
            let body = Bytes::from(body);
            // The hostile account's own share may be used up for a while.
            let crowd = Crowd::default();
            let answer = crowd.served(|| visitor.post(JSON, body.clone()));
            answer.await?.expect(201)
        });
        posts
            .buffer_unordered(AT_ONCE)
            .try_collect::<Vec<_>>()
            .await
    };
    let witnessed = async {
        for answers in 1..=ANSWERS {
            let visitor = Visitor::new(&public, &link)?;
            visitor.stored(&json!({"mood": 4})).await?;
            eventually(SOON, async || overview_has(&witness, answers).await).await?;
        }
        anyhow::Ok(())
    };
    tokio::try_join!(attack, witnessed)?;
    let all = u64::try_from(HUGE_ANSWERS)?;
    hostile.counted(&huge_link, all, all).await?;
    eventually(LATER, async || overview_has(&hostile, all).await).await
}

#[tokio::test]
async fn a_giant_import_of_one_account_is_stored_in_turn_with_that_of_another() -> Result<()> {
    const GIANTS: usize = 6;
    let app = App::start().await?;
    let (hostile, witness) = (app.client().await?, app.client().await?);
    let giant = |n: usize| array(&records(&format!("giant-{n}"), 40_000, "1"));
    let giants: Vec<Bytes> = (0..GIANTS).map(giant).collect();
    // At once, so that all of it is left to store when the last one is accepted.
    let posts = giants
        .into_iter()
        .map(|giant| hostile.import_as(JSON, giant));
    let accepted = try_join_all(posts).await?.into_iter().map(Accepted::read);
    let accepted = accepted.collect::<Result<Vec<_>>>()?;
    // One of several chunks, and one of a single chunk.
    for count in [12_000, 10] {
        let mine = records(&format!("witness-{count}"), count, "1");
        witness.import_and_wait(&mine, LATER).await?;
    }
    let mut left = 0;
    for giant in &accepted {
        left += u32::from(hostile.batch(&giant.batch_id).await?["status"] != "completed");
    }
    ensure!(left > 0, "the giants came first");
    for giant in &accepted {
        hostile.completed(&giant.batch_id, 2 * LATER).await?;
    }
    Ok(())
}
