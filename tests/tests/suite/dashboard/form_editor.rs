//! The editor of forms: what is made and changed in it is what the API then says.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::form::form_path;

use super::editors::{editor, hidden};

#[tokio::test]
async fn a_form_is_made_and_changed_and_loses_nothing() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let made = [
        ("title", "Your visit"),
        ("bus_props", "store:Berlin\nstore:Köln"),
        ("row", "+1"),
        ("type", "nps"),
        ("label", "Recommend?"),
        ("required", "on"),
        ("row", "+2"),
        ("type", "choice"),
        ("label", "Why?"),
        ("if", "+1"),
        ("if_value:+1", "0"),
        ("if_value:+1", "1"),
        ("option:+1", "Too late"),
        ("option:+2", "Too cold"),
    ];
    // What depends on an earlier question is offered once it is there, and nothing is stored meanwhile.
    let draw = [&made[..], &[("do", "draw")]].concat();
    let drawn = person.post("/dashboard/forms/new", &draw).await?;
    let drawn = drawn.expect(200)?.text()?.to_owned();
    for part in [
        "<option value=\"+1\" selected>1. Recommend?</option>",
        "name=\"if_value:+1\" value=\"1\" checked>",
        "name=\"if_value:+1\" value=\"10\">",
        "name=\"option:+3\"",
    ] {
        ensure!(drawn.contains(part), "no {part}: {drawn}");
    }
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
        form["fields"][1]["show_if"] == json!({"key": "recommend", "in": [0, 1]}),
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
    let before = hidden(person.get(&edit).await?.expect(200)?.text()?, "before");
    let changed = [
        ("title", "Your second visit"),
        ("title.de", "Ihr Besuch"),
        ("row", "why"),
        ("before", before[1].as_str()),
        ("type", "choice"),
        ("label", "Why so?"),
        ("option:=Too late", "Late"),
        ("option.de:=Too late", "Zu spät"),
        ("option:+1", "Wet"),
        ("option_text", "+1"),
    ];
    // One that is translated says its own language, which buttons are in.
    let unsaid = person.post(&edit, &changed).await?.expect(422)?;
    let unsaid = unsaid.text()?;
    ensure!(
        unsaid.contains("Choose the language of the questions.")
            && unsaid.contains("<select name=\"language\" required>"),
        "{unsaid}"
    );
    let said = [&changed[..], &[("language", "en")]].concat();
    person.post(&edit, &said).await?.expect(303)?;
    let read = owner.get(&form_path(form)).await?.expect(200)?.json()?;
    let options = json!([{"value": "Too late", "label": "Late", "labels": {"de": "Zu spät"}}, {"value": "Wet", "label": "Wet", "text": true}]);
    ensure!(
        read["fields"][0]["options"] == options
            && read["labels"] == json!({"de": "Ihr Besuch"})
            && read["fields"][0]["key"] == form["fields"][1]["key"],
        "{read}"
    );

    // A draft is shown as its public page would be.
    let drawn = person.post("/dashboard/forms/preview", &changed).await?;
    let drawn = drawn.expect(200)?;
    let policy = drawn
        .header("content-security-policy")
        .context("no policy")?;
    ensure!(
        policy.contains("frame-ancestors 'self'") && policy.contains("form-action 'none'"),
        "{policy}"
    );
    let drawn = drawn.text()?;
    ensure!(
        drawn.contains("Your second visit</h1>") && drawn.contains("Why so?"),
        "{drawn}"
    );
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_in_a_form_is_said_beside_its_field_with_all_that_was_typed() -> Result<()> {
    let app = App::start().await?;
    let (_, person) = editor(&app).await?;
    let wrong = [
        ("title", "T"),
        ("row", "+1"),
        ("type", "rating"),
        ("label", "Stars & <more>"),
        ("scale", "99"),
        ("row", "+2"),
        ("type", "choices"),
        ("label", ""),
        ("option:+1", ""),
        ("option.de:+1", "Halb"),
        ("link", ""),
        ("link_label", "Imprint"),
        ("link_url", "http://example.com"),
    ];
    let refused = person.post("/dashboard/forms/new", &wrong).await?;
    let refused = refused.expect(422)?;
    let text = refused.text()?;
    ensure!(
        text.contains("Question 1, Highest value: Enter")
            && text.contains("Stars &#38; &#60;more&#62;"),
        "{text}"
    );
    for part in [
        "value=\"99\"><span class=\"err\">Enter a whole number from 2 to 10.",
        "Question 2, Choice 1: Write the text here",
        "value=\"Halb\"",
        "value=\"http://example.com\"",
        "<span class=\"err\">It must begin with https://",
    ] {
        ensure!(text.contains(part), "no {part}: {text}");
    }
    let drawn = person.post("/dashboard/forms/preview", &wrong).await?;
    ensure!(
        drawn
            .expect(200)?
            .text()?
            .contains("Question 1, Highest value: Enter")
    );
    Ok(())
}

#[tokio::test]
async fn a_second_comment_is_not_offered_and_an_address_needs_no_scheme() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let made = [
        ("title", "T"),
        ("row", "+1"),
        ("type", "comment"),
        ("label", "Why?"),
        ("row", "+2"),
        ("type", "text"),
        ("label", "Where?"),
        ("link", ""),
        ("link_label", "Imprint"),
        ("link_url", "www.example.org/imprint"),
    ];
    let draw = [&made[..], &[("do", "draw")]].concat();
    let drawn = person.post("/dashboard/forms/new", &draw).await?;
    let drawn = drawn.expect(200)?;
    let taken = "<option value=\"comment\" disabled>Comment – a form can have one comment question";
    ensure!(drawn.text()?.matches(taken).count() == 1, "{drawn:?}");
    person
        .post("/dashboard/forms/new", &made)
        .await?
        .expect(303)?;
    let drafts = owner.get("/api_v1/form/list/DRAFT").await?.expect(200)?;
    let url = drafts.json()?["items"][0]["links"][0]["url"].clone();
    ensure!(url == "https://www.example.org/imprint", "{url}");
    Ok(())
}

#[tokio::test]
async fn a_removed_question_of_a_published_form_is_restored_as_it_was() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::form()).await?;
    let path = form_path(&form);
    let id = form["form_id"].as_str().context("no form_id")?;
    let edit = format!("/dashboard/forms/{id}/edit");
    let mut without = form.clone();
    let fields = without["fields"].as_array_mut().context("no fields")?;
    fields.retain(|field| field["key"] != "reason");
    owner
        .send_json(Method::PUT, &path, &without)
        .await?
        .expect(200)?;
    let page = person.get(&edit).await?.expect(200)?;
    let text = page.text()?;
    for part in ["Removed questions (1)", "value=\"restore:reason\""] {
        ensure!(text.contains(part), "no {part}: {text}");
    }
    // It comes back below the others, which are kept here by what the page knows of them.
    let (befores, retired) = (hidden(text, "before"), hidden(text, "retired"));
    let version = hidden(text, "version").remove(0);
    let kept = without["fields"].as_array().context("no fields")?;
    let mut sent = vec![
        ("version", version),
        (
            "title",
            form["title"].as_str().unwrap_or_default().to_owned(),
        ),
        ("retired", retired[0].clone()),
    ];
    for (field, before) in kept.iter().zip(befores) {
        for name in ["key", "type", "label"] {
            let value = field[name].as_str().unwrap_or_default().to_owned();
            sent.push((if name == "key" { "row" } else { name }, value));
        }
        sent.push(("before", before));
        for option in field["options"].as_array().into_iter().flatten() {
            sent.push((
                "option:",
                option["label"].as_str().unwrap_or_default().to_owned(),
            ));
        }
    }
    sent.push(("do", "restore:reason".to_owned()));
    let pairs: Vec<_> = sent.iter().map(|(name, value)| (*name, &**value)).collect();
    let drawn = person.post(&edit, &pairs).await?.expect(200)?;
    let text = drawn.text()?;
    ensure!(
        text.contains("id=\"row-reason\"") && !text.contains("Removed questions"),
        "{text}"
    );
    Ok(())
}

#[tokio::test]
async fn stores_are_pasted_by_their_names_and_a_language_without_texts_is_told() -> Result<()> {
    let app = App::start().await?;
    let (owner, person) = editor(&app).await?;
    let wrong = [("title", "T"), ("bus_props", "Berlin\nUlm:")];
    let refused = person.post("/dashboard/forms/new", &wrong).await?;
    let refused = refused.expect(422)?;
    let text = refused.text()?;
    ensure!(
        text.contains("“Ulm:” lacks a name before or after the colon."),
        "{text}"
    );
    let made = [
        ("title", "T"),
        ("language", "en"),
        ("also", "de"),
        ("bus_props", "Berlin\nKöln \nBerlin"),
        ("row", "+1"),
        ("type", "nps"),
        ("label", "Recommend?"),
    ];
    let saved = person.post("/dashboard/forms/new", &made).await?;
    let saved = saved.expect(303)?;
    let page = saved.header("location").context("no location")?;
    let page = person.get(page).await?.expect(200)?;
    let told = "Not saved, because it has no texts yet: Deutsch";
    ensure!(page.text()?.contains(told), "{page:?}");
    let drafts = owner.get("/api_v1/form/list/DRAFT").await?.expect(200)?;
    let form = drafts.json()?["items"][0].clone();
    let listed = form["bus_props"].as_array().into_iter().flatten();
    let listed: Vec<_> = listed.map(|entry| &entry["bus_prop"]).collect();
    ensure!(listed == ["store:Berlin", "store:Köln"], "{form}");

    // What is missing is told before it is published, and its page then says what comes next.
    let mut translated = form.clone();
    translated["labels"] = json!({"de": "Titel"});
    owner
        .send_json(Method::PUT, &form_path(&form), &translated)
        .await?
        .expect(200)?;
    let list = person.get("/dashboard/forms?status=DRAFT").await?;
    let list = list.expect(200)?;
    ensure!(
        list.text()?.contains("Deutsch: 1 text missing."),
        "{list:?}"
    );
    let id = form["form_id"].as_str().context("no form_id")?;
    let published = person
        .post(&format!("/dashboard/forms/{id}/publish"), &[])
        .await?
        .expect(303)?;
    let page = published.header("location").context("no location")?;
    let page = person.get(page).await?.expect(200)?;
    for part in [
        "Form published",
        "What comes next",
        &format!("/dashboard/forms/{id}/links"),
    ] {
        ensure!(page.text()?.contains(part), "no {part}: {page:?}");
    }
    Ok(())
}
