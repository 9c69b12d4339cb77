//! What providers report: receipts, and texts that came from phones. Nothing is answered before it is stored.
//!
//! The key in the path is what the provider knows. A callback address that we name also carries the reference of its message,
//! and where the provider signs, the signature is asked for too. Whatever is wrong of these is charged to the address that it
//! came from.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::Uri;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chrono::Utc;
use domain::pepper::Pepper;
use metrics::counter;
use sender::{HookError, HookRequest, Receipt, Subject};
use store::send::inbound::{NewInbound, Referred};
use store::send::receipt::NewReceipt;
use uuid::Uuid;

use crate::state::{ConnectedSender, SendState};
use api_http::body;
use api_http::memory::MemoryPermit;
use api_http::{Code, Network, Parameters, Problem, QUICK, Result, within};

const MAX_BODY: usize = 64 << 10;
/// The parameter of a callback address that has the message's reference.
const REFERENCE: &str = "ref";
/// The parameter that tells the attempt at sending it.
const ATTEMPT: &str = "attempt";

/// A request for a sender, which has shown that it knows the sender's key. Its body was read.
pub struct Hook {
    state: SendState,
    network: Network,
    /// Its place among the senders.
    place: usize,
    pepper: Arc<Pepper>,
    uri: Uri,
    /// As the provider was told.
    url: String,
    headers: Vec<(String, String)>,
    body: Bytes,
    /// For the memory of the body.
    _permit: MemoryPermit,
}

impl FromRequest<SendState> for Hook {
    type Rejection = Problem;

    /// 401, the same for a wrong name and a wrong key; what the body is refused for.
    async fn from_request(request: Request, state: &SendState) -> Result<Self> {
        let (mut parts, body) = request.into_parts();
        let Ok(network) = Network::from_request_parts(&mut parts, state).await;
        let path = Path::<(String, String)>::from_request_parts(&mut parts, state).await;
        let find = || {
            let Path((name, key)) = path.ok()?;
            let pepper = state
                .pepper()
                .ok()
                .filter(|pepper| pepper.is_hook_key(&name, &key))?;
            let mut senders = state.senders.iter();
            let place = senders.position(|sender| sender.setting.name == name)?;
            Some((place, pepper.clone()))
        };
        let (place, pepper) = find().ok_or_else(|| charge(state, network, unauthenticated()))?;
        let permit = state.app.memory.permit(Uuid::nil());
        let (body, permit) = body::read(permit, body, MAX_BODY, Code::InvalidForm).await?;
        let Parts { headers, uri, .. } = parts;
        let headers = headers.iter().filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            Some((name.as_str().to_owned(), value.to_owned()))
        });
        let path = uri.path_and_query().map_or("", |path| path.as_str());
        Ok(Self {
            state: state.clone(),
            network,
            place,
            pepper,
            url: format!("{}{path}", state.app.public_url),
            headers: headers.collect(),
            body,
            _permit: permit,
            uri,
        })
    }
}

impl Hook {
    fn sender(&self) -> &ConnectedSender {
        &self.state.senders[self.place]
    }

    /// The request as a provider's code reads it.
    fn request<'a>(&'a self, reference: Option<&'a str>) -> HookRequest<'a> {
        HookRequest {
            url: &self.url,
            headers: &self.headers,
            body: &self.body,
            now: Utc::now().timestamp(),
            reference,
        }
    }

    /// A request that does not prove that it comes from the provider, or is not what it sends.
    fn refused(&self, error: HookError) -> Problem {
        let problem = match error {
            HookError::Signature => unauthenticated(),
            HookError::Malformed if self.sender().provider.hooks_have_json() => {
                malformed(Code::InvalidJson)
            }
            HookError::Malformed => malformed(Code::InvalidForm),
        };
        charge(&self.state, self.network, problem)
    }

    fn answer(&self) -> Response {
        let (content_type, body) = self.sender().provider.hook_answer();
        ([(CONTENT_TYPE, content_type)], body).into_response()
    }
}

/// What a provider reports of messages.
pub async fn take_receipts(hook: Hook) -> Result<Response> {
    let reference = reference(&hook).map_err(|error| hook.refused(error))?;
    let provider = &hook.sender().provider;
    let receipt = provider.receipt(&hook.request(reference.as_deref()));
    if let Some(receipt) = receipt.map_err(|error| hook.refused(error))? {
        store_receipt(&hook, receipt).await?;
    }
    Ok(hook.answer())
}

/// Texts that came from phones.
pub async fn take_inbound(hook: Hook) -> Result<Response> {
    let ConnectedSender {
        setting, provider, ..
    } = hook.sender();
    let text = provider.inbound(&hook.request(None));
    if let Some(text) = text.map_err(|error| hook.refused(error))? {
        let inbound = NewInbound {
            sender: &setting.name,
            id: &text.id,
            phone: &text.from,
            others: &BTreeSet::new(),
            text: &text.text,
            opts_out: text.opts_out,
            is_replied_to: !provider.replies_itself(),
        };
        let store = &hook.state.app.store;
        within(QUICK, store.record_inbound(inbound, &hook.pepper)).await?;
    }
    Ok(hook.answer())
}

/// A request that is refused costs its address one of its failures. Without any left, that is the problem.
fn charge(state: &SendState, network: Network, problem: Problem) -> Problem {
    let taken = state.app.key_failures.take(network);
    taken.err().unwrap_or(problem)
}

/// The reference that a callback address carries, if it carries one.
fn reference(hook: &Hook) -> Result<Option<String>, HookError> {
    // Whatever others add to the query is none of ours.
    let Ok(parameters) = Parameters::of(&hook.uri) else {
        return Ok(None);
    };
    match parameters.one(REFERENCE) {
        Ok(None) => Ok(None),
        Ok(Some(reference)) if hook.pepper.read_reference(reference).is_some() => {
            Ok(Some(reference.to_owned()))
        }
        _ => Err(HookError::Signature),
    }
}

/// The attempt that a callback address is of, if it carries one.
fn attempt(hook: &Hook) -> Option<i64> {
    let parameters = Parameters::of(&hook.uri).ok()?;
    parameters.one(ATTEMPT).ok()??.parse().ok()
}

fn malformed(code: Code) -> Problem {
    Problem::new(code, "the request is not what this provider sends")
}

/// The same for a sender that there is not, and for whatever does not prove that it comes from its provider.
fn unauthenticated() -> Problem {
    Problem::new(
        Code::Unauthenticated,
        "the address or the signature is not that of the sender's provider",
    )
}

async fn store_receipt(hook: &Hook, receipt: Receipt) -> Result<()> {
    let (store, connected) = (&hook.state.app.store, hook.sender());
    let sender = &connected.setting.name;
    let (name, status) = (sender.clone(), receipt.status.into_str());
    counter!("feedback_receipts_total", "sender" => name, "status" => status).increment(1);
    let Some((account_id, message_id, part)) = subject(hook, &receipt.subject).await? else {
        tracing::debug!(sender.name = %sender, "a receipt is of no message that the sender carries");
        return Ok(());
    };
    let new = NewReceipt {
        account_id,
        message_id,
        sender: sender.clone(),
        attempt: attempt(hook),
        part,
        status: receipt.status,
        code: receipt.code,
    };
    let texts = new.sender.len() + new.code.as_ref().map_or(0, String::len);
    let bytes = size_of::<NewReceipt>() + texts;
    hook.state.receipts.commit(account_id, bytes, new).await?;
    store.note_receipt(sender, &connected.received).await;
    if receipt.opted_out {
        let stored = store.opt_out_by_message(account_id, message_id, "provider");
        within(QUICK, stored).await?;
    }
    Ok(())
}

/// The account, the message and the part (`None`: all) that a receipt is about. What names no message that the sender carries, or an
/// attempt before, is left out; a provider's id tells only the part.
async fn subject(hook: &Hook, subject: &Subject) -> Result<Option<(Uuid, Uuid, Option<usize>)>> {
    let (reference, provider_id) = match subject {
        Subject::Reference(reference) => (reference, None),
        Subject::Part {
            reference,
            provider_id,
        } => (reference, Some(provider_id.as_str())),
        Subject::Named(_) => return Ok(None),
    };
    let Some((number, message_id)) = hook.pepper.read_reference(reference) else {
        return Ok(None);
    };
    let (store, sender) = (&hook.state.app.store, &hook.sender().setting.name);
    let attempt = attempt(hook);
    let referred = store.referred(sender, number, message_id, provider_id, attempt);
    match within(QUICK, referred).await? {
        Referred::Message { account_id, part } => Ok(Some((account_id, message_id, part))),
        Referred::Unknown => Ok(None),
        // The receipt is faster than the answer to the message; the provider tells it again.
        Referred::NotYet => Err(Problem::unavailable()),
    }
}
