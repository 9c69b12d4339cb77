//! Part `files`: an XLSX as people have it, against a CSV of the same rows in which nothing is to be found out.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use rust_xlsxwriter::Workbook;
use tests::app::{App, Backends};
use tests::bench::frame::{quiet, settle};
use tests::bench::memory;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;

const CSV: (&str, &str) = ("", "text/csv");
const XLSX: (&str, &str) = (
    "country=DE&docid_column=Kundennummer&phone_column=Handy",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
);

/// After its start a process still settles; then it is idle.
const IDLE: Duration = Duration::from_secs(2);

pub(super) async fn measure(settings: &Settings) -> Result<Vec<Row>> {
    let records = settings.records / 10;
    let (csv, xlsx) = (csv(records), xlsx(records)?);
    let mut time = Row::new(
        format!("XLSX of {records} rows, embedded"),
        Unit::Seconds,
        "the same as CSV",
        Target::AtMost(10.0),
    );
    let measure = format!("memory over idle, XLSX of {records} rows");
    let mut resident = Row::new(measure, Unit::Mebibytes, "", Target::AtMost(128.0));
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        let (sheet, over) = ours(XLSX, &xlsx, records).await?;
        let (text, over_csv) = ours(CSV, &csv, records).await?;
        eprintln!(
            "round {round}: XLSX {sheet:.3} s, {over:.1} MiB over idle; CSV {text:.3} s, {over_csv:.1} MiB"
        );
        if round > 0 {
            time.round(sheet, text);
            resident.lone_round(over);
        }
    }
    Ok(vec![time, resident])
}

/// Seconds until all is stored, and the MiB that it took at most over what an idle process has.
async fn ours(kind: (&str, &str), body: &Bytes, records: u32) -> Result<(f64, f64)> {
    let mut app: App = quiet(App::setup().on(Backends::Embedded)).await?;
    let client = app.client().await?;
    settle(&app).await?;
    tokio::time::sleep(IDLE).await;
    let process = &app.api()?.process;
    let idle = memory::resident(process)?;
    memory::forget_peak(process)?;
    let took = timed::file(&client, kind, body, records, "created").await?;
    let over = memory::peak(process)? - idle;
    Ok((took.stored.as_secs_f64(), over))
}

/// A customer's number, a phone as people write it in its country, and the columns that a chain has besides.
fn row(number: u32) -> [String; 5] {
    [
        format!("K-{number:08}"),
        format!("0151 {:04} {:04}", number / 10_000, number % 10_000),
        format!("Filiale {}", number % 40),
        format!("2026-11-{:02}", 1 + number % 30),
        format!("Kundin {number}"),
    ]
}

fn xlsx(records: u32) -> Result<Bytes> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    let header = ["Kundennummer", "Handy", "Filiale", "Besuch", "Name"];
    sheet.write_row(0, 0, header)?;
    for number in 0..records {
        sheet.write_row(number + 1, 0, row(number))?;
    }
    Ok(book.save_to_buffer()?.into())
}

fn csv(records: u32) -> Bytes {
    let mut body = "docid,phone,Filiale,Besuch,Name\r\n".to_owned();
    for number in 0..records {
        let [docid, _, store, day, name] = row(number);
        // Writing to a string cannot fail.
        let _ = write!(body, "{docid},+49151{number:08},{store},{day},{name}\r\n");
    }
    body.into()
}
