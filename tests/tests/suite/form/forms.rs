//! Forms and their life.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::check;
use tests::client::{Answer, Client, Crowd};
use tests::form::{FORM, form, form_path, short_form};
use tests::import::JSON;

fn etag(answer: &Answer) -> Result<String> {
    let etag = answer.header("etag").context("no ETag")?;
    ensure!(etag.starts_with('"') && etag.len() > 2, "no ETag: {etag}");
    Ok(etag.to_owned())
}

async fn put_if(client: &Client, form: &Value, body: &Value, etag: &str) -> Result<Answer> {
    client
        .call(Method::PUT, &form_path(form))
        .header("if-match", etag)
        .body(JSON, body.to_string())
        .send()
        .await
}

async fn publish(client: &Client, form: &Value) -> Result<Answer> {
    client.post(&format!("{}/publish", form_path(form))).await
}

#[tokio::test]
async fn a_new_form_is_a_draft_with_all_that_was_sent() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let answer = client.send_json(Method::POST, FORM, &form()).await?;
    let answer = answer.expect(201)?;
    let made = answer.json()?;
    ensure!(
        check::members(&made)
            == [
                "bus_props",
                "created_at",
                "deleted_at",
                "fields",
                "form_id",
                "published_at",
                "status",
                "title",
                "updated_at"
            ],
        "other members: {made}"
    );
    ensure!(
        answer.header("location") == Some(&form_path(&made)),
        "another Location: {answer:?}"
    );
    ensure!(made["status"] == "DRAFT", "{made}");
    ensure!(made["title"] == form()["title"], "{made}");
    ensure!(
        made["bus_props"]
            == json!([{"bus_prop_id": "1", "bus_prop": "store:Berlin"},
                      {"bus_prop_id": "2", "bus_prop": "store:Hamburg"},
                      {"bus_prop_id": "3", "bus_prop": "channel:sms"}]),
        "{made}"
    );
    let mut fields = form()["fields"].clone();
    for field in fields.as_array_mut().context("no fields")? {
        field["retired"] = json!(false);
    }
    ensure!(made["fields"] == fields, "{made}");
    for member in ["created_at", "updated_at"] {
        let time = made[member].as_str().unwrap_or_default();
        ensure!(check::is_time(time), "{member} is no time: {made}");
    }
    ensure!(
        made["published_at"].is_null() && made["deleted_at"].is_null(),
        "{made}"
    );
    let read = client.get(&form_path(&made)).await?.expect(200)?;
    ensure!(read.json()? == made, "reads as {read:?}");
    ensure!(etag(&read)? == etag(&answer)?, "another ETag: {read:?}");
    Ok(())
}

#[tokio::test]
async fn a_form_lives_from_draft_to_published_to_deleted_and_no_other_way() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let draft = client.draft(&form()).await?;
    let published = publish(&client, &draft).await?.expect(200)?.json()?;
    ensure!(published["status"] == "PUBLISHED", "{published}");
    ensure!(
        check::is_time(published["published_at"].as_str().unwrap_or_default()),
        "{published}"
    );
    publish(&client, &draft)
        .await?
        .problem(409, "form_transition")?;
    let deleted = client.delete(&form_path(&draft)).await?.expect(200)?;
    let deleted = deleted.json()?;
    ensure!(deleted["status"] == "DELETED", "{deleted}");
    ensure!(
        deleted["published_at"] == published["published_at"]
            && check::is_time(deleted["deleted_at"].as_str().unwrap_or_default()),
        "{deleted}"
    );
    let path = form_path(&draft);
    publish(&client, &draft)
        .await?
        .problem(409, "form_transition")?;
    client
        .delete(&path)
        .await?
        .problem(409, "form_transition")?;
    let put = client.send_json(Method::PUT, &path, &form()).await?;
    put.problem(409, "form_transition")?;
    // Kept for reports.
    let kept = client.get(&path).await?.expect(200)?.json()?;
    ensure!(kept == deleted, "{kept}");

    let other = client.draft(&form()).await?;
    let other = client.delete(&form_path(&other)).await?.expect(200)?;
    let other = other.json()?;
    ensure!(
        other["status"] == "DELETED" && other["published_at"].is_null(),
        "{other}"
    );
    Ok(())
}

#[tokio::test]
async fn a_draft_is_replaced_as_a_whole_and_its_ids_are_never_reused() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let draft = client.draft(&form()).await?;
    let path = form_path(&draft);
    let mut body = short_form("Another");
    body["bus_props"] = json!([
        {"bus_prop_id": "2", "bus_prop": "store:Altona"},
        {"bus_prop": "store:Berlin"},
        "store:Kiel",
    ]);
    let replaced = client.send_json(Method::PUT, &path, &body).await?;
    let replaced = replaced.expect(200)?.json()?;
    ensure!(
        replaced["bus_props"]
            == json!([{"bus_prop_id": "2", "bus_prop": "store:Altona"},
                      {"bus_prop_id": "1", "bus_prop": "store:Berlin"},
                      {"bus_prop_id": "4", "bus_prop": "store:Kiel"}]),
        "{replaced}"
    );
    ensure!(
        replaced["title"] == "Another"
            && replaced["fields"].as_array().map(Vec::len) == Some(2)
            && replaced["created_at"] == draft["created_at"],
        "{replaced}"
    );
    body["bus_props"] = json!([{"bus_prop_id": "4", "bus_prop": "store:Kiel"}]);
    client
        .send_json(Method::PUT, &path, &body)
        .await?
        .expect(200)?;
    body["bus_props"] = json!(["a:b"]);
    let last = client.send_json(Method::PUT, &path, &body).await?;
    let last = last.expect(200)?.json()?;
    ensure!(last["bus_props"][0]["bus_prop_id"] == "5", "{last}");
    body["bus_props"] = json!([{"bus_prop_id": "4", "bus_prop": "store:Kiel"}]);
    let gone = client.send_json(Method::PUT, &path, &body).await?;
    let gone = gone.problem(422, "validation_failed")?;
    ensure!(
        gone["errors"][0]["pointer"] == "/bus_props/0/bus_prop_id",
        "{gone}"
    );
    Ok(())
}

#[tokio::test]
async fn a_form_that_was_read_can_be_put_back_as_it_is() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let published = client.published(&form()).await?;
    let path = form_path(&published);
    // With retired things in it too.
    let mut fewer = published.clone();
    for (list, at) in [("bus_props", 1), ("fields", 2)] {
        fewer[list].as_array_mut().context("no list")?.remove(at);
    }
    fewer["fields"][2]["options"]
        .as_array_mut()
        .context("no options")?
        .remove(0);
    client
        .send_json(Method::PUT, &path, &fewer)
        .await?
        .expect(200)?;
    let read = client.get(&path).await?.expect(200)?.json()?;
    let back = client.send_json(Method::PUT, &path, &read).await?;
    let mut back = back.expect(200)?.json()?;
    back["updated_at"] = read["updated_at"].clone();
    ensure!(back == read, "another form: {back}, not {read}");
    Ok(())
}

#[tokio::test]
async fn what_a_published_form_leaves_out_is_retired_and_can_come_back() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let published = client.published(&form()).await?;
    let path = form_path(&published);
    let mut fewer = form();
    fewer["bus_props"] = json!([{"bus_prop_id": "1", "bus_prop": "store:Berlin"}]);
    fewer["fields"]
        .as_array_mut()
        .context("no fields")?
        .retain(|field| field["key"] != "clean");
    fewer["fields"][2]["options"]
        .as_array_mut()
        .context("no options")?
        .retain(|option| option["value"] != "buy");
    let edited = client.send_json(Method::PUT, &path, &fewer).await?;
    let edited = edited.expect(200)?.json()?;
    let field = |form: &Value, key: &str| -> Value {
        let fields = form["fields"].as_array().cloned().unwrap_or_default();
        let found = fields.into_iter().find(|field| field["key"] == key);
        found.unwrap_or_default()
    };
    ensure!(field(&edited, "clean")["retired"] == true, "{edited}");
    ensure!(field(&edited, "mood")["retired"] == false, "{edited}");
    let buy = field(&edited, "reason")["options"]
        .as_array()
        .and_then(|options| options.iter().find(|option| option["value"] == "buy"))
        .cloned()
        .context("the option is gone")?;
    ensure!(buy["retired"] == true, "{edited}");
    // Retired is off new links.
    let refused = client.make_link(&published, "2", &[]).await?;
    refused.problem(400, "invalid_parameter")?;
    client.link(&published, "1", &[]).await?;
    // Named again it lives again, under the same id.
    let back = client.send_json(Method::PUT, &path, &form()).await?;
    let back = back.expect(200)?.json()?;
    ensure!(back["bus_props"] == published["bus_props"], "{back}");
    ensure!(back["fields"] == published["fields"], "{back}");
    client.link(&published, "2", &[]).await?;
    Ok(())
}

#[tokio::test]
async fn what_answers_rest_on_cannot_change_once_published() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let published = client.published(&form()).await?;
    let path = form_path(&published);
    let before = client.get(&path).await?.expect(200)?;
    for (pointer, value) in [
        ("/fields/1/type", json!("nps")),
        ("/fields/2/scale", json!(6)),
        ("/fields/1/required", json!(true)),
        ("/bus_props/0/bus_prop", json!("store:Bonn")),
    ] {
        let mut body = published.clone();
        *body.pointer_mut(pointer).context("no such member")? = value;
        if pointer == "/fields/1/type" {
            // Else the form had two.
            body["fields"]
                .as_array_mut()
                .context("no fields")?
                .remove(0);
        }
        let refused = client.send_json(Method::PUT, &path, &body).await?;
        refused
            .problem(409, "form_in_use")
            .with_context(|| pointer.to_owned())?;
    }
    let after = client.get(&path).await?.expect(200)?;
    ensure!(after.json()? == before.json()?, "changed: {after:?}");
    ensure!(etag(&after)? == etag(&before)?, "another ETag");
    // Texts, order and new things may change, and required may become optional.
    let mut body = published.clone();
    body["title"] = json!("Another title");
    body["fields"][0]["required"] = json!(false);
    body["fields"][0]["label"] = json!("Another label");
    body["fields"]
        .as_array_mut()
        .context("no fields")?
        .push(json!({"key": "new", "type": "text", "label": "New?", "required": true}));
    let edited = client.send_json(Method::PUT, &path, &body).await?;
    let edited = edited.expect(200)?.json()?;
    ensure!(edited["title"] == "Another title", "{edited}");
    Ok(())
}

#[tokio::test]
async fn if_match_guards_against_lost_updates() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let draft = client.draft(&form()).await?;
    let path = form_path(&draft);
    let first = etag(&client.get(&path).await?)?;
    let answer = put_if(&client, &draft, &short_form("mine"), &first).await?;
    let second = etag(&answer.expect(200)?)?;
    ensure!(first != second, "the same ETag after a change");
    let stale = put_if(&client, &draft, &short_form("theirs"), &first).await?;
    stale.problem(412, "precondition_failed")?;
    let read = client.get(&path).await?;
    ensure!(etag(&read)? == second && read.json()?["title"] == "mine");

    for (tags, status) in [
        (format!("\"nonsense\", {second}"), 200),
        ("*".to_owned(), 200),
        ("\"nonsense\"".to_owned(), 412),
        (String::new(), 412),
    ] {
        let answer = put_if(&client, &draft, &short_form("again"), &tags).await?;
        answer.expect(status).with_context(|| tags.clone())?;
    }
    let now = etag(&client.get(&path).await?)?;
    // A weak tag never matches here (RFC 9110, 13.1.1).
    let weak = put_if(&client, &draft, &short_form("weak"), &format!("W/{now}")).await?;
    weak.problem(412, "precondition_failed")?;

    let publish = |tag: String| {
        let call = client.call(Method::POST, &format!("{path}/publish"));
        call.header("if-match", &tag).send()
    };
    publish(second.clone())
        .await?
        .problem(412, "precondition_failed")?;
    let published = publish(now.clone()).await?.expect(200)?;
    let delete = |tag: String| {
        let call = client.call(Method::DELETE, &path);
        call.header("if-match", &tag).send()
    };
    delete(now).await?.problem(412, "precondition_failed")?;
    delete(etag(&published)?).await?.expect(200)?;
    Ok(())
}

#[tokio::test]
async fn of_many_who_change_the_same_version_one_does() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let draft = client.draft(&form()).await?;
    let tag = etag(&client.get(&form_path(&draft)).await?)?;
    let crowd = &Crowd::default();
    let tries = (0..10).map(|number| {
        let (client, draft, tag) = (client.clone(), draft.clone(), tag.clone());
        let body = short_form(&format!("{number}"));
        async move { crowd.served(|| put_if(&client, &draft, &body, &tag)).await }
    });
    let mut done = 0;
    for answer in futures::future::try_join_all(tries).await? {
        if answer.status == 200 {
            done += 1;
        } else {
            answer.problem(412, "precondition_failed")?;
        }
    }
    ensure!(done == 1, "{done} of ten went through");
    // Without If-Match the last one stands, and nobody is refused.
    let tries = (0..10).map(|number| {
        let (client, path) = (client.clone(), form_path(&draft));
        let body = short_form(&format!("free {number}"));
        async move {
            crowd
                .served(|| client.send_json(Method::PUT, &path, &body))
                .await
        }
    });
    for answer in futures::future::try_join_all(tries).await? {
        answer.expect(200)?;
    }
    Ok(())
}

#[tokio::test]
async fn forms_are_listed_by_status_newest_first() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let mut drafts = Vec::new();
    for number in 0..5 {
        drafts.push(client.draft(&short_form(&format!("{number}"))).await?);
    }
    let published = client.published(&form()).await?;
    let deleted = client.published(&form()).await?;
    client.delete(&form_path(&deleted)).await?.expect(200)?;
    drafts.reverse();

    let mut listed = Vec::new();
    let mut path = format!("{FORM}/list/DRAFT?limit=2");
    loop {
        let answer = client.get(&path).await?.expect(200)?;
        let page = answer.json()?;
        let items = page["items"].as_array().context("no items")?;
        ensure!(items.len() <= 2, "more than asked for: {page}");
        listed.extend(items.clone());
        let Some(cursor) = page["next_cursor"].as_str() else {
            ensure!(answer.header("link").is_none(), "{answer:?}");
            break;
        };
        path = format!("{FORM}/list/DRAFT?limit=2&cursor={cursor}");
        ensure!(
            answer.header("link") == Some(&format!("<{path}>; rel=\"next\"")),
            "{answer:?}"
        );
        let other = format!("{FORM}/list/DELETED?cursor={cursor}");
        client
            .get(&other)
            .await?
            .problem(400, "invalid_parameter")?;
    }
    ensure!(listed == drafts, "not the drafts: {listed:?}");

    for (status, form) in [("PUBLISHED", published), ("DELETED", deleted)] {
        let page = client.get(&format!("{FORM}/list/{status}")).await?;
        let page = page.expect(200)?.json()?;
        let items = page["items"].as_array().context("no items")?;
        ensure!(
            items.len() == 1 && items[0]["form_id"] == form["form_id"],
            "{page}"
        );
    }
    for status in ["draft", "ALL", "DRAFT%20", "PUBLISHED,DRAFT", "%FF"] {
        let answer = client.get(&format!("{FORM}/list/{status}")).await?;
        answer
            .problem(400, "invalid_parameter")
            .with_context(|| status.to_owned())?;
    }
    for query in ["limit=0", "limit=1001", "cursor=x", "limit=1&limit=2"] {
        let answer = client.get(&format!("{FORM}/list/DRAFT?{query}")).await?;
        answer
            .problem(400, "invalid_parameter")
            .with_context(|| query.to_owned())?;
    }
    Ok(())
}

#[tokio::test]
async fn a_form_of_another_account_is_not_found() -> Result<()> {
    let app = App::start().await?;
    let (mine, theirs) = (app.client().await?, app.client().await?);
    let form = theirs.published(&form()).await?;
    let path = form_path(&form);
    mine.get(&path).await?.problem(404, "not_found")?;
    mine.send_json(Method::PUT, &path, &short_form("mine"))
        .await?
        .problem(404, "not_found")?;
    publish(&mine, &form).await?.problem(404, "not_found")?;
    mine.delete(&path).await?.problem(404, "not_found")?;
    mine.make_link(&form, "1", &[])
        .await?
        .problem(404, "not_found")?;
    let list = mine.get(&format!("{FORM}/list/PUBLISHED")).await?;
    ensure!(list.json()?["items"] == json!([]), "{list:?}");
    let unchanged = theirs.get(&path).await?.expect(200)?.json()?;
    ensure!(unchanged == form, "changed: {unchanged}");
    Ok(())
}

#[tokio::test]
async fn forms_and_links_have_scopes_of_their_own() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let published = client.published(&form()).await?;
    let path = form_path(&published);
    let token = "AAAAAAAAAAAAAAAAAAAAAA";
    let forms = [
        (Method::POST, FORM.to_owned()),
        (Method::GET, path.clone()),
        (Method::PUT, path.clone()),
        (Method::DELETE, path.clone()),
        (Method::POST, format!("{path}/publish")),
        (Method::GET, format!("{FORM}/list/DRAFT")),
    ];
    let links = [
        (Method::POST, tests::form::link_path(&published, "1")),
        (Method::POST, tests::form::link_path(&published, "")),
        (Method::GET, format!("{}/{token}", tests::form::LINK)),
        (Method::DELETE, format!("{}/{token}", tests::form::LINK)),
    ];
    for (scope, refused) in [("link", &forms[..]), ("form", &links[..])] {
        let keys = app.create_key(scope, &["--scopes", scope]).await?;
        let narrow = app.anonymous()?.with_keys(&keys);
        for (method, path) in refused {
            let answer = narrow.call(method.clone(), path).send().await?;
            answer
                .problem(403, "forbidden")
                .with_context(|| format!("{method} {path} with scope {scope}"))?;
        }
    }
    Ok(())
}
