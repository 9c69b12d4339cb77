//! The links of a form on its page: one with a name, one for each store, and one that tries the form.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::form::{form, form_path};
use tests::import::JSON;

/// The tokens of links on a page, in their order, each once.
fn tokens(page: &str) -> Vec<String> {
    let parts = page.split("/f/").skip(1);
    let mut tokens: Vec<String> = parts.map(|part| part.chars().take(22).collect()).collect();
    tokens.dedup();
    tokens
}

#[tokio::test]
async fn the_sheet_of_links_calls_a_group_as_its_reader_does() -> Result<()> {
    let app = App::start().await?;
    let form = app.client_of("shop").await?.published(&form()).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let editor = app.person("ada", "shop", "editor").await?;
    let sheet = format!("/dashboard/forms/{form_id}/sheet?bus_prop=store");
    let german = editor.call(Method::GET, &sheet);
    let german = german.header("accept-language", "de").send().await?;
    let heading = "Ein Link je Filiale<";
    ensure!(
        german.expect(200)?.text()?.contains(heading),
        "a name as the API has it"
    );
    Ok(())
}

#[tokio::test]
async fn each_store_has_one_link_and_a_trial_keeps_nothing() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let form = owner.published(&form()).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let editor = app.person("ada", "shop", "editor").await?;
    let page = format!("/dashboard/forms/{form_id}");
    let sheet = format!("{page}/sheet?bus_prop=store");
    let empty = editor.get(&sheet).await?.expect(200)?;
    ensure!(empty.text()?.contains("2 links are missing"), "{empty:?}");
    let make = async || {
        let store = [("bus_prop", "store")];
        editor
            .post(&format!("{page}/make-sheet"), &store)
            .await?
            .expect(303)?;
        anyhow::Ok(tokens(editor.get(&sheet).await?.expect(200)?.text()?))
    };
    let links = make().await?;
    ensure!(links.len() == 2 && links == make().await?, "{links:?}");
    let link = owner
        .get(&format!("/api_v1/form/link/{}", links[1]))
        .await?
        .expect(200)?
        .json()?;
    ensure!(
        link["name"] == "Hamburg"
            && link["kiosk"] == true
            && link["bus_props"] == json!(["store:Hamburg"]),
        "{link}"
    );
    // One that is deleted is missing again.
    let gone = [("link", links[0].as_str())];
    editor
        .post(&format!("{page}/delete-link"), &gone)
        .await?
        .expect(303)?;
    let again = make().await?;
    ensure!(again[0] != links[0] && again[1] == links[1], "{again:?}");
    let named = [("name", "Receipt"), ("bus_prop", "3")];
    // The page of a new link can be loaded again, which makes no other.
    let answer = editor.post(&format!("{page}/link"), &named).await?;
    let answer = answer.expect(303)?;
    let new = answer.header("location").context("no location")?;
    for _ in 0..2 {
        let shown = editor.get(new).await?.expect(200)?;
        let shown = shown.text()?;
        for part in ["Receipt</h1>", "/qr.svg\" download=\"Receipt.svg\""] {
            ensure!(shown.contains(part), "no {part}: {shown}");
        }
    }
    let of_store = editor.get(&format!("{page}/links/{}", links[1])).await?;
    let of_store = of_store.expect(200)?;
    ensure!(
        of_store.text()?.contains("Counts for Hamburg"),
        "{of_store:?}"
    );
    let printed = editor.get(&sheet).await?.expect(200)?;
    ensure!(
        printed.text()?.contains("data-print hidden>Print"),
        "{printed:?}"
    );
    let long = "x".repeat(81);
    let refused = editor
        .post(&format!("{page}/link"), &[("name", &long)])
        .await?
        .expect(422)?;
    ensure!(refused.text()?.contains(&long), "{refused:?}");
    // What is tried is not counted, and the link is the same each time.
    let try_it = async || {
        let answer = editor
            .post(&format!("{page}/try"), &[])
            .await?
            .expect(303)?;
        editor
            .get(answer.header("location").context("no location")?)
            .await?
            .expect(200)
    };
    let trial = tokens(try_it().await?.text()?);
    ensure!(trial == tokens(try_it().await?.text()?), "{trial:?}");
    let answers = json!({"answers": {"recommend": 3, "mood": 4, "reason": "look"}}).to_string();
    let path = format!("/f/{}", trial[0]);
    let call = owner.call(Method::POST, &path).body(JSON, answers);
    call.send().await?.expect(201)?;
    let list = editor.get(&format!("{page}/links")).await?.expect(200)?;
    let list = list.text()?;
    ensure!(list.matches("Receipt</a>").count() == 1, "{list}");
    for part in ["Receipt", "channel: sms", "Hamburg", &again[0]] {
        ensure!(list.contains(part), "no {part}: {list}");
    }
    ensure!(!list.contains(&trial[0]), "a trial is listed: {list}");
    let trial = owner
        .get(&format!("/api_v1/form/link/{}", trial[0]))
        .await?
        .expect(200)?
        .json()?;
    ensure!(trial["responses"] == 0, "{trial}");
    Ok(())
}

#[tokio::test]
async fn a_draft_is_tried_before_it_is_published() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let editor = app.person("ada", "shop", "editor").await?;
    let made = [
        ("title", "Your visit"),
        ("row", "+1"),
        ("type", "nps"),
        ("label", "Recommend?"),
    ];
    editor
        .post("/dashboard/forms/new", &made)
        .await?
        .expect(303)?;
    let drafts = owner.get("/api_v1/form/list/DRAFT").await?.expect(200)?;
    let form = drafts.json()?["items"][0].clone();
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let list = editor.get("/dashboard/forms?status=DRAFT").await?;
    let page = format!("/dashboard/forms/{form_id}");
    let list = list.expect(200)?;
    ensure!(list.text()?.contains(&format!("{page}/try")), "{list:?}");
    let made = editor
        .post(&format!("{page}/try"), &[])
        .await?
        .expect(303)?;
    let made = made.header("location").context("no location")?;
    let shown = editor.get(made).await?.expect(200)?;
    // The address of the tests is that of this computer: no phone can open it.
    let text = shown.text()?;
    ensure!(
        !text.contains("qr.svg") && !text.contains("scan the code"),
        "{text}"
    );
    let path = format!("/f/{}", tokens(text)[0]);
    let opened = owner.get(&path).await?.expect(200)?;
    ensure!(opened.text()?.contains("Recommend?"), "{opened:?}");
    let answers = json!({"answers": {"recommend": 3}}).to_string();
    let call = owner.call(Method::POST, &path).body(JSON, answers);
    call.send().await?.expect(201)?;
    // Published, it has no answer.
    editor
        .post(&format!("{page}/publish"), &[])
        .await?
        .expect(303)?;
    let token = path.trim_start_matches("/f/");
    let link = owner.get(&format!("/api_v1/form/link/{token}")).await?;
    ensure!(link.expect(200)?.json()?["responses"] == 0);
    Ok(())
}

#[tokio::test]
async fn where_phones_cannot_open_a_link_its_page_and_the_sheet_say_so() -> Result<()> {
    // The address of the tests is that of this computer.
    let app = App::start().await?;
    let owner = app
        .anonymous()?
        .with_keys(&app.create_key("shop", &[]).await?);
    let form = owner.published(&form()).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let link = owner.link(&form, "1", &[]).await?;
    let token = link["token"].as_str().context("no token")?;
    let editor = app.person("ada", "shop", "editor").await?;
    let page = format!("/dashboard/forms/{form_id}");
    editor
        .post(&format!("{page}/make-sheet"), &[("bus_prop", "store")])
        .await?
        .expect(303)?;
    for path in [
        format!("{page}/links/{token}"),
        format!("{page}/sheet?bus_prop=store"),
    ] {
        let shown = editor.get(&path).await?.expect(200)?;
        let text = shown.text()?;
        ensure!(
            text.contains("opens on this computer only"),
            "{path}: {text}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_viewer_gets_no_address_of_a_link_that_is_for_one_person() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let form = owner.published(&form()).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let [one, few, all] = [
        ("track_field", "docid=order-1"),
        ("max_responses", "3"),
        ("name", "Poster"),
    ];
    let mut tokens = Vec::new();
    for with in [one, few, all] {
        let link = owner.link(&form, "", &[with]).await?;
        tokens.push(link["token"].as_str().context("no token")?.to_owned());
    }
    let list = format!("/dashboard/forms/{form_id}/links");
    for role in ["viewer", "editor", "admin"] {
        let person = app.person(&format!("a.{role}"), "shop", role).await?;
        let listed = person.get(&list).await?.expect(200)?;
        let listed = listed.text()?;
        for (token, is_personal) in tokens.iter().zip([true, true, false]) {
            let is_told = role != "viewer" || !is_personal;
            ensure!(listed.contains(token) == is_told, "{role}: {listed}");
            let shown = person.get(&format!("{list}/{token}")).await?.expect(200)?;
            let shown = shown.text()?;
            for part in ["qr.svg", &format!("/f/{token}")] {
                ensure!(shown.contains(part) == is_told, "{role}, {part}: {shown}");
            }
            let note = "only editors see its address";
            ensure!(shown.contains(note) != is_told, "{role}: {shown}");
        }
        let notes = listed.matches("only editors see its address").count();
        let hidden = if role == "viewer" { 2 } else { 0 };
        ensure!(notes == hidden, "{listed}");
    }
    Ok(())
}

#[tokio::test]
async fn a_link_tells_who_made_it_and_admins_from_where() -> Result<()> {
    let app = App::start().await?;
    let till = app.create_key("shop", &["--name", "Till"]).await?;
    let owner = app.anonymous()?.with_keys(&till);
    let form = owner.published(&form()).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let page = format!("/dashboard/forms/{form_id}");
    let editor = app.person("ada", "shop", "editor").await?;
    let admin = app.person("ben", "shop", "admin").await?;
    let named = [("name", "Receipt")];
    let made = editor.post(&format!("{page}/link"), &named).await?;
    let made = made.expect(303)?;
    let of_ada = made.header("location").context("no location")?;
    let store = [("bus_prop", "store")];
    let sheet = editor.post(&format!("{page}/make-sheet"), &store).await?;
    sheet.expect(303)?;
    owner.link(&form, "", &[]).await?;
    let links = owner.pages(&format!("{}/link", form_path(&form))).await?.0;
    let made_by = links.iter().map(|link| link["made_by"].as_str());
    let made_by: Vec<_> = made_by.collect();
    let ada = Some("ada");
    ensure!(
        made_by == [Some(&*till.api_key), ada, ada, ada],
        "{links:?}"
    );
    for (person, from) in [(&editor, ""), (&admin, " (127.0.0.1)")] {
        let list = person.get(&format!("{page}/links")).await?.expect(200)?;
        let list = list.text()?;
        for (by, count) in [("ada", 3), ("API key Till", 1)] {
            let told = list.matches(&format!(" by {by}{from}<")).count();
            ensure!(told == count, "{by}: {list}");
        }
        let one = person.get(of_ada).await?.expect(200)?;
        let told = format!(" by ada{from}<");
        ensure!(one.text()?.contains(&told), "{one:?}");
    }
    Ok(())
}

#[tokio::test]
async fn links_are_their_own_record_and_only_their_end_is_noted() -> Result<()> {
    let app = App::start().await?;
    let form = app.client_of("shop").await?.published(&form()).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let page = format!("/dashboard/forms/{form_id}");
    let editor = app.person("ada", "shop", "editor").await?;
    let admin = app.person("ben", "shop", "admin").await?;
    let post = async |path: &str, form: &[(&str, &str)]| {
        let answer = editor.post(&format!("{page}/{path}"), form).await?;
        anyhow::Ok(answer.expect(303)?.header("location").map(str::to_owned))
    };
    let made = post("link", &[("name", "Receipt")]).await?;
    let made = made.context("no location")?;
    let token = made.rsplit('/').next().unwrap_or_default();
    let token = token.split('?').next().unwrap_or_default();
    post("try", &[]).await?;
    post("delete-link", &[("link", token)]).await?;
    let log = admin.get("/dashboard/audit?name=ada").await?.expect(200)?;
    let log = log.text()?;
    ensure!(log.contains("data-action=\"link.delete\""), "{log}");
    for action in ["form.link", "form.try"] {
        let row = format!("data-action=\"{action}\"");
        ensure!(!log.contains(&row), "{action}: {log}");
    }
    Ok(())
}
