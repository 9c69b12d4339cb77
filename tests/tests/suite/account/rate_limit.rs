//! The rate limit of a key: said in headers, and over when it says so.

use anyhow::{Result, ensure};
use reqwest::Method;
use tests::app::{App, IssuedKey};
use tests::client::{Answer, Call, Client};
use tests::import::{Accepted, IMPORT, JSON, array, record};
use tests::wait::{SOON, eventually};

/// Requests until the limit is met, of a service that allows one a second in bursts of ten.
async fn use_up(client: &Client) -> Result<(u32, Answer)> {
    for allowed in 0..60 {
        let answer = client.get(IMPORT).await?;
        if answer.status == 429 {
            return Ok((allowed, answer));
        }
        answer.expect(200)?;
    }
    anyhow::bail!("no limit was met")
}

#[tokio::test]
async fn a_key_that_asks_too_often_is_told_when_to_come_back() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_KEY_RATE", "1")
        .start()
        .await?;
    let (client, other) = (app.client().await?, app.client().await?);
    let (allowed, answer) = use_up(&client).await?;
    ensure!(allowed >= 10, "only {allowed} of a burst of 10");
    answer.problem(429, "rate_limited")?;
    answer.tells_when_to_come_back()?;
    // Not in the way of others, and over when it says so.
    app.anonymous()?
        .get(IMPORT)
        .await?
        .problem(401, "unauthenticated")?;
    other.get(IMPORT).await?.expect(200)?;
    eventually(SOON, async || client.get(IMPORT).await?.expect(200)).await?;
    Ok(())
}

/// A request that is always refused is answered with its own refusal while its key has requests left, and with 429 once
/// it has none.
async fn limited(
    app: &App,
    scope: &str,
    (status, code): (u16, &str),
    call: impl Fn(&Client) -> Call,
) -> Result<()> {
    let keys = app.create_key("shop", &["--scopes", scope]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    call(&client).send().await?.problem(status, code)?;
    for _ in 0..60 {
        let answer = call(&client).send().await?;
        if answer.status == 429 {
            answer.problem(429, "rate_limited")?;
            let wrong = IssuedKey {
                secret_key: format!("{}x", keys.secret_key),
                ..keys
            };
            let answer = call(&app.anonymous()?.with_keys(&wrong)).send().await?;
            answer.problem(401, "unauthenticated")?;
            return Ok(());
        }
        answer.problem(status, code)?;
    }
    anyhow::bail!("{code} is never limited")
}

#[tokio::test]
async fn the_limit_comes_after_401_and_before_every_other_refusal() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_KEY_RATE", "1")
        .start()
        .await?;
    let app = &app;
    limited(app, "form", (403, "forbidden"), |client| {
        client.call(Method::POST, IMPORT).body("text/plain", "x")
    })
    .await?;
    limited(app, "import", (404, "not_found"), |client| {
        client.call(Method::GET, "/api_v1/nothing")
    })
    .await?;
    limited(app, "import", (405, "method_not_allowed"), |client| {
        client.call(Method::DELETE, IMPORT)
    })
    .await?;
    limited(app, "import", (415, "unsupported_media_type"), |client| {
        client.call(Method::POST, IMPORT).body("text/plain", "x")
    })
    .await?;
    limited(app, "import", (400, "invalid_json"), |client| {
        client.call(Method::POST, IMPORT).body(JSON, "x")
    })
    .await
}

#[tokio::test]
async fn a_refused_import_stores_nothing_and_can_be_sent_again() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_KEY_RATE", "1")
        .start()
        .await?;
    let client = app.client().await?;
    let import = async |number: usize| {
        let body = array(&[record(&format!("A{number}"))]);
        client.import_as(JSON, body).await
    };
    let mut accepted = 0;
    loop {
        let answer = import(accepted).await?;
        if answer.status == 429 {
            answer.problem(429, "rate_limited")?;
            break;
        }
        Accepted::read(answer)?;
        accepted += 1;
        ensure!(accepted < 60, "no limit was met");
    }
    ensure!(accepted >= 10, "only {accepted} of a burst of 10");
    let answer = eventually(SOON, async || import(accepted).await?.expect(202)).await?;
    Accepted::read(answer)?;
    let docid = format!("A{accepted}");
    eventually(SOON, async || client.recipient(&docid).await?.expect(200)).await?;
    let list = eventually(SOON, async || client.get(IMPORT).await?.expect(200)).await?;
    let list = list.json()?;
    let batches = list["items"].as_array().map(Vec::len);
    ensure!(batches == Some(accepted + 1), "not {accepted} + 1: {list}");
    Ok(())
}

#[tokio::test]
async fn a_rate_of_0_is_no_limit() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    for _ in 0..300 {
        client.get(IMPORT).await?.expect(200)?;
    }
    Ok(())
}
