//! `feedback report …`: the reports as tables in a terminal, or as the service answers them. `table` aligns, `show` picks what
//! a table has.

mod show;
mod table;

use std::io::{Write, stdout};

use clap::{Args, Subcommand, ValueEnum};
use reqwest::Method;
use reqwest::header::ACCEPT;

use crate::service::{Output, read, segment};

/// Where reports are.
const REPORTS: &str = "/api_v1/report";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// All forms together, each form, and the recipients
    Overview {
        #[command(flatten)]
        days: Days,
        #[command(flatten)]
        output: Output,
    },
    /// A form: its figures, how each field was answered, the latest comments
    Form(One),
    /// A form's figures, and how they differ from the same number of days before
    Summary(One),
    /// A form's feedbacks, newest first
    Feedbacks(List),
    /// A form's feedbacks with a comment, newest first
    Comments(List),
}

/// Which days.
#[derive(Args)]
pub(crate) struct Days {
    /// First day, YYYY-MM-DD
    start: String,
    /// Last day, at most 1,830 days in all
    end: String,
}

/// Which form and days, and how to say it.
#[derive(Args)]
pub(crate) struct One {
    /// The form's id
    form: String,
    #[command(flatten)]
    days: Days,
    /// Only what came through links with this business property
    #[arg(long, value_name = "NAME:VALUE")]
    bus_prop: Option<String>,
    #[command(flatten)]
    output: Output,
}

/// Which feedbacks, and how to say them.
#[derive(Args)]
pub(crate) struct List {
    #[command(flatten)]
    one: One,
    /// Only those whose link has this tracking field, up to six times
    #[arg(long, value_name = "NAME=VALUE")]
    track: Vec<String>,
    /// How many at most
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    /// Print all of them as lines
    #[arg(long, value_enum, conflicts_with_all = ["limit", "json"])]
    lines: Option<Lines>,
}

/// Kinds of lines.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Lines {
    Csv,
    Ndjson,
}

impl Lines {
    fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Ndjson => "application/x-ndjson",
        }
    }
}

impl Days {
    /// Both, as segments of a path.
    fn path(&self) -> String {
        format!("{}/{}", segment(&self.start), segment(&self.end))
    }
}

impl One {
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

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Overview { days, output } => {
            let path = format!("{REPORTS}/overview/{}", days.path());
            report(&path, &output, show::overview).await
        }
        Command::Form(one) => {
            let (form, days, tail) = (segment(&one.form), one.days.path(), one.tail());
            let path = format!("{REPORTS}/form/{form}/{days}{tail}");
            report(&path, &one.output, show::form).await
        }
        Command::Summary(one) => report(&one.path("summary"), &one.output, show::summary).await,
        Command::Feedbacks(list) => feedbacks("feedbacks", &list).await,
        Command::Comments(list) => feedbacks("feedbacks/comment", &list).await,
    }
}

async fn report(
    path: &str,
    output: &Output,
    show: impl FnOnce(&serde_json::Value) -> String,
) -> anyhow::Result<()> {
    output.print(&output.service()?.get(path).await?, show)
}

async fn feedbacks(operation: &str, list: &List) -> anyhow::Result<()> {
    let tracked = list.track.iter();
    let mut query: Vec<_> = tracked
        .map(|field| format!("track_field={}", segment(field)))
        .collect();
    if list.lines.is_none() {
        query.push(format!("limit={}", list.limit));
    }
    let (path, output) = (list.one.path(operation), &list.one.output);
    let path = format!("{path}?{}", query.join("&"));
    let Some(lines) = list.lines else {
        return report(&path, output, show::feedbacks).await;
    };
    let call = output.service()?.call(Method::GET, &path);
    let mut answer = call.header(ACCEPT, lines.media_type()).send().await?;
    if !answer.status().is_success() {
        return read(answer).await.map(drop);
    }
    while let Some(piece) = answer.chunk().await? {
        stdout().lock().write_all(&piece)?;
    }
    Ok(())
}
