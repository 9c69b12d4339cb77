//! What all pages share.

use std::ops::Deref;
use std::sync::Arc;

use api_http::AppState;
use axum::Router;
use axum::extract::FromRef;
use platform::cache::Cache;
use platform::config::Config;

use crate::password::Passwords;
use crate::session::Sessions;

/// The state of the dashboard's routes. Cheap to clone.
#[derive(Clone)]
pub struct DashboardState(Arc<Shared>);

/// What [`DashboardState`] leads to.
pub struct Shared {
    pub app: AppState,
    pub cache: Cache,
    /// The operations of the API, without the layer around them.
    pub api: Router,
    pub sessions: Sessions,
    pub passwords: Passwords,
}

impl DashboardState {
    pub fn new(app: &AppState, config: &Config, cache: Cache, api: Router) -> Self {
        Self(Arc::new(Shared {
            app: app.clone(),
            cache,
            api,
            sessions: Sessions::new(&config.public_url),
            passwords: Passwords::default(),
        }))
    }
}

impl Deref for DashboardState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl FromRef<DashboardState> for AppState {
    fn from_ref(state: &DashboardState) -> Self {
        state.app.clone()
    }
}
