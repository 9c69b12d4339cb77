//! Spreadsheets have what the API and the pages have.

use std::io::Cursor;

use anyhow::{Context, Result, ensure};
use calamine::{Data, Reader, Xlsx};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tests::app::App;
use tests::client::{Answer, Client};
use tests::form::form;
use tests::import::record;
use tests::person::Person;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const FORMULA: &str = "=cmd|' /C calc'!A0";

/// The rows of the first sheet by their headers, and the number of sheets.
pub(super) fn rows(answer: Answer) -> Result<(Vec<Value>, usize)> {
    let answer = answer.expect(200)?;
    ensure!(answer.header("content-type") == Some(XLSX), "{answer:?}");
    let name = answer.header("content-disposition").unwrap_or_default();
    ensure!(
        name.starts_with("attachment") && name.contains(".xlsx"),
        "{name}"
    );
    let mut book = Xlsx::new(Cursor::new(answer.body.to_vec()))?;
    let names = book.sheet_names();
    let sheet = book.worksheet_range(&names[0])?;
    let mut rows = sheet.rows();
    let headers: Vec<_> = rows
        .next()
        .context("no headers")?
        .iter()
        .map(ToString::to_string)
        .collect();
    let value = |cell: &Data| match cell {
        Data::Float(number) => json!(number),
        Data::DateTime(at) => {
            let (year, month, day, hour, minute, second, _) = at.to_ymd_hms_milli();
            json!(format!(
                "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
            ))
        }
        Data::Empty => Value::Null,
        other => json!(other.to_string()),
    };
    let rows = rows.map(|row| headers.iter().cloned().zip(row.iter().map(value)).collect());
    Ok((rows.collect(), names.len()))
}

/// The rows of the second sheet, which says what is in the first.
fn about(answer: Answer) -> Result<Vec<Vec<String>>> {
    let mut book = Xlsx::new(Cursor::new(answer.expect(200)?.body.to_vec()))?;
    let names = book.sheet_names();
    let sheet = book.worksheet_range(names.get(1).context("no second sheet")?)?;
    let cells = |row: &[Data]| row.iter().map(ToString::to_string).collect();
    Ok(sheet.rows().map(cells).collect())
}

async fn sheet(client: &Client, path: &str) -> Result<(Vec<Value>, usize)> {
    rows(
        client
            .call(reqwest::Method::GET, path)
            .header("accept", XLSX)
            .send()
            .await?,
    )
}

#[tokio::test]
async fn what_is_exported_to_excel_is_what_is_there() -> Result<()> {
    let app = App::start().await?;
    let keys = app
        .create_key("shop", &["--time-zone", "Asia/Kolkata"])
        .await?;
    let owner = app.anonymous()?.with_keys(&keys);
    let published = owner.published(&form()).await?;
    for (ids, answers) in [
        (
            "1_3",
            json!({"recommend": 3, "seen": ["c", "a"], "reason": "buy", "more": FORMULA}),
        ),
        ("2", json!({"recommend": 10, "mood": 5})),
    ] {
        let fields = [("track_field", "order=+49"), ("track_field", "till=7")];
        let link = owner.link(&published, ids, &fields).await?;
        Visitor::new(&app.anonymous()?, &link)?
            .stored(&answers)
            .await?;
    }
    let id = published["form_id"].as_str().context("no id")?;
    let list = format!("/api_v1/report/feedbacks/2026-01-01/2030-12-31/{id}");
    let items = owner.get(&list).await?.expect(200)?.json()?["items"].take();
    let (answers, sheets) = sheet(&owner, &list).await?;
    ensure!(sheets == 2 && answers.len() == 2, "{answers:?}");
    for (row, item) in answers.iter().zip(items.as_array().context("no items")?) {
        let at: DateTime<Utc> = item["submitted_at"].as_str().context("no time")?.parse()?;
        let local = at.with_timezone(&chrono_tz::Asia::Kolkata);
        ensure!(
            row["Answered"] == local.format("%Y-%m-%d %H:%M:%S").to_string(),
            "{row} {item}"
        );
        ensure!(row["Answer ID"] == item["feedback_id"], "{row}");
        ensure!(
            row["Would you recommend us?"].as_f64() == item["nps"].as_f64(),
            "{row}"
        );
        ensure!(
            row["How happy are you?"].as_f64() == item["happiness"].as_f64(),
            "{row}"
        );
        ensure!(row["Anything else?"] == item["comment"], "{row}");
        ensure!(row["order"] == "+49" && row["till"] == "7", "{row}");
    }
    let low = &answers[1];
    ensure!(low["What did you see?"] == "Shelf C; Shelf A", "{low}");
    ensure!(
        low["Why did you come?"] == "To buy" && low["Anything else?"] == FORMULA,
        "{low}"
    );
    ensure!(low["store"] == "Berlin" && low["channel"] == "sms", "{low}");

    let records = [record("A1"), json!({"docid": "A2", "phone": "1"})];
    let accepted = owner.import(&records).await?;
    owner.completed(&accepted.batch_id, SOON).await?;
    let (recipients, _) = sheet(&owner, "/api_v1/sms/recipient").await?;
    let stored = owner
        .get("/api_v1/sms/recipient")
        .await?
        .expect(200)?
        .json()?["items"]
        .take();
    ensure!(
        recipients.len() == 1 && recipients[0]["Phone"] == stored[0]["phone"],
        "{recipients:?}"
    );
    for (name, value) in stored[0]["fields"].as_object().context("no fields")? {
        ensure!(recipients[0][name] == *value, "{recipients:?}");
    }

    let person = app.person("ada", "shop", "viewer").await?;
    // Of what a program sent it is not kept what stood there.
    let page = format!("/dashboard/imports/{}", accepted.batch_id);
    let page = person.get(&page).await?.expect(200)?;
    let page = page.text()?;
    ensure!(
        page.contains("1 row: ") && !page.contains("Value in file"),
        "{page}"
    );
    let (rejected, _) = rows(
        person
            .get(&format!(
                "/dashboard/imports/{}/errors.xlsx",
                accepted.batch_id
            ))
            .await?,
    )?;
    ensure!(
        rejected.len() == 1 && rejected[0]["Customer number"] == "A2",
        "{rejected:?}"
    );
    let (exported, _) = rows(person.get("/dashboard/recipients.xlsx").await?)?;
    ensure!(exported == recipients, "{exported:?}");
    let path = format!("/dashboard/answers.xlsx?form={id}&days=7&show=all&nps=0-6");
    let (narrowed, _) = rows(person.get(&path).await?)?;
    ensure!(narrowed == answers[1..], "{narrowed:?}");
    let (messages, _) = rows(person.get("/dashboard/messages.xlsx").await?)?;
    ensure!(messages.is_empty(), "{messages:?}");
    eventually(SOON, async || stores_are_compared(&person, id).await).await
}

async fn stores_are_compared(person: &Person, id: &str) -> Result<()> {
    let path = format!("/dashboard/stores.xlsx?form={id}&days=7&property=store&sort=name");
    let (compared, _) = rows(person.get(&path).await?)?;
    ensure!(compared.len() == 2, "{compared:?}");
    let [berlin, hamburg] = [&compared[0], &compared[1]];
    ensure!(
        berlin["store"] == "Berlin" && hamburg["store"] == "Hamburg",
        "{compared:?}"
    );
    ensure!(
        berlin["NPS"] == -100.0 && hamburg["NPS"] == 100.0,
        "{compared:?}"
    );
    ensure!(
        hamburg["Against the rest"] == 200.0 && hamburg["Satisfied (4–5)"] == 1.0,
        "{compared:?}"
    );
    let about = about(person.get(&path).await?)?;
    let days = about.iter().find(|row| row[0] == "Days");
    let days = days.context("no days")?;
    ensure!(days[1].contains(" – "), "the days are no dates: {days:?}");
    let heads = about.iter().position(|row| row[2] == "Meaning");
    for row in &about[heads.context("no columns")? + 1..] {
        ensure!(!row[2].is_empty(), "a column is not explained: {row:?}");
    }
    Ok(())
}
