//! What a test asks for before its service starts: how many processes, which settings, which backends.

use std::sync::Arc;

use anyhow::Result;

use super::service::ProcessSettings;
use super::{App, Backends};
use crate::servers::{Account, SmallDisk};

/// 32 bytes that api and worker share.
pub const PEPPER: &str = "5f0e1d2c3b4a59687786a5b4c3d2e1f05f0e1d2c3b4a59687786a5b4c3d2e1f0";

/// What a test wants to run.
#[derive(Debug)]
pub struct Setup {
    apis: usize,
    workers: usize,
    settings: Vec<(String, String)>,
    backends: Option<Backends>,
    disk: Option<Arc<SmallDisk>>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            apis: 1,
            workers: 1,
            settings: Vec::new(),
            backends: None,
            disk: None,
        }
    }
}

impl Setup {
    /// So many `api` processes (embedded: always one `serve`).
    #[must_use]
    pub fn apis(mut self, count: usize) -> Self {
        self.apis = count;
        self
    }

    /// So many `worker` processes (embedded: the one inside `serve`).
    #[must_use]
    pub fn workers(mut self, count: usize) -> Self {
        self.workers = count;
        self
    }

    /// A variable of the configuration for every process.
    #[must_use]
    pub fn setting(mut self, variable: &str, value: &str) -> Self {
        self.settings.push((variable.to_owned(), value.to_string()));
        self
    }

    /// These backends, whatever the environment says: for tests of one set only.
    #[must_use]
    pub fn on(mut self, backends: Backends) -> Self {
        self.backends = Some(backends);
        self
    }

    /// With its data directory on a small disk (on servers the database has a disk of its own).
    #[must_use]
    pub fn on_disk(mut self, disk: Arc<SmallDisk>) -> Self {
        let data = disk.path().join("data").display().to_string();
        self.disk = Some(disk);
        self.setting("FEEDBACK_DATA_DIR", &data)
    }

    /// Starts the service and waits until every process is ready.
    ///
    /// # Errors
    /// When a process ends or does not get ready.
    pub async fn start(self) -> Result<App> {
        let backends = match self.backends {
            Some(backends) => backends,
            None => Backends::from_environment().await?,
        };
        let folder = Account::folder(None, "app")?;
        let mut variables = backends.variables(folder.path());
        // A test is a burst of requests; the tests about the limit set their own.
        variables.push(("FEEDBACK_KEY_RATE".to_owned(), "0".to_owned()));
        // As `serve` has it by default, so that a test need not know which set of backends it runs on; but each message arrives, where by
        // default two of a hundred do not.
        variables.push((
            "FEEDBACK_SENDERS".to_owned(),
            "demo=demo:?failures=0".to_owned(),
        ));
        variables.push(("FEEDBACK_PEPPER".to_owned(), PEPPER.to_owned()));
        variables.extend(self.settings);
        let mut app = App {
            apis: Vec::new(),
            workers: Vec::new(),
            backends,
            settings: ProcessSettings {
                variables,
                disk: self.disk,
            },
            folder,
        };
        for _ in 0..self.apis {
            app.start_api().await?;
        }
        for _ in 0..self.workers {
            app.start_worker().await?;
        }
        Ok(app)
    }
}
