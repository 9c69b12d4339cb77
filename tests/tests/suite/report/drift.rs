//! `feedback verify` finds whatever does not agree with what is stored, `feedback rebuild` mends it; both beside the
//! running service.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::import::{JSON, array, records};
use tests::report::Of;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};

use super::stage::{Stage, small_form};
use super::week::{self, WEEK};

/// The lines that `feedback verify` prints, which ends with 1.
async fn drifts(stage: &Stage) -> Result<Vec<String>> {
    let output = stage.app.cli(&["verify"]).await?;
    let printed = String::from_utf8(output.stdout)?;
    ensure!(
        output.status.code() == Some(1),
        "ended with {}: {printed}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    ensure!(!printed.is_empty(), "nothing printed");
    let json = stage.app.cli(&["verify", "--json"]).await?;
    ensure!(json.status.code() == Some(1), "ended with {}", json.status);
    let found: Vec<Value> = serde_json::from_slice(&json.stdout)?;
    ensure!(found.len() == printed.lines().count(), "{found:?}");
    for drift in found {
        let members = ["of", "id", "part", "day", "counter", "stored", "recomputed"];
        let parts = members.map(|member| match &drift[member] {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let line = parts.join("\t");
        ensure!(printed.contains(&line), "{line} is not in {printed}");
    }
    Ok(printed.lines().map(str::to_owned).collect())
}

/// All that is said of the week, without when it was so.
async fn said(stage: &Stage, form: &Value) -> Result<Vec<Value>> {
    let mut said = vec![stage.owner.overview(WEEK).await?];
    for bus_prop in ["", "store:Berlin", "store:Hamburg", "channel:sms"] {
        for of in Of::ALL {
            said.push(stage.owner.report(of, form, WEEK, bus_prop).await?);
        }
    }
    for report in &mut said {
        report["as_of"].take();
    }
    Ok(said)
}

#[tokio::test]
async fn a_counter_that_is_wrong_is_told_with_its_place_and_mended() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    stage
        .report(
            Of::Summary,
            &week.form,
            ("2026-02-20", "2026-03-20"),
            "",
            (14, 9),
        )
        .await?;
    stage.verified().await?;
    let right = said(&stage, &week.form).await?;
    let form_id = week.form["form_id"].as_str().context("no form_id")?;
    for (statement, expected) in [
        (
            "UPDATE rollup SET delta = r.delta FROM rollup r
              WHERE r.account_id = rollup.account_id AND r.form_id = rollup.form_id AND r.bus_prop_id = 0 AND r.day = '2026-03-05'
                AND rollup.bus_prop_id = 0 AND rollup.day = '2026-03-02'",
            &["2026-03-02", "views", "promoters", "detractors"][..],
        ),
        (
            "UPDATE rollup SET delta = r.delta FROM rollup r
              WHERE r.account_id = rollup.account_id AND r.form_id = rollup.form_id AND r.bus_prop_id = 0 AND r.day = '2026-03-08'
                AND rollup.bus_prop_id = 1 AND rollup.day = '2026-03-03'",
            &["store:Berlin", "2026-03-03"],
        ),
        (
            "DELETE FROM rollup WHERE bus_prop_id = 3",
            &["2026-03-03", "responses"],
        ),
        (
            "INSERT INTO rollup (account_id, form_id, bus_prop_id, day, delta)
             SELECT account_id, form_id, bus_prop_id, '2026-03-07', delta
               FROM rollup WHERE bus_prop_id = 0 AND day = '2026-03-02'",
            &["2026-03-07", "responses", "comments"],
        ),
    ] {
        stage.app.sql(statement).await?;
        let lines = drifts(&stage).await?;
        for word in expected {
            ensure!(
                lines
                    .iter()
                    .any(|line| line.contains(word) && line.contains(form_id)),
                "{word} is not told of {statement}: {lines:?}"
            );
        }
        stage.app.succeeds(&["rebuild"]).await?;
        stage.verified().await.with_context(|| statement.to_owned())?;
        eventually(SOON, async || {
            let now = said(&stage, &week.form).await?;
            ensure!(now == right, "not as before {statement}: {now:?}");
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn reports_follow_what_is_stored_once_rebuilt() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    // What no service does: rows gone behind its back.
    stage
        .app
        .sql("DELETE FROM feedback WHERE nps = 10 AND happiness = 5")
        .await?;
    stage
        .app
        .sql("DELETE FROM visit_view WHERE day = '2026-02-25'")
        .await?;
    let lines = drifts(&stage).await?;
    for day in ["2026-03-02", "2026-02-25"] {
        ensure!(
            lines.iter().any(|line| line.contains(day)),
            "{day} is not told: {lines:?}"
        );
    }
    stage.app.succeeds(&["rebuild"]).await?;
    stage.verified().await?;
    let report = stage
        .report(Of::Summary, &week.form, WEEK, "", (11, 6))
        .await?;
    tests::oracle::agrees(
        &report,
        &json!({"metrics": {"comments": 3}, "previous": {"metrics": {"views": 1, "responses": 1}}}),
    )
}

#[tokio::test]
async fn recipients_that_are_counted_wrong_are_found_too() -> Result<()> {
    let stage = Stage::open().await?;
    let body = array(&records("A", 12, "1"));
    let answer = stage.owner.import_as(JSON, body).await?;
    let accepted = tests::import::Accepted::read(answer)?;
    stage.owner.completed(&accepted.batch_id, SOON).await?;
    stage.verified().await?;
    stage
        .app
        .sql("UPDATE recipient_rollup SET recipients = recipients + 5")
        .await?;
    let lines = drifts(&stage).await?;
    ensure!(
        lines.iter().any(|line| line.contains("recipients")),
        "{lines:?}"
    );
    stage.app.succeeds(&["rebuild"]).await?;
    stage.verified().await?;
    let today = chrono::Utc::now().date_naive();
    let [from, to] = [today.pred_opt(), today.succ_opt()].map(Option::unwrap_or_default);
    let (from, to) = (from.to_string(), to.to_string());
    eventually(SOON, async || {
        let overview = stage.owner.overview((&from, &to)).await?;
        ensure!(overview["metrics"]["recipients"] == 12, "{overview}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn nothing_is_lost_or_found_while_answers_pour_in() -> Result<()> {
    const WRITERS: i64 = 6;
    const EACH: i64 = 40;
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Pouring")).await?;
    let public = stage.app.anonymous()?;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let ids = ["", "1", "1_2"][usize::try_from(writer % 3)?];
        let link = client.link(&form, ids, &[]).await?;
        let (owner, public) = (client.clone(), public.clone());
        writers.spawn(async move {
            for number in 0..EACH {
                let visitor = Visitor::new(&public, &link)?;
                visitor.view().await?.expect(204)?;
                let id = visitor
                    .stored(&json!({"score": number % 11, "words": "pouring"}))
                    .await?;
                if number % 10 == 9 {
                    let path = format!("/api_v1/feedback/{id}");
                    owner.delete(&path).await?.expect(204)?;
                }
            }
            anyhow::Ok(())
        });
    }
    // Both, again and again, until the last answer is in; and at least once.
    let mut rounds = 0;
    while rounds == 0 || !writers.is_empty() {
        stage.app.succeeds(&["rebuild"]).await?;
        stage.verified().await?;
        rounds += 1;
        while let Some(ended) = writers.try_join_next() {
            ended??;
        }
    }
    let today = chrono::Utc::now().date_naive();
    let [from, to] = [today.pred_opt(), today.succ_opt()].map(Option::unwrap_or_default);
    let (from, to) = (from.to_string(), to.to_string());
    let (views, responses) = (WRITERS * EACH, WRITERS * EACH * 9 / 10);
    for (bus_prop, part) in [("", 6), ("store:A", 4), ("store:B", 2)] {
        let counts = (views * part / WRITERS, responses * part / WRITERS);
        stage
            .report(Of::Form, &form, (&from, &to), bus_prop, counts)
            .await?;
        stage
            .list(Of::Comments, &form, (&from, &to), bus_prop, counts.1)
            .await?;
    }
    stage.verified().await
}
