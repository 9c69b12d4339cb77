//! Links that are not made. Never a link silently without its tracking.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::client::{Answer, Client};
use tests::form::{LINK, PAIRS, form, form_path, link_path, multipart, pairs, short_form};
use tests::import::JSON;
use tests::raw::{self, Raw};

async fn urlencoded(client: &Client, path: &str, body: &[(&str, &str)]) -> Result<Answer> {
    let call = client.call(Method::POST, path).body(PAIRS, pairs(body));
    call.send().await
}

#[tokio::test]
async fn indexes_that_the_form_has_not_are_refused() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let published = client.published(&form()).await?;
    for ids in [
        "4",
        "0",
        "1_4",
        "1_1",
        "1_2_1",
        "_1",
        "1_",
        "1__2",
        "_",
        "01",
        "+1",
        "-1",
        "1.0",
        "a",
        "1,2",
        "1%202",
        "%31_",
        "4294967297",
        "99999999999999999999",
        "%FF",
        "1_%00",
    ] {
        for body in [&[][..], &[("track_field", "a=b")]] {
            let answer = urlencoded(&client, &link_path(&published, ids), body).await?;
            answer
                .problem(400, "invalid_parameter")
                .with_context(|| ids.to_owned())?;
        }
    }
    let mut fewer = form();
    fewer["bus_props"] = json!(["store:Berlin"]);
    client
        .send_json(Method::PUT, &form_path(&published), &fewer)
        .await?
        .expect(200)?;
    for ids in ["2", "1_2"] {
        let answer = client.make_link(&published, ids, &[]).await?;
        answer.problem(400, "invalid_parameter")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_form_that_is_not_published_gets_no_link() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let draft = client.draft(&form()).await?;
    let gone = client.published(&form()).await?;
    client.delete(&form_path(&gone)).await?.expect(200)?;
    for form in [&draft, &gone] {
        for ids in ["", "1"] {
            let answer = client
                .make_link(form, ids, &[("track_field", "a=b")])
                .await?;
            answer.problem(409, "form_not_published")?;
        }
    }
    let unknown = json!({"form_id": "01890000-0000-7000-8000-000000000000"});
    let answer = client.make_link(&unknown, "1", &[]).await?;
    answer.problem(404, "not_found")?;
    for path in [format!("{LINK}/nonsense"), format!("{LINK}/nonsense/1")] {
        let answer = client.post(&path).await?;
        answer.problem(400, "invalid_parameter")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_seventh_tracking_field_is_too_many() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&form()).await?;
    let path = link_path(&form, "1");
    let texts: Vec<_> = (0..7).map(|number| format!("f{number}=x")).collect();
    let seven: Vec<_> = texts
        .iter()
        .map(|text| ("track_field", text.as_str()))
        .collect();
    let answer = urlencoded(&client, &path, &seven).await?;
    answer.problem(422, "too_many_track_fields")?;
    let (kind, body) = multipart(&seven);
    let call = client.call(Method::POST, &path).body(&kind, body);
    call.send().await?.problem(422, "too_many_track_fields")?;
    // Whatever the seventh says.
    let mut broken = seven.clone();
    broken[6] = ("track_field", "no equals sign");
    let answer = urlencoded(&client, &path, &broken).await?;
    answer.problem(422, "too_many_track_fields")?;
    urlencoded(&client, &path, seven.get(..6).unwrap_or_default())
        .await?
        .expect(201)?;
    Ok(())
}

#[tokio::test]
async fn a_body_with_anything_wrong_makes_no_link() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&form()).await?;
    let path = link_path(&form, "1");
    let long_name = format!("{}=x", "ä".repeat(33));
    let long_value = format!("x={}", "ä".repeat(513));
    let cases: Vec<(Vec<(&str, &str)>, &str)> = vec![
        (vec![("track_field", "no equals sign")], "/track_field/0"),
        (vec![("track_field", "")], "/track_field/0"),
        (vec![("track_field", "=x")], "/track_field/0"),
        (vec![("track_field", "=")], "/track_field/0"),
        (vec![("track_field", &long_name)], "/track_field/0"),
        (vec![("track_field", &long_value)], "/track_field/0"),
        (vec![("track_field", "a\u{0}=x")], "/track_field/0"),
        (vec![("track_field", "a=x\u{0}")], "/track_field/0"),
        (
            vec![("track_field", "a=1"), ("track_field", "a=2")],
            "/track_field/1",
        ),
        (vec![("track_fields", "a=1")], "/track_fields"),
        (vec![("Track_field", "a=1")], "/Track_field"),
        (vec![("track_field[]", "a=1")], "/track_field[]"),
        (vec![("track_field", "a=1"), ("", "")], "/"),
        (vec![("bus_prop_id", "1")], "/bus_prop_id"),
        (vec![("a", "1"), ("track_field", "a=1")], "/a"),
        (vec![("expires_at", "tomorrow")], "/expires_at"),
        (vec![("expires_at", "")], "/expires_at"),
        (vec![("expires_at", "2001-01-01T00:00:00Z")], "/expires_at"),
        (vec![("expires_at", "2999-01-01")], "/expires_at"),
        (vec![("expires_at", "2999-01-01T00:00:00")], "/expires_at"),
        (
            vec![("expires_at", "2999-01-01T00:00:00+01:00")],
            "/expires_at",
        ),
        (vec![("expires_at", "2999-02-30T00:00:00Z")], "/expires_at"),
        (vec![("expires_at", "99999-01-01T00:00:00Z")], "/expires_at"),
        (
            vec![
                ("expires_at", "2999-01-01T00:00:00Z"),
                ("expires_at", "2998-01-01T00:00:00Z"),
            ],
            "/expires_at",
        ),
        (vec![("max_responses", "0")], "/max_responses"),
        (vec![("max_responses", "-1")], "/max_responses"),
        (vec![("max_responses", "+1")], "/max_responses"),
        (vec![("max_responses", "1.5")], "/max_responses"),
        (vec![("max_responses", "")], "/max_responses"),
        (vec![("max_responses", "many")], "/max_responses"),
        (
            vec![("max_responses", "99999999999999999999")],
            "/max_responses",
        ),
        (
            vec![("max_responses", "1"), ("max_responses", "1")],
            "/max_responses",
        ),
    ];
    for (body, pointer) in cases {
        let (kind, parts) = multipart(&body);
        for (kind, body) in [(PAIRS, pairs(&body)), (kind.as_str(), parts)] {
            let call = client.call(Method::POST, &path).body(kind, body.clone());
            let answer = call.send().await?;
            let context = || format!("{kind}: {body}");
            let problem = answer
                .problem(422, "validation_failed")
                .with_context(context)?;
            ensure!(
                problem["errors"][0]["pointer"] == pointer,
                "not {pointer}: {problem}"
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_body_that_cannot_be_read_makes_no_link() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&form()).await?;
    let path = link_path(&form, "1");
    let (kind, whole) = multipart(&[("track_field", "a=1"), ("track_field", "b=2")]);
    let send = |kind: &str, body: Vec<u8>| {
        let call = client.call(Method::POST, &path).body(kind, body);
        call.send()
    };
    // Cut anywhere before its last boundary is closed; nothing at all would be no body.
    let bytes = whole.as_bytes();
    for end in (1..bytes.len() - 4).step_by(7).chain([bytes.len() - 4]) {
        let cut = bytes.get(..end).unwrap_or_default().to_vec();
        let answer = send(&kind, cut).await?;
        answer
            .problem(400, "invalid_form")
            .with_context(|| format!("cut at {end}"))?;
    }
    let latin: Vec<u8> = bytes
        .iter()
        .map(|byte| if *byte == b'1' { 0xe4 } else { *byte })
        .collect();
    for (kind, body) in [
        (kind.as_str(), latin),
        (PAIRS, b"track_field=a=%E4".to_vec()),
        (PAIRS, b"track_field=a=\xe4".to_vec()),
        (PAIRS, b"track_field=a=1&%FF=x".to_vec()),
        ("multipart/form-data", bytes.to_vec()),
        ("multipart/form-data; boundary=another", bytes.to_vec()),
        (kind.as_str(), b"nonsense".to_vec()),
    ] {
        let answer = send(kind, body).await?;
        let problem = answer
            .problem(400, "invalid_form")
            .with_context(|| kind.to_owned())?;
        ensure!(
            problem["detail"]
                .as_str()
                .is_some_and(|text| text.contains("byte"))
                || kind.ends_with("data"),
            "no place is told: {problem}"
        );
    }
    for (kind, body) in [
        (JSON, r#"{"track_field":["a=1"]}"#),
        ("text/plain", "track_field=a=1"),
        (
            "application/x-www-form-urlencoded; charset=latin1",
            "track_field=a=1",
        ),
        ("multipart/mixed; boundary=x", "--x--"),
    ] {
        let answer = send(kind, body.as_bytes().to_vec()).await?;
        answer
            .problem(415, "unsupported_media_type")
            .with_context(|| kind.to_owned())?;
    }
    let call = client
        .call(Method::POST, &path)
        .bare_body("track_field=a=1");
    call.send().await?.problem(415, "unsupported_media_type")?;
    let call = client.call(Method::POST, &path);
    let call = call.header("content-encoding", "gzip");
    let answer = call.body(PAIRS, "track_field=a=1").send().await?;
    answer.problem(415, "unsupported_media_type")?;
    Ok(())
}

#[tokio::test]
async fn a_field_of_ten_megabytes_is_refused_early() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&form()).await?;
    let path = link_path(&form, "1");
    let value = format!("a={}", "x".repeat(10_000_000));
    let (kind, parts) = multipart(&[("track_field", &value)]);
    for (kind, body) in [
        (PAIRS, pairs(&[("track_field", &value)])),
        (kind.as_str(), parts),
    ] {
        let mut connection = Raw::connect(&client).await?;
        let length = format!("content-length: {}", body.len());
        let kind = format!("content-type: {kind}");
        let head = Raw::head(&client, &path, &[&kind, &length])?;
        connection.write(head.as_bytes()).await?;
        // The answer does not wait for the rest.
        let begun = body.as_bytes().get(..1_200_000).unwrap_or_default();
        connection.write(begun).await?;
        let answer = connection.read_head().await?;
        ensure!(raw::status(&answer)? == 413, "another answer: {answer}");
    }
    // What fits into the body but not into a field is told with its place.
    let value = format!("a={}", "x".repeat(500_000));
    let answer = urlencoded(&client, &path, &[("track_field", &value)]).await?;
    answer.problem(422, "validation_failed")?;
    Ok(())
}

#[tokio::test]
async fn nothing_of_a_refused_link_stays() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&short_form("x")).await?;
    for body in [
        &[("track_field", "no equals sign")][..],
        &[("unknown", "x")],
        &[("max_responses", "0")],
    ] {
        let answer = client.make_link(&form, "", body).await?;
        let problem = answer.problem(422, "validation_failed")?;
        ensure!(
            problem["token"].is_null() && problem["link"].is_null(),
            "{problem}"
        );
    }
    Ok(())
}
