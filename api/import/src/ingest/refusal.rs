//! Why an import comes to nothing, apart from its records, and what its caller is told.

use std::fmt;

use api_http::error::{Code, Problem};
use domain::body::BodyKind;

/// An import that stores nothing.
#[derive(Debug)]
pub enum Refusal {
    /// The body is not one complete value of its kind. `detail` names the byte.
    Syntax {
        kind: BodyKind,
        detail: String,
    },
    /// More bytes than an import may have, as they come or decoded.
    BodyTooLarge {
        limit: u64,
    },
    /// One record of more bytes than any may have.
    RecordTooLarge {
        index: u64,
    },
    TooManyRecords {
        limit: u64,
    },
    /// There is no room in memory, and none came free in time.
    NoRoom,
    /// The idempotency key is another attempt's.
    InFlight,
    /// The idempotency key belongs to another request.
    KeyReused,
    Store(store::Error),
    /// A fault of the service: a part of the way in stopped.
    Fault(Fault),
}

/// What stopped.
#[derive(Debug)]
pub struct Fault(pub &'static str);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the import stopped: {}", self.0)
    }
}

impl std::error::Error for Fault {}

impl Refusal {
    /// Its name in metrics.
    pub fn outcome(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "broken",
            Self::BodyTooLarge { .. }
            | Self::RecordTooLarge { .. }
            | Self::TooManyRecords { .. } => "too_large",
            Self::InFlight | Self::KeyReused => "idempotency",
            Self::NoRoom | Self::Store(_) => "unavailable",
            Self::Fault(_) => "fault",
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Syntax {
                kind: BodyKind::Csv,
                detail,
            } => Self::new(Code::InvalidCsv, detail),
            Refusal::Syntax {
                kind: BodyKind::Json | BodyKind::Ndjson,
                detail,
            } => Self::new(Code::InvalidJson, detail),
            Refusal::BodyTooLarge { limit } => Self::new(
                Code::BodyTooLarge,
                format!("an import may have {limit} bytes, decoded or not"),
            ),
            Refusal::RecordTooLarge { index } => Self::new(
                Code::BodyTooLarge,
                format!(
                    "record {index} is larger than {} bytes",
                    domain::body::MAX_RECORD_BYTES
                ),
            ),
            Refusal::TooManyRecords { limit } => Self::new(
                Code::TooManyRecords,
                format!("an import may have {limit} records"),
            ),
            Refusal::NoRoom => Self::new(
                Code::Unavailable,
                "too many large imports at once; try again",
            )
            .retry_after(5),
            Refusal::InFlight => Self::new(
                Code::IdempotencyInFlight,
                "another request with this idempotency key is being answered; try again",
            )
            .retry_after(1),
            Refusal::KeyReused => Self::new(
                Code::IdempotencyKeyReused,
                "the idempotency key was used within 24 h with another query or body",
            ),
            Refusal::Store(error) => error.into(),
            Refusal::Fault(fault) => Self::internal(&fault),
        }
    }
}
