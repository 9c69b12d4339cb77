//! `feedback report …`: the reports as tables in a terminal, or as the service answers them. `table` aligns, `show` picks what
//! a table has.

mod show;
mod table;

use std::io::{Write, stdout};

use clap::{Args, Subcommand, ValueEnum};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use reqwest::header::ACCEPT;

use crate::service::{Connection, Service, read};

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
    Form {
        #[command(flatten)]
        args: ReportArgs,
        #[command(flatten)]
        output: Output,
    },
    /// A form's figures, and how they differ from the same number of days before
    Summary {
        #[command(flatten)]
        args: ReportArgs,
        #[command(flatten)]
        output: Output,
    },
    /// A form's feedbacks, newest first
    Feedbacks {
        #[command(flatten)]
        args: ReportArgs,
        #[command(flatten)]
        list: List,
    },
    /// A form's feedbacks with a comment, newest first
    Comments {
        #[command(flatten)]
        args: ReportArgs,
        #[command(flatten)]
        list: List,
    },
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
pub(crate) struct ReportArgs {
    /// The form's id
    form: String,
    #[command(flatten)]
    days: Days,
    /// Only what came through links with this business property
    #[arg(long, value_name = "NAME:VALUE")]
    bus_prop: Option<String>,
}

/// Where to ask, and how to say it.
#[derive(Args)]
pub(crate) struct Output {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Which feedbacks, and how to say them.
#[derive(Args)]
pub(crate) struct List {
    /// Only those whose link has this tracking field, up to six times
    #[arg(long, value_name = "NAME=VALUE")]
    track: Vec<String>,
    /// How many at most
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    /// Print all of them as lines
    #[arg(long, value_enum, conflicts_with = "limit")]
    lines: Option<Lines>,
    /// Print one page as JSON
    #[arg(long, conflicts_with = "lines")]
    json: bool,
    #[command(flatten)]
    connection: Connection,
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

impl ReportArgs {
    /// The path of an operation that names the days first.
    fn path(&self, operation: &str) -> String {
        let (start, end) = (segment(&self.days.start), segment(&self.days.end));
        let (form, tail) = (segment(&self.form), self.tail());
        format!("{REPORTS}/{operation}/{start}/{end}/{form}{tail}")
    }

    fn tail(&self) -> String {
        let bus_prop = self.bus_prop.as_deref().map(segment);
        bus_prop.map_or_else(String::new, |segment| format!("/{segment}"))
    }
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Overview { days, output } => {
            let (start, end) = (segment(&days.start), segment(&days.end));
            let path = format!("{REPORTS}/overview/{start}/{end}");
            report(&path, &output, show::overview).await
        }
        Command::Form { args, output } => {
            let (start, end) = (segment(&args.days.start), segment(&args.days.end));
            let (form, tail) = (segment(&args.form), args.tail());
            let path = format!("{REPORTS}/form/{form}/{start}/{end}{tail}");
            report(&path, &output, show::form).await
        }
        Command::Summary { args, output } => {
            report(&args.path("summary"), &output, show::summary).await
        }
        Command::Feedbacks { args, list } => feedbacks(&args.path("feedbacks"), &list).await,
        Command::Comments { args, list } => feedbacks(&args.path("feedbacks/comment"), &list).await,
    }
}

async fn report(
    path: &str,
    output: &Output,
    show: impl FnOnce(&serde_json::Value) -> String,
) -> anyhow::Result<()> {
    let body = Service::new(&output.connection)?.get(path).await?;
    let text = if output.json {
        format!("{}\n", serde_json::to_string(&body)?)
    } else {
        show(&body)
    };
    stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

async fn feedbacks(path: &str, list: &List) -> anyhow::Result<()> {
    let service = Service::new(&list.connection)?;
    let tracked = list
        .track
        .iter()
        .map(|field| ("track_field", field.clone()));
    let mut query: Vec<_> = tracked.collect();
    if list.lines.is_none() {
        query.push(("limit", list.limit.to_string()));
    }
    let query: Vec<_> = query
        .into_iter()
        .map(|(name, value)| format!("{name}={}", segment(&value)))
        .collect();
    let call = service.call(Method::GET, &format!("{path}?{}", query.join("&")));
    if let Some(lines) = list.lines {
        let mut answer = call.header(ACCEPT, lines.media_type()).send().await?;
        if !answer.status().is_success() {
            return read(answer).await.map(drop);
        }
        while let Some(piece) = answer.chunk().await? {
            stdout().lock().write_all(&piece)?;
        }
        return Ok(());
    }
    let body = read(call.send().await?).await?;
    let text = if list.json {
        format!("{}\n", serde_json::to_string(&body)?)
    } else {
        show::feedbacks(&body)
    };
    stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// A text as one segment of a path, or one value of a query.
fn segment(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
