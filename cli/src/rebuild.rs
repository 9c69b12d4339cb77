//! `feedback rebuild`: counts all feedbacks, views and recipients anew and replaces the counts that reports read. Every cached
//! copy of them is void then. Beside a running service. May be ended and begun again at any time.

use anyhow::bail;
use futures::{StreamExt, TryStreamExt, stream};
use platform::backends::open_existing_store;
use platform::config::Config;
use platform::start::Process;
use store::form::FormKey;
use store::{Store, Workload};
use tokio_util::sync::CancellationToken;

/// Forms at once. Each is its own lock.
pub(crate) const AT_ONCE: usize = 4;

pub(crate) async fn run(config: Config, process: Process) -> anyhow::Result<()> {
    let store =
        open_existing_store(&config, Workload::Maintenance(u32::try_from(AT_ONCE)? + 1)).await?;
    let forms = store.all_forms().await?;
    let rebuilding = forms
        .iter()
        .map(|form| form_of(&store, *form, &process.shutdown));
    let changed: Vec<u64> = stream::iter(rebuilding)
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await?;
    let mut recipients: u64 = 0;
    for account_id in store.all_accounts().await? {
        recipients += u64::from(store.rebuild_recipients(account_id).await?);
    }
    let days: u64 = changed.iter().sum();
    eprintln!(
        "rebuilt {} forms: {days} of their days had changed, and the recipients of {recipients} accounts",
        forms.len()
    );
    Ok(())
}

/// How many of the form's days changed.
async fn form_of(
    store: &Store,
    form: FormKey,
    shutdown: &CancellationToken,
) -> anyhow::Result<u64> {
    let slices = store.slices(form).await?;
    let mut changed: u64 = 0;
    for day in &slices.days {
        if shutdown.is_cancelled() {
            bail!("ended before the end: what was rebuilt stands, begin again for the rest");
        }
        changed += u64::from(store.rebuild_slice(form, &slices, *day).await?);
    }
    store.rebuild_links(form).await?;
    store.restamp_form(form).await?;
    Ok(changed)
}
