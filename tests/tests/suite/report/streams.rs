//! CSV and NDJSON of a whole range: every row once, every value back unchanged, nothing that a spreadsheet runs.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};
use tests::client::{Answer, Client};
use tests::form::form;
use tests::report::Of;
use tests::tools;
use uuid::Uuid;

use super::stage::{Stage, moment};
use super::week::{self, WEEK};

/// What begins something that a spreadsheet runs.
const DANGEROUS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
/// Where spreadsheets of some locale begin a cell.
const BEGINNINGS: [char; 6] = [';', ',', '"', '\t', '\n', '\r'];

async fn stream(client: &Client, path: &str, kind: &str) -> Result<Answer> {
    let call = client.call(Method::GET, path).header("accept", kind);
    let answer = call.send().await?.expect(200)?;
    let given = answer.header("content-type").unwrap_or_default();
    ensure!(given.starts_with(kind), "{given} is not {kind}");
    Ok(answer)
}

/// RFC 4180: rows of cells.
fn csv(text: &str) -> Result<Vec<Vec<String>>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    let mut quoted = false;
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            other if quoted => cell.push(other),
            '"' if cell.is_empty() => quoted = true,
            ',' => row.push(std::mem::take(&mut cell)),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            other => {
                ensure!(!['"', '\r'].contains(&other), "a bare {other:?} in a cell");
                cell.push(other);
            }
        }
    }
    ensure!(!quoted, "a quote that is not closed");
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    Ok(rows)
}

/// The rule taken back: a `'` before what would be dangerous, behind `'`s and blanks, is not the value's.
fn unguarded(cell: &str) -> String {
    let pieces = cell.split_inclusive(BEGINNINGS);
    let pieces = pieces.map(|piece| {
        let rest = piece.trim_start_matches(|c: char| c == '\'' || c.is_whitespace());
        let before = piece.strip_suffix(rest).unwrap_or_default();
        match before.strip_suffix('\'') {
            Some(before) if rest.starts_with(DANGEROUS) => format!("{before}{rest}"),
            _ => piece.to_owned(),
        }
    });
    pieces.collect()
}

/// The rows of a CSV by column, as they were before the rule.
fn table(text: &str) -> Result<Vec<BTreeMap<String, String>>> {
    let mut rows = csv(text)?.into_iter();
    let head = rows.next().context("no header")?;
    rows.map(|row| {
        ensure!(row.len() == head.len(), "a row of another width: {row:?}");
        let cells = row.iter().map(|cell| unguarded(cell));
        Ok(head.iter().cloned().zip(cells).collect())
    })
    .collect()
}

#[tokio::test]
async fn a_stream_has_every_row_of_the_list_in_its_order() -> Result<()> {
    let stage = Stage::open().await?;
    let week = week::play(&stage).await?;
    let client = &stage.owner;
    stage.list(Of::Feedbacks, &week.form, WEEK, "", 7).await?;
    for (of, bus_prop) in [
        (Of::Feedbacks, ""),
        (Of::Comments, ""),
        (Of::Feedbacks, "store:Berlin"),
        (Of::Comments, "channel:sms"),
    ] {
        for query in ["", "?track_field=order%3D4711", "?track_field=a%3Db"] {
            let path = format!("{}{query}", of.path(&week.form, WEEK, bus_prop));
            let (items, _) = client.pages(&path).await?;
            let lines = stream(client, &path, "application/x-ndjson").await?;
            let lines: Vec<Value> = lines
                .text()?
                .lines()
                .map(|line| Ok(serde_json::from_str(line)?))
                .collect::<Result<_>>()?;
            ensure!(lines == items, "{path}: {lines:?} are not {items:?}");

            let text = stream(client, &path, "text/csv").await?;
            let text = text.text()?;
            let head = csv(text)?.into_iter().next().context("no header")?;
            ensure!(
                head == [
                    "feedback_id",
                    "submitted_at",
                    "bus_props",
                    "track_fields",
                    "recommend",
                    "mood",
                    "clean",
                    "reason",
                    "seen",
                    "name",
                    "more"
                ],
                "another header: {head:?}"
            );
            let rows = table(text)?;
            ensure!(rows.len() == items.len(), "{path}: {} rows", rows.len());
            for (row, item) in rows.iter().zip(&items) {
                same(row, item).with_context(|| path.clone())?;
            }
        }
    }
    Ok(())
}

/// A row of the CSV says what the item says.
fn same(row: &BTreeMap<String, String>, item: &Value) -> Result<()> {
    for name in ["feedback_id", "submitted_at"] {
        ensure!(item[name] == row[name].as_str(), "{name}: {row:?} {item}");
    }
    for name in ["bus_props", "track_fields"] {
        let cell: Value = serde_json::from_str(&row[name])?;
        ensure!(cell == item[name], "{name}: {row:?} {item}");
    }
    let mut given = 0;
    for answer in item["answers"].as_array().context("no answers")? {
        let key = answer["key"].as_str().context("no key")?;
        let cell = row.get(key).context("no such column")?;
        let value = &answer["value"];
        let equal = match value {
            Value::String(text) => text == cell,
            Value::Number(number) => number.to_string() == *cell,
            // However a list is written in a cell, its values are in it in their order.
            list => {
                let values = list.as_array().context("no value")?.iter();
                let values = values.map(|value| value.as_str().unwrap_or_default());
                let mut rest = cell.as_str();
                values
                    .into_iter()
                    .all(|value| match rest.split_once(value) {
                        Some((_, after)) => {
                            rest = after;
                            true
                        }
                        None => false,
                    })
            }
        };
        ensure!(equal, "{key}: {cell:?} is not {value}");
        given += 1;
    }
    let columns = row.iter().filter(|(name, cell)| {
        let fixed = ["feedback_id", "submitted_at", "bus_props", "track_fields"];
        !fixed.contains(&name.as_str()) && !cell.is_empty()
    });
    ensure!(columns.count() == given, "more in {row:?} than in {item}");
    Ok(())
}

#[tokio::test]
async fn every_text_comes_back_unchanged_and_none_is_run() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&form()).await?;
    let mut texts: Vec<String> = [
        "=SUM(A1:A9)",
        "=cmd|' /C calc'!A0",
        "+4915112345678",
        "-1+1",
        "-5",
        "@here",
        "'=1",
        "''=1",
        "'",
        "''",
        "'quoted'",
        "'+49",
        "plain",
        "a,b",
        "a\"b\"",
        "\"",
        "two\nlines",
        "two\r\nlines",
        "tab\there",
        " =1",
        ";=1",
        "，=1",
        "ünï 😀",
        "1e5",
        "007",
        "NULL",
        "null",
        "\u{feff}bom",
        "\u{202e}rtl",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.extend(tools::naughty_strings()?);
    // What no answer can be is another test's.
    texts.retain(|text| {
        !text.trim().is_empty() && !text.contains('\0') && text.chars().count() <= 1_000
    });
    let link = client.link(&form, "1", &[]).await?;
    let mut given = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let at = moment("2026-03-04T08:00:00Z")? + TimeDelta::seconds(i64::try_from(number)?);
        let answers = json!({"recommend": 9, "name": text, "more": text});
        given.push((Uuid::new_v4(), at, answers));
    }
    for part in given.chunks(100) {
        stage.answered_all(&link, part).await?;
    }
    let path = Of::Feedbacks.path(&form, WEEK, "");
    let (items, _) = client.pages(&format!("{path}?limit=1000")).await?;
    ensure!(items.len() == texts.len(), "{} rows", items.len());
    let answer = stream(client, &path, "text/csv").await?;
    let text = answer.text()?;
    let raw = csv(text)?;
    let head = raw.first().context("no header")?;
    for row in raw.get(1..).unwrap_or_default() {
        for (column, cell) in head.iter().zip(row) {
            let number = cell.parse::<f64>().is_ok();
            ensure!(
                number || !cell.trim_start().starts_with(DANGEROUS),
                "a spreadsheet runs {column}: {cell:?}"
            );
        }
    }
    let rows = table(text)?;
    ensure!(rows.len() == items.len(), "{} rows", rows.len());
    for (row, item) in rows.iter().zip(&items) {
        same(row, item)?;
    }
    // A value may lose the white space around it when it is stored, but nothing after that.
    let lines = stream(client, &path, "application/x-ndjson").await?;
    for ((line, item), text) in lines.text()?.lines().zip(&items).zip(texts.iter().rev()) {
        let row: Value = serde_json::from_str(line)?;
        ensure!(row == *item, "{row} is not {item}");
        let kept = item["comment"].as_str().context("no comment")?;
        let even = |text: &str| text.trim().replace("\r\n", "\n");
        ensure!(even(kept) == even(text), "{kept:?} was {text:?}");
    }
    Ok(())
}

#[tokio::test]
async fn what_links_carry_is_one_cell_of_json_each() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let mut content = form();
    content["bus_props"] = json!(["=1+1:@x", "quote:\"a\",'b'"]);
    let form = client.published(&content).await?;
    let naughty: Vec<String> = tools::naughty_strings()?
        .into_iter()
        .filter(|text| !text.contains('\0') && text.len() <= 1_000)
        .collect();
    let mut count = 0;
    for texts in naughty.chunks(6 * 12) {
        let fields: Vec<String> = texts
            .iter()
            .take(6)
            .enumerate()
            .map(|(number, text)| format!("{number}={text}"))
            .collect();
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|field| ("track_field", field.as_str()))
            .collect();
        let link = client.link(&form, "1_2", &fields).await?;
        stage
            .answered(&link, "2026-03-04T08:00:00Z", &json!({"recommend": 1}))
            .await?;
        count += 1;
    }
    let path = Of::Feedbacks.path(&form, WEEK, "");
    let (items, _) = client.pages(&path).await?;
    ensure!(items.len() == count, "{} rows", items.len());
    let answer = stream(client, &path, "text/csv").await?;
    for (row, item) in table(answer.text()?)?.iter().zip(&items) {
        same(row, item)?;
        ensure!(
            item["bus_props"] == json!(["=1+1:@x", "quote:\"a\",'b'"]),
            "{item}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_stream_is_whole_beyond_any_page_and_an_empty_one_is_a_header() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&form()).await?;
    let link = client.link(&form, "2", &[]).await?;
    let empty = Of::Feedbacks.path(&form, WEEK, "store:Berlin");
    let answer = stream(client, &empty, "text/csv").await?;
    let rows = csv(answer.text()?)?;
    ensure!(rows.len() == 1 && rows[0].len() == 11, "{rows:?}");
    let answer = stream(client, &empty, "application/x-ndjson").await?;
    ensure!(answer.body.is_empty(), "{answer:?}");

    let mut ids = Vec::new();
    for part in 0..12_i64 {
        let from = moment("2026-03-04T08:00:00Z")? + TimeDelta::minutes(part);
        let given: Vec<_> = (0..250)
            .map(|number| {
                // Many of the same moment, so that pages are cut within one.
                let at = from + TimeDelta::milliseconds(number / 100);
                (Uuid::new_v4(), at, json!({"recommend": number % 11}))
            })
            .collect();
        ids.extend(stage.answered_all(&link, &given).await?);
    }
    ids.sort_unstable_by(|one, other| other.cmp(one));
    let path = Of::Feedbacks.path(&form, WEEK, "");
    let answer = stream(client, &path, "text/csv").await?;
    let listed: Vec<Uuid> = table(answer.text()?)?
        .iter()
        .map(|row| Ok(row["feedback_id"].parse()?))
        .collect::<Result<_>>()?;
    ensure!(listed == ids, "{} rows of {}", listed.len(), ids.len());
    let answer = stream(client, &path, "application/x-ndjson").await?;
    ensure!(answer.text()?.lines().count() == ids.len(), "lines");
    Ok(())
}

#[tokio::test]
async fn the_kind_is_chosen_by_what_is_liked_best() -> Result<()> {
    let stage = Stage::open().await?;
    let client = &stage.owner;
    let form = client.published(&form()).await?;
    for of in [Of::Feedbacks, Of::Comments] {
        let path = of.path(&form, WEEK, "");
        for (accept, kind) in [
            ("text/csv", "text/csv"),
            ("application/x-ndjson", "application/x-ndjson"),
            ("application/json", "application/json"),
            ("*/*", "application/json"),
            ("text/html", "application/json"),
            ("nonsense", "application/json"),
            ("text/csv;q=0", "application/json"),
            ("text/csv;q=0.5, application/json", "application/json"),
            ("text/csv, application/json;q=0.9", "text/csv"),
            (
                "application/x-ndjson;q=0.9, text/csv;q=0.8",
                "application/x-ndjson",
            ),
        ] {
            let call = client.call(Method::GET, &path).header("accept", accept);
            let answer = call.send().await?.expect(200)?;
            let given = answer.header("content-type").unwrap_or_default();
            ensure!(given.starts_with(kind), "{accept}: {given}");
            let vary = answer.header("vary").unwrap_or_default().to_lowercase();
            ensure!(vary.contains("accept"), "{accept}: Vary is {vary}");
        }
    }
    Ok(())
}
