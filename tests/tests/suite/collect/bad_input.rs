//! Answers that are none: told beside their fields, with all that was typed; nothing is counted.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::form::{PAIRS, form, pairs};
use tests::import::JSON;
use tests::raw::{self, Raw};
use tests::visitor::{Visitor, page};

async fn open(app: &App) -> Result<(Client, Value, Client)> {
    let owner = app.client().await?;
    let mut all = form();
    all["fields"]
        .as_array_mut()
        .context("no fields")?
        .push(json!({"key": "old", "type": "text", "label": "Old?", "required": false}));
    let published = owner.published(&all).await?;
    let link = owner.link(&published, "", &[]).await?;
    // The last field is retired.
    let path = tests::form::form_path(&published);
    owner
        .send_json(Method::PUT, &path, &form())
        .await?
        .expect(200)?;
    Ok((owner, link, app.anonymous()?))
}

#[tokio::test]
async fn json_answers_are_refused_with_their_places() -> Result<()> {
    let app = App::start().await?;
    let (owner, link, public) = open(&app).await?;
    for (answers, pointers) in [
        (json!({}), &["/answers/recommend"][..]),
        (json!({"recommend": null}), &["/answers/recommend"]),
        (json!({"mood": 3}), &["/answers/recommend"]),
        (json!({"recommend": 11}), &["/answers/recommend"]),
        (json!({"recommend": -1}), &["/answers/recommend"]),
        (json!({"recommend": 9.5}), &["/answers/recommend"]),
        (json!({"recommend": "9"}), &["/answers/recommend"]),
        (json!({"recommend": [9]}), &["/answers/recommend"]),
        (json!({"recommend": 1e300}), &["/answers/recommend"]),
        (json!({"recommend": 9, "mood": 0}), &["/answers/mood"]),
        (json!({"recommend": 9, "mood": 6}), &["/answers/mood"]),
        (json!({"recommend": 9, "clean": 6}), &["/answers/clean"]),
        (
            json!({"recommend": 9, "reason": "steal"}),
            &["/answers/reason"],
        ),
        (
            json!({"recommend": 9, "reason": "To buy"}),
            &["/answers/reason"],
        ),
        (json!({"recommend": 9, "seen": "a"}), &["/answers/seen"]),
        (
            json!({"recommend": 9, "seen": ["a", "a"]}),
            &["/answers/seen"],
        ),
        (
            json!({"recommend": 9, "seen": ["a", "z"]}),
            &["/answers/seen"],
        ),
        (
            json!({"recommend": 9, "name": "x".repeat(1_001)}),
            &["/answers/name"],
        ),
        (
            json!({"recommend": 9, "name": "a\u{0}"}),
            &["/answers/name"],
        ),
        (
            json!({"recommend": 9, "more": "x".repeat(1_000_000)}),
            &["/answers/more"],
        ),
        (json!({"recommend": 9, "more": ["x"]}), &["/answers/more"]),
        (
            json!({"recommend": 9, "nonsense": 1}),
            &["/answers/nonsense"],
        ),
        (json!({"recommend": 9, "visit": "x"}), &["/answers/visit"]),
        (json!({"recommend": 9, "a/b~c": 1}), &["/answers/a~1b~0c"]),
        (json!({"recommend": 9, "old": "x"}), &["/answers/old"]),
        (
            json!({"recommend": 99, "mood": 99, "x": 1}),
            &["/answers/recommend", "/answers/mood", "/answers/x"],
        ),
        (json!([9]), &["/answers"]),
        (json!(null), &["/answers"]),
    ] {
        let head: String = answers.to_string().chars().take(60).collect();
        let visitor = Visitor::new(&public, &link)?;
        let problem = visitor
            .answer(&answers)
            .await?
            .problem(422, "validation_failed")
            .with_context(|| head.clone())?;
        let errors = problem["errors"].as_array().context("no errors")?;
        let found: Vec<_> = errors
            .iter()
            .filter_map(|error| error["pointer"].as_str())
            .collect();
        ensure!(found == pointers, "{head}: {problem}");
    }
    owner.counted(&link, 0, 0).await
}

#[tokio::test]
async fn a_body_of_another_shape_is_refused() -> Result<()> {
    let app = App::start().await?;
    let (owner, link, public) = open(&app).await?;
    let visitor = Visitor::new(&public, &link)?;
    for (body, pointer) in [
        (json!({}), "/answers"),
        (json!({"visit": visitor.visit}), "/answers"),
        (json!({"visit": "x", "answers": {"recommend": 9}}), "/visit"),
        (json!({"visit": 7, "answers": {"recommend": 9}}), "/visit"),
        (json!({"answers": {"recommend": 9}, "more": 1}), "/more"),
    ] {
        let answer = visitor.post(JSON, body.to_string()).await?;
        let problem = answer.problem(422, "validation_failed")?;
        ensure!(problem["errors"][0]["pointer"] == pointer, "{problem}");
    }
    for body in ["", "[", "[]", "9", "{\"answers\": {\"recommend\": 9}"] {
        let answer = visitor.post(JSON, body).await?;
        answer
            .problem(400, "invalid_json")
            .with_context(|| body.to_owned())?;
    }
    for kind in ["text/plain", "text/csv", "application/json; charset=latin1"] {
        let answer = visitor.post(kind, "recommend=9").await?;
        ensure!(answer.status == 415, "{kind}: {answer:?}");
    }
    let path = visitor.path();
    let call = public.call(Method::POST, &path).bare_body("recommend=9");
    ensure!(call.send().await?.status == 415);
    // Not UTF-8.
    let answer = visitor.post(PAIRS, "recommend=9&more=%FF").await?;
    page(&answer, 400)?;
    let view = format!("{path}/view");
    for (body, status, code) in [
        ("{}", 422, "validation_failed"),
        (r#"{"visit":"x"}"#, 422, "validation_failed"),
        (r#"{"visit":null}"#, 422, "validation_failed"),
        (
            r#"{"visit":"0b9de5a2-0d6f-4b8f-9a52-0a4f1f2f7f3d","x":1}"#,
            422,
            "validation_failed",
        ),
        ("[]", 400, "invalid_json"),
        ("", 400, "invalid_json"),
    ] {
        let call = public.call(Method::POST, &view).body(JSON, body);
        let answer = call.send().await?;
        answer
            .problem(status, code)
            .with_context(|| body.to_owned())?;
    }
    let call = public.call(Method::POST, &view).body("text/plain", "{}");
    call.send().await?.problem(415, "unsupported_media_type")?;
    owner.counted(&link, 0, 0).await
}

#[tokio::test]
async fn the_page_comes_back_with_messages_and_all_that_was_typed() -> Result<()> {
    let app = App::start().await?;
    let (owner, link, public) = open(&app).await?;
    let long = "story ".repeat(2_000);
    for typed in [
        vec![("mood", "4"), ("name", "Anna <b>&amp;"), ("more", "kept")],
        vec![("recommend", "11"), ("name", "Anna <b>&amp;")],
        vec![
            ("recommend", "9"),
            ("recommend", "8"),
            ("name", "Anna <b>&amp;"),
        ],
        vec![("recommend", "9.0"), ("name", "Anna <b>&amp;")],
        vec![
            ("recommend", "9"),
            ("reason", "steal"),
            ("name", "Anna <b>&amp;"),
        ],
        vec![
            ("recommend", "9"),
            ("seen", "a"),
            ("seen", "a"),
            ("name", "Anna <b>&amp;"),
        ],
        vec![
            ("recommend", "9"),
            ("unknown", "x"),
            ("name", "Anna <b>&amp;"),
        ],
        vec![("recommend", "9"), ("old", "x"), ("name", "Anna <b>&amp;")],
        vec![
            ("recommend", "9"),
            ("name", "Anna <b>&amp;"),
            ("more", &long),
        ],
    ] {
        let visitor = Visitor::new(&public, &link)?;
        let answer = visitor.submit(&typed).await?;
        let html = page(&answer, 422).with_context(|| format!("{typed:?}"))?;
        ensure!(
            html.contains("Anna &lt;b&gt;&amp;amp;") || html.contains("Anna &#60;b&#62;&#38;amp;"),
            "what was typed is lost: {html}"
        );
        ensure!(!html.contains("Anna <b>"), "unescaped: {html}");
        ensure!(
            html.contains(&visitor.visit),
            "a retry would be another visit: {html}"
        );
        if typed.iter().any(|(_, value)| *value == long) {
            ensure!(html.contains(&long), "the comment is lost");
        }
    }
    let visitor = Visitor::new(&public, &link)?;
    page(&visitor.submit(&[]).await?, 422)?;
    let blank = [("recommend", ""), ("name", "  "), ("more", "\r\n")];
    page(&visitor.submit(&blank).await?, 422)?;
    owner.counted(&link, 0, 0).await?;
    visitor.submit(&[("recommend", "9")]).await?.expect(303)?;
    owner.counted(&link, 1, 1).await
}

#[tokio::test]
async fn a_comment_of_a_megabyte_is_told_beside_its_field() -> Result<()> {
    let app = App::start().await?;
    let (owner, link, public) = open(&app).await?;
    let visitor = Visitor::new(&public, &link)?;
    let comment = "x".repeat(1 << 20);
    let answer = visitor
        .submit(&[("recommend", "9"), ("more", &comment)])
        .await?;
    ensure!(
        page(&answer, 422)?.contains(&comment),
        "the comment is lost"
    );
    // What is larger than any page can send is refused as a whole.
    let huge = pairs(&[("recommend", "9"), ("more", &"x".repeat(6 << 20))]);
    let mut connection = Raw::connect(&public).await?;
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: test\r\ncontent-type: {PAIRS}\r\ncontent-length: {}\r\n\r\n",
        visitor.path(),
        huge.len()
    );
    connection.write(head.as_bytes()).await?;
    let answer = connection.read_head().await?;
    ensure!(raw::status(&answer)? == 413, "another answer: {answer}");
    owner.counted(&link, 0, 0).await
}

#[tokio::test]
async fn an_answer_that_says_nothing_is_none() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client().await?;
    let form = owner.published(&tests::form::short_form("x")).await?;
    let link = owner.link(&form, "", &[]).await?;
    let public = app.anonymous()?;
    for answers in [json!({}), json!({"mood": null, "more": " \u{3000}\n"})] {
        let visitor = Visitor::new(&public, &link)?;
        let problem = visitor
            .answer(&answers)
            .await?
            .problem(422, "validation_failed")?;
        ensure!(problem["errors"][0]["pointer"] == "/answers", "{problem}");
        page(&visitor.submit(&[("mood", ""), ("more", "")]).await?, 422)?;
    }
    owner.counted(&link, 0, 0).await
}
