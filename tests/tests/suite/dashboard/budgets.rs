//! What people see of costs and budgets.

use anyhow::{Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::{App, Setup};
use tests::campaign::{campaign_path, on_import};
use tests::import::records;
use tests::person::Person;
use tests::wait::{LATER, eventually};

use super::editors::editor;

const USAGE: &str = "/dashboard/usage";
const BUDGET: &str = "/dashboard/usage/budget";

fn with_price() -> Setup {
    let sender = "demo=demo:?delay=10ms&failures=0&rate=100000&window=20&price=0.05EUR";
    App::setup().setting("FEEDBACK_SENDERS", sender)
}

/// A page has all of these texts.
async fn shows(person: &Person, path: &str, parts: &[&str]) -> Result<()> {
    let page = person.get(path).await?.expect(200)?;
    let page = page.text()?;
    for part in parts {
        ensure!(page.contains(part), "no {part} on {path}: {page}");
    }
    Ok(())
}

#[tokio::test]
async fn a_month_s_budget_is_set_and_every_page_tells_that_it_ends() -> Result<()> {
    let app = with_price().start().await?;
    let (owner, person) = editor(&app).await?;
    shows(
        &person,
        "/dashboard/senders",
        &["href=\"/dashboard/usage\""],
    )
    .await?;
    shows(
        &person,
        USAGE,
        &["There is no budget", "Nothing was sent yet."],
    )
    .await?;
    let typed = |amount| [("amount", amount), ("currency", "EUR")];
    let wrong = person.post(BUDGET, &typed("much")).await?.expect(200)?;
    for part in ["Enter an amount such as 500", "value=\"much\""] {
        ensure!(wrong.text()?.contains(part), "no {part}: {wrong:?}");
    }
    person.post(BUDGET, &typed("0,5")).await?.expect(303)?;
    let setting = owner
        .get("/api_v1/sms/setting")
        .await?
        .expect(200)?
        .json()?;
    let budget = json!({"amount": 0.5, "currency": "EUR"});
    ensure!(setting["month_budget"] == budget, "{setting}");

    let campaign = owner.running("demo", &records("A", 12, "1")).await?;
    owner.until_first(&campaign, "delivered", 10).await?;
    let spent = "100% of this month’s SMS budget is spent (0.50 EUR / 0.50 EUR).";
    shows(&person, USAGE, &[spent, "By month", "By sender", "DE"]).await?;
    let id = campaign["campaign_id"].as_str().unwrap_or_default();
    let page = format!("/dashboard/campaigns/{id}");
    shows(
        &person,
        &page,
        &["2 wait because the month’s budget is used up"],
    )
    .await?;
    eventually(LATER, async || shows(&person, "/dashboard", &[spent]).await).await?;
    // Without one everything goes.
    person.post(BUDGET, &typed("")).await?.expect(303)?;
    owner.until_first(&campaign, "delivered", 12).await?;
    shows(&person, USAGE, &["There is no budget", "0.60 EUR"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_campaign_s_budget_is_typed_in_its_editor_and_its_page_warns() -> Result<()> {
    let app = with_price().start().await?;
    let (owner, person) = editor(&app).await?;
    let campaign = owner
        .started(|form| {
            let mut campaign = on_import(form, "demo");
            campaign["budget"] = json!({"amount": 0.25, "currency": "EUR"});
            campaign
        })
        .await?;
    let records = records("A", 4, "1");
    owner.import_for(&campaign, &records).await?.expect(202)?;
    owner.until_first(&campaign, "delivered", 4).await?;
    let id = campaign["campaign_id"].as_str().unwrap_or_default();
    let page = format!("/dashboard/campaigns/{id}");
    let warning = "80% of the campaign’s budget is spent (0.20 EUR / 0.25 EUR).";
    shows(&person, &page, &[warning]).await?;
    let edit = format!("{page}/edit");
    shows(&person, &edit, &["name=\"budget\"", "value=\"0.25\""]).await?;

    let mut raised = owner.read_campaign(&campaign).await?;
    raised["budget"]["amount"] = json!(5);
    let path = campaign_path(&campaign);
    let changed = owner.send_json(Method::PUT, &path, &raised).await?;
    changed.expect(200)?;
    eventually(LATER, async || {
        let after = person.get(&page).await?.expect(200)?;
        let after = after.text()?;
        ensure!(!after.contains("budget is spent"), "{after}");
        ensure!(after.contains("5.00 EUR"), "{after}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_preview_tells_that_a_campaign_costs_more_than_is_left() -> Result<()> {
    let app = with_price().start().await?;
    let (owner, person) = editor(&app).await?;
    let form = owner.published(&tests::form::short_form("T")).await?;
    let batch = owner.import_and_wait(&records("A", 3, "1"), LATER).await?;
    let month = [("amount", "0.10"), ("currency", "EUR")];
    person.post(BUDGET, &month).await?.expect(303)?;
    let of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (form_id, batch_id) = (of(&form["form_id"]), of(&batch["batch_id"]));
    let fields = |budget| {
        [
            ("name", "After the visit"),
            ("form_id", &*form_id),
            ("sender", "demo"),
            ("text", "How was it? {link}"),
            ("audience", &*batch_id),
            ("budget", budget),
            ("budget_currency", "EUR"),
        ]
    };
    let own = "more than the budget of the campaign (0.15 EUR / 0.12 EUR).";
    let of_month = "more than what is left of this month’s budget (0.15 EUR / 0.10 EUR).";
    let preview = "/dashboard/campaigns/preview";
    let drawn = person.post(preview, &fields("0.15")).await?.expect(200)?;
    let drawn = drawn.text()?;
    ensure!(drawn.contains(of_month), "{drawn}");
    ensure!(!drawn.contains("the budget of the campaign"), "{drawn}");
    // The question before the start says it too.
    let new = "/dashboard/campaigns/new";
    let made = person.post(new, &fields("0.12")).await?.expect(303)?;
    let edit = made.header("location").unwrap_or_default();
    let page = person.get(edit).await?.expect(200)?;
    for part in [own, of_month] {
        ensure!(page.text()?.matches(part).count() == 2, "{part}: {page:?}");
    }
    Ok(())
}

#[tokio::test]
async fn whoever_may_not_edit_sees_costs_and_changes_no_budget() -> Result<()> {
    let app = with_price().start().await?;
    app.client_of("shop").await?;
    let viewer = app.person("eve", "shop", "viewer").await?;
    let page = viewer.get(USAGE).await?.expect(200)?;
    ensure!(!page.text()?.contains("name=\"amount\""), "{page:?}");
    let typed = [("amount", "5"), ("currency", "EUR")];
    viewer.post(BUDGET, &typed).await?.expect(403)?;
    Ok(())
}
