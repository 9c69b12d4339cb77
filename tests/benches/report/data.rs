//! What is reported on: three accounts with a year of feedbacks.

use std::time::Instant;

use anyhow::Result;
use tests::app::{App, Backends};
use tests::bench::frame::unlimited;
use tests::bench::settings::Settings;
use tests::bench::year::{Account, LONGEST, rebuild};
use tests::report::Of;
use tests::servers::{Account as Folder, Endpoints, flush_redis};

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
        let large = Account::fill(&app, settings.feedbacks).await?;
        let small = Account::fill(&app, settings.feedbacks / 100).await?;
        let warm = Account::fill(&app, 1_000).await?;
        eprintln!(
            "{} feedbacks stored in {:.0} s",
            settings.feedbacks,
            start.elapsed().as_secs_f64()
        );
        rebuild(&app, &[]).await?;
        for account in [&large, &small, &warm] {
            account.is_counted().await?;
        }
        let Backends::Servers(lease) = app.backends() else {
            anyhow::bail!("no servers");
        };
        Ok(Self {
            folder: Folder::folder(None, "report")?,
            redis: lease.redis.clone(),
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
        self.app.backends().sql_within(LONGEST, statement).await
    }
}
