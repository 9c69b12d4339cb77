//! `feedback verify`: counts all feedbacks, views, messages and recipients anew and compares that with the counts that reports
//! and campaigns read. Beside a running service. Prints each number that differs, one a line, its parts separated by tabs:
//!
//! ```text
//! rollup      form_id      bus_prop or -  day  counter     stored  recomputed
//! cache       form_id      bus_prop_id    day  counter     cached  stored
//! link        link_id      -              -    counter     stored  recomputed
//! campaign    campaign_id  kind           -    counter     stored  recomputed
//! message     message_id   -              -    counter     stored  expected
//! recipients  account_id   -              day  recipients  stored  recomputed
//! contact     account_id   -              -    rule        broken  0
//! ```
//!
//! With `--json` an array of objects with these parts, at the end. The cache is checked where processes share one; `bus_prop_id` 0 is the whole. A message has one row of `due` while it is
//! scheduled, one of `claimed` while it is sent, and otherwise none. `--textfile` writes how many numbers differ as a metric.
//!
//! `feedback rebuild`: counts the same anew and mends the counts that reports and campaigns read. Every cached copy of them is
//! void then. Beside a running service. May be ended and begun again at any time.

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::pin::pin;

use anyhow::bail;
use futures::{Stream, StreamExt, TryStreamExt, future, stream};
use platform::backends::open_existing_store;
use platform::cache::Cache;
use platform::config::Config;
use platform::one_line;
use platform::start::Process;
use store::form::FormKey;
use store::report::Drift;
use store::{Store, Workload};
use tokio_util::sync::CancellationToken;

use crate::textfile::{self, Figure};

/// Forms at once. Each is its own lock.
const AT_ONCE: u32 = 4;

/// What is counted anew, and until when.
struct FormCounts {
    store: Store,
    forms: Vec<FormKey>,
    shutdown: CancellationToken,
}

pub(crate) async fn rebuild(config: Config, process: Process) -> anyhow::Result<()> {
    let counts = FormCounts::open(&config, process).await?;
    let store = &counts.store;
    let slices = counts.each_form(|form| counts.rebuild_form(form));
    let add = |sum, count| future::ok(sum + count);
    let slices: u64 = slices.try_fold(0, add).await?;
    let mut campaigns: u64 = 0;
    for campaign in store.all_campaigns().await? {
        campaigns += u64::from(store.rebuild_campaign(campaign).await?);
    }
    let mut recipients: u64 = 0;
    for account_id in store.all_accounts().await? {
        recipients += u64::from(store.rebuild_recipients(account_id).await?);
    }
    eprintln!(
        "rebuilt {} forms: {slices} of their slices had changed, and the counts of {campaigns} campaigns and the recipients of \
         {recipients} accounts",
        counts.forms.len()
    );
    Ok(())
}

/// What is printed of a verification, and written.
#[derive(Default, clap::Args)]
pub(crate) struct VerifyOutput {
    /// Print JSON, at the end
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write how many numbers differ to a file, for the textfile collector of Prometheus's node exporter
    #[arg(long, value_name = "FILE")]
    pub(crate) textfile: Option<PathBuf>,
}

pub(crate) async fn verify(
    config: Config,
    output: &VerifyOutput,
    process: Process,
) -> anyhow::Result<()> {
    let cache = shared_cache(&config).await?;
    let counts = FormCounts::open(&config, process).await?;
    let store = &counts.store;
    let mut found = Vec::new();
    let mut add = |drifts: Vec<Drift>| {
        if counts.shutdown.is_cancelled() {
            bail!("ended before the end");
        }
        let mut out = stdout().lock();
        for drift in drifts.iter().filter(|_| !output.json) {
            writeln!(out, "{drift}")?;
        }
        found.extend(drifts);
        anyhow::Ok(())
    };
    let mut forms = pin!(counts.each_form(|form| counts.check_form(form, cache.as_ref())));
    while let Some(drifts) = forms.try_next().await? {
        add(drifts)?;
    }
    for campaign in store.all_campaigns().await? {
        add(store.check_campaign(campaign).await?)?;
    }
    for account_id in store.all_accounts().await? {
        add(store.check_recipients(account_id).await?)?;
        add(store.check_contacts(account_id).await?)?;
    }
    if let Some(file) = &output.textfile {
        let differences = Figure {
            name: "feedback_verify_differences",
            meaning: "Numbers that the last feedback verify found to differ from what is stored",
            value: i64::try_from(found.len())?,
        };
        let ended = Figure::now(
            "feedback_verify_timestamp_seconds",
            "Unix time at which feedback verify ended last",
        );
        textfile::write(file, &[differences, ended])?;
    }
    if output.json {
        writeln!(stdout().lock(), "{}", serde_json::to_string(&found)?)?;
    }
    if !found.is_empty() {
        let differ = found.len();
        bail!("{differ} numbers differ; `feedback rebuild` counts anew");
    }
    let forms = counts.forms.len();
    eprintln!("verified {forms} forms: every number is what is stored");
    Ok(())
}

/// The cache, where processes share one that answers.
async fn shared_cache(config: &Config) -> anyhow::Result<Option<Cache>> {
    let cache = Cache::open(config.redis_url.as_ref())?;
    if !cache.is_shared() {
        return Ok(None);
    }
    if let Err(error) = cache.ping().await {
        eprintln!("not checked: {}", one_line(&error));
        return Ok(None);
    }
    Ok(Some(cache))
}

impl FormCounts {
    async fn open(config: &Config, process: Process) -> anyhow::Result<Self> {
        let store = open_existing_store(config, Workload::Maintenance(AT_ONCE + 1)).await?;
        Ok(Self {
            forms: store.all_forms().await?,
            store,
            shutdown: process.shutdown,
        })
    }

    /// What `work` gives for each form, in the order in which it ends.
    fn each_form<T, F>(&self, work: impl Fn(FormKey) -> F) -> impl Stream<Item = anyhow::Result<T>>
    where
        F: Future<Output = anyhow::Result<T>>,
    {
        let forms = self.forms.iter().map(move |form| work(*form));
        stream::iter(forms).buffer_unordered(AT_ONCE as usize)
    }

    /// How many of the form's slices changed.
    async fn rebuild_form(&self, form: FormKey) -> anyhow::Result<u64> {
        let store = &self.store;
        let slices = store.slices(form).await?;
        let mut changed = 0;
        for slice in slices.iter() {
            if self.shutdown.is_cancelled() {
                bail!("ended before the end: what was rebuilt stands, begin again for the rest");
            }
            changed += u64::from(store.rebuild_slice(form, &slices, slice).await?);
        }
        store.rebuild_links(form).await?;
        store.restamp_form(form).await?;
        Ok(changed)
    }

    /// The form's numbers that differ; not all of them once the process is to end.
    async fn check_form(&self, form: FormKey, cache: Option<&Cache>) -> anyhow::Result<Vec<Drift>> {
        let slices = self.store.slices(form).await?;
        let mut drifts = Vec::new();
        for slice in slices.iter() {
            if self.shutdown.is_cancelled() {
                return Ok(drifts);
            }
            drifts.extend(self.store.check_slice(form, &slices, slice).await?);
        }
        drifts.extend(self.store.check_links(form).await?);
        if let Some(cache) = cache {
            drifts.extend(report::check_months(&self.store, cache, form, &slices).await?);
        }
        Ok(drifts)
    }
}
