//! The tables on several nodes. `tests/citus` runs this: no other run of the tests has Citus.

mod citus_only {
    use anyhow::{Context, Result, ensure};
    use chrono::{TimeDelta, Utc};
    use serde_json::{Value, json};
    use tests::app::{App, Backends, Program};
    use tests::campaign::{count, on_import};
    use tests::client::Client;
    use tests::form::form;
    use tests::import::{Accepted, records};
    use tests::report::overview;
    use tests::servers::{Citus, Durability, Endpoints};
    use tests::visitor::Visitor;
    use tests::wait::{LATER, SOON, eventually};

    const ACCOUNTS: usize = 8;

    /// What a campaign is sent to at a time.
    const RECIPIENTS: usize = 3;

    /// An account with a link, a campaign that sends to whom is imported for it, and the port of its node.
    struct Account {
        client: Client,
        link: Value,
        campaign: Value,
        port: String,
    }

    impl Account {
        async fn new(app: &App, name: &str) -> Result<Self> {
            let keys = app.create_key(name, &[]).await?;
            let client = app.anonymous()?.with_keys(&keys);
            let form = client.published(&form()).await?;
            let link = client.link(&form, "", &[]).await?;
            let port = format!(
                "SELECT nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
                  WHERE shardid = get_shard_id_for_distribution_column('form', '{}')",
                keys.account_id
            );
            let port = app.sql(&port).await?;
            let campaign = client.started(|form| on_import(form, "demo")).await?;
            Ok(Self {
                client,
                link,
                campaign,
                port,
            })
        }

        /// Does what people wait for.
        async fn is_served(&self, app: &App) -> Result<()> {
            let visitor = Visitor::new(&app.anonymous()?, &self.link)?;
            visitor.stored(&json!({"recommend": 9, "mood": 4})).await?;
            let report = overview(("2026-01-01", "2026-01-31"));
            self.client.get(&report).await?.expect(200)?;
            self.client.import(&records("A", 10, "v")).await.map(drop)
        }

        /// Waits for what workers do: an import is stored, its messages are sent, and answers are in the reports.
        async fn is_worked_for(&self, answers: u64, sent: usize) -> Result<()> {
            let all = records("B", sent, "v");
            let new = &all[sent - RECIPIENTS..];
            let batch = self.client.import_for(&self.campaign, new).await?;
            let batch = Accepted::read(batch.expect(202)?)?;
            self.client.completed(&batch.batch_id, LATER).await?;
            let sent = sent as u64;
            let is_sent = |now: &Value| count(now, "first", "delivered") == sent;
            self.client.until(&self.campaign, is_sent).await?;
            let today = Utc::now().date_naive();
            let days = [today - TimeDelta::days(1), today + TimeDelta::days(1)];
            let days = days.map(|day| day.to_string());
            let report = overview((&days[0], &days[1]));
            eventually(LATER, async || {
                let report: Value = self.client.get(&report).await?.expect(200)?.json()?;
                let found = &report["metrics"]["responses"];
                ensure!(*found == answers, "{found} and not {answers} answers");
                Ok(())
            })
            .await
        }
    }

    #[tokio::test]
    async fn a_node_that_is_away_takes_nothing_from_accounts_on_others() -> Result<()> {
        let mut citus = Citus::start(Durability::Fast, &Program::path()?).await?;
        let mut nodes = citus.urls("postgres").into_iter();
        let endpoints = Endpoints {
            database: nodes.next().context("no coordinator")?,
            nodes: nodes.collect(),
            ..Endpoints::from_environment()?
        };
        let sender = "demo=demo:?delay=10ms&failures=0&rate=100000&window=200";
        let app = App::setup()
            .setting("FEEDBACK_SENDERS", sender)
            .on(Backends::on(&endpoints).await?)
            .start()
            .await?;
        let mut accounts = Vec::new();
        for n in 0..ACCOUNTS {
            accounts.push(Account::new(&app, &format!("account {n}")).await?);
        }
        let killed = accounts[0].port.clone();
        let [here, there] = [true, false].map(|wanted| {
            let all = accounts.iter();
            let found = all.filter(|account| (account.port == killed) == wanted);
            found.collect::<Vec<_>>()
        });
        ensure!(!there.is_empty(), "all accounts are on one node");
        let n = citus
            .urls("postgres")
            .iter()
            .position(|url| url.contains(&killed));
        let node = n.and_then(|n| citus.node(n)).context("no such node")?;

        for account in &accounts {
            account.is_worked_for(0, RECIPIENTS).await?;
        }
        node.kill()?;
        for account in &there {
            account.is_served(&app).await?;
            account.is_worked_for(1, 2 * RECIPIENTS).await?;
        }
        for account in &here {
            let report = overview(("2026-01-01", "2026-01-31"));
            let status = account.client.get(&report).await?.status;
            ensure!(status == 503, "{status} for an account of the node");
        }
        let ready = app.anonymous()?.get("/health/ready").await?.expect(200)?;
        ensure!(ready.text()?.contains(&killed), "{:?}", ready.text());
        node.start_again().await?;
        for account in &here {
            eventually(SOON, async || account.is_served(&app).await).await?;
            account.is_worked_for(1, 2 * RECIPIENTS).await?;
        }

        // One that stands still gives no answer either, and takes longer to be known.
        node.freeze()?;
        for account in &there {
            eventually(SOON, async || account.is_served(&app).await).await?;
            account.is_worked_for(2, 3 * RECIPIENTS).await?;
        }
        node.thaw()?;
        for account in &here {
            eventually(SOON, async || account.is_served(&app).await).await?;
            account.is_worked_for(2, 3 * RECIPIENTS).await?;
        }
        app.succeeds(&["verify"]).await.map(drop)
    }
}
