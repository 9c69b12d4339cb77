//! Rows of the audit log: what was made is found in it by its id, who reads people and what they wrote has one, and whose changes are refused
//! has no end of them.

use anyhow::{Context, Result, ensure};
use chrono::{TimeDelta, Utc};
use futures::future::try_join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::on_import;
use tests::client::{Answer, Client};
use tests::form::{PAIRS, form_path, pairs, short_form};
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};
use uuid::Uuid;

use super::audit::rows;

/// A link that nobody has.
const UNKNOWN: &str = "/api_v1/form/link/AAAAAAAAAAAAAAAAAAAAAA";

/// What was done to something, newest first, each with what its row says besides the id.
async fn history<'v>(
    client: &Client,
    thing: &'v Value,
    id: &str,
) -> Result<(&'v str, Vec<String>)> {
    let id = thing[id].as_str().context("no id")?;
    let rows = rows(client, &format!("subject={id}")).await?;
    let told = rows.iter().map(|row| {
        let subject = row["subject"].as_str().unwrap_or_default();
        let words = subject.strip_prefix(id).unwrap_or("another subject");
        format!("{}{words}", row["action"].as_str().unwrap_or_default())
    });
    Ok((id, told.collect()))
}

#[tokio::test]
async fn the_history_of_what_was_made_begins_with_its_making() -> Result<()> {
    let app = App::start().await?;
    let client = app.client_of("shop").await?;
    let form = client.published(&short_form("After the visit")).await?;
    // One of the same title.
    client.published(&short_form("After the visit")).await?;
    let (form_id, done) = history(&client, &form, "form_id").await?;
    ensure!(done == ["form.publish", "form.create"], "{done:?}");
    let campaign = client.campaign(|form| on_import(form, "demo")).await?;
    let (_, done) = history(&client, &campaign, "campaign_id").await?;
    ensure!(done == ["campaign.create"], "{done:?}");
    let end = Utc::now() + TimeDelta::days(7);
    let end = end.format("%FT%TZ").to_string();
    let page = json!({"path": "/dashboard?days=30", "expires_at": end});
    let share = client.send_json(Method::POST, "/api_v1/report/share", &page);
    let share = share.await?.expect(201)?.json()?;
    let (share_id, _) = history(&client, &share, "share_id").await?;
    let path = format!("/api_v1/report/share/{share_id}");
    client.delete(&path).await?.expect(204)?;
    let (_, done) = history(&client, &share, "share_id").await?;
    let words = format!("{end} /dashboard?days=30");
    let expected = [
        format!("share.withdraw {words}"),
        format!("share.create {words}"),
    ];
    ensure!(done == expected, "{done:?}");

    // Pages say what it was called, too, and lead to it.
    let admin = app.person("ada", "shop", "admin").await?;
    let made = [
        ("title", "Your visit"),
        ("row", "+1"),
        ("type", "nps"),
        ("label", "Recommend?"),
    ];
    let saved = admin.post("/dashboard/forms/new", &made).await?;
    saved.expect(303)?;
    let drafts = client.get("/api_v1/form/list/DRAFT").await?.expect(200)?;
    let draft = &drafts.json()?["items"][0];
    let (draft_id, done) = history(&client, draft, "form_id").await?;
    ensure!(done == ["form.create Your visit"], "{done:?}");
    for (id, title) in [(form_id, "After the visit"), (draft_id, "Your visit")] {
        let log = admin.get(&format!("/dashboard/audit?subject={id}")).await?;
        let log = log.expect(200)?;
        let log = log.text()?;
        let link = format!("<a href=\"/dashboard/form/{id}\">{title}</a>");
        ensure!(log.contains("data-action=\"form.create\""), "{log}");
        ensure!(log.contains(&link), "no {link}: {log}");
    }
    Ok(())
}

/// The answer is 429 until the minute is over.
fn waits(answer: &Answer) -> Result<()> {
    ensure!(answer.status == 429, "{answer:?}");
    let wait = answer.header("retry-after").context("no Retry-After")?;
    let wait: u32 = wait.parse()?;
    ensure!((1..=60).contains(&wait), "{answer:?}");
    Ok(())
}

#[tokio::test]
async fn whose_changes_are_refused_a_hundred_times_waits_and_has_no_more_rows() -> Result<()> {
    let app = App::start().await?;
    let client = app.client_of("shop").await?;
    let other = app.client_of("shop").await?;
    let draft = client.draft(&short_form("After the visit")).await?;
    for _ in 0..10 {
        let asked = (0..10).map(|_| client.delete(UNKNOWN));
        for answer in try_join_all(asked).await? {
            answer.problem(404, "not_found")?;
        }
    }
    let refused = client.delete(UNKNOWN).await?;
    refused.problem(429, "rate_limited")?;
    waits(&refused)?;
    // What would be done is not done either, while what is read is.
    let path = form_path(&draft);
    waits(&client.post(&format!("{path}/publish")).await?)?;
    let read = client.get(&path).await?.expect(200)?.json()?;
    ensure!(read["status"] == "DRAFT", "{read}");
    let of_key = "SELECT count(*) FROM audit WHERE action IN ('link.delete', 'form.publish')";
    let rows = app.sql(of_key).await?;
    // What was tried and what came of it.
    ensure!(rows == "200", "{rows} rows");
    other.delete(UNKNOWN).await?.problem(404, "not_found")?;

    // A person likewise, who can still sign out.
    let ada = app.person("ada", "shop", "editor").await?;
    let token = ada.token().await?;
    let unknown = format!("/dashboard/forms/{}/delete", Uuid::max());
    let post = |path: &str| {
        let call = ada.call(Method::POST, path);
        let call = call.header("origin", client.base());
        call.body(PAIRS, pairs(&[("token", token.as_str())])).send()
    };
    for _ in 0..10 {
        let asked = (0..10).map(|_| post(&unknown));
        for answer in try_join_all(asked).await? {
            answer.expect(404)?;
        }
    }
    waits(&post(&unknown).await?)?;
    let of_person = "SELECT count(*) FROM audit WHERE action = 'form.delete'";
    let rows = app.sql(of_person).await?;
    ensure!(rows == "200", "{rows} rows");
    post("/dashboard/sign-out").await?.expect(303)?;
    ada.get("/dashboard").await?.expect(303)?;
    Ok(())
}

#[tokio::test]
async fn erasures_of_people_who_are_not_there_are_done_and_never_refused() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    for round in 0..12 {
        let paths = (0..10).map(|n| format!("/api_v1/sms/recipient/nobody-{round}-{n}"));
        let paths: Vec<_> = paths.collect();
        let asked = paths.iter().map(|path| client.delete(path));
        for answer in try_join_all(asked).await? {
            answer.expect(204)?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn who_reads_comments_on_a_page_has_a_row_a_day_and_readers_of_shares_none() -> Result<()> {
    let app = App::start().await?;
    let client = app.client_of("shop").await?;
    let form = client.published(&short_form("After the visit")).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let viewer = app.person("vic", "shop", "viewer").await?;
    let page = format!("/dashboard/form/{form_id}");
    let log = async || {
        let rows = rows(&client, "kind=export").await?;
        let told = rows.iter().map(|row| {
            let who = [&row["name"], &row["action"], &row["subject"]];
            who.map(|part| part.as_str().unwrap_or_default()).join(" ")
        });
        let mut told: Vec<String> = told.collect();
        told.sort();
        anyhow::Ok(told)
    };
    // Nobody wrote anything yet.
    for path in ["/dashboard", &*page] {
        viewer.get(path).await?.expect(200)?;
    }
    let rows = log().await?;
    ensure!(rows.is_empty(), "{rows:?}");
    let link = client.link(&form, "", &[]).await?;
    let public = app.anonymous()?;
    let visitor = Visitor::new(&public, &link)?;
    visitor.stored(&json!({"more": "Too loud."})).await?;
    for path in ["/dashboard", &*page] {
        eventually(SOON, async || {
            let shown = viewer.get(path).await?.expect(200)?;
            ensure!(shown.text()?.contains("Too loud."), "{shown:?}");
            Ok(())
        })
        .await?;
        // Pages draw themselves anew every few seconds.
        viewer.get(path).await?.expect(200)?;
    }
    let expected = [
        "vic answers.read ".to_owned(),
        format!("vic answers.read {form_id}"),
    ];
    let rows = log().await?;
    ensure!(rows == expected, "{rows:?}");
    let end = Utc::now() + TimeDelta::days(7);
    let share = json!({"path": page, "expires_at": end.format("%FT%TZ").to_string()});
    let share = client.send_json(Method::POST, "/api_v1/report/share", &share);
    let share = share.await?.expect(201)?.json()?;
    let url = share["url"].as_str().context("no url")?;
    let (_, secret) = url.rsplit_once('/').context("another url")?;
    let shared = public.get(&format!("/dashboard/shared/{secret}")).await?;
    let shared = shared.expect(200)?;
    ensure!(shared.text()?.contains("Too loud."), "{shared:?}");
    let rows = log().await?;
    ensure!(rows == expected, "{rows:?}");
    Ok(())
}
