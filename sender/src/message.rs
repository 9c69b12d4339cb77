//! What goes to a provider and what comes back: messages, results, receipts and inbound texts.
//!
//! What has phones and texts has no `Debug`, so that no log shows them.

use std::fmt;
use std::time::{Duration, Instant};

pub use domain::campaign::ReceiptStatus;
use domain::sms::Encoding;
use tokio::sync::{oneshot, watch};
use uuid::Uuid;

use crate::{HookError, value};

/// A message as a provider gets it.
#[derive(Clone)]
pub struct Outbound {
    pub message_id: Uuid,
    /// The reference by which the provider knows the message: 38 characters of base64url. Receipts that carry it are ours.
    pub reference: String,
    /// E.164 with `+`.
    pub to: String,
    /// Empty where the provider decides.
    pub from: String,
    pub text: String,
    pub encoding: Encoding,
    /// The text cut into parts, at least one.
    pub parts: Vec<String>,
    /// The number of its first part, where receipts echo one; those of the others follow it, and 0 follows 65,535.
    pub number: u16,
    /// How long the provider may try.
    pub validity: Duration,
    /// Where receipts of this message are reported; it carries the reference, and may carry the attempt behind a `&`.
    pub status_url: String,
    /// Whether receipts are requested.
    pub wants_receipts: bool,
    /// The moment after which nothing more of the message may be written, because another process may hand it over then.
    pub deadline: Deadline,
}

/// The moment until which messages may be written. It moves on as long as the sender's lease is renewed.
#[derive(Clone)]
pub struct Deadline(watch::Receiver<Option<Instant>>);

impl Deadline {
    /// `None`: it is over for good.
    pub fn moving(moment: watch::Receiver<Option<Instant>>) -> Self {
        Self(moment)
    }

    /// A deadline that does not move.
    pub fn at(moment: Instant) -> Self {
        Self(watch::channel(Some(moment)).1)
    }

    pub fn is_over(&self) -> bool {
        self.0
            .borrow()
            .is_none_or(|moment| Instant::now() >= moment)
    }
}

/// The result of handing a message over.
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
    /// Not taken for now, but others may be at the same time: the provider judges each message for itself.
    Busy,
    /// Certainly not sent: no byte was written, or the provider says so.
    NotSent { code: String },
    /// It may have been sent.
    Unknown { code: String },
}

impl Handed {
    /// Accepted under an id. Without a proper one somebody answered, but maybe not the provider: a proxy's page is a 200
    /// too.
    pub(crate) fn accepted(id: Option<&str>) -> Self {
        match id.and_then(value::id) {
            Some(id) => Self::Accepted {
                provider_ids: vec![id],
            },
            None => Self::unknown("no_id"),
        }
    }

    /// Certainly not sent.
    pub fn not_sent(code: &str) -> Self {
        Self::NotSent { code: code.into() }
    }

    /// It may have been sent.
    pub fn unknown(code: &str) -> Self {
        Self::Unknown { code: code.into() }
    }
}

/// Which message a receipt is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Our own reference, which the receipt carried.
    Reference(String),
    /// What the provider knows it by.
    Named(Named),
    /// Our own reference, and the provider's id of the part.
    Part {
        reference: String,
        provider_id: String,
    },
}

/// What a receipt has of a message where it cannot carry our reference. Its `Debug` shows no phones.
#[derive(Clone, PartialEq, Eq)]
pub struct Named {
    /// The provider's id as it gave it when it took the message. Several: what it may have been, likeliest first. One of them
    /// is it if that message went to one of the phones. None: the receipt has no id.
    pub ids: Vec<String>,
    /// The number of the part, as [`Outbound::number`].
    pub number: Option<u16>,
    /// The phones that the receipt names, in E.164; one may be the sender's.
    pub phones: Vec<String>,
}

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Named({:?}, {:?})", self.ids, self.number)
    }
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

impl Receipt {
    pub(crate) fn new(subject: Subject, status: ReceiptStatus, code: Option<String>) -> Self {
        Self {
            subject,
            status,
            code,
            opted_out: false,
        }
    }
}

/// A text that came from a phone.
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

impl Inbound {
    /// A text as a provider tells it. What comes from a short code, a name or another channel is none: it is taken, so that
    /// it does not come again, and dropped.
    pub(crate) fn read(
        id: &str,
        from: &str,
        to: &str,
        text: &str,
    ) -> Result<Option<Self>, HookError> {
        let id = value::id(id).ok_or(HookError::Malformed)?;
        Ok(value::phone(from).map(|from| Self {
            id,
            from,
            to: value::phone(to).unwrap_or_else(|| to.to_owned()),
            text: text.to_owned(),
            opts_out: None,
        }))
    }
}

/// What comes from a provider without a hook: by SMPP, or simulated.
pub struct Event {
    pub kind: EventKind,
    /// Told once the event is stored, with the place of the [id](Named::ids) that fitted; the provider may forget it then.
    /// Dropped: it was not stored.
    pub stored: oneshot::Sender<Option<usize>>,
}

pub enum EventKind {
    Receipt(Receipt),
    Inbound(Inbound),
}
