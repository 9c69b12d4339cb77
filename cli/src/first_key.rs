//! The first start on an empty store: an account and a key, shown once with two commands to paste.

use std::fs::OpenOptions;
use std::io::{IsTerminal, Write, stdout};
use std::os::unix::fs::OpenOptionsExt;

use anyhow::Context;
use domain::scope::Scopes;
use platform::config::Config;
use store::Store;
use store::account::IssuedKey;

const ACCOUNT: &str = "default";

/// Makes the first key where there is no account yet, and shows it: on a terminal, otherwise in `first-key.json`
/// (mode 0600) in the data folder, so that no log collector keeps a secret.
pub(crate) async fn ensure(store: &Store, config: &Config) -> anyhow::Result<()> {
    if store.has_accounts().await? {
        return Ok(());
    }
    let issued = store.create_key(ACCOUNT, None, Scopes::ALL).await?;
    if stdout().is_terminal() {
        let mut out = stdout().lock();
        writeln!(out, "{}", welcome(&issued, config))?;
        return Ok(());
    }
    config.make_data_dir()?;
    let path = config.data_dir.join("first-key.json");
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("writing {}", path.display()))?;
    writeln!(file, "{}", serde_json::to_string_pretty(&issued)?)?;
    tracing::info!(file = %path.display(), "first start: made an account and wrote its key to this file");
    Ok(())
}

fn welcome(issued: &IssuedKey, config: &Config) -> String {
    let headers = format!(
        "-H 'x-api-key: {}' -H 'x-secret-key: {}'",
        issued.api_key, issued.secret_key
    );
    // An address that means "all of them" is none to call.
    let host = match config.listen.ip() {
        ip if ip.is_unspecified() => format!("127.0.0.1:{}", config.listen.port()),
        _ => config.listen.to_string(),
    };
    let base = format!("http://{host}/api_v1/sms");
    format!(
        r#"
First start: this is the key of the account "{ACCOUNT}". Its secret is shown only now.

  api_key     {}
  secret_key  {}

Import two recipients:

curl -sw '\n' {headers} -H 'content-type: application/json' {base}/import -d '[{{"docid":"order-1","phone":"+4915112345678","store_code":"S1"}},{{"docid":"order-2","phone":"+33612345678"}}]'

Read one back:

curl -sw '\n' {headers} {base}/recipient/order-1
"#,
        issued.api_key, issued.secret_key
    )
}
