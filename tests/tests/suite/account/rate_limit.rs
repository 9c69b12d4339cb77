//! Contract §0 and §6, the rate limit of a key: said in headers, and over when it says so.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use tests::app::App;
use tests::client::{Answer, Client};
use tests::import::{IMPORT, JSON, record};
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
    let wait: u32 = answer
        .header("retry-after")
        .context("no Retry-After")?
        .parse()?;
    ensure!((1..=10).contains(&wait), "come back in {wait} s");
    for name in ["ratelimit", "ratelimit-policy"] {
        let value = answer.header(name).unwrap_or_default();
        ensure!(value.contains('='), "{name} is {value:?}");
    }
    // Before 403, 404, 405 and 415, and not in the way of another key.
    for (method, path) in [
        (Method::GET, "/api_v1/nothing"),
        (Method::DELETE, IMPORT),
        (Method::POST, IMPORT),
    ] {
        let call = client.call(method, path).body("text/plain", "x");
        let answer = call.send().await?;
        if answer.status != 429 {
            // A second passed meanwhile; the next one meets the limit again.
            use_up(&client).await?;
            continue;
        }
        answer.problem(429, "rate_limited")?;
    }
    app.anonymous()?
        .get(IMPORT)
        .await?
        .problem(401, "unauthenticated")?;
    other.get(IMPORT).await?.expect(200)?;
    eventually(SOON, async || client.get(IMPORT).await?.expect(200)).await?;
    Ok(())
}

#[tokio::test]
async fn a_refused_import_stores_nothing_and_can_be_sent_again() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_KEY_RATE", "1")
        .start()
        .await?;
    let client = app.client().await?;
    use_up(&client).await?;
    let body = tests::import::array(&[record("A1")]);
    eventually(SOON, async || {
        let answer = client.import_as(JSON, body.clone()).await?;
        ensure!([202, 429].contains(&answer.status), "{answer:?}");
        answer.expect(202)
    })
    .await?;
    eventually(SOON, async || client.recipient("A1").await?.expect(200)).await?;
    let list = eventually(SOON, async || client.get(IMPORT).await?.expect(200)).await?;
    let list = list.json()?;
    ensure!(list["items"].as_array().map(Vec::len) == Some(1), "{list}");
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
