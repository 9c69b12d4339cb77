//! What is made and changed by the pages' forms is what the API then says.

use std::io::Write;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::form::form_path;
use tests::person::Person;
use tests::wait::{SOON, eventually};

async fn editor(app: &App) -> Result<(Client, Person)> {
    let owner = app
        .anonymous()?
        .with_keys(&app.create_key("shop", &[]).await?);
    Ok((owner, app.person("ada", "shop", "editor").await?))
}

/// The hidden values of a page's form, each under a name.
fn hidden(page: &str, name: &str) -> Vec<String> {
    let start = format!("type=\"hidden\" name=\"{name}\" value=\"");
    let values = page.split(&start).skip(1);
    let values = values.filter_map(|rest| rest.split('"').next());
    values.map(|value| value.replace("&#34;", "\"")).collect()
}

#[tokio::test]
async fn a_form_is_made_and_changed_and_loses_nothing() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let made = [
        ("title", "Your visit"),
        ("bus_props", "store:Berlin\nstore:Köln"),
        ("before", ""),
        ("type", "nps"),
        ("label", "Recommend?"),
        ("required", "on"),
        ("before", ""),
        ("type", "choice"),
        ("label", "Why?"),
        ("show_if", "recommend1=0, 1"),
        ("options", "late=Too late\ncold=Too cold"),
    ];
    person
        .post("/dashboard/forms/new", &made)
        .await?
        .expect(303)?;
    let drafts = owner
        .get("/api_v1/form/list/DRAFT")
        .await?
        .expect(200)?
        .json()?;
    let form = &drafts["items"][0];
    ensure!(
        form["title"] == "Your visit" && form["bus_props"][1]["bus_prop"] == "store:Köln",
        "{form}"
    );
    ensure!(
        form["fields"][1]["show_if"] == json!({"key": "recommend1", "in": [0, 1]}),
        "{form}"
    );

    // What the page has no words for stays.
    let mut richer = form.clone();
    richer["fields"][1]["options"][0]["labels"] = json!({"de": "Zu spät"});
    owner
        .send_json(Method::PUT, &form_path(form), &richer)
        .await?
        .expect(200)?;
    let id = form["form_id"].as_str().context("no form_id")?;
    let edit = format!("/dashboard/forms/{id}/edit");
    let page = person.get(&edit).await?.expect(200)?;
    let before = hidden(page.text()?, "before");
    let changed = [
        ("title", "Your second visit"),
        ("title_labels", "de=Ihr Besuch"),
        ("before", before[1].as_str()),
        ("type", "choice"),
        ("label", "Why so?"),
        ("options", "late=Late\nwet=Wet"),
    ];
    person.post(&edit, &changed).await?.expect(303)?;
    let read = owner.get(&form_path(form)).await?.expect(200)?.json()?;
    let options = json!([{"value": "late", "label": "Late", "labels": {"de": "Zu spät"}}, {"value": "wet", "label": "Wet"}]);
    ensure!(
        read["fields"][0]["options"] == options && read["labels"] == json!({"de": "Ihr Besuch"}),
        "{read}"
    );
    ensure!(
        read["fields"][0]["key"] == form["fields"][1]["key"],
        "another key: {read}"
    );

    // What is wrong is said, with all that was typed.
    let wrong = [
        ("title", "T"),
        ("before", ""),
        ("type", "rating"),
        ("label", "Stars & <more>"),
        ("scale", "99"),
    ];
    let refused = person.post(&edit, &wrong).await?.expect(422)?;
    let text = refused.text()?;
    ensure!(
        text.contains("/fields/0/scale") && text.contains("Stars &#38; &#60;more&#62;"),
        "{text}"
    );
    Ok(())
}

#[tokio::test]
async fn a_campaign_is_made_tested_and_started() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::short_form("T")).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let mut fields = vec![
        ("name", "After the visit"),
        ("form_id", form_id),
        ("sender", "demo"),
        ("text", "How was it?"),
        ("audience", ""),
        ("track_fields", "store_code, first_name"),
    ];
    let refused = person
        .post("/dashboard/campaigns/new", &fields)
        .await?
        .expect(422)?;
    ensure!(refused.text()?.contains("/text"), "not said: {refused:?}");
    fields[3].1 = "How was it? {link}";
    let made = person
        .post("/dashboard/campaigns/new", &fields)
        .await?
        .expect(303)?;
    let edit = made.header("location").context("no location")?.to_owned();
    let id = edit.split('/').nth(3).context("no id")?;
    let path = format!("/api_v1/sms/campaign/{id}");
    let read = async || owner.get(&path).await?.expect(200)?.json();
    let campaign: Value = read().await?;
    ensure!(
        campaign["status"] == "DRAFT"
            && campaign["track_fields"] == json!(["store_code", "first_name"]),
        "{campaign}"
    );

    fields.push(("contact_gap_days", "7"));
    let saved = person.post(&edit, &fields).await?.expect(200)?;
    ensure!(
        saved
            .text()?
            .contains("class=\"panel\" aria-labelledby=\"preview\""),
        "no preview"
    );
    person
        .post(&format!("/dashboard/campaigns/{id}/start"), &[])
        .await?
        .expect(303)?;
    let campaign = read().await?;
    ensure!(
        campaign["status"] == "RUNNING" && campaign["contact_gap_days"] == 7,
        "{campaign}"
    );
    // It is too late to change it.
    person.post(&edit, &fields).await?.expect(409)?;
    Ok(())
}

#[tokio::test]
async fn a_compressed_file_is_uploaded() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writeln!(file, "docid,phone\na,+4915112345678\nb,+4915112345679")?;
    let upload = person
        .call(Method::POST, "/dashboard/imports/upload")
        .header("origin", owner.base())
        .header("x-token", &person.token().await?)
        .header("content-encoding", "gzip")
        .body("text/csv", file.finish()?);
    let batch = upload.send().await?.expect(202)?.json()?;
    let batch = batch["batch_id"].as_str().context("no batch_id")?;
    eventually(SOON, async || {
        let read = owner
            .get(&format!("/api_v1/sms/import/{batch}"))
            .await?
            .expect(200)?
            .json()?;
        ensure!(
            read["status"] == "completed" && read["accepted"] == 2,
            "{read}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_phone_is_put_on_the_suppression_list_and_taken_off() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let list = async || {
        let page = person.get("/dashboard/suppressions").await?.expect(200)?;
        anyhow::Ok(page.text()?.to_owned())
    };
    ensure!(list().await?.contains("Nobody has opted out"), "not empty");
    let wrong = person
        .post("/dashboard/suppressions/add", &[("phone", "12")])
        .await?;
    ensure!(
        wrong.expect(200)?.text()?.contains("role=\"alert\""),
        "not refused"
    );
    let phone = [("phone", "+4915112345678")];
    person
        .post("/dashboard/suppressions/add", &phone)
        .await?
        .expect(303)?;
    ensure!(list().await?.contains("Put here"), "not on the list");
    let stored = owner
        .get("/api_v1/sms/suppression")
        .await?
        .expect(200)?
        .json()?;
    ensure!(stored["items"][0]["source"] == "api", "{stored}");
    person
        .post("/dashboard/suppressions/remove", &phone)
        .await?
        .expect(303)?;
    ensure!(
        list().await?.contains("Nobody has opted out"),
        "still there"
    );
    Ok(())
}

#[tokio::test]
async fn a_link_is_shown_with_its_code_and_its_answers_are_exported() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::form()).await?;
    let id = form["form_id"].as_str().context("no form_id")?;
    let made = person
        .post(&format!("/dashboard/forms/{id}/link"), &[])
        .await?
        .expect(200)?;
    let (_, rest) = made.text()?.split_once("<img src=\"").context("no code")?;
    let code = rest.split('"').next().unwrap_or_default();
    owner.get(code).await?.expect(200)?;
    let link = code.trim_end_matches("/qr.svg");
    for (recommend, more) in [(9, "Fine, \"really\"."), (2, "Too late.")] {
        let answers = json!({"answers": {"recommend": recommend, "more": more}});
        owner
            .send_json(Method::POST, link, &answers)
            .await?
            .expect(201)?;
    }
    for (filter, rows) in [
        ("", 2),
        ("&nps=0-6", 1),
        ("&q=fine", 1),
        ("&nps=0-6&q=fine", 0),
    ] {
        let path = format!("/dashboard/answers.csv?form={id}&days=7{filter}");
        let csv = person.get(&path).await?.expect(200)?;
        ensure!(
            csv.header("content-disposition") == Some("attachment; filename=\"answers.csv\""),
            "{csv:?}"
        );
        let lines = csv.text()?.lines().count();
        ensure!(lines == rows + 1, "{filter}: {csv:?}");
    }
    Ok(())
}

#[tokio::test]
async fn the_look_of_pages_is_set() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let path = "/dashboard/branding";
    let sent = |color| {
        [
            ("name", "Acme"),
            ("logo", ""),
            ("color", color),
            ("language", "de"),
        ]
    };
    let refused = person.post(path, &sent("red")).await?.expect(200)?;
    let page = refused.text()?;
    ensure!(
        page.contains("is not a colour") && page.contains("value=\"red\""),
        "{page}"
    );
    person.post(path, &sent("#0f5132")).await?.expect(303)?;
    let found = owner.get("/api_v1/account").await?.expect(200)?.json()?;
    let expected = json!({"name": "Acme", "logo": null, "color": "#0f5132", "language": "de"});
    ensure!(found == expected, "{found}");
    let page = person.get(path).await?.expect(200)?;
    ensure!(page.text()?.contains("value=\"#0f5132\""), "{page:?}");
    Ok(())
}
