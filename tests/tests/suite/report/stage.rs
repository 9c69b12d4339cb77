//! A running service of one account, and a hand in its past.

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, Utc};
use domain::answer::Answers;
use domain::link::Token;
use serde_json::{Value, json};
use store::collect::{NewAnswer, NewView, Recorded};
use store::form::PublicLink;
use store::{Store, Workload};
use tests::app::App;
use tests::client::Client;
use tests::report::{Days, Of};
use tests::wait::{SOON, eventually};
use uuid::Uuid;

pub struct Stage {
    pub app: App,
    pub owner: Client,
    store: Store,
}

impl Stage {
    pub async fn open() -> Result<Self> {
        Self::in_zone("UTC").await
    }

    pub async fn in_zone(zone: &str) -> Result<Self> {
        Self::of(App::start().await?, zone).await
    }

    pub async fn of(app: App, zone: &str) -> Result<Self> {
        let keys = app.create_key("shop", &["--time-zone", zone]).await?;
        let owner = app.anonymous()?.with_keys(&keys);
        let store = Store::connect(&app.database(), Workload::Maintenance(2))?;
        Ok(Self { app, owner, store })
    }

    /// The link as the public meets it now.
    pub async fn link(&self, link: &Value) -> Result<PublicLink> {
        let token = link["token"].as_str().context("no token")?;
        let token: Token = token.parse().context("no token")?;
        let link = self.store.stored_link(&token).await?;
        Ok(link.context("the link is not there")?.read()?)
    }

    /// A new visit that saw the link's page then.
    pub async fn seen(&self, link: &Value, at: &str) -> Result<()> {
        self.seen_by(link, Uuid::new_v4(), at).await
    }

    pub async fn seen_by(&self, link: &Value, visit: Uuid, at: &str) -> Result<()> {
        let link = self.link(link).await?;
        let view = NewView::new(&link, visit, moment(at)?);
        self.store.record_views(&[view]).await?;
        Ok(())
    }

    /// A new visit's answers of then: the feedback's id.
    pub async fn answered(&self, link: &Value, at: &str, answers: &Value) -> Result<Uuid> {
        self.answered_by(link, Uuid::new_v4(), at, answers).await
    }

    pub async fn answered_by(
        &self,
        link: &Value,
        visit: Uuid,
        at: &str,
        answers: &Value,
    ) -> Result<Uuid> {
        let given = [(visit, moment(at)?, answers.clone())];
        let ids = self.answered_all(link, &given).await?;
        ids.into_iter().next().context("nothing recorded")
    }

    /// Many at once.
    pub async fn answered_all(
        &self,
        link: &Value,
        given: &[(Uuid, DateTime<Utc>, Value)],
    ) -> Result<Vec<Uuid>> {
        let link = self.link(link).await?;
        let mut new = Vec::with_capacity(given.len());
        for (visit, at, answers) in given {
            let Ok(answers) = Answers::from_json(&link.content, answers) else {
                anyhow::bail!("no answers: {answers}");
            };
            new.push(NewAnswer::new(&link, *visit, *at, &answers));
        }
        let recorded = self.store.record_answers(&new).await?;
        recorded
            .into_iter()
            .map(|recorded| match recorded {
                Recorded::Stored(id) => Ok(id),
                other => anyhow::bail!("not stored: {other:?}"),
            })
            .collect()
    }

    /// The report once it has so many views and responses.
    pub async fn report(
        &self,
        of: Of,
        form: &Value,
        days: Days<'_>,
        bus_prop: &str,
        (views, responses): (i64, i64),
    ) -> Result<Value> {
        eventually(SOON, async || {
            let report = self.owner.report(of, form, days, bus_prop).await?;
            let metrics = &report["metrics"];
            ensure!(
                metrics["views"] == views && metrics["responses"] == responses,
                "not {views} views and {responses} responses: {report}"
            );
            Ok(report)
        })
        .await
    }

    /// The list once its total is this.
    pub async fn list(
        &self,
        of: Of,
        form: &Value,
        days: Days<'_>,
        bus_prop: &str,
        total: i64,
    ) -> Result<Value> {
        eventually(SOON, async || {
            let list = self.owner.report(of, form, days, bus_prop).await?;
            ensure!(list["total"] == total, "not {total}: {list}");
            Ok(list)
        })
        .await
    }

    /// `feedback verify` finds nothing, and says nothing.
    pub async fn verified(&self) -> Result<()> {
        verified(&self.app).await
    }
}

/// `feedback verify` finds nothing, and says nothing.
pub async fn verified(app: &App) -> Result<()> {
    let output = app.cli(&["verify"]).await?;
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && printed.is_empty(),
        "drift: {printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

pub fn moment(text: &str) -> Result<DateTime<Utc>> {
    let moment = DateTime::parse_from_rfc3339(text);
    Ok(moment.with_context(|| text.to_owned())?.to_utc())
}

/// A form of one `nps` and one `comment`, with two business properties.
pub fn small_form(title: &str) -> Value {
    json!({
        "title": title,
        "bus_props": ["store:A", "store:B"],
        "fields": [
            {"key": "score", "type": "nps", "label": "Score?", "required": false},
            {"key": "words", "type": "comment", "label": "Words?", "required": false},
        ],
    })
}
