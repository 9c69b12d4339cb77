//! The layers before all handlers: who is signed in, what their role lets them do, and where a change may come from, which is an
//! `Origin` that is the service's own with the session's token at the beginning of its body (`sent`).

use api_http::cut::{cut_when, finish, is_preview};
use api_http::lines::hold;
use api_http::{Caller, Code, Network, Problem};
use api_language::{Text, of_request};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use domain::person::Role;
use store::account::{Person, hash_secret};
use store::reading;
use url::form_urlencoded::Serializer;

use crate::done;
use crate::own_password;
use crate::page::{forbidden, not_with_role, trouble};
use crate::range::kept;
use crate::second_factor;
use crate::senders;
use crate::sent;
use crate::session::LIVE;
use crate::signed_in::SignedIn;
use crate::state::DashboardState;

/// How the paths of what is downloaded end.
const DOWNLOADS: [&str; 4] = ["csv", "json", "ndjson", "xlsx"];
const SIGN_OUT: &str = "/dashboard/sign-out";

/// The page that somebody sees to before all others. Whom a provider signs in has their second factor there.
fn first_page(person: &Person) -> Option<&'static str> {
    if person.must_change_password {
        Some(own_password::PATH)
    } else if person.demands_second_factor
        && person.second_factor.is_none()
        && person.identity.is_none()
    {
        Some(second_factor::PATH)
    } else {
        None
    }
}

/// Pages for people who have the role, or more. What their forms send is read before their handlers, up to so many bytes;
/// `None`: the handlers read it.
pub fn group(
    state: &DashboardState,
    role: Role,
    form_bytes: Option<usize>,
    pages: Router<DashboardState>,
) -> Router<DashboardState> {
    let group = (state.clone(), role, form_bytes);
    pages.layer(from_fn_with_state(group, signed_in))
}

async fn signed_in(
    State((state, role, form_bytes)): State<(DashboardState, Role, Option<usize>)>,
    network: Network,
    mut request: Request,
    next: Next,
) -> Response {
    let t = of_request(request.headers());
    let sessions = &state.sessions;
    let Some(secret) = sessions.secret(request.headers()) else {
        return to_sign_in(&request);
    };
    let session = hash_secret(&secret);
    let person = match sessions.find(&state.app, Some(network), session).await {
        Ok(Some(person)) => {
            let caller = Caller::person(state.app.clone(), person.clone(), network, &request);
            let alerts = if *request.method() == Method::GET && person.role >= Role::Editor {
                let troubled = state.sender_alerts.find(&state.sending, &caller).await;
                senders::alerts(t, person.role, &troubled)
            } else {
                Vec::new()
            };
            SignedIn {
                caller,
                state: state.clone(),
                person,
                session,
                t,
                kept: kept(request.uri()),
                done: done::told(t, request.uri()),
                alerts,
            }
        }
        Ok(None) => return to_sign_in(&request),
        Err(problem) => return trouble(t, &problem),
    };
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    if is_download_elsewhere(&request) {
        return trouble(t, &forbidden());
    }
    if let Some(first) = first_page(&person)
        && ![first, SIGN_OUT].contains(&request.uri().path())
    {
        return Redirect::to(first).into_response();
    }
    if person.role < role {
        return not_with_role(t, person.role);
    }
    if changes && !state.sessions.is_same_origin(&request) {
        return trouble(t, &forbidden());
    }
    // What was sent counts for its account until it is answered.
    let held = match form_bytes {
        Some(bytes) if changes => match sent::receive(&person, &mut request, bytes).await {
            Ok(held) => Some(held),
            Err(problem) => return trouble(t, &problem),
        },
        _ => None,
    };
    // What was sent may have taken half a minute to come.
    match person.stands().await {
        Ok(true) => {}
        Ok(false) => return to_sign_in(&request),
        Err(problem) => return trouble(t, &problem),
    }
    let account_id = person.account_id;
    if !request.headers().contains_key(LIVE) {
        sessions.touch(&state.app.store, account_id, session);
    }
    request.extensions_mut().insert(person.clone());
    if changes {
        let held = (held, state.app.store.changing(account_id));
        // What only reads, or reads what was sent as it comes, ends with its client.
        let ends_early = form_bytes.is_none() || is_preview(&request);
        let change = async move {
            let _held = held;
            next.run(request).await
        };
        let response = if ends_early {
            change.await
        } else {
            match person.caller.begin_change() {
                Ok(begun) => finish(&state.app.tasks, begun, change).await,
                Err(problem) => problem.into_response(),
            }
        };
        // What was changed is told in any case: it may be a secret that is shown once.
        return with_pages(t, response);
    }
    let response = with_pages(t, reading(account_id, next.run(request)).await);
    let response = cut_when(async move { person.ended(role).await }, response);
    hold(&state.app, account_id, response).unwrap_or_else(|problem| trouble(t, &problem))
}

/// Whether a page of another site asks for a download, of which the audit log would tell as if its person had wanted it.
fn is_download_elsewhere(request: &Request) -> bool {
    let site = request.headers().get("sec-fetch-site");
    let ending = request.uri().path().rsplit_once('.');
    site.is_some_and(|site| site == "cross-site")
        && ending.is_some_and(|(_, ending)| DOWNLOADS.contains(&ending))
}

/// The layer of pages that need no session: nothing is sent to them from elsewhere.
pub async fn same_origin(
    State(state): State<DashboardState>,
    request: Request,
    next: Next,
) -> Response {
    let t = of_request(request.headers());
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads || state.sessions.is_same_origin(&request) {
        with_pages(t, next.run(request).await)
    } else {
        trouble(t, &forbidden())
    }
}

/// A problem is shown as a page; whoever is signed in no longer, such as of an account that ended, is led to the sign-in page.
fn with_pages(t: &'static Text, mut response: Response) -> Response {
    match response.extensions_mut().remove::<Problem>() {
        Some(problem) if problem.code() == Code::Unauthenticated => {
            Redirect::to("/dashboard/sign-in").into_response()
        }
        Some(problem) => trouble(t, &problem),
        None => response,
    }
}

/// To the sign-in page, and from there to where somebody wanted to go.
fn to_sign_in(request: &Request) -> Response {
    let asked = request
        .uri()
        .path_and_query()
        .map_or("/dashboard", |asked| asked.as_str());
    let next = match *request.method() {
        Method::GET if asked != "/dashboard" => asked,
        _ => return Redirect::to("/dashboard/sign-in").into_response(),
    };
    let query = Serializer::new(String::new())
        .append_pair("next", next)
        .finish();
    Redirect::to(&format!("/dashboard/sign-in?{query}")).into_response()
}
