//! The codes a problem can have, each with its status and title.

use axum::http::StatusCode;
use strum::IntoStaticStr;

/// What went wrong, as callers match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
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
    CampaignTransition,
    CampaignNotRunning,
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
    SenderUnknown,
    SenderNotAllowed,
    PublicUrlLocal,
    RateLimited,
    Internal,
    Unavailable,
    Busy,
}

impl Code {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The status it is answered with.
    pub fn status(self) -> StatusCode {
        match self {
            Self::InvalidParameter | Self::InvalidJson | Self::InvalidCsv | Self::InvalidForm => {
                StatusCode::BAD_REQUEST
            }
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodyTooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::FormNotPublished
            | Self::FormTransition
            | Self::FormInUse
            | Self::CampaignTransition
            | Self::CampaignNotRunning
            | Self::BatchFinished
            | Self::IdempotencyInFlight => StatusCode::CONFLICT,
            Self::LinkGone => StatusCode::GONE,
            Self::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
            Self::BodyTooLarge | Self::TooManyRecords => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::IdempotencyKeyReused
            | Self::ValidationFailed
            | Self::TooManyTrackFields
            | Self::SenderUnknown
            | Self::SenderNotAllowed
            | Self::PublicUrlLocal => StatusCode::UNPROCESSABLE_ENTITY,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// A title for people, the same for each occurrence.
    pub fn title(self) -> &'static str {
        match self {
            Self::InvalidParameter => "A parameter is invalid",
            Self::InvalidJson => "The body is not the expected JSON",
            Self::InvalidCsv => "The body is not the expected CSV",
            Self::InvalidForm => "The body is not the expected form data",
            Self::Unauthenticated => "Valid credentials are needed",
            Self::Forbidden => "The key lacks the scope",
            Self::NotFound => "There is no such thing",
            Self::MethodNotAllowed => "The method is not allowed here",
            Self::BodyTooSlow => "The body arrives too slowly",
            Self::FormNotPublished => "The form is not published",
            Self::FormTransition => "The form's status does not allow it",
            Self::FormInUse => "Answers rest on what would change",
            Self::CampaignTransition => "The campaign's status does not allow it",
            Self::CampaignNotRunning => "The campaign is not running",
            Self::BatchFinished => "The batch is past such a change",
            Self::IdempotencyInFlight => "The first request is still in flight",
            Self::LinkGone => "The link takes no answers any more",
            Self::PreconditionFailed => "It has changed since",
            Self::BodyTooLarge => "The body is too large",
            Self::TooManyRecords => "The body has too many records",
            Self::UnsupportedMediaType => "The body is of a kind that is not taken here",
            Self::IdempotencyKeyReused => "The idempotency key belongs to another request",
            Self::ValidationFailed => "The input is invalid",
            Self::TooManyTrackFields => "A link has at most 6 tracking fields",
            Self::SenderUnknown => "There is no such sender",
            Self::SenderNotAllowed => "The account may not use the sender",
            Self::PublicUrlLocal => "Links would open on this machine alone",
            Self::RateLimited => "Too many requests",
            Self::Internal => "The service failed",
            Self::Unavailable => "The service cannot answer just now",
            Self::Busy => "The account's own share is in use",
        }
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
