//! The codes a problem can have, each with its status and title: the one table of them.

use axum::http::StatusCode;

/// What went wrong, as callers match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    InvalidParameter,
    InvalidJson,
    InvalidCsv,
    InvalidForm,
    Unauthenticated,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    BodyTooSlow,
    FormNotPublished,
    FormTransition,
    FormInUse,
    BatchFinished,
    IdempotencyInFlight,
    LinkGone,
    PreconditionFailed,
    BodyTooLarge,
    TooManyRecords,
    UnsupportedMediaType,
    IdempotencyKeyReused,
    ValidationFailed,
    TooManyTrackFields,
    RateLimited,
    Internal,
    Unavailable,
    Busy,
}

impl Code {
    /// Its name on the wire, its status and a title for people.
    #[expect(clippy::too_many_lines, reason = "a table")]
    const fn row(self) -> (&'static str, StatusCode, &'static str) {
        use StatusCode as S;
        match self {
            Self::InvalidParameter => (
                "invalid_parameter",
                S::BAD_REQUEST,
                "A parameter is invalid",
            ),
            Self::InvalidJson => (
                "invalid_json",
                S::BAD_REQUEST,
                "The body is not the expected JSON",
            ),
            Self::InvalidCsv => (
                "invalid_csv",
                S::BAD_REQUEST,
                "The body is not the expected CSV",
            ),
            Self::InvalidForm => (
                "invalid_form",
                S::BAD_REQUEST,
                "The body is not the expected form data",
            ),
            Self::Unauthenticated => (
                "unauthenticated",
                S::UNAUTHORIZED,
                "Valid credentials are needed",
            ),
            Self::Forbidden => ("forbidden", S::FORBIDDEN, "The key lacks the scope"),
            Self::NotFound => ("not_found", S::NOT_FOUND, "There is no such thing"),
            Self::MethodNotAllowed => (
                "method_not_allowed",
                S::METHOD_NOT_ALLOWED,
                "The method is not allowed here",
            ),
            Self::BodyTooSlow => (
                "body_too_slow",
                S::REQUEST_TIMEOUT,
                "The body arrives too slowly",
            ),
            Self::FormNotPublished => (
                "form_not_published",
                S::CONFLICT,
                "The form is not published",
            ),
            Self::FormTransition => (
                "form_transition",
                S::CONFLICT,
                "The form's status does not allow it",
            ),
            Self::FormInUse => (
                "form_in_use",
                S::CONFLICT,
                "Answers rest on what would change",
            ),
            Self::BatchFinished => (
                "batch_finished",
                S::CONFLICT,
                "The batch is past such a change",
            ),
            Self::IdempotencyInFlight => (
                "idempotency_in_flight",
                S::CONFLICT,
                "The first request is still in flight",
            ),
            Self::LinkGone => ("link_gone", S::GONE, "The link takes no answers any more"),
            Self::PreconditionFailed => (
                "precondition_failed",
                S::PRECONDITION_FAILED,
                "It has changed since",
            ),
            Self::BodyTooLarge => (
                "body_too_large",
                S::PAYLOAD_TOO_LARGE,
                "The body is too large",
            ),
            Self::TooManyRecords => (
                "too_many_records",
                S::PAYLOAD_TOO_LARGE,
                "The body has too many records",
            ),
            Self::UnsupportedMediaType => (
                "unsupported_media_type",
                S::UNSUPPORTED_MEDIA_TYPE,
                "The body is of a kind that is not taken here",
            ),
            Self::IdempotencyKeyReused => (
                "idempotency_key_reused",
                S::UNPROCESSABLE_ENTITY,
                "The idempotency key belongs to another request",
            ),
            Self::ValidationFailed => (
                "validation_failed",
                S::UNPROCESSABLE_ENTITY,
                "The input is invalid",
            ),
            Self::TooManyTrackFields => (
                "too_many_track_fields",
                S::UNPROCESSABLE_ENTITY,
                "A link has at most 6 tracking fields",
            ),
            Self::RateLimited => ("rate_limited", S::TOO_MANY_REQUESTS, "Too many requests"),
            Self::Internal => ("internal", S::INTERNAL_SERVER_ERROR, "The service failed"),
            Self::Unavailable => (
                "unavailable",
                S::SERVICE_UNAVAILABLE,
                "The service cannot answer just now",
            ),
            Self::Busy => (
                "busy",
                S::SERVICE_UNAVAILABLE,
                "The account's own share is in use",
            ),
        }
    }

    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The status it is answered with.
    pub fn status(self) -> StatusCode {
        self.row().1
    }

    /// A title for people, the same for each occurrence.
    pub fn title(self) -> &'static str {
        self.row().2
    }

    /// The code that fits a status which something below the handlers (the router, a library) answered with.
    pub(super) fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::UNAUTHORIZED => Self::Unauthenticated,
            StatusCode::FORBIDDEN => Self::Forbidden,
            StatusCode::NOT_FOUND => Self::NotFound,
            StatusCode::METHOD_NOT_ALLOWED => Self::MethodNotAllowed,
            StatusCode::PAYLOAD_TOO_LARGE => Self::BodyTooLarge,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::UnsupportedMediaType,
            StatusCode::TOO_MANY_REQUESTS => Self::RateLimited,
            StatusCode::SERVICE_UNAVAILABLE => Self::Unavailable,
            other if other.is_client_error() => Self::InvalidParameter,
            _ => Self::Internal,
        }
    }
}
