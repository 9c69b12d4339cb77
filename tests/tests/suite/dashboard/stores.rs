//! Stores beside each other: on their page, on a form's, on one's own, on the overview and on shared pages.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::form::form;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};

use super::share::later;

/// As many answers through a link with a business property as say something.
async fn answers(app: &App, owner: &Client, form: &Value, (id, grade): (&str, u8)) -> Result<()> {
    several(app, owner, form, (id, grade, 30)).await
}

/// The same of a number of answers.
async fn several(
    app: &App,
    owner: &Client,
    form: &Value,
    (id, grade, count): (&str, u8, usize),
) -> Result<()> {
    let link = owner.link(form, id, &[]).await?;
    for _ in 0..count {
        let visitor = Visitor::new(&app.anonymous()?, &link)?;
        visitor.stored(&json!({"recommend": grade})).await?;
    }
    Ok(())
}

/// The rows of the table below a text, by their first cells.
fn rows<'a>(page: &'a str, below: &str) -> Vec<&'a str> {
    let table = page.split_once(below).map_or("", |(_, rest)| rest);
    let table = table.split("</table>").next().unwrap_or_default();
    let cells = table.split("<th scope=\"row\">").skip(1);
    let texts = cells.filter_map(|cell| cell.split_once("</th>"));
    texts
        .map(|(cell, _)| {
            let cell = cell.trim_end_matches("</a>");
            cell.rsplit('>').next().unwrap_or_default()
        })
        .collect()
}

#[tokio::test]
async fn a_store_that_differs_is_marked_on_every_page() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let form = owner.published(&form()).await?;
    for (id, grade) in [("1", 10), ("2", 2)] {
        answers(&app, &owner, &form, (id, grade)).await?;
    }
    let person = app.person("ada", "shop", "viewer").await?;
    let id = form["form_id"].as_str().context("no form_id")?;
    let of_form = format!("/dashboard/form/{id}?days=7");
    let of_store = format!("{of_form}&bus_prop=store%3AHamburg");
    let stores = format!("/dashboard/stores?days=7&form={id}");
    let back =
        format!("href=\"/dashboard/stores?days=7&#38;form={id}&#38;property=store\">Stores<");
    let to_store = format!("href=\"{of_store}\">Hamburg<").replace('&', "&#38;");
    eventually(SOON, async || {
        let page = person.get(&of_store).await?.expect(200)?;
        for text in [
            "<h1>Hamburg</h1>",
            "aria-current=\"page\">Stores</a>",
            "store · How was your visit?",
            &back,
            "Against the rest",
            ">−200 pts<",
            "Clear difference",
        ] {
            ensure!(
                page.text()?.contains(text),
                "{of_store} has no {text}: {page:?}"
            );
        }
        for (path, below) in [
            (&of_form, "Compared by store"),
            (&stores, "Compared by store"),
        ] {
            let page = person.get(path).await?.expect(200)?;
            let text = page.text()?;
            let found = rows(text, below);
            ensure!(found == ["Hamburg", "Berlin"], "{path}: {found:?}");
            ensure!(
                text.contains("<small>Clear difference</small>"),
                "{path}: {text}"
            );
        }
        let overview = person.get("/dashboard?days=7").await?.expect(200)?;
        let (_, standing_out) = overview
            .text()?
            .split_once("Stores that stand out")
            .context("nothing stands out")?;
        ensure!(
            standing_out.contains(&to_store),
            "no {to_store}: {standing_out}"
        );
        Ok(())
    })
    .await?;
    let german = person
        .call(Method::GET, &stores)
        .header("accept-language", "de");
    let german = german.send().await?.expect(200)?;
    ensure!(
        german.text()?.contains("Vergleich nach Filiale<"),
        "{german:?}"
    );
    // A shared page says the same, and leads nowhere.
    let body = json!({"path": of_form, "expires_at": later()});
    let made = owner.send_json(Method::POST, "/api_v1/report/share", &body);
    let made = made.await?.expect(201)?.json()?;
    let url = made["url"].as_str().context("no url")?;
    let path = &url[url.find("/dashboard/shared/").context("another path")?..];
    let shared = app.anonymous()?.get(path).await?.expect(200)?;
    let text = shared.text()?;
    ensure!(
        rows(text, "Compared by store") == ["Hamburg", "Berlin"],
        "{text}"
    );
    ensure!(text.contains("<small>Clear difference</small>"), "{text}");
    Ok(())
}

#[tokio::test]
async fn where_none_differs_the_overview_says_so() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let form = owner.published(&form()).await?;
    for id in ["1", "2"] {
        answers(&app, &owner, &form, (id, 9)).await?;
    }
    let person = app.person("ada", "shop", "viewer").await?;
    eventually(SOON, async || {
        let page = person.get("/dashboard?days=7").await?.expect(200)?;
        ensure!(page.text()?.contains("No store differs"), "{page:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn of_many_stores_the_first_hundred_are_drawn_and_all_on_demand() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let mut many = form();
    let stores = (0..120).map(|number| json!(format!("store:No {number:03}")));
    many["bus_props"] = stores.collect();
    let form = owner.published(&many).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let id = form["form_id"].as_str().context("no form_id")?;
    let path = format!("/dashboard/stores?days=7&form={id}&sort=name");
    let page = person.get(&path).await?.expect(200)?;
    let text = page.text()?;
    let found = rows(text, "Compared by store");
    ensure!(found.len() == 100 && found[99] == "No 099", "{found:?}");
    let (before, _) = text
        .split_once(">Show all 120<")
        .context("no link to all")?;
    let (_, all) = before.rsplit_once("href=\"").context("no link")?;
    let all = all.trim_end_matches('"').replace("&#38;", "&");
    let whole = person
        .get(&format!("/dashboard/stores{all}"))
        .await?
        .expect(200)?;
    let found = rows(whole.text()?, "Compared by store");
    ensure!(found.len() == 120 && found[119] == "No 119", "{found:?}");
    ensure!(!whole.text()?.contains("Show all"), "{whole:?}");
    Ok(())
}

#[tokio::test]
async fn few_answers_are_marked_nowhere_and_stand_below_a_line_that_says_so() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let form = owner.published(&form()).await?;
    for (id, grade) in [("1", 10), ("2", 2)] {
        several(&app, &owner, &form, (id, grade, 8)).await?;
    }
    let person = app.person("ada", "shop", "viewer").await?;
    let id = form["form_id"].as_str().context("no form_id")?;
    eventually(SOON, async || {
        for path in [
            format!("/dashboard/form/{id}?days=7"),
            format!("/dashboard/stores?days=7&form={id}"),
        ] {
            let page = person.get(&path).await?.expect(200)?;
            let text = page.text()?;
            // The page of a form has a table of channels too.
            let below = ">Fewer than 30 answers<";
            let tables = text.match_indices(below);
            let mut tables = tables.map(|(at, _)| rows(&text[at..], below));
            ensure!(
                tables.any(|found| found == ["Hamburg", "Berlin"]),
                "{path}: {text}"
            );
            ensure!(text.contains(">−200 pts<"), "{path}: {text}");
            ensure!(!text.contains("Clear difference"), "{path}: {text}");
            ensure!(
                text.contains("Pale: fewer than 30 answers and no clear difference."),
                "{path}: {text}"
            );
        }
        // By name they are not apart.
        let by_name = format!("/dashboard/stores?days=7&form={id}&sort=name");
        let page = person.get(&by_name).await?.expect(200)?;
        ensure!(
            !page.text()?.contains(">Fewer than 30 answers<"),
            "{page:?}"
        );
        // There are no months before the first answer.
        let months = page.text()?.split_once("NPS by month");
        let (_, months) = months.context("no months")?;
        let head = months.split("</thead>").next().unwrap_or_default();
        ensure!(head.matches("<th scope").count() == 2, "{head}");
        // How far a month is from the form's shows, and a store leads to its page.
        for part in [
            "<td class=\"n small high-3\">",
            "<td class=\"n small low-3\">",
            ">Hamburg</a></th>",
        ] {
            ensure!(months.contains(part), "no {part}: {months}");
        }
        ensure!(
            page.text()?.contains("days that are not chosen count too"),
            "{page:?}"
        );
        let of_store = format!("/dashboard/form/{id}?days=7&bus_prop=store%3AHamburg");
        let page = person.get(&of_store).await?.expect(200)?;
        ensure!(
            page.text()?.contains("Too few answers to judge"),
            "{page:?}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_store_with_few_answers_that_differs_stands_with_the_others() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let form = owner.published(&form()).await?;
    for (id, grade, count) in [("1", 10, 30), ("2", 2, 12)] {
        several(&app, &owner, &form, (id, grade, count)).await?;
    }
    let person = app.person("ada", "shop", "viewer").await?;
    let id = form["form_id"].as_str().context("no form_id")?;
    let path = format!("/dashboard/stores?days=7&form={id}&property=store");
    eventually(SOON, async || {
        let page = person.get(&path).await?.expect(200)?;
        let text = page.text()?;
        let found = rows(text, "Compared by store");
        ensure!(found == ["Hamburg", "Berlin"], "{found:?}");
        ensure!(!text.contains(">Fewer than 30 answers<"), "{text}");
        ensure!(!text.contains("<tr class=\"small\">"), "{text}");
        let overview = person.get("/dashboard?days=7").await?.expect(200)?;
        let said = "NPS −100 · 12 answers · How was your visit?";
        ensure!(overview.text()?.contains(said), "{overview:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_form_without_stores_says_so_and_is_none_to_choose() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let with_stores = owner.published(&form()).await?;
    let mut without = form();
    without["title"] = json!("The loyalty card");
    without["bus_props"] = json!([]);
    without["fields"] =
        json!([{"key": "recommend", "type": "nps", "label": "Again?", "required": false}]);
    let without = owner.published(&without).await?;
    let ids = [&with_stores, &without].map(|form| form["form_id"].as_str().unwrap_or_default());
    for (role, may_edit) in [("viewer", false), ("editor", true)] {
        let person = app.person(role, "shop", role).await?;
        let path = format!("/dashboard/stores?form={}", ids[1]);
        let page = person.get(&path).await?.expect(200)?;
        let text = page.text()?;
        ensure!(text.contains("“The loyalty card” has no stores"), "{text}");
        let editor = format!("href=\"/dashboard/forms/{}/edit\"", ids[1]);
        ensure!(text.contains(&editor) == may_edit, "{role}: {text}");
        let page = person.get("/dashboard/stores").await?.expect(200)?;
        let text = page.text()?;
        ensure!(
            text.contains(ids[0]) && !text.contains("The loyalty card"),
            "{text}"
        );
    }
    // A form that asks for no smileys has no column of them.
    let mut plain = form();
    plain["fields"] =
        json!([{"key": "recommend", "type": "nps", "label": "Again?", "required": false}]);
    let plain = owner.published(&plain).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let of_plain = plain["form_id"].as_str().context("no form_id")?;
    for (id, has_smileys) in [(ids[0], true), (of_plain, false)] {
        let path = format!("/dashboard/stores?form={id}");
        let page = person.get(&path).await?.expect(200)?;
        ensure!(
            page.text()?.contains("Satisfied (4–5)") == has_smileys,
            "{page:?}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn answers_without_a_store_stand_in_a_last_row_so_that_the_sum_is_the_form_s() -> Result<()> {
    let app = App::start().await?;
    let owner = app
        .anonymous()?
        .with_keys(&app.create_key("shop", &[]).await?);
    let form = owner.published(&form()).await?;
    // Business property 3 is no store.
    for (id, grade, count) in [("1", 10, 4), ("2", 2, 2), ("3", 9, 3)] {
        several(&app, &owner, &form, (id, grade, count)).await?;
    }
    let person = app.person("ada", "shop", "viewer").await?;
    let id = form["form_id"].as_str().context("no form_id")?;
    let path = format!("/dashboard/stores?days=7&form={id}&property=store");
    eventually(SOON, async || {
        let page = person.get(&path).await?.expect(200)?;
        let text = page.text()?;
        let found = rows(text, "Compared by store");
        ensure!(
            found.len() == 3 && found[2] == "Without a store",
            "{found:?}"
        );
        let (_, last) = text.split_once("Without a store").context("no row")?;
        let last = last.split("</tr>").next().unwrap_or_default();
        ensure!(last.contains("<td class=\"n\">3</td>"), "{last}");
        ensure!(!last.contains("href"), "{last}");
        ensure!(text.contains("The last row has the answers"), "{text}");
        let german = person.call(Method::GET, &path);
        let german = german.header("accept-language", "de").send().await?;
        ensure!(german.expect(200)?.text()?.contains(">Ohne Filiale<"));
        Ok(())
    })
    .await?;
    let path = format!("/dashboard/stores?days=7&form={id}&property=channel");
    let page = person.get(&path).await?.expect(200)?;
    ensure!(page.text()?.contains("Without channel"), "{page:?}");
    Ok(())
}

#[tokio::test]
async fn stores_that_stand_out_are_those_of_a_form_that_has_stores() -> Result<()> {
    let app = App::start().await?;
    let owner = app
        .anonymous()?
        .with_keys(&app.create_key("shop", &[]).await?);
    let with_stores = owner.published(&form()).await?;
    let mut plain = form();
    plain["bus_props"] = json!([]);
    plain["fields"] =
        json!([{"key": "recommend", "type": "nps", "label": "Again?", "required": false}]);
    let plain = owner.published(&plain).await?;
    several(&app, &owner, &plain, ("", 9, 70)).await?;
    for (id, grade) in [("1", 10), ("2", 2)] {
        answers(&app, &owner, &with_stores, (id, grade)).await?;
    }
    let person = app.person("ada", "shop", "viewer").await?;
    let of_plain = plain["form_id"].as_str().context("no form_id")?;
    eventually(SOON, async || {
        let overview = person.get("/dashboard?days=7").await?.expect(200)?;
        let text = overview.text()?;
        let (_, standing_out) = text.split_once("Stores that stand out").context("none")?;
        ensure!(standing_out.contains(">Hamburg<"), "{standing_out}");
        // Without a question with smileys nobody is satisfied or not.
        let path = format!("/dashboard/form/{of_plain}?days=7");
        let page = person.get(&path).await?.expect(200)?;
        let (cards, _) = page
            .text()?
            .split_once("<div class=\"halves\">")
            .context("no cards")?;
        ensure!(!cards.contains("Satisfied"), "{cards}");
        Ok(())
    })
    .await
}
