//! What a token opens: remembered for a moment, so that a popular link is one query several times a second, however many
//! open it. What a visitor does is judged again in the database; what this instance changes itself is forgotten at once.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use domain::form::{FormContent, FormStatus};
use domain::link::Token;
use moka::future::Cache;
use store::link::PublicLink;
use uuid::Uuid;

use crate::AppState;
use crate::address::Network;
use crate::deadline::{QUICK, within};
use crate::error::Problem;
use crate::pages::PreparedForm;
use crate::rate::Throttled;

/// How long a link that was found is believed.
const BELIEVED: Duration = Duration::from_millis(400);
/// The weight of all links that are remembered, in questions, choices and business properties: some tens of megabytes.
const LINKS: u64 = 200_000;
/// The bytes of all pages that are prepared.
const PAGES: u64 = 64 << 20;
/// A page that nobody opens is forgotten after that.
const PAGE_IDLE: Duration = Duration::from_mins(1);
/// For so long a token that opened a link may be looked up from an address that guesses.
const OPENED_LATELY: Duration = Duration::from_hours(1);
/// So many of them.
const OPENED: u64 = 100_000;

/// The links opened lately.
pub struct Links {
    found: Cache<Token, Arc<Opened>>,
    lately: Cache<Token, ()>,
    pages: Cache<(Uuid, i64), Arc<PreparedForm>>,
    /// When this instance changed a link or a form, as long as anything older may be remembered.
    changes: RwLock<HashMap<Uuid, Instant>>,
}

/// A link with its form.
pub struct Opened {
    pub link: PublicLink,
    page: OnceLock<Arc<PreparedForm>>,
    /// When the database was asked.
    asked: Instant,
}

/// Why a token opens nothing.
pub enum NoLink {
    Unknown,
    /// The address has guessed too often to be told whether this is one more.
    Throttled(Throttled),
    Problem(Problem),
}

/// Why a look-up gave no link.
enum Missing {
    Unknown,
    Failed(store::Error),
}

impl Links {
    pub fn new() -> Self {
        Self {
            found: Cache::builder()
                .max_capacity(LINKS)
                .weigher(|_, opened: &Arc<Opened>| weight(&opened.link.content))
                .time_to_live(BELIEVED)
                .build(),
            lately: Cache::builder()
                .max_capacity(OPENED)
                .time_to_live(OPENED_LATELY)
                .build(),
            pages: Cache::builder()
                .max_capacity(PAGES)
                .weigher(|_, page: &Arc<PreparedForm>| {
                    u32::try_from(page.size()).unwrap_or(u32::MAX)
                })
                .time_to_idle(PAGE_IDLE)
                .build(),
            changes: RwLock::default(),
        }
    }

    /// What a token opens for someone at this address: a link, be it gone. Many who open the same at once make one query.
    ///
    /// # Errors
    /// Nothing, or it cannot be told.
    pub async fn open(
        &self,
        state: &AppState,
        network: Network,
        token: Token,
    ) -> Result<Arc<Opened>, NoLink> {
        if let Some(opened) = self.found.get(&token).await {
            if !self.is_outdated(&opened) {
                return Ok(opened);
            }
            self.found.invalidate(&token).await;
        }
        if !self.lately.contains_key(&token) {
            state.guesses().left(network).map_err(NoLink::Throttled)?;
        }
        match self.look_up(state, token).await {
            Ok(opened) => {
                self.lately.insert(token, ()).await;
                Ok(opened)
            }
            Err(reason) => match &*reason {
                Missing::Failed(error) => Err(NoLink::Problem(error.into())),
                Missing::Unknown => match state.guesses().take(network) {
                    Ok(()) => Err(NoLink::Unknown),
                    Err(throttled) => Err(NoLink::Throttled(throttled)),
                },
            },
        }
    }

    async fn look_up(&self, state: &AppState, token: Token) -> Result<Arc<Opened>, Arc<Missing>> {
        loop {
            let query = async {
                let asked = Instant::now();
                match within(QUICK, state.store().public_link(&token)).await {
                    Ok(Some(link)) if link.status != FormStatus::Draft => Ok(Arc::new(Opened {
                        link,
                        page: OnceLock::new(),
                        asked,
                    })),
                    Ok(_) => Err(Missing::Unknown),
                    Err(error) => Err(Missing::Failed(error)),
                }
            };
            let opened = self.found.try_get_with(token, query).await?;
            // Someone else's query may have been under way when the change came.
            if !self.is_outdated(&opened) {
                return Ok(opened);
            }
            self.found.invalidate(&token).await;
        }
    }

    /// The page of a link's form.
    pub async fn page(&self, opened: &Opened) -> Arc<PreparedForm> {
        if let Some(page) = opened.page.get() {
            return page.clone();
        }
        let link = &opened.link;
        let prepare = async { Arc::new(PreparedForm::new(&link.content)) };
        let page = self
            .pages
            .get_with((link.form_id, link.revision), prepare)
            .await;
        opened.page.get_or_init(|| page).clone()
    }

    /// Forgets what is remembered of a link or form, which this instance has just changed.
    pub fn changed(&self, id: Uuid) {
        let now = Instant::now();
        let mut changes = self.changes.write().unwrap_or_else(PoisonError::into_inner);
        // Nothing is remembered that was asked for before that.
        changes.retain(|_, at| now - *at < 2 * (BELIEVED + QUICK));
        changes.insert(id, now);
    }

    fn is_outdated(&self, opened: &Opened) -> bool {
        let changes = self.changes.read().unwrap_or_else(PoisonError::into_inner);
        [opened.link.link_id, opened.link.form_id]
            .iter()
            .filter_map(|id| changes.get(id))
            .any(|at| opened.asked <= *at)
    }
}

fn weight(form: &FormContent) -> u32 {
    let fields = form.fields.iter();
    let choices: usize = fields.map(|field| field.kind.options().len()).sum();
    let all = 1 + form.fields.len() + choices + form.bus_props.len();
    u32::try_from(all).unwrap_or(u32::MAX)
}
