//! `feedback report …`: the reports as tables in a terminal, or as the service answers them. `show` picks what is shown,
//! `table` aligns it, `chart` draws how it went from day to day.

mod chart;
mod show;

use std::io::{Write, stdout};

use clap::{Args, Subcommand};
use reqwest::Method;
use reqwest::header::ACCEPT;
use serde_json::Value;

use crate::service::{ServiceClient, read, segment};

/// Where reports are.
const REPORTS: &str = "/api_v1/report";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// All forms together, each form, and the recipients
    Overview(Days),
    /// A form: its figures, how each field was answered, the latest comments
    Form(FormDays),
    /// A form's figures, and how they differ from the same number of days before
    Summary(FormDays),
    /// A form's feedbacks, newest first
    Feedbacks(FeedbackFilter),
    /// A form's feedbacks with a comment, newest first
    Comments(FeedbackFilter),
}

/// Which days.
#[derive(Args)]
pub(crate) struct Days {
    /// First day, YYYY-MM-DD
    start: String,
    /// Last day, at most 1,830 days in all
    end: String,
}

/// Which form and days.
#[derive(Args)]
pub(crate) struct FormDays {
    /// The form's id
    form: String,
    #[command(flatten)]
    days: Days,
    /// Only what came through links with this business property
    #[arg(long, value_name = "NAME:VALUE")]
    bus_prop: Option<String>,
}

/// Which feedbacks.
#[derive(Args)]
pub(crate) struct FeedbackFilter {
    #[command(flatten)]
    one: FormDays,
    /// Only those whose link has this tracking field, up to six times
    #[arg(long, value_name = "NAME=VALUE")]
    track: Vec<String>,
    /// How many at most
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    /// Print all of them as lines
    #[arg(long, value_parser = ["csv", "ndjson"], conflicts_with_all = ["limit", "json"])]
    lines: Option<String>,
}

impl Days {
    /// Both, as segments of a path.
    fn path(&self) -> String {
        format!("{}/{}", segment(&self.start), segment(&self.end))
    }
}

impl FormDays {
    /// The path of an operation that names the days first.
    fn path(&self, operation: &str) -> String {
        let (days, form, tail) = (self.days.path(), segment(&self.form), self.tail());
        format!("{REPORTS}/{operation}/{days}/{form}{tail}")
    }

    fn tail(&self) -> String {
        let bus_prop = self.bus_prop.as_deref().map(segment);
        bus_prop.map_or_else(String::new, |segment| format!("/{segment}"))
    }
}

pub(crate) async fn run(service: &ServiceClient, command: Command) -> anyhow::Result<()> {
    let (path, show): (_, fn(&Value) -> String) = match command {
        Command::Overview(days) => (
            format!("{REPORTS}/overview/{}", days.path()),
            show::overview,
        ),
        Command::Form(one) => {
            let (form, days, tail) = (segment(&one.form), one.days.path(), one.tail());
            (format!("{REPORTS}/form/{form}/{days}{tail}"), show::form)
        }
        Command::Summary(one) => (one.path("summary"), show::summary),
        Command::Feedbacks(list) => return feedbacks("feedbacks", &list, service).await,
        Command::Comments(list) => return feedbacks("feedbacks/comment", &list, service).await,
    };
    service.show(service.call(Method::GET, &path), show).await
}

async fn feedbacks(
    operation: &str,
    list: &FeedbackFilter,
    service: &ServiceClient,
) -> anyhow::Result<()> {
    let tracked = list.track.iter().map(|field| ("track_field", field));
    let limit = list.lines.is_none().then_some(list.limit);
    let call = service
        .call(Method::GET, &list.one.path(operation))
        .query(&tracked.collect::<Vec<_>>())
        .query(&[("limit", limit)]);
    let kind = match list.lines.as_deref() {
        None => return service.show(call, show::feedbacks).await,
        Some("csv") => "text/csv",
        Some(_) => "application/x-ndjson",
    };
    let mut answer = call.header(ACCEPT, kind).send().await?;
    if !answer.status().is_success() {
        return read(answer).await.map(drop);
    }
    while let Some(piece) = answer.chunk().await? {
        stdout().lock().write_all(&piece)?;
    }
    Ok(())
}
