//! The senders whose providers may report, and what is remembered for them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{FromRef, Path};
use domain::pepper::Pepper;
use platform::backends::Backends;
use platform::config::Config;
use sender::setting::Setting;
use sender::{Provider, tls_config};
use uuid::Uuid;

use super::{HookPath, unauthenticated};
use api_http::AppState;
use api_http::address::Network;
use api_http::deadline::{QUICK, within};
use api_http::error::Problem;

/// The state of the hooks, once a process. Cheap to clone.
#[derive(Clone)]
pub struct HookState {
    pub app: AppState,
    pub public_url: Arc<str>,
    pepper: Option<Arc<Pepper>>,
    senders: Arc<[(Setting, Arc<dyn Provider>)]>,
    /// Accounts by the numbers that references have.
    accounts: Arc<Mutex<HashMap<u32, Uuid>>>,
}

/// A sender that a request comes for.
pub struct Hook<'a> {
    pub setting: &'a Setting,
    pub provider: &'a dyn Provider,
    pub pepper: &'a Pepper,
}

impl HookState {
    pub fn new(app: &AppState, config: &Config, backends: &Backends) -> Self {
        let senders = match tls_config() {
            Ok(tls) => {
                let settings = config.senders.iter().cloned();
                let connected = settings.map(|setting| {
                    let provider = setting.connect(&tls);
                    (setting, provider)
                });
                connected.collect()
            }
            Err(error) => {
                tracing::error!(%error, "TLS cannot be used, so no sender's hooks are open");
                Arc::from([])
            }
        };
        Self {
            app: app.clone(),
            public_url: config.public_url.as_str().into(),
            pepper: backends.pepper.clone(),
            senders,
            accounts: Arc::default(),
        }
    }

    /// The sender of a path, if the key is its.
    ///
    /// # Errors
    /// 401, the same for a wrong name and a wrong key.
    pub fn find(&self, path: HookPath) -> Result<Hook<'_>, Problem> {
        let Path((name, key)) = path.map_err(|_| unauthenticated())?;
        let pepper = self.pepper.as_deref().ok_or_else(unauthenticated)?;
        if !pepper.is_hook_key(&name, &key) {
            return Err(unauthenticated());
        }
        let mut senders = self.senders.iter();
        let found = senders.find(|(setting, _)| setting.name == name);
        let (setting, provider) = found.ok_or_else(unauthenticated)?;
        Ok(Hook {
            setting,
            provider: provider.as_ref(),
            pepper,
        })
    }

    /// A request that is refused costs its address one of its failures. Without any left, that is the problem.
    pub fn charge(&self, network: Network, problem: Problem) -> Problem {
        let taken = self.app.key_failures().take(network);
        taken.err().unwrap_or(problem)
    }

    /// The account of a number. Numbers come from references that are proved to be ours.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn account(&self, number: u32) -> Result<Option<Uuid>, Problem> {
        if let Some(known) = self.accounts().get(&number).copied() {
            return Ok(Some(known));
        }
        let found = within(QUICK, self.app.store().account_of_number(number)).await?;
        if let Some(account_id) = found {
            self.accounts().insert(number, account_id);
        }
        Ok(found)
    }

    fn accounts(&self) -> std::sync::MutexGuard<'_, HashMap<u32, Uuid>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FromRef<HookState> for AppState {
    fn from_ref(state: &HookState) -> Self {
        state.app.clone()
    }
}
