//! Keys, their scopes, their rotation and their end; accounts are apart.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use chrono::{SecondsFormat, TimeDelta, Utc};
use domain::scope::Scopes;
use reqwest::Method;
use serde_json::{Map, Value, json};
use tests::app::{App, IssuedKey};
use tests::client::{Answer, Client};
use tests::import::{Accepted, IMPORT, record};
use tests::upload::{Pace, Upload};
use tests::wait::{SOON, eventually};

/// What holds within 5 s, and a little more for two busy cores.
const REVOKED: Duration = Duration::from_secs(7);

async fn list_with(app: &App, headers: &[(&str, &str)]) -> Result<Answer> {
    let mut call = app.anonymous()?.call(Method::GET, IMPORT);
    call = call.header("x-request-id", "the-same");
    for (name, value) in headers {
        call = call.header(name, value);
    }
    call.send().await
}

fn client(app: &App, keys: &IssuedKey) -> Result<Client> {
    Ok(app.anonymous()?.with_keys(keys))
}

#[tokio::test]
async fn every_refusal_is_the_same_to_the_byte() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let other = app.create_key("other", &[]).await?;
    let gone = app.create_key("gone", &[]).await?;
    app.revoke_key(&gone.api_key).await?;
    let elsewhere = ["--networks", "10.0.0.0/8,2001:db8::/48"];
    let elsewhere = app.create_key("shop", &elsewhere).await?;
    let shape = &keys.api_key;
    let unknown: String = shape.chars().rev().collect();
    let cases: [&[(&str, &str)]; 10] = [
        &[],
        &[("x-api-key", &keys.api_key)],
        &[("x-secret-key", &keys.secret_key)],
        &[("x-api-key", ""), ("x-secret-key", "")],
        &[("x-api-key", &keys.api_key), ("x-secret-key", "wrong")],
        &[
            ("x-api-key", &keys.api_key),
            ("x-secret-key", &other.secret_key),
        ],
        &[("x-api-key", &unknown), ("x-secret-key", &keys.secret_key)],
        &[
            ("x-api-key", "' OR 1=1 --"),
            ("x-secret-key", &keys.secret_key),
        ],
        &[
            ("x-api-key", &gone.api_key),
            ("x-secret-key", &gone.secret_key),
        ],
        &[
            ("x-api-key", &elsewhere.api_key),
            ("x-secret-key", &elsewhere.secret_key),
        ],
    ];
    let first = list_with(&app, &[]).await?;
    first.problem(401, "unauthenticated")?;
    for headers in cases {
        let answer = list_with(&app, headers).await?;
        ensure!(
            answer.status == 401 && answer.body == first.body,
            "another answer to {} headers: {answer:?}",
            headers.len()
        );
        let names = |answer: &Answer| -> Vec<String> {
            answer.headers.keys().map(ToString::to_string).collect()
        };
        ensure!(names(&answer) == names(&first), "other headers: {answer:?}");
    }
    list_with(
        &app,
        &[
            ("x-api-key", &keys.api_key),
            ("x-secret-key", &keys.secret_key),
        ],
    )
    .await?
    .expect(200)?;
    Ok(())
}

#[tokio::test]
async fn a_key_does_what_its_scopes_say() -> Result<()> {
    let app = App::start().await?;
    let all = app.create_key("shop", &[]).await?;
    let scopes: Vec<_> = Scopes::ALL.iter().map(|scope| scope.to_string()).collect();
    ensure!(all.scopes == scopes, "not all: {:?}", all.scopes);
    let import = app.create_key("shop", &["--scopes", "import"]).await?;
    ensure!(import.account_id == all.account_id, "another account");
    client(&app, &import)?.import(&[record("A1")]).await?;

    let others = app
        .create_key("shop", &["--scopes", "report,form,link"])
        .await?;
    let others = client(&app, &others)?;
    let batch = format!("{IMPORT}/01890000-0000-7000-8000-000000000000");
    for (method, path) in [
        (Method::POST, IMPORT.to_owned()),
        (Method::GET, IMPORT.to_owned()),
        (Method::GET, batch.clone()),
        (Method::GET, format!("{batch}/errors")),
        (Method::POST, format!("{batch}/cancel")),
        (Method::POST, format!("{batch}/retry")),
        (Method::GET, "/api_v1/sms/recipient/A1".to_owned()),
        (Method::DELETE, "/api_v1/sms/recipient/A1".to_owned()),
    ] {
        let answer = others.call(method, &path).send().await?;
        answer.problem(403, "forbidden")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_rotated_key_has_two_secrets_and_a_third_ends_the_first() -> Result<()> {
    let app = App::start().await?;
    let first = app.create_key("shop", &[]).await?;
    let second = app.rotate_key(&first.api_key).await?;
    ensure!(second.api_key == first.api_key, "another key");
    ensure!(second.secret_key != first.secret_key, "the same secret");
    for keys in [&first, &second] {
        client(&app, keys)?.get(IMPORT).await?.expect(200)?;
    }
    let third = app.rotate_key(&first.api_key).await?;
    for keys in [&second, &third] {
        client(&app, keys)?.get(IMPORT).await?.expect(200)?;
    }
    eventually(REVOKED, async || {
        client(&app, &first)?.get(IMPORT).await?.expect(401)
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_new_key_works_at_once_and_a_revoked_one_ends_everywhere_within_seconds() -> Result<()> {
    let app = App::setup().apis(2).start().await?;
    let keys = app.create_key("shop", &[]).await?;
    for api in &app.apis {
        let client = client(&app, &keys)?.at(api.base());
        client.get(IMPORT).await?.expect(200)?;
    }
    app.revoke_key(&keys.api_key).await?;
    eventually(REVOKED, async || {
        for api in &app.apis {
            let client = client(&app, &keys)?.at(api.base());
            client.get(IMPORT).await?.expect(401)?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_key_works_until_its_end_of_which_its_answers_warn() -> Result<()> {
    let app = App::start().await?;
    let end = |seconds| {
        let end = Utc::now() + TimeDelta::seconds(seconds);
        end.to_rfc3339_opts(SecondsFormat::Secs, true)
    };
    let fortnight = 14 * 24 * 3_600;
    for (seconds, warns) in [(fortnight - 60, true), (fortnight + 60, false)] {
        let end = end(seconds);
        let keys = app.create_key("shop", &["--expires", &end]).await?;
        let list = client(&app, &keys)?.get(IMPORT).await?.expect(200)?;
        let warned = list.header("x-key-expires");
        ensure!(warned == warns.then_some(&*end), "{list:?}");
    }
    let keys = app.create_key("shop", &["--expires", &end(3)]).await?;
    let refused = async || client(&app, &keys)?.get(IMPORT).await?.expect(401);
    eventually(REVOKED, refused).await?;
    let rotate = ["key", "rotate", &keys.api_key];
    app.refuses(&rotate, "it is revoked or has ended").await?;
    let past = ["key", "create", "--account", "shop", "--expires", &end(-1)];
    app.refuses(&past, "the key's end is past").await
}

#[tokio::test]
async fn a_key_works_from_its_networks_alone() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_TRUSTED_PROXIES", "127.0.0.0/8")
        .start()
        .await?;
    let terms = ["--name", "Till", "--networks", "203.0.113.0/24,2001:db8::7"];
    let keys = app.create_key("shop", &terms).await?;
    let from = async |address: &str| {
        let call = client(&app, &keys)?.call(Method::GET, IMPORT);
        call.header("x-forwarded-for", address).send().await
    };
    for (address, status) in [
        ("203.0.113.9", 200),
        ("203.0.114.9", 401),
        ("2001:db8::7", 200),
        ("2001:db8::8", 401),
        ("203.0.113.9", 200),
    ] {
        from(address).await?.expect(status)?;
    }
    let listed = app.succeeds(&["key", "list"]).await?;
    for part in ["Till", "203.0.113.0/24,2001:db8::7"] {
        ensure!(listed.contains(part), "no {part}: {listed}");
    }
    Ok(())
}

#[tokio::test]
async fn a_revoked_key_ends_a_body_that_still_arrives() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let other = app.create_key("shop", &[]).await?;
    let pace = Pace {
        at_once: 0,
        rate: 1_000,
        records: 1_000_000,
    };
    let mut upload = Upload::start(&client(&app, &keys)?, "A", pace);
    upload.begun().await?;
    app.revoke_key(&keys.api_key).await?;
    let answer = upload.answer().await?;
    answer.problem(401, "unauthenticated")?;
    let list = client(&app, &other)?.get(IMPORT).await?.expect(200)?;
    ensure!(
        list.json()?["items"] == json!([]),
        "a batch is left: {list:?}"
    );
    Ok(())
}

/// The record errors of an import, which fill more than any socket's buffers: a hundred thousand, each of which quotes a
/// long name.
async fn many_errors(client: &Client) -> Result<String> {
    let wrong = |number: usize| -> Value {
        let name = |name: usize| (format!("{name:0250}"), json!(number));
        (0..50).map(name).collect::<Map<_, _>>().into()
    };
    let mut all: Vec<Value> = (0..1_000).map(wrong).collect();
    all.push(record("A1"));
    Ok(Accepted::read(client.import_json(&all.into()).await?)?.batch_id)
}

#[tokio::test]
async fn a_revoked_key_cuts_an_answer_that_still_leaves() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let client = client(&app, &keys)?;
    let path = format!("{IMPORT}/{}/errors", many_errors(&client).await?);
    let whole = async || {
        client
            .call(Method::GET, &path)
            .header("accept", "text/csv")
            .open()
            .await
    };
    let mut cut = whole().await?;
    cut.chunk().await?.context("nothing is sent")?;
    let mut rest = whole().await?;
    while rest.chunk().await?.is_some() {}

    app.revoke_key(&keys.api_key).await?;
    eventually(REVOKED, async || client.get(IMPORT).await?.expect(401)).await?;
    // What lies in sockets comes, and then no end.
    while let Ok(part) = cut.chunk().await {
        ensure!(part.is_some(), "the answer came whole");
    }
    Ok(())
}

#[tokio::test]
async fn the_list_of_keys_names_keys_and_no_secrets() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    client(&app, &keys)?.get(IMPORT).await?.expect(200)?;
    let listed = app.succeeds(&["key", "list"]).await?;
    ensure!(listed.contains(&keys.api_key), "not listed: {listed}");
    ensure!(!listed.contains(&keys.secret_key), "a secret is listed");
    for service in app.apis.iter().chain(&app.workers) {
        let log = service.process.log()?;
        ensure!(!log.contains(&keys.secret_key), "a secret is logged");
    }
    Ok(())
}

#[tokio::test]
async fn what_belongs_to_another_account_is_not_found() -> Result<()> {
    let app = App::start().await?;
    let (mine, theirs) = (app.client().await?, app.client().await?);
    let batch = theirs.import_and_wait(&[record("A1")], SOON).await?;
    let batch_id = batch["batch_id"].as_str().unwrap_or_default();
    mine.get(&format!("{IMPORT}/{batch_id}"))
        .await?
        .problem(404, "not_found")?;
    mine.get(&format!("{IMPORT}/{batch_id}/errors"))
        .await?
        .problem(404, "not_found")?;
    for action in ["cancel", "retry"] {
        let answer = mine.batch_action(batch_id, action).await?;
        answer.problem(404, "not_found")?;
    }
    let recipient = mine.recipient("A1").await?;
    recipient.problem(404, "not_found")?;
    mine.erase("A1").await?.expect(204)?;
    theirs.recipient("A1").await?.expect(200)?;
    let list = mine.get(IMPORT).await?.expect(200)?.json()?;
    ensure!(list["items"] == serde_json::json!([]), "not empty: {list}");
    Ok(())
}
