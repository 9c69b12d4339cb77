//! `POST /f/{token}`: answers, as a program or as the page's own form sends them, answered in the same kind.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::answer::{Answers, FieldProblem};
use domain::invalid::{Invalid, code, member};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::answer::{Outcome, take};
use super::view::{unknown, visit};
use super::{Refused, TokenPath, gone, limited, open, trouble, with_retry};
use crate::AppState;
use crate::address::Network;
use crate::body::{ContentType, Pairs, json, plain, urlencoded};
use crate::collect::Opened;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::parse_uuid;
use crate::pages::{self, Again};

/// Bytes of a submission: more than any form takes, so that a text that is too long is told beside its field.
const MAX_BYTES: usize = 4 << 20;
/// Where the page sends its visit.
const VISIT: &str = "visit";

/// What a program is told whose answers stand.
#[derive(Serialize, ToSchema)]
pub struct Stored {
    feedback_id: Uuid,
}

/// Answers to a form.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
pub struct AnswersRequest {
    /// Of its answers the first that is stored stands. Without one the service makes one.
    #[schema(required = false, nullable = true)]
    visit: Option<Uuid>,
    /// By the keys of the fields: whole numbers, texts, values of options.
    #[schema(value_type = Object, example = json!({"recommend": 9, "more": "All was well."}))]
    answers: Value,
}

/// Send answers.
///
/// Stored once a visit: the same visit again, even with other answers or after the link is gone, gets the result of the
/// first.
#[utoipa::path(
    post,
    path = "/f/{token}",
    tag = "public",
    params(("token" = String, Path, pattern = "^[A-Za-z0-9_-]{22}$")),
    request_body(content(
        (AnswersRequest = "application/json"),
        (std::collections::BTreeMap<String, String> = "application/x-www-form-urlencoded"),
    ), description = "At most 4 MiB. A form sends `visit`, and each answer under its field's key"),
    responses(
        (status = 201, description = "Stored, now or before", body = Stored),
        (status = 303, description = "Of a form: stored, now or before", headers(
            ("Location" = String, description = "A page that says thanks"),
        )),
        (status = 400, description = "`invalid_json`, `invalid_form`", content(
            (ProblemBody = "application/problem+json"), (String = "text/html"))),
        (status = 404, description = "`not_found`", content(
            (ProblemBody = "application/problem+json"), (String = "text/html"))),
        (status = 410, description = "`link_gone`; of a form: with what was typed", content(
            (ProblemBody = "application/problem+json"), (String = "text/html"))),
        (status = 413, description = "`body_too_large`", content(
            (ProblemBody = "application/problem+json"), (String = "text/html"))),
        (status = 415, description = "`unsupported_media_type`", content(
            (ProblemBody = "application/problem+json"), (String = "text/html"))),
        (status = 422, description = "`validation_failed`; of a form: the page with what was typed", content(
            (ProblemBody = "application/problem+json"), (String = "text/html"))),
    ),
)]
pub async fn submit_answers(
    State(state): State<AppState>,
    network: Network,
    path: TokenPath,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let kind = ContentType::of(&headers).map(|kind| kind.essence);
    if kind.as_deref() == Some("application/x-www-form-urlencoded") {
        return of_form(&state, network, path, &headers, body).await;
    }
    match open(&state, network, path).await {
        Ok((_, opened)) => of_program(&state, network, &opened, &headers, body)
            .await
            .unwrap_or_else(IntoResponse::into_response),
        Err(refused) => refused.problem(),
    }
}

async fn of_program(
    state: &AppState,
    network: Network,
    opened: &Opened,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let mut members = json(state.buffers(), headers, body, MAX_BYTES).await?;
    let mut wrong = unknown(&members, &[VISIT, "answers"]);
    let visit = visit(&members, &mut wrong);
    if !wrong.is_empty() {
        return Err(Problem::invalid(wrong));
    }
    let answers = members.remove("answers").unwrap_or_default();
    let answers = Answers::from_json(&opened.link.content, &answers);
    match take(state, network, opened, visit, answers).await {
        Outcome::Stands(feedback_id) => {
            let stored = Json(Stored { feedback_id });
            Ok((StatusCode::CREATED, stored).into_response())
        }
        Outcome::Invalid(problems) => {
            Err(Problem::invalid(problems.into_iter().map(place).collect()))
        }
        Outcome::Gone => Err(gone()),
        Outcome::Throttled(throttled) => Ok(throttled.into_response()),
        Outcome::Failed(problem) => Err(problem),
    }
}

fn place(problem: FieldProblem) -> Invalid {
    let pointer = match problem.key.as_str() {
        "" => "/answers".to_owned(),
        key => member("/answers", key),
    };
    Invalid {
        pointer,
        code: problem.code,
        detail: problem.detail,
    }
}

async fn of_form(
    state: &AppState,
    network: Network,
    path: TokenPath,
    headers: &HeaderMap,
    body: Body,
) -> Response {
    let token = match &path {
        Ok(Path(token)) => token.clone(),
        Err(_) => String::new(),
    };
    let sent = match read(state, headers, body).await {
        Ok(sent) => sent,
        Err(problem) => return trouble(&problem),
    };
    match open(state, network, path).await {
        Ok((_, opened)) => sent.submit(state, network, &opened, &token).await,
        Err(Refused::Busy(opened, throttled)) => {
            limited(sent.again(&opened, Again::TooMany, &token), throttled)
        }
        Err(Refused::Guessing(throttled)) => {
            let page = pages::send_again(&token, &sent.pairs);
            limited((StatusCode::TOO_MANY_REQUESTS, page), throttled)
        }
        // Nobody could say whether there is such a link, so what was typed is kept for it.
        Err(Refused::Problem(problem)) => {
            let status = problem.code().status();
            let page = pages::send_again(&token, &sent.pairs);
            with_retry((status, page), &problem)
        }
        Err(refused @ Refused::Unknown) => refused.page(),
    }
}

async fn read(state: &AppState, headers: &HeaderMap, body: Body) -> Result<Sent, Problem> {
    plain(headers)?;
    let whole = state.buffers().read(body, MAX_BYTES, Code::InvalidForm);
    Ok(Sent::new(urlencoded(&whole.await?.bytes)?))
}

/// What a form has sent.
struct Sent {
    pairs: Pairs,
    /// `Err`: not one UUID.
    visit: Result<Option<Uuid>, ()>,
}

impl Sent {
    fn new(pairs: Pairs) -> Self {
        let mut visits = pairs
            .iter()
            .filter(|(name, value)| name == VISIT && !value.is_empty())
            .map(|(_, value)| parse_uuid(value));
        let visit = match (visits.next(), visits.next()) {
            (None, _) => Ok(None),
            (Some(Some(visit)), None) => Ok(Some(visit)),
            _ => Err(()),
        };
        Self { pairs, visit }
    }

    async fn submit(
        mut self,
        state: &AppState,
        network: Network,
        opened: &Opened,
        token: &str,
    ) -> Response {
        self.pairs.retain(|(name, _)| name != VISIT);
        let form = &opened.link.content;
        let answers = match self.visit {
            Ok(_) => Answers::from_pairs(form, &self.pairs),
            Err(()) => Err(vec![FieldProblem {
                key: String::new(),
                code: code::MALFORMED,
                detail: "The page was not sent as a whole. Please send it again.".to_owned(),
            }]),
        };
        let visit = self.visit.unwrap_or_default();
        match take(state, network, opened, visit, answers).await {
            Outcome::Stands(_) => thank(token),
            Outcome::Invalid(problems) => self.again(opened, Again::Invalid(&problems), token),
            Outcome::Gone => {
                let page = pages::form_closed(form, &self.pairs);
                (StatusCode::GONE, page).into_response()
            }
            Outcome::Throttled(throttled) => {
                limited(self.again(opened, Again::TooMany, token), throttled)
            }
            Outcome::Failed(problem) => {
                with_retry(self.again(opened, Again::Unavailable, token), &problem)
            }
        }
    }

    /// The page with all that was typed, for the same visit.
    fn again(&self, opened: &Opened, why: Again<'_>, token: &str) -> Response {
        let status = match why {
            Again::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Again::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Again::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        };
        let visit = self.visit.ok().flatten().unwrap_or_else(Uuid::now_v7);
        let form = &opened.link.content;
        let page = pages::form_again(form, &self.pairs, why, token, visit);
        (status, page).into_response()
    }
}

/// To the page that says so. Relative, because the service may be reached under another path, and by TLS, than it knows.
fn thank(token: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    // A token is letters and digits of base64url.
    if let Ok(place) = HeaderValue::from_str(&format!("{token}/thanks")) {
        response.headers_mut().insert(LOCATION, place);
    }
    response
}
