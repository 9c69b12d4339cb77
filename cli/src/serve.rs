//! `feedback serve`: api and worker in one process, on whatever backends the settings name. The first start on an empty store makes
//! an account and a key, shown once with two commands to paste, and prints a link for its first admin.

use std::fs::OpenOptions;
use std::io::{IsTerminal, Write, stdout};

use api::FirstAdmin;
use domain::key::NewKey;
use domain::scope::Scopes;
use platform::backends::Backends;
use platform::config::{Config, ConfigError, write_private};
use platform::migrate::{mark_served, migrate_embedded, remove_old_copies};
use platform::start::Process;
use store::Store;
use store::account::IssuedKey;
use tokio_util::sync::CancellationToken;
use worker::{Work, Worker};

use crate::user::note_done;

/// Runs the service. `prepare` fills the store before the first request; what it starts ends with the token. It may give a link for
/// whoever signs in first.
pub(crate) async fn run(
    config: Config,
    prepare: impl AsyncFnOnce(
        &Backends,
        &Config,
        &CancellationToken,
    ) -> anyhow::Result<Option<FirstAdmin>>,
    process: Process,
) -> anyhow::Result<()> {
    migrate_embedded(&config).await?;
    let Some(backends) = Backends::open(&config, &process.shutdown).await? else {
        return Ok(());
    };
    let served_file = mark_served(&config);
    // The api ends first: the worker still stores what it accepts in its last moments.
    let drained = CancellationToken::new();
    let worker = Worker::new(backends.clone(), &config, Work::ALL, drained.clone());
    let checks = worker.checks();
    tokio::spawn(remove_old_copies(config.clone(), drained.clone()));
    let worker = tokio::spawn(worker.run());
    let store = backends.store.clone();
    let served = async {
        let first_admin = Box::pin(prepare(&backends, &config, &drained)).await?;
        anyhow::Ok(api::serve(&config, backends, &process, checks, first_admin).await?)
    };
    let served = served.await;
    drained.cancel();
    worker.await?;
    store.close().await;
    drop(served_file);
    served
}

const ACCOUNT: &str = "default";

/// Makes the first key where there is no account yet, and prints a link for the first admin while nobody can sign in.
pub(crate) async fn start(
    backends: &Backends,
    config: &Config,
    _ended: &CancellationToken,
) -> anyhow::Result<Option<FirstAdmin>> {
    ensure_first_key(&backends.store, config).await?;
    print_first_link(&backends.store, config).await
}

/// Makes the first key, and shows it before it counts: on a terminal, otherwise in `first-key.json` (mode 0600) in the data
/// directory, so that no log collector keeps a secret.
async fn ensure_first_key(store: &Store, config: &Config) -> anyhow::Result<()> {
    if store.has_accounts().await? {
        return Ok(());
    }
    let show = |issued: &IssuedKey| {
        if stdout().is_terminal() {
            Ok(writeln!(stdout().lock(), "{}", welcome(issued, config))?)
        } else {
            Ok(write_file(issued, config)?)
        }
    };
    let new = NewKey::from(Scopes::ALL);
    let issued = store
        .create_key_shown(ACCOUNT, None, new.clone(), show)
        .await?;
    let scopes = issued.scopes;
    let subject = NewKey { scopes, ..new }.subject();
    note_done(store, issued.account_id, "key.create", &subject).await
}

/// Prints a link for the first admin of the only account, as long as it has nothing that a reader of a log should not see.
async fn print_first_link(store: &Store, config: &Config) -> anyhow::Result<Option<FirstAdmin>> {
    let Some((account_id, account)) = store.only_account().await? else {
        return Ok(None);
    };
    if !store.people(None).await?.is_empty() {
        return Ok(None);
    }
    if store.has_counted_days(account_id).await? {
        tracing::info!(
            account,
            "nobody can sign in to the dashboard yet: `feedback user add NAME --account ACCOUNT --role admin` adds somebody"
        );
        return Ok(None);
    }
    let (first_admin, path) = FirstAdmin::new(account_id, account);
    let url = config.public_url.as_str();
    let text = format!(
        "
Open the dashboard with this link, which works once, within a day:

  {url}{path}

There you choose your name, your password, the name of your company and the time zone of your reports.

"
    );
    stdout().lock().write_all(text.as_bytes())?;
    Ok(Some(first_admin))
}

fn write_file(issued: &IssuedKey, config: &Config) -> anyhow::Result<()> {
    config.make_data_dir()?;
    let path = config.data_dir.join("first-key.json");
    let issued = serde_json::to_string_pretty(issued)?;
    let mut anew = OpenOptions::new();
    anew.create(true).truncate(true);
    write_private(&path, &mut anew, &issued).map_err(|error| {
        let reason = format!("cannot write {}: {error}", path.display());
        ConfigError::new("FEEDBACK_DATA_DIR", reason)
    })?;
    tracing::info!(file = %path.display(), "first start: wrote the key of a new account to this file");
    Ok(())
}

fn welcome(issued: &IssuedKey, config: &Config) -> String {
    let headers = format!(
        "-H 'x-api-key: {}' -H 'x-secret-key: {}'",
        issued.api_key, issued.secret_key
    );
    // Nobody can call an address that stands for all of a machine's.
    let host = match config.listen.ip() {
        ip if ip.is_unspecified() => format!("127.0.0.1:{}", config.listen.port()),
        _ => config.listen.to_string(),
    };
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let base = format!("{scheme}://{host}/api_v1/sms");
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
