//! `feedback rebuild`: counts all feedbacks, views, messages and recipients anew and mends the counts that reports and campaigns
//! read. Every cached copy of them is void then. Beside a running service. May be ended and begun again at any time.

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
    let mut campaigns: u64 = 0;
    for campaign in store.all_campaigns().await? {
        campaigns += u64::from(store.rebuild_campaign(campaign).await?);
    }
    let mut recipients: u64 = 0;
    for account_id in store.all_accounts().await? {
        recipients += u64::from(store.rebuild_recipients(account_id).await?);
    }
    let slices: u64 = changed.iter().sum();
    eprintln!(
        "rebuilt {} forms: {slices} of their slices had changed, and the counts of {campaigns} campaigns and the recipients of \
         {recipients} accounts",
        forms.len()
    );
    Ok(())
}

/// How many of the form's slices changed.
async fn form_of(
    store: &Store,
    form: FormKey,
    shutdown: &CancellationToken,
) -> anyhow::Result<u64> {
    let slices = store.slices(form).await?;
    let mut changed: u64 = 0;
    for slice in slices.iter() {
        if shutdown.is_cancelled() {
            bail!("ended before the end: what was rebuilt stands, begin again for the rest");
        }
        changed += u64::from(store.rebuild_slice(form, &slices, slice).await?);
    }
    store.rebuild_links(form).await?;
    store.restamp_form(form).await?;
    Ok(changed)
}
