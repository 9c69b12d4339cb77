//! What providers report: receipts, and texts that came from phones. Nothing is answered before it is stored.
//!
//! The key in the path is what the provider knows. A callback address that we name also carries the reference of its message,
//! and where the provider signs, the signature is asked for too. Whatever is wrong of these is charged to the address that it
//! came from.

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use domain::pepper::Pepper;
use metrics::counter;
use sender::setting::{Kind, Setting};
use sender::{HookError, HookRequest, Provider, Receipt, Subject};
use store::Store;
use store::form::FormKey;
use store::send::inbound::{NewInbound, Referred};
use store::send::receipt::NewReceipt;
use uuid::Uuid;

use crate::state::SendState;
use api_http::body::{self, Whole};
use api_http::commit::Group;
use api_http::{Code, Network, Parameters, Problem, QUICK, Result, within};

const MAX_BODY: usize = 64 << 10;
/// The parameter of a callback address that has the message's reference.
const REFERENCE: &str = "ref";

/// The sender's name and its key.
type HookPath = Result<Path<(String, String)>, PathRejection>;

/// A sender that a request comes for.
struct Hook<'a> {
    setting: &'a Setting,
    provider: &'a dyn Provider,
    pepper: &'a Pepper,
}

/// What a provider reports of messages.
pub async fn take_receipts(
    State(state): State<SendState>,
    network: Network,
    path: HookPath,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let charge = |problem| charge(&state, network, problem);
    let hook = find(&state, path).map_err(charge)?;
    let body = read(&state, body).await?;
    let reference = reference(&hook, &uri).map_err(charge)?;
    let request = Received::new(&state, &uri, &headers, body);
    let receipt = hook
        .provider
        .receipt(&request.as_hook(), reference.as_deref());
    let receipt = receipt.map_err(|error| charge(refused(&hook, error)))?;
    if let Some(receipt) = receipt {
        store_receipt(&state, &hook, receipt).await?;
    }
    Ok(answer(&hook))
}

/// Texts that came from phones.
pub async fn take_inbound(
    State(state): State<SendState>,
    network: Network,
    path: HookPath,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let charge = |problem| charge(&state, network, problem);
    let hook = find(&state, path).map_err(charge)?;
    let body = read(&state, body).await?;
    let request = Received::new(&state, &uri, &headers, body);
    let text = hook.provider.inbound(&request.as_hook());
    let text = text.map_err(|error| charge(refused(&hook, error)))?;
    if let Some(text) = text {
        let inbound = NewInbound {
            sender: &hook.setting.name,
            id: &text.id,
            phone: &text.from,
            text: &text.text,
            opts_out: text.opts_out,
            // Twilio replies itself.
            is_replied_to: hook.setting.kind != Kind::Twilio,
        };
        let recorded = state.app.store.record_inbound(inbound, hook.pepper);
        within(QUICK, recorded).await?;
    }
    Ok(answer(&hook))
}

/// The sender of a path, if the key is its. 401, the same for a wrong name and a wrong key.
fn find(state: &SendState, path: HookPath) -> Result<Hook<'_>> {
    let Path((name, key)) = path.map_err(|_| unauthenticated())?;
    let pepper = state.pepper().map_err(|_| unauthenticated())?;
    if !pepper.is_hook_key(&name, &key) {
        return Err(unauthenticated());
    }
    let mut senders = state.senders.iter();
    let found = senders.find(|(setting, _)| setting.name == name);
    let (setting, provider) = found.ok_or_else(unauthenticated)?;
    Ok(Hook {
        setting,
        provider: provider.as_ref(),
        pepper,
    })
}

/// A request that is refused costs its address one of its failures. Without any left, that is the problem.
fn charge(state: &SendState, network: Network, problem: Problem) -> Problem {
    let taken = state.app.key_failures.take(network);
    taken.err().unwrap_or(problem)
}

/// A request as a provider's code reads it.
struct Received {
    url: String,
    headers: Vec<(String, String)>,
    body: Whole,
}

impl Received {
    fn new(state: &SendState, uri: &Uri, headers: &HeaderMap, body: Whole) -> Self {
        let headers = headers.iter().filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            Some((name.as_str().to_owned(), value.to_owned()))
        });
        let path = uri.path_and_query().map_or("", |path| path.as_str());
        Self {
            url: format!("{}{path}", state.public_url),
            headers: headers.collect(),
            body,
        }
    }

    fn as_hook(&self) -> HookRequest<'_> {
        HookRequest {
            url: &self.url,
            headers: &self.headers,
            body: &self.body.bytes,
            now: Utc::now().timestamp(),
        }
    }
}

async fn read(state: &SendState, body: Body) -> Result<Whole> {
    let permit = state.app.memory.permit(Uuid::nil());
    body::read(permit, body, MAX_BODY, Code::InvalidForm).await
}

/// The reference that a callback address carries, if it carries one.
fn reference(hook: &Hook<'_>, uri: &Uri) -> Result<Option<String>> {
    // Whatever others add to the query is none of ours.
    let Ok(parameters) = Parameters::of(uri) else {
        return Ok(None);
    };
    let mut references = parameters.all(REFERENCE);
    match (references.next(), references.next()) {
        (None, _) => Ok(None),
        (Some(reference), None) if hook.pepper.read_reference(reference).is_some() => {
            Ok(Some(reference.to_owned()))
        }
        _ => Err(unauthenticated()),
    }
}

fn refused(hook: &Hook<'_>, error: HookError) -> Problem {
    match error {
        HookError::Signature => unauthenticated(),
        HookError::Malformed => {
            let code = match hook.setting.kind {
                Kind::Https => Code::InvalidJson,
                _ => Code::InvalidForm,
            };
            Problem::new(code, "the request is not what this provider sends")
        }
    }
}

/// The same for a sender that there is not, and for whatever does not prove that it comes from its provider.
fn unauthenticated() -> Problem {
    Problem::new(
        Code::Unauthenticated,
        "the address or the signature is not that of the sender's provider",
    )
}

fn answer(hook: &Hook<'_>) -> Response {
    let (content_type, body) = hook.provider.hook_answer();
    ([(CONTENT_TYPE, content_type)], body).into_response()
}

/// Receipts share commits with those that arrive meanwhile.
pub struct Receipts;

impl Group for Receipts {
    type Item = NewReceipt;
    type Outcome = ();
    const NAME: &'static str = "receipts";

    fn size(item: &NewReceipt) -> usize {
        size_of::<NewReceipt>() + item.code.as_ref().map_or(0, String::len)
    }

    async fn commit(
        store: &Store,
        items: &[NewReceipt],
    ) -> Result<(Vec<()>, Vec<FormKey>), store::Error> {
        store.record_receipts(items).await?;
        Ok((vec![(); items.len()], vec![]))
    }
}

async fn store_receipt(state: &SendState, hook: &Hook<'_>, receipt: Receipt) -> Result<()> {
    let store = &state.app.store;
    let (name, status) = (hook.setting.name.clone(), receipt.status.as_str());
    counter!("feedback_receipts_total", "sender" => name, "status" => status).increment(1);
    let Some((account_id, message_id, part)) = subject(store, hook, &receipt.subject).await? else {
        let sender = &hook.setting.name;
        tracing::debug!(sender, "a receipt is of no message that is known");
        return Ok(());
    };
    let new = NewReceipt {
        account_id,
        message_id,
        part,
        status: receipt.status,
        code: receipt.code,
    };
    state.receipts.commit(account_id, new).await?;
    if receipt.opted_out {
        let stored = store.opt_out_by_message(account_id, message_id, "provider");
        within(QUICK, stored).await?;
    }
    Ok(())
}

/// The account, the message and the part (`None`: all) that a receipt is about. What names no message of ours is left out; a
/// provider's id tells only the part.
async fn subject(
    store: &Store,
    hook: &Hook<'_>,
    subject: &Subject,
) -> Result<Option<(Uuid, Uuid, Option<usize>)>> {
    let (reference, provider_id) = match subject {
        Subject::Reference(reference) => (reference, None),
        Subject::Part {
            reference,
            provider_id,
        } => (reference, Some(provider_id.as_str())),
        Subject::ProviderId(_) => return Ok(None),
    };
    let Some((number, message_id)) = hook.pepper.read_reference(reference) else {
        return Ok(None);
    };
    let referred = store.referred(number, message_id, provider_id);
    match within(QUICK, referred).await? {
        Referred::Message { account_id, part } => Ok(Some((account_id, message_id, part))),
        Referred::Unknown => Ok(None),
        // The receipt is faster than the answer to the message; the provider tells it again.
        Referred::NotYet => Err(Problem::unavailable()),
    }
}
