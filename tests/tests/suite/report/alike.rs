//! Lists that are the same whatever the database is: their order, their bytes, and what a search finds.

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};
use tests::import::segment;
use tests::report::Of;
use uuid::Uuid;

use super::stage::{Stage, moment, small_form};
use super::week::WEEK;

#[tokio::test]
async fn what_came_in_the_same_millisecond_is_listed_newest_first() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Quick")).await?;
    let link = client.link(&form, "1", &[]).await?;
    let began = moment("2026-03-04T08:00:00.123Z")?;
    let given = (0..20).map(|number| {
        let at = began + TimeDelta::microseconds(number * 50);
        (Uuid::new_v4(), at, json!({"score": number % 11}))
    });
    let mut ids = stage
        .answered_all(&link, &given.collect::<Vec<_>>())
        .await?;
    ids.reverse();
    let list = stage.list(Of::Feedbacks, &form, WEEK, "", 20).await?;
    let items = list["items"].as_array().context("no items")?;
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let listed: Vec<&str> = items
        .iter()
        .filter_map(|item| item["feedback_id"].as_str())
        .collect();
    ensure!(listed == ids, "not newest first: {list}");
    Ok(())
}

#[tokio::test]
async fn tracking_fields_are_the_same_bytes_on_every_database() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Fields")).await?;
    let fields = [("track_field", "b=1"), ("track_field", "aa=2")];
    let link = client.link(&form, "1", &fields).await?;
    let at = moment("2026-03-04T08:00:00Z")?;
    let given = [(Uuid::new_v4(), at, json!({"score": 1}))];
    stage.answered_all(&link, &given).await?;
    stage.list(Of::Feedbacks, &form, WEEK, "", 1).await?;
    let path = Of::Feedbacks.path(&form, WEEK, "");
    let (object, quoted) = (r#"{"aa":"2","b":"1"}"#, r#""{""aa"":""2"",""b"":""1""}""#);
    for (kind, wanted) in [
        ("application/json", object),
        ("application/x-ndjson", object),
        ("text/csv", quoted),
    ] {
        let call = client.call(Method::GET, &path).header("accept", kind);
        let answer = call.send().await?.expect(200)?;
        ensure!(
            answer.text()?.contains(wanted),
            "{kind}: {}",
            answer.text()?
        );
    }
    Ok(())
}

#[tokio::test]
async fn words_are_found_whatever_their_case_in_any_alphabet() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&small_form("Words")).await?;
    let link = client.link(&form, "1", &[]).await?;
    let at = moment("2026-03-04T08:00:00Z")?;
    let texts = [
        "ÄRGER in der Straße",
        "ärger: οδός, Οδος",
        "100% [x] a.b *?\\",
    ];
    let given = texts.map(|text| (Uuid::new_v4(), at, json!({"score": 1, "words": text})));
    stage.answered_all(&link, &given).await?;
    let path = Of::Feedbacks.path(&form, WEEK, "");
    for (words, found) in [
        ("Ärger", 2),
        ("ärGER", 2),
        ("STRA\u{1e9e}E", 1),
        ("ΟΔΟΣ", 1),
        ("% [X]", 1),
        ("A.B *?\\", 1),
        ("a?b", 0),
        ("[abc]", 0),
        ("x.*b", 0),
    ] {
        let list = client.get(&format!("{path}?q={}", segment(words))).await?;
        let list: Value = list.expect(200)?.json()?;
        let items = list["items"].as_array().map_or(0, Vec::len);
        ensure!(items == found && list["total"] == found, "{words}: {list}");
    }
    Ok(())
}
