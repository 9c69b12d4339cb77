//! An account with a year of feedbacks: as many as no API would take in a bench's time.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::{NaiveDate, TimeDelta, Utc};
use serde_json::Value;

use super::frame::settle;
use crate::app::App;
use crate::client::Client;
use crate::person::Person;

/// The business properties of [`crate::form::form`], and the whole.
pub const BUS_PROPS: [&str; 4] = ["", "store:Berlin", "store:Hamburg", "channel:sms"];
/// Longer than anything takes that does not hang.
pub const LONGEST: Duration = Duration::from_mins(30);

/// Forms of an account.
const FORMS: u32 = 20;
const DAYS: i64 = 365;
/// What each of a form's links names, in turn.
const LINKS: [&str; 4] = ["", "1", "2", "1_3"];
/// Rows of one INSERT.
const AT_ONCE: u32 = 500_000;

/// An account with feedbacks spread evenly over its forms and days.
#[derive(Debug)]
pub struct Account {
    /// Its own id.
    pub account_id: String,
    /// With its keys.
    pub client: Client,
    /// Somebody who is signed in to its dashboard.
    pub person: Person,
    /// All are published.
    pub forms: Vec<Value>,
    /// How many there are.
    pub feedbacks: u32,
    /// The first day with feedbacks; the last is yesterday.
    pub first: NaiveDate,
}

impl Account {
    /// Makes forms and links through the API, and feedbacks by INSERT, which nobody has counted.
    ///
    /// # Errors
    /// When the service is embedded, or what is made is refused.
    pub async fn fill(app: &App, feedbacks: u32) -> Result<Self> {
        let name = format!("account-{feedbacks}");
        let keys = app.create_key(&name, &[]).await?;
        let client = app.anonymous()?.with_keys(&keys);
        let person = app.person(&name, &name, "viewer").await?;
        let first = Utc::now().date_naive() - TimeDelta::days(DAYS);
        let each = feedbacks / FORMS;
        let mut forms = Vec::new();
        for _ in 0..FORMS {
            let form = client.published(&crate::form::form()).await?;
            let mut links = Vec::new();
            for ids in LINKS {
                let order = [("track_field", "order=4711")];
                let link = client.link(&form, ids, &order).await?;
                let token = link["token"].as_str().context("no token")?;
                let id = format!("SELECT link_id FROM link WHERE token = '{token}'");
                links.push(app.backends().sql(&id).await?);
            }
            let form_id = form["form_id"].as_str().context("no form_id")?;
            for from in (0..each).step_by(usize::try_from(AT_ONCE)?) {
                let to = each.min(from + AT_ONCE) - 1;
                let insert = insert(&keys.account_id, form_id, &links, first, each, (from, to));
                app.backends().sql_within(LONGEST, &insert).await?;
            }
            forms.push(form);
        }
        settle(app).await?;
        Ok(Self {
            account_id: keys.account_id,
            client,
            person,
            forms,
            feedbacks: each * FORMS,
            first,
        })
    }

    /// The day so many days after the first.
    pub fn day(&self, days: i64) -> String {
        (self.first + TimeDelta::days(days)).to_string()
    }

    /// The first and the last day with feedbacks.
    pub fn whole(&self) -> (String, String) {
        (self.day(0), self.day(DAYS - 1))
    }

    /// Reports have counted all feedbacks, and no others.
    ///
    /// # Errors
    /// When they have not.
    pub async fn is_counted(&self) -> Result<()> {
        let (from, to) = self.whole();
        let overview = self.client.overview((&from, &to)).await?;
        let responses = &overview["metrics"]["responses"];
        ensure!(*responses == self.feedbacks, "only {responses} counted");
        Ok(())
    }
}

/// Counts what was stored by INSERT, once the planner knows of it. Other `tables` than those of feedbacks are named.
///
/// # Errors
/// When it cannot be counted.
pub async fn rebuild(app: &App, tables: &[&str]) -> Result<()> {
    for table in ["feedback", "visit", "visit_view"].iter().chain(tables) {
        let vacuum = format!("VACUUM ANALYZE {table}");
        app.backends().sql_within(LONGEST, &vacuum).await?;
    }
    let start = Instant::now();
    let rebuilt = app.cli_within(LONGEST, &["rebuild"], &[]).await?;
    ensure!(rebuilt.status.success(), "rebuild: {rebuilt:?}");
    eprintln!("all rebuilt in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
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
