//! What no form can be.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::check;
use tests::client::{Answer, Client};
use tests::form::{FORM, form, form_path, short_form};
use tests::import::JSON;

/// The answer is 422 and its errors stand at just these pointers, whatever their order.
fn refused_at(answer: &Answer, pointers: &[&str]) -> Result<()> {
    let problem = answer.problem(422, "validation_failed")?;
    let errors = problem["errors"].as_array().context("no errors")?;
    let mut found = Vec::new();
    for error in errors {
        ensure!(
            check::members(error) == ["code", "detail", "pointer"],
            "other members: {error}"
        );
        for member in ["code", "detail"] {
            let text = error[member].as_str().unwrap_or_default();
            ensure!(!text.is_empty(), "no {member}: {error}");
        }
        found.push(error["pointer"].as_str().context("no pointer")?);
    }
    found.sort_unstable();
    let mut pointers = pointers.to_vec();
    pointers.sort_unstable();
    ensure!(found == pointers, "not {pointers:?}: {problem}");
    Ok(())
}

fn with(pointer: &str, value: Value) -> Result<Value> {
    let mut body = form();
    let (parent, name) = pointer.rsplit_once('/').context("no pointer")?;
    let parent = body.pointer_mut(parent).context("no such place")?;
    match name.parse::<usize>() {
        Ok(index) if parent.is_array() => parent[index] = value,
        _ => parent[name] = value,
    }
    Ok(body)
}

#[tokio::test]
async fn every_part_of_a_form_is_checked_and_the_place_is_told() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let option = |value: &str| json!({"value": value, "label": "x"});
    for (pointer, value) in [
        ("/title", json!("")),
        ("/title", json!("  \t ")),
        ("/title", json!(7)),
        ("/title", Value::Null),
        ("/title", json!("a\u{0}b")),
        ("/title", json!("x".repeat(100_000))),
        ("/nonsense", json!(1)),
        ("/bus_props", json!("store:Berlin")),
        ("/bus_props/0", json!("Berlin")),
        ("/bus_props/0", json!(":Berlin")),
        ("/bus_props/0", json!("store:")),
        ("/bus_props/0", json!("store:a\u{0}")),
        ("/bus_props/0", json!(format!("store:{}", "x".repeat(500)))),
        ("/bus_props/2", json!("store:Berlin")),
        ("/bus_props/0", json!(1)),
        ("/fields", json!({})),
        ("/fields/0", json!("nps")),
        ("/fields/0/key", json!("visit")),
        ("/fields/0/key", json!("Mood")),
        ("/fields/0/key", json!("1st")),
        ("/fields/0/key", json!("")),
        ("/fields/0/key", json!("a-b")),
        ("/fields/0/key", json!("a".repeat(41))),
        ("/fields/0/key", json!(1)),
        ("/fields/0/key", Value::Null),
        ("/fields/1/key", json!("recommend")),
        ("/fields/0/type", json!("stars")),
        ("/fields/0/type", json!("NPS")),
        ("/fields/1/type", json!("nps")),
        ("/fields/0/label", json!("")),
        ("/fields/0/label", json!("x".repeat(501))),
        ("/fields/0/label", Value::Null),
        ("/fields/0/required", json!("yes")),
        ("/fields/0/scale", json!(5)),
        ("/fields/0/options", json!([])),
        ("/fields/0/color", json!("red")),
        ("/fields/2/scale", json!(1)),
        ("/fields/2/scale", json!(11)),
        ("/fields/2/scale", json!(2.5)),
        ("/fields/2/scale", json!("5")),
        ("/fields/2/scale", Value::Null),
        ("/fields/3/options", json!([])),
        ("/fields/3/options", Value::Null),
        ("/fields/3/options/0", json!("buy")),
        ("/fields/3/options/0/value", json!("")),
        ("/fields/3/options/0/value", json!("x".repeat(101))),
        ("/fields/3/options/1/value", json!("buy")),
        ("/fields/3/options/0/label", json!("")),
        ("/fields/3/options/0/label", json!("x".repeat(501))),
        ("/fields/3/options/0/price", json!(1)),
    ] {
        let body = with(pointer, value.clone())?;
        let answer = client.send_json(Method::POST, FORM, &body).await?;
        // A wrong field is told once, if two stand in each other's way at the second.
        refused_at(&answer, &[pointer]).with_context(|| {
            let value = value.to_string();
            let head: String = value.chars().take(40).collect();
            format!("{pointer} = {head}")
        })?;
    }
    let many = [
        ("/bus_props", json!((0..1_001).map(|n| format!("n:{n}")).collect::<Vec<_>>())),
        (
            "/fields",
            json!((0..101)
                .map(|n| json!({"key": format!("f{n}"), "type": "text", "label": "x", "required": false}))
                .collect::<Vec<_>>()),
        ),
        (
            "/fields/3/options",
            json!((0..101).map(|n| option(&n.to_string())).collect::<Vec<_>>()),
        ),
    ];
    for (pointer, value) in many {
        let body = with(pointer, value)?;
        let answer = client.send_json(Method::POST, FORM, &body).await?;
        refused_at(&answer, &[pointer]).with_context(|| pointer.to_owned())?;
    }
    Ok(())
}

#[tokio::test]
async fn the_limits_themselves_are_taken() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let options: Vec<_> = (0..100)
        .map(|n| json!({"value": format!("{n:0>100}"), "label": "ü".repeat(500)}))
        .collect();
    let mut fields: Vec<_> = (0..99)
        .map(|n| {
            json!({"key": format!("{}{n:0>2}", "k".repeat(38)), "type": "rating", "scale": 10,
                   "label": "ß".repeat(500), "required": true})
        })
        .collect();
    fields.push(
        json!({"key": "c", "type": "choices", "label": "x", "required": false, "options": options}),
    );
    let bus_props: Vec<_> = (0..1_000).map(|n| format!("name:{n:0>60}")).collect();
    let body = json!({"title": "t".repeat(200), "bus_props": bus_props, "fields": fields});
    let made = client.draft(&body).await?;
    let read = client.get(&form_path(&made)).await?.expect(200)?.json()?;
    ensure!(read == made, "reads otherwise");
    ensure!(made["bus_props"][999]["bus_prop_id"] == "1000");
    Ok(())
}

#[tokio::test]
async fn all_problems_are_told_at_once() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let body = json!({
        "title": "",
        "bus_props": ["nonsense"],
        "fields": [{"key": "A", "type": "choice", "label": "", "options": []}],
    });
    let answer = client.send_json(Method::POST, FORM, &body).await?;
    refused_at(
        &answer,
        &[
            "/title",
            "/bus_props/0",
            "/fields/0/key",
            "/fields/0/label",
            "/fields/0/options",
        ],
    )?;
    let fields: Vec<_> = (0..100).map(|_| json!({})).collect();
    let body = json!({"title": "x", "fields": fields});
    let answer = client.send_json(Method::POST, FORM, &body).await?;
    let problem = answer.problem(422, "validation_failed")?;
    let errors = problem["errors"].as_array().map(Vec::len);
    ensure!(errors == Some(100), "{errors:?} are told");
    Ok(())
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_refused_as_a_whole() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let draft = client.draft(&form()).await?;
    for (method, path) in [
        (Method::POST, FORM.to_owned()),
        (Method::PUT, form_path(&draft)),
    ] {
        let send = |kind: &'static str, body: Vec<u8>| {
            let call = client.call(method.clone(), &path).body(kind, body);
            call.send()
        };
        for body in [
            &b""[..],
            b"[",
            b"[]",
            b"null",
            b"\"x\"",
            b"{\"title\": \"x\"",
            b"{\"title\": \"x\"} {}",
            b"{\"title\": \"\xff\"}",
            b"{'title': 'x'}",
        ] {
            let answer = send(JSON, body.to_vec()).await?;
            answer
                .problem(400, "invalid_json")
                .with_context(|| String::from_utf8_lossy(body).into_owned())?;
        }
        let deep = "[".repeat(100_000);
        send(JSON, deep.into_bytes())
            .await?
            .problem(400, "invalid_json")?;
        for kind in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/json; charset=latin1",
        ] {
            let answer = send(kind, form().to_string().into_bytes()).await?;
            answer
                .problem(415, "unsupported_media_type")
                .with_context(|| kind.to_owned())?;
        }
        let call = client.call(method.clone(), &path);
        let answer = call.bare_body(form().to_string()).send().await?;
        answer.problem(415, "unsupported_media_type")?;
        let call = client.call(method.clone(), &path);
        let call = call.header("content-encoding", "gzip");
        let answer = call.body(JSON, form().to_string()).send().await?;
        answer.problem(415, "unsupported_media_type")?;
        // 1 MiB is taken, a byte more is not.
        let mut body = form().to_string();
        body.push_str(&" ".repeat((1 << 20) - body.len()));
        let status = if method == Method::POST { 201 } else { 200 };
        send(JSON, body.clone().into_bytes())
            .await?
            .expect(status)?;
        body.push(' ');
        send(JSON, body.into_bytes())
            .await?
            .problem(413, "body_too_large")?;
    }
    // A BOM is skipped.
    let body = format!("\u{feff}{}", form());
    let call = client.call(Method::POST, FORM).body(JSON, body);
    call.send().await?.expect(201)?;
    let call = client.call(Method::POST, FORM);
    let call = call.body("Application/JSON; charset=\"UTF-8\"", form().to_string());
    call.send().await?.expect(201)?;
    Ok(())
}

#[tokio::test]
async fn a_path_that_names_no_form_is_refused() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let unknown = "01890000-0000-7000-8000-000000000000";
    let ask = async |form_id: &str| -> Result<Vec<Answer>> {
        let path = format!("{FORM}/{form_id}");
        Ok(vec![
            client.get(&path).await?,
            client.delete(&path).await?,
            client
                .send_json(Method::PUT, &path, &short_form("x"))
                .await?,
            client.post(&format!("{path}/publish")).await?,
        ])
    };
    for answer in ask(unknown).await? {
        answer.problem(404, "not_found")?;
    }
    for form_id in ["1", "not-a-uuid", "01890000000070008000000000000000", "%FF"] {
        for answer in ask(form_id).await? {
            answer
                .problem(400, "invalid_parameter")
                .with_context(|| form_id.to_owned())?;
        }
    }
    Ok(())
}

async fn comes_back(client: &Client, text: &str) -> Result<()> {
    let mut body = form();
    body["title"] = json!(text);
    body["bus_props"] = json!([format!("a:{text}")]);
    body["fields"][3]["label"] = json!(text);
    body["fields"][3]["options"][0] = json!({"value": text, "label": text});
    let made = client.draft(&body).await?;
    let read = client.get(&form_path(&made)).await?.expect(200)?.json()?;
    ensure!(
        read["title"] == text
            && read["bus_props"][0]["bus_prop"] == format!("a:{text}")
            && read["fields"][3]["label"] == text
            && read["fields"][3]["options"][0]["value"] == text,
        "{read}"
    );
    Ok(())
}

#[tokio::test]
async fn texts_come_back_to_the_byte() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    for text in [
        "<script>alert(1)</script>",
        "\"'`\\ & &amp; %00 %n {{7*7}} ${7*7}",
        "'; DROP TABLE form; --",
        "Ünï 👩‍👩‍👧‍👦 \u{202e}abc\u{202c} \u{feff}",
        "مرحبا بالعالم",
        "  spaces  around  ",
        "null",
    ] {
        comes_back(&client, text)
            .await
            .with_context(|| text.to_owned())?;
    }
    Ok(())
}
