//! What all pages share.

use std::sync::Arc;

use api_http::AppState;
use axum::Router;
use platform::cache::Cache;

use crate::password::Passwords;
use crate::session::Sessions;

/// The state of the dashboard's routes. Cheap to clone.
#[derive(Clone)]
pub struct DashboardState {
    pub app: AppState,
    pub cache: Cache,
    /// The operations of the API, without the layer around them.
    pub api: Router,
    pub sessions: Arc<Sessions>,
    pub passwords: Arc<Passwords>,
}
