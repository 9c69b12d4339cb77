//! `feedback serve --demo`: from nothing to a dashboard with one command.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use tempfile::TempDir;
use tests::app::{App, Program};
use tests::client::Client;
use tests::person::Person;
use tests::process::Process;
use tests::servers::free_port;
use tests::wait::{LATER, eventually};

/// A demo in a folder of its own, embedded: what it needs is a folder.
struct Demo {
    process: Process,
    client: Client,
    folder: TempDir,
}

impl Demo {
    fn start(folder: TempDir) -> Result<Self> {
        let port = free_port()?;
        let log = folder.path().join("demo.log");
        let mut command = std::process::Command::new(Program::path()?);
        command
            .env_clear()
            .args(["serve", "--demo"])
            .env("FEEDBACK_DATA_DIR", folder.path().join("data"))
            .env("FEEDBACK_LISTEN", format!("127.0.0.1:{port}"));
        Ok(Self {
            process: Process::start("demo", &mut command, &log)?,
            client: Client::new(format!("http://127.0.0.1:{port}"))?,
            folder,
        })
    }

    /// The path of the first URL that it prints, once it answers.
    async fn link(&self) -> Result<String> {
        eventually(LATER, async || {
            self.client.get("/health/live").await?;
            let log = self.process.log()?;
            // An earlier demo in this folder had another port.
            let mut words = log.split_whitespace();
            let path = words.find_map(|word| word.strip_prefix(self.client.base()));
            Ok(path.context("no link of this service")?.to_owned())
        })
        .await
    }

    /// Each example of the guide that stands before the reference.
    async fn runs_the_guide(&self) -> Result<()> {
        let document = self
            .client
            .get("/openapi.json")
            .await?
            .expect(200)?
            .json()?;
        let guide = document["info"]["description"].as_str();
        let blocks = guide.context("no guide")?.split("```").skip(1).step_by(2);
        let log = self.process.log()?;
        let keys = log
            .lines()
            .filter_map(|line| line.trim().strip_prefix("export "));
        let keys: Vec<_> = keys.filter_map(|line| line.split_once('=')).collect();
        let mut count = 0;
        for (kind, code) in blocks.filter_map(|block| block.split_once('\n')) {
            let (program, arguments) = match kind {
                "sh" => ("bash", vec!["-ec", code]),
                "python" => ("python3", vec!["-c", code]),
                "javascript" => ("node", vec!["--input-type=module", "-e", code]),
                "java" => {
                    std::fs::write(self.folder.path().join("Example.java"), code)?;
                    ("java", vec!["Example.java"])
                }
                "json" => {
                    serde_json::from_str::<serde_json::Value>(code)?;
                    continue;
                }
                other => anyhow::bail!("an example in {other}"),
            };
            let mut example = tokio::process::Command::new(program);
            example.args(arguments).envs(keys.iter().copied());
            let output = example
                .current_dir(self.folder.path())
                .env("FEEDBACK_URL", self.client.base())
                .output()
                .await?;
            ensure!(output.status.success(), "{code}: {output:?}");
            count += 1;
        }
        ensure!(count > 6, "{count} examples");
        Ok(())
    }

    async fn use_link(&self, path: &str) -> Result<tests::client::Answer> {
        let call = self.client.call(Method::POST, path);
        call.header("origin", self.client.base()).send().await
    }
}

/// The addresses on a page that begin so.
fn addresses<'a>(page: &'a str, start: &'a str) -> impl Iterator<Item = String> + 'a {
    let rests = page.split(start).skip(1);
    rests.filter_map(move |rest| Some(format!("{start}{}", rest.split(['"', '?']).next()?)))
}

/// What a browser loads is at most 150 kB at first, and 25 kB a page afterwards.
async fn pages_are_light(person: &Person) -> Result<()> {
    let size = async |path: &str| {
        let call = person.call(Method::GET, path);
        let call = call.header("accept-encoding", "gzip");
        anyhow::Ok(call.send().await?.expect(200)?.body.len())
    };
    let overview = person.get("/dashboard").await?.expect(200)?;
    let overview = overview.text()?;
    let mut first = size("/dashboard").await?;
    for asset in addresses(overview, "/dashboard/assets/") {
        first += size(&asset).await?;
    }
    ensure!(first <= 150_000, "{first} bytes at first");
    let form = addresses(overview, "/dashboard/form/").next();
    let form = format!("{}?days=90", form.context("no form")?);
    for path in [
        "/dashboard?days=90",
        &form,
        "/dashboard/answers?show=all",
        "/dashboard/recipients",
    ] {
        let size = size(path).await?;
        ensure!(size <= 25_000, "{path}: {size} bytes");
    }
    Ok(())
}

#[tokio::test]
async fn a_demo_has_a_company_to_look_at_and_goes_on_with_it() -> Result<()> {
    let mut demo = Demo::start(tempfile::tempdir()?)?;
    let link = demo.link().await?;
    // Looking at it does not use it up.
    for _ in 0..2 {
        demo.client.get(&link).await?.expect(200)?;
    }
    demo.runs_the_guide().await?;
    let person = Person::of_answer(&demo.client, &demo.use_link(&link).await?.expect(303)?)?;
    for used in [demo.use_link(&link).await?, demo.client.get(&link).await?] {
        ensure!(used.status == 410, "{used:?}");
    }
    for (path, texts) in [
        ("/dashboard?days=90", ["Your visit", "Clear low"].as_slice()),
        ("/dashboard/campaigns", &["Running", "Paused", "Finished"]),
        ("/dashboard/answers", &["NPS"]),
        ("/dashboard/imports", &["Completed"]),
    ] {
        let page = person.get(path).await?.expect(200)?;
        for text in texts {
            ensure!(page.text()?.contains(text), "{path} has no {text}");
        }
    }
    pages_are_light(&person).await?;
    // Numbers move while one looks: guests come with an import that has rejected rows.
    eventually(LATER, async || {
        let imports = person.get("/dashboard/imports").await?.expect(200)?;
        ensure!(
            imports
                .text()?
                .contains("class=\"n bad\" data-label=\"Rejected\">5<"),
            "no rejected rows"
        );
        Ok(())
    })
    .await?;
    // … and some of the guests look at their links.
    let today = async || {
        let page = person.get("/dashboard?days=1").await?.expect(200)?;
        let (_, value) = page
            .text()?
            .split_once("class=\"value\">")
            .context("no figure")?;
        anyhow::Ok(value.split('<').next().unwrap_or_default().to_owned())
    };
    let views = today().await?;
    eventually(LATER, async || {
        ensure!(today().await? != views, "still {views} views");
        Ok(())
    })
    .await?;
    demo.process.kill()?;
    let again = Demo::start(demo.folder)?;
    let new = again.link().await?;
    ensure!(new != link, "the same link");
    again.use_link(&new).await?.expect(303)?;
    let mut verify = std::process::Command::new(Program::path()?);
    verify
        .env_clear()
        .arg("verify")
        .env("FEEDBACK_DATA_DIR", again.folder.path().join("data"));
    let verified = tokio::process::Command::from(verify).output().await?;
    ensure!(verified.status.success(), "{verified:?}");
    Ok(())
}

#[tokio::test]
async fn a_store_with_accounts_is_no_place_for_a_demo() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let output = app
        .cli_with(&["serve", "--demo"], &[("FEEDBACK_LISTEN", "127.0.0.1:0")])
        .await?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(
        !output.status.success() && said.contains("accounts already"),
        "{output:?}"
    );
    Ok(())
}
