//! `feedback verify`: counts all feedbacks, views and recipients anew and compares that with the counts that reports read.
//! Beside a running service. Prints each number that differs, one a line, its parts separated by tabs:
//!
//! ```text
//! rollup      form_id     bus_prop or -  day  counter     stored  recomputed
//! cache       form_id     bus_prop_id    day  counter     cached  stored
//! link        link_id     -              -    counter     stored  recomputed
//! recipients  account_id  -              day  recipients  stored  recomputed
//! ```
//!
//! The cache is checked where processes share one; `bus_prop_id` 0 is the whole.

use std::io::{self, Write, stdout};

use anyhow::bail;
use domain::rollup::Difference;
use futures::{StreamExt, TryStreamExt, stream};
use platform::backends::open_existing_store;
use platform::cache::Cache;
use platform::config::Config;
use platform::start::{Process, one_line};
use store::form::FormKey;
use store::{Store, Workload};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

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
    let forms = check.store.all_forms().await?;
    let checks = forms.iter().map(|form| check.form(*form));
    let counts: Vec<u64> = stream::iter(checks)
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await?;
    let mut differ: u64 = counts.iter().sum();
    for account_id in check.store.all_accounts().await? {
        differ += check.recipients(account_id).await?;
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
    async fn form(&self, form: FormKey) -> anyhow::Result<u64> {
        let slices = self.store.slices(form).await?;
        let mut differ: u64 = 0;
        for day in &slices.days {
            if self.shutdown.is_cancelled() {
                bail!("ended before the end");
            }
            for drift in self.store.check_slice(form, &slices, *day).await? {
                differ += 1;
                let bus_prop = drift.bus_prop.as_deref().unwrap_or("-");
                let counter = format!("{bus_prop}\t{}\t{}", drift.day, drift.counter);
                let numbers = (drift.stored, drift.recomputed);
                print("rollup", form.form_id, &counter, numbers)?;
            }
        }
        for drift in self.store.check_links(form).await? {
            let counters = [("views", drift.views), ("responses", drift.responses)];
            for (counter, numbers) in counters.into_iter().filter(|(_, (had, is))| had != is) {
                differ += 1;
                let counter = format!("-\t-\t{counter}");
                print("link", drift.link_id, &counter, numbers)?;
            }
        }
        if let Some(cache) = &self.cache {
            for drift in report::check_months(&self.store, cache, form, &slices).await? {
                differ += 1;
                let Difference {
                    counter,
                    left,
                    right,
                } = drift.difference;
                let counter = format!("{}\t{}\t{counter}", drift.bus_prop_id, drift.day);
                print("cache", form.form_id, &counter, (left, right))?;
            }
        }
        Ok(differ)
    }

    /// The same of an account's recipients.
    async fn recipients(&self, account_id: Uuid) -> anyhow::Result<u64> {
        let mut differ: u64 = 0;
        for drift in self.store.check_recipients(account_id).await? {
            differ += 1;
            let counter = format!("-\t{}\trecipients", drift.day);
            let numbers = (drift.stored, drift.recomputed);
            print("recipients", account_id, &counter, numbers)?;
        }
        Ok(differ)
    }
}

/// `counter` is a business property, a day and a name, with tabs between.
fn print(what: &str, whose: Uuid, counter: &str, (had, is): (i64, i64)) -> io::Result<()> {
    let mut out = stdout().lock();
    writeln!(out, "{what}\t{whose}\t{counter}\t{had}\t{is}")
}
