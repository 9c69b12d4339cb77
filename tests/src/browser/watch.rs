//! What a page did that none should, how it looks to others, and what axe-core says of it.

use anyhow::{Context, Result, ensure};
use fantoccini::wd::WebDriverCompatibleCommand;
use reqwest::{Method, Url};
use serde_json::{Value, json};

use super::Browser;
use crate::tools;

/// Runs in each page before anything of the page does.
const WATCH: &str = "
    const incidents = [];
    Object.defineProperty(window, 'incidents', {value: incidents});
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open', 'eval'])
        window[name] = (...given) => { incidents.push(`${name}(${given})`); };
    addEventListener('error', event => { incidents.push(`error: ${event.message}`); }, true);
    document.addEventListener('securitypolicyviolation', event => {
        incidents.push(`against ${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`);
    });
";

/// A command of Chromium's own protocol.
#[derive(Debug)]
struct DevTools(&'static str, Value);

impl WebDriverCompatibleCommand for DevTools {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, url::ParseError> {
        base.join(&format!(
            "session/{}/goog/cdp/execute",
            session.unwrap_or_default()
        ))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        let body = json!({"cmd": self.0, "params": self.1});
        (Method::POST, Some(body.to_string()))
    }
}

impl Browser {
    async fn tell(&self, command: &'static str, parameters: Value) -> Result<()> {
        let issued = self.client.issue_cmd(DevTools(command, parameters)).await;
        issued.map(|_| ()).context(command)
    }

    pub(super) async fn watch(&self) -> Result<()> {
        self.before_pages(WATCH).await
    }

    /// Runs a script in each page to come, before anything of the page does.
    ///
    /// # Errors
    /// When the browser is gone.
    pub async fn before_pages(&self, script: &str) -> Result<()> {
        let command = "Page.addScriptToEvaluateOnNewDocument";
        self.tell(command, json!({"source": script})).await
    }

    /// A screen of so many pixels (CSS) for someone who likes `light` or `dark` and no movement.
    ///
    /// # Errors
    /// When the browser is gone.
    pub async fn look(&self, width: u32, scheme: &str) -> Result<()> {
        let screen =
            json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        self.tell("Emulation.setDeviceMetricsOverride", screen)
            .await?;
        let features = json!({"features": [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]});
        self.tell("Emulation.setEmulatedMedia", features).await
    }

    /// Nothing ran in this page that should not, and its policy had nothing to refuse: no text became markup.
    ///
    /// # Errors
    /// When something did.
    pub async fn no_incidents(&self) -> Result<()> {
        let incidents = self.run("return window.incidents", vec![]).await?;
        ensure!(
            incidents == json!([]),
            "in {}: {incidents}",
            self.client.current_url().await?
        );
        Ok(())
    }

    /// axe-core finds nothing serious or critical in this page.
    ///
    /// # Errors
    /// When it does.
    pub async fn is_accessible(&self) -> Result<()> {
        let axe = tools::axe()?;
        self.run(&axe, vec![]).await?;
        let script = "const done = arguments[0]; axe.run().then(found => done(found.violations), fault => done(`${fault}`));";
        let violations = self.client.execute_async(script, vec![]).await?;
        let violations = violations
            .as_array()
            .with_context(|| violations.to_string())?;
        let serious: Vec<&Value> = violations
            .iter()
            .filter(|violation| {
                ["serious", "critical"].contains(&violation["impact"].as_str().unwrap_or_default())
            })
            .collect();
        ensure!(serious.is_empty(), "{serious:#?}");
        Ok(())
    }

    /// Everything fits into the width of the screen, and what is to be touched has 44 px each way.
    ///
    /// # Errors
    /// When something does not, or is smaller.
    pub async fn fits(&self) -> Result<()> {
        self.fits_width().await?;
        let small = "
            const touched = 'label:has(input), button, input[type=text], textarea, li a';
            const small = element => {
                const {width, height} = element.getBoundingClientRect();
                return width < 44 || height < 44;
            };
            return [...document.querySelectorAll(touched)].filter(small).map(element => element.outerHTML);
        ";
        let small = self.run(small, vec![]).await?;
        ensure!(small == json!([]), "too small to touch: {small}");
        Ok(())
    }

    /// Everything fits into the width of the screen.
    ///
    /// # Errors
    /// When something does not.
    pub async fn fits_width(&self) -> Result<()> {
        let widths = "return [document.documentElement.scrollWidth, innerWidth]";
        let widths = self.run(widths, vec![]).await?;
        ensure!(
            widths[0].as_u64() <= widths[1].as_u64(),
            "it is wider than the screen: {widths}"
        );
        Ok(())
    }
}
