//! Part `page`: the page of a link, against a bare axum route that returns the same bytes.

use anyhow::{Context, Result};
use tests::bench::hot::Hot;
use tests::bench::load::{self, CONNECTIONS};
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::servers::Endpoints;

use super::answers::unlimited;
use super::{TIME, bare};

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let app = unlimited(endpoints).await?;
    let hot = Hot::make(&app).await?;
    let path = hot.url.split_once("/f/").context("no path")?.1;
    let page = app.anonymous()?.get(&format!("/f/{path}")).await?;
    let bytes = page.expect(200)?.body;
    let size = bytes.len();
    let bare = format!(
        "http://{}/",
        bare::serve(bytes, "text/html; charset=utf-8")?
    );
    let mut rate = Row::new(
        format!("page of a link, {size} bytes"),
        Unit::AnswersPerSecond,
        "bare axum route",
        Target::RatioAtLeast(0.65),
    );
    load::wrk(&hot.url, CONNECTIONS, TIME, None).await?;
    load::wrk(&bare, CONNECTIONS, TIME, None).await?;
    for round in 1..=settings.rounds {
        let ours = load::wrk(&hot.url, CONNECTIONS, TIME, None).await?;
        let theirs = load::wrk(&bare, CONNECTIONS, TIME, None).await?;
        rate.round(ours.rate, theirs.rate);
        eprintln!(
            "round {round}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms; bare {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
            ours.rate, ours.p50, ours.p99, theirs.rate, theirs.p50, theirs.p99
        );
    }
    Ok(vec![rate])
}
