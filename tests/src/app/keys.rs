//! Keys, made and ended as an operator does: with `feedback key …` beside the running service.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::App;

/// One issued key.
#[derive(Clone, Debug)]
pub struct IssuedKey {
    /// The account it belongs to.
    pub account_id: String,
    /// For the header `x-api-key`.
    pub api_key: String,
    /// For the header `x-secret-key`.
    pub secret_key: String,
    /// What it may do.
    pub scopes: Vec<String>,
}

impl App {
    /// `feedback key create --account ACCOUNT --json`, with more arguments such as `--scopes report`.
    ///
    /// # Errors
    /// When the command fails or prints anything but the key.
    pub async fn create_key(&self, account: &str, more: &[&str]) -> Result<IssuedKey> {
        let mut arguments = vec!["key", "create", "--account", account, "--json"];
        arguments.extend(more);
        self.issued(&arguments).await
    }

    /// `feedback key rotate KEY --json`: the same key with a second secret.
    ///
    /// # Errors
    /// When the command fails or prints anything but the key.
    pub async fn rotate_key(&self, api_key: &str) -> Result<IssuedKey> {
        self.issued(&["key", "rotate", api_key, "--json"]).await
    }

    /// `feedback key revoke KEY`.
    ///
    /// # Errors
    /// When the command fails.
    pub async fn revoke_key(&self, api_key: &str) -> Result<()> {
        self.succeeds(&["key", "revoke", api_key]).await.map(|_| ())
    }

    /// Runs `feedback ARGUMENTS` and returns its standard output.
    ///
    /// # Errors
    /// When the command fails.
    pub async fn succeeds(&self, arguments: &[&str]) -> Result<String> {
        let output = self.cli(arguments).await?;
        ensure!(
            output.status.success(),
            "feedback {arguments:?}: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Runs `feedback ARGUMENTS`, which must end with 1 and say why.
    ///
    /// # Errors
    /// When it does not.
    pub async fn refuses(&self, arguments: &[&str], reason: &str) -> Result<()> {
        self.refuses_with(arguments, &[], reason).await
    }

    /// The same with more variables.
    ///
    /// # Errors
    /// As [`Self::refuses`].
    pub async fn refuses_with(
        &self,
        arguments: &[&str],
        variables: &[(&str, &str)],
        reason: &str,
    ) -> Result<()> {
        let output = self.cli_with(arguments, variables).await?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        let is_refused = output.status.code() == Some(1) && stderr.contains(reason);
        ensure!(is_refused, "feedback {arguments:?}: {stderr}");
        Ok(())
    }

    async fn issued(&self, arguments: &[&str]) -> Result<IssuedKey> {
        let printed = self.succeeds(arguments).await?;
        let value: Value = serde_json::from_str(&printed)
            .with_context(|| format!("feedback {arguments:?} printed no JSON"))?;
        let text = |member: &str| {
            let text = value[member].as_str().map(str::to_owned);
            text.with_context(|| format!("no {member} printed"))
        };
        let scopes = value["scopes"].as_array().context("no scopes printed")?;
        Ok(IssuedKey {
            account_id: text("account_id")?,
            api_key: text("api_key")?,
            secret_key: text("secret_key")?,
            scopes: scopes
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        })
    }
}
