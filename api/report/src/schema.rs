//! What reports answer besides their bodies, for the document.

use utoipa::IntoResponses;

use api_http::error::ProblemBody;

/// What every report answers besides its body.
#[expect(dead_code, reason = "only its responses are used")]
#[derive(IntoResponses)]
pub enum ReportResponses {
    /// The caller's copy is still right
    #[response(status = 304)]
    NotModified,
    /// `invalid_parameter`
    #[response(status = 400, content_type = "application/problem+json")]
    Invalid(ProblemBody<'static>),
    /// `not_found`
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(ProblemBody<'static>),
}
