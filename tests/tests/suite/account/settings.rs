//! Settings of an account that two people save at once.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::form::{PAIRS, pairs};
use tests::person::Person;

/// How often they do.
const ROUNDS: u32 = 20;

/// Somebody who is signed in, and what pages send with their changes.
struct Editor {
    person: Person,
    token: String,
    origin: String,
}

impl Editor {
    async fn new(app: &App, name: &str, role: &str) -> Result<Self> {
        let person = app.person(name, "shop", role).await?;
        Ok(Self {
            token: person.token().await?,
            person,
            origin: app.anonymous()?.base().to_owned(),
        })
    }

    /// Saves a form of a page in one request, so that two of them meet.
    async fn save(&self, path: &str, fields: &[(&str, &str)]) -> Result<()> {
        let fields = [&[("token", self.token.as_str())], fields].concat();
        let call = self.person.call(Method::POST, path);
        let call = call.header("origin", &self.origin);
        let answer = call.body(PAIRS, pairs(&fields)).send().await?;
        answer.expect(303).map(drop)
    }
}

#[tokio::test]
async fn a_budget_and_a_gap_that_are_saved_at_once_are_both_kept_and_logged() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let ada = Editor::new(&app, "ada", "admin").await?;
    let ben = Editor::new(&app, "ben", "editor").await?;
    let mut stored = Value::Null;
    for round in 1..=ROUNDS {
        let typed = round.to_string();
        let gap = [("days", typed.as_str())];
        let budget = [("amount", typed.as_str()), ("currency", "EUR")];
        futures::try_join!(
            ada.save("/dashboard/suppressions/gap", &gap),
            ben.save("/dashboard/usage/budget", &budget),
        )?;
        let setting = owner.get("/api_v1/sms/setting").await?;
        stored = setting.expect(200)?.json()?;
        let budget = json!({"amount": f64::from(round), "currency": "EUR"});
        ensure!(
            stored["min_gap_days"] == round && stored["month_budget"] == budget,
            "round {round}: {stored}"
        );
    }
    let log = owner.get("/api_v1/audit?kind=setting&limit=1000").await?;
    let log = log.expect(200)?.json()?;
    let rows = log["items"].as_array().context("no items")?;
    for member in ["/min_gap_days", "/month_budget/amount"] {
        let changes = rows.iter().filter_map(|row| row["changes"].as_array());
        let changes = changes.flatten().filter(|one| one["member"] == member);
        // The newest first: each begins with what the one before it came to.
        let changes: Vec<&Value> = changes.collect();
        let newest = changes.first().context("nothing was logged")?;
        ensure!(stored.pointer(member) == Some(&newest["after"]), "{log}");
        let follow = |pair: &[&Value]| pair[0]["before"] == pair[1]["after"];
        ensure!(changes.windows(2).all(follow), "{member}: {log}");
    }
    Ok(())
}

#[tokio::test]
async fn a_company_s_name_takes_back_no_colour_that_is_saved_at_once() -> Result<()> {
    let app = App::start().await?;
    let owner = app.client_of("shop").await?;
    let ada = Editor::new(&app, "ada", "admin").await?;
    let ben = Editor::new(&app, "ben", "editor").await?;
    for round in 1..=ROUNDS {
        let (name, color) = (format!("Shop {round}"), format!("#{round:06x}"));
        let company = [("company", name.as_str())];
        let look = [("name", "Acme"), ("color", color.as_str())];
        futures::try_join!(
            ada.save("/dashboard/company", &company),
            ben.save("/dashboard/branding", &look),
        )?;
        let stored = owner.get("/api_v1/account").await?.expect(200)?.json()?;
        let is_named = stored["name"] == name || stored["name"] == "Acme";
        ensure!(is_named && stored["color"] == color, "{round}: {stored}");
    }
    Ok(())
}
