//! Generating form links, reading and deleting them.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::form::{
    FORM, LINK, PAIRS, form, form_path, link_path, made_link, multipart, short_form,
};
use tests::import::record;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};

/// Names and values that a link may carry.
const FIELDS: [(&str, &str); 6] = [
    ("order", "4711"),
    ("formula", "a=b=c"),
    ("empty", ""),
    ("Größe", "20 % & mehr + 1;\r\n😀"),
    (" spaced ", " x "),
    ("__proto__", "\"'<script>\\"),
];

fn tracked() -> (Vec<String>, Value) {
    let texts = FIELDS.map(|(name, value)| format!("{name}={value}"));
    let object: serde_json::Map<_, _> = FIELDS
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    (texts.to_vec(), Value::Object(object))
}

#[tokio::test]
async fn a_link_carries_its_business_properties_and_tracking_fields() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&form()).await?;
    let (texts, object) = tracked();
    let body: Vec<_> = texts
        .iter()
        .map(|text| ("track_field", text.as_str()))
        .collect();
    let link = client.link(&form, "3_1", &body).await?;
    ensure!(
        link["bus_props"] == json!(["channel:sms", "store:Berlin"]),
        "{link}"
    );
    ensure!(link["track_fields"] == object, "{link}");
    ensure!(link["form_id"] == form["form_id"], "{link}");
    ensure!(
        link["expires_at"].is_null() && link["max_responses"].is_null(),
        "{link}"
    );
    let base = client.base();
    let token = link["token"].as_str().context("no token")?;
    ensure!(link["link"] == format!("{base}/f/{token}"), "{link}");

    // The same as multipart.
    let (kind, body) = multipart(&body);
    let call = client.call(Method::POST, &link_path(&form, "3_1"));
    let other = made_link(call.body(&kind, body).send().await?)?;
    ensure!(
        other["track_fields"] == object && other["bus_props"] == link["bus_props"],
        "{other}"
    );
    ensure!(other["token"] != link["token"], "the same token");

    let mut read = client.read_link(&link).await?;
    let members = read.as_object_mut().context("no object")?;
    for (member, value) in [
        ("views", json!(0)),
        ("responses", json!(0)),
        ("deleted_at", json!(null)),
    ] {
        ensure!(members.remove(member) == Some(value), "another {member}");
    }
    ensure!(read == link, "reads as {read}, not {link}");
    Ok(())
}

#[tokio::test]
async fn a_link_tells_who_made_it_and_that_of_a_campaign_nobody() -> Result<()> {
    let app = App::start().await?;
    let first = app.create_key("shop", &[]).await?;
    let one = app.anonymous()?.with_keys(&first);
    let other = app.client_of("shop").await?;
    let campaign = one.running("demo", &[record("A1")]).await?;
    let sent = one.handed_over(&campaign, 1).await?;
    let link = one.link(&sent, "", &[]).await?;
    for told in [&link, &other.read_link(&link).await?] {
        let is_told = told["made_by"] == first.api_key && told["made_from"] == "127.0.0.1";
        ensure!(is_told, "{told}");
    }
    let (links, _) = other.pages(&format!("{}/link", form_path(&sent))).await?;
    let of_campaign = links.iter().find(|other| other["token"] != link["token"]);
    let of_campaign = of_campaign.context("no link of the campaign")?;
    ensure!(
        of_campaign["made_by"].is_null() && of_campaign["made_from"].is_null(),
        "{of_campaign}"
    );
    Ok(())
}

#[tokio::test]
async fn a_link_names_at_most_fifty_of_a_forms_business_properties() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let mut form = form();
    form["bus_props"] = (1..=51).map(|n| json!(format!("store:{n}"))).collect();
    let form = client.published(&form).await?;
    let ids = |last: u32| (1..=last).map(|id| id.to_string()).collect::<Vec<_>>();
    let fifty = link_path(&form, &ids(50).join("_"));
    let link = made_link(client.post(&fifty).await?)?;
    let named = link["bus_props"].as_array().map(Vec::len);
    ensure!(named == Some(50), "{link}");
    let more = link_path(&form, &ids(51).join("_"));
    client
        .post(&more)
        .await?
        .problem(400, "invalid_parameter")?;
    Ok(())
}

#[tokio::test]
async fn a_link_needs_neither_body_nor_business_property() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&form()).await?;
    for (ids, bus_props) in [
        ("", json!([])),
        ("2", json!(["store:Hamburg"])),
        (
            "2_3_1",
            json!(["store:Hamburg", "channel:sms", "store:Berlin"]),
        ),
        ("1%5F2", json!(["store:Berlin", "store:Hamburg"])),
    ] {
        let path = link_path(&form, ids);
        let link = made_link(client.post(&path).await?)?;
        if ids.is_empty() {
            let empty = made_link(client.post(&format!("{path}/")).await?)?;
            ensure!(empty["bus_props"] == bus_props, "an empty segment: {empty}");
        }
        ensure!(link["bus_props"] == bus_props, "{ids}: {link}");
        ensure!(link["track_fields"] == json!({}), "{link}");
        let (kind, body) = multipart(&[]);
        for (kind, body) in [
            (kind.as_str(), body),
            (kind.as_str(), String::new()),
            (PAIRS, String::new()),
            ("multipart/form-data", String::new()),
            ("application/json", String::new()),
            ("text/plain; charset=latin1", String::new()),
            ("nonsense", String::new()),
        ] {
            let call = client.call(Method::POST, &path).body(kind, body);
            let link = made_link(call.send().await?)?;
            ensure!(link["track_fields"] == json!({}), "{kind}: {link}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_order_of_tracking_fields_is_kept_and_escapes_are_read() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&form()).await?;
    let body = "track_field=b%3D1&track_field=a=%C3%A4+%2B&&track%5Ffield=c%3D%25";
    let call = client.call(Method::POST, &link_path(&form, "1"));
    let kind = "application/x-www-form-urlencoded; charset=UTF-8";
    let answer = call.body(kind, body).send().await?;
    ensure!(
        answer
            .text()?
            .contains(r#""track_fields":{"b":"1","a":"ä +","c":"%"}"#),
        "{answer:?}"
    );
    let link = made_link(answer)?;
    let read = client
        .get(&format!("{LINK}/{}", link["token"].as_str().unwrap_or("")))
        .await?;
    ensure!(
        read.text()?
            .contains(r#""track_fields":{"b":"1","a":"ä +","c":"%"}"#),
        "{read:?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_link_can_expire_and_be_limited() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&form()).await?;
    for time in ["2999-12-31T23:59:59Z", "2999-12-31T23:59:59.250Z"] {
        let body = [("expires_at", time), ("max_responses", "3")];
        let link = client.link(&form, "1", &body).await?;
        ensure!(
            link["expires_at"] == time && link["max_responses"] == 3,
            "{link}"
        );
        let read = client.read_link(&link).await?;
        ensure!(
            read["expires_at"] == time && read["max_responses"] == 3,
            "{read}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn links_begin_with_the_public_url() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_PUBLIC_URL", "https://feedback.example/ask/")
        .start()
        .await?;
    let client = app.client().await?;
    let form = client.published(&short_form("x")).await?;
    let link = client.link(&form, "", &[]).await?;
    let token = link["token"].as_str().context("no token")?;
    ensure!(
        link["link"] == format!("https://feedback.example/ask/f/{token}"),
        "{link}"
    );
    Ok(())
}

#[tokio::test]
async fn a_deleted_link_is_gone_at_once() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&short_form("x")).await?;
    let link = client.link(&form, "", &[]).await?;
    let path = format!("{LINK}/{}", link["token"].as_str().unwrap_or_default());
    let visitor = Visitor::new(&app.anonymous()?, &link)?;
    visitor.page().await?.expect(200)?;
    visitor.stored(&json!({"mood": 5})).await?;
    client.delete(&path).await?.expect(204)?;
    visitor.page().await?.expect(410)?;
    let late = Visitor::new(&app.anonymous()?, &link)?;
    let refused = late.answer(&json!({"mood": 5})).await?;
    refused.problem(410, "link_gone")?;
    // Its owner still reads it, as of its first deletion.
    let read = client.read_link(&link).await?;
    let deleted_at = read["deleted_at"].as_str().context("not deleted")?;
    ensure!(tests::check::is_time(deleted_at), "no time: {read}");
    client.delete(&path).await?.expect(204)?;
    ensure!(client.read_link(&link).await?["deleted_at"] == deleted_at);
    Ok(())
}

#[tokio::test]
async fn another_instance_knows_of_a_deleted_link_within_a_second() -> Result<()> {
    let app = App::setup().apis(2).start().await?;
    let client = app.client().await?;
    let form = client.published(&short_form("x")).await?;
    let link = client.link(&form, "", &[]).await?;
    let last = app.apis.last().context("no api runs")?;
    let visitor = Visitor::new(&app.anonymous()?.at(last.base()), &link)?;
    visitor.page().await?.expect(200)?;
    let path = format!("{LINK}/{}", link["token"].as_str().unwrap_or_default());
    client.delete(&path).await?.expect(204)?;
    // Answers are judged in the database, whatever is remembered of the link.
    let refused = visitor.answer(&json!({"mood": 5})).await?;
    refused.problem(410, "link_gone")?;
    eventually(SOON, async || visitor.page().await?.expect(410)).await?;
    Ok(())
}

#[tokio::test]
async fn a_link_of_another_account_is_not_found() -> Result<()> {
    let app = App::start().await?;
    let (mine, theirs) = (app.client().await?, app.client().await?);
    let form = theirs.published(&short_form("x")).await?;
    let link = theirs.link(&form, "", &[]).await?;
    let path = format!("{LINK}/{}", link["token"].as_str().unwrap_or_default());
    mine.get(&path).await?.problem(404, "not_found")?;
    mine.delete(&path).await?.problem(404, "not_found")?;
    theirs.get(&path).await?.expect(200)?;
    let unknown = format!("{LINK}/AAAAAAAAAAAAAAAAAAAAAA");
    mine.get(&unknown).await?.problem(404, "not_found")?;
    for token in [
        "x",
        "AAAAAAAAAAAAAAAAAAAAA=",
        "%00",
        "AAAAAAAAAAAAAAAAAAAAAB",
    ] {
        let path = format!("{LINK}/{token}");
        mine.get(&path).await?.problem(404, "not_found")?;
        mine.delete(&path).await?.problem(404, "not_found")?;
    }
    Ok(())
}

#[tokio::test]
async fn an_old_link_keeps_what_its_form_retired() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let published = client.published(&form()).await?;
    let link = client.link(&published, "1_2", &[]).await?;
    let mut fewer = form();
    fewer["bus_props"] = json!(["store:Hamburg"]);
    client
        .send_json(Method::PUT, &form_path(&published), &fewer)
        .await?
        .expect(200)?;
    let read = client.read_link(&link).await?;
    ensure!(
        read["bus_props"] == json!(["store:Berlin", "store:Hamburg"]),
        "{read}"
    );
    let visitor = Visitor::new(&app.anonymous()?, &link)?;
    visitor.stored(&json!({"recommend": 9})).await?;
    client.counted(&link, 1, 1).await
}

#[tokio::test]
async fn methods_and_lists_around_links_are_told_apart() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let form = client.published(&short_form("x")).await?;
    for (path, wrong, right) in [
        (FORM.to_owned(), Method::GET, vec!["POST"]),
        (form_path(&form), Method::POST, vec!["DELETE", "GET", "PUT"]),
        (
            format!("{}/publish", form_path(&form)),
            Method::GET,
            vec!["POST"],
        ),
        (format!("{FORM}/list/DRAFT"), Method::POST, vec!["GET"]),
        (
            link_path(&form, ""),
            Method::PUT,
            vec!["DELETE", "GET", "POST"],
        ),
        (link_path(&form, "1"), Method::GET, vec!["POST"]),
    ] {
        let answer = client.call(wrong, &path).send().await?;
        answer.problem(405, "method_not_allowed")?;
        let allowed = answer.allowed();
        ensure!(allowed == right, "{path} allows {allowed:?}, not {right:?}");
    }
    Ok(())
}

#[tokio::test]
async fn tokens_are_secrets_and_not_logged() -> Result<()> {
    let app = App::setup().setting("RUST_LOG", "debug").start().await?;
    let client = app.client().await?;
    let form = client.published(&short_form("x")).await?;
    let link = client
        .link(&form, "", &[("track_field", "who=hunter2")])
        .await?;
    let visitor = Visitor::new(&app.anonymous()?, &link)?;
    visitor.page().await?.expect(200)?;
    visitor.view().await?.expect(204)?;
    visitor
        .stored(&json!({"more": "told in confidence"}))
        .await?;
    client.counted(&link, 1, 1).await?;
    let token = link["token"].as_str().context("no token")?;
    for service in app.apis.iter().chain(&app.workers) {
        let log = service.process.log()?;
        for secret in [token, "hunter2", "told in confidence"] {
            ensure!(!log.contains(secret), "{secret} is logged");
        }
    }
    Ok(())
}
