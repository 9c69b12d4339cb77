//! Why an import comes to nothing, apart from its records.

use std::io;

use api_http::error::{Code, Problem};
use api_http::memory::Busy;
use domain::body::BodyKind;

/// Why an import stores nothing.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The body is not one complete value of its kind. `detail` names the byte.
    #[error("{detail}")]
    Syntax { kind: BodyKind, detail: String },
    /// More bytes than an import may have, as they come or decoded.
    #[error("an import may have {limit} bytes, decoded or not")]
    BodyTooLarge { limit: u64 },
    /// One record of more bytes than any may have.
    #[error(
        "record {index} is larger than {} bytes",
        domain::body::MAX_RECORD_BYTES
    )]
    RecordTooLarge { index: u64 },
    #[error("an import may have {limit} records")]
    TooManyRecords { limit: u64 },
    /// The body was below the minimum throughput.
    #[error("the body came too slowly")]
    BodyTooSlow,
    /// The account holds its share of the memory.
    #[error("the account holds its share of the memory")]
    Busy(Busy),
    /// Another attempt has the idempotency key.
    #[error("another request with this idempotency key is being answered; try again")]
    InFlight,
    /// The idempotency key belongs to another request.
    #[error("the idempotency key was used within 24 h with another query or body")]
    KeyReused,
    /// The campaign that it is for takes no imports.
    #[error("{0}")]
    CampaignNotRunning(String),
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A part of the service stopped.
    #[error("the import stopped: {0}")]
    Fault(&'static str),
}

impl ImportError {
    /// Its name in metrics.
    pub fn outcome(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "broken",
            Self::BodyTooLarge { .. }
            | Self::RecordTooLarge { .. }
            | Self::TooManyRecords { .. } => "too_large",
            Self::BodyTooSlow => "too_slow",
            Self::InFlight | Self::KeyReused => "idempotency",
            Self::CampaignNotRunning(_) => "campaign",
            Self::Busy(_) => "busy",
            Self::Store(_) => "unavailable",
            Self::Fault(_) => "fault",
        }
    }
}

impl From<Busy> for ImportError {
    fn from(busy: Busy) -> Self {
        Self::Busy(busy)
    }
}

impl From<io::Error> for ImportError {
    /// The error that a [`Source`](super::source::Source) holds.
    fn from(error: io::Error) -> Self {
        error
            .downcast()
            .unwrap_or(Self::Fault("a body could not be read"))
    }
}

impl From<ImportError> for Problem {
    fn from(error: ImportError) -> Self {
        let code = match error {
            ImportError::Store(error) => return error.into(),
            ImportError::Busy(busy) => return busy.into(),
            ImportError::Fault(_) => return Self::internal(&error),
            ImportError::BodyTooSlow => return Self::body_too_slow(),
            ImportError::Syntax {
                kind: BodyKind::Csv,
                ..
            } => Code::InvalidCsv,
            ImportError::Syntax { .. } => Code::InvalidJson,
            ImportError::BodyTooLarge { .. } | ImportError::RecordTooLarge { .. } => {
                Code::BodyTooLarge
            }
            ImportError::TooManyRecords { .. } => Code::TooManyRecords,
            ImportError::InFlight => Code::IdempotencyInFlight,
            ImportError::CampaignNotRunning(_) => Code::CampaignNotRunning,
            ImportError::KeyReused => Code::IdempotencyKeyReused,
        };
        let problem = Self::new(code, error.to_string());
        match code {
            Code::IdempotencyInFlight => problem.retry_after(1),
            _ => problem,
        }
    }
}
