//! What is refused, and what only looks as if it should be.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tests::client::Client;
use tests::form::{form, form_path};
use tests::oracle::agrees;
use tests::report::{Of, overview};

use super::stage::{Stage, small_form};
use super::week::{self, WEEK};

const UNKNOWN: &str = "01890000-0000-7000-8000-000000000000";

async fn refused(client: &Client, path: &str) -> Result<()> {
    let answer = client.get(path).await?;
    answer
        .problem(400, "invalid_parameter")
        .with_context(|| path.to_owned())?;
    Ok(())
}

#[tokio::test]
async fn what_is_no_range_of_days_is_refused() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Days")).await?;
    let good = "2026-03-02";
    let mut ranges: Vec<(String, String)> = Vec::new();
    for bad in [
        "2026-02-30",
        "2026-13-01",
        "26-1-1",
        "2026-1-1",
        "2026-02-29",
        "2026-00-10",
        "2026-01-00",
        "0000-01-01",
        "10000-01-01",
        "20260101",
        "2026-01-01T00:00:00Z",
        "2026-W01-1",
        "+2026-01-01",
        "-2026-01-01",
        "%202026-01-01",
        "2026-01-01%00",
        "2026%2F01%2F01",
        "today",
        "%FF",
        "%D9%A2%D9%A0%D9%A2%D9%A6-%D9%A0%D9%A1-%D9%A0%D9%A1",
    ] {
        ranges.push((bad.to_owned(), good.to_owned()));
        ranges.push((good.to_owned(), bad.to_owned()));
    }
    for (start, end) in [
        ("2026-03-03", "2026-03-02"),
        ("9999-12-31", "0001-01-01"),
        // A day more than the limit of 1,830.
        ("2020-01-01", "2025-01-04"),
        ("0001-01-01", "9999-12-31"),
    ] {
        ranges.push((start.to_owned(), end.to_owned()));
    }
    for (start, end) in &ranges {
        let days = (start.as_str(), end.as_str());
        refused(client, &overview(days)).await?;
        for of in Of::ALL {
            refused(client, &of.path(&form, days, "")).await?;
            refused(client, &of.path(&form, days, "store:A")).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_longest_range_the_first_and_the_last_day_are_reported() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Days")).await?;
    for days in [
        ("2020-01-01", "2025-01-03"),
        ("0001-01-01", "0001-01-01"),
        ("9999-12-31", "9999-12-31"),
        ("9999-01-01", "9999-12-31"),
    ] {
        client.overview(days).await?;
        for of in [Of::Form, Of::Feedbacks, Of::Comments] {
            client.report(of, &form, days, "").await?;
        }
        if days.0 == "0001-01-01" {
            // No days come before the first one.
            refused(client, &Of::Summary.path(&form, days, "")).await?;
        } else {
            client.report(Of::Summary, &form, days, "").await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_range_to_come_is_zeros_and_nulls() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    let days = ("2090-01-01", "2090-01-31");
    let nothing = json!({
        "views": 0, "responses": 0, "response_rate": null, "comments": 0,
        "happiness_rate": null, "happiness": {"happy": 0, "answers": 0, "low": null, "high": null},
        "nps": null, "nps_detail": {"promoters": 0, "passives": 0, "detractors": 0, "answers": 0,
                                    "low": null, "high": null},
    });
    let summary = stage
        .owner
        .report(Of::Summary, &week.form, days, "")
        .await?;
    agrees(
        &summary,
        &json!({"metrics": nothing, "previous": {"metrics": nothing},
                "change": {"views": 0, "response_rate": null, "happiness_rate": null, "nps": null}}),
    )?;
    let report = stage
        .owner
        .report(Of::Form, &week.form, days, "store:Berlin")
        .await?;
    agrees(&report, &json!({"metrics": nothing, "latest_comments": []}))?;
    for field in report["fields"].as_array().context("no fields")? {
        agrees(field, &json!({"answers": 0, "skipped": 0, "mean": null}))?;
        for share in field["distribution"]
            .as_array()
            .context("no distribution")?
        {
            agrees(share, &json!({"count": 0, "share": null}))?;
        }
    }
    let overview = stage.owner.overview(days).await?;
    agrees(&overview["metrics"], &nothing)?;
    for of in [Of::Feedbacks, Of::Comments] {
        let list = stage.owner.report(of, &week.form, days, "").await?;
        agrees(
            &list,
            &json!({"total": 0, "items": [], "next_cursor": null}),
        )?;
    }
    Ok(())
}

#[tokio::test]
async fn a_form_that_is_none_or_somebody_elses_is_not_reported() -> Result<()> {
    let stage = Stage::open().await?;
    let others = stage.app.client().await?;
    let theirs = others.published(&small_form("Theirs")).await?;
    let client = &stage.owner;
    for of in Of::ALL {
        for bus_prop in ["", "store:A"] {
            for bad in [
                "nonsense",
                "1",
                "01890000-0000-7000-8000-00000000000",
                "01890000-0000-7000-8000-00000000000g",
                "%FF",
                "%00",
            ] {
                refused(client, &of.path_of(bad, WEEK, bus_prop)).await?;
            }
            let unknown = client.get(&of.path_of(UNKNOWN, WEEK, bus_prop)).await?;
            unknown.problem(404, "not_found")?;
            let foreign = client.get(&of.path(&theirs, WEEK, bus_prop)).await?;
            foreign.problem(404, "not_found")?;
        }
        // Whether there is such a form is asked before what is wanted of it.
        for form_id in [UNKNOWN, theirs["form_id"].as_str().unwrap_or_default()] {
            let path = of.path_of(form_id, ("2026-13-01", "x"), "nonsense");
            let unknown = client.get(&format!("{path}?limit=0")).await?;
            unknown.problem(404, "not_found")?;
        }
        // As a stream just as well.
        let call = client.call(Method::GET, &of.path(&theirs, WEEK, ""));
        let foreign = call.header("accept", "text/csv").send().await?;
        foreign.problem(404, "not_found")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_form_of_any_status_is_reported() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let draft = client.draft(&small_form("Draft")).await?;
    let gone = client.published(&small_form("Gone")).await?;
    let link = client.link(&gone, "2", &[]).await?;
    let words = json!({"score": 10, "words": "still here"});
    stage
        .answered(&link, "2026-03-04T12:00:00Z", &words)
        .await?;
    client.delete(&form_path(&gone)).await?.expect(200)?;
    for of in Of::ALL {
        client.report(of, &draft, WEEK, "store:A").await?;
    }
    stage
        .report(Of::Form, &gone, WEEK, "store:B", (1, 1))
        .await?;
    stage.report(Of::Summary, &gone, WEEK, "", (1, 1)).await?;
    for of in [Of::Feedbacks, Of::Comments] {
        stage.list(of, &gone, WEEK, "store:B", 1).await?;
        stage.list(of, &gone, WEEK, "store:A", 0).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_bus_prop_that_the_form_has_not_is_refused() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&form()).await?;
    let other = client.published(&small_form("Other")).await?;
    let long = format!("store:{}", "x".repeat(3_000));
    for bad in [
        "Berlin",
        "store",
        "store:",
        ":Berlin",
        ":",
        "1",
        "store:Kiel",
        "Store:Berlin",
        "store:berlin",
        "store: Berlin",
        " store:Berlin",
        "store:Berlin ",
        "store:Berlin:",
        "store:Ber",
        "store:A",
        "store:Berlin\u{0}",
        "store:Berlin/",
        &long,
    ] {
        for of in Of::ALL {
            refused(client, &of.path(&form, WEEK, bad)).await?;
        }
    }
    for of in Of::ALL {
        refused(client, &format!("{}/store:%FF", of.path(&form, WEEK, ""))).await?;
        client.report(of, &other, WEEK, "store:A").await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_bus_prop_may_hold_whatever_a_segment_can() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let names = [
        "url:https://example.org/a:b?c=d&e#f",
        "path:a/b/c",
        "Geschäft:Köln ☕ 東京",
        "rate:100%",
        "raw:%2F",
        "sum:a+b c",
        "up:../..",
        "quote:\"'\\",
        "semi:a;b,c",
    ];
    let mut content = small_form("Names");
    content["bus_props"] = json!(names);
    let form = client.published(&content).await?;
    for (number, name) in names.iter().enumerate() {
        let link = client.link(&form, &(number + 1).to_string(), &[]).await?;
        for _ in 0..=number {
            stage
                .answered(&link, "2026-03-04T12:00:00Z", &json!({"score": 1}))
                .await?;
        }
        let count = i64::try_from(number + 1)?;
        for of in [Of::Form, Of::Summary] {
            stage
                .report(of, &form, WEEK, name, (count, count))
                .await
                .with_context(|| (*name).to_owned())?;
        }
        stage.list(Of::Feedbacks, &form, WEEK, name, count).await?;
        stage.list(Of::Comments, &form, WEEK, name, 0).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_page_of_no_size_or_of_another_list_is_refused() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Pages")).await?;
    for of in [Of::Feedbacks, Of::Comments] {
        let path = of.path(&form, WEEK, "");
        for query in [
            "limit=0",
            "limit=1001",
            "limit=x",
            "limit=",
            "limit=-1",
            "limit=1.5",
            "limit=99999999999999999999",
            "limit=1&limit=2",
            "cursor=",
            "cursor=nonsense",
            "cursor=AAAA",
            "cursor=%00",
            "cursor=%FF",
            "track_field=nonsense",
            "track_field=",
            "track_field==x",
            "track_field=%FF=x",
        ] {
            refused(client, &format!("{path}?{query}")).await?;
        }
        for limit in ["limit=1", "limit=1000"] {
            client.get(&format!("{path}?{limit}")).await?.expect(200)?;
        }
        for kind in ["text/csv", "application/x-ndjson"] {
            for query in ["limit=10", "cursor=nonsense", "limit=0"] {
                let call = client.call(Method::GET, &format!("{path}?{query}"));
                let answer = call.header("accept", kind).send().await?;
                answer
                    .problem(400, "invalid_parameter")
                    .with_context(|| format!("{kind} {query}"))?;
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn whoever_may_not_or_asks_wrongly_is_told() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Keys")).await?;
    let link = client.link(&form, "1", &[]).await?;
    let id = stage
        .answered(&link, "2026-03-04T12:00:00Z", &json!({"score": 1}))
        .await?;
    let feedback = format!("/api_v1/feedback/{id}");
    let only = async |scopes: &str| -> Result<Client> {
        let keys = stage.app.create_key("shop", &["--scopes", scopes]).await?;
        Ok(stage.app.anonymous()?.with_keys(&keys))
    };
    let (without, reader) = (only("import,form,link").await?, only("report").await?);
    let anonymous = stage.app.anonymous()?;
    let bad = ("2026-13-01", "x");
    let mut paths = vec![overview(WEEK), overview(bad)];
    for of in Of::ALL {
        paths.extend([of.path(&form, WEEK, ""), of.path(&form, bad, "nonsense")]);
        paths.push(of.path_of(UNKNOWN, WEEK, ""));
    }
    for path in &paths {
        anonymous.get(path).await?.problem(401, "unauthenticated")?;
        without.get(path).await?.problem(403, "forbidden")?;
        for method in [Method::POST, Method::PUT, Method::DELETE] {
            let answer = client.call(method, path).send().await?;
            answer.problem(405, "method_not_allowed")?;
            let allowed = answer.header("allow").unwrap_or_default();
            ensure!(allowed.contains("GET"), "{path}: {answer:?}");
        }
    }
    reader.get(&overview(WEEK)).await?.expect(200)?;
    anonymous
        .delete(&feedback)
        .await?
        .problem(401, "unauthenticated")?;
    reader.delete(&feedback).await?.problem(403, "forbidden")?;
    for bad in ["nonsense", "1", "%FF"] {
        let answer = client.delete(&format!("/api_v1/feedback/{bad}")).await?;
        answer.problem(400, "invalid_parameter")?;
    }
    let unknown = client
        .delete(&format!("/api_v1/feedback/{UNKNOWN}"))
        .await?;
    unknown.problem(404, "not_found")?;
    client.delete(&feedback).await?.expect(204)?;
    Ok(())
}
