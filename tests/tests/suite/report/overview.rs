//! The report on all forms together, and on the recipients.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::form::{form_path, short_form};
use tests::import::{array, records};
use tests::oracle::agrees;
use tests::wait::{SOON, eventually};

use super::figures::whole;
use super::stage::Stage;
use super::week::{self, WEEK};

#[tokio::test]
async fn an_overview_is_the_sum_of_its_forms() -> Result<()> {
    let stage = Stage::open().await?;
    let owner = &stage.owner;
    let empty = owner.overview(WEEK).await?;
    agrees(
        &empty,
        &json!({"time_zone": "UTC", "forms": [],
                "metrics": {"views": 0, "response_rate": null, "nps": null, "happiness_rate": null, "recipients": 0}}),
    )?;
    let week = week::play(&stage).await?;
    let quiet = owner.published(&short_form("Quiet")).await?;
    owner.draft(&short_form("Draft")).await?;
    let gone = owner.published(&short_form("Gone")).await?;
    let link = owner.link(&gone, "", &[]).await?;
    stage
        .answered(
            &link,
            "2026-03-04T10:00:00Z",
            &json!({"mood": 2, "more": "x"}),
        )
        .await?;
    owner.delete(&form_path(&gone)).await?.expect(200)?;
    let forgotten = owner.published(&short_form("Forgotten")).await?;
    owner.delete(&form_path(&forgotten)).await?.expect(200)?;

    let overview = eventually(SOON, async || {
        let overview = owner.overview(WEEK).await?;
        ensure!(overview["metrics"]["responses"] == 8, "{overview}");
        Ok(overview)
    })
    .await?;
    agrees(
        &overview["metrics"],
        &json!({"views": 12, "response_rate": 8.0 / 12.0, "comments": 5, "recipients": 0,
                "happiness": {"happy": 3, "answers": 6}, "happiness_rate": 0.5,
                "nps": 14.285_714_285_714_286}),
    )?;
    agrees(
        &overview["daily"][2],
        &json!({"date": "2026-03-04", "views": 1, "responses": 1, "comments": 1, "happiness_answers": 1,
                "recipients": 0}),
    )?;
    let forms = overview["forms"].as_array().context("no forms")?;
    let mut listed: Vec<[&str; 2]> = forms
        .iter()
        .map(|form| ["title", "status"].map(|name| form[name].as_str().unwrap_or_default()))
        .collect();
    listed.sort_unstable();
    ensure!(
        listed
            == [
                ["Gone", "DELETED"],
                ["How was your visit?", "PUBLISHED"],
                ["Quiet", "PUBLISHED"]
            ],
        "{overview}"
    );
    for form in forms {
        ensure!(
            tests::check::members(form) == ["form_id", "metrics", "status", "title"],
            "other members: {form}"
        );
        let none = json!({"views": 0, "responses": 0, "response_rate": null, "nps": null});
        let metrics = if form["form_id"] == week.form["form_id"] {
            whole()
        } else if form["form_id"] == quiet["form_id"] {
            none
        } else {
            json!({"views": 1, "responses": 1, "comments": 1, "happiness_rate": 0.0, "nps": null})
        };
        agrees(&form["metrics"], &metrics)?;
    }
    // Nobody else's.
    let others = stage.app.client().await?;
    let theirs = others.overview(WEEK).await?;
    agrees(&theirs, &json!({"forms": [], "metrics": {"views": 0}}))?;
    Ok(())
}

#[tokio::test]
async fn recipients_are_those_stored_now_by_the_day_they_were_created() -> Result<()> {
    let stage = Stage::open().await?;
    let owner = &stage.owner;
    let today = chrono::Utc::now().date_naive();
    let (from, to) = (today.pred_opt(), today.succ_opt());
    let from = from.context("no day before")?.to_string();
    let to = to.context("no day after")?.to_string();
    let days = (from.as_str(), to.as_str());
    let recipients = async |count: i64| {
        eventually(SOON, async || {
            let overview = owner.overview(days).await?;
            ensure!(overview["metrics"]["recipients"] == count, "{overview}");
            Ok(())
        })
        .await
    };
    let body = array(&records("A", 10, "1"));
    owner
        .import_as(tests::import::JSON, body)
        .await?
        .expect(202)?;
    recipients(10).await?;
    owner.erase("A-3").await?.expect(204)?;
    recipients(9).await?;
    // Stored again they are the same people, changed or not.
    let body = array(&records("A", 4, "2"));
    owner
        .import_as(tests::import::JSON, body)
        .await?
        .expect(202)?;
    recipients(10).await?;
    let before = owner.overview(WEEK).await?;
    agrees(&before["metrics"], &json!({"recipients": 0}))?;
    stage.verified().await
}
