//! What holds for every operation.

use anyhow::{Context, Result, ensure};
use chrono::{TimeDelta, Utc};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::campaign::on_import;
use tests::form::{FORM, LINK, form, form_path};
use tests::import::{IMPORT, JSON, record};
use tests::raw::{self, Raw};
use tests::visitor::Visitor;

const UNKNOWN_BATCH: &str = "/api_v1/sms/import/01890000-0000-7000-8000-000000000000";

#[tokio::test]
async fn a_request_id_of_the_caller_comes_back_and_a_bad_one_is_replaced() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let longest = "x".repeat(128);
    for given in ["abc-123", "!~", &longest] {
        let call = client.call(Method::GET, IMPORT);
        let answer = call.header("x-request-id", given).send().await?;
        ensure!(
            answer.header("x-request-id") == Some(given),
            "{given} did not come back: {answer:?}"
        );
    }
    let too_long = "x".repeat(129);
    for given in ["", "two words", "naïve", &too_long] {
        let call = client.call(Method::GET, IMPORT);
        let answer = call.header("x-request-id", given).send().await?;
        ensure!(
            answer.header("x-request-id") != Some(given),
            "{given} came back: {answer:?}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn every_error_is_a_problem_with_its_request_id() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let import = || client.call(Method::POST, IMPORT);
    app.anonymous()?
        .get(IMPORT)
        .await?
        .problem(401, "unauthenticated")?;
    client
        .get("/api_v1/nothing")
        .await?
        .problem(404, "not_found")?;
    client.get("/nothing").await?.problem(404, "not_found")?;
    client.get(UNKNOWN_BATCH).await?.problem(404, "not_found")?;
    client
        .get(&format!("{IMPORT}/not-a-uuid"))
        .await?
        .problem(400, "invalid_parameter")?;
    client
        .delete(IMPORT)
        .await?
        .problem(405, "method_not_allowed")?;
    client
        .import_as("text/plain", "[]")
        .await?
        .problem(415, "unsupported_media_type")?;
    client
        .import_as(JSON, "[")
        .await?
        .problem(400, "invalid_json")?;
    client
        .import_as(JSON, "[]")
        .await?
        .problem(422, "validation_failed")?;
    import()
        .header("x-request-id", "mine")
        .body(JSON, "nonsense")
        .send()
        .await?
        .problem(400, "invalid_json")?;
    Ok(())
}

#[tokio::test]
async fn checks_run_in_the_contracts_order() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let narrow = app.create_key("narrow", &["--scopes", "report"]).await?;
    let narrow = app.anonymous()?.with_keys(&narrow);
    let everything_wrong = format!("{IMPORT}?on_error=nonsense");

    let call = app.anonymous()?.call(Method::PUT, &everything_wrong);
    let answer = call.body("text/plain", "nonsense").send().await?;
    answer.problem(401, "unauthenticated")?;
    app.anonymous()?
        .get("/api_v1/nothing")
        .await?
        .problem(401, "unauthenticated")?;

    let call = narrow.call(Method::PUT, &everything_wrong);
    let answer = call.body("text/plain", "nonsense").send().await?;
    answer.problem(403, "forbidden")?;
    narrow.get(UNKNOWN_BATCH).await?.problem(403, "forbidden")?;

    let call = client.call(Method::PUT, "/api_v1/nothing");
    let answer = call.body("text/plain", "nonsense").send().await?;
    answer.problem(404, "not_found")?;

    let call = client.call(Method::PUT, &everything_wrong);
    let answer = call.body("text/plain", "nonsense").send().await?;
    answer.problem(405, "method_not_allowed")?;

    let no_campaign = "campaign=00000000-0000-7000-8000-000000000000";
    let call = client.call(Method::POST, &format!("{everything_wrong}&{no_campaign}"));
    let answer = call.body("text/plain", "nonsense").send().await?;
    answer.problem(404, "not_found")?;

    let call = client.call(Method::POST, &format!("{everything_wrong}&campaign=none"));
    let answer = call.body("text/plain", "nonsense").send().await?;
    answer.problem(415, "unsupported_media_type")?;

    let call = client.call(Method::POST, &everything_wrong);
    let answer = call.body("text/plain", "nonsense").send().await?;
    answer.problem(415, "unsupported_media_type")?;

    let call = client.call(Method::POST, &everything_wrong);
    let answer = call.body(JSON, "[]").send().await?;
    answer.problem(400, "invalid_parameter")?;
    Ok(())
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let batch = format!("{IMPORT}/01890000-0000-7000-8000-000000000000");
    for (path, wrong, right) in [
        (IMPORT.to_owned(), Method::DELETE, vec!["GET", "POST"]),
        (batch.clone(), Method::PATCH, vec!["GET"]),
        (format!("{batch}/errors"), Method::POST, vec!["GET"]),
        (format!("{batch}/cancel"), Method::GET, vec!["POST"]),
        (format!("{batch}/retry"), Method::GET, vec!["POST"]),
        (
            "/api_v1/sms/recipient/A1".to_owned(),
            Method::PUT,
            vec!["DELETE", "GET"],
        ),
    ] {
        let answer = client.call(wrong, &path).send().await?;
        answer.problem(405, "method_not_allowed")?;
        let allowed = answer.allowed();
        ensure!(allowed == right, "{path} allows {allowed:?}, not {right:?}");
    }
    Ok(())
}

#[tokio::test]
async fn an_unknown_accept_gets_json_and_no_origin_is_let_in() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let accepted = client.import(&[record("A1")]).await?;
    let batch = format!("{IMPORT}/{}", accepted.batch_id);
    for path in [batch.clone(), format!("{batch}/errors"), IMPORT.to_owned()] {
        for accept in ["image/png", "application/xml;q=0.9", "nonsense", "*/*;q=0"] {
            let call = client.call(Method::GET, &path).header("accept", accept);
            let answer = call
                .header("origin", "https://example.org")
                .send()
                .await?
                .expect(200)?;
            answer.json()?;
            ensure!(
                !answer
                    .headers
                    .keys()
                    .any(|name| name.as_str().starts_with("access-control")),
                "an origin was let in: {answer:?}"
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_client_that_asks_before_sending_is_told_to_go_on() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let body = r#"[{"docid":"A1","phone":"+4915112345678"}]"#;
    let length = format!("content-length: {}", body.len());
    let lines = [
        "content-type: application/json",
        "expect: 100-continue",
        &length,
    ];
    let mut connection = Raw::connect(&client).await?;
    let head = Raw::head(&client, IMPORT, &lines)?;
    connection.write(head.as_bytes()).await?;
    let first = connection.read_head().await?;
    ensure!(raw::status(&first)? == 100, "not told to go on: {first}");
    connection.write(body.as_bytes()).await?;
    let second = connection.read_head().await?;
    ensure!(raw::status(&second)? == 202, "not accepted: {second}");
    Ok(())
}

#[tokio::test]
async fn a_refused_body_is_read_on_so_that_the_answer_is_seen() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let body = vec![b' '; 900_000];
    let length = format!("content-length: {}", body.len());
    let head = Raw::head(&client, IMPORT, &["content-type: text/plain", &length])?;
    let head = head.replace("x-secret-key: ", "x-secret-key: wrong");
    for _ in 0..10 {
        let mut connection = Raw::connect(&client).await?;
        connection.write(head.as_bytes()).await?;
        connection.write(&body).await?;
        let answer = connection.read_head().await?;
        ensure!(raw::status(&answer)? == 401, "another answer: {answer}");
    }
    Ok(())
}

#[tokio::test]
async fn every_operation_refuses_a_query_parameter_that_it_does_not_have() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&form()).await?;
    let link = client.link(&form, "1", &[]).await?;
    let batch_id = client.import(&[record("A1")]).await?.batch_id;
    let visitor = Visitor::new(&app.anonymous()?, &link)?;
    let feedback_id = visitor.stored(&json!({"recommend": 9})).await?;
    let campaign = client.campaign(|form| on_import(form, "demo")).await?;
    let page = json!({"path": "/dashboard", "expires_at": Utc::now() + TimeDelta::days(1)});
    let share = client
        .send_json(Method::POST, "/api_v1/report/share", &page)
        .await?;
    let share = share.expect(201)?.json()?;
    let form_id = form["form_id"].as_str().unwrap_or_default();
    let values = [
        ("{form_id}", form_id),
        ("{bus_prop_id}", "1"),
        ("{bus_prop}", "store:Berlin"),
        ("{status}", "PUBLISHED"),
        ("{batch_id}", &batch_id),
        (
            "{campaign_id}",
            campaign["campaign_id"].as_str().unwrap_or_default(),
        ),
        ("{docid}", "A1"),
        ("{feedback_id}", &feedback_id),
        ("{share_id}", share["share_id"].as_str().unwrap_or_default()),
        ("{start_date}", "2026-01-01"),
        ("{end_date}", "2026-01-31"),
    ];
    let document = app.anonymous()?.get("/openapi.json").await?.json()?;
    let paths = document["paths"].as_object().context("no paths")?;
    let mut operations = 0;
    for (template, item) in paths
        .iter()
        .filter(|(path, _)| path.starts_with("/api_v1/"))
    {
        for method in item.as_object().context("no operations")?.keys() {
            let id = if method == "post" {
                form_id
            } else {
                visitor.token()
            };
            let path = values
                .iter()
                .fold(template.replace("{id}", id), |path, (name, value)| {
                    path.replace(name, value)
                });
            ensure!(!path.contains('{'), "what is put into {path}?");
            let methods: &[&str] = if method == "get" {
                &["GET", "HEAD"]
            } else {
                &[method]
            };
            for method in methods {
                let method: Method = method.to_uppercase().parse()?;
                for query in [
                    "no_such=1",
                    "Limit=1",
                    "limit=1&limits=1",
                    "%6eo=",
                    "=x",
                    "%FF",
                ] {
                    let call = client.call(method.clone(), &format!("{path}?{query}"));
                    let answer = call.body(JSON, form.to_string()).send().await?;
                    let wanted = format!("{method} {path}?{query}: {answer:?}");
                    ensure!(answer.status == 400, "{wanted}");
                    if method != Method::HEAD {
                        answer.problem(400, "invalid_parameter").context(wanted)?;
                    }
                }
                operations += 1;
            }
        }
    }
    ensure!(operations > 30, "only {operations} operations");
    // Nothing was done.
    ensure!(client.read_link(&link).await?["deleted_at"].is_null());
    let read = client.get(&form_path(&form)).await?.expect(200)?.json()?;
    ensure!(read == form, "{read}");
    client.recipient("A1").await?.expect(200)?;
    let feedbacks = format!("/api_v1/feedback/{feedback_id}");
    client.delete(&feedbacks).await?.expect(204)?;
    // An empty last segment is the same operation; what people open may carry anything.
    let empty = format!("/api_v1/report/summary/2026-01-01/2026-01-31/{form_id}/?x=1");
    let refused = client.get(&empty).await?;
    refused.problem(400, "invalid_parameter")?;
    let tracked = format!("{}?utm_source=sms", visitor.path());
    app.anonymous()?.get(&tracked).await?.expect(200)?;
    Ok(())
}

#[tokio::test]
async fn a_query_parameter_is_judged_after_the_path_and_the_media_type() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    client
        .get(&format!("{UNKNOWN_BATCH}?x=1"))
        .await?
        .problem(404, "not_found")?;
    let id = "01890000-0000-7000-8000-000000000000";
    for (method, path) in [
        (Method::POST, format!("{UNKNOWN_BATCH}/cancel")),
        (Method::POST, format!("{UNKNOWN_BATCH}/retry")),
        (Method::GET, "/api_v1/sms/recipient/nobody".to_owned()),
        (Method::PUT, format!("{FORM}/{id}")),
        (Method::DELETE, format!("{FORM}/{id}")),
        (Method::POST, format!("{FORM}/{id}/publish")),
        (Method::POST, format!("{LINK}/{id}")),
        (Method::POST, format!("{LINK}/{id}/1")),
        (Method::GET, format!("{LINK}/AAECAwQFBgcICQoLDA0ODw")),
        (Method::DELETE, format!("{LINK}/nonsense")),
        (Method::DELETE, format!("/api_v1/feedback/{id}")),
        (Method::DELETE, format!("/api_v1/report/share/{id}")),
    ] {
        let call = client.call(method, &format!("{path}?x=1"));
        let refused = call.body(JSON, "{}").send().await?;
        refused.problem(404, "not_found").context(path)?;
    }
    client
        .delete(&format!("{UNKNOWN_BATCH}?x=1"))
        .await?
        .problem(405, "method_not_allowed")?;
    let call = client.call(Method::POST, &format!("{IMPORT}?x=1"));
    let answer = call.body("text/plain", "nonsense").send().await?;
    answer.problem(415, "unsupported_media_type")?;
    app.anonymous()?
        .get(&format!("{IMPORT}?x=1"))
        .await?
        .problem(401, "unauthenticated")?;
    Ok(())
}
