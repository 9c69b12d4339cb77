//! What all pages share.

use std::sync::Arc;

use api_http::AppState;
use api_http::memory::MemoryPool;
use api_import::ImportState;
use api_send::SendState;
use platform::cache::Cache;
use platform::oidc::OidcProvider;
use platform::places::Places;

use crate::analysis::Analyses;
use crate::first_admin::FirstAdmin;
use crate::news::News;
use crate::password::Passwords;
use crate::sender_alerts::SenderAlerts;
use crate::session::Sessions;
use crate::shared_pages::SharedPages;
use crate::stores::counts::CountedValues;

/// The state of the dashboard's routes. Cheap to clone.
#[derive(Clone)]
pub struct DashboardState {
    pub app: AppState,
    pub cache: Cache,
    pub imports: ImportState,
    pub sending: SendState,
    pub sessions: Arc<Sessions>,
    pub passwords: Arc<Passwords>,
    /// Through whom people sign in, if not with passwords alone.
    pub oidc: Option<Arc<OidcProvider>>,
    /// The memory for what pages send.
    pub memory: MemoryPool,
    /// Places for pages of reports that are drawn, which accounts take in turn.
    pub places: Places,
    /// The same for changes with large bodies.
    pub body_places: Places,
    pub analyses: Arc<Analyses>,
    pub news: Arc<News>,
    pub counted_values: Arc<CountedValues>,
    pub shared: Arc<SharedPages>,
    /// Of a service that was just started for the first time.
    pub first_admin: Option<Arc<FirstAdmin>>,
    pub sender_alerts: SenderAlerts,
}

impl DashboardState {
    /// The link of the first admin, if it is that of this token.
    pub fn first_admin(&self, token: &str) -> Option<&FirstAdmin> {
        self.first_admin
            .as_deref()
            .filter(|first| first.opens(token))
    }
}
