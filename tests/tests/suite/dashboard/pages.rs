//! Pages show what the API says, in English and German, and masked where they should.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::on_import;
use tests::client::Client;
use tests::form::form;
use tests::import::{JSON, record};
use tests::visitor::Visitor;
use tests::wait::{LATER, SOON, eventually};

/// A form of the account `shop` with three answers through one link.
pub async fn answered(app: &App) -> Result<(Client, Value)> {
    let owner = app.client_of("shop").await?;
    let form = owner.published(&form()).await?;
    owner
        .import_and_wait(&[record("order-1"), record("order-2")], SOON)
        .await?;
    let link = owner
        .link(&form, "1_3", &[("track_field", "docid=order-1")])
        .await?;
    let token = link["token"].as_str().context("no token")?;
    for (recommend, more) in [
        (10, "All <b>well</b>."),
        (9, "Fine."),
        (3, "Too long a wait."),
    ] {
        answer(&owner, token, recommend, more).await?;
    }
    Ok((owner, form))
}

async fn answer(client: &Client, token: &str, recommend: u8, more: &str) -> Result<()> {
    let answers = json!({"recommend": recommend, "mood": 4, "more": more, "reason": "look"});
    let body = json!({"answers": answers}).to_string();
    let call = client.call(Method::POST, &format!("/f/{token}"));
    call.body(JSON, body).send().await?.expect(201).map(drop)
}

#[tokio::test]
async fn the_figures_are_those_of_the_api() -> Result<()> {
    let app = App::start().await?;
    let (_, form) = answered(&app).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    // Three views, three responses; 2 promoters and 1 detractor are an NPS of 33.
    eventually(SOON, async || {
        for path in [
            "/dashboard?days=7".to_owned(),
            format!("/dashboard/form/{form_id}?days=7"),
        ] {
            let page = person.get(&path).await?.expect(200)?;
            let text = page.text()?;
            for value in [
                "<p class=\"value\">3</p>",
                "<p class=\"value\">33</p>",
                "<p class=\"value\">100.0%</p>",
            ] {
                ensure!(text.contains(value), "{path} has no {value}: {text}");
            }
        }
        Ok(())
    })
    .await?;
    let page = person
        .get(&format!(
            "/dashboard/form/{form_id}?days=7&bus_prop=store%3AHamburg"
        ))
        .await?
        .expect(200)?;
    ensure!(
        page.text()?.contains("<p class=\"value\">0</p>"),
        "of another store"
    );
    let answers = person
        .get(&format!("/dashboard/answers?form={form_id}&show=all"))
        .await?
        .expect(200)?;
    let answers = answers.text()?;
    for text in [
        "All &#60;b&#62;well&#60;/b&#62;.",
        "Too long a wait.",
        "order-1",
        "Why did you come?",
        "3 answers",
    ] {
        ensure!(answers.contains(text), "no {text}: {answers}");
    }
    let german = person
        .call(Method::GET, "/dashboard")
        .header("accept-language", "de-AT,en;q=0.5");
    let german = german.send().await?.expect(200)?;
    ensure!(
        german.text()?.contains("<html lang=\"de\">") && german.text()?.contains("Übersicht"),
        "{german:?}"
    );
    let german = person
        .call(Method::GET, "/dashboard/imports/none")
        .header("accept-language", "de");
    let german = german.send().await?.expect(400)?;
    ensure!(
        german
            .text()?
            .contains("Ein Wert in der Adresse ist ungültig"),
        "{german:?}"
    );
    for (days, has_charts) in [("7", true), ("1", false)] {
        let page = person.get(&format!("/dashboard?days={days}")).await?;
        let page = page.expect(200)?;
        ensure!(page.text()?.contains("data-chart") == has_charts, "{days}");
    }
    let nowhere = person.get("/dashboard/nowhere").await?.expect(404)?;
    ensure!(
        nowhere.text()?.contains("There is nothing here"),
        "{nowhere:?}"
    );
    for (path, status) in [
        ("/dashboard?from=2026-01-01&to=2026-02-30", 400),
        ("/dashboard?days=0", 400),
        ("/dashboard?days=99999999999999", 400),
        ("/dashboard/form/none", 400),
        ("/dashboard/answers?cursor=x", 400),
        ("/dashboard/assets/nothing.css", 404),
    ] {
        let answer = person.get(path).await?;
        ensure!(answer.status == status, "{path}: {answer:?}");
    }
    Ok(())
}

#[tokio::test]
async fn answers_are_searched_by_grade_word_and_tracking_field() -> Result<()> {
    let app = App::start().await?;
    let (owner, form) = answered(&app).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    for (filter, count) in [
        ("nps=9-10", 2),
        ("nps=3", 1),
        ("q=WAIT%20long", 1),
        ("q=wait%20fine", 0),
        ("q=fine&nps=0-6", 0),
        ("track_field=docid%3Dorder-1", 3),
        ("track_field=docid%3Dorder-1&nps=3", 1),
        ("track_field=docid%3Dorder-2", 0),
        // As the form of the page sends it.
        ("column=docid&value=order-1", 3),
        ("column=docid&value=order-2", 0),
        ("column=docid&value=", 3),
    ] {
        let found = person
            .get(&format!(
                "/dashboard/answers?form={form_id}&show=all&{filter}"
            ))
            .await?
            .expect(200)?;
        let heading = if count == 1 {
            ">1 answer<".to_owned()
        } else {
            format!(">{count} answers<")
        };
        ensure!(found.text()?.contains(&heading), "{filter}: {found:?}");
        // Each answer leads to whoever gave it.
        let leads = found
            .text()?
            .matches("/dashboard/recipients?docid=order-1\" title=\"order-1\">Person<");
        ensure!(leads.count() == count, "{filter}: {found:?}");
    }
    // A column that was chosen stays, though its value is still to be typed.
    let path = format!("/dashboard/answers?form={form_id}&column=city&value=");
    let chosen = person.get(&path).await?.expect(200)?;
    let option = "<option value=\"city\" selected>city</option>";
    ensure!(chosen.text()?.contains(option), "{chosen:?}");
    for wrong in ["nps=11", "nps=a", "happiness=0", "q="] {
        let list = format!("/api_v1/report/feedbacks/2026-01-01/2026-01-02/{form_id}?{wrong}");
        owner.get(&list).await?.problem(400, "invalid_parameter")?;
    }
    Ok(())
}

#[tokio::test]
async fn what_detractors_say_comes_with_quotes() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let form = owner.published(&form()).await?;
    let link = owner.link(&form, "1", &[]).await?;
    let token = link["token"].as_str().context("no token")?;
    for place in 0..12 {
        let good = format!("The soup was good, {place} of us came.");
        answer(&owner, token, 9, &good).await?;
    }
    for place in 0..6 {
        let bad = format!("<{place}> The soup was Übersalzen & cold.");
        answer(&owner, token, 6, &bad).await?;
    }
    let person = app.person("ada", "shop", "viewer").await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    eventually(SOON, async || {
        let path = format!("/dashboard/form/{form_id}?days=7");
        let page = person.get(&path).await?.expect(200)?;
        let text = page.text()?;
        let terms = text
            .split_once("What detractors say")
            .context("no terms")?
            .1
            .split_once("Latest comments")
            .context("no comments")?
            .0;
        for part in [
            "Of the last 18 written answers with a score",
            "nps=0-6&#38;q=%C3%BCbersalzen+cold\">6 answers</a>",
            "&#60;4&#62; The soup was Übersalzen &#38; cold.",
        ] {
            ensure!(terms.contains(part), "no {part}: {terms}");
        }
        ensure!(!terms.contains("soup</a>"), "what all say: {terms}");
        Ok(())
    })
    .await?;
    // A store's page says what is compared.
    let path = format!("/dashboard/form/{form_id}?days=7&bus_prop=store%3ABerlin");
    let of_store = person.get(&path).await?.expect(200)?;
    let compared =
        "What detractors of “Berlin” wrote is compared with all other answers to the form";
    ensure!(of_store.text()?.contains(compared), "{of_store:?}");
    let none = person
        .get(&format!(
            "/dashboard/form/{form_id}?days=7&bus_prop=store%3AHamburg"
        ))
        .await?
        .expect(200)?;
    ensure!(!none.text()?.contains("What detractors"), "{none:?}");
    // Where all are detractors, they are compared with those of other stores.
    let in_hamburg = owner.link(&form, "2", &[]).await?;
    let token = in_hamburg["token"].as_str().context("no token")?;
    for place in 0..6 {
        let bad = format!("The soup took an hour, {place} of us left.");
        answer(&owner, token, 2, &bad).await?;
    }
    eventually(SOON, async || {
        let path = format!("/dashboard/form/{form_id}?days=7&bus_prop=store%3AHamburg");
        let page = person.get(&path).await?.expect(200)?;
        let text = page.text()?;
        let (_, terms) = text
            .split_once("What detractors here say and others do not")
            .context("no terms")?;
        for part in [
            "Of the last 6 written answers",
            ">6 answers</a>",
            "took an hour",
        ] {
            ensure!(terms.contains(part), "no {part}: {terms}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn viewers_see_masked_phones() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let sent = record("order-1");
    owner
        .import_and_wait(std::slice::from_ref(&sent), SOON)
        .await?;
    let phone = sent["phone"].as_str().context("no phone")?;
    for (role, shown) in [("viewer", false), ("editor", true)] {
        let person = app.person(role, "shop", role).await?;
        let page = person
            .get("/dashboard/recipients?docid=order-1")
            .await?
            .expect(200)?;
        ensure!(page.text()?.contains(phone) == shown, "{role}");
        let list = person.get("/dashboard/recipients").await?.expect(200)?;
        ensure!(
            list.text()?.contains("order-1") && !list.text()?.contains(phone),
            "{role}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_person_s_page_has_their_link_and_leads_to_what_they_answered() -> Result<()> {
    let app = App::start().await?;
    let keys = app.create_key("shop", &[]).await?;
    let owner: Client = app.anonymous()?.with_keys(&keys);
    let campaign = owner.started(|form| on_import(form, "demo")).await?;
    let people = [record("order-1")];
    owner.import_for(&campaign, &people).await?.expect(202)?;
    let editor = app.person("eve", "shop", "editor").await?;
    let viewer = app.person("ada", "shop", "viewer").await?;
    let path = "/dashboard/recipients?docid=order-1";
    let token = eventually(LATER, async || {
        let page = editor.get(path).await?.expect(200)?;
        let (_, rest) = page.text()?.split_once("Their link").context("no link")?;
        ensure!(rest.contains("Opening it counts as a view"), "{rest}");
        let (_, rest) = rest.split_once("href=\"/f/").context("no address")?;
        Ok(rest.split('"').next().unwrap_or_default().to_owned())
    })
    .await?;
    let seen = viewer.get(path).await?.expect(200)?;
    let seen = seen.text()?;
    ensure!(
        !seen.contains("Their link") && !seen.contains(&token),
        "{seen}"
    );
    let visitor = Visitor::new(&app.anonymous()?, &json!({"token": token}))?;
    visitor.stored(&json!({"mood": 5})).await?;
    eventually(SOON, async || {
        let page = editor.get(path).await?.expect(200)?;
        let text = page.text()?;
        // It takes one answer.
        ensure!(!text.contains("Their link"), "{text}");
        let (_, rest) = text
            .split_once("href=\"/dashboard/answers?")
            .context("none")?;
        let query = rest.split('"').next().unwrap_or_default();
        let list = format!("/dashboard/answers?{}", query.replace("&#38;", "&"));
        let list = viewer.get(&list).await?.expect(200)?;
        ensure!(list.text()?.contains(">1 answer<"), "{list:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_column_is_searched_as_a_whole_in_any_case() -> Result<()> {
    let app = App::start().await?;
    let owner = app
        .anonymous()?
        .with_keys(&app.create_key("shop", &[]).await?);
    let people = [
        json!({"docid": "K-1", "phone": "+4915112345678", "town": "Bonn "}),
        json!({"docid": "K-2", "phone": "+4915112345679", "town": "Köln (Süd)"}),
    ];
    owner.import_and_wait(&people, SOON).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let list = person.get("/dashboard/recipients").await?.expect(200)?;
    let said = "in capitals or small letters";
    ensure!(list.text()?.contains(said), "{list:?}");
    for (q, docid) in [("bONN", "K-1"), ("k%C3%96LN+%28s%C3%BCd%29", "K-2")] {
        let path = format!("/dashboard/recipients?column=town&q={q}");
        let one = person.get(&path).await?.expect(303)?;
        let to = format!("/dashboard/recipients?docid={docid}");
        ensure!(one.header("location") == Some(&to), "{q}: {one:?}");
    }
    for nobody in ["Bon", "B%3Fnn", "*", "B.nn", "%5BBb%5Donn"] {
        let path = format!("/dashboard/recipients?column=town&q={nobody}");
        let none = person.get(&path).await?.expect(200)?;
        let text = none.text()?;
        ensure!(text.contains("Nobody was found."), "{nobody}: {text}");
    }
    Ok(())
}

#[tokio::test]
async fn recipients_are_searched_and_erased_on_pages() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let people = [
        json!({"docid": "K-1", "phone": "+4915112345678", "town": "Bonn"}),
        json!({"docid": "K-2", "phone": "+4915112345678", "town": "Köln"}),
        json!({"docid": "K-3", "phone": "+4915112345679", "town": "Köln & Bonn"}),
    ];
    let batch = owner.import_and_wait(&people, SOON).await?;
    let person = app.person("ada", "shop", "editor").await?;
    let list = person
        .get("/dashboard/recipients?q=K-")
        .await?
        .expect(200)?;
    for docid in [
        "K-1",
        "K-2",
        "K-3",
        "<option value=\"town\">",
        "data-label=\"town\">Bonn</td>",
    ] {
        ensure!(list.text()?.contains(docid), "no {docid}: {list:?}");
    }
    for (query, docid) in [
        ("q=K-2", "K-2"),
        ("column=town&q=K%C3%B6ln+%26+Bonn", "K-3"),
    ] {
        let path = format!("/dashboard/recipients?{query}");
        let one = person.get(&path).await?.expect(303)?;
        let to = format!("/dashboard/recipients?docid={docid}");
        ensure!(one.header("location") == Some(&to), "{query}: {one:?}");
    }
    let none = person
        .get("/dashboard/recipients?column=town&q=Ulm")
        .await?;
    ensure!(none.expect(200)?.text()?.contains("Nobody was found."));

    let search = async |phone: &str| {
        let fields = [("phone", phone)];
        person.post("/dashboard/recipients/phone", &fields).await
    };
    let found = search("+4915112345678").await?.expect(200)?;
    let found = found.text()?;
    ensure!(found.contains("K-1") && found.contains("K-2"), "{found}");
    ensure!(
        !found.contains("K-3") && found.contains("Erase everybody"),
        "{found}"
    );
    search("+4915112345679").await?.expect(303)?;
    let wrong = search("0151").await?.expect(200)?;
    let wrong = wrong.text()?;
    ensure!(
        wrong.contains("Write the number with country code"),
        "{wrong}"
    );
    ensure!(
        wrong.contains("value=\"0151\""),
        "what was typed is lost: {wrong}"
    );

    let erase = [("phone", "+4915112345678")];
    let erased = person.post("/dashboard/recipients/erase", &erase).await?;
    ensure!(
        erased.expect(303)?.header("location")
            == Some("/dashboard/recipients?done=recipient.erase")
    );
    let list = person.get("/dashboard/recipients").await?.expect(200)?;
    ensure!(
        !list.text()?.contains("K-1") && list.text()?.contains("K-3"),
        "{list:?}"
    );

    let import = format!(
        "/dashboard/imports/{}",
        batch["batch_id"].as_str().context("no id")?
    );
    let page = person.get(&format!("{import}?ask=erase")).await?;
    let page = page.expect(200)?;
    ensure!(
        page.text()?
            .contains("The 3 recipients whom this import created"),
        "{page:?}"
    );
    person
        .post(&format!("{import}/erase"), &[])
        .await?
        .expect(303)?;
    eventually(SOON, async || {
        let page = person.get(&import).await?.expect(200)?;
        ensure!(!page.text()?.contains("are being erased"), "{page:?}");
        Ok(())
    })
    .await?;
    let list = person.get("/dashboard/recipients").await?.expect(200)?;
    ensure!(
        list.text()?.contains("There are no recipients yet"),
        "{list:?}"
    );
    Ok(())
}
