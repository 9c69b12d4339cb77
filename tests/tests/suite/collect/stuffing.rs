//! One address cannot decide what a report says, and nothing that was typed is lost.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::{Answer, Client};
use tests::form::{PAIRS, form, pairs};
use tests::import::JSON;
use tests::visitor::{Visitor, page};

/// Addresses of one household.
const HERE: [&str; 3] = ["2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:ffff::3"];
const ELSEWHERE: &str = "2001:db8:1:3::1";
const TYPED: [(&str, &str); 2] = [("recommend", "9"), ("more", "typed with care")];

/// What a visit sends through a proxy that says where it comes from.
async fn post(
    visitor: &Visitor,
    public: &Client,
    from: &str,
    body: (&str, String),
) -> Result<Answer> {
    let call = public.call(Method::POST, &visitor.path());
    let call = call.header("x-forwarded-for", from);
    call.body(body.0, body.1).send().await
}

async fn answer(visitor: &Visitor, public: &Client, from: &str, grade: u32) -> Result<Answer> {
    let body = json!({"visit": visitor.visit, "answers": {"recommend": grade}});
    post(visitor, public, from, (JSON, body.to_string())).await
}

async fn submit(visitor: &Visitor, public: &Client, from: &str) -> Result<Answer> {
    let mut sent = vec![("visit", visitor.visit.as_str())];
    sent.extend(TYPED);
    post(visitor, public, from, (PAIRS, pairs(&sent))).await
}

/// Answers are counted by intervals of five minutes, so a place may be free that much later.
fn told_to_come_back_within_an_hour(answer: &Answer) -> Result<()> {
    let wait = answer.header("retry-after").context("no Retry-After")?;
    let wait: u32 = wait.parse()?;
    ensure!((1..=3_900).contains(&wait), "come back in {wait} s");
    Ok(())
}

#[tokio::test]
async fn an_address_gives_a_link_so_many_answers_an_hour() -> Result<()> {
    let mut app = App::setup()
        .setting("FEEDBACK_ADDRESS_ANSWERS", "3")
        .setting("FEEDBACK_TRUSTED_PROXIES", "127.0.0.0/8")
        .start()
        .await?;
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let link = owner.link(&form, "", &[]).await?;
    let public = app.anonymous()?;
    let feedback = |answer: Answer| -> Result<Value> {
        Ok(answer.expect(201)?.json()?["feedback_id"].clone())
    };
    let first = Visitor::new(&public, &link)?;
    let stands = feedback(answer(&first, &public, HERE[0], 9).await?)?;
    for from in &HERE[1..] {
        // Neither the same visit again nor what is refused counts.
        ensure!(feedback(answer(&first, &public, from, 1).await?)? == stands);
        let visitor = Visitor::new(&public, &link)?;
        let refused = answer(&visitor, &public, from, 99).await?;
        refused.problem(422, "validation_failed")?;
        answer(&visitor, &public, from, 9).await?.expect(201)?;
    }

    let visitor = Visitor::new(&public, &link)?;
    for from in HERE {
        let limited = answer(&visitor, &public, from, 9).await?;
        limited.problem(429, "rate_limited")?;
        told_to_come_back_within_an_hour(&limited)?;
    }
    let limited = submit(&visitor, &public, HERE[0]).await?;
    told_to_come_back_within_an_hour(&limited)?;
    let html = page(&limited, 429)?;
    ensure!(html.contains("typed with care"), "lost: {html}");
    ensure!(html.contains(&visitor.visit), "another visit: {html}");
    ensure!(html.contains("from your network"), "not why: {html}");
    // Who has answered is told so, by whichever way.
    ensure!(feedback(answer(&first, &public, HERE[2], 1).await?)? == stands);
    submit(&first, &public, HERE[2]).await?.expect(303)?;

    // Neither other addresses nor other links are concerned.
    submit(&visitor, &public, ELSEWHERE).await?.expect(303)?;
    let other = owner.link(&form, "", &[]).await?;
    let visitor = Visitor::new(&public, &other)?;
    submit(&visitor, &public, HERE[0]).await?.expect(303)?;
    // All guests may come through a proxy that is not trusted.
    for _ in 0..5 {
        let visitor = Visitor::new(&public, &link)?;
        answer(&visitor, &public, "10.0.0.9", 9)
            .await?
            .expect(201)?;
    }
    let log = app.api()?.process.log()?;
    let warned = log.matches("FEEDBACK_TRUSTED_PROXIES must name it").count();
    ensure!(warned == 1, "warned {warned} times: {log}");
    owner.counted(&link, 9, 9).await
}

#[tokio::test]
async fn a_kiosk_takes_any_number_of_answers_from_its_address() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_ADDRESS_ANSWERS", "1")
        .setting("FEEDBACK_TRUSTED_PROXIES", "127.0.0.0/8")
        .start()
        .await?;
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let members = [("kiosk", "true"), ("name", "Counter")];
    let kiosk = owner.link(&form, "", &members).await?;
    ensure!(
        kiosk["kiosk"] == true && kiosk["name"] == "Counter",
        "{kiosk}"
    );
    let other = owner.link(&form, "", &[]).await?;
    ensure!(
        other["kiosk"] == false && other["name"].is_null(),
        "{other}"
    );
    let public = app.anonymous()?;
    for grade in 0..3 {
        answer(&Visitor::new(&public, &kiosk)?, &public, ELSEWHERE, grade)
            .await?
            .expect(201)?;
    }
    answer(&Visitor::new(&public, &other)?, &public, ELSEWHERE, 9)
        .await?
        .expect(201)?;
    answer(&Visitor::new(&public, &other)?, &public, ELSEWHERE, 9)
        .await?
        .problem(429, "rate_limited")?;
    Ok(())
}
