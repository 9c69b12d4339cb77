//! What people wrote: short texts on a form's page, one answer alone, the newest comments, and answers to all forms.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::form::form;
use tests::person::Person;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};

use super::share::later;

/// A form whose question "Why?" takes a short text.
fn why() -> Value {
    json!({
        "title": "Why so?",
        "bus_props": ["store:Berlin", "store:Hamburg"],
        "fields": [
            {"key": "recommend", "type": "nps", "label": "Would you recommend us?", "required": true},
            {"key": "why", "type": "text", "label": "Why?", "required": false},
        ],
    })
}

async fn answer(app: &App, link: &Value, answers: &Value) -> Result<()> {
    let visitor = Visitor::new(&app.anonymous()?, link)?;
    visitor.stored(answers).await.map(drop)
}

async fn owner(app: &App) -> Result<Client> {
    let keys = app.create_key("shop", &[]).await?;
    Ok(app.anonymous()?.with_keys(&keys))
}

/// The part of a page below a heading, up to the next section.
fn below<'a>(page: &'a str, heading: &str) -> Result<&'a str> {
    let (_, rest) = page
        .split_once(heading)
        .with_context(|| format!("no {heading}: {page}"))?;
    Ok(rest.split("</section>").next().unwrap_or_default())
}

/// The first address after a text.
fn address(page: &str, after: &str) -> Result<String> {
    let (_, rest) = page
        .split_once(after)
        .with_context(|| format!("no {after}: {page}"))?;
    let (_, rest) = rest.split_once("href=\"").context("no link")?;
    let href = rest.split('"').next().unwrap_or_default();
    Ok(href.replace("&#38;", "&").replace("&amp;", "&"))
}

/// From an answer to the next older one of its list, as long as there is one.
async fn leads_to_older(person: &Person, form_id: &str) -> Result<()> {
    let one = async |grades: &str| {
        let path = format!("/dashboard/answers?form={form_id}&days=7&show=all&nps={grades}");
        let list = person.get(&path).await?.expect(200)?;
        let newest = address(list.text()?, "class=\"inbox\"")?;
        person.get(&newest).await?.expect(200)
    };
    let only = one("10").await?;
    ensure!(!only.text()?.contains("Next older answer"), "{only:?}");
    let newest = one("0-6").await?;
    let back = address(newest.text()?, "class=\"crumb\"")?;
    ensure!(back.contains("nps=0-6"), "{back}");
    let (before, _) = newest
        .text()?
        .split_once("\">Next older answer<")
        .context("no older answer")?;
    let (_, query) = before.rsplit_once("href=\"").context("no link")?;
    let path = format!("/dashboard/answers{}", query.replace("&#38;", "&"));
    let older = person.get(&path).await?.expect(200)?;
    let text = older.text()?;
    ensure!(text.contains("&#60;9&#62; The soup was cold."), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_question_of_short_text_has_its_answers_on_the_form_s_page() -> Result<()> {
    let app = App::start().await?;
    let owner = owner(&app).await?;
    let form = owner.published(&why()).await?;
    let link = owner.link(&form, "1", &[]).await?;
    let long = format!("Longest. {}The end.", "So very long a queue. ".repeat(20));
    for place in 0..12 {
        let answers = json!({"recommend": 9, "why": format!("The soup was good, {place} times.")});
        answer(&app, &link, &answers).await?;
    }
    for place in 0..10 {
        let answers = json!({"recommend": 2, "why": format!("<{place}> The soup was cold.")});
        answer(&app, &link, &answers).await?;
    }
    answer(&app, &link, &json!({"recommend": 10})).await?;
    answer(&app, &link, &json!({"recommend": 3, "why": long})).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let id = form["form_id"].as_str().context("no form_id")?;
    let path = format!("/dashboard/form/{id}?days=7");
    eventually(SOON, async || {
        let page = person.get(&path).await?.expect(200)?;
        let section = below(page.text()?, ">Why?</h2>")?;
        for text in [
            "23 answers",
            "Longest.",
            "&#60;9&#62; The soup was cold.",
            "&#60;8&#62;",
        ] {
            ensure!(section.contains(text), "no {text}: {section}");
        }
        // The newest three, of which a long one is cut.
        for text in ["&#60;7&#62;", "The end."] {
            ensure!(!section.contains(text), "{text}: {section}");
        }
        let listed = person
            .get(&address(section, "<p class=\"detail\">")?)
            .await?;
        ensure!(
            listed.expect(200)?.text()?.contains(">23 answers<"),
            "another list"
        );
        let one = person
            .get(&address(section, "Longest.")?)
            .await?
            .expect(200)?;
        let one = one.text()?;
        ensure!(
            one.contains(">One answer</h1>") && one.contains("The end."),
            "{one}"
        );
        ensure!(!one.contains("soup"), "{one}");
        // It has each question as it was asked, and leads to the form and on to older answers.
        for part in [
            "<b>Would you recommend us?</b>",
            "<b>Why?</b>",
            ">Why so?</a>",
        ] {
            ensure!(one.contains(part), "no {part}: {one}");
        }
        // It leads back, and has nothing to narrow.
        ensure!(
            one.contains(">← Answers</a>") && !one.contains("<form class=\"filter\""),
            "{one}"
        );
        leads_to_older(&person, id).await?;
        let terms = below(page.text()?, "What detractors say")?;
        for text in [
            "Of the last 23 written answers",
            ">10 answers</a>",
            "The soup was cold.",
        ] {
            ensure!(terms.contains(text), "no {text}: {terms}");
        }
        let found = person
            .get(&address(terms, "<h3 dir=\"auto\">cold")?)
            .await?;
        ensure!(
            found.expect(200)?.text()?.contains(">10 answers<"),
            "another list"
        );
        Ok(())
    })
    .await?;
    // Names and addresses are asked for as short texts too: a shared page has none.
    let body = json!({"path": path, "expires_at": later()});
    let made = owner.send_json(Method::POST, "/api_v1/report/share", &body);
    let made = made.await?.expect(201)?.json()?;
    let url = made["url"].as_str().context("no url")?;
    let shared = &url[url.find("/dashboard/shared/").context("another path")?..];
    let shared = app.anonymous()?.get(shared).await?.expect(200)?;
    let text = shared.text()?;
    let section = below(text, ">Why?</h2>")?;
    for said in ["23 answers", "Short texts are not shown on a shared page"] {
        ensure!(section.contains(said), "no {said}: {section}");
    }
    ensure!(
        !text.contains("soup") && !text.contains("Longest."),
        "{text}"
    );
    Ok(())
}

#[tokio::test]
async fn words_are_found_beside_an_option() -> Result<()> {
    let app = App::start().await?;
    let owner = owner(&app).await?;
    let form = json!({
        "title": "Why so?",
        "bus_props": [],
        "fields": [
            {"key": "recommend", "type": "nps", "label": "Would you recommend us?", "required": true},
            {"key": "reason", "type": "choice", "label": "Why?", "required": false,
             "options": [{"value": "price", "label": "The price"}, {"value": "other", "label": "Other", "text": true}]},
        ],
    });
    let form = owner.published(&form).await?;
    let link = owner.link(&form, "", &[]).await?;
    let beside = json!({"value": "other", "text": "No place to park"});
    answer(&app, &link, &json!({"recommend": 3, "reason": beside})).await?;
    answer(&app, &link, &json!({"recommend": 9, "reason": "price"})).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let id = form["form_id"].as_str().context("no form_id")?;
    eventually(SOON, async || {
        for (words, shown) in [("PARK+place", ">1 answer<"), ("other", ">0 answers<")] {
            let path = format!("/dashboard/answers?form={id}&days=7&show=all&q={words}");
            let found = person.get(&path).await?.expect(200)?;
            let text = found.text()?;
            ensure!(text.contains(shown), "no {shown} of {words}: {text}");
        }
        Ok(())
    })
    .await
}

/// From the overview's newest comments to an answer, from an answer back to its list or the page of its store.
async fn leads_there_and_back(person: &Person) -> Result<()> {
    // The overview has the newest comments.
    let overview = person.get("/dashboard?days=7").await?.expect(200)?;
    let newest = below(overview.text()?, "Latest comments")?;
    ensure!(newest.contains("Nice cake."), "{newest}");
    let chip = address(newest, "Nice cake.")?;
    ensure!(chip.ends_with("&bus_prop=store%3ABerlin"), "{chip}");
    person.get(&chip).await?.expect(200)?;
    let one = person
        .get(&address(newest, ">sms</a>")?)
        .await?
        .expect(200)?;
    ensure!(one.text()?.contains(">One answer</h1>"), "{one:?}");
    // An answer leads back to the list that it was opened from, or to the page of its store.
    let found = person
        .get("/dashboard/answers?days=7&q=cake")
        .await?
        .expect(200)?;
    let path = address(found.text()?, "Nice cake.")?;
    let one = person.get(&path).await?.expect(200)?;
    let back = address(one.text()?, "class=\"crumb\"")?;
    for kept in ["days=7", "form=all", "q=cake"] {
        ensure!(back.contains(kept), "no {kept}: {back}");
    }
    let found = person.get(&format!("/dashboard/answers{back}")).await?;
    ensure!(found.expect(200)?.text()?.contains(">1 comment<"), "{back}");
    let store = person.get(&chip).await?.expect(200)?;
    let comments = below(store.text()?, "Latest comments")?;
    ensure!(comments.contains(">All comments</a>"), "{comments}");
    let path = address(comments, "Nice cake.")?;
    let one = person.get(&path).await?.expect(200)?;
    let text = one.text()?;
    ensure!(text.contains(">← Berlin</a>"), "{text}");
    let back = address(text, "class=\"crumb\"")?;
    ensure!(back == chip, "{back} is not {chip}");
    ensure!(
        address(newest, "class=\"next\"")?.contains("form=all"),
        "{newest}"
    );
    Ok(())
}

#[tokio::test]
async fn answers_begin_with_all_forms() -> Result<()> {
    let app = App::start().await?;
    let owner = owner(&app).await?;
    let (one, other) = (
        owner.published(&form()).await?,
        owner.published(&why()).await?,
    );
    let to_one = owner.link(&one, "1_3", &[]).await?;
    let to_other = owner.link(&other, "1", &[]).await?;
    let in_hamburg = owner.link(&other, "2", &[]).await?;
    answer(
        &app,
        &to_one,
        &json!({"recommend": 9, "more": "Nice cake."}),
    )
    .await?;
    answer(&app, &to_other, &json!({"recommend": 1, "why": "No cake."})).await?;
    answer(
        &app,
        &in_hamburg,
        &json!({"recommend": 1, "why": "Old cake."}),
    )
    .await?;
    let person = app.person("ada", "shop", "viewer").await?;
    eventually(SOON, async || {
        let list = async |filter: &str| {
            let path = format!("/dashboard/answers?days=7{filter}");
            person.get(&path).await?.expect(200)
        };
        let comments = list("").await?;
        let text = comments.text()?;
        ensure!(
            text.contains("Nice cake.") && text.contains(">1 comment<"),
            "{text}"
        );
        ensure!(text.contains("Choose a form to export"), "{text}");
        let (before, _) = text
            .split_once(">All answers</a>")
            .context("no link to all")?;
        let (_, to_all) = before.rsplit_once("href=\"").context("no link")?;
        ensure!(to_all.contains("show=all"), "{to_all}");
        let all = list("&show=all").await?;
        let text = all.text()?;
        for shown in [
            "Nice cake.",
            "No cake.",
            "Old cake.",
            "How was your visit?",
            "Why so?",
        ] {
            ensure!(text.contains(shown), "no {shown}: {text}");
        }
        ensure!(
            !text.contains(">store:Berlin"),
            "a store has the name of its property: {text}"
        );
        for (filter, count) in [
            ("&show=all&nps=0-6", 2),
            ("&show=all&q=CAKE", 3),
            ("&q=cake", 1),
            ("&show=all&bus_prop=store%3ABerlin", 2),
            ("&show=all&answer=why", 2),
        ] {
            let found = list(filter).await?;
            let heading = match (filter.contains("show=all"), count) {
                (false, count) => format!(">{count} comment<"),
                (true, count) => format!(">{count} answers<"),
            };
            ensure!(found.text()?.contains(&heading), "{filter}: {found:?}");
        }
        leads_there_and_back(&person).await
    })
    .await?;
    let export = person.get("/dashboard/answers.csv?form=all&days=7").await?;
    ensure!(export.status == 400, "{export:?}");
    let call = person.call(Method::GET, "/dashboard/answers?one=x");
    ensure!(call.send().await?.status == 400, "an answer without an id");
    Ok(())
}
