//! Who carries messages: how each is, what waits for it, and what can be done.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use api_http::{Problem, Result};
use api_language::Text;
use api_send::{SenderItem, operations};
use askama::Template;
use axum::Router;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use domain::campaign::{CampaignStatus, SenderChoice};
use domain::person::Role;
use domain::sms::SenderState;
use store::send::state::PAUSED_BY_HAND;
use uuid::Uuid;

use crate::done;
use crate::keys;
use crate::page::{Alert, Frame, page};
use crate::provider_code;
use crate::sender_alerts::{Troubled, keys_ending};
use crate::sent::{NoFields, SentChange};
use crate::signed_in::SignedIn;
use crate::state::DashboardState;
use crate::usage;

/// Codes by which a provider says that user or password are wrong; Vonage's is `4`.
const WRONG_PASSWORD: [&str; 6] = [
    "http_401",
    "http_403",
    "20003",
    "smpp-0x0e",
    "smpp-0x0f",
    "4",
];
/// Codes of a provider that cannot be reached.
const UNREACHABLE: [&str; 2] = ["connect", "smpp-unbound"];
/// Codes of results that may be anything; so is whatever a server says of itself.
const UNSURE: [&str; 5] = [
    "connection_lost",
    "no_id",
    "smpp-lost",
    "smpp-timeout",
    "timeout",
];
const OF_SERVER: &str = "http_5";

const PATH: &str = "/dashboard/senders";
/// The messages of which nobody knows whether they were sent.
const UNKNOWN: &str = "/dashboard/messages?set=unknown";
/// The messages that providers refused.
const REFUSED: &str = "/dashboard/messages?set=failed";
/// Of so many campaigns, the newest, tests are offered.
const NEWEST: usize = 50;

#[derive(Template)]
#[template(path = "senders.html")]
struct SendersPage<'a> {
    f: &'a Frame,
    senders: Vec<ShownSender>,
}

/// A sender, and what whoever reads may do with it.
struct ShownSender {
    item: SenderItem,
    /// What is so, and what is to be done.
    sentences: Vec<String>,
    /// For admins of an account that has it alone: where its provider reports, by the names of their texts.
    hooks: Vec<(&'static str, String)>,
    /// What can be done, `pause` or `resume`, each with the name of its text.
    actions: Vec<(&'static str, &'static str)>,
    /// For editors: the ids and names of the campaigns of which it carries a test; `None`: it cannot carry any.
    tests: Option<Vec<(Uuid, String)>>,
}

/// The ids and names of campaigns, newest first, by the sender that carries their tests.
type Tests = HashMap<String, Vec<(Uuid, String)>>;

impl ShownSender {
    fn new(person: &SignedIn, f: &Frame, item: SenderItem, tests: Option<&mut Tests>) -> Self {
        let sending = &person.state.sending;
        let is_admin = person.role >= Role::Admin;
        let is_paused = item.reason.as_deref() == Some(PAUSED_BY_HAND);
        let is_own = is_admin && sending.is_own_sender(&item.name, &person.account_name);
        let actions: &[_] = match item.state {
            _ if !is_own => &[],
            _ if is_paused => &[("resume", "resume")],
            SenderState::Error | SenderState::Paused => &[("resume", "retry"), ("pause", "pause")],
            _ => &[("pause", "pause")],
        };
        // Their key is a secret: whoever has it can report and opt out for all accounts of the sender.
        let hooks = if is_own {
            sending.hooks(&item.name)
        } else {
            Vec::new()
        };
        let is_well = item.state == SenderState::Ok && !item.needs_attention();
        let is_gone = item.kind.is_none();
        let mut sentences = Vec::new();
        if is_well || item.state != SenderState::Ok && (!is_gone || item.waiting > 0) {
            sentences.push(if is_well && sending.is_simulated(&item.name) {
                f.t.get("sender-simulated")
            } else {
                sentence(f, &item)
            });
        }
        if is_paused && actions.is_empty() {
            sentences.push(f.t.get("sender-paused-other"));
        }
        sentences.extend(faults(f, &item));
        if item.unknown > 0 {
            sentences.push(f.t.count("sender-unknown", item.unknown));
        }
        if item.unmatched_receipts > 0 {
            let unmatched = f.t.count("sender-unmatched", item.unmatched_receipts);
            sentences.push(unmatched);
        }
        let tests = tests.filter(|_| item.kind.is_some());
        Self {
            tests: tests.map(|tests| tests.remove(&item.name).unwrap_or_default()),
            item,
            sentences,
            hooks,
            actions: actions.to_vec(),
        }
    }
}

/// How a sender is, and what is to be done, in a sentence.
pub fn sentence(f: &Frame, item: &SenderItem) -> String {
    let t = f.t;
    let since = item.since.map(|since| f.moment(since)).unwrap_or_default();
    match (item.state, item.reason.as_deref()) {
        (SenderState::Ok, _) => t.get("sender-ok"),
        (SenderState::Paused, Some(_)) => t.with("sender-paused-by-hand", since),
        (SenderState::Paused, None) => t.with("sender-paused", since),
        (SenderState::Unattended, Some(_)) => t.get("sender-not-configured"),
        (SenderState::Unattended, None) if item.since.is_none() => t.get("sender-never-attended"),
        (SenderState::Unattended, None) => t.with("sender-unattended", since),
        (SenderState::Error, code) => {
            let code = code.unwrap_or_default();
            let why = trouble(t, code);
            format!("{why} {}", t.with("sender-since", since))
        }
    }
}

/// What a code of a sender in error means.
fn trouble(t: &Text, code: &str) -> String {
    if WRONG_PASSWORD.contains(&code) {
        t.with("sender-wrong-password", code)
    } else if UNREACHABLE.contains(&code) {
        t.with("sender-unreachable", code)
    } else if UNSURE.contains(&code) || code.starts_with(OF_SERVER) {
        t.with("sender-unsure", code)
    } else {
        t.with("sender-refuses", code)
    }
}

/// Why its provider refuses messages, if it does; else nothing.
fn refusal(t: &Text, item: &SenderItem) -> Option<String> {
    let code = item.refused_code.as_deref()?;
    Some(provider_code::of_refusal(t, item.kind, code))
}

/// What is wrong although it takes messages, and what is to be done: its provider refuses them, or reports nothing.
fn faults(f: &Frame, item: &SenderItem) -> Vec<String> {
    let refused = refusal(f.t, item).map(|words| f.t.with("sender-refused", words));
    let unreported = item.unreported_since;
    let unreported = unreported.map(|since| f.t.with("sender-unreported", f.moment(since)));
    refused.into_iter().chain(unreported).collect()
}

/// What is wrong with the senders of a campaign, of those that are in trouble.
pub struct CampaignTrouble {
    /// Of those that take nothing what is so, and through whom its messages go meanwhile.
    pub by_sender: BTreeMap<String, String>,
    /// What is told whether messages wait or not.
    pub sentences: Vec<String>,
}

impl CampaignTrouble {
    /// `waits` are the senders for which messages of the campaign wait.
    pub fn new(f: &Frame, choice: &SenderChoice, troubled: &Troubled, waits: &[&str]) -> Self {
        let (mut by_sender, mut sentences) = (BTreeMap::new(), Vec::new());
        for item in &troubled.senders {
            let (t, name) = (f.t, &item.name);
            if !choice.names().contains(&name.as_str()) {
                continue;
            }
            let faults = faults(f, item).into_iter();
            sentences.extend(faults.map(|fault| t.labelled(name, fault)));
            // What was just found out may not be known of it yet.
            if item.state != SenderState::Ok {
                let next = next_senders(choice, item, troubled);
                let through = next.map(|next| t.with("sender-goes-through", next));
                let is_told = through.is_some() && !waits.contains(&name.as_str());
                let told = [sentence(f, item)].into_iter().chain(through);
                let told = told.collect::<Vec<_>>().join(" ");
                sentences.extend(is_told.then(|| t.labelled(name, &told)));
                by_sender.insert(name.clone(), told);
            }
        }
        Self {
            by_sender,
            sentences,
        }
    }
}

/// Who takes the messages of a campaign while one of its senders takes nothing, if somebody does.
fn next_senders(choice: &SenderChoice, item: &SenderItem, troubled: &Troubled) -> Option<String> {
    let is_well = |name: &&String| {
        let mut troubled = troubled.senders.iter();
        troubled.all(|item| item.name != **name || item.state == SenderState::Ok)
    };
    let next = |names: &[String]| {
        let place = names.iter().position(|name| *name == item.name)?;
        let (before, after) = names.split_at(place);
        after.iter().chain(before).skip(1).find(is_well).cloned()
    };
    let lists = choice.lists().into_iter();
    let next: BTreeSet<String> = lists.filter_map(|(_, list)| next(list.names())).collect();
    let is_some = item.is_given_up && !next.is_empty();
    is_some.then(|| next.into_iter().collect::<Vec<_>>().join(", "))
}

/// What every page tells those who can do something about it, while something is wrong with senders, or a budget or a key ends.
pub fn alerts(t: &Text, role: Role, troubled: &Troubled) -> Vec<Alert> {
    let senders = &troubled.senders;
    let names = |is: &dyn Fn(&SenderItem) -> bool| {
        let names = senders.iter().filter(|item| is(item));
        let names: Vec<&str> = names.map(|item| item.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let in_error = names(&|item| item.state == SenderState::Error);
    let throttled = names(&SenderItem::is_throttled);
    let unattended = names(&|item| item.state == SenderState::Unattended && item.waiting > 0);
    let unreported = names(&|item| item.unreported_since.is_some());
    let of_senders = [
        ("alert-error", in_error),
        ("alert-throttled", throttled),
        ("alert-unattended", unattended),
        ("alert-unreported", unreported),
    ];
    let of_senders = of_senders.into_iter().filter_map(|(key, names)| {
        Some(Alert {
            text: t.with(key, names?),
            path: PATH.to_owned(),
            name: t.get("nav-senders"),
        })
    });
    let of_refused = senders.iter().filter_map(|item| {
        let words = refusal(t, item)?;
        Some(Alert {
            text: format!("{} {words}", t.with("alert-refused", &item.name)),
            path: REFUSED.to_owned(),
            name: t.get("messages"),
        })
    });
    let of_budgets = troubled.budgets.iter().map(|one| usage::alert(t, one));
    let unknown = senders.iter().map(|item| item.unknown).sum::<i64>();
    let of_unknown = (unknown > 0).then(|| Alert {
        text: t.count("alert-unknown", unknown),
        path: UNKNOWN.to_owned(),
        name: t.get("messages"),
    });
    let of_senders = of_senders.chain(of_refused).chain(of_budgets);
    let of_keys = keys::alert(t, troubled.keys).filter(|_| role == Role::Admin);
    of_senders.chain(of_unknown).chain(of_keys).collect()
}

/// The pages of senders, and of what was sent through them.
pub fn pages() -> Router<DashboardState> {
    Router::new()
        .route(PATH, get(show))
        .route(usage::PATH, get(usage::show))
}

/// `GET /dashboard/senders`.
async fn show(person: SignedIn) -> Result<Response> {
    let mut f = person.frame("senders");
    let (state, caller) = (&person.state, &person.caller);
    let senders = operations::list_senders(&state.sending, caller).await?;
    let budgets = operations::list_budgets(caller).await?;
    let keys = keys_ending(person.store(), person.account_id).await?;
    let troubled = Arc::new(Troubled::among(senders.clone(), budgets, keys));
    if f.may_edit() {
        // The lines above it say the same as the page.
        f.alerts = alerts(f.t, f.role, &troubled);
    }
    let renewed = &state.sender_alerts;
    renewed.renew(person.account_id, troubled).await;
    let mut tests = if f.may_edit() {
        Some(tests(&person).await?)
    } else {
        None
    };
    let senders = senders.into_iter();
    let senders = senders.map(|item| ShownSender::new(&person, &f, item, tests.as_mut()));
    let template = SendersPage {
        f: &f,
        senders: senders.collect(),
    };
    Ok(page(&f, &template))
}

/// Of the newest campaigns those that can send tests.
async fn tests(person: &SignedIn) -> Result<Tests> {
    let (campaigns, _permit) = operations::list_campaigns(&person.caller, None, NEWEST).await?;
    let campaigns = campaigns.rows.into_iter().map(|item| item.campaign);
    let mut tests = Tests::new();
    for campaign in campaigns {
        if campaign.status == CampaignStatus::Draft || campaign.status.is_open() {
            let first = campaign.content.sender.first().to_owned();
            let of_sender = tests.entry(first).or_default();
            of_sender.push((campaign.campaign_id, campaign.content.name));
        }
    }
    Ok(tests)
}

/// Pauses a sender, or lets it go on.
pub async fn change(
    person: SignedIn,
    Path((name, action)): Path<(String, String)>,
    SentChange(NoFields {}): SentChange<NoFields>,
) -> Result<Response> {
    let is_paused = match &*action {
        "pause" => true,
        "resume" => false,
        _ => return Err(Problem::not_found()),
    };
    operations::pause_sender(&person.state.sending, &person.caller, &name, is_paused).await?;
    let alerts = &person.state.sender_alerts;
    alerts.forget(person.account_id).await;
    Ok(done::go(PATH, &format!("sender.{action}")))
}

#[cfg(test)]
mod tests {
    use api_language::of_code;

    use super::*;

    #[test]
    fn codes_are_told_by_what_is_to_be_done() {
        let t = of_code("en");
        for (code, begin) in [
            ("20003", "The provider refuses user or password (20003)."),
            (
                "smpp-unbound",
                "The provider cannot be reached (smpp-unbound).",
            ),
            (
                "21606",
                "The provider takes no messages from this sender (21606).",
            ),
        ] {
            let told = trouble(t, code);
            assert!(told.starts_with(begin), "{told}");
        }
    }
}
