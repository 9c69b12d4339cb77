//! Why an import comes to nothing, apart from its records.

use std::io;

use api_http::{Code, Problem};
use domain::body::BodyKind;

/// The code of a body that is not one complete value of its kind.
pub fn broken(kind: BodyKind) -> Code {
    match kind {
        BodyKind::Csv => Code::InvalidCsv,
        BodyKind::Json | BodyKind::Ndjson => Code::InvalidJson,
    }
}

/// Another attempt has the idempotency key.
pub fn in_flight() -> Problem {
    Problem::new(
        Code::IdempotencyInFlight,
        "another request with this idempotency key is being answered; try again",
    )
    .retry_after(1)
}

/// A part of the service stopped.
pub fn fault(what: &'static str) -> Problem {
    Problem::internal(&io::Error::other(what))
}

/// What an import that came to nothing is called in metrics.
pub fn outcome(problem: &Problem) -> &'static str {
    match problem.code() {
        Code::InvalidJson | Code::InvalidCsv => "broken",
        Code::BodyTooLarge | Code::TooManyRecords => "too_large",
        Code::BodyTooSlow => "too_slow",
        Code::IdempotencyInFlight | Code::IdempotencyKeyReused => "idempotency",
        Code::CampaignNotRunning => "campaign",
        Code::Busy => "busy",
        Code::Unavailable => "unavailable",
        _ => "fault",
    }
}
