//! `feedback copy`: whoever outgrows the embedded database takes everything to PostgreSQL. What is done is shown on stderr; at the
//! end all counts of the copy are verified.

use platform::config::{Args, ProcessRole};
use platform::copy::copy;
use platform::start::Process;

use crate::{counts, migrate};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The empty database on PostgreSQL, named as in `DATABASE_URL`, or @FILE with that in it
    #[arg(long, value_name = "URL")]
    to: String,
    #[command(flatten)]
    settings: Args,
}

pub(crate) async fn run(arguments: Arguments, process: Process) -> anyhow::Result<()> {
    let from = arguments.settings.config(ProcessRole::Serve)?;
    let to = from.with_database("--to", &arguments.to)?;
    let rows = copy(&from, &to, &*migrate::watch()).await?;
    counts::verify(to, &counts::VerifyOutput::default(), process).await?;
    eprintln!("copied {rows} rows");
    if let Some(file) = from.pepper_file() {
        let file = file.display();
        eprintln!("phones are known by the pepper in {file}: start with FEEDBACK_PEPPER=@{file}");
    }
    Ok(())
}
