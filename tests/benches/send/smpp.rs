//! Part `smpp`: messages to an SMPP centre, with a narrow and with a wide window, and to one that is too busy for some.

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

/// Of a centre that is too busy for each so many-th message.
const BUSY: u32 = 5;
/// Its messages, a second at most and in all. (A sender that pauses for each takes 50 s for a hundred.)
const BUSY_RATE: u32 = 1_000;
const BUSY_MESSAGES: u32 = 10_000;

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (window, target) in WINDOWS {
        let centre = Centre::start(None).await?;
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
    rows.push(busy(settings, endpoints).await?);
    Ok(rows)
}

/// What a centre costs that is too busy for a fifth, beside one that takes all.
async fn busy(settings: &Settings, endpoints: &Endpoints) -> Result<Row> {
    let mut row = Row::new(
        format!("messages delivered, SMPP, each {BUSY}th throttled, {BUSY_RATE}/s at most"),
        Unit::MessagesPerSecond,
        "the same, none throttled",
        Target::RatioAtLeast(0.7),
    );
    for round in 0..settings.rounds {
        let mut rates = [0.0; 2];
        for (rate, each) in rates.iter_mut().zip([Some(BUSY), None]) {
            let centre = Centre::start(each).await?;
            let backends = Backends::on(endpoints).await?;
            let sender = centre.sender_at(BUSY_RATE, 10);
            let app = start(backends, &sender).await?;
            let run = Run::begin(&app, "centre", BUSY_MESSAGES).await?;
            *rate = run.delivered().await?;
        }
        let [ours, reference] = rates;
        eprintln!("round {round}: {ours:.0} messages/s throttled, {reference:.0} else");
        row.round(ours, reference);
    }
    Ok(row)
}

/// A running SMPP centre. It gives receipts to the connection that was bound last.
pub(super) struct Centre {
    _process: Process,
    _folder: TempDir,
    port: u16,
    figures: String,
}

impl Centre {
    /// One that is too busy for each so many-th message, if any.
    pub(super) async fn start(each: Option<u32>) -> Result<Self> {
        let folder = Account::folder(None, "centre")?;
        let (port, figures) = (free_port()?, free_port()?);
        let tool = Tool::node(&own("npm/bench_centre.cjs"))?
            .args([port.to_string(), figures.to_string()])
            .args(each.map(|each| each.to_string()))
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
        self.sender_at(100_000, window)
    }

    /// The same at so many messages a second at most.
    fn sender_at(&self, rate: u32, window: u32) -> String {
        let port = self.port;
        format!(
            "centre=smpp://bench:secret@127.0.0.1:{port}?accounts=*&from=Acme&rate={rate}&window={window}"
        )
    }

    /// What it has seen: `messages`, different `phones` and `links` of them, and receipts `delivered`.
    pub(super) async fn figures(&self) -> Result<Value> {
        Ok(reqwest::get(&self.figures).await?.json().await?)
    }
}
