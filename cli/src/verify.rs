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
//! The cache is checked where processes share one; `bus_prop_id` 0 is the whole. A message has one row of `due` while it is
//! scheduled, one of `claimed` while it is sent, and otherwise none.

use std::io::{Write, stdout};

use anyhow::bail;
use futures::{StreamExt, TryStreamExt, stream};
use platform::backends::open_existing_store;
use platform::cache::Cache;
use platform::config::Config;
use platform::start::{Process, one_line};
use store::form::FormKey;
use store::report::Drift;
use store::{Store, Workload};
use tokio_util::sync::CancellationToken;

use crate::rebuild::AT_ONCE;

/// What is checked, and until when.
struct Check {
    store: Store,
    /// Where processes share one that answers.
    cache: Option<Cache>,
    shutdown: CancellationToken,
}

pub(crate) async fn run(config: Config, process: Process) -> anyhow::Result<()> {
    let check = Check {
        store: open_existing_store(&config, Workload::Maintenance(u32::try_from(AT_ONCE)? + 1))
            .await?,
        cache: shared_cache(&config).await?,
        shutdown: process.shutdown,
    };
    let store = &check.store;
    let forms = store.all_forms().await?;
    let checks = forms.iter().map(|form| check.form(*form));
    let counts: Vec<usize> = stream::iter(checks)
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await?;
    let mut differ: usize = counts.iter().sum();
    for campaign in store.all_campaigns().await? {
        differ += check.print(&store.check_campaign(campaign).await?)?;
    }
    for account_id in store.all_accounts().await? {
        differ += check.print(&store.check_recipients(account_id).await?)?;
        differ += check.print(&store.check_contacts(account_id).await?)?;
    }
    if differ > 0 {
        bail!("{differ} numbers differ; `feedback rebuild` counts anew");
    }
    eprintln!(
        "verified {} forms: every number is what is stored",
        forms.len()
    );
    Ok(())
}

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

impl Check {
    /// How many of a form's numbers differ; they are printed.
    async fn form(&self, form: FormKey) -> anyhow::Result<usize> {
        let slices = self.store.slices(form).await?;
        let mut differ = 0;
        for slice in slices.iter() {
            let drifts = self.store.check_slice(form, &slices, slice).await?;
            differ += self.print(&drifts)?;
        }
        differ += self.print(&self.store.check_links(form).await?)?;
        if let Some(cache) = &self.cache {
            let drifts = report::check_months(&self.store, cache, form, &slices).await?;
            differ += self.print(&drifts)?;
        }
        Ok(differ)
    }

    /// Prints drifts; how many they are. The end, once the process is to end.
    fn print(&self, drifts: &[Drift]) -> anyhow::Result<usize> {
        if self.shutdown.is_cancelled() {
            bail!("ended before the end");
        }
        let mut out = stdout().lock();
        for drift in drifts {
            writeln!(out, "{drift}")?;
        }
        Ok(drifts.len())
    }
}
