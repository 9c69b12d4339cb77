//! Lists of feedbacks, page by page, while more come.

use anyhow::{Context, Result, ensure};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tests::form::short_form;
use tests::report::{Of, page};
use tests::wait::{SOON, eventually};
use uuid::Uuid;

use super::stage::{Stage, moment, small_form};
use super::week::WEEK;

/// So many answers, seconds apart, every third with words.
async fn fill(stage: &Stage, link: &Value, from: &str, count: i64) -> Result<Vec<Uuid>> {
    let mut given = Vec::new();
    for number in 0..count {
        let at = moment(from)? + TimeDelta::seconds(number);
        let answers = if number % 3 == 0 {
            json!({"score": number % 11, "words": format!("number {number}")})
        } else {
            json!({"score": number % 11})
        };
        given.push((Uuid::new_v4(), at, answers));
    }
    stage.answered_all(link, &given).await
}

fn id(item: &Value) -> Result<Uuid> {
    let id = item["feedback_id"].as_str().context("no feedback_id")?;
    Ok(id.parse()?)
}

#[tokio::test]
async fn every_row_of_the_first_page_comes_once_while_others_come_and_go() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Pages")).await?;
    let link = client.link(&form, "1", &[]).await?;
    let there = fill(&stage, &link, "2026-03-04T08:00:00Z", 230).await?;
    let path = Of::Feedbacks.path(&form, WEEK, "");
    let mut listed: BTreeMap<Uuid, usize> = BTreeMap::new();
    let mut order = Vec::new();
    let (mut next, mut pages) = (Some(format!("{path}?limit=23")), 0);
    let mut gone = None;
    while let Some(path) = next {
        let answer = client.get(&path).await?.expect(200)?;
        let (items, link_to_next) = page(&answer)?;
        ensure!(items.len() <= 23, "more than asked for: {}", items.len());
        for item in &items {
            *listed.entry(id(item)?).or_default() += 1;
            order.push(id(item)?);
        }
        next = link_to_next;
        pages += 1;
        // Newer ones at every turn, also in the middle of the day's rows.
        fill(&stage, &link, "2026-03-05T08:00:00Z", 7).await?;
        let in_between = [(
            Uuid::new_v4(),
            moment("2026-03-04T08:03:50.500Z")?,
            json!({"score": 5}),
        )];
        stage.answered_all(&link, &in_between).await?;
        if pages == 2 {
            let last = there.first().context("no row")?;
            let path = format!("/api_v1/feedback/{last}");
            client.delete(&path).await?.expect(204)?;
            gone = Some(*last);
        }
    }
    for id in &there {
        let times = listed.get(id).copied().unwrap_or_default();
        let wanted = usize::from(gone != Some(*id));
        ensure!(times == wanted, "{id} came {times} times");
    }
    ensure!(listed.values().all(|times| *times == 1), "a row came twice");
    let sorted = {
        let mut sorted = order.clone();
        sorted.sort_unstable_by(|one, other| other.cmp(one));
        sorted
    };
    ensure!(order == sorted, "not newest first");
    Ok(())
}

#[tokio::test]
async fn pages_of_any_size_hold_the_same_rows() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Pages")).await?;
    let a = client.link(&form, "1", &[]).await?;
    let both = client.link(&form, "1_2", &[]).await?;
    // Some of them of the same moment: the order is one all the same.
    for _ in 0..2 {
        fill(&stage, &a, "2026-03-02T00:00:00Z", 60).await?;
        fill(&stage, &both, "2026-03-08T23:58:00Z", 40).await?;
    }
    for (of, bus_prop, total) in [
        (Of::Feedbacks, "", 200),
        (Of::Feedbacks, "store:A", 200),
        (Of::Feedbacks, "store:B", 80),
        (Of::Comments, "", 68),
        (Of::Comments, "store:B", 28),
    ] {
        let list = stage.list(of, &form, WEEK, bus_prop, total).await?;
        let path = of.path(&form, WEEK, bus_prop);
        let total = usize::try_from(total)?;
        let first = list["items"].as_array().context("no items")?.len();
        ensure!(first == total.min(50), "{first} on a page by default");
        let mut wanted: Option<Vec<Value>> = None;
        for limit in [1, 7, 40, 50, total, 1_000] {
            let limit = limit.min(1_000);
            if limit == 1 && total > 80 {
                continue;
            }
            let (items, pages) = client.pages(&format!("{path}?limit={limit}")).await?;
            ensure!(
                items.len() == total && pages == total.div_ceil(limit),
                "{} on {pages} pages of {limit}",
                items.len()
            );
            let distinct: BTreeSet<String> = items
                .iter()
                .map(|item| item["feedback_id"].to_string())
                .collect();
            ensure!(distinct.len() == total, "a row came twice");
            if let Some(wanted) = &wanted {
                ensure!(*wanted == items, "other rows on pages of {limit}");
            }
            wanted = Some(items);
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_cursor_leads_on_in_its_own_list_only() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Cursors")).await?;
    let other = client.published(&small_form("Others")).await?;
    let tracked = [("track_field", "zone=north")];
    for form in [&form, &other] {
        let link = client.link(form, "1_2", &tracked).await?;
        fill(&stage, &link, "2026-03-04T08:00:00Z", 12).await?;
    }
    let path = Of::Feedbacks.path(&form, WEEK, "");
    let cursor_of = async |path: &str| -> Result<String> {
        let list = client.get(path).await?.expect(200)?.json()?;
        let cursor = list["next_cursor"].as_str().context("no cursor")?;
        Ok(cursor.to_owned())
    };
    let cursor = cursor_of(&format!("{path}?limit=3")).await?;
    let more = format!("{path}?limit=3&cursor={cursor}");
    client.get(&more).await?.expect(200)?;
    // Another size is the same list.
    client
        .get(&format!("{path}?limit=4&cursor={cursor}"))
        .await?
        .expect(200)?;
    let next_day = (WEEK.0, "2026-03-09");
    for elsewhere in [
        Of::Comments.path(&form, WEEK, ""),
        Of::Feedbacks.path(&form, WEEK, "store:A"),
        Of::Feedbacks.path(&form, next_day, ""),
        Of::Feedbacks.path(&other, WEEK, ""),
        tests::import::IMPORT.to_owned(),
        format!("{}/list/PUBLISHED", tests::form::FORM),
    ] {
        let answer = client.get(&format!("{elsewhere}?cursor={cursor}")).await?;
        answer
            .problem(400, "invalid_parameter")
            .with_context(|| elsewhere)?;
    }
    let narrowed = format!("{path}?cursor={cursor}&track_field=zone%3Dnorth");
    client
        .get(&narrowed)
        .await?
        .problem(400, "invalid_parameter")?;
    let narrow = cursor_of(&format!("{path}?limit=3&track_field=zone%3Dnorth")).await?;
    let answer = client.get(&format!("{path}?cursor={narrow}")).await?;
    answer.problem(400, "invalid_parameter")?;
    // Forged: a character changed, one less, one more.
    let characters: Vec<char> = cursor.chars().collect();
    for place in (0..characters.len()).step_by(5) {
        let mut forged = characters.clone();
        forged[place] = if forged[place] == 'A' { 'B' } else { 'A' };
        let forged: String = forged.into_iter().collect();
        let answer = client.get(&format!("{path}?cursor={forged}")).await?;
        answer
            .problem(400, "invalid_parameter")
            .with_context(|| format!("changed at {place}"))?;
    }
    for forged in [
        cursor.get(1..).unwrap_or_default().to_owned(),
        cursor
            .get(..cursor.len() - 1)
            .unwrap_or_default()
            .to_owned(),
        format!("{cursor}A"),
        format!("{cursor}%3D"),
        cursor.to_lowercase(),
    ] {
        let answer = client.get(&format!("{path}?cursor={forged}")).await?;
        answer.problem(400, "invalid_parameter")?;
    }
    Ok(())
}

#[tokio::test]
async fn what_a_link_tracks_narrows_the_list() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Tracking")).await?;
    let long = format!("long={}", "ä".repeat(500));
    let north = [
        ("track_field", "zone=north"),
        ("track_field", "sum=a=b=c"),
        ("track_field", "empty="),
    ];
    let south = [
        ("track_field", "zone=south"),
        ("track_field", "ünï/%=😀 \"quoted\" \\ ' end"),
        ("track_field", long.as_str()),
    ];
    let north = client.link(&form, "1", &north).await?;
    let south = client.link(&form, "2", &south).await?;
    let none = client.link(&form, "", &[]).await?;
    fill(&stage, &north, "2026-03-03T08:00:00Z", 30).await?;
    fill(&stage, &south, "2026-03-04T08:00:00Z", 21).await?;
    fill(&stage, &none, "2026-03-05T08:00:00Z", 9).await?;
    stage.list(Of::Feedbacks, &form, WEEK, "", 60).await?;
    for (fields, total) in [
        (&["zone=north"][..], 30),
        (&["zone=south"], 21),
        (&["zone=nort"], 0),
        (&["Zone=north"], 0),
        (&["zone="], 0),
        (&["empty="], 30),
        (&["sum=a=b=c"], 30),
        (&["sum=a"], 0),
        (&["zone=north", "sum=a=b=c"], 30),
        (&["zone=south", "ünï/%=😀 \"quoted\" \\ ' end"], 21),
        (&[long.as_str()], 21),
        (&["zone=%"], 0),
        (&["zone=_____"], 0),
    ] {
        let query: Vec<String> = fields
            .iter()
            .map(|field| format!("track_field={}", tests::import::segment(field)))
            .collect();
        let query = query.join("&");
        for (of, bus_prop) in [
            (Of::Feedbacks, ""),
            (Of::Comments, ""),
            (Of::Feedbacks, "store:A"),
        ] {
            let path = format!("{}?{query}&limit=8", of.path(&form, WEEK, bus_prop));
            let wanted = match (of, bus_prop) {
                (Of::Comments, _) => total / 3,
                (_, "store:A") if total == 21 => 0,
                _ => total,
            };
            let list = client.get(&path).await?.expect(200)?.json()?;
            let (items, _) = client.pages(&path).await?;
            ensure!(
                list["total"] == wanted && items.len() == usize::try_from(wanted)?,
                "not {wanted} but {} of {fields:?}: {list}",
                items.len()
            );
        }
    }
    // One at a time.
    let path = Of::Feedbacks.path(&form, WEEK, "");
    let both = format!("{path}?track_field=zone%3Dnorth&track_field=zone%3Dsouth");
    let answer = client.get(&both).await?;
    answer.problem(400, "invalid_parameter")?;
    Ok(())
}

#[tokio::test]
async fn a_total_is_what_the_pages_list_while_answers_pour_in() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Totals")).await?;
    let link = client.link(&form, "1", &[]).await?;
    for round in 0..12 {
        let from = format!("2026-03-0{}T08:00:00Z", 2 + round % 7);
        let ids = fill(&stage, &link, &from, 20).await?;
        if round % 3 == 2 {
            let first = ids.first().context("no row")?;
            let path = format!("/api_v1/feedback/{first}");
            client.delete(&path).await?.expect(204)?;
        }
        for of in [Of::Feedbacks, Of::Comments] {
            for bus_prop in ["", "store:A", "store:B"] {
                // All on one page, so in one look at the database; whatever the roll-up has done by now.
                let path = format!("{}?limit=1000", of.path(&form, WEEK, bus_prop));
                let list = client.get(&path).await?.expect(200)?.json()?;
                let items = list["items"].as_array().context("no items")?.len();
                ensure!(
                    list["total"].as_u64() == Some(u64::try_from(items)?),
                    "{items} listed: {}",
                    list["total"]
                );
                if bus_prop != "store:B" && of == Of::Feedbacks {
                    let erased = (round + 1) / 3;
                    let wanted = usize::try_from(20 * (round + 1) - erased)?;
                    ensure!(items == wanted, "{items} of {wanted} are listed");
                }
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_of_now_is_on_the_list_at_once_and_in_reports_soon() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&short_form("Now")).await?;
    let link = client.link(&form, "", &[]).await?;
    let visitor = tests::visitor::Visitor::new(&stage.app.anonymous()?, &link)?;
    visitor.view().await?.expect(204)?;
    let id = visitor.stored(&json!({"mood": 5, "more": "now"})).await?;
    let today = Utc::now().date_naive();
    let [from, to] = [today.pred_opt(), today.succ_opt()].map(Option::unwrap_or_default);
    let (from, to) = (from.to_string(), to.to_string());
    let days = (from.as_str(), to.as_str());
    for of in [Of::Feedbacks, Of::Comments] {
        let list = client.report(of, &form, days, "").await?;
        ensure!(
            list["total"] == 1 && list["items"][0]["feedback_id"] == id,
            "not there: {list}"
        );
    }
    let report = stage.report(Of::Form, &form, days, "", (1, 1)).await?;
    ensure!(
        report["latest_comments"][0]["comment"] == "now"
            && report["metrics"]["happiness_rate"] == 1.0,
        "{report}"
    );
    eventually(SOON, async || {
        let overview = client.overview(days).await?;
        ensure!(overview["metrics"]["responses"] == 1, "{overview}");
        Ok(())
    })
    .await
}
