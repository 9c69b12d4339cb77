//! `feedback serve`: api and worker in one process, on whatever backends the settings name.

use platform::backends::Backends;
use platform::config::Config;
use platform::start::Process;
use tokio_util::sync::CancellationToken;
use worker::Worker;

use crate::first_key;

pub(crate) async fn run(config: Config, process: Process) -> anyhow::Result<()> {
    let Some(backends) = Backends::open(&config, &process.shutdown).await? else {
        return Ok(());
    };
    // The api ends first: the worker still stores what it accepts in its last moments.
    let drained = CancellationToken::new();
    let worker = Worker::new(backends.clone(), &config, drained.clone())?;
    let checks = worker.checks();
    let worker = tokio::spawn(worker.run());
    let served = match first_key::ensure(&backends.store, &config).await {
        Ok(()) => api::serve(&config, backends, &process, checks)
            .await
            .map_err(Into::into),
        Err(error) => Err(error),
    };
    drained.cancel();
    worker.await?;
    served
}
