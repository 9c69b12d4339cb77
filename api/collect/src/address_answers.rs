//! How many answers one address may give a link that is no kiosk's within an hour, on this instance: enough for the guests of a house, and too few
//! to decide what a report says.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use api_http::{AppState, Code, Network, Problem, Result};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use platform::config::TrustedProxies;
use store::form::PublicLink;
use uuid::Uuid;

const HOUR: Duration = Duration::from_hours(1);
/// So many addresses of links are known, about 20 MB of them.
const KNOWN: u64 = 100_000;

pub struct AddressAnswers {
    /// `None`: no limit.
    most: Option<NonZeroU32>,
    proxies: TrustedProxies,
    given: Cache<(Uuid, Network), Arc<Given>>,
    warned: Once,
}

/// What one address gives a link within an hour.
struct Given {
    since: Instant,
    answers: AtomicU32,
}

/// Room for one answer. It stays taken unless it is given back, so that nobody has it again by hanging up before the commit.
#[must_use]
pub struct Place(Option<Arc<Given>>);

impl AddressAnswers {
    pub fn new(app: &AppState) -> Self {
        Self::of(app.address_answers, app.trusted_proxies.clone())
    }

    fn of(most: Option<NonZeroU32>, proxies: TrustedProxies) -> Self {
        let given = Cache::builder()
            .max_capacity(KNOWN)
            // Else a new address would be forgotten at once when there are many.
            .eviction_policy(EvictionPolicy::lru())
            .time_to_live(HOUR);
        Self {
            most,
            proxies,
            given: given.build(),
            warned: Once::new(),
        }
    }

    /// Takes the place of an answer that is about to be stored.
    ///
    /// # Errors
    /// 429: there is none left.
    pub fn take(&self, link: &PublicLink, network: Network) -> Result<Place> {
        let Some(most) = self.most.filter(|_| !link.kiosk) else {
            return Ok(Place(None));
        };
        if network.is_unnamed_proxy(&self.proxies) {
            self.warned.call_once(|| {
                tracing::warn!(
                    client.address = %network,
                    "answers come from a private address, so FEEDBACK_ADDRESS_ANSWERS does not hold: if it is a proxy's, \
                     FEEDBACK_TRUSTED_PROXIES must name it"
                );
            });
            return Ok(Place(None));
        }
        let none = || {
            Arc::new(Given {
                since: Instant::now(),
                answers: AtomicU32::new(0),
            })
        };
        let given = self.given.get_with((link.link_id, network), none);
        let more = |answers| (answers < most.get()).then_some(answers + 1);
        let order = Ordering::Relaxed;
        if given.answers.fetch_update(order, order, more).is_ok() {
            return Ok(Place(Some(given)));
        }
        let wait = HOUR.saturating_sub(given.since.elapsed()).as_secs() + 1;
        let detail = format!("one address may give a link {most} answers an hour");
        Err(Problem::new(Code::RateLimited, detail).retry_after(wait))
    }
}

impl Place {
    /// Nothing new was stored.
    pub fn give_back(self) {
        if let Some(given) = self.0 {
            given.answers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
