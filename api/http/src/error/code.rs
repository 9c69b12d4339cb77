//! The codes a problem can have, each with its status and title.

use axum::http::StatusCode;
use strum::{EnumIter, IntoEnumIterator, IntoStaticStr};

/// What went wrong, as callers match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, IntoStaticStr)]
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
    UpgradeUnfinished,
    CampaignTransition,
    CampaignNotRunning,
    BatchFinished,
    IdempotencyInFlight,
    LinkGone,
    PreconditionFailed,
    BodyTooLarge,
    TooManyRecords,
    UnsupportedMediaType,
    ValidationFailed,
    IdempotencyKeyReused,
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
        let (status, _) = self.status_and_title();
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// A title for people, the same for each occurrence.
    pub fn title(self) -> &'static str {
        self.status_and_title().1
    }

    fn status_and_title(self) -> (u16, &'static str) {
        match self {
            Self::InvalidParameter => (400, "A parameter is invalid"),
            Self::InvalidJson => (400, "The body is not the expected JSON"),
            Self::InvalidCsv => (400, "The body is not the expected CSV"),
            Self::InvalidForm => (400, "The body is not the expected form data"),
            Self::Unauthenticated => (401, "Valid credentials are needed"),
            Self::Forbidden => (403, "The key lacks the scope"),
            Self::NotFound => (404, "There is no such thing"),
            Self::MethodNotAllowed => (405, "The method is not allowed here"),
            Self::BodyTooSlow => (408, "The body arrives too slowly"),
            Self::FormNotPublished => (409, "The form is not published"),
            Self::FormTransition => (409, "The form's status does not allow it"),
            Self::FormInUse => (409, "Answers rest on what would change"),
            Self::UpgradeUnfinished => (409, "The upgrade is not finished"),
            Self::CampaignTransition => (409, "The campaign's status does not allow it"),
            Self::CampaignNotRunning => (409, "The campaign is not running"),
            Self::BatchFinished => (409, "The batch is past such a change"),
            Self::IdempotencyInFlight => (409, "The first request is still in flight"),
            Self::LinkGone => (410, "The link takes no answers any more"),
            Self::PreconditionFailed => (412, "It has changed since"),
            Self::BodyTooLarge => (413, "The body is too large"),
            Self::TooManyRecords => (413, "The body has too many records"),
            Self::UnsupportedMediaType => (415, "The body is of a kind that is not taken here"),
            Self::ValidationFailed => (422, "The input is invalid"),
            Self::IdempotencyKeyReused => (422, "The idempotency key belongs to another request"),
            Self::TooManyTrackFields => (422, "A link has at most 6 tracking fields"),
            Self::SenderUnknown => (422, "There is no such sender"),
            Self::SenderNotAllowed => (422, "The account may not use the sender"),
            Self::PublicUrlLocal => (422, "Links would open on this machine alone"),
            Self::RateLimited => (429, "Too many requests"),
            Self::Internal => (500, "The service failed"),
            Self::Unavailable => (503, "The service cannot answer just now"),
            Self::Busy => (503, "The account's own share is in use"),
        }
    }

    /// The code that fits a status which something below the handlers (the router, a library) answered with.
    pub(super) fn of_status(status: StatusCode) -> Self {
        let other = if status.is_client_error() {
            Self::InvalidParameter
        } else {
            Self::Internal
        };
        Self::iter()
            .find(|code| code.status() == status)
            .unwrap_or(other)
    }
}
