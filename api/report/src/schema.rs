//! Shapes that `domain` serialises, for the document, and what reports answer besides their bodies.

use utoipa::{IntoResponses, ToSchema};

use api_http::error::ProblemBody;

/// What happened on a day.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = DayCounts)]
pub struct DayCountsSchema {
    /// Visits seen or answered.
    views: i64,
    /// Stored answers of a visit.
    responses: i64,
    /// Feedbacks with a comment.
    comments: i64,
    /// Answers 4 and 5 to `happiness`.
    happy: i64,
    happiness_answers: i64,
    /// Answers 9 and 10 to `nps`.
    promoters: i64,
    /// Answers 7 and 8 to `nps`.
    passives: i64,
    /// Answers 0 to 6 to `nps`.
    detractors: i64,
    nps_answers: i64,
}

/// Sums over the range. A rate without answers is null.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = Metrics)]
pub struct MetricsSchema {
    views: i64,
    responses: i64,
    /// Responses ÷ views.
    #[schema(required = true)]
    response_rate: Option<f64>,
    comments: i64,
    /// The share of 4 and 5 among the answers to `happiness`.
    #[schema(required = true)]
    happiness_rate: Option<f64>,
    happiness: HappinessSchema,
    /// 100 × (promoters − detractors) ÷ answers.
    #[schema(required = true)]
    nps: Option<f64>,
    nps_detail: NpsDetailSchema,
}

/// What the happiness rate is made of, with its 95 % interval (Wilson).
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = Happiness)]
pub struct HappinessSchema {
    happy: i64,
    answers: i64,
    #[schema(required = true)]
    low: Option<f64>,
    #[schema(required = true)]
    high: Option<f64>,
}

/// What the NPS is made of, with its 95 % interval (adjusted Wald).
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = NpsDetail)]
pub struct NpsDetailSchema {
    promoters: i64,
    passives: i64,
    detractors: i64,
    answers: i64,
    #[schema(required = true)]
    low: Option<f64>,
    #[schema(required = true)]
    high: Option<f64>,
}

/// How metrics differ from earlier ones; null where either rate is.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = Change)]
pub struct ChangeSchema {
    views: i64,
    responses: i64,
    #[schema(required = true)]
    response_rate: Option<f64>,
    comments: i64,
    #[schema(required = true)]
    happiness_rate: Option<f64>,
    happiness: HappinessChangeSchema,
    /// In points.
    #[schema(required = true)]
    nps: Option<f64>,
    nps_detail: NpsChangeSchema,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = HappinessChange)]
pub struct HappinessChangeSchema {
    happy: i64,
    answers: i64,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = NpsChange)]
pub struct NpsChangeSchema {
    promoters: i64,
    passives: i64,
    detractors: i64,
    answers: i64,
}

/// How one field was answered.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = FieldSummary)]
pub struct FieldSummarySchema {
    key: String,
    #[schema(
        rename = "type",
        pattern = "^(nps|happiness|rating|choice|choices|text|comment)$"
    )]
    kind: String,
    label: String,
    /// Off the page.
    retired: bool,
    answers: i64,
    /// Responses − answers.
    skipped: i64,
    /// Of grades.
    #[schema(required = true)]
    mean: Option<f64>,
    /// Every grade or option, zeros too; empty for texts.
    distribution: Vec<ValueShareSchema>,
}

/// How often one grade or option was given.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = ValueShare)]
pub struct ValueShareSchema {
    value: ValueSchema,
    label: String,
    count: i64,
    /// Count ÷ the field's answers.
    #[schema(required = true)]
    share: Option<f64>,
}

/// A grade, or the value of an option.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = GradeOrOption)]
#[serde(untagged)]
pub enum ValueSchema {
    Grade(u8),
    Option(String),
}

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
