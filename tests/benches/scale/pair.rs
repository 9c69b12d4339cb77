//! The service twice: on plain PostgreSQL, and on Citus beside it.

use anyhow::{Context, Result};
use tests::app::{App, Backends, Program};
use tests::bench::frame::unlimited;
use tests::bench::rows::flush_disks;
use tests::servers::{Citus, Durability, Endpoints, psql};

/// Both, with one api and two workers each.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) plain: App,
    pub(super) distributed: App,
    plain_database: String,
    /// Last, because the service ends before it.
    citus: Citus,
}

impl Pair {
    pub(super) async fn start(endpoints: &Endpoints) -> Result<Self> {
        let citus = Citus::start(Durability::Full, &Program::path()?).await?;
        let mut nodes = citus.urls("postgres").into_iter();
        let of_citus = Endpoints {
            database: nodes.next().context("no coordinator")?,
            nodes: nodes.collect(),
            ..endpoints.clone()
        };
        Ok(Self {
            plain: service(endpoints).await?,
            distributed: service(&of_citus).await?,
            plain_database: endpoints.database.clone(),
            citus,
        })
    }

    /// Nobody pays for what was written before, on any server.
    pub(super) async fn settle(&self) -> Result<()> {
        psql(&self.plain_database, "CHECKPOINT").await?;
        for node in self.citus.urls("postgres") {
            psql(&node, "CHECKPOINT").await?;
        }
        flush_disks().await
    }

    /// What is measured in a round, of the distributed one first and of the plain one second; which of them begins alternates.
    pub(super) async fn round<T>(
        &self,
        round: u32,
        measure: impl AsyncFn(&App) -> Result<T>,
    ) -> Result<[T; 2]> {
        let measured = async |app| {
            self.settle().await?;
            measure(app).await
        };
        if round % 2 == 1 {
            let distributed = measured(&self.distributed).await?;
            Ok([distributed, measured(&self.plain).await?])
        } else {
            let plain = measured(&self.plain).await?;
            Ok([measured(&self.distributed).await?, plain])
        }
    }

    /// Stops the service, then the nodes.
    pub(super) async fn stop(self) -> Result<()> {
        drop(self.distributed);
        self.citus.stop().await
    }
}

async fn service(endpoints: &Endpoints) -> Result<App> {
    let backends = Backends::on(endpoints).await?;
    let setup = App::setup().workers(2).on(backends);
    unlimited(setup.setting("FEEDBACK_LINK_RATE", "0")).await
}
