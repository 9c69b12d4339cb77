//! What comes in through the dashboard passes the same door as everything else: nobody who has a page, a link or nothing at all
//! holds up others.

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::bench::memory;
use tests::client::Answer;
use tests::form::{PAIRS, pairs};
use tests::import::records;
use tests::person::{PASSWORD, Person, known_cookie, try_sign_in, try_sign_in_from};
use tests::raw::{Raw, status};
use tests::wait::{SOON, eventually};

use super::share::later;

/// A change that a page sends, as these bytes.
async fn send(person: &Person, base: &str, path: &str, body: String) -> Result<Answer> {
    let call = person.call(Method::POST, path).header("origin", base);
    call.body(PAIRS, body).send().await
}

#[tokio::test]
async fn nothing_of_a_form_is_read_behind_a_wrong_token() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let client = app.anonymous()?;
    let host = client.base().trim_start_matches("http://").to_owned();
    // Of this body nothing else ever comes.
    let wrong = format!("token={}&", "0".repeat(64));
    let head = format!(
        "POST /dashboard/password HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\ncookie: {}\r\n\
         content-type: {PAIRS}\r\ncontent-length: 8000\r\n\r\n{wrong}",
        person.cookie
    );
    let mut raw = Raw::connect(&client).await?;
    raw.write(head.as_bytes()).await?;
    let head = raw.read_head().await?;
    ensure!(status(&head)? == 403, "{head}");
    // The token comes first, and behind it no more than the largest page sends.
    let token = person.token().await?;
    let password = "/dashboard/password";
    let late = format!("current=x&token={token}");
    let late = send(&person, client.base(), password, late).await?;
    ensure!(late.status == 403, "{late:?}");
    let long = format!("token={token}&{}", "a&".repeat(10_000));
    let long = send(&person, client.base(), password, long).await?;
    ensure!(long.status == 413, "{long:?}");
    let editor = app.person("ben", "shop", "editor").await?;
    let token = editor.token().await?;
    let many = format!("token={token}&{}", "a&".repeat(30_000));
    let many = send(&editor, client.base(), "/dashboard/forms/new", many).await?;
    ensure!(many.status == 400, "{many:?}");
    Ok(())
}

#[tokio::test]
async fn who_is_removed_while_their_change_arrives_changes_nothing() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    app.person("ada", "shop", "admin").await?;
    let ben = app.person("ben", "shop", "admin").await?;
    let client = app.anonymous()?;
    let host = client.base().trim_start_matches("http://").to_owned();
    let token = ben.token().await?;
    let body = pairs(&[
        ("token", token.as_str()),
        ("name", "eve"),
        ("password", PASSWORD),
        ("role", "admin"),
    ]);
    let head = format!(
        "POST /dashboard/people HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\ncookie: {}\r\n\
         content-type: {PAIRS}\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n",
        ben.cookie,
        body.len()
    );
    let mut raw = Raw::connect(&client).await?;
    raw.write(head.as_bytes()).await?;
    // Ben has been let in by then: the body is read behind the door.
    let go_on = raw.read_head().await?;
    ensure!(status(&go_on)? == 100, "{go_on}");
    let (most, last) = body.split_at(body.len() - 5);
    raw.write(most.as_bytes()).await?;
    app.succeeds(&["user", "remove", "ben"]).await?;
    eventually(SOON, async || {
        ben.get("/dashboard").await?.expect(303).map(drop)
    })
    .await?;
    raw.write(last.as_bytes()).await?;
    let head = raw.read_head().await?;
    let is_led_out = head.contains("\r\nlocation: /dashboard/sign-in\r\n");
    ensure!(status(&head)? == 303 && is_led_out, "{head}");
    let listed = app.succeeds(&["user", "list"]).await?;
    ensure!(
        listed.contains("ada") && !listed.contains("eve"),
        "{listed}"
    );
    let nobody = try_sign_in(&client, "eve", PASSWORD).await?;
    ensure!(nobody.status == 401, "{nobody:?}");
    Ok(())
}

#[tokio::test]
async fn what_an_editor_sends_takes_no_more_memory_than_it_is_long() -> Result<()> {
    const MIB: f64 = 96.0;
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let editor = app.person("ben", "shop", "editor").await?;
    let token = editor.token().await?;
    let base = app.anonymous()?.base().to_owned();
    let lines = "a%0A".repeat(1 << 18);
    let (choices, answers) = ("&option:x=a".repeat(18_000), "&if_value:a=9".repeat(18_000));
    let languages: Vec<String> = (0..18_000).map(|n| format!("&label.x{n}=y")).collect();
    let languages = languages.concat();
    let (values, lists) = ("a,".repeat(1 << 19), "[],".repeat(1 << 18));
    let api = &app.apis.first().context("no api runs")?.process;
    let new = "/dashboard/forms/new";
    for (path, sent, status) in [
        (new, format!("type=choices&label=x{choices}"), 422),
        (new, format!("type=nps&label=x{languages}"), 422),
        (new, format!("type=nps&label=x&if=a{answers}"), 422),
        (new, format!("bus_props={lines}"), 422),
        (
            "/dashboard/campaigns/new",
            format!("track_fields={values}"),
            413,
        ),
        (
            "/dashboard/campaigns/new",
            format!("before=[{lists}1]"),
            413,
        ),
    ] {
        let idle = memory::resident(api)?;
        memory::forget_peak(api)?;
        let sent = format!("token={token}&title=x&row=a&before=&{sent}");
        let answer = send(&editor, &base, path, sent).await?;
        let took = memory::peak(api)? - idle;
        ensure!(answer.status == status, "{path}: {}", answer.status);
        ensure!(took < MIB, "{path}: {took} MiB");
    }
    // Pages that only have buttons read no more than these send.
    let long = format!("token={token}&a={}", "a".repeat(16 << 10));
    let long = send(&editor, &base, "/dashboard/shares/withdraw", long).await?;
    ensure!(long.status == 413, "{}", long.status);
    Ok(())
}

#[tokio::test]
async fn wrong_passwords_hold_up_nobody_else() -> Result<()> {
    let setup = App::setup().setting("FEEDBACK_TRUSTED_PROXIES", "127.0.0.0/8");
    let app = setup.start().await?;
    app.create_key("shop", &[]).await?;
    for name in ["ada", "ben"] {
        app.person(name, "shop", "viewer").await?;
    }
    let client = app.anonymous()?;
    let known = try_sign_in(&client, "ada", PASSWORD).await?.expect(303)?;
    let cookie = known_cookie(&known)?.to_owned();
    let shared = "198.51.100.7";
    for _ in 0..10 {
        let wrong = try_sign_in_from(&client, shared, "", ("ada", "wrong horse")).await?;
        ensure!(wrong.status == 401, "{wrong:?}");
    }
    for (address, cookies, name, expected) in [
        (shared, "", "ada", 429),
        (shared, "", "ben", 303),
        (shared, &*cookie, "ada", 303),
        ("203.0.113.9", "", "ada", 303),
    ] {
        let answer = try_sign_in_from(&client, address, cookies, (name, PASSWORD)).await?;
        ensure!(
            answer.status == expected,
            "{name} from {address} with {cookies:?}: {answer:?}"
        );
    }
    // What the browser says of itself must be true.
    let forged = cookie.replace('.', ".0");
    let forged = try_sign_in_from(&client, shared, &forged, ("ada", PASSWORD)).await?;
    ensure!(forged.status == 429, "{forged:?}");
    Ok(())
}

#[tokio::test]
async fn downloads_are_for_pages_of_the_service_and_kept_nowhere() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let owner = app.anonymous()?.with_keys(&keys);
    owner.import_and_wait(&records("K", 1, "1"), SOON).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let ask = async |path: &str, site: &str| {
        let call = admin.call(Method::GET, path);
        call.header("sec-fetch-site", site).send().await
    };
    let person = "/dashboard/recipients/person.json?docid=K-0";
    let files = [person, "/dashboard/audit.ndjson"];
    for path in files {
        ask(path, "cross-site").await?.expect(403)?;
    }
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    ensure!(!log.text()?.contains("exported<"), "{log:?}");
    for path in files {
        let file = ask(path, "same-origin").await?.expect(200)?;
        let kept = file.header("cache-control").unwrap_or_default();
        ensure!(kept.starts_with("private, no-"), "{path}: {kept:?}");
        let sniffed = file.header("x-content-type-options");
        ensure!(sniffed == Some("nosniff"), "{path}: {file:?}");
    }
    // A link of another site leads to pages as before.
    ask("/dashboard", "cross-site").await?.expect(200)?;
    let list = owner.get("/api_v1/sms/recipient").await?.expect(200)?;
    let kept = list.header("cache-control");
    ensure!(kept == Some("private, no-store"), "{list:?}");
    Ok(())
}

#[tokio::test]
async fn a_shared_page_has_a_rate_of_its_own() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client().await?;
    let body = json!({"path": "/dashboard?days=7", "expires_at": later()});
    let share = owner.send_json(Method::POST, "/api_v1/report/share", &body);
    let share = share.await?.expect(201)?.json()?;
    let url = share["url"].as_str().unwrap_or_default();
    let path = url.trim_start_matches(owner.base()).to_owned();
    let reader = app.anonymous()?;
    let mut last = 200;
    for _ in 0..30 {
        let readers = (0..20).map(|_| reader.get(&path));
        let answers = try_join_all(readers).await?;
        ensure!(
            answers
                .iter()
                .all(|answer| matches!(answer.status, 200 | 429))
        );
        last = answers.last().map_or(last, |answer| answer.status);
        if last == 429 {
            break;
        }
    }
    ensure!(last == 429, "a shared page is read without a limit");
    reader.get("/dashboard/sign-in").await?.expect(200)?;
    Ok(())
}

#[tokio::test]
async fn a_stranger_shuts_out_nobody_behind_the_same_address() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_ADDRESS_RATE", "1")
        .start()
        .await?;
    let keys = app.create_key("shop", &[]).await?;
    let owner = app.anonymous()?.with_keys(&keys);
    let ada = app.person("ada", "shop", "viewer").await?;
    let body = json!({"path": "/dashboard?days=7", "expires_at": later()});
    let share = owner.send_json(Method::POST, "/api_v1/report/share", &body);
    let share = share.await?.expect(201)?.json()?;
    let url = share["url"].as_str().unwrap_or_default();
    let shared = url.trim_start_matches(owner.base());
    let stranger = app.anonymous()?;
    stranger.get(shared).await?.expect(200)?;
    ada.get("/dashboard").await?.expect(200)?;
    let name = ada.cookie.split('=').next().unwrap_or_default();
    let bogus = |number: usize| {
        stranger
            .call(Method::GET, "/dashboard")
            .header("cookie", &format!("{name}={number}"))
            .send()
    };
    let mut number = 0;
    eventually(SOON, async || {
        // As many as are looked up at a time, so that there is no place among those.
        let flood = try_join_all((number..number + 20).map(bogus)).await?;
        number += 20;
        ensure!(
            flood.iter().any(|answer| answer.status == 429),
            "not refused"
        );
        Ok(())
    })
    .await?;
    let flood = try_join_all((number..number + 200).map(bogus));
    let good = async {
        for _ in 0..5 {
            ada.get("/dashboard").await?.expect(200)?;
            stranger.get(shared).await?.expect(200)?;
        }
        anyhow::Ok(())
    };
    let (_, good) = tokio::join!(flood, good);
    good
}
