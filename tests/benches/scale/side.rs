//! One of the two accounts of part `size`, and what is done in it.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::DateTime;
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::bench::year::{Account, LONGEST};
use tests::campaign::{count, on_import};
use tests::check;
use tests::client::{Answer, Client};
use tests::import::{Accepted, IMPORT, JSON, record, segment};
use tests::report::{Of, overview, page};
use tests::visitor::Visitor;
use tests::wait::SOON;

use super::size::Operation;

/// Records of an import, and those of one whose people get a message.
const RECORDS: u32 = 10_000;
const MESSAGES: u32 = 1_000;
/// The first numbers of records that get a message, with their import and as those of an import.
const FIRST_OF_IMPORT: u32 = 50_000_000;
const FIRST_CHOSEN: u32 = 60_000_000;
/// Rows of one INSERT.
const AT_ONCE: u32 = 1_000_000;
const RECIPIENT: &str = "/api_v1/sms/recipient";
/// How exact an end is seen.
const POLL: Duration = Duration::from_millis(10);
/// Items of a page, and of one that is only turned.
const ITEMS: &str = "limit=50";
const TURNED: &str = "limit=1000";
/// What one answer alone came with.
const RARE: &str = "order=0815";

/// What an account has beside its answers.
pub(super) struct Side {
    recipients: u32,
    link: Value,
    /// The page half-way down the answers to the first form.
    deep: String,
    on_import: Value,
}

impl Side {
    pub(super) async fn make(app: &App, account: &Account, recipients: u32) -> Result<Self> {
        fill(app, account, recipients).await?;
        let client = &account.client;
        let form = account.forms.first().context("no form")?;
        let link = client.link(form, "1", &[("track_field", RARE)]).await?;
        let visitor = Visitor::new(client, &link)?;
        visitor.stored(&json!({"recommend": 9})).await?;

        let (from, to) = account.whole();
        let mut deep = Of::Feedbacks.path(form, (&from, &to), "") + "?" + TURNED;
        let pages = account.feedbacks / u32::try_from(account.forms.len())? / 2_000;
        for _ in 0..pages {
            let answer = client.get(&deep).await?.expect(200)?;
            deep = page(&answer)?.1.context("the list ends early")?;
        }
        Ok(Self {
            recipients,
            link,
            deep: deep.replace(TURNED, ITEMS),
            on_import: client.started(|form| on_import(form, "demo")).await?,
        })
    }

    /// How long an operation takes; no other turn of it asks for the same.
    pub(super) async fn took(
        &self,
        account: &Account,
        operation: Operation,
        (round, turn): (u32, u32),
    ) -> Result<Duration> {
        let client = &account.client;
        let form = usize::try_from(turn)? % account.forms.len();
        let form = account.forms.get(form).context("no form")?;
        let from = account.day(i64::from(round % 10));
        let to = account.day(341 + i64::from(turn % 24));
        let of = |of: Of| of.path(form, (&from, &to), "");
        let month = account.day(312 + i64::from(turn % 24));
        let of_month = |of: Of| of.path(form, (&month, &to), "");
        let number = round * 100 + turn;
        let docid = docid(self.place(number));
        let visitor = Visitor::new(client, &self.link)?;

        let start = Instant::now();
        match operation {
            Operation::Import => return self.import(account, number, "created").await,
            Operation::ImportAgain => return self.import(account, number, "unchanged").await,
            Operation::ImportForCampaign => return self.import_for(account, number).await,
            Operation::Campaign => return self.campaign(account, number).await,
            Operation::Imports => get(client, IMPORT).await?,
            Operation::Recipient => client.recipient(&docid).await.and_then(ok)?,
            Operation::Recipients => get(client, RECIPIENT).await?,
            Operation::Overview => get(client, &overview((&from, &to))).await?,
            Operation::Form => get(client, &of(Of::Form)).await?,
            Operation::Summary => get(client, &of(Of::Summary)).await?,
            Operation::Dashboard => {
                let path = format!("/dashboard?from={from}&to={to}");
                account.person.get(&path).await.and_then(ok)?;
            }
            Operation::FirstPage => get(client, &of(Of::Feedbacks)).await?,
            Operation::DeepPage => get(client, &self.deep).await?,
            Operation::Comments => get(client, &of(Of::Comments)).await?,
            Operation::Words => get(client, &(of_month(Of::Comments) + "?q=4711")).await?,
            Operation::TrackField => {
                let only = format!("?track_field={}", segment(RARE));
                get(client, &(of_month(Of::Feedbacks) + &only)).await?;
            }
            Operation::Export => {
                let call = client.call(Method::GET, &of(Of::Feedbacks));
                let mut export = call.header("accept", "text/csv").open().await?;
                export.chunk().await?.context("no line")?;
            }
            Operation::MakeLink => {
                let order = format!("order={number}");
                client.link(form, "1", &[("track_field", &order)]).await?;
            }
            Operation::ReadLink => client.read_link(&self.link).await.map(drop)?,
            Operation::Page => visitor.page().await.and_then(ok)?,
            Operation::Answer => {
                let answers = json!({"recommend": 9, "mood": 4, "more": "It was a pleasure."});
                visitor.stored(&answers).await?;
            }
            Operation::Erase => client.erase(&docid).await?.expect(204).map(drop)?,
        }
        Ok(start.elapsed())
    }

    /// From the beginning of its body to its end, as the service has it.
    async fn import(&self, account: &Account, number: u32, outcome: &str) -> Result<Duration> {
        let body = self.body(number * RECORDS, RECORDS);
        let accepted = Accepted::read(account.client.import_as(JSON, body).await?)?;
        let batch = account.client.completed(&accepted.batch_id, SOON).await?;
        ensure!(
            check::outcome(&batch, outcome)? == u64::from(RECORDS),
            "not all {outcome}: {batch}"
        );
        let time = |member: &str| -> Result<DateTime<chrono::Utc>> {
            let time = batch[member].as_str().context("no time")?;
            Ok(time.parse()?)
        };
        Ok((time("completed_at")? - time("created_at")?).to_std()?)
    }

    /// Until all have their message.
    async fn import_for(&self, account: &Account, number: u32) -> Result<Duration> {
        let client = &account.client;
        let delivered = |campaign: &Value| count(campaign, "first", "delivered");
        let before = delivered(&client.read_campaign(&self.on_import).await?);
        let id = self.on_import["campaign_id"].as_str().context("no id")?;
        let path = format!("{IMPORT}?campaign={id}");
        let body = self.body(FIRST_OF_IMPORT + number * MESSAGES, MESSAGES);
        let start = Instant::now();
        let import = client.call(Method::POST, &path).body(JSON, body);
        import.send().await?.expect(202)?;
        until(client, &self.on_import, |campaign| {
            delivered(campaign) == before + u64::from(MESSAGES)
        })
        .await?;
        Ok(start.elapsed())
    }

    /// From its start.
    async fn campaign(&self, account: &Account, number: u32) -> Result<Duration> {
        let client = &account.client;
        let body = self.body(FIRST_CHOSEN + number * MESSAGES, MESSAGES);
        let accepted = Accepted::read(client.import_as(JSON, body).await?)?;
        client.completed(&accepted.batch_id, SOON).await?;
        let audience = json!({"batch_ids": [accepted.batch_id]});
        let campaign = client.campaign(|form| {
            let mut campaign = on_import(form, "demo");
            campaign["audience"] = audience;
            campaign
        });
        let campaign = campaign.await?;
        let start = Instant::now();
        client.act(&campaign, "start").await?.expect(200)?;
        until(client, &campaign, |campaign| {
            campaign["status"] == "FINISHED"
        })
        .await?;
        Ok(start.elapsed())
    }

    /// New records between all that are stored, numbered from `first` on.
    fn body(&self, first: u32, records: u32) -> String {
        let mut body = String::from("[");
        for number in first..first + records {
            let comma = if number == first { "" } else { "," };
            let (docid, store) = (docid(self.place(number)), number % 997);
            // Writing to a string cannot fail.
            let _ = write!(
                body,
                r#"{comma}{{"docid":"{docid}-{number}","phone":"+49152{number:08}","store_code":"S{store:03}","campaign":"spr-01"}}"#,
            );
        }
        body.push(']');
        body
    }

    /// One of the stored recipients, another for each of the next numbers and far from theirs.
    fn place(&self, number: u32) -> u32 {
        number.wrapping_mul(2_654_435_761) % self.recipients
    }
}

fn docid(number: u32) -> String {
    format!("order-{number:08}")
}

fn ok(answer: Answer) -> Result<()> {
    answer.expect(200).map(drop)
}

async fn get(client: &Client, path: &str) -> Result<()> {
    client.get(path).await.and_then(ok)
}

async fn until(
    client: &Client,
    campaign: &Value,
    condition: impl Fn(&Value) -> bool,
) -> Result<()> {
    let start = Instant::now();
    loop {
        let now = client.read_campaign(campaign).await?;
        if condition(&now) {
            return Ok(());
        }
        ensure!(start.elapsed() < LONGEST, "not yet: {now}");
        tokio::time::sleep(POLL).await;
    }
}

/// Recipients in the order of their docids, so that the index grows at its end, each as one that was imported, created on each day of
/// a year.
async fn fill(app: &App, account: &Account, recipients: u32) -> Result<()> {
    let (client, account_id) = (&account.client, &account.account_id);
    client.import_and_wait(&[record("first")], SOON).await?;
    for from in (0..recipients).step_by(usize::try_from(AT_ONCE)?) {
        let to = recipients.min(from + AT_ONCE) - 1;
        let insert = format!(
            r#"SET synchronous_commit = off;
INSERT INTO recipient (account_id, docid, phone, fields, batch_id, seq, created_at, updated_at, created_day)
SELECT account_id, 'order-' || lpad(n::text, 8, '0'), '+49151' || lpad(n::text, 8, '0'),
       ('{{"store_code": "S' || lpad((n % 997)::text, 3, '0') || '", "campaign": "spr-01"}}')::jsonb,
       batch_id, seq, created_at - n % 365 * interval '1 day', updated_at, created_day - n % 365
  FROM recipient, generate_series({from}, {to}) n WHERE account_id = '{account_id}' AND docid = 'first'"#
        );
        app.backends().sql_within(LONGEST, &insert).await?;
    }
    let count = format!(
        "INSERT INTO recipient_rollup AS r (account_id, day, recipients)
         SELECT account_id, created_day, count(*) FROM recipient WHERE account_id = '{account_id}' AND docid <> 'first'
          GROUP BY account_id, created_day
         ON CONFLICT (account_id, day) DO UPDATE SET recipients = r.recipients + excluded.recipients"
    );
    app.backends().sql_within(LONGEST, &count).await?;
    Ok(())
}
