//! Questions that depend on another, texts in other languages, and tracking fields in them.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::browser::Browser;
use tests::client::Client;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};

/// A form whose last question is asked only of those who are not happy, and must be answered then.
fn asking() -> Value {
    json!({
        "title": "Your visit to {store|us}",
        "labels": {"de": "Ihr Besuch in {store|unserem Laden}"},
        "piping": true,
        "bus_props": ["store:Bonn"],
        "fields": [
            {"key": "mood", "type": "happiness", "label": "How was {store|it}?", "labels": {"de": "Wie war es?"}},
            {"key": "why", "type": "choice", "label": "Why?", "show_if": {"key": "mood", "in": [1, 2]}, "required": true,
             "options": [{"value": "late", "label": "Too late", "labels": {"de": "Zu spät"}}, {"value": "cold", "label": "Too cold"}]},
            {"key": "more", "type": "comment", "label": "What was late?", "show_if": {"key": "why", "in": ["late"]}},
            {"key": "a", "type": "text", "label": "A"},
            {"key": "b", "type": "text", "label": "B"},
            {"key": "c", "type": "text", "label": "C"},
        ],
    })
}

async fn asked(app: &App) -> Result<(Client, Value, Value)> {
    let owner = app.client().await?;
    let form = owner.published(&asking()).await?;
    let link = owner
        .link(&form, "", &[("track_field", "store=<Köln>")])
        .await?;
    Ok((owner, form, link))
}

#[tokio::test]
async fn a_question_that_is_not_asked_takes_no_answer() -> Result<()> {
    let app = App::start().await?;
    let (owner, _, link) = asked(&app).await?;
    let visit = || Visitor::new(&owner, &link);
    visit()?.answer(&json!({"mood": 5})).await?.expect(201)?;
    visit()?
        .answer(&json!({"mood": 1, "why": "late", "more": "The bus."}))
        .await?
        .expect(201)?;
    for (answers, pointer, code) in [
        (json!({"mood": 1}), "/answers/why", "missing"),
        (json!({"mood": 5, "why": "late"}), "/answers/why", "hidden"),
        (
            json!({"mood": 1, "why": "cold", "more": "x"}),
            "/answers/more",
            "hidden",
        ),
        (json!({"a": "x", "why": "late"}), "/answers/why", "hidden"),
    ] {
        let refused = visit()?.answer(&answers).await?;
        let problem = refused.problem(422, "validation_failed")?;
        let errors = json!([
            problem["errors"][0]["pointer"],
            problem["errors"][0]["code"]
        ]);
        ensure!(errors == json!([pointer, code]), "{answers}: {problem}");
    }
    // A page without its script shows all questions, and a choice cannot be taken back there.
    let sent = [("mood", "5"), ("why", "late"), ("more", "x"), ("a", "y")];
    visit()?.submit(&sent).await?.expect(303)?;
    owner.counted(&link, 3, 3).await?;
    let form_id = link["form_id"].as_str().context("no form_id")?;
    let today = chrono::Utc::now().date_naive();
    let (yesterday, tomorrow) = (today.pred_opt(), today.succ_opt());
    let (yesterday, tomorrow) = yesterday.zip(tomorrow).context("no days")?;
    let path = format!("/api_v1/report/feedbacks/{yesterday}/{tomorrow}/{form_id}");
    let list = owner.get(&path).await?.expect(200)?.json()?;
    ensure!(
        list["items"][0]["answers"][0]["label"] == "How was it?"
            && list["items"][0]["answers"][1]["value"] == "y"
            && list["items"][0]["answers"][2].is_null(),
        "{list}"
    );
    Ok(())
}

#[tokio::test]
async fn texts_are_in_the_reader_s_language_with_their_tracking_fields() -> Result<()> {
    let app = App::start().await?;
    let (owner, form, link) = asked(&app).await?;
    let visitor = Visitor::new(&owner, &link)?;
    let anonymous = app.anonymous()?;
    for (language, texts) in [
        (
            "de-AT,en;q=0.5",
            ["Ihr Besuch in &#60;Köln&#62;", "Wie war es?", "Zu spät"],
        ),
        (
            "en,de",
            [
                "Your visit to &#60;Köln&#62;",
                "How was &#60;Köln&#62;?",
                "Too late",
            ],
        ),
        (
            "",
            [
                "Your visit to &#60;Köln&#62;",
                "How was &#60;Köln&#62;?",
                "Too late",
            ],
        ),
    ] {
        let call = anonymous.call(Method::GET, &visitor.path());
        let page = call
            .header("accept-language", language)
            .send()
            .await?
            .expect(200)?;
        for text in texts {
            ensure!(page.text()?.contains(text), "{language}: no {text}");
        }
    }
    let bare = owner.link(&form, "", &[]).await?;
    let page = Visitor::new(&owner, &bare)?.page().await?.expect(200)?;
    ensure!(page.text()?.contains("Your visit to us"), "no text instead");
    // A link of a store has its name there, and another link does not get that page.
    let of_store = owner.link(&form, "1", &[]).await?;
    let page = Visitor::new(&owner, &of_store)?.page().await?.expect(200)?;
    ensure!(page.text()?.contains("How was Bonn?"), "no store: {page:?}");
    let page = Visitor::new(&owner, &bare)?.page().await?.expect(200)?;
    ensure!(page.text()?.contains("How was it?"), "a store: {page:?}");
    // What was made is given back, and can be put back.
    let path = tests::form::form_path(&form);
    let read = owner.get(&path).await?.expect(200)?.json()?;
    ensure!(
        read["piping"] == true && read["labels"]["de"] == asking()["labels"]["de"],
        "{read}"
    );
    owner
        .send_json(Method::PUT, &path, &read)
        .await?
        .expect(200)?;
    Ok(())
}

#[tokio::test]
async fn a_form_says_what_stands_around_its_questions_and_in_which_language() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client().await?;
    let other = json!({"value": "other", "label": "Etwas anderes", "text": true});
    let form = json!({
        "title": "Ihr Besuch", "language": "de", "labels": {"en": "Your visit"},
        "intro": "Zwei Minuten.\nVersprochen.", "intro_labels": {"en": "Two minutes."},
        "thanks": "Bis bald!", "thanks_labels": {"en": "See you soon!"},
        "links": [{"label": "Impressum", "url": "https://example.com/imprint"}],
        "fields": [{"key": "why", "type": "choice", "label": "Warum?", "options": [{"value": "a", "label": "A"}, other]}],
    });
    let form = owner.published(&form).await?;
    let link = owner.link(&form, "", &[]).await?;
    let visitor = Visitor::new(&owner, &link)?;
    let page = async |path: &str, language: &str| {
        let call = owner.call(Method::GET, path);
        let page = call.header("accept-language", language).send().await?;
        anyhow::Ok(page.expect(200)?.text()?.to_owned())
    };
    let thanks = format!("{}/thanks", visitor.path());
    for (language, parts, thanked) in [
        (
            "it, en;q=0.5",
            ["<html lang=\"en\">", "Two minutes.", "Send feedback"],
            "See you soon!",
        ),
        (
            "it",
            [
                "<html lang=\"de\">",
                "Zwei Minuten.\nVersprochen.",
                "Feedback senden",
            ],
            "Bis bald!",
        ),
    ] {
        let html = page(&visitor.path(), language).await?;
        for part in parts.iter().chain(&["https://example.com/imprint"]) {
            ensure!(html.contains(part), "{language}: no {part}: {html}");
        }
        let html = page(&thanks, language).await?;
        ensure!(
            html.contains(thanked) && html.contains("https://example.com/imprint"),
            "{language}: {html}"
        );
    }

    // What else there is stands in lists and exports, and is counted as its option.
    let typed = [("why", "other"), ("why.text", "Regen")];
    visitor.submit(&typed).await?.expect(303)?;
    let given = json!({"why": {"value": "other", "text": "Nebel"}});
    Visitor::new(&owner, &link)?.stored(&given).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let today = chrono::Utc::now().date_naive();
    let days = today.pred_opt().zip(today.succ_opt());
    let (from, to) = days.context("no days")?;
    let path = format!("/api_v1/report/feedbacks/{from}/{to}/{form_id}");
    let list = owner.get(&path).await?.expect(200)?.json()?;
    let answer = &list["items"][0]["answers"][0];
    ensure!(
        answer["value"] == "other" && answer["text"] == "Nebel",
        "{list}"
    );
    let csv = owner.call(Method::GET, &path).header("accept", "text/csv");
    let csv = csv.send().await?.expect(200)?;
    let lines: Vec<&str> = csv.text()?.lines().collect();
    ensure!(
        lines[0].ends_with(",why,why_text") && lines[1].ends_with(",other,Nebel"),
        "{lines:?}"
    );
    eventually(SOON, async || {
        let report = format!("/api_v1/report/form/{form_id}/{from}/{to}");
        let report = owner.get(&report).await?.expect(200)?.json()?;
        let counts = &report["fields"][0]["distribution"];
        ensure!(
            counts[1]["value"] == "other" && counts[1]["count"] == 2,
            "{report}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_page_asks_what_follows_and_keeps_what_was_answered() -> Result<()> {
    let app = App::start().await?;
    let (owner, _, link) = asked(&app).await?;
    let address = link["link"].as_str().context("no link")?;
    let browser = Browser::start().await?;
    browser.open(address).await?;
    browser.headline("Your visit to <Köln>").await?;
    let shown = async |key: &str| {
        let css = format!(".q:has([name={key}])");
        anyhow::Ok(browser.property(&css, "hidden").await? != "true")
    };
    ensure!(
        !shown("why").await? && !shown("more").await?,
        "asked at once"
    );
    browser.click("#f-mood").await?;
    ensure!(shown("why").await? && !shown("more").await?, "not asked");
    browser.click("#f-why").await?;
    browser.write("#f-more", "The bus.").await?;
    browser.click("#f-mood-4").await?;
    ensure!(!shown("why").await? && !shown("more").await?, "still asked");
    browser.click("#f-mood-1").await?;
    ensure!(
        browser.property(".done", "ariaValueText").await? == "3 / 6",
        "not counted"
    );
    browser.is_accessible().await?;
    // Somebody comes back later.
    browser.open(address).await?;
    ensure!(
        browser.property("#f-more", "value").await? == "The bus.",
        "not kept"
    );
    ensure!(
        browser.property("#f-mood-1", "checked").await? == "true",
        "not kept"
    );
    browser.click(".send").await?;
    browser.headline("Thank you").await?;
    browser.open(address).await?;
    ensure!(
        browser.property("#f-more", "value").await?.is_empty(),
        "kept after it was sent"
    );
    browser.no_incidents().await?;
    eventually(SOON, async || owner.counted(&link, 3, 1).await).await
}
