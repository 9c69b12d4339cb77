//! Senders as an account sees them: how they are, what waits for them, and pausing those that are its own.

use std::collections::BTreeMap;

use api_http::deadline::soon;
use api_http::schema::{pattern, written};
use api_http::{Caller, Change, Code, Problem, QUICK, Result, within};
use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use domain::sms::SenderState;
use sender::setting::Setting;
use serde::Serialize;
use store::send::fall_over::AWAY_FOR;
use store::send::figures::SenderFigures;
use store::send::state::StoredSender;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use crate::SCOPE;
use crate::state::SendState;

const PAUSE: Change = Change::new(SCOPE, "sender.pause", StatusCode::OK);
const RESUME: Change = Change::new(SCOPE, "sender.resume", StatusCode::OK);
/// A provider may ask to wait for so long before anybody is told.
const THROTTLED: TimeDelta = TimeDelta::seconds(30);
/// Why a sender is unattended that the settings do not have.
const NOT_CONFIGURED: &str = "not_configured";

/// A sender that the account may use, or that its campaigns need.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Sender)]
pub struct SenderItem {
    #[schema(example = "demo")]
    pub name: String,
    /// Null of a sender that the settings do not have.
    #[schema(required = true, schema_with = kind)]
    pub kind: Option<&'static str>,
    /// A phone, a short code or a name; null where the provider decides.
    #[schema(required = true)]
    pub from: Option<String>,
    /// Parts a second; null of a sender that the settings do not have.
    #[schema(required = true)]
    pub rate: Option<u32>,
    #[schema(value_type = String, example = "ok", pattern = "^(ok|paused|error|unattended)$")]
    pub state: SenderState,
    /// Why it is not `ok`: the provider's code, `by_hand` where a person paused it, `not_configured` where the settings do not have it.
    #[schema(required = true)]
    pub reason: Option<String>,
    /// Since when it is in this state.
    #[schema(required = true)]
    pub since: Option<DateTime<Utc>>,
    /// Messages of the account that are scheduled through it. Of a campaign that names several senders at most 20,000 are counted where
    /// more wait for two of them.
    pub waiting: i64,
    /// When the first of those that may be sent by now was due.
    #[schema(required = true)]
    pub oldest_at: Option<DateTime<Utc>>,
    /// When it last accepted a message, of whatever account.
    #[schema(required = true)]
    pub last_accepted_at: Option<DateTime<Utc>>,
    /// Messages of the account of which nobody knows whether they were sent, of campaigns that go on or ended within a week.
    pub unknown: i64,
    /// Receipts of the last hour that fit no message, of whatever account.
    pub unmatched_receipts: i64,
    /// The code of the last message that the provider refused, of whatever account, while it refuses more than it takes; else null.
    #[schema(required = true)]
    pub refused_code: Option<String>,
    /// Since when it has accepted messages and no receipt came, if that is more than two hours; else null.
    #[schema(required = true)]
    pub unreported_since: Option<DateTime<Utc>>,
    /// Whether what waits for it goes to the next sender, where a campaign names one.
    #[serde(skip)]
    pub is_given_up: bool,
}

impl SenderItem {
    fn new(
        name: &str,
        setting: Option<&Setting>,
        stored: Option<&StoredSender>,
        figures: SenderFigures,
        unmatched_receipts: i64,
    ) -> Self {
        let (state, reason) = match stored {
            _ if setting.is_none() => (SenderState::Unattended, Some(NOT_CONFIGURED.to_owned())),
            Some(stored) => (stored.state, stored.reason.clone()),
            None => (SenderState::Unattended, None),
        };
        Self {
            name: name.to_owned(),
            kind: setting.map(|setting| setting.kind.name),
            from: setting.and_then(|setting| setting.from.clone()),
            rate: setting.map(|setting| setting.rate.get()),
            state,
            reason,
            since: stored.and_then(|stored| stored.since),
            waiting: figures.waiting,
            oldest_at: figures.oldest_at,
            last_accepted_at: stored.and_then(|stored| stored.last_accepted_at),
            unknown: figures.unknown,
            unmatched_receipts,
            refused_code: stored.and_then(|stored| stored.refused_code.clone()),
            unreported_since: stored
                .filter(|_| setting.is_some_and(|setting| setting.receipts))
                .and_then(|stored| stored.unreported_since),
            is_given_up: stored.is_none_or(|stored| stored.is_away_since(Utc::now() - AWAY_FOR)),
        }
    }

    /// Whether its provider has asked to wait for so long that a person should look at it.
    pub fn is_throttled(&self) -> bool {
        let is_asked = self.state == SenderState::Paused && self.reason.is_none();
        is_asked
            && self
                .since
                .is_some_and(|since| Utc::now() - since > THROTTLED)
    }

    /// Whether a person should look at it: it takes nothing, its provider refuses messages or reports nothing, or messages through it may
    /// have been sent or not.
    pub fn needs_attention(&self) -> bool {
        let takes = matches!(self.state, SenderState::Ok | SenderState::Paused);
        let is_faulty = self.refused_code.is_some() || self.unreported_since.is_some();
        !takes || self.reason.is_some() || is_faulty || self.unknown > 0 || self.is_throttled()
    }
}

fn kind() -> RefOr<Schema> {
    let names: Vec<_> = sender::KINDS.iter().map(|kind| kind.name).collect();
    written(&pattern(&format!("^({})$", names.join("|"))))
}

/// Lists the senders that the account may use, in the order of the settings, and then those that its campaigns need and the settings do
/// not have.
///
/// # Errors
/// 503.
pub async fn list_senders(state: &SendState, caller: &Caller) -> Result<Vec<SenderItem>> {
    let list = soon(async {
        let store = &caller.app.store;
        let stored = store.senders().await?;
        let mut figures = store.figures_by_sender(caller.account_id()).await?;
        let settings = state.senders.iter().map(|sender| &sender.setting);
        let allowed = settings.filter(|setting| setting.allows(caller.account_name()));
        let mut items = Vec::new();
        for setting in allowed {
            let name = &setting.name;
            let figures = figures.remove(name).unwrap_or_default();
            let unmatched = store.unmatched_receipts(name).await?;
            let stored = stored.iter().find(|stored| stored.name == *name);
            items.push(SenderItem::new(
                name,
                Some(setting),
                stored,
                figures,
                unmatched,
            ));
        }
        items.extend(gone(state, &stored, figures));
        Ok(items)
    });
    caller.read(SCOPE, list).await
}

/// Those through which messages wait or may have been sent and that the settings do not have.
fn gone(
    state: &SendState,
    stored: &[StoredSender],
    figures: BTreeMap<String, SenderFigures>,
) -> impl Iterator<Item = SenderItem> {
    let needed = figures.into_iter().filter(|(name, figures)| {
        let mut settings = state.senders.iter().map(|sender| &sender.setting);
        figures.waiting + figures.unknown > 0 && !settings.any(|setting| setting.name == *name)
    });
    needed.map(|(name, figures)| {
        let stored = stored.iter().find(|stored| stored.name == name);
        SenderItem::new(&name, None, stored, figures, 0)
    })
}

/// Lets a sender that is the account's alone take nothing, or go on.
///
/// # Errors
/// 422 `sender_unknown`, `sender_not_allowed`; 403: other accounts use it too; 503.
pub async fn pause_sender(
    state: &SendState,
    caller: &Caller,
    name: &str,
    is_paused: bool,
) -> Result<()> {
    let change = if is_paused { PAUSE } else { RESUME };
    let pause = async {
        let setting = state.sender(caller, name)?;
        if !is_own(setting, caller.account_name()) {
            let detail =
                "other accounts send through it too; `feedback sender pause` pauses it for all";
            return Err(Problem::new(Code::Forbidden, detail));
        }
        let store = &caller.app.store;
        let paused = async {
            if is_paused {
                store.pause_sender(name).await
            } else {
                store.resume_sender(name).await.map(drop)
            }
        };
        Ok(within(QUICK, paused).await?)
    };
    // What is no sender may have anything, also a phone.
    let subject = state.sender(caller, name).map_or("", |_| name);
    caller.change(change, subject, pause).await
}

/// Whether nobody else may send through it.
fn is_own(setting: &Setting, account_name: &str) -> bool {
    matches!(&*setting.accounts, [name] if name == account_name)
}

impl SendState {
    /// Whether a sender is an account's alone, which may pause it.
    pub fn is_own_sender(&self, name: &str, account_name: &str) -> bool {
        let mut settings = self.senders.iter().map(|sender| &sender.setting);
        settings.any(|setting| setting.name == name && is_own(setting, account_name))
    }
}
