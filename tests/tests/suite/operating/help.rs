//! The help of each command ends with examples that work, and `--json` prints one JSON value.

use std::fs::File;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tests::app::{App, IssuedKey, Program};
use tests::campaign::on_import;
use tests::client::Client;
use tests::form::form;
use tests::servers::Account;
use tests::wait::LATER;
use tokio::process::Command;

/// What prints no results, or something for a shell.
const WITHOUT_JSON: [&str; 8] = [
    "serve",
    "api",
    "worker",
    "copy",
    "backup",
    "restore",
    "rebuild",
    "completions",
];
/// What other tests run: processes that do not end, and what needs another database.
const RUN_ELSEWHERE: [&str; 7] = [
    "serve",
    "api",
    "worker",
    "copy",
    "backup",
    "restore",
    "migrate distribute",
];

/// The commands below one, by its help.
fn below(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.split_whitespace().next());
    let names = names.filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// The examples at the end of a help.
fn examples(help: &str) -> Result<Vec<String>> {
    let (_, examples) = help.split_once("\nExamples:\n").context("no examples")?;
    Ok(examples
        .lines()
        .map(|line| line.trim().to_owned())
        .collect())
}

/// Each command that has none below it, with its help, in the order in which they are listed.
async fn commands(app: &App) -> Result<Vec<(String, String)>> {
    let mut open = vec![String::new()];
    let mut commands = Vec::new();
    while let Some(name) = open.pop() {
        let words = name.split_whitespace();
        let arguments: Vec<_> = words.chain(["--help"]).collect();
        let help = app.succeeds(&arguments).await?;
        let examples = examples(&help).context(name.clone())?;
        ensure!((1..=2).contains(&examples.len()), "{name}: {examples:?}");
        let names = below(&help);
        if names.is_empty() {
            commands.push((name, help));
            continue;
        }
        let names = names.iter().rev();
        open.extend(names.map(|below| format!("{name} {below}").trim().to_owned()));
    }
    Ok(commands)
}

/// What must have been done before an example, besides making what it names.
fn before(command: &str) -> &'static str {
    match command {
        "import" | "campaign pause" | "campaign finish" | "campaign cancel" | "campaign resend" => {
            "feedback campaign start $CAMPAIGN"
        }
        "campaign resume" => "feedback campaign start $CAMPAIGN; feedback campaign pause $CAMPAIGN",
        // Otherwise it is watched until somebody ends it.
        "campaign show" => "feedback campaign start $CAMPAIGN; feedback campaign cancel $CAMPAIGN",
        // Rows are sealed within seconds.
        "audit verify" => {
            "until SEAL=$(feedback audit verify --account shop | grep -o '[0-9]*:[0-9a-f]*$'); do sleep 0.1; done"
        }
        "account end" => "feedback key create --account closed-shop",
        // It was removed by the example before.
        "user role" => "feedback user add bob --account shop --role viewer < password.txt",
        _ => ":",
    }
}

/// Runs a line where what the examples name is there, each time anew; its standard output.
async fn run(
    app: &App,
    client: &Client,
    command: &str,
    line: &str,
    keys: &IssuedKey,
) -> Result<String> {
    let folder = app.folder().join("examples");
    let made = if ["form publish", "form replace"].contains(&command) {
        client.draft(&form()).await?
    } else {
        client.published(&form()).await?
    };
    let trackable = client
        .link(&client.published(&form()).await?, "", &[])
        .await?;
    let campaign = client.campaign(|form| on_import(form, "demo")).await?;
    let to_make = on_import(&made, "demo").to_string();
    std::fs::write(folder.join("campaign.json"), to_make)?;
    let key = app.create_key("shop", &[]).await?.api_key;
    let mut shell = app.shell(&format!("{{ {}; }} > /dev/null; {line}", before(command)))?;
    shell
        .current_dir(&folder)
        .env("FEEDBACK_URL", client.base())
        .env("FEEDBACK_API_KEY", &keys.api_key)
        .env("FEEDBACK_SECRET_KEY", &keys.secret_key)
        .env("KEY", key);
    for (variable, found, id) in [
        ("FORM", &made, "form_id"),
        ("TOKEN", &trackable, "token"),
        ("CAMPAIGN", &campaign, "campaign_id"),
    ] {
        shell.env(variable, found[id].as_str().context(id)?);
    }
    // Some ask for a password.
    shell.stdin(Stdio::from(File::open(folder.join("password.txt"))?));
    let output = within(LATER, shell).await.context(line.to_owned())?;
    ensure!(output.status.success(), "{line}: {output:?}");
    Ok(String::from_utf8(output.stdout)?)
}

async fn within(deadline: Duration, mut command: Command) -> Result<std::process::Output> {
    let ended = tokio::time::timeout(deadline, command.output()).await;
    Ok(ended.context("it does not end")??)
}

#[tokio::test]
async fn the_examples_of_every_command_work_and_its_json_is_one_value() -> Result<()> {
    let app = App::start().await?;
    let zone = ["--time-zone", "Europe/Berlin"];
    let keys = app.create_key("shop", &zone).await?;
    let client = app.anonymous()?.with_keys(&keys);
    let folder = app.folder().join("examples");
    std::fs::create_dir(&folder)?;
    for (name, body) in [
        ("people.csv", "docid,phone\norder-1,+4915112345678\n"),
        (
            "customers.csv",
            "Kundennummer;Handy\r\norder-3;0151 12345680\r\n",
        ),
        ("form.json", &form().to_string()),
        ("password.txt", "a long password\n"),
    ] {
        std::fs::write(folder.join(name), body)?;
    }
    let commands = commands(&app).await?;
    ensure!(commands.len() > 40, "{} commands", commands.len());
    for (command, help) in commands {
        let has_json = help.contains("--json");
        ensure!(
            has_json != WITHOUT_JSON.contains(&&*command),
            "{command}: {help}"
        );
        let examples = examples(&help)?.into_iter();
        for example in examples.filter(|_| !RUN_ELSEWHERE.contains(&&*command)) {
            let is_plain = !has_json || [" > ", "--json"].iter().any(|part| example.contains(part));
            let line = if is_plain {
                example
            } else {
                format!("{example} --json")
            };
            let printed = run(&app, &client, &command, &line, &keys).await?;
            if has_json && !printed.is_empty() {
                let value: Value =
                    serde_json::from_str(&printed).with_context(|| format!("{line}: {printed}"))?;
                let is_list = command.ends_with(" list")
                    || ["verify", "doctor", "audit export"].contains(&&*command);
                ensure!(value.is_array() == is_list, "{line}: {value}");
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_program_is_the_part_by_whose_name_it_is_called() -> Result<()> {
    let folder = Account::folder(None, "names")?;
    for name in ["api", "worker"] {
        let link = folder.path().join(name);
        std::os::unix::fs::symlink(Program::path()?, &link)?;
        let help = Command::new(&link).arg("--help").output().await?;
        let help = String::from_utf8(help.stdout)?;
        ensure!(help.contains(&format!("Usage: feedback {name} ")), "{help}");
    }
    Ok(())
}
