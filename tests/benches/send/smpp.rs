//! Part `smpp`: messages to an SMPP centre, against a client of the centre's own library.

use std::time::Duration;

use anyhow::Result;
use serde_json::Value;
use tempfile::TempDir;
use tests::app::Backends;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::process::Process;
use tests::servers::{Account, free_port};
use tests::tools::{Tool, npm, own};
use tests::wait::{SOON, eventually};

use super::run::{Run, start};

/// Messages without a known result.
pub(super) const WINDOW: u32 = 10;

/// A load that takes this long hangs.
const LONGEST: Duration = Duration::from_mins(10);

pub(super) async fn measure(settings: &Settings, backends: Backends) -> Result<Vec<Row>> {
    let (centre, other) = (Centre::start().await?, Centre::start().await?);
    let app = start(backends, &centre.sender()).await?;
    let mut row = Row::new(
        "messages delivered, SMPP",
        Unit::MessagesPerSecond,
        "the centre's own client",
        Target::RatioAtLeast(0.8),
    );
    // The first warms up.
    for round in 0..=settings.rounds {
        let run = Run::begin(&app, "centre", settings.messages).await?;
        let ours = run.delivered().await?;
        let reference = other.load(settings.messages).await?;
        eprintln!("round {round}: {ours:.0} messages/s, the centre's own client {reference:.0}");
        if round > 0 {
            row.round(ours, reference);
        }
    }
    Ok(vec![row])
}

/// A running SMPP centre. It gives receipts to the connection that was bound last.
pub(super) struct Centre {
    _process: Process,
    folder: TempDir,
    port: u16,
    figures: String,
}

impl Centre {
    pub(super) async fn start() -> Result<Self> {
        let folder = Account::folder(None, "centre")?;
        let (port, figures) = (free_port()?, free_port()?);
        let tool = tool("serve", &[port.into(), figures.into()])?;
        let centre = Self {
            _process: tool.start(&folder.path().join("centre.log"))?,
            folder,
            port,
            figures: format!("http://127.0.0.1:{figures}/"),
        };
        eventually(SOON, async || centre.figures().await).await?;
        Ok(centre)
    }

    /// The setting of a sender that uses it.
    pub(super) fn sender(&self) -> String {
        let port = self.port;
        format!(
            "centre=smpp://bench:secret@127.0.0.1:{port}?accounts=*&from=Acme&rate=100000&window={WINDOW}"
        )
    }

    /// What it has seen: `messages`, different `phones` and `links` of them, and receipts `delivered`.
    pub(super) async fn figures(&self) -> Result<Value> {
        Ok(reqwest::get(&self.figures).await?.json().await?)
    }

    /// The messages a second of a client of its library.
    async fn load(&self, messages: u32) -> Result<f64> {
        let load = tool("load", &[self.port.into(), messages, WINDOW])?;
        let printed = load.run_in(self.folder.path(), LONGEST).await?;
        Ok(f64::from(messages) / printed.trim().parse::<f64>()?)
    }
}

fn tool(mode: &str, numbers: &[u32]) -> Result<Tool> {
    let tool = Tool::node(&own("npm/bench_centre.cjs"))?.args([mode]);
    let tool = tool.args(numbers.iter().map(u32::to_string));
    Ok(tool.env("NODE_PATH", &npm("")?.display().to_string()))
}
