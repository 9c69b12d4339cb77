//! Opening a link, viewing, answering; each counted once.

use anyhow::{Context, Result, ensure};
use chrono::{SecondsFormat, TimeDelta, Utc};
use reqwest::Method;
use serde_json::json;
use tests::app::App;
use tests::check;
use tests::client::{Client, Crowd};
use tests::form::{LINK, PAIRS, form, form_path, pairs, short_form};
use tests::import::JSON;
use tests::visitor::{Visitor, page};
use tests::wait::{SOON, eventually};

/// A published form with one link, and somebody without keys.
async fn open(app: &App) -> Result<(Client, serde_json::Value, serde_json::Value, Client)> {
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let link = owner
        .link(&form, "1_3", &[("track_field", "order=4711")])
        .await?;
    Ok((owner, form, link, app.anonymous()?))
}

#[tokio::test]
async fn fetching_the_page_counts_nothing() -> Result<()> {
    let app = App::start().await?;
    let (owner, form, _, public) = open(&app).await?;
    let link = owner.link(&form, "", &[("max_responses", "1")]).await?;
    let visitor = Visitor::new(&public, &link)?;
    let got = visitor.page().await?;
    let html = page(&got, 200)?;
    for text in ["How was your visit?", "Who served you?", "Shelf B"] {
        ensure!(html.contains(text), "{text} is not on the page: {html}");
    }
    for (name, value) in [
        ("purpose", "prefetch"),
        ("sec-purpose", "prefetch;prerender"),
        ("user-agent", "facebookexternalhit/1.1"),
    ] {
        let call = public.call(Method::GET, &visitor.path());
        page(&call.header(name, value).send().await?, 200)?;
    }
    let head = public.call(Method::HEAD, &visitor.path()).send().await?;
    page(&head, 200)?;
    ensure!(head.body.is_empty(), "a body: {head:?}");
    owner.counted(&link, 0, 0).await?;
    // Nor is the link spent.
    visitor.stored(&json!({"recommend": 3})).await?;
    owner.counted(&link, 1, 1).await
}

#[tokio::test]
async fn a_visit_is_one_view_however_often_it_is_seen() -> Result<()> {
    let app = App::start().await?;
    let (owner, _, link, public) = open(&app).await?;
    let first = Visitor::new(&public, &link)?;
    for _ in 0..3 {
        let answer = first.view().await?.expect(204)?;
        ensure!(answer.body.is_empty(), "{answer:?}");
    }
    owner.counted(&link, 1, 0).await?;
    Visitor::new(&public, &link)?.view().await?.expect(204)?;
    owner.counted(&link, 2, 0).await?;
    // An answer of a visit that was seen is no second view, one of a new visit is.
    first.stored(&json!({"recommend": 10})).await?;
    owner.counted(&link, 2, 1).await?;
    let unseen = Visitor::new(&public, &link)?;
    unseen.stored(&json!({"recommend": 0})).await?;
    owner.counted(&link, 3, 2).await?;
    unseen.view().await?.expect(204)?;
    owner.counted(&link, 3, 2).await
}

#[tokio::test]
async fn every_type_of_field_is_answered_as_json() -> Result<()> {
    let app = App::start().await?;
    let (owner, _, link, public) = open(&app).await?;
    for answers in [
        json!({"recommend": 10, "mood": 1, "clean": 5, "reason": "buy", "seen": ["c", "a"],
               "name": "Ünï 😀 <b>", "more": "two\nlines"}),
        json!({"recommend": 0}),
        json!({"recommend": 0, "mood": null, "seen": [], "name": "", "more": " \n "}),
        json!({"recommend": 7, "more": "ä".repeat(10_000), "name": "x".repeat(1_000)}),
    ] {
        let visitor = Visitor::new(&public, &link)?;
        visitor.stored(&answers).await?;
    }
    owner.counted(&link, 4, 4).await
}

#[tokio::test]
async fn the_pages_own_form_leads_to_thanks() -> Result<()> {
    let app = App::start().await?;
    let (owner, _, link, public) = open(&app).await?;
    let visitor = Visitor::new(&public, &link)?;
    let answer = visitor
        .submit(&[
            ("recommend", "9"),
            ("mood", "5"),
            ("reason", "look"),
            ("seen", "a"),
            ("seen", "b"),
            ("name", ""),
            ("more", "two\r\nlines & more"),
        ])
        .await?
        .expect(303)?;
    let location = answer.header("location").context("no Location")?;
    let base = reqwest::Url::parse(&format!("{}{}", public.base(), visitor.path()))?;
    let thanks = base.join(location)?;
    ensure!(thanks.origin() == base.origin(), "{location}");
    page(&public.get(thanks.path()).await?, 200)?;
    owner.counted(&link, 1, 1).await?;
    // The form that the page itself carries is sent: its visit, where it points.
    let got = Visitor::new(&public, &link)?.page().await?;
    let html = page(&got, 200)?;
    let visit = html
        .split_once("name=\"visit\"")
        .and_then(|(_, rest)| rest.split_once("value=\""))
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(visit, _)| visit.to_owned())
        .context("no visit on the page")?;
    let own = Visitor::new(&public, &link)?.with_visit(&visit);
    own.submit(&[("recommend", "1")]).await?.expect(303)?;
    owner.counted(&link, 2, 2).await
}

#[tokio::test]
async fn each_page_is_a_visit_of_its_own() -> Result<()> {
    let app = App::start().await?;
    let (_, _, link, public) = open(&app).await?;
    let visitor = Visitor::new(&public, &link)?;
    let (one, two) = (visitor.page().await?, visitor.page().await?);
    ensure!(page(&one, 200)? != page(&two, 200)?, "the same page twice");
    let policy = |answer: &tests::client::Answer| {
        answer
            .header("content-security-policy")
            .map(ToOwned::to_owned)
    };
    ensure!(policy(&one) != policy(&two), "the same nonce twice");
    Ok(())
}

#[tokio::test]
async fn the_first_stored_answer_of_a_visit_stands() -> Result<()> {
    let app = App::start().await?;
    let (owner, _, link, public) = open(&app).await?;
    let visitor = Visitor::new(&public, &link)?;
    let first = visitor.stored(&json!({"recommend": 9})).await?;
    for answers in [
        json!({"recommend": 9}),
        json!({"recommend": 0, "more": "other"}),
        // Not even asked whether it could be one.
        json!({"recommend": 99}),
        json!({}),
    ] {
        let again = visitor.stored(&answers).await?;
        ensure!(again == first, "{answers}: another feedback");
    }
    visitor.submit(&[("recommend", "0")]).await?.expect(303)?;
    visitor.submit(&[]).await?.expect(303)?;
    owner.counted(&link, 1, 1).await?;
    // The same visit's id on another link is another visit.
    let form = json!({"form_id": link["form_id"]});
    let other = owner.link(&form, "2", &[]).await?;
    let elsewhere = Visitor::new(&public, &other)?.with_visit(&visitor.visit);
    let second = elsewhere.stored(&json!({"recommend": 1})).await?;
    ensure!(second != first, "one feedback for two links");
    owner.counted(&other, 1, 1).await
}

#[tokio::test]
async fn without_a_visit_each_answer_is_its_own() -> Result<()> {
    let app = App::start().await?;
    let (owner, _, link, public) = open(&app).await?;
    let visitor = Visitor::new(&public, &link)?;
    let mut seen = std::collections::HashSet::new();
    for body in [
        json!({"answers": {"recommend": 5}}),
        json!({"answers": {"recommend": 5}}),
        json!({"visit": null, "answers": {"recommend": 5}}),
    ] {
        let answer = visitor.post(JSON, body.to_string()).await?.expect(201)?;
        seen.insert(answer.json()?["feedback_id"].to_string());
    }
    ensure!(seen.len() == 3, "{seen:?}");
    let body = pairs(&[("recommend", "5")]);
    visitor.post(PAIRS, body).await?.expect(303)?;
    owner.counted(&link, 4, 4).await
}

#[tokio::test]
async fn one_answer_left_and_a_hundred_people_is_one_answer() -> Result<()> {
    let app = App::start().await?;
    let (owner, form, _, public) = open(&app).await?;
    let link = owner.link(&form, "1", &[("max_responses", "3")]).await?;
    for _ in 0..2 {
        let early = Visitor::new(&public, &link)?;
        early.stored(&json!({"recommend": 9})).await?;
    }
    let mut visitors = Vec::new();
    for _ in 0..100 {
        visitors.push(Visitor::new(&public, &link)?);
    }
    let answers = json!({"recommend": 10});
    let crowd = Crowd::default();
    let all = visitors
        .iter()
        .map(|visitor| crowd.served(|| visitor.answer(&answers)));
    let mut won = Vec::new();
    for (visitor, answer) in visitors
        .iter()
        .zip(futures::future::try_join_all(all).await?)
    {
        if answer.status == 201 {
            won.push((visitor, answer.json()?["feedback_id"].clone()));
        } else {
            answer.problem(410, "link_gone")?;
        }
    }
    ensure!(won.len() == 1, "{} won", won.len());
    owner.counted(&link, 3, 3).await?;
    // Used up: the page says so, and whoever won still hears the same.
    for (visitor, feedback_id) in won {
        let again = visitor.stored(&answers).await?;
        ensure!(feedback_id == again, "another feedback");
        let gone = visitor.page().await?;
        page(&gone, 410)?;
    }
    let late = Visitor::new(&public, &link)?;
    late.view().await?.problem(410, "link_gone")?;
    owner.counted(&link, 3, 3).await
}

#[tokio::test]
async fn a_hundred_answers_at_once_are_a_hundred() -> Result<()> {
    let app = App::setup().apis(2).start().await?;
    let (owner, form, link, public) = open(&app).await?;
    let limited = owner.link(&form, "", &[("max_responses", "60")]).await?;
    let last = app.apis.last().context("no api runs")?;
    let second = public.at(last.base());
    let crowd = &Crowd::default();
    let mut calls = Vec::new();
    for number in 0..100 {
        let at = if number % 2 == 0 { &public } else { &second };
        let link = if number % 5 < 3 { &limited } else { &link };
        let visitor = Visitor::new(at, link)?;
        calls.push(async move {
            let answers = json!({"recommend": number % 11, "more": format!("{number}")});
            crowd.served(|| visitor.view()).await?.expect(204)?;
            let first = visitor.stored_in(crowd, &answers).await?;
            ensure!(visitor.stored_in(crowd, &answers).await? == first);
            Ok(())
        });
    }
    futures::future::try_join_all(calls).await?;
    owner.counted(&limited, 60, 60).await?;
    owner.counted(&link, 40, 40).await
}

#[tokio::test]
async fn an_expired_link_is_gone_and_what_was_typed_stays_on_the_page() -> Result<()> {
    let app = App::start().await?;
    let (owner, form, _, public) = open(&app).await?;
    let soon = (Utc::now() + TimeDelta::seconds(10)).to_rfc3339_opts(SecondsFormat::Secs, true);
    let link = owner.link(&form, "", &[("expires_at", &soon)]).await?;
    let early = Visitor::new(&public, &link)?;
    let first = early.stored(&json!({"recommend": 9})).await?;
    let late = Visitor::new(&public, &link)?;
    eventually(SOON, async || page(&late.page().await?, 410).map(drop)).await?;
    late.view().await?.problem(410, "link_gone")?;
    late.answer(&json!({"recommend": 9}))
        .await?
        .problem(410, "link_gone")?;
    let gone = late
        .submit(&[
            ("recommend", "9"),
            ("more", "a long <story> that was typed"),
        ])
        .await?;
    let html = page(&gone, 410)?;
    ensure!(
        html.contains("a long &lt;story&gt; that was typed")
            || html.contains("a long &#60;story&#62; that was typed"),
        "what was typed is lost: {html}"
    );
    ensure!(early.stored(&json!({"recommend": 1})).await? == first);
    early.submit(&[("recommend", "1")]).await?.expect(303)?;
    owner.counted(&link, 1, 1).await
}

#[tokio::test]
async fn a_deleted_forms_links_are_gone_at_once() -> Result<()> {
    let app = App::start().await?;
    let (owner, form, link, public) = open(&app).await?;
    let early = Visitor::new(&public, &link)?;
    let first = early.stored(&json!({"recommend": 9})).await?;
    page(&early.page().await?, 200)?;
    owner.counted(&link, 1, 1).await?;
    owner.delete(&form_path(&form)).await?.expect(200)?;
    page(&early.page().await?, 410)?;
    let late = Visitor::new(&public, &link)?;
    late.answer(&json!({"recommend": 9}))
        .await?
        .problem(410, "link_gone")?;
    late.view().await?.problem(410, "link_gone")?;
    ensure!(early.stored(&json!({"recommend": 9})).await? == first);
    // What was counted is still there.
    let read = owner.read_link(&link).await?;
    let counted = (
        check::count(&read, "views")?,
        check::count(&read, "responses")?,
    );
    ensure!(counted == (1, 1), "other counts: {read}");
    Ok(())
}

#[tokio::test]
async fn an_edited_form_is_on_the_page_at_once() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client().await?;
    let form = owner.published(&short_form("Before")).await?;
    let link = owner.link(&form, "", &[]).await?;
    let visitor = Visitor::new(&app.anonymous()?, &link)?;
    for round in 0..5 {
        ensure!(page(&visitor.page().await?, 200)?.contains("Before") || round > 0);
        let title = format!("Title number {round}");
        owner
            .send_json(Method::PUT, &form_path(&form), &short_form(&title))
            .await?
            .expect(200)?;
        let got = visitor.page().await?;
        ensure!(page(&got, 200)?.contains(&title), "not {title}: {got:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_link_is_drawn_as_a_qr_code() -> Result<()> {
    let app = App::start().await?;
    let (_, _, link, public) = open(&app).await?;
    let visitor = Visitor::new(&public, &link)?;
    let path = format!("{}/qr.svg", visitor.path());
    let answer = public.get(&path).await?.expect(200)?;
    let kind = answer.header("content-type").unwrap_or_default();
    ensure!(kind.starts_with("image/svg+xml"), "{kind}");
    ensure!(answer.text()?.contains("<svg"), "{answer:?}");
    let unknown = public.get("/f/AAAAAAAAAAAAAAAAAAAAAA/qr.svg").await?;
    unknown.expect(404)?;
    Ok(())
}

#[tokio::test]
async fn whoever_opens_no_link_of_ours_is_told_kindly() -> Result<()> {
    let app = App::start().await?;
    let public = app.anonymous()?;
    for token in [
        "AAAAAAAAAAAAAAAAAAAAAA",
        "nonsense",
        "%00",
        "%FF",
        "..%2f..%2fetc",
    ] {
        let path = format!("/f/{token}");
        page(&public.get(&path).await?, 404).with_context(|| path.clone())?;
        let head = public.call(Method::HEAD, &path).send().await?;
        ensure!(head.status == 404 && head.body.is_empty(), "{head:?}");
        let body = pairs(&[("recommend", "9")]);
        let call = public.call(Method::POST, &path).body(PAIRS, body);
        page(&call.send().await?, 404)?;
        let answer = public
            .send_json(Method::POST, &path, &json!({"answers": {"recommend": 9}}))
            .await?;
        answer.problem(404, "not_found")?;
        let body = json!({"visit": uuid::Uuid::new_v4().to_string()});
        let view = public
            .send_json(Method::POST, &format!("{path}/view"), &body)
            .await?;
        view.problem(404, "not_found")?;
        page(&public.get(&format!("{path}/thanks")).await?, 404)?;
    }
    public
        .delete("/f/AAAAAAAAAAAAAAAAAAAAAA")
        .await?
        .problem(405, "method_not_allowed")?;
    Ok(())
}

#[tokio::test]
async fn an_answer_is_found_again_with_what_its_link_carries() -> Result<()> {
    let app = App::start().await?;
    let (owner, _, link, public) = open(&app).await?;
    Visitor::new(&public, &link)?
        .stored(&json!({"recommend": 9, "more": "good"}))
        .await?;
    let read = owner.read_link(&link).await?;
    ensure!(
        read["bus_props"] == json!(["store:Berlin", "channel:sms"])
            && read["track_fields"] == json!({"order": "4711"}),
        "{read}"
    );
    owner.counted(&link, 1, 1).await?;
    if !app.embedded() {
        let row = app
            .backends()
            .sql("SELECT bus_prop_ids || ' ' || (track_fields->>'order') || ' ' || nps FROM feedback")
            .await?;
        ensure!(row.trim() == "1_3 4711 9", "another row: {row}");
    }
    let token = link["token"].as_str().unwrap_or_default();
    owner
        .delete(&format!("{LINK}/{token}"))
        .await?
        .expect(204)?;
    Ok(())
}
