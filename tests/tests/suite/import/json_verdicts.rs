//! nst's JSON cases as import bodies: readable exactly where `serde_json::Value` reads them, and never an error of ours.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tests::app::App;
use tests::import::JSON;
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
            // The one case serde_json is known to see otherwise: it takes no byte order mark, the contract skips it.
            ensure!(
                verdict != "n_" || !readable || text.starts_with('\u{feff}'),
                "serde_json reads {name}"
            );
        }
        // As the whole body: what is no array of records is refused as a whole, or record by record.
        let answer = client.import_as(JSON, text.clone()).await?;
        ensure!(
            [202, 400, 413, 422].contains(&answer.status),
            "{name}: {answer:?}"
        );
        let array = serde_json::from_str::<Vec<Value>>(text.trim_start_matches('\u{feff}'));
        ensure!(
            array.is_err() == (answer.status == 400),
            "{name} as a body: {answer:?}"
        );
        // As the value of a tracking field of a good record.
        let body = format!("[{{\"docid\":\"A1\",\"phone\":\"+4915112345678\",\"x\":{text}}}]");
        let readable = serde_json::from_str::<Value>(&body).is_ok();
        let answer = client.import_as(JSON, body).await?;
        let expected: &[u16] = if readable { &[202, 422] } else { &[400] };
        ensure!(
            expected.contains(&answer.status),
            "{name} as a value: {answer:?}"
        );
        if answer.status == 400 {
            answer.problem(400, "invalid_json").context(name)?;
        }
    }
    Ok(())
}
