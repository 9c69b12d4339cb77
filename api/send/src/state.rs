//! What the operations and hooks of sending share.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use api_http::body::Limit;
use api_http::commit::Committer;
use domain::campaign::SenderChoice;
use domain::invalid::{Invalid, code};
use domain::pepper::Pepper;
use domain::price::Prices;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};
use metrics::gauge;
use platform::config::Config;
use platform::places::Places;
use sender::Provider;
use sender::setting::Setting;
use store::send::state::ReceiptNote;
use uuid::Uuid;

use crate::receipts::Receipts;
use api_http::{AppState, Caller, Code, Problem, Result};

/// Test messages of an account in an hour.
const TESTS: NonZeroU32 = NonZeroU32::MIN.saturating_add(19);
/// How many test messages each account may still send.
pub type Tests = DefaultKeyedRateLimiter<Uuid>;
/// A body of a few texts.
pub const FEW: Limit = Limit {
    bytes: 16 << 10,
    values: 200,
};

/// A sender, and how its provider speaks.
pub struct ConnectedSender {
    pub setting: Setting,
    pub provider: Arc<dyn Provider>,
    pub received: ReceiptNote,
}

/// What sending shares, once a process. Cheap to clone.
#[derive(Clone)]
pub struct SendState {
    pub(crate) app: AppState,
    pub(crate) senders: Arc<[ConnectedSender]>,
    /// Only this machine can open links.
    links_are_local: bool,
    /// What links and hooks begin with.
    public_url: Arc<str>,
    /// Receipts that arrive together share a commit.
    pub(crate) receipts: Arc<Committer<Receipts>>,
    /// How many test messages each account may still send, on this instance.
    pub(crate) tests: Arc<Tests>,
    /// A place to look through recipients for a phone, which no index finds.
    pub(crate) scans: Places,
}

impl SendState {
    pub fn new(app: &AppState, config: &Config) -> Self {
        let senders = config.senders.iter();
        let count = u32::try_from(senders.len()).unwrap_or(u32::MAX);
        gauge!("feedback_senders").set(count);
        let senders = senders.map(|setting| ConnectedSender {
            provider: setting.connect(),
            received: ReceiptNote::default(),
            setting: setting.clone(),
        });
        Self {
            app: app.clone(),
            senders: senders.collect(),
            links_are_local: config.public_url.is_local(),
            public_url: config.public_url.as_str().trim_end_matches('/').into(),
            receipts: Arc::new(Committer::start(app, app.parts.receipts)),
            tests: Arc::new(Tests::keyed(Quota::per_hour(TESTS))),
            scans: Places::new(1),
        }
    }

    /// The senders of a choice, if the caller may use all of them.
    ///
    /// # Errors
    /// 422 `sender_unknown`, `sender_not_allowed`.
    pub(crate) fn choice(&self, caller: &Caller, choice: &SenderChoice) -> Result<Vec<&Setting>> {
        let names = choice.names().into_iter();
        names.map(|name| self.sender(caller, name)).collect()
    }

    /// Whether nothing that a choice's senders carry reaches a phone.
    pub fn simulates(&self, choice: &SenderChoice) -> bool {
        let names = choice.names();
        names.iter().all(|name| self.is_simulated(name))
    }

    /// What a part costs through the senders of a choice, in its order, of those of which the operator says so.
    pub(crate) fn prices(&self, choice: &SenderChoice) -> Vec<&Prices> {
        let prices = |name: &str| {
            let mut senders = self.senders.iter().map(|sender| &sender.setting);
            let sender = senders.find(|sender| sender.name == name)?;
            sender.prices.as_deref()
        };
        let names = choice.names().into_iter();
        names.filter_map(prices).collect()
    }

    /// The currencies of the prices of an account's senders, each once.
    pub fn currencies(&self, account_name: &str) -> BTreeSet<&str> {
        let senders = self.senders.iter().map(|sender| &sender.setting);
        let senders = senders.filter(|sender| sender.allows(account_name));
        let prices = senders.filter_map(|sender| sender.prices.as_ref());
        prices.map(|prices| prices.currency().as_str()).collect()
    }

    /// The sender of this name, if the caller may use it.
    ///
    /// # Errors
    /// 422 `sender_unknown`, `sender_not_allowed`.
    pub(crate) fn sender(&self, caller: &Caller, name: &str) -> Result<&Setting> {
        let mut senders = self.senders.iter().map(|sender| &sender.setting);
        let sender = senders.find(|sender| sender.name == name);
        let sender = sender.ok_or_else(|| {
            let detail =
                "the service has no sender of this name; GET /api_v1/sms/sender lists them";
            about_sender(Code::SenderUnknown, code::UNKNOWN_ID, detail)
        })?;
        if !sender.allows(caller.account_name()) {
            let detail = "this account may not use the sender";
            return Err(about_sender(
                Code::SenderNotAllowed,
                code::NOT_OFFERED,
                detail,
            ));
        }
        Ok(sender)
    }

    /// Whether an account may use a sender that reaches phones, and not only simulated ones.
    pub fn reaches_phones(&self, account_name: &str) -> bool {
        let mut senders = self.senders.iter().map(|sender| &sender.setting);
        senders.any(|sender| sender.allows(account_name) && !sender.kind.is_simulated)
    }

    /// The kind of the sender of this name; empty if there is none.
    pub fn kind(&self, name: &str) -> &'static str {
        let mut senders = self.senders.iter().map(|sender| &sender.setting);
        let sender = senders.find(|sender| sender.name == name);
        sender.map_or("", |sender| sender.kind.name)
    }

    /// Whether the sender of this name is simulated: nothing that it carries reaches a phone.
    pub fn is_simulated(&self, name: &str) -> bool {
        let mut senders = self.senders.iter().map(|sender| &sender.setting);
        senders.any(|sender| sender.name == name && sender.kind.is_simulated)
    }

    /// Where a sender's provider reports and brings texts: `status` and `inbound`, with their URLs. None where it has no hooks.
    pub fn hooks(&self, name: &str) -> Vec<(&'static str, String)> {
        let mut senders = self.senders.iter();
        let has_hooks = senders.any(|sender| {
            let kind = sender.setting.kind;
            sender.setting.name == name && !kind.is_simulated && !sender.provider.reports_by_id()
        });
        let pepper = self.app.pepper.as_ref().filter(|_| has_hooks);
        let hook = |pepper: &Pepper, operation| {
            format!("{}{}", self.public_url, pepper.hook_path(name, operation))
        };
        let hooks = pepper.map(|pepper| ["status", "inbound"].map(|one| (one, hook(pepper, one))));
        hooks.into_iter().flatten().collect()
    }

    /// Whether an account may use simulated senders alone.
    pub fn only_simulates(&self, account_name: &str) -> bool {
        !self.senders.is_empty() && !self.reaches_phones(account_name)
    }

    /// Whether people can open the links that a sender carries to them. One that is simulated carries none.
    ///
    /// # Errors
    /// 422 `public_url_local`.
    pub(crate) fn check_public_url(&self, sender: &Setting) -> Result<()> {
        if self.links_are_local && !sender.kind.is_simulated {
            let detail = "FEEDBACK_PUBLIC_URL names this machine itself, so nobody could open the links in messages";
            return Err(Problem::new(Code::PublicUrlLocal, detail));
        }
        Ok(())
    }

    /// The secret under which phones are known.
    ///
    /// # Errors
    /// 503: there is none, because the service has no sender.
    pub(crate) fn pepper(&self) -> Result<&Arc<Pepper>> {
        let pepper = self.app.pepper.as_ref();
        pepper.ok_or_else(|| {
            Problem::new(
                Code::Unavailable,
                "the service has no sender, so it keeps no phones to send to or not",
            )
            .retry_after(60)
        })
    }
}

fn about_sender(code: Code, wrong: &'static str, detail: &'static str) -> Problem {
    Problem::new(code, detail).about(vec![Invalid::of_member("sender", wrong, detail)])
}

/// Takes one of the account's test messages.
///
/// # Errors
/// 429: there is none left.
pub fn take_test(tests: &Tests, account_id: Uuid) -> Result<()> {
    // Forgets accounts that have all of theirs again.
    tests.retain_recent();
    tests.check_key(&account_id).map_err(|until| {
        let wait = until.wait_time_from(DefaultClock::default().now());
        let detail = format!("an account may send {TESTS} test messages an hour");
        Problem::new(Code::RateLimited, detail).retry_after(wait.as_secs() + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_account_has_twenty_tests_an_hour() {
        let tests = Tests::keyed(Quota::per_hour(TESTS));
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        for _ in 0..20 {
            assert!(take_test(&tests, one).is_ok());
        }
        let refused = take_test(&tests, one).unwrap_err();
        assert_eq!(refused.code(), Code::RateLimited);
        assert!(refused.headers().contains_key("retry-after"));
        assert!(take_test(&tests, two).is_ok());
    }
}
