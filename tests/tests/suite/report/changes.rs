//! What becomes of the figures when a form is edited or deleted, and when a feedback is.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tests::form::{form, form_path};
use tests::oracle::agrees;
use tests::report::Of;
use tests::wait::{SOON, eventually};

use super::figures::{berlin, fields, hamburg, sms, whole};
use super::stage::Stage;
use super::week::{self, WEEK};

#[tokio::test]
async fn what_was_retired_is_reported_still_and_so_is_a_deleted_form() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    let mut fewer = form();
    fewer["title"] = json!("Another title");
    fewer["bus_props"] = json!([{"bus_prop_id": "1", "bus_prop": "store:Berlin"}]);
    fewer["fields"]
        .as_array_mut()
        .context("no fields")?
        .retain(|field| field["key"] != "clean");
    fewer["fields"][2]["options"]
        .as_array_mut()
        .context("no options")?
        .retain(|option| option["value"] != "buy");
    let path = form_path(&week.form);
    let edited = stage
        .owner
        .send_json(Method::PUT, &path, &fewer)
        .await?
        .expect(200)?
        .json()?;
    let check = async |title: &str| -> Result<()> {
        eventually(SOON, async || {
            let report = stage.owner.report(Of::Form, &week.form, WEEK, "").await?;
            agrees(&report, &json!({"title": title, "metrics": whole()}))?;
            // In the order that the form has now, each as it was counted.
            let mut wanted = Vec::new();
            for field in edited["fields"].as_array().context("no fields")? {
                let all = fields();
                let counted = all.as_array().context("no fields")?.iter();
                let mut counted = counted.filter(|counted| counted["key"] == field["key"]);
                let mut counted = counted.next().context("no such field")?.clone();
                counted["retired"] = field["retired"].clone();
                counted
                    .as_object_mut()
                    .context("no field")?
                    .remove("distribution");
                wanted.push(counted);
            }
            agrees(&report["fields"], &json!(wanted))?;
            let reasons = report["fields"].as_array().context("no fields")?.iter();
            let mut reasons = reasons.filter(|field| field["key"] == "reason");
            let shares = reasons.next().context("no reason")?["distribution"].clone();
            let buy = json!({"value": "buy", "label": "To buy", "count": 2, "share": 2.0 / 3.0});
            ensure!(
                shares
                    .as_array()
                    .is_some_and(|shares| shares.iter().any(|share| agrees(share, &buy).is_ok())),
                "a retired option is lost: {report}"
            );
            Ok(())
        })
        .await?;
        for (bus_prop, metrics) in [
            ("store:Berlin", berlin()),
            ("store:Hamburg", hamburg()),
            ("channel:sms", sms()),
        ] {
            for of in [Of::Form, Of::Summary] {
                let report = stage.owner.report(of, &week.form, WEEK, bus_prop).await?;
                agrees(&report["metrics"], &metrics)?;
            }
        }
        let list = stage
            .owner
            .report(Of::Feedbacks, &week.form, WEEK, "")
            .await?;
        let items = list["items"].as_array().context("no items")?;
        ensure!(items.len() == 7 && list["total"] == 7, "{list}");
        let first = items.last().context("no item")?;
        let answers = first["answers"].as_array().context("no answers")?;
        for value in [json!(4), json!("buy")] {
            ensure!(
                answers.iter().any(|answer| answer["value"] == value),
                "{value} is lost: {first}"
            );
        }
        ensure!(items[0]["bus_props"] == json!(["store:Hamburg"]), "{list}");
        Ok(())
    };
    check("Another title").await?;
    stage.owner.delete(&path).await?.expect(200)?;
    check("Another title").await
}

#[tokio::test]
async fn a_feedback_that_is_deleted_leaves_every_report() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    let first = week.ids[0];
    let path = format!("/api_v1/feedback/{first}");
    let others = stage.app.client().await?;
    others.delete(&path).await?.problem(404, "not_found")?;
    stage.owner.delete(&path).await?.expect(204)?;
    let report = stage
        .report(Of::Form, &week.form, WEEK, "", (11, 6))
        .await?;
    agrees(
        &report,
        &json!({"metrics": {"comments": 3, "nps": 0.0, "happiness_rate": 0.5,
                            "nps_detail": {"promoters": 2, "passives": 2, "detractors": 2, "answers": 6}},
                "daily": [{"views": 5, "responses": 1, "comments": 0}, {}, {}, {}, {}, {}, {}],
                "fields": [{"answers": 6}, {"answers": 4}, {"answers": 2}, {"answers": 2}, {"answers": 3},
                           {"answers": 1}, {"answers": 3}]}),
    )?;
    let latest = report["latest_comments"].to_string();
    ensure!(!latest.contains("Great"), "still shown: {latest}");
    for (of, bus_prop, total) in [
        (Of::Feedbacks, "", 6),
        (Of::Comments, "", 3),
        (Of::Feedbacks, "store:Berlin", 2),
    ] {
        let list = stage.list(of, &week.form, WEEK, bus_prop, total).await?;
        let text = list.to_string();
        ensure!(!text.contains(&first.to_string()), "still listed: {list}");
    }
    let overview = eventually(SOON, async || {
        let overview = stage.owner.overview(WEEK).await?;
        ensure!(overview["metrics"]["responses"] == 6, "{overview}");
        Ok(overview)
    })
    .await?;
    agrees(&overview["metrics"], &json!({"views": 11, "comments": 3}))?;
    stage.owner.delete(&path).await?.problem(404, "not_found")?;
    stage.verified().await
}
