//! `POST /f/{token}`: answers, as a program or as the page's own form sends them, answered in the same kind.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::answer::{Answers, FieldProblem};
use domain::invalid::{Invalid, code, member};
use http_body_util::BodyExt;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::answer::{Outcome, take};
use super::view::{unknown, visit};
use super::{Refused, TokenPath, gone, limited, open, refused, trouble, with_retry};
use crate::CollectState;
use crate::links::Opened;
use crate::pages::{self, Again};
use api_http::address::Network;
use api_http::body::{self, ContentType, Limit, Pairs, Whole, json, plain, urlencoded};
use api_http::error::{Code, Problem};
use api_http::extract::parse_uuid;
use api_http::memory::MemoryPermit;

/// More than any form takes, so that a text that is too long is reported beside its field.
const BODY: Limit = Limit {
    bytes: 3 << 19,
    values: 20_000,
};
/// Where the page sends its visit.
const VISIT: &str = "visit";

/// The response to a program whose answers are stored.
#[derive(Serialize, ToSchema)]
pub struct Stored {
    feedback_id: Uuid,
}

/// Answers to a form.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"answers": {"recommend": 9, "more": "All was well."}}))]
pub struct AnswersRequest {
    /// Of its answers the first that is stored stands. Without one the service makes one.
    #[schema(required = false, nullable = true)]
    visit: Option<Uuid>,
    /// By the keys of the fields: whole numbers, texts, values of options.
    answers: std::collections::BTreeMap<String, Value>,
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
    ), description = "At most 1.5 MiB. A form sends `visit`, and each answer under its field's key"),
    responses(
        (status = 201, description = "Stored, now or before", body = Stored),
        (status = 303, description = "Of a form: stored, now or before", headers(
            ("Location" = String, description = "A page that says thanks"),
        )),
        (status = 400, description = "`invalid_json`, `invalid_form`"),
        (status = 410, description = "`link_gone`; of a form: with what was typed"),
        (status = 422, description = "`validation_failed`; of a form: the page with what was typed"),
    ),
)]
pub async fn submit_answers(
    State(state): State<CollectState>,
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
        Ok((_, opened)) => match of_program(&state, network, &opened, &headers, body).await {
            Ok(response) => response,
            Err(problem) => refused(&state, network, problem),
        },
        Err(refused) => refused.problem(),
    }
}

async fn of_program(
    state: &CollectState,
    network: Network,
    opened: &Opened,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let permit = state.memory.permit(opened.link.account_id);
    let mut members = json(permit, headers, body, BODY).await?;
    let mut wrong = unknown(&members, &[VISIT, "answers"]);
    let visit = visit(&members, &mut wrong);
    if !wrong.is_empty() {
        return Err(Problem::invalid(wrong));
    }
    let answers = members.remove("answers").unwrap_or_default();
    let answers = Answers::from_json(&opened.link.content, &answers);
    let response = match take(state, network, opened, visit, answers).await {
        Outcome::Stored(feedback_id) => {
            (StatusCode::CREATED, Json(Stored { feedback_id })).into_response()
        }
        // These have cost their guess.
        Outcome::Invalid(problems) => {
            Problem::invalid(problems.into_iter().map(place).collect()).into_response()
        }
        Outcome::Gone => gone().into_response(),
        Outcome::Throttled(throttled) => throttled.into_response(),
        Outcome::Failed(problem) => problem.into_response(),
    };
    Ok(response)
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
    state: &CollectState,
    network: Network,
    path: TokenPath,
    headers: &HeaderMap,
    body: Body,
) -> Response {
    let token = match &path {
        Ok(Path(token)) => token.clone(),
        Err(_) => String::new(),
    };
    let opened = match open(state, network, path).await {
        Err(refused @ Refused::Unknown) => return refused.page(),
        opened => opened,
    };
    // Also where nothing is opened: what was typed is given back.
    let account_id = match &opened {
        Ok((_, opened)) | Err(Refused::Busy(opened, _)) => opened.link.account_id,
        Err(_) => Uuid::nil(),
    };
    let permit = state.memory.permit(account_id);
    let (sent, permit) = match read(permit, headers, body).await {
        Ok(sent) => sent,
        Err(problem) => return untyped(state, network, &problem),
    };
    let response = match opened {
        Ok((_, opened)) => sent.submit(state, network, &opened, &token).await,
        Err(Refused::Busy(opened, throttled)) => {
            let status = StatusCode::TOO_MANY_REQUESTS;
            limited(
                sent.again(status, &opened, Again::TooMany, &token),
                throttled,
            )
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
    };
    // A page that gives much back holds its memory until it is sent.
    response.map(|page| {
        Body::new(page.map_frame(move |frame| {
            let _held = &permit;
            frame
        }))
    })
}

/// A page for a body that could not be read. It costs a guess: reading it was work.
fn untyped(state: &CollectState, network: Network, problem: &Problem) -> Response {
    let status = problem.code().status();
    match state.app.failures().take(network) {
        Err(throttled) if status.is_client_error() => {
            let status = StatusCode::TOO_MANY_REQUESTS;
            limited((status, pages::trouble(status)), throttled)
        }
        _ => trouble(problem),
    }
}

/// What the body says, and the permit for the memory that it takes.
async fn read(
    permit: MemoryPermit,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Sent, MemoryPermit), Problem> {
    plain(headers)?;
    let Whole { bytes, permit } = body::read(permit, body, BODY.bytes, Code::InvalidForm).await?;
    Ok((Sent::new(urlencoded(&bytes)?), permit))
}

/// What a form has sent.
struct Sent {
    pairs: Pairs,
    /// One that is not sent is made here, so that sending the page again is the same visit. `Err`: not one UUID.
    visit: Result<Uuid, ()>,
}

impl Sent {
    fn new(pairs: Pairs) -> Self {
        let mut visits = pairs
            .iter()
            .filter(|(name, value)| name == VISIT && !value.is_empty())
            .map(|(_, value)| parse_uuid(value));
        let visit = match (visits.next(), visits.next()) {
            (None, _) => Ok(Uuid::now_v7()),
            (Some(Some(visit)), None) => Ok(visit),
            _ => Err(()),
        };
        Self { pairs, visit }
    }

    async fn submit(
        mut self,
        state: &CollectState,
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
        let again = |status, why| self.again(status, opened, why, token);
        match take(state, network, opened, self.visit.ok(), answers).await {
            Outcome::Stored(_) => thank(token),
            Outcome::Invalid(problems) => {
                again(StatusCode::UNPROCESSABLE_ENTITY, Again::Invalid(&problems))
            }
            Outcome::Gone => {
                let page = pages::form_closed(form, &self.pairs);
                (StatusCode::GONE, page).into_response()
            }
            Outcome::Throttled(throttled) => limited(
                again(StatusCode::TOO_MANY_REQUESTS, Again::TooMany),
                throttled,
            ),
            Outcome::Failed(problem) => {
                with_retry(again(problem.code().status(), Again::Unavailable), &problem)
            }
        }
    }

    /// The page with all that was typed, for the same visit.
    fn again(&self, status: StatusCode, opened: &Opened, why: Again<'_>, token: &str) -> Response {
        let visit = self.visit.unwrap_or_else(|()| Uuid::now_v7());
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
