//! `feedback verify`: counts all feedbacks, views and recipients anew and compares that with the counts that reports read.
//! Beside a running service. Prints each number that differs, one a line, its parts separated by tabs:
//!
//! ```text
//! rollup      form_id     bus_prop or -  day  counter     stored  recomputed
//! recipients  account_id  -              day  recipients  stored  recomputed
//! ```

use std::io::{Write, stdout};

use anyhow::bail;
use futures::{StreamExt, TryStreamExt, stream};
use platform::backends::open_store;
use platform::config::Config;
use platform::start::Process;
use store::Store;
use store::form::FormKey;
use store::recount::Drift;
use tokio_util::sync::CancellationToken;

use crate::rebuild::AT_ONCE;

pub(crate) async fn run(config: Config, process: Process) -> anyhow::Result<()> {
    let store = open_store(&config, u32::try_from(AT_ONCE)? + 1).await?;
    let mut differ: u64 = 0;
    let forms = store.all_forms().await?;
    let checks = forms
        .iter()
        .map(|form| check_form(&store, *form, &process.shutdown));
    let counts: Vec<u64> = stream::iter(checks)
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await?;
    differ += counts.iter().sum::<u64>();
    for account_id in store.all_accounts().await? {
        let mut out = stdout().lock();
        for drift in store.check_recipients(account_id).await? {
            differ += 1;
            writeln!(
                out,
                "recipients\t{account_id}\t-\t{}\trecipients\t{}\t{}",
                drift.day, drift.stored, drift.recomputed
            )?;
        }
    }
    if differ > 0 {
        bail!("{differ} numbers differ from what is stored; `feedback rebuild` counts anew");
    }
    eprintln!(
        "verified {} forms: every number is what is stored",
        forms.len()
    );
    Ok(())
}

/// How many of the form's numbers differ; they are printed.
async fn check_form(
    store: &Store,
    form: FormKey,
    shutdown: &CancellationToken,
) -> anyhow::Result<u64> {
    let places = store.places(form).await?;
    let mut differ: u64 = 0;
    for day in &places.days {
        if shutdown.is_cancelled() {
            bail!("ended before the end");
        }
        for drift in store.check_slice(form, &places, *day).await? {
            differ += 1;
            print("rollup", &drift)?;
        }
    }
    Ok(differ)
}

fn print(what: &str, drift: &Drift) -> std::io::Result<()> {
    let bus_prop = drift.bus_prop.as_deref().unwrap_or("-");
    writeln!(
        stdout().lock(),
        "{what}\t{}\t{bus_prop}\t{}\t{}\t{}\t{}",
        drift.form_id,
        drift.day,
        drift.counter,
        drift.stored,
        drift.recomputed
    )
}
