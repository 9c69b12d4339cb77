//! A day is one of the account's time zone: at its edges, across changes of the clock, far from UTC.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tests::oracle::agrees;
use tests::report::Of;
use uuid::Uuid;

use super::stage::{Stage, small_form};

/// Answers at `moments`, and how many of them each day of the report then has.
async fn fall_on(zone: &str, moments: &[(&str, &str)]) -> Result<()> {
    let stage = Stage::in_zone(zone).await?;
    let form = stage.owner.published(&small_form("Edges")).await?;
    let link = stage.owner.link(&form, "1", &[]).await?;
    for (at, _) in moments {
        stage.answered(&link, at, &json!({"score": 9})).await?;
    }
    let (_, first) = moments.first().context("no moment")?;
    let (_, last) = moments.last().context("no moment")?;
    let count = i64::try_from(moments.len())?;
    let days = (*first, *last);
    for bus_prop in ["", "store:A"] {
        let report = stage
            .report(Of::Form, &form, days, bus_prop, (count, count))
            .await?;
        agrees(&report, &json!({"time_zone": zone}))?;
        for counted in report["daily"].as_array().context("no daily")? {
            let here = moments
                .iter()
                .filter(|(_, day)| counted["date"] == *day)
                .count();
            agrees(counted, &json!({"responses": here, "promoters": here}))?;
        }
    }
    // Each day alone, as a report and as a list.
    for (_, day) in moments {
        let here = moments.iter().filter(|(_, other)| other == day).count();
        let one = (*day, *day);
        let report = stage.owner.report(Of::Summary, &form, one, "").await?;
        agrees(&report["metrics"], &json!({"responses": here}))?;
        let feedbacks = stage.owner.report(Of::Feedbacks, &form, one, "").await?;
        let listed = feedbacks["items"].as_array().context("no items")?.len();
        agrees(&feedbacks, &json!({"total": here}))?;
        anyhow::ensure!(listed == here, "not {here}: {feedbacks}");
    }
    stage.verified().await
}

#[tokio::test]
async fn fourteen_hours_before_utc() -> Result<()> {
    fall_on(
        "Pacific/Kiritimati",
        &[
            ("2026-01-30T10:00:00Z", "2026-01-31"),
            ("2026-01-31T09:59:59.999Z", "2026-01-31"),
            ("2026-01-31T10:00:00Z", "2026-02-01"),
            ("2026-02-01T09:59:59.999999Z", "2026-02-01"),
            ("2026-02-01T10:00:00Z", "2026-02-02"),
        ],
    )
    .await
}

#[tokio::test]
async fn eleven_hours_behind_utc_at_the_turn_of_the_year() -> Result<()> {
    fall_on(
        "Pacific/Niue",
        &[
            ("2026-01-01T10:59:59.999Z", "2025-12-31"),
            ("2026-01-01T11:00:00Z", "2026-01-01"),
            ("2026-01-02T10:59:59.999Z", "2026-01-01"),
        ],
    )
    .await
}

#[tokio::test]
async fn a_day_of_23_hours_and_one_of_25() -> Result<()> {
    // 2:30 or 3:30 behind UTC; the clock goes forward at 02:00 on 8 March, and back at 02:00 on 1 November.
    fall_on(
        "America/St_Johns",
        &[
            ("2026-03-08T03:29:59.999Z", "2026-03-07"),
            ("2026-03-08T03:30:00Z", "2026-03-08"),
            ("2026-03-08T05:29:59.999Z", "2026-03-08"),
            ("2026-03-08T05:30:00Z", "2026-03-08"),
            ("2026-03-09T02:29:59.999Z", "2026-03-08"),
            ("2026-03-09T02:30:00Z", "2026-03-09"),
        ],
    )
    .await?;
    fall_on(
        "America/St_Johns",
        &[
            ("2026-11-01T02:29:59.999Z", "2026-10-31"),
            ("2026-11-01T02:30:00Z", "2026-11-01"),
            // 01:59:59.999 and 01:00 of the clock.
            ("2026-11-01T04:29:59.999Z", "2026-11-01"),
            ("2026-11-01T04:30:00Z", "2026-11-01"),
            ("2026-11-02T03:29:59.999Z", "2026-11-01"),
            ("2026-11-02T03:30:00Z", "2026-11-02"),
        ],
    )
    .await
}

#[tokio::test]
async fn the_edges_of_months_and_of_february() -> Result<()> {
    fall_on(
        "UTC",
        &[
            ("2024-02-28T23:59:59.999Z", "2024-02-28"),
            ("2024-02-29T00:00:00Z", "2024-02-29"),
            ("2024-02-29T23:59:59.999Z", "2024-02-29"),
            ("2024-03-01T00:00:00Z", "2024-03-01"),
            ("2024-03-31T23:59:59.999Z", "2024-03-31"),
            ("2024-04-01T00:00:00Z", "2024-04-01"),
        ],
    )
    .await
}

#[tokio::test]
async fn a_visit_before_midnight_and_its_answer_after_it_are_a_view_on_both_days() -> Result<()> {
    let stage = Stage::in_zone("America/St_Johns").await?;
    let form = stage.owner.published(&small_form("Midnight")).await?;
    let link = stage.owner.link(&form, "1_2", &[]).await?;
    let visit = Uuid::new_v4();
    // 23:59 and 00:01 of the clock there.
    stage.seen_by(&link, visit, "2026-07-05T02:29:00Z").await?;
    let words = json!({"words": "good night"});
    stage
        .answered_by(&link, visit, "2026-07-05T02:31:00Z", &words)
        .await?;
    let days = ("2026-07-04", "2026-07-05");
    for bus_prop in ["", "store:A", "store:B"] {
        let report = stage
            .report(Of::Form, &form, days, bus_prop, (2, 1))
            .await?;
        agrees(
            &report["daily"],
            &json!([{"date": "2026-07-04", "views": 1, "responses": 0},
                    {"date": "2026-07-05", "views": 1, "responses": 1, "comments": 1}]),
        )?;
        agrees(
            &report["metrics"],
            &json!({"response_rate": 0.5, "nps": null}),
        )?;
    }
    stage.verified().await
}

#[tokio::test]
async fn a_late_answer_is_counted_on_its_own_day() -> Result<()> {
    let stage = Stage::open().await?;
    let form = stage.owner.published(&small_form("Late")).await?;
    let link = stage.owner.link(&form, "1", &[]).await?;
    let days = ("2021-11-18", "2026-11-21");
    let mut last: Option<Value> = None;
    for (number, at) in ["2026-11-20", "2021-11-18", "2024-02-29"]
        .iter()
        .enumerate()
    {
        stage
            .answered(&link, &format!("{at}T12:00:00Z"), &json!({"score": 0}))
            .await?;
        let count = i64::try_from(number + 1)?;
        let report = stage
            .report(Of::Form, &form, days, "", (count, count))
            .await?;
        let daily = report["daily"].as_array().context("no daily")?;
        let on = daily.iter().find(|counted| counted["date"] == *at);
        agrees(
            on.context("no such day")?,
            &json!({"responses": 1, "detractors": 1}),
        )?;
        if let Some(last) = last {
            let [was, is] = [&last, &report].map(|report| report["as_of"].as_str());
            anyhow::ensure!(was < is, "as_of went from {was:?} to {is:?}");
        }
        last = Some(report);
    }
    stage.verified().await
}
