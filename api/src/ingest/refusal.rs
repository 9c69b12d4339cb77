//! Why an import comes to nothing, apart from its records; the status of each is decided in [`crate::error`].

use std::fmt;

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
