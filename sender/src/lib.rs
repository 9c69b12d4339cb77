//! Senders: whoever carries messages to phones.
//!
//! - [`setting`]: what `FEEDBACK_SENDERS` says, parsed.
//! - [`Provider`]: one way to hand over a message and to read receipts and inbound texts. Each of [`KINDS`] has a file of its own.
//! - `kind`: what such a file says of its kind. `provider_url`: what the URLs of all kinds have in common. `client`: the HTTP client
//!   of those that speak HTTP. It tells "no byte was written" from "it may have been sent".
//!
//! What is *not* here: what is sent to whom and when (in `store` and `worker`), the text and its parts (in `domain`).

mod client;
#[cfg(feature = "demo")]
mod demo;
mod hook;
mod https;
mod kannel;
mod kind;
mod message;
mod provider_url;
pub mod setting;
mod signature;
mod smpp;
mod twilio;
mod value;
mod vonage;

use std::time::Duration;

use futures::future::BoxFuture;
use uuid::Uuid;

pub use self::hook::{HookError, HookRequest};
pub use self::kind::SenderKind;
pub use self::message::{
    Deadline, Event, EventKind, Handed, Inbound, Named, Outbound, Receipt, ReceiptStatus, Subject,
};

/// All kinds of sender. The simulated one is a feature.
pub const KINDS: &[&SenderKind] = &[
    #[cfg(feature = "demo")]
    &demo::KIND,
    &https::KIND,
    &twilio::KIND,
    &vonage::KIND,
    &kannel::KIND,
    &smpp::KIND,
];

/// How often a provider is asked how it stands while nothing is sent.
const PROBE_EVERY: Duration = Duration::from_mins(1);

/// One kind of sender. Implementations keep no message; a provider is driven by one worker at a time.
pub trait Provider: Send + Sync {
    /// Hands a message over. Dropping the future before it is done leaves the outcome unknown.
    fn send<'a>(&'a self, message: &'a Outbound) -> BoxFuture<'a, Handed>;

    /// How it stands, without a message: accepted where it would take one. `None`: it cannot be asked, or is being connected to.
    fn probe(&self) -> BoxFuture<'_, Option<Handed>> {
        Box::pin(std::future::ready(None))
    }

    /// How often it is [asked](Self::probe) while nothing is sent and nothing is known to be wrong.
    fn probe_every(&self) -> Duration {
        PROBE_EVERY
    }

    /// Whether a message that was handed over twice is sent once, so that what is unknown can be handed over again.
    fn is_idempotent(&self) -> bool {
        false
    }

    /// Whether a code of [`Handed::Refused`] says that the number opted out.
    fn is_opt_out(&self, _code: &str) -> bool {
        false
    }

    /// The next event of a provider that needs no hook; pending for all others. To be called by one task, also while
    /// nothing is sent: SMPP binds and reads here.
    fn event(&self) -> BoxFuture<'_, Event> {
        Box::pin(std::future::pending())
    }

    /// Whether receipts that have not come when the process ends are lost. [`resume`](Self::resume) brings them back.
    fn loses_receipts(&self) -> bool {
        false
    }

    /// Takes the ids and references of messages that were accepted by an earlier process and have no receipt. Called once,
    /// before anything is sent, if the provider [loses receipts](Self::loses_receipts).
    fn resume(&self, _accepted: Vec<(Uuid, String)>) {}

    /// Whether receipts [name](Subject::Named) messages instead of carrying our reference.
    fn reports_by_id(&self) -> bool {
        false
    }

    /// Reads a request to the status hook. `None`: it is not about a message of ours.
    ///
    /// # Errors
    /// See [`HookError`].
    fn receipt(&self, _request: &HookRequest<'_>) -> Result<Option<Receipt>, HookError> {
        Err(HookError::Malformed)
    }

    /// Reads a request to the inbound hook. `None`: it came from no phone.
    ///
    /// # Errors
    /// See [`HookError`].
    fn inbound(&self, _request: &HookRequest<'_>) -> Result<Option<Inbound>, HookError> {
        Err(HookError::Malformed)
    }

    /// Whether requests to its hooks have JSON, and not forms.
    fn hooks_have_json(&self) -> bool {
        false
    }

    /// Whether it replies by itself to texts that opt out or ask for help.
    fn replies_itself(&self) -> bool {
        false
    }

    /// What a hook answers when everything is stored: a content type and a body.
    fn hook_answer(&self) -> (&'static str, &'static str) {
        ("text/plain", "")
    }

    /// Closes the connection after calls under way have ended.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_kind_that_reaches_phones_has_a_page() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/senders");
        for kind in KINDS.iter().filter(|kind| !kind.is_simulated) {
            let page = pages.join(kind.name).with_extension("md");
            assert!(page.exists(), "{}", page.display());
        }
    }
}
