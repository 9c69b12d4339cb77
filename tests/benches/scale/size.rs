//! Part `size`: what people and programs wait for, in a large account and in one with a hundredth of it.

use std::time::Instant;

use anyhow::{Context, Result};
use tests::bench::frame::settle;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::spread::Spread;
use tests::servers::Endpoints;

use super::data::Data;
use super::loads::SENDERS;
use super::side::Side;

/// What may have been kept of what is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kept {
    /// Whatever there is.
    All,
    /// Nothing at the beginning of a round.
    NothingOfOtherRounds,
    /// Nothing each time.
    Nothing,
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Import,
    ImportAgain,
    Imports,
    Recipient,
    Recipients,
    Overview,
    Form,
    Summary,
    Dashboard,
    FirstPage,
    DeepPage,
    Comments,
    Words,
    TrackField,
    Export,
    MakeLink,
    ReadLink,
    Page,
    Answer,
    ImportForCampaign,
    Erase,
    Campaign,
}

impl Operation {
    /// In the order in which they are measured.
    const ALL: [Self; 22] = [
        Self::Import,
        Self::ImportAgain,
        Self::Imports,
        Self::Recipient,
        Self::Recipients,
        Self::Overview,
        Self::Form,
        Self::Summary,
        Self::Dashboard,
        Self::FirstPage,
        Self::DeepPage,
        Self::Comments,
        Self::Words,
        Self::TrackField,
        Self::Export,
        Self::MakeLink,
        Self::ReadLink,
        Self::Page,
        Self::Answer,
        Self::ImportForCampaign,
        Self::Erase,
        Self::Campaign,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Import => "import of 10,000 new records, until stored",
            Self::ImportAgain => "the same again",
            Self::Imports => "list of imports",
            Self::Recipient => "a recipient by its docid",
            Self::Recipients => "first page of the recipients",
            Self::Overview => "overview, in no cache",
            Self::Form => "report of a form, in no cache",
            Self::Summary => "summary of a form, in no cache",
            Self::Dashboard => "overview of the dashboard",
            Self::FirstPage => "first page of the answers",
            Self::DeepPage => "a page half-way down the answers",
            Self::Comments => "first page of the comments",
            Self::Words => "a word in the comments of 30 days",
            Self::TrackField => "answers of 30 days by a tracking field",
            Self::Export => "first line of an export",
            Self::MakeLink => "a link is made",
            Self::ReadLink => "a link with its counts",
            Self::Page => "page of a link",
            Self::Answer => "an answer",
            Self::ImportForCampaign => "import of 1,000 for a campaign, until delivered",
            Self::Erase => "a recipient is erased",
            Self::Campaign => "campaign for an import of 1,000, until finished",
        }
    }

    /// None where all that is stored is looked at, or an index is written all over.
    fn target(self) -> Target {
        match self {
            Self::Import
            | Self::ImportAgain
            | Self::ImportForCampaign
            | Self::Words
            | Self::TrackField
            | Self::Campaign => Target::None,
            _ => Target::RatioAtMost(1.2),
        }
    }

    /// How often it is done in a round, with each account.
    fn times(self) -> u32 {
        match self {
            Self::Campaign => 1,
            Self::Words | Self::TrackField => 2,
            Self::Import | Self::ImportAgain | Self::Overview | Self::ImportForCampaign => 5,
            _ => 20,
        }
    }

    fn kept(self) -> Kept {
        match self {
            Self::Overview => Kept::Nothing,
            Self::Form | Self::Summary => Kept::NothingOfOtherRounds,
            _ => Kept::All,
        }
    }
}

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let mut data = Data::make(settings, endpoints).await?;
    for service in data.app.workers.iter_mut().chain(&mut data.app.apis) {
        service.set("FEEDBACK_SENDERS", SENDERS);
        service.stop().await?;
        service.start_again().await?;
        service.process.hide_log();
    }
    let start = Instant::now();
    let small = Side::make(&data.app, &data.small, settings.recipients / 100).await?;
    let large = Side::make(&data.app, &data.large, settings.recipients).await?;
    data.sql("VACUUM ANALYZE recipient").await?;
    settle(&data.app).await?;
    eprintln!(
        "{} recipients stored in {:.0} s",
        settings.recipients,
        start.elapsed().as_secs_f64()
    );

    let mut rows = Operation::ALL.map(|operation| {
        let (unit, target) = (Unit::Milliseconds, operation.target());
        Row::new(operation.name(), unit, "at a hundredth", target)
    });
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        for (operation, row) in Operation::ALL.into_iter().zip(&mut rows) {
            let sides = [&large, &small];
            let name = operation.name();
            let [large, small] = medians(&mut data, sides, operation, round)
                .await
                .context(name)?;
            eprintln!("round {round}: {name}: {large:.2} ms, at a hundredth {small:.2} ms");
            if round > 0 {
                row.round(large, small);
            }
        }
    }
    Ok(rows.into())
}

/// An operation some times in both accounts, in turns: the medians of the large and the small one.
async fn medians(
    data: &mut Data,
    sides: [&Side; 2],
    operation: Operation,
    round: u32,
) -> Result<[f64; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    if operation.kept() == Kept::NothingOfOtherRounds {
        data.forget().await?;
    }
    for turn in 0..operation.times() {
        for which in [turn % 2, 1 - turn % 2] {
            if operation.kept() == Kept::Nothing {
                data.forget().await?;
            }
            let which = usize::try_from(which)?;
            let account = [&data.large, &data.small][which];
            let took = sides[which].took(account, operation, (round, turn)).await?;
            times[which].push(took.as_secs_f64() * 1_000.0);
        }
    }
    let [large, small] = times.map(Spread::of);
    Ok([
        large.context("nothing measured")?.median,
        small.context("nothing measured")?.median,
    ])
}
