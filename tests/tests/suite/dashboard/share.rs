//! A page of a report that is shared: whoever has the link reads it, and nothing else, until it expires or is withdrawn.

use anyhow::{Context, Result, ensure};
use chrono::{TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::{Answer, Client};
use tests::person::Person;
use tests::wait::{SOON, eventually};

use super::pages::answered;

const SHARE: &str = "/api_v1/report/share";

/// A time to come, in so many seconds.
fn in_seconds(seconds: i64) -> String {
    let time = Utc::now() + TimeDelta::seconds(seconds);
    time.format("%FT%TZ").to_string()
}

/// Far enough for every test.
pub fn later() -> String {
    in_seconds(86_400)
}

/// The share of a page, as its owner makes it.
async fn share(owner: &Client, path: &str, expires_at: &str) -> Result<Value> {
    let body = json!({"path": path, "expires_at": expires_at});
    let made = owner.send_json(Method::POST, SHARE, &body).await?;
    made.expect(201)?.json()
}

fn path_of(url: &str) -> Result<&str> {
    let place = url.find("/dashboard/shared/").context("another path")?;
    Ok(&url[place..])
}

/// What opening a link without a session gives.
async fn open(client: &Client, share: &Value) -> Result<Answer> {
    let url = share["url"].as_str().context("no url")?;
    client.get(path_of(url)?).await
}

/// The figures of a page, in their order.
fn figures(page: &Answer) -> Result<Vec<&str>> {
    let parts = page.text()?.split("<p class=\"value\">").skip(1);
    // A number may be a link.
    let texts = parts.filter_map(|part| {
        part.split_once("</p>")?
            .0
            .trim_end_matches("</a>")
            .rsplit('>')
            .next()
    });
    Ok(texts.collect())
}

#[tokio::test]
async fn a_shared_page_is_the_report_and_nothing_else() -> Result<()> {
    let app = App::start().await?;
    let (owner, form) = answered(&app).await?;
    let reader = app.anonymous()?;
    let person = app.person("ada", "shop", "viewer").await?;
    let later = later();
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let phone = owner.recipient("order-1").await?.expect(200)?.json()?;
    let phone = phone["phone"].as_str().context("no phone")?;
    let of_form = format!("/dashboard/form/{form_id}?days=7");
    let of_store = format!("{of_form}&bus_prop=store%3ABerlin");
    for (path, shown) in [
        ("/dashboard?days=7", "From import to answer"),
        (&of_form, "Too long a wait."),
        (
            &of_store,
            "<p class=\"detail\">store · How was your visit?</p>",
        ),
    ] {
        let made = share(&owner, path, &later).await?;
        ensure!(
            made["path"] == *path && made["expires_at"] == later,
            "{made}"
        );
        eventually(SOON, async || {
            let page = open(&reader, &made).await?.expect(200)?;
            let own = person.get(path).await?.expect(200)?;
            let of_page = figures(&page)?;
            ensure!(
                of_page[1] == "3" && of_page == figures(&own)?,
                "{path}: {of_page:?}"
            );
            let text = page.text()?;
            ensure!(text.contains(shown), "{path} has no {shown}: {text}");
            let (_, body) = text.split_once("<body>").context("no body")?;
            for never in ["<nav", "<form", "<a ", "href=", "order-1", phone, "ada"] {
                ensure!(!body.contains(never), "{path} has {never}: {body}");
            }
            let hidden = [
                ("cache-control", "no-store"),
                ("x-robots-tag", "noindex"),
                ("referrer-policy", "same-origin"),
            ];
            for (header, value) in hidden {
                ensure!(page.header(header) == Some(value), "{page:?}");
            }
            Ok(())
        })
        .await?;
    }
    let made = share(&owner, "/dashboard", &later).await?;
    let url = made["url"].as_str().context("no url")?;
    let german = reader.call(Method::GET, path_of(url)?);
    let german = german.header("accept-language", "de").send().await?;
    ensure!(
        german.expect(200)?.text()?.contains("Antworten"),
        "not in German"
    );
    // A link is no session.
    reader.get("/dashboard").await?.expect(303)?;
    Ok(())
}

#[tokio::test]
async fn a_share_ends_when_it_expires_or_is_withdrawn() -> Result<()> {
    let app = App::start().await?;
    let (owner, form) = answered(&app).await?;
    let other = app.anonymous()?;
    let other = other.with_keys(&app.create_key("other", &[]).await?);
    let reader = app.anonymous()?;
    let later = later();
    let soon = share(&owner, "/dashboard", &in_seconds(2)).await?;
    let made = share(&owner, "/dashboard?days=7", &later).await?;
    let list = owner.get(SHARE).await?.expect(200)?.json()?;
    ensure!(list["items"][0]["share_id"] == made["share_id"], "{list}");
    ensure!(
        list["items"][0]["url"].is_null(),
        "a link is listed: {list}"
    );
    eventually(SOON, async || open(&reader, &soon).await?.expect(410)).await?;
    open(&reader, &made).await?.expect(200)?;
    let of_made = format!("{SHARE}/{}", made["share_id"].as_str().unwrap_or_default());
    ensure!(
        other.get(SHARE).await?.json()?["items"] == json!([]),
        "another account's"
    );
    other.delete(&of_made).await?.problem(404, "not_found")?;
    open(&reader, &made).await?.expect(200)?;
    owner.delete(&of_made).await?.expect(204)?;
    let gone = open(&reader, &made).await?.expect(410)?;
    ensure!(
        gone.text()?.contains("This link does not work any more"),
        "{gone:?}"
    );
    owner.delete(&of_made).await?.problem(404, "not_found")?;
    reader.get("/dashboard/shared/unknown").await?.expect(410)?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let of_form = format!("/dashboard/form/{form_id}");
    let foreign = json!({"path": of_form, "expires_at": later});
    let refused = other.send_json(Method::POST, SHARE, &foreign).await?;
    let refused = refused.problem(422, "validation_failed")?;
    ensure!(refused["errors"][0]["pointer"] == "/path", "{refused}");
    for (path, expires_at, pointer) in [
        ("/dashboard/recipients", later.as_str(), "/path"),
        ("https://evil.example/dashboard", &later, "/path"),
        ("/dashboard?days=none", &later, "/path"),
        ("/dashboard", "2020-01-01T00:00:00Z", "/expires_at"),
        ("/dashboard", "2099-01-01T00:00:00Z", "/expires_at"),
        ("/dashboard", "tomorrow", "/expires_at"),
    ] {
        let body = json!({"path": path, "expires_at": expires_at});
        let refused = owner.send_json(Method::POST, SHARE, &body).await?;
        let refused = refused.problem(422, "validation_failed")?;
        ensure!(refused["errors"][0]["pointer"] == pointer, "{refused}");
    }
    let narrow = app.anonymous()?;
    let narrow = narrow.with_keys(&app.create_key("shop", &["--scopes", "form"]).await?);
    narrow.get(SHARE).await?.problem(403, "forbidden")?;
    let secret = path_of(made["url"].as_str().context("no url")?)?;
    for service in &app.apis {
        service.names_nobody(&[secret]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn editors_share_and_withdraw_in_the_dashboard() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let viewer = app.person("vic", "shop", "viewer").await?;
    let fields = [("path", "/dashboard?days=30"), ("days", "30")];
    viewer
        .post("/dashboard/shares", &fields)
        .await?
        .expect(403)?;
    viewer.get("/dashboard/shares").await?.expect(403)?;
    let page = viewer.get("/dashboard").await?.expect(200)?;
    ensure!(!page.text()?.contains("/dashboard/shares"), "{page:?}");
    let editor = app.person("eve", "shop", "editor").await?;
    let page = editor.get("/dashboard?days=30").await?.expect(200)?;
    ensure!(
        page.text()?
            .contains("name=\"path\" value=\"/dashboard?days=30\""),
        "{page:?}"
    );
    let made = editor
        .post("/dashboard/shares", &fields)
        .await?
        .expect(303)?;
    ensure!(
        made.header("location") == Some("/dashboard/shares"),
        "{made:?}"
    );
    let cookie = made.header("set-cookie").context("no cookie")?;
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    let shown = async |person: &Person| {
        let call = person.call(Method::GET, "/dashboard/shares");
        call.header("cookie", &cookie).send().await?.expect(200)
    };
    let made = shown(&editor).await?;
    ensure!(
        made.text()?.contains("opens on this computer only"),
        "{made:?}"
    );
    // Loading the page again makes no second one.
    let again = shown(&editor).await?;
    let shares =
        |page: &Answer| Ok::<_, anyhow::Error>(page.text()?.matches("name=\"share_id\"").count());
    ensure!(
        shares(&again)? == 1 && again.text()?.contains("<code>"),
        "{again:?}"
    );
    app.create_key("other", &[]).await?;
    let stranger = app.person("sue", "other", "editor").await?;
    let foreign = shown(&stranger).await?;
    ensure!(!foreign.text()?.contains("<code>"), "{foreign:?}");
    let (_, url) = made.text()?.split_once("<code>").context("no link")?;
    let url = url.split('<').next().unwrap_or_default();
    let reader = app.anonymous()?;
    open(&reader, &json!({"url": url})).await?.expect(200)?;
    let list = editor.get("/dashboard/shares").await?.expect(200)?;
    ensure!(!list.text()?.contains(url), "the link is shown again");
    ensure!(list.text()?.contains(">Overview · 30 days<"), "{list:?}");
    let (_, id) = list
        .text()?
        .split_once("name=\"share_id\" value=\"")
        .context("no share")?;
    let id = id.split('"').next().unwrap_or_default();
    let withdraw = "/dashboard/shares/withdraw";
    viewer
        .post(withdraw, &[("share_id", id)])
        .await?
        .expect(403)?;
    editor
        .post(withdraw, &[("share_id", id)])
        .await?
        .expect(303)?;
    open(&reader, &json!({"url": url})).await?.expect(410)?;
    let admin = app.person("ada", "shop", "admin").await?;
    let audit = admin.get("/dashboard/audit").await?.expect(200)?;
    for noted in [
        "Page shared",
        "Share withdrawn",
        "href=\"/dashboard?days=30\">Overview, until ",
    ] {
        ensure!(audit.text()?.contains(noted), "{noted} is not noted");
    }
    let withdrawn = audit
        .text()?
        .split("<tr ")
        .find(|row| row.contains("share.withdraw"));
    let names_page = withdrawn.is_some_and(|row| row.contains(">Overview, until "));
    ensure!(names_page, "{withdrawn:?}");
    Ok(())
}
