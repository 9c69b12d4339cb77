//! nst's JSON cases as import bodies: readable exactly where `serde_json::Value` reads them, and never an error of ours.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tests::app::App;
use tests::import::{Accepted, JSON};
use tests::tools;

#[tokio::test]
async fn every_case_is_read_or_refused_as_json_asks() -> Result<()> {
    let cases = tools::json_cases()?;
    ensure!(cases.len() > 300, "only {} cases", cases.len());
    let app = App::start().await?;
    let client = app.client().await?;
    for (name, text) in cases {
        let readable = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')).is_ok();
        // The package's cases are text: what was not UTF-8 holds U+FFFD in its place and is another case now.
        if !text.contains('\u{fffd}') {
            let verdict = name.get(..2).unwrap_or_default();
            ensure!(verdict != "y_" || readable, "serde_json refuses {name}");
            // The one case serde_json is known to see otherwise: it takes no byte order mark, the service skips it.
            ensure!(
                verdict != "n_" || !readable || text.starts_with('\u{feff}'),
                "serde_json reads {name}"
            );
        }
        // As the whole body: none of them is an array with a good record.
        let array = serde_json::from_str::<Vec<Value>>(text.trim_start_matches('\u{feff}'));
        let answer = client.import_as(JSON, text.clone()).await?;
        if array.is_ok() {
            answer
                .problem(422, "validation_failed")
                .context(name.clone())?;
        } else {
            answer.problem(400, "invalid_json").context(name.clone())?;
        }
        // As the value of a tracking field of a good record.
        let body = format!("[{{\"docid\":\"A1\",\"phone\":\"+4915112345678\",\"x\":{text}}}]");
        let read = serde_json::from_str::<Value>(&body);
        let answer = client.import_as(JSON, body).await?;
        match read.map(|records| is_tracking_value(&records[0]["x"])) {
            Ok(true) => drop(Accepted::read(answer).context(name)?),
            Ok(false) => drop(answer.problem(422, "validation_failed").context(name)?),
            Err(_) => drop(answer.problem(400, "invalid_json").context(name)?),
        }
    }
    Ok(())
}

/// What a tracking field may hold; null is as if it were left out.
fn is_tracking_value(value: &Value) -> bool {
    let fits = |text: &str| text.len() <= 1_024 && !text.contains('\0');
    value.is_null() || value.as_str().is_some_and(fits)
}
