//! The dashboard in a real browser: every page that can be reached, for each role, on a phone and on a desk, and what a person
//! does there.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::browser::Browser;
use tests::campaign::on_import;
use tests::import::record;
use tests::person::PASSWORD;
use tests::wait::{SOON, eventually};

async fn sign_in(browser: &Browser, base: &str, name: &str) -> Result<()> {
    browser.open(&format!("{base}/dashboard")).await?;
    browser.headline("Sign in").await?;
    browser.write("[name=name]", name).await?;
    browser.write("[name=password]", PASSWORD).await?;
    browser.click("main button").await?;
    browser.headline("Overview").await
}

/// An editor of an account without anything, at a page.
async fn editor_at(page: &str) -> Result<(App, Browser)> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    app.person("ada", "shop", "editor").await?;
    let base = app.anonymous()?.base().to_owned();
    let browser = Browser::start().await?;
    sign_in(&browser, &base, "ada").await?;
    browser.open(&format!("{base}{page}")).await?;
    Ok((app, browser))
}

/// The pages that are linked in this one.
async fn links(browser: &Browser) -> Result<BTreeSet<String>> {
    let links = "return [...document.links].filter(link => link.host === location.host && link.pathname.startsWith('/dashboard'))
        .map(link => link.pathname + link.search)";
    let links = browser.run(links, vec![]).await?;
    let links = links.as_array().context("no links")?;
    Ok(links
        .iter()
        .filter_map(|link| link.as_str().map(str::to_owned))
        .collect())
}

#[tokio::test]
async fn every_page_is_in_order_for_every_role() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let owner = app.anonymous()?.with_keys(&keys);
    let campaign = owner.started(|form| on_import(form, "demo")).await?;
    let wrong = json!({"docid": "order-2", "phone": "1"});
    let good = [record("order-1"), wrong];
    let import = format!(
        "/api_v1/sms/import?campaign={}",
        campaign["campaign_id"].as_str().unwrap_or_default()
    );
    let body = json!(good).to_string();
    owner
        .call(Method::POST, &import)
        .body("application/json", body)
        .send()
        .await?
        .expect(202)?;
    let base = owner.base().to_owned();
    for (role, at_least) in [("viewer", 10), ("editor", 10), ("admin", 13)] {
        app.person(role, "shop", role).await?;
        let browser = Browser::start().await?;
        sign_in(&browser, &base, role).await?;
        let (mut seen, mut ahead) = (BTreeSet::new(), links(&browser).await?);
        while let Some(page) = ahead.pop_first() {
            // A path once: its parameters are tried by other tests.
            let path = page.split('?').next().unwrap_or_default().to_owned();
            if !seen.insert(path) {
                continue;
            }
            for (width, scheme) in [(375, "dark"), (1280, "light")] {
                browser.look(width, scheme).await?;
                browser.open(&format!("{base}{page}")).await?;
                let of_page =
                    |error: anyhow::Error| error.context(format!("{page} at {width} as {role}"));
                browser.no_incidents().await.map_err(of_page)?;
                browser.fits_width().await.map_err(of_page)?;
                // Who may do most sees all there is.
                if role == "admin" {
                    browser.is_accessible().await.map_err(of_page)?;
                }
            }
            ahead.extend(links(&browser).await?);
        }
        ensure!(seen.len() >= at_least, "{role}: {seen:?}");
        ensure!(
            seen.contains("/dashboard/people") == (role == "admin"),
            "{role}: {seen:?}"
        );
    }
    Ok(())
}

/// Whether all of these are there, and none is beside the screen.
async fn shows(browser: &Browser, css: &str) -> Result<bool> {
    let script = "
        const found = [...document.querySelectorAll(arguments[0])];
        const isIn = (box) => box.left >= 0 && box.right <= innerWidth;
        return found.length > 0 && found.every((one) => isIn(one.getBoundingClientRect()));";
    let shown = browser.run(script, vec![json!(css)]).await?;
    Ok(shown == true)
}

/// Chooses a file, which is sent at once.
async fn choose(browser: &Browser, suffix: &str, bytes: &[u8]) -> Result<()> {
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile()?;
    file.write_all(bytes)?;
    let path = file.path().to_str().context("no path")?;
    browser.write("input[type=file]", path).await?;
    eventually(SOON, async || {
        let there = browser.run(
            "return !!document.querySelector('#columns-head, [role=alert]')",
            vec![],
        );
        ensure!(there.await? == true, "the file has not arrived");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_file_is_looked_at_imported_to_its_end_and_its_bad_rows_are_shown() -> Result<()> {
    let (_app, browser) = editor_at("/dashboard/imports").await?;
    let rows = "Kundennummer;Handy;Filiale\na;0151 12345678;S1\nb;12;S1\nc;+4915112345679;S2\n;+4915112345670;S2\n\
                d;4,9E+11;S2\n";
    choose(&browser, ".csv", rows.as_bytes()).await?;
    browser
        .run(
            "document.querySelector('[name=country]').value = 'DE'",
            vec![],
        )
        .await?;
    browser.click("button[value=look]").await?;
    eventually(SOON, async || {
        let page = browser.property("main", "innerText").await?;
        ensure!(
            page.contains("Import 2 people") && page.contains("1 row:"),
            "{page}"
        );
        Ok(())
    })
    .await?;
    let page = browser.property("main", "textContent").await?;
    ensure!(page.contains("Excel shortened"), "{page}");
    // On a phone, too, what there is to do can be seen.
    browser.look(375, "light").await?;
    ensure!(shows(&browser, "[name=column-1]").await?, "the choice");
    browser.fits_width().await?;
    browser.is_accessible().await?;
    browser.click("button[value=import]").await?;
    eventually(SOON, async || {
        let status = browser.property("#progress", "textContent").await?;
        ensure!(status == "Completed", "{status}");
        let facts = browser.property(".facts", "innerText").await?;
        ensure!(
            facts.contains("Rows in the file\t5") && facts.contains("Rejected\t3"),
            "{facts}"
        );
        Ok(())
    })
    .await?;
    let page = browser.property("main", "innerText").await?;
    ensure!(page.contains("The customer number is missing"), "{page}");
    ensure!(shows(&browser, ".stack td").await?, "rejected rows");
    browser.no_incidents().await
}

#[tokio::test]
async fn a_file_that_is_refused_is_told_why() -> Result<()> {
    let (_app, browser) = editor_at("/dashboard/imports").await?;
    choose(&browser, ".pdf", b"%PDF").await?;
    let page = browser.property("main", "innerText").await?;
    ensure!(page.contains("must be CSV, XLSX, JSON or NDJSON"), "{page}");
    Ok(())
}

#[tokio::test]
async fn what_is_typed_into_a_form_is_shown_as_its_page() -> Result<()> {
    let (_app, browser) = editor_at("/dashboard/forms/new?template=blank").await?;
    let shows = async |expected: &str| {
        let text = "return document.querySelector('iframe').contentDocument?.body?.innerText ?? ''";
        eventually(SOON, async || {
            let text = browser.run(text, vec![]).await?;
            let text = text.as_str().unwrap_or_default();
            ensure!(text.contains(expected), "no {expected}: {text}");
            Ok(())
        })
        .await
    };
    shows("Would you recommend us to a friend?").await?;
    let state = "[frames.length, history.length]";
    let before = browser.run(&format!("return {state}"), vec![]).await?;
    browser
        .write("[name=title]", "The <b>new</b> store")
        .await?;
    shows("The <b>new</b> store").await?;
    // A choice needs options first.
    browser.click("#add").await?;
    let is = async |script: &str, expected: Value| {
        eventually(SOON, async || {
            let found = browser.run(&format!("return {script}"), vec![]).await?;
            ensure!(found == expected, "{script}: {found}");
            Ok(())
        })
        .await
    };
    let rows = "document.querySelectorAll('.field').length";
    is(rows, json!(3)).await?;
    browser
        .write(".field:nth-child(3) [name=label]", "Which counter?")
        .await?;
    shows("Question 3, Choices").await?;
    browser
        .write(".field:nth-child(3) [name='option:+1']", "Bread")
        .await?;
    browser
        .write(".field:nth-child(3) [name='option:+2']", "Cheese")
        .await?;
    shows("Cheese").await?;
    // Shown only for an answer to the first question, which is asked then.
    browser
        .write(".field:nth-child(3) [name=if]", "1. Would you")
        .await?;
    is(
        "document.querySelectorAll('[name^=\"if_value:\"]').length",
        json!(11),
    )
    .await?;
    browser.click("[name^='if_value:'][value='3']").await?;
    let asked = "document.querySelector('iframe').contentDocument?.querySelector('[data-in]')?.dataset.in ?? ''";
    is(asked, json!("[\"3\"]")).await?;
    // To another place, and out.
    browser.click(".field:nth-child(3) .places button").await?;
    let second = "document.querySelector('.field:nth-child(2) [name=label]').value";
    is(second, json!("Which counter?")).await?;
    browser
        .click(".field:nth-child(3) .places button:last-child")
        .await?;
    is(rows, json!(2)).await?;
    // One frame is left once the last was drawn, and "back" leads to the page before.
    is(state, before).await?;
    browser.no_incidents().await?;
    browser.click(".form-editor .actions button").await?;
    browser.headline("Forms").await
}

#[tokio::test]
async fn what_is_typed_into_a_campaign_is_shown_on_a_phone() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    owner.published(&tests::form::short_form("T")).await?;
    let mut named = record("order-1");
    named["first_name"] = json!("Ada");
    let mut other = record("order-2");
    other["phone"] = json!("+4915112345679");
    owner.import_and_wait(&[named, other], SOON).await?;
    app.person("ada", "shop", "editor").await?;
    let base = owner.base().to_owned();
    let browser = Browser::start().await?;
    sign_in(&browser, &base, "ada").await?;
    browser
        .open(&format!("{base}/dashboard/campaigns/new"))
        .await?;
    let shows = async |parts: &[&str]| {
        eventually(SOON, async || {
            let text = browser.property("#previewed", "innerText").await?;
            for part in parts {
                ensure!(text.contains(part), "no {part}: {text}");
            }
            Ok(())
        })
        .await
    };
    shows(&["Thank you for your visit!"]).await?;
    browser.write("[name=text]", " Hello {first_name}").await?;
    shows(&[
        "Hello Ada",
        "1 person has no “first_name”.",
        "to 2 recipients",
        "characters · 1 SMS (billed) · standard characters",
    ])
    .await?;
    browser.write("[name=text]", " ☺").await?;
    shows(&[
        "Hello Ada ☺",
        "characters · 2 SMS (billed) · special characters",
    ])
    .await?;
    browser.write("[name=text]", " {link}").await?;
    shows(&["Text: Must contain"]).await?;

    // What is stored waits until it is what was typed.
    browser
        .open(&format!("{base}/dashboard/campaigns/new"))
        .await?;
    browser.write("[name=name]", "After the visit").await?;
    browser.click(".editor form > button").await?;
    let start = ".actions.stored button";
    eventually(SOON, async || {
        let disabled = browser.property(start, "disabled").await?;
        ensure!(disabled == "false", "{disabled}");
        Ok(())
    })
    .await?;
    // Starting it is asked twice, and says who gets what.
    browser.click("#start summary").await?;
    let question = browser.property("#start", "innerText").await?;
    ensure!(
        question.contains("No, go back") && question.contains("no phones"),
        "{question}"
    );
    browser.write("[name=text]", " Hello").await?;
    ensure!(browser.property(start, "disabled").await? == "true");
    // It says why.
    let why = browser.property(start, "title").await?;
    ensure!(why.contains("Save first"), "{why}");
    browser.no_incidents().await
}

#[tokio::test]
async fn without_scripts_each_page_has_what_it_is_about() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let campaign = owner.started(|form| on_import(form, "demo")).await?;
    app.person("ada", "shop", "editor").await?;
    let base = owner.base().to_owned();
    let browser = Browser::without_script().await?;
    sign_in(&browser, &base, "ada").await?;
    let id = campaign["campaign_id"].as_str().context("no campaign_id")?;
    browser
        .open(&format!("{base}/dashboard/campaigns/{id}"))
        .await?;
    browser.headline("After the visit").await?;
    browser.click("form[action$='/pause'] button").await?;
    eventually(SOON, async || {
        let status = browser.property("#funnel", "textContent").await?;
        ensure!(status == "Paused", "{status}");
        Ok(())
    })
    .await
}
