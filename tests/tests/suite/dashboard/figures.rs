//! Every number of answers or messages on a page leads to exactly these.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::count;
use tests::client::Client;
use tests::form::form;
use tests::import::records;
use tests::person::Person;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};
use uuid::Uuid;

/// Numbers without order, the same for the same seed.
struct Dice(u64);

impl Dice {
    /// Below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % sides
    }

    /// Answers to [`form`].
    fn answers(&mut self) -> Value {
        let mut answers = json!({"recommend": self.roll(11)});
        let mut maybe = |key: &str, value: Value| {
            if !value.is_null() {
                answers[key] = value;
            }
        };
        let options = [
            json!(["a"]),
            json!(["b", "c"]),
            json!(["a", "b", "c"]),
            Value::Null,
        ];
        maybe("mood", json!((self.roll(3) > 0).then(|| self.roll(5) + 1)));
        maybe("clean", json!((self.roll(2) > 0).then(|| self.roll(5) + 1)));
        maybe(
            "reason",
            [json!("buy"), json!("look"), Value::Null][self.roll(3)].clone(),
        );
        maybe("seen", options[self.roll(4)].clone());
        maybe(
            "more",
            json!((self.roll(2) > 0).then_some("Cold & “slow”.")),
        );
        answers
    }
}

/// The links of a page to lists, with the numbers that they stand on.
fn figures(page: &str) -> Vec<(String, String)> {
    let links = page.split("<a href=\"").skip(1).filter_map(|rest| {
        let (href, rest) = rest.split_once('"')?;
        let text = rest.strip_prefix('>')?.split_once("</a>")?.0;
        let number: String = text
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == ',')
            .collect();
        let leads =
            href.starts_with("/dashboard/answers?") || href.starts_with("/dashboard/messages?");
        (leads && !number.is_empty()).then(|| (href.replace("&#38;", "&"), number))
    });
    links.collect()
}

/// What a list says of its length.
fn length(page: &str) -> Option<&str> {
    let text = match page.split_once("<h2 id=\"found\">") {
        Some((_, rest)) => rest,
        None => page
            .split('>')
            .find(|part| part.ends_with(" messages</p") || part.ends_with(" message</p"))?,
    };
    text.split(' ').next()
}

/// Follows each number of some pages, and says how many there were.
async fn follow(person: &Person, paths: &[String]) -> Result<usize> {
    let mut seen = BTreeSet::new();
    for path in paths {
        let page = person.get(path).await?.expect(200)?;
        let found = figures(page.text()?);
        ensure!(!found.is_empty(), "{path} leads nowhere: {page:?}");
        for (href, number) in found {
            if seen.insert((href.clone(), number.clone())) {
                let list = person.get(&href).await?.expect(200)?;
                let length = length(list.text()?);
                ensure!(
                    length == Some(&*number),
                    "{path}: {number} leads to {length:?}, {href}"
                );
            }
        }
    }
    Ok(seen.len())
}

/// An account with a second form, and a campaign whose messages are all sent.
async fn company(owner: &Client, visitors: &Client, dice: &mut Dice) -> Result<(Value, Value)> {
    let campaign = owner.running("demo", &records("order", 12, "1")).await?;
    let all_sent =
        |now: &Value| count(now, "first", "delivered") + count(now, "first", "undelivered") == 12;
    owner.until(&campaign, all_sent).await?;
    let form = owner.published(&form()).await?;
    for ids in ["1_3", "2", ""] {
        let link = owner.link(&form, ids, &[]).await?;
        for _ in 0..4 + dice.roll(20) {
            Visitor::new(visitors, &link)?
                .stored(&dice.answers())
                .await?;
        }
    }
    let links = format!(
        "/api_v1/form/{}/link",
        campaign["form_id"].as_str().unwrap_or_default()
    );
    let links = owner.get(&links).await?.expect(200)?.json()?;
    for place in 0..=dice.roll(5) {
        let visitor = Visitor::new(visitors, &links["items"][place])?;
        visitor.stored(&json!({"mood": dice.roll(5) + 1})).await?;
    }
    Ok((form, campaign))
}

#[tokio::test]
async fn every_figure_leads_to_exactly_what_it_counts() -> Result<()> {
    let seed = u64::from_le_bytes(Uuid::new_v4().as_bytes()[..8].try_into()?);
    let mut dice = Dice(seed);
    let senders = "demo=demo:?delay=10ms&failures=20&rate=100000&window=200";
    let app = App::setup()
        .setting("FEEDBACK_SENDERS", senders)
        .start()
        .await?;
    let owner = app.client_of("shop").await?;
    let (form, campaign) = company(&owner, &app.anonymous()?, &mut dice).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let id =
        |value: &Value, name: &str| value[name].as_str().map(ToOwned::to_owned).context("no id");
    let (form_id, campaign_id) = (id(&form, "form_id")?, id(&campaign, "campaign_id")?);
    let days = [-1, 1].map(|days| (Utc::now() + TimeDelta::days(days)).date_naive());
    let range = format!("from={}&to={}", days[0], days[1]);
    let paths = [
        format!("/dashboard?{range}"),
        format!("/dashboard/form/{form_id}?{range}"),
        format!("/dashboard/form/{form_id}?{range}&bus_prop=store%3ABerlin"),
        format!("/dashboard/stores?{range}&form={form_id}"),
        format!("/dashboard/campaigns/{campaign_id}"),
        "/dashboard/campaigns".to_owned(),
    ];
    // Until all is counted, numbers and lists are of different moments.
    let followed = eventually(SOON, async || follow(&person, &paths).await);
    let followed = followed.await.with_context(|| format!("seed {seed}"))?;
    ensure!(followed > 40, "{followed} figures, seed {seed}");
    // The API counts the same.
    let list = format!("/api_v1/report/feedbacks/{}/{}/{form_id}", days[0], days[1]);
    for filter in [
        "answer=seen=b",
        "answer=seen&answer=reason=buy",
        "answer=clean=3",
        "nps=0-6",
    ] {
        let all = owner
            .get(&format!("{list}?{filter}"))
            .await?
            .expect(200)?
            .json()?;
        let items = all["items"].as_array().context("no items")?;
        ensure!(all["total"] == items.len(), "{filter}: {all}");
    }
    for wrong in [
        "answer=seen=d",
        "answer=none",
        "answer=clean=6",
        "answer=more=x",
        "answer=",
    ] {
        let refused = owner.get(&format!("{list}?{wrong}")).await?;
        refused.problem(400, "invalid_parameter")?;
    }
    Ok(())
}

#[tokio::test]
async fn days_and_filters_stay_while_one_moves_about() -> Result<()> {
    let app = App::start().await?;
    let (_, form) = super::pages::answered(&app).await?;
    let person = app.person("ada", "shop", "viewer").await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let shown = "range=last-month&compare=year&bus_prop=store%3ABerlin";
    let path = format!("/dashboard/form/{form_id}?{shown}");
    let page = person.get(&path).await?.expect(200)?;
    let kept = format!("{shown}&form={form_id}");
    let kept_html = kept.replace('&', "&#38;");
    for path in ["/dashboard", "/dashboard/answers"] {
        let link = format!("href=\"{path}?{kept_html}\"");
        ensure!(page.text()?.contains(&link), "no {link}: {page:?}");
    }
    // A chip keeps what else the list is narrowed to.
    let narrowed = format!("/dashboard/answers?form={form_id}&show=all&nps=0-6&days=7");
    let list = person.get(&narrowed).await?.expect(200)?;
    ensure!(
        list.text()?.contains("nps=0-6&#38;bus_prop=store%3ABerlin"),
        "{list:?}"
    );
    // What is no range is said on the page, and stays in its fields.
    let turned = person
        .get("/dashboard?from=2026-03-02&to=2026-03-01")
        .await?
        .expect(400)?;
    for text in [
        "“From” is after “To”",
        "value=\"2026-03-02\"",
        "href=\"/dashboard/answers",
    ] {
        ensure!(turned.text()?.contains(text), "no {text}: {turned:?}");
    }
    Ok(())
}
