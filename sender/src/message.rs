//! What goes to a provider and what comes back: messages, results, receipts and inbound texts.

use std::fmt;
use std::time::Duration;

pub use domain::campaign::ReceiptStatus;
use domain::sms::Encoding;
use tokio::sync::oneshot;
use uuid::Uuid;

/// A message as a provider gets it. Its `Debug` shows neither phone nor text.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    pub message_id: Uuid,
    /// Our id towards the provider, 38 characters of base64url; receipts that carry it are ours.
    pub reference: String,
    /// E.164 with `+`.
    pub to: String,
    /// Empty where the provider decides.
    pub from: String,
    pub text: String,
    pub encoding: Encoding,
    /// The text cut into parts, at least one.
    pub parts: Vec<String>,
    /// How long the provider may try.
    pub validity: Duration,
    /// Where receipts of this message are reported; it carries the reference.
    pub status_url: String,
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("message_id", &self.message_id)
            .field("encoding", &self.encoding)
            .field("parts", &self.parts.len())
            .field("validity", &self.validity)
            .finish_non_exhaustive()
    }
}

/// What came of handing a message over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handed {
    /// The provider has it, under these ids: one a part, or one for all; none where it gives none.
    Accepted { provider_ids: Vec<String> },
    /// Refused for good: the number or the text.
    Refused { code: String },
    /// The sender's fault: password, credit, `from`. It fails no message.
    SenderFault { code: String },
    /// Not taken for now.
    Throttled { retry_after: Option<Duration> },
    /// Certainly not sent: no byte was written, or the provider says so.
    NotSent { code: String },
    /// It may have been sent.
    Unknown { code: String },
}

/// Which message a receipt is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Our own reference, which the receipt carried.
    Reference(String),
    /// The provider's id.
    ProviderId(String),
    /// Our own reference, and the provider's id of the part.
    Part {
        reference: String,
        provider_id: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    pub subject: Subject,
    pub status: ReceiptStatus,
    /// The provider's own code; never a text, which may quote a phone.
    pub code: Option<String>,
    /// The provider says that the number opted out.
    pub opted_out: bool,
}

/// A text that came from a phone. Its `Debug` shows neither phone nor text.
#[derive(Clone, PartialEq, Eq)]
pub struct Inbound {
    /// The provider's id, which counts once.
    pub id: String,
    /// E.164 with `+`.
    pub from: String,
    /// E.164 with `+`, or a short code.
    pub to: String,
    pub text: String,
    /// The provider's own verdict that this opts out (`Some(true)`) or in (`Some(false)`).
    pub opts_out: Option<bool>,
}

impl fmt::Debug for Inbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbound")
            .field("id", &self.id)
            .field("opts_out", &self.opts_out)
            .finish_non_exhaustive()
    }
}

/// What comes from a provider without a hook: by SMPP, or simulated.
#[derive(Debug)]
pub struct Event {
    pub kind: EventKind,
    /// Told once the event is stored; the provider may forget it then. Dropped: it was not stored.
    pub stored: oneshot::Sender<()>,
}

#[derive(Debug)]
pub enum EventKind {
    Receipt(Receipt),
    Inbound(Inbound),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_phone_nor_text_is_shown() {
        let message = Message {
            message_id: Uuid::nil(),
            reference: "the-reference".to_owned(),
            to: "+491701234521".to_owned(),
            from: "+491709999999".to_owned(),
            text: "the text".to_owned(),
            encoding: Encoding::Gsm7,
            parts: vec!["the text".to_owned()],
            validity: Duration::from_mins(1),
            status_url: "https://example.com/the-key".to_owned(),
        };
        let inbound = Inbound {
            id: "1".to_owned(),
            from: "+491701234521".to_owned(),
            to: "+491709999999".to_owned(),
            text: "the text".to_owned(),
            opts_out: None,
        };
        let shown = format!("{message:?} {inbound:?}");
        for hidden in ["170", "text", "the-key"] {
            assert!(!shown.contains(hidden), "{shown}");
        }
    }
}
