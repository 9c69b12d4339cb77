//! What is reported on: the accounts, their forms, and as many feedbacks as no API would take in a bench's time.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::{NaiveDate, TimeDelta, Utc};
use serde_json::Value;
use tests::app::App;
use tests::app::{Backends, ServerLease};
use tests::bench::frame::{settle, unlimited};
use tests::bench::settings::Settings;
use tests::client::Client;
use tests::person::Person;
use tests::report::Of;
use tests::servers::{Account as Folder, Endpoints, flush_redis, psql_within};

/// Forms of an account.
pub(super) const FORMS: u32 = 20;
const DAYS: i64 = 365;
/// What each of a form's links names, in turn.
const LINKS: [&str; 4] = ["", "1", "2", "1_3"];
/// The business properties of [`tests::form::form`], and the whole.
pub(super) const BUS_PROPS: [&str; 4] = ["", "store:Berlin", "store:Hamburg", "channel:sms"];
/// Rows of one INSERT.
const AT_ONCE: u32 = 500_000;
/// Longer than anything takes that does not hang.
pub(super) const LONGEST: Duration = Duration::from_mins(30);

/// The service, and two accounts which differ only in how much was answered; a third is for what warms up.
#[derive(Debug)]
pub(super) struct Data {
    pub(super) app: App,
    pub(super) large: Account,
    pub(super) small: Account,
    pub(super) warm: Account,
    /// For scripts of `wrk`.
    pub(super) folder: tempfile::TempDir,
    redis: String,
}

/// An account with feedbacks spread evenly over its forms and days.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) client: Client,
    /// Somebody who is signed in to its dashboard.
    pub(super) person: Person,
    pub(super) forms: Vec<Value>,
    pub(super) feedbacks: u32,
    /// The first day with feedbacks; the last is yesterday.
    pub(super) first: NaiveDate,
}

impl Account {
    /// The day so many days after the first.
    pub(super) fn day(&self, days: i64) -> String {
        (self.first + TimeDelta::days(days)).to_string()
    }

    /// The first and the last day with feedbacks.
    pub(super) fn whole(&self) -> (String, String) {
        (self.day(0), self.day(DAYS - 1))
    }
}

impl Data {
    pub(super) async fn make(settings: &Settings, endpoints: &Endpoints) -> Result<Self> {
        let backends = Backends::on(endpoints).await?;
        let app = unlimited(
            App::setup()
                .workers(2)
                .on(backends)
                .setting("FEEDBACK_LINK_RATE", "0"),
        )
        .await?;
        let start = Instant::now();
        let large = fill(&app, settings.feedbacks).await?;
        let small = fill(&app, settings.feedbacks / 100).await?;
        let warm = fill(&app, 1_000).await?;
        let filled = start.elapsed();
        let database = &lease(&app)?.database;
        for table in ["feedback", "visit", "visit_view"] {
            psql_within(LONGEST, database, &format!("VACUUM ANALYZE {table}")).await?;
        }
        let start = Instant::now();
        let rebuilt = app.cli_within(LONGEST, &["rebuild"], &[]).await?;
        ensure!(rebuilt.status.success(), "rebuild: {rebuilt:?}");
        eprintln!(
            "{} feedbacks stored in {:.0} s, all rebuilt in {:.1} s",
            settings.feedbacks,
            filled.as_secs_f64(),
            start.elapsed().as_secs_f64()
        );
        for account in [&large, &small, &warm] {
            let (from, to) = account.whole();
            let overview = account.client.overview((&from, &to)).await?;
            let responses = &overview["metrics"]["responses"];
            ensure!(*responses == account.feedbacks, "only {responses} counted");
        }
        Ok(Self {
            folder: Folder::folder(None, "report")?,
            redis: lease(&app)?.redis.clone(),
            app,
            large,
            small,
            warm,
        })
    }

    /// The api starts with nothing in its memory, nor is there anything in Redis. Whatever a first request pays that is
    /// not of its report, reports of the third account have paid then.
    pub(super) async fn forget(&mut self) -> Result<()> {
        let api = self.app.api()?;
        api.stop().await?;
        flush_redis(&self.redis).await?;
        api.start_again().await?;
        api.process.hide_log();
        let (from, to) = self.warm.whole();
        for _ in 0..3 {
            self.warm.client.overview((&from, &to)).await?;
            for form in &self.warm.forms {
                for of in [Of::Form, Of::Summary] {
                    self.warm.client.report(of, form, (&from, &to), "").await?;
                }
            }
        }
        Ok(())
    }

    /// Runs a statement of many rows.
    pub(super) async fn sql(&self, statement: &str) -> Result<String> {
        psql_within(LONGEST, &lease(&self.app)?.database, statement).await
    }
}

fn lease(app: &App) -> Result<&ServerLease> {
    match app.backends() {
        Backends::Servers(lease) => Ok(lease),
        Backends::Embedded => anyhow::bail!("no servers"),
    }
}

async fn fill(app: &App, feedbacks: u32) -> Result<Account> {
    let name = format!("account-{feedbacks}");
    let keys = app.create_key(&name, &[]).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let person = app.person(&name, &name, "viewer").await?;
    let first = Utc::now().date_naive() - TimeDelta::days(DAYS);
    let each = feedbacks / FORMS;
    let mut forms = Vec::new();
    for _ in 0..FORMS {
        let form = client.published(&tests::form::form()).await?;
        let mut links = Vec::new();
        for ids in LINKS {
            let order = [("track_field", "order=4711")];
            let link = client.link(&form, ids, &order).await?;
            let token = link["token"].as_str().context("no token")?;
            let id = format!("SELECT link_id FROM link WHERE token = '{token}'");
            links.push(app.backends().sql(&id).await?);
        }
        let form_id = form["form_id"].as_str().context("no form_id")?;
        let account = format!("SELECT account_id FROM form WHERE form_id = '{form_id}'");
        let account = app.backends().sql(&account).await?;
        for from in (0..each).step_by(usize::try_from(AT_ONCE)?) {
            let to = each.min(from + AT_ONCE) - 1;
            let insert = insert(&account, form_id, &links, first, each, (from, to));
            psql_within(LONGEST, &lease(app)?.database, &insert).await?;
        }
        forms.push(form);
    }
    settle(app).await?;
    Ok(Account {
        client,
        person,
        forms,
        feedbacks: each * FORMS,
        first,
    })
}

/// Feedbacks in the order of their ids, so that the index grows at its end; each is a visit of its own, which has its id.
fn insert(
    account: &str,
    form: &str,
    links: &[String],
    first: NaiveDate,
    each: u32,
    (from, to): (u32, u32),
) -> String {
    let step = DAYS * 86_400_000_000 / i64::from(each);
    let (links, ids) = (links.join("','"), LINKS.join("','"));
    format!(
        r#"SET synchronous_commit = off;
WITH made AS (
    SELECT n, (n::bigint * 7919 + n / 13) % 1000 AS r,
           timestamptz '{first}T00:00:00Z' + n * interval '{step} microseconds' AS at
      FROM generate_series({from}, {to}) AS n
), stored AS (
    INSERT INTO feedback (account_id, form_id, feedback_id, link_id, day, submitted_at, bus_prop_ids, track_fields,
                          answers, nps, happiness, has_comment)
    SELECT '{account}', '{form}',
           (lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0')
            || '8' || lpad(to_hex(n / 4096), 15, '0'))::uuid,
           (ARRAY['{links}']::uuid[])[1 + n % 4], (at AT TIME ZONE 'UTC')::date, at,
           (ARRAY['{ids}'])[1 + n % 4], '{{"order": "4711"}}',
           ('{{"recommend": ' || r % 11 || ', "mood": ' || 1 + r % 5 || ', "clean": ' || 1 + r / 10 % 5
            || ', "reason": "' || (ARRAY['buy', 'look'])[1 + r % 2] || '", "seen": ["a", "b"]'
            || CASE WHEN r % 3 = 0 THEN ', "more": "It was a pleasure, thank you, says number ' || n || '."' ELSE '' END
            || '}}')::jsonb,
           r % 11, 1 + r % 5, r % 3 = 0
      FROM made
    RETURNING account_id, form_id, feedback_id, link_id, day, submitted_at
), visited AS (
    INSERT INTO visit (account_id, link_id, visit, feedback_id)
    SELECT account_id, link_id, feedback_id, feedback_id FROM stored
)
INSERT INTO visit_view (account_id, link_id, visit, day, form_id, seen_at)
SELECT account_id, link_id, feedback_id, day, form_id, submitted_at FROM stored"#
    )
}
