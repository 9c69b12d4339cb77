//! One address cannot decide how many have seen a form, with which reports compare the answers.

use anyhow::Result;
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::form::form;
use tests::import::JSON;
use tests::visitor::Visitor;

/// Addresses of one household.
const HERE: [&str; 2] = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::2"];
const ELSEWHERE: &str = "2001:db8:1:3::1";

/// What a new visit sends when somebody sees the link's page, through a proxy that says where they are.
async fn view(public: &Client, link: &Value, from: &str) -> Result<Visitor> {
    let visitor = Visitor::new(public, link)?;
    let call = public.call(Method::POST, &format!("{}/view", visitor.path()));
    let call = call.header("x-forwarded-for", from);
    let body = json!({"visit": visitor.visit});
    call.body(JSON, body.to_string())
        .send()
        .await?
        .expect(204)?;
    Ok(visitor)
}

#[tokio::test]
async fn of_an_address_ten_views_count_for_each_answer_that_it_may_give() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_ADDRESS_ANSWERS", "1")
        .setting("FEEDBACK_TRUSTED_PROXIES", "127.0.0.0/8")
        .start()
        .await?;
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let link = owner.link(&form, "", &[]).await?;
    let kiosk = owner.link(&form, "", &[("kiosk", "true")]).await?;
    let public = app.anonymous()?;
    for _ in 0..6 {
        for from in HERE {
            view(&public, &link, from).await?;
            view(&public, &kiosk, from).await?;
        }
    }
    owner.counted(&link, 10, 0).await?;
    // Neither other addresses nor answers are concerned.
    view(&public, &link, ELSEWHERE).await?;
    let visitor = view(&public, &link, HERE[0]).await?;
    let call = public.call(Method::POST, &visitor.path());
    let call = call.header("x-forwarded-for", HERE[0]);
    let body = json!({"visit": visitor.visit, "answers": {"recommend": 9}});
    call.body(JSON, body.to_string())
        .send()
        .await?
        .expect(201)?;
    // Whoever answers has seen the form.
    owner.counted(&link, 12, 1).await?;
    owner.counted(&kiosk, 12, 0).await
}
