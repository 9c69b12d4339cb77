//! Signing in through the company's OpenID Connect provider, and who that makes somebody here.
//!
//! Nothing is stored while somebody is there: their browser keeps a secret, of which all else is a hash that leads them back
//! (`platform::oidc`). A person is known by issuer and subject alone; names and mail addresses change, and others may get them.

use api_http::{Code, Network, Problem, Result};
use api_language::{Text, of_request};
use axum::extract::{Query, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use chrono::TimeDelta;
use domain::changes::Changes;
use domain::oidc::{EMAIL, Grant, names};
use domain::person::Role;
use platform::oidc::{OidcFault, OidcProvider, Vouched, state_of};
use serde::Deserialize;
use store::account::{Person, PersonChange, random_text};
use subtle::ConstantTimeEq;
use url::form_urlencoded;
use uuid::Uuid;

use crate::page::{explained, trouble};
use crate::session::{Names, inside, redirect};
use crate::sign_in::Next;
use crate::state::DashboardState;
use crate::visitor::Visitor;

/// Where somebody begins.
pub const PATH: &str = "/dashboard/sign-in/provider";
/// How its sign-ins are called in the audit log.
const BY_PROVIDER: &str = "sign-in.provider";
/// Of the cookie that keeps the secret and where somebody wanted to go.
const COOKIE: Names = ["feedback_oidc", "__Host-feedback_oidc"];
/// How long somebody may take at the provider.
const LIFE: TimeDelta = TimeDelta::minutes(10);
/// Longer ways to pages are not kept: cookies are small.
const MAX_NEXT: usize = 1_000;
/// Characters of what browsers bring as the provider's error.
const MAX_SAID: usize = 100;

/// What the cookie has.
#[derive(Deserialize)]
struct Begun {
    secret: String,
    next: String,
}

impl Begun {
    fn of_request(state: &DashboardState, headers: &HeaderMap) -> Option<Self> {
        let cookie = state.sessions.cookie_of(headers, COOKIE)?;
        let mut pairs = form_urlencoded::parse(cookie.as_bytes());
        let mut next = |wanted| pairs.next().filter(|(name, _)| name == wanted);
        Some(Self {
            secret: next("secret")?.1.into_owned(),
            next: next("next")?.1.into_owned(),
        })
    }

    fn spelled(&self) -> String {
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        pairs.append_pair("secret", &self.secret);
        pairs.append_pair("next", &self.next);
        pairs.finish()
    }
}

/// With what a browser comes back.
#[derive(Deserialize)]
pub struct ReturnQuery {
    #[serde(default)]
    state: String,
    code: Option<String>,
    /// Why the provider signs nobody in.
    error: Option<String>,
}

/// Leads to the provider.
pub async fn begin(
    State(state): State<DashboardState>,
    headers: HeaderMap,
    Query(Next { next }): Query<Next>,
) -> Response {
    let t = of_request(&headers);
    let Some(provider) = &state.oidc else {
        return trouble(t, &Problem::not_found());
    };
    let begun = Begun {
        secret: random_text(),
        next: if next.len() > MAX_NEXT {
            String::new()
        } else {
            next
        },
    };
    match provider.begin(&begun.secret).await {
        Ok(url) => redirect(state.sessions.cookie(COOKIE, begun.spelled(), LIFE), &url),
        Err(fault) => faulty(t, provider, &fault),
    }
}

/// Signs in whoever comes back from the provider. The cookie is good for once.
pub async fn finish(
    State(state): State<DashboardState>,
    network: Network,
    headers: HeaderMap,
    Query(returned): Query<ReturnQuery>,
) -> Response {
    let t = of_request(&headers);
    let Some(provider) = &state.oidc else {
        return trouble(t, &Problem::not_found());
    };
    let finished = Box::pin(sign_in(&state, provider, network, &headers, returned)).await;
    let mut response = finished.unwrap_or_else(|problem| trouble(t, &problem));
    let spent = state
        .sessions
        .cookie(COOKIE, String::new(), TimeDelta::zero());
    response.headers_mut().append(SET_COOKIE, spent);
    response
}

async fn sign_in(
    state: &DashboardState,
    provider: &OidcProvider,
    network: Network,
    headers: &HeaderMap,
    returned: ReturnQuery,
) -> Result<Response> {
    let t = of_request(headers);
    let anew = || refuse(t, Code::LinkGone, t.get("oidc-anew"));
    let begun = Begun::of_request(state, headers);
    let Some(begun) = begun.filter(|begun| is_of(&begun.secret, &returned.state)) else {
        return Ok(anew());
    };
    // Each that signs nobody in is a failure: whoever makes the provider busy or fills the log is soon refused before it is asked.
    state.app.failures.left(network)?;
    let nobody = |response| state.app.failures.take(network).map(|()| response);
    let (Some(code), None) = (returned.code, &returned.error) else {
        let said = returned.error.unwrap_or_default();
        let said = said.chars().take(MAX_SAID).collect();
        return nobody(faulty(t, provider, &OidcFault::Refused(said)));
    };
    let finished = provider.finish(&begun.secret, code, network.site()).await;
    let vouched = match finished {
        Ok(vouched) => vouched,
        Err(fault) => return nobody(faulty(t, provider, &fault)),
    };
    let Some(grant) = provider.granted(&vouched.claims) else {
        let known = state.app.store.person_of_identity(&vouched.identity);
        if let Some(person) = known.await? {
            let_go(state, network, &person).await?;
        }
        let asked = match provider.claim() {
            EMAIL => t.with("oidc-no-role-email", provider.label()),
            claim => t.with("oidc-no-role-claim", claim),
        };
        let detail = format!("{} {asked}", t.with("oidc-no-role", provider.label()));
        return nobody(refuse(t, Code::Forbidden, detail));
    };
    let person = match person_of(state, network, &vouched, grant).await? {
        Ok(person) => person,
        Err(key) => return nobody(refuse(t, Code::Forbidden, t.with(key, provider.label()))),
    };
    let visitor = Visitor::new(network, headers);
    let sessions = &state.sessions;
    let cookie = sessions
        .open(&state.app.store, &person, &visitor, BY_PROVIDER)
        .await?;
    match cookie {
        Some(cookie) => Ok(redirect(cookie, inside(&begun.next))),
        None => nobody(anew()),
    }
}

/// Ends the sessions of somebody to whom the provider gives nothing here any more, and their role: an admin who cannot sign in is not the one
/// that an account keeps, unless there is no other.
async fn let_go(state: &DashboardState, network: Network, person: &Person) -> Result<()> {
    let store = &state.app.store;
    store.close_sessions(person).await?;
    if person.role != Role::Viewer {
        let by = (person.account_id, person.name.as_str());
        let subject = person.with_role(Role::Viewer);
        let set = store.set_role(person, Role::Viewer);
        noted(state, network, by, ("person.role", &subject), set).await?;
    }
    let passwords = &state.passwords;
    passwords.note_refused(&state.app, network, person, BY_PROVIDER);
    Ok(())
}

/// Whether a browser that has the secret was led away with this state.
fn is_of(secret: &str, state: &str) -> bool {
    state_of(secret).as_bytes().ct_eq(state.as_bytes()).into()
}

fn refuse(t: &'static Text, code: Code, detail: String) -> Response {
    explained(t, &Problem::new(code, "nobody is signed in"), detail)
}

fn faulty(t: &'static Text, provider: &OidcProvider, fault: &OidcFault) -> Response {
    let (code, key) = match fault {
        OidcFault::Busy => {
            let problem = Problem::new(Code::Busy, fault.to_string());
            return trouble(t, &problem.retry_after(1));
        }
        OidcFault::Away(_) => (Code::Unavailable, "oidc-away"),
        OidcFault::Refused(why) => {
            tracing::warn!(
                error = why,
                "the OpenID Connect provider did not sign somebody in"
            );
            (Code::Forbidden, "oidc-refused")
        }
    };
    let problem = Problem::new(code, "nobody is signed in").because(fault);
    explained(t, &problem, t.with(key, provider.label()))
}

/// Who this is here: of the account and with the role that the grant has, from now on. `Err`: the key of the text for why they cannot be.
async fn person_of(
    state: &DashboardState,
    network: Network,
    vouched: &Vouched,
    grant: &Grant,
) -> Result<Result<Person, &'static str>> {
    let store = &state.app.store;
    let identity = &vouched.identity;
    let known = store.person_of_identity(identity).await?;
    let Some(account_id) = store.account_id(&grant.account).await? else {
        tracing::error!(
            account = grant.account,
            "FEEDBACK_OIDC names an account that there is not"
        );
        if let Some(person) = &known {
            let_go(state, network, person).await?;
        }
        return Ok(Err("oidc-no-account"));
    };
    if let Some(person) = known {
        let by = (person.account_id, person.name.as_str());
        let stays = person.account_name == grant.account;
        if stays && person.role == grant.role {
            return Ok(Ok(person));
        }
        let change = if stays {
            let set = store.set_role(&person, grant.role);
            let subject = person.with_role(grant.role);
            noted(state, network, by, ("person.role", &subject), set).await?
        } else {
            let remove = store.remove_person(&person);
            noted(state, network, by, ("person.remove", &person.name), remove).await?
        };
        if change == PersonChange::LastAdmin {
            // Their sessions go on: until another admin signs in they are what they were.
            return Ok(Err("oidc-last-admin"));
        }
        if stays {
            return Ok(Ok(Person {
                role: grant.role,
                ..person
            }));
        }
    }
    for name in names(&vouched.claims) {
        if store.person(&name).await?.is_some() {
            continue;
        }
        let by = (account_id, name.as_str());
        let subject = format!("{} {}", name.as_str(), grant.role);
        let add = store.add_identity(account_id, &name, grant.role, identity);
        let added = noted(state, network, by, ("person.add", &subject), add).await?;
        if added == PersonChange::Done {
            break;
        }
    }
    // Perhaps added by another sign-in of theirs.
    let person = store.person_of_identity(identity).await?;
    Ok(person.ok_or("oidc-name-taken"))
}

/// Notes in the audit log what somebody's claims are about to change, and then what it came to.
async fn noted(
    state: &DashboardState,
    network: Network,
    (account_id, who): (Uuid, &str),
    (action, subject): (&str, &str),
    change: impl Future<Output = Result<PersonChange, store::Error>>,
) -> Result<PersonChange> {
    let store = &state.app.store;
    let address = network.to_string();
    let audit_id = store
        .note_change(account_id, (who, &address), action, subject)
        .await?;
    let done = change.await?;
    let status = match done {
        PersonChange::Done => StatusCode::OK,
        _ => StatusCode::CONFLICT,
    };
    let outcome = state
        .app
        .note_outcome(account_id, audit_id, status, Changes::default());
    outcome.await;
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_its_secret_s() {
        let (secret, other) = (random_text(), random_text());
        assert!(is_of(&secret, &state_of(&secret)));
        for state in [String::new(), secret.clone(), state_of(&other)] {
            assert!(!is_of(&secret, &state), "{state}");
        }
    }
}
