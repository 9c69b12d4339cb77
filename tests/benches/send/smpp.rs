//! Part `smpp`: messages to an SMPP centre, with a narrow and with a wide window.

use anyhow::Result;
use serde_json::Value;
use tempfile::TempDir;
use tests::app::Backends;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::process::Process;
use tests::servers::{Account, Endpoints, free_port};
use tests::tools::{Tool, npm, own};
use tests::wait::{SOON, eventually};

use super::run::{Run, start};

/// Windows, the most messages without a known result, and the messages a second that each must carry.
const WINDOWS: [(u32, f64); 2] = [(10, 1_000.0), (100, 5_000.0)];

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (window, target) in WINDOWS {
        let centre = Centre::start().await?;
        let backends = Backends::on(endpoints).await?;
        let app = start(backends, &centre.sender(window)).await?;
        let mut row = Row::new(
            format!("messages delivered, SMPP, window {window}"),
            Unit::MessagesPerSecond,
            "",
            Target::AtLeast(target),
        );
        // The first warms up.
        for round in 0..=settings.rounds {
            let run = Run::begin(&app, "centre", settings.messages).await?;
            let delivered = run.delivered().await?;
            eprintln!("window {window}, round {round}: {delivered:.0} messages/s");
            if round > 0 {
                row.lone_round(delivered);
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// A running SMPP centre. It gives receipts to the connection that was bound last.
pub(super) struct Centre {
    _process: Process,
    _folder: TempDir,
    port: u16,
    figures: String,
}

impl Centre {
    pub(super) async fn start() -> Result<Self> {
        let folder = Account::folder(None, "centre")?;
        let (port, figures) = (free_port()?, free_port()?);
        let tool = Tool::node(&own("npm/bench_centre.cjs"))?
            .args([port.to_string(), figures.to_string()])
            .env("NODE_PATH", &npm("")?.display().to_string());
        let centre = Self {
            _process: tool.start(&folder.path().join("centre.log"))?,
            _folder: folder,
            port,
            figures: format!("http://127.0.0.1:{figures}/"),
        };
        eventually(SOON, async || centre.figures().await).await?;
        Ok(centre)
    }

    /// The setting of a sender that uses it.
    pub(super) fn sender(&self, window: u32) -> String {
        let port = self.port;
        format!(
            "centre=smpp://bench:secret@127.0.0.1:{port}?accounts=*&from=Acme&rate=100000&window={window}"
        )
    }

    /// What it has seen: `messages`, different `phones` and `links` of them, and receipts `delivered`.
    pub(super) async fn figures(&self) -> Result<Value> {
        Ok(reqwest::get(&self.figures).await?.json().await?)
    }
}
