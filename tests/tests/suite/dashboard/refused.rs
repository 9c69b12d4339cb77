//! What pages refuse is told in the audit log, and is no fault of the service.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use tests::app::App;
use tests::campaign::on_import;
use tests::form::{PAIRS, pairs};
use tests::wait::{SOON, eventually};

use super::editors::hidden;

#[tokio::test]
async fn a_wrong_password_of_somebody_who_is_signed_in_is_in_the_audit_log() -> Result<()> {
    let app = App::start().await?;
    let client = app.client_of("shop").await?;
    let ada = app.person("ada", "shop", "viewer").await?;
    let refusal = "current password is wrong";
    let change = [("current", "wrong horse"), ("new", "staple battery")];
    let page = ada
        .post("/dashboard/password", &change)
        .await?
        .expect(200)?;
    ensure!(page.text()?.contains(refusal), "{page:?}");
    // Setting up a second factor asks for it too.
    let path = "/dashboard/second-factor";
    let page = ada.get(path).await?.expect(200)?;
    let nonce = hidden(page.text()?, "nonce").pop().context("no nonce")?;
    let factor = [
        ("nonce", &*nonce),
        ("code", "123456"),
        ("password", "wrong horse"),
    ];
    let page = ada.post(path, &factor).await?.expect(200)?;
    ensure!(page.text()?.contains(refusal), "{page:?}");
    eventually(SOON, async || {
        let log = client.get("/api_v1/audit?name=ada&kind=sign_in").await?;
        let log = log.expect(200)?.json()?;
        let rows = log["items"].as_array().context("no items")?.iter();
        let refused =
            rows.filter(|row| row["action"] == "sign-in.password" && row["status"] == 401);
        // Each row has the number of the try.
        let mut numbers: Vec<_> = refused.filter_map(|row| row["subject"].as_str()).collect();
        numbers.sort_unstable();
        ensure!(numbers == ["1", "2"], "{log}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn why_messages_did_not_arrive_is_asked_for_by_a_text_alone() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let campaign = owner.campaign(|form| on_import(form, "demo")).await?;
    let id = campaign["campaign_id"].as_str().context("no id")?;
    let ada = app.person("ada", "shop", "viewer").await?;
    let long = "a".repeat(201);
    for page in ["messages", "messages.xlsx"] {
        for (reason, status) in [
            ("code=30003&country=DE", 200),
            ("code=%00", 400),
            ("country=%00", 400),
            ("code=30003%0A", 400),
            (&*format!("code={long}"), 400),
        ] {
            let path = format!("/dashboard/{page}?campaign={id}&{reason}");
            let answer = ada.get(&path).await?;
            ensure!(answer.status == status, "{path}: {answer:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_key_is_not_made_while_its_account_ends_and_that_is_no_fault() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let ada = app.person("ada", "shop", "admin").await?;
    let token = ada.token().await?;
    // As its end begins: the account has another name and no key. Her session would go too.
    let key = format!("WHERE api_key = '{}'", keys.api_key);
    for step in [
        "UPDATE account SET name = 'shop (ending)' WHERE name = 'shop'",
        &format!("DELETE FROM api_secret {key}"),
        &format!("DELETE FROM api_key {key}"),
    ] {
        app.sql(step).await?;
    }
    let stored = async || {
        let count = "SELECT (SELECT count(*) FROM account), (SELECT count(*) FROM api_key)";
        app.sql(count).await
    };
    let before = stored().await?;
    let fields = pairs(&[("token", token.as_str()), ("report", "on")]);
    let base = app.anonymous()?.base().to_owned();
    let call = ada.call(Method::POST, "/dashboard/keys");
    let call = call.header("origin", &base).body(PAIRS, fields);
    call.send().await?.expect(404)?;
    let after = stored().await?;
    ensure!(after == before, "{before} became {after}");
    Ok(())
}
