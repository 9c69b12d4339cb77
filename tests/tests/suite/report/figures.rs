//! The figures of a form's reports.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::oracle::agrees;
use tests::report::Of;

use super::stage::Stage;
use super::week::{self, WEEK};

pub fn whole() -> Value {
    json!({
        "views": 11, "responses": 7, "response_rate": 7.0 / 11.0, "comments": 4,
        "happiness_rate": 0.6,
        "happiness": {"happy": 3, "answers": 5, "low": 0.230_724_281_276_012_85, "high": 0.882_379_225_767_352_1},
        "nps": 14.285_714_285_714_286,
        "nps_detail": {"promoters": 3, "passives": 2, "detractors": 2, "answers": 7,
                       "low": -39.583_602_584_364_925, "high": 59.583_602_584_364_925},
    })
}

pub fn berlin() -> Value {
    json!({
        "views": 6, "responses": 3, "response_rate": 0.5, "comments": 2,
        "happiness_rate": 2.0 / 3.0,
        "happiness": {"happy": 2, "answers": 3, "low": 0.207_659_600_802_047_68, "high": 0.938_508_055_279_603_7},
        "nps": 0.0,
        "nps_detail": {"promoters": 1, "passives": 1, "detractors": 1, "answers": 3,
                       "low": -61.112_614_338_043_166, "high": 61.112_614_338_043_166},
    })
}

pub fn hamburg() -> Value {
    json!({
        "views": 3, "responses": 2, "response_rate": 2.0 / 3.0, "comments": 1,
        "happiness_rate": 1.0,
        "happiness": {"happy": 1, "answers": 1, "low": 0.206_549_314_377_237_42, "high": 1.0},
        "nps": 100.0,
        "nps_detail": {"promoters": 2, "passives": 0, "detractors": 0, "answers": 2,
                       "low": -24.410_989_173_817_654, "high": 100.0},
    })
}

pub fn sms() -> Value {
    json!({
        "views": 1, "responses": 1, "response_rate": 1.0, "comments": 1,
        "happiness_rate": 1.0,
        "happiness": {"happy": 1, "answers": 1, "low": 0.206_549_314_377_237_42, "high": 1.0},
        "nps": -100.0,
        "nps_detail": {"promoters": 0, "passives": 0, "detractors": 1, "answers": 1,
                       "low": -100.0, "high": 48.498_649_420_252_02},
    })
}

/// Views, responses and so on of a day of the whole, in the order of reports.
fn days() -> [(&'static str, [i64; 9]); 7] {
    [
        ("2026-03-02", [5, 2, 1, 1, 2, 1, 1, 0, 2]),
        ("2026-03-03", [3, 2, 1, 2, 2, 1, 0, 1, 2]),
        ("2026-03-04", [0; 9]),
        ("2026-03-05", [2, 2, 1, 0, 1, 0, 1, 1, 2]),
        ("2026-03-06", [0; 9]),
        ("2026-03-07", [0; 9]),
        ("2026-03-08", [1, 1, 1, 0, 0, 1, 0, 0, 1]),
    ]
}

fn daily() -> Value {
    days()
        .iter()
        .map(|(date, counters)| {
            let mut day = json!({"date": date});
            for (name, count) in tests::report::COUNTERS.iter().zip(counters) {
                day[*name] = json!(count);
            }
            day
        })
        .collect()
}

fn grades(counts: &[(u8, i64)], answers: f64, last: u8) -> Value {
    let first = u8::from(last != 10);
    (first..=last)
        .map(|grade| {
            let counted = counts.iter().find(|(of, _)| *of == grade);
            let count = counted.map_or(0, |(_, count)| *count);
            let count = i32::try_from(count).unwrap_or_default();
            json!({"value": grade, "label": grade.to_string(), "count": count, "share": f64::from(count) / answers})
        })
        .collect()
}

pub fn fields() -> Value {
    json!([
        {"key": "recommend", "type": "nps", "label": "Would you recommend us?", "retired": false,
         "answers": 7, "skipped": 0, "mean": 50.0 / 7.0,
         "distribution": grades(&[(0, 1), (6, 1), (7, 1), (8, 1), (9, 1), (10, 2)], 7.0, 10)},
        {"key": "mood", "type": "happiness", "label": "How happy are you?", "retired": false,
         "answers": 5, "skipped": 2, "mean": 3.6,
         "distribution": grades(&[(1, 1), (3, 1), (4, 1), (5, 2)], 5.0, 5)},
        {"key": "clean", "type": "rating", "label": "How clean was it?", "retired": false,
         "answers": 3, "skipped": 4, "mean": 10.0 / 3.0,
         "distribution": grades(&[(1, 1), (4, 1), (5, 1)], 3.0, 5)},
        {"key": "reason", "type": "choice", "label": "Why did you come?", "retired": false,
         "answers": 3, "skipped": 4, "mean": null,
         "distribution": [{"value": "buy", "label": "To buy", "count": 2, "share": 2.0 / 3.0},
                          {"value": "look", "label": "To look", "count": 1, "share": 1.0 / 3.0}]},
        {"key": "seen", "type": "choices", "label": "What did you see?", "retired": false,
         "answers": 4, "skipped": 3, "mean": null,
         "distribution": [{"value": "a", "label": "Shelf A", "count": 2, "share": 0.5},
                          {"value": "b", "label": "Shelf B", "count": 3, "share": 0.75},
                          {"value": "c", "label": "Shelf C", "count": 2, "share": 0.5}]},
        {"key": "name", "type": "text", "label": "Who served you?", "retired": false,
         "answers": 2, "skipped": 5, "mean": null, "distribution": []},
        {"key": "more", "type": "comment", "label": "Anything else?", "retired": false,
         "answers": 4, "skipped": 3, "mean": null, "distribution": []},
    ])
}

#[tokio::test]
async fn the_report_of_a_form_is_what_a_hand_counts() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    let report = stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    let wanted = json!({"title": "How was your visit?", "time_zone": "UTC", "bus_prop": null,
                        "metrics": whole(), "daily": daily(), "fields": fields()});
    agrees(&report, &wanted)?;
    for (bus_prop, metrics) in [
        ("store:Berlin", berlin()),
        ("store:Hamburg", hamburg()),
        ("channel:sms", sms()),
    ] {
        let report = stage
            .owner
            .report(Of::Form, &week.form, WEEK, bus_prop)
            .await?;
        agrees(&report, &json!({"bus_prop": bus_prop, "metrics": metrics}))?;
    }
    let report = stage
        .owner
        .report(Of::Form, &week.form, WEEK, "channel:sms")
        .await?;
    agrees(
        &report["fields"],
        &json!([
            {"key": "recommend", "answers": 1, "skipped": 0, "mean": 6.0},
            {"key": "mood", "answers": 1, "mean": 4.0},
            {"key": "clean", "answers": 0, "skipped": 1, "mean": null,
             "distribution": [{"value": 1, "count": 0, "share": null}, {"value": 2, "share": null}, {"value": 3},
                              {"value": 4}, {"value": 5, "label": "5", "count": 0, "share": null}]},
            {"key": "reason", "answers": 1,
             "distribution": [{"value": "buy", "count": 0, "share": 0.0}, {"value": "look", "count": 1, "share": 1.0}]},
            {"key": "seen", "answers": 1, "skipped": 0},
            {"key": "name", "answers": 0, "skipped": 1},
            {"key": "more", "answers": 1, "skipped": 0},
        ]),
    )
}

#[tokio::test]
async fn the_newest_comments_are_shown_newest_first() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    let comments = async |bus_prop: &str, counts| -> Result<Vec<String>> {
        let report = stage
            .report(Of::Form, &week.form, WEEK, bus_prop, counts)
            .await?;
        let latest = report["latest_comments"].as_array().context("no list")?;
        let texts = latest.iter().map(|item| item["comment"].as_str());
        let texts: Option<Vec<&str>> = texts.collect();
        let texts = texts.with_context(|| format!("no comments: {report}"))?;
        Ok(texts.into_iter().map(str::to_owned).collect())
    };
    let all = comments("", (11, 7)).await?;
    ensure!(all == ["Fine", "=SUM(A1)", "Too loud", "Great"], "{all:?}");
    let berlin = comments("store:Berlin", (6, 3)).await?;
    ensure!(berlin == ["Too loud", "Great"], "{berlin:?}");

    let link = stage.owner.link(&week.form, "2", &[]).await?;
    let more: Vec<_> = (0..30)
        .map(|minute| {
            let at = chrono::TimeDelta::minutes(minute);
            let noon = super::stage::moment("2026-03-06T12:00:00Z")?;
            let answers = json!({"recommend": 10, "more": format!("number {minute}")});
            Ok((uuid::Uuid::new_v4(), noon + at, answers))
        })
        .collect::<Result<_>>()?;
    stage.answered_all(&link, &more).await?;
    let all = comments("", (41, 37)).await?;
    ensure!(all.len() == 20, "not 20: {all:?}");
    ensure!(all[0] == "Fine" && all[1] == "number 29", "{all:?}");
    ensure!(all[19] == "number 11", "{all:?}");
    let berlin = comments("store:Berlin", (6, 3)).await?;
    ensure!(berlin == ["Too loud", "Great"], "{berlin:?}");
    Ok(())
}

#[tokio::test]
async fn a_summary_is_compared_with_as_many_days_before_it() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    let summary = stage
        .report(Of::Summary, &week.form, WEEK, "", (11, 7))
        .await?;
    let before = json!({
        "views": 2, "responses": 1, "response_rate": 0.5, "comments": 0,
        "happiness_rate": 0.0, "happiness": {"happy": 0, "answers": 1, "low": 0.0, "high": 0.793_450_685_622_762_6},
        "nps": -100.0, "nps_detail": {"promoters": 0, "passives": 0, "detractors": 1, "answers": 1,
                                      "low": -100.0, "high": 48.498_649_420_252_02},
    });
    let change = json!({
        "views": 9, "responses": 6, "response_rate": 7.0 / 11.0 - 0.5, "comments": 4,
        "happiness_rate": 0.6, "happiness": {"happy": 3, "answers": 4},
        "nps": 114.285_714_285_714_29,
        "nps_detail": {"promoters": 3, "passives": 2, "detractors": 1, "answers": 6},
    });
    agrees(
        &summary,
        &json!({"metrics": whole(), "daily": daily(), "change": change,
                "previous": {"start_date": "2026-02-23", "end_date": "2026-03-01", "metrics": before}}),
    )?;
    // Nothing of Hamburg came before: counts change, rates cannot.
    let hamburg_only = stage
        .owner
        .report(Of::Summary, &week.form, WEEK, "store:Hamburg")
        .await?;
    agrees(
        &hamburg_only,
        &json!({"metrics": hamburg(),
                "previous": {"metrics": {"views": 0, "response_rate": null, "nps": null, "happiness_rate": null}},
                "change": {"views": 3, "responses": 2, "response_rate": null, "happiness_rate": null, "nps": null}}),
    )?;
    // One day before one day.
    let day = ("2026-03-03", "2026-03-03");
    let one = stage.owner.report(Of::Summary, &week.form, day, "").await?;
    agrees(
        &one,
        &json!({"metrics": {"views": 3}, "change": {"views": -2, "responses": 0, "nps": -50.0},
                "previous": {"start_date": "2026-03-02", "end_date": "2026-03-02", "metrics": {"views": 5, "nps": 50.0}}}),
    )
}

#[tokio::test]
async fn feedbacks_are_listed_with_all_that_was_given() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    let list = stage.list(Of::Feedbacks, &week.form, WEEK, "", 7).await?;
    let items = list["items"].as_array().context("no items")?;
    let ids: Vec<String> = week.ids.iter().rev().map(ToString::to_string).collect();
    let listed: Vec<&str> = items
        .iter()
        .filter_map(|item| item["feedback_id"].as_str())
        .collect();
    ensure!(listed == ids, "not newest first: {list}");
    ensure!(list["next_cursor"].is_null(), "{list}");
    let first = items.last().context("no item")?;
    ensure!(
        tests::check::members(first)
            == [
                "answers",
                "bus_props",
                "comment",
                "feedback_id",
                "happiness",
                "nps",
                "submitted_at",
                "track_fields"
            ],
        "other members: {first}"
    );
    let answer = |key: &str, label: &str, kind: &str, value: Value| json!({"key": key, "label": label, "type": kind, "value": value});
    agrees(
        first,
        &json!({
            "bus_props": ["store:Berlin"], "track_fields": {"order": "4711"},
            "nps": 10, "happiness": 5, "comment": "Great",
            "answers": [
                answer("recommend", "Would you recommend us?", "nps", json!(10)),
                answer("mood", "How happy are you?", "happiness", json!(5)),
                answer("clean", "How clean was it?", "rating", json!(4)),
                answer("reason", "Why did you come?", "choice", json!("buy")),
                answer("seen", "What did you see?", "choices", json!(["a", "b"])),
                answer("name", "Who served you?", "text", json!("Anna")),
                answer("more", "Anything else?", "comment", json!("Great")),
            ],
        }),
    )?;
    let at = first["submitted_at"].as_str().unwrap_or_default();
    ensure!(super::stage::moment(at)? == super::stage::moment("2026-03-02T00:00:00Z")?);
    ensure!(tests::check::is_time(at), "no time: {first}");
    let third = &items[4];
    agrees(
        third,
        &json!({"bus_props": ["store:Berlin", "channel:sms"], "track_fields": {"order": "4711", "way": "a=b"},
                "nps": 6, "comment": "Too loud"}),
    )?;
    let seventh = &items[0];
    agrees(
        seventh,
        &json!({"bus_props": ["store:Hamburg"], "track_fields": {}, "happiness": null}),
    )?;
    for (of, bus_prop, total) in [
        (Of::Comments, "", 4),
        (Of::Feedbacks, "store:Berlin", 3),
        (Of::Comments, "store:Berlin", 2),
        (Of::Feedbacks, "channel:sms", 1),
        (Of::Comments, "store:Hamburg", 1),
    ] {
        let list = stage.owner.report(of, &week.form, WEEK, bus_prop).await?;
        let items = list["items"].as_array().context("no items")?;
        ensure!(
            list["total"] == total && items.len() == usize::try_from(total)?,
            "not {total}: {list}"
        );
        for item in items {
            let names = item["bus_props"].as_array().context("no bus_props")?;
            ensure!(
                (bus_prop.is_empty() || names.contains(&json!(bus_prop)))
                    && (of == Of::Feedbacks || item["comment"].is_string()),
                "does not belong there: {item}"
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_segment_of_the_bus_prop_may_be_left_out_or_empty() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    stage
        .report(Of::Form, &week.form, WEEK, "", (11, 7))
        .await?;
    for of in Of::ALL {
        let path = of.path(&week.form, WEEK, "");
        let without = stage.owner.get(&path).await?.expect(200)?;
        let empty = stage.owner.get(&format!("{path}/")).await?.expect(200)?;
        let [mut without, mut empty] = [without.json()?, empty.json()?];
        for report in [&mut without, &mut empty] {
            report["as_of"].take();
        }
        ensure!(without == empty, "not the same: {without} {empty}");
    }
    Ok(())
}
