//! The connection to PostgreSQL breaks around a COMMIT: whoever sent it cannot know whether it was done. Nothing is done
//! twice and nothing half, and what was promised is there.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::app::{App, Backends};
use tests::check;
use tests::client::Client;
use tests::form::form;
use tests::import::{Accepted, IMPORT, records};
use tests::servers::{CommitProxy, Cut};
use tests::visitor::Visitor;
use tests::wait::{LATER, SOON, eventually};

const CUTS: [Cut; 3] = [Cut::Before, Cut::After, Cut::Late];

/// A service that reaches its database by way of a proxy.
async fn behind_a_proxy() -> Result<(CommitProxy, App)> {
    let backends = Backends::from_environment().await?;
    let Backends::Servers(lease) = &backends else {
        anyhow::bail!("these tests need servers");
    };
    let proxy = CommitProxy::before(&lease.database).await?;
    let setup = App::setup().on(backends);
    let app = setup.setting("DATABASE_URL", proxy.url()).start().await?;
    Ok((proxy, app))
}

async fn batches(client: &Client) -> Result<usize> {
    let list = client.get(IMPORT).await?.expect(200)?.json()?;
    Ok(list["items"].as_array().context("no items")?.len())
}

#[tokio::test]
async fn an_import_whose_commit_was_cut_is_one_batch() -> Result<()> {
    let (proxy, app) = behind_a_proxy().await?;
    let client = app.client().await?;
    for (round, cut) in CUTS.into_iter().enumerate() {
        let (key, all) = (
            format!("key-{round}"),
            records(&format!("R{round}"), 10, "1"),
        );
        let trap = proxy.cut("SET status = 'queued'", cut);
        let answer = client.import_once(&key, &all).await?;
        // What is in the ledger is accepted; of all else the caller cannot be told.
        if cut == Cut::After {
            Accepted::read(answer)?;
        } else {
            answer.problem(503, "unavailable")?;
        }
        trap.release().await?;
        let again = eventually(LATER, async || {
            client.import_once(&key, &all).await?.expect(202)
        })
        .await?;
        let replayed = again.header("idempotent-replayed") == Some("true");
        ensure!(replayed == (cut != Cut::Before), "{cut:?}: {again:?}");
        let accepted = Accepted::read(again)?;
        let batch = client.completed(&accepted.batch_id, SOON).await?;
        ensure!(check::outcome(&batch, "created")? == 10, "{cut:?}: {batch}");
        ensure!(batches(&client).await? == round + 1, "{cut:?}");
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_whose_commit_was_cut_is_counted_once() -> Result<()> {
    let (proxy, app) = behind_a_proxy().await?;
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let public = app.anonymous()?;
    for cut in CUTS {
        let link = owner.link(&form, "1", &[("max_responses", "1")]).await?;
        let visitor = Visitor::new(&public, &link)?;
        let trap = proxy.cut("INSERT INTO feedback", cut);
        let given = json!({"recommend": 9, "more": "once"});
        if cut == Cut::Late {
            // Whoever tries again waits for the first try, which holds the visit.
            let answer = visitor.answer(&given).await?;
            answer.problem(503, "unavailable")?;
        } else {
            visitor.stored(&given).await?;
        }
        trap.release().await?;
        let first = visitor.stored(&given).await?;
        ensure!(visitor.stored(&given).await? == first, "another feedback");
        owner.counted(&link, 1, 1).await?;
        Visitor::new(&public, &link)?
            .answer(&given)
            .await?
            .problem(410, "link_gone")?;
    }
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn an_erasure_whose_commit_was_cut_is_done_once_and_for_good() -> Result<()> {
    let (proxy, app) = behind_a_proxy().await?;
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let link = owner.link(&form, "1", &[]).await?;
    let public = app.anonymous()?;
    for (round, cut) in CUTS.into_iter().enumerate() {
        let docid = format!("R{round}-0");
        let all = records(&format!("R{round}"), 1, "1");
        owner.import_and_wait(&all, SOON).await?;
        let trap = proxy.cut("UPDATE recipient SET seq", cut);
        owner.erase(&docid).await?.problem(503, "unavailable")?;
        trap.release().await?;
        owner.erase(&docid).await?.expect(204)?;
        owner.recipient(&docid).await?.problem(404, "not_found")?;

        let visitor = Visitor::new(&public, &link)?;
        let erased = visitor.stored(&json!({"recommend": 1})).await?;
        Visitor::new(&public, &link)?
            .stored(&json!({"recommend": 10}))
            .await?;
        let path = format!("/api_v1/feedback/{erased}");
        let trap = proxy.cut("DELETE FROM feedback WHERE", cut);
        let answer = owner.delete(&path).await?;
        // Here the ledger tells, once the server has committed.
        if cut == Cut::After {
            answer.expect(204)?;
        } else {
            answer.problem(503, "unavailable")?;
        }
        trap.release().await?;
        // Only a COMMIT that never reached the server leaves something to delete.
        let left = if cut == Cut::Before { 204 } else { 404 };
        owner.delete(&path).await?.expect(left)?;
        eventually(SOON, async || {
            let read = owner.read_link(&link).await?;
            ensure!(
                check::count(&read, "responses")? == round as u64 + 1,
                "{cut:?}: {read}"
            );
            Ok(())
        })
        .await?;
    }
    app.succeeds(&["verify"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_chunk_whose_commit_was_cut_is_stored_and_counted_once() -> Result<()> {
    let (proxy, app) = behind_a_proxy().await?;
    let client = app.client().await?;
    for (round, cut) in CUTS.into_iter().enumerate() {
        // All new, then all changed: an update done twice would say `unchanged` the second time.
        for (version, outcome) in [("1", "created"), ("2", "updated")] {
            let all = records(&format!("R{round}"), 100, version);
            let trap = proxy.cut("DELETE FROM import_chunk", cut);
            let accepted = client.import(&all).await?;
            trap.release().await?;
            let batch = client.completed(&accepted.batch_id, LATER).await?;
            ensure!(check::outcome(&batch, outcome)? == 100, "{cut:?}: {batch}");
            check::stored(&client, &all, &accepted.batch_id).await?;
        }
    }
    app.succeeds(&["verify"]).await?;
    Ok(())
}
