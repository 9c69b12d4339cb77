//! Part `export`: every feedback of the large account as CSV, against `\copy` of the same rows, and as XLSX, against the CSV.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use tests::bench::memory;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::report::Of;

use super::data::Data;

const CSV: &str = "text/csv";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// After its start a process still settles; then it is idle.
const IDLE: Duration = Duration::from_secs(2);

pub(super) async fn measure(settings: &Settings, data: &mut Data) -> Result<Vec<Row>> {
    let feedbacks = data.large.feedbacks;
    let mut resident = Row::new(
        format!("memory over idle, CSV of {feedbacks} feedbacks"),
        Unit::Mebibytes,
        "",
        Target::AtMost(64.0),
    );
    let mut rate = Row::new(
        format!("CSV of {feedbacks} feedbacks"),
        Unit::RecordsPerSecond,
        r"\copy (select …) to",
        Target::RatioAtLeast(0.5),
    );
    let mut resident_sheet = Row::new(
        format!("memory over idle, XLSX of {feedbacks} feedbacks"),
        Unit::Mebibytes,
        "",
        Target::AtMost(64.0),
    );
    let mut rate_sheet = Row::new(
        format!("XLSX of {feedbacks} feedbacks"),
        Unit::RecordsPerSecond,
        "as CSV",
        Target::None,
    );
    let rows = f64::from(feedbacks);
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        let (csv, over) = ours(data, CSV).await?;
        let (xlsx, over_sheet) = ours(data, XLSX).await?;
        let theirs = rows / theirs(data).await?.as_secs_f64();
        let (csv, xlsx) = (rows / csv.as_secs_f64(), rows / xlsx.as_secs_f64());
        eprintln!(
            "round {round}: CSV {csv:.0} rows/s, {over:.1} MiB over idle; XLSX {xlsx:.0} rows/s, {over_sheet:.1} MiB; copy {theirs:.0} rows/s"
        );
        if round > 0 {
            resident.lone_round(over);
            rate.round(csv, theirs);
            resident_sheet.lone_round(over_sheet);
            rate_sheet.round(xlsx, csv);
        }
    }
    Ok(vec![resident, rate, resident_sheet, rate_sheet])
}

/// How long an export by a fresh process takes, and the MiB that it took at most over what an idle one has.
async fn ours(data: &mut Data, media_type: &str) -> Result<(Duration, f64)> {
    data.forget().await?;
    tokio::time::sleep(IDLE).await;
    let api = data.app.api()?;
    let idle = memory::resident(&api.process)?;
    memory::forget_peak(&api.process)?;
    let took = export(data, media_type).await?;
    let over = memory::peak(&data.app.api()?.process)? - idle;
    Ok((took, over))
}

async fn export(data: &Data, media_type: &str) -> Result<Duration> {
    let account = &data.large;
    let (from, to) = account.whole();
    let mut lines = 0;
    let start = Instant::now();
    for form in &account.forms {
        let path = Of::Feedbacks.path(form, (&from, &to), "");
        let call = account.client.call(Method::GET, &path);
        lines += call.header("accept", media_type).pass().await?.lines;
    }
    let took = start.elapsed();
    let headers = account.forms.len() as u64;
    ensure!(
        media_type == XLSX || lines == u64::from(account.feedbacks) + headers,
        "{lines} lines of {}",
        account.feedbacks
    );
    Ok(took)
}

async fn theirs(data: &Data) -> Result<Duration> {
    let account = &data.large;
    let (from, to) = account.whole();
    let account_id = &account.account_id;
    let start = Instant::now();
    for form in &account.forms {
        let form_id = form["form_id"].as_str().context("no form_id")?;
        let copy = format!(
            r"\copy (SELECT feedback_id, submitted_at, bus_prop_ids, track_fields, answers FROM feedback WHERE account_id = '{account_id}' AND form_id = '{form_id}' AND day BETWEEN '{from}' AND '{to}' ORDER BY feedback_id DESC) TO '/dev/null' WITH (FORMAT csv)"
        );
        data.sql(&copy).await?;
    }
    Ok(start.elapsed())
}
