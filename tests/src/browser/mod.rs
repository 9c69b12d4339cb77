//! A real browser: Chromium without a window, driven through `WebDriver` as a person would use it.
//!
//! Chromium and chromedriver are processes of the test, each with a port and a folder of its own, so that both end with
//! it. Chromium is started here and not by chromedriver, which would leave it behind when it is killed itself.
//!
//! - `watch`: what went on in a page that should not have, and what axe-core says of it.

mod watch;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use fantoccini::elements::Element;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::Process;
use crate::wait::{SOON, eventually};

/// A running browser with one window.
#[derive(Debug)]
pub struct Browser {
    client: Client,
    // Ended in this order, the folder last.
    _chromedriver: Process,
    _chromium: Process,
    _folder: TempDir,
}

impl Browser {
    /// A browser that tells what scripts do, see [`Self::incidents`].
    ///
    /// # Errors
    /// When it does not start; what it printed is in the message.
    pub async fn start() -> Result<Self> {
        let browser = Self::launch(&json!({})).await?;
        browser.watch().await?;
        Ok(browser)
    }

    /// A browser whose user has turned scripts off.
    ///
    /// # Errors
    /// When it does not start; what it printed is in the message.
    pub async fn without_script() -> Result<Self> {
        let blocked = json!({"profile": {"default_content_setting_values": {"javascript": 2}}});
        Self::launch(&blocked).await
    }

    async fn launch(preferences: &Value) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("browser-").tempdir()?;
        let at = folder.path();
        std::fs::create_dir(at.join("Default"))?;
        std::fs::write(at.join("Default/Preferences"), preferences.to_string())?;
        let chromium = Process::start("chromium", &mut chromium(at), &at.join("chromium.log"))?;
        let port_file = at.join("DevToolsActivePort");
        let tools = eventually(SOON, async || {
            let text = std::fs::read_to_string(&port_file).with_context(|| chromium.log_tail())?;
            let port = text.lines().next().context("no port yet")?;
            Ok(format!("127.0.0.1:{port}"))
        })
        .await?;
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").env("HOME", at);
        let chromedriver = Process::start("chromedriver", &mut command, &at.join("driver.log"))?;
        let url = eventually(SOON, async || {
            let log = chromedriver.log()?;
            let (_, port) = log
                .split_once("started successfully on port ")
                .with_context(|| log.clone())?;
            Ok(format!(
                "http://127.0.0.1:{}",
                port.split('.').next().unwrap_or_default()
            ))
        })
        .await?;
        let mut wanted = serde_json::Map::new();
        wanted.insert(
            "goog:chromeOptions".to_owned(),
            json!({"debuggerAddress": tools}),
        );
        // A page that opens a dialogue fails the test at its next step.
        wanted.insert("unhandledPromptBehavior".to_owned(), json!("ignore"));
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(wanted)
            .connect(&url)
            .await
            .with_context(|| chromedriver.log_tail())?;
        Ok(Self {
            client,
            _chromedriver: chromedriver,
            _chromium: chromium,
            _folder: folder,
        })
    }

    /// Opens an address and waits until it is loaded.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub async fn open(&self, url: &str) -> Result<()> {
        self.client.goto(url).await.with_context(|| url.to_owned())
    }

    /// The first element that a CSS selector finds.
    ///
    /// # Errors
    /// When there is none.
    pub async fn find(&self, css: &str) -> Result<Element> {
        let found = self.client.find(Locator::Css(css)).await;
        found.with_context(|| css.to_owned())
    }

    /// Clicks what a CSS selector finds, which must not be covered once it is in the middle of the window.
    ///
    /// # Errors
    /// When it cannot be clicked.
    pub async fn click(&self, css: &str) -> Result<()> {
        let found = self.find(css).await?;
        let show = "document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})";
        self.run(show, vec![json!(css)]).await?;
        found.click().await.with_context(|| css.to_owned())
    }

    /// Types into what a CSS selector finds.
    ///
    /// # Errors
    /// When it takes no text.
    pub async fn write(&self, css: &str, text: &str) -> Result<()> {
        let written = self.find(css).await?.send_keys(text).await;
        written.with_context(|| css.to_owned())
    }

    /// Presses keys where the focus is.
    ///
    /// # Errors
    /// When nothing has the focus.
    pub async fn press(&self, keys: &str) -> Result<()> {
        Ok(self.client.active_element().await?.send_keys(keys).await?)
    }

    /// An attribute of what has the focus.
    ///
    /// # Errors
    /// When nothing has the focus.
    pub async fn focused(&self, attribute: &str) -> Result<String> {
        let element = self.client.active_element().await?;
        Ok(element.attr(attribute).await?.unwrap_or_default())
    }

    /// What an element holds now: `value`, `textContent` and the like.
    ///
    /// # Errors
    /// When there is no such element.
    pub async fn property(&self, css: &str, name: &str) -> Result<String> {
        let element = self.find(css).await?;
        Ok(element.prop(name).await?.unwrap_or_default())
    }

    /// Waits for a page with this headline (`h1`).
    ///
    /// # Errors
    /// When it does not come.
    pub async fn headline(&self, text: &str) -> Result<()> {
        eventually(SOON, async || {
            let found = self.property("h1", "textContent").await?;
            ensure!(found == text, "{found:?} is not {text:?}");
            Ok(())
        })
        .await
    }

    /// Runs the body of a function in the page and returns what it returns.
    ///
    /// # Errors
    /// When it throws.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Result<Value> {
        Ok(self.client.execute(script, arguments).await?)
    }
}

fn chromium(folder: &Path) -> Command {
    let mut command = Command::new("chromium");
    command
        .args([
            "--headless",
            // The tests may run as root, or where there are no user namespaces.
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            // What scrolls softly is not yet where a click goes.
            "--force-prefers-reduced-motion",
            "--remote-debugging-port=0",
        ])
        .arg(format!("--user-data-dir={}", folder.display()))
        .arg("about:blank")
        .env("HOME", folder);
    command
}
