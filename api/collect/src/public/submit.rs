//! `POST /f/{token}`: answers, as a program or as the page's own form sends them, answered in the same kind. What becomes of them is
//! decided in [`take`](super::take).

use std::sync::Arc;

use axum::Json;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use domain::answer::Answers;
use domain::form::FormContent;
use domain::invalid::{Invalid, MAX_PROBLEMS, code};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::take::{Judged, NotStored, take};
use super::view::no_visit;
use super::{PageProblem, PublicRequest, answer_with};
use crate::CollectState;
use crate::links::{Opened, SMALL};
use crate::pages::{self, FormNotice, HtmlPage};
use api_http::body::{self, ContentType, Limit, Pairs, json_as, plain, urlencoded};
use api_http::memory::MemoryPermit;
use api_http::{AppState, Code, Problem, Result, parse_uuid};

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
    /// By the keys of the fields: whole numbers, texts, values of options; `{"value", "text"}` of an option that takes a text.
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
    params(PublicRequest),
    request_body(content(
        (AnswersRequest = "application/json"),
        (std::collections::BTreeMap<String, String> = "application/x-www-form-urlencoded"),
    ), description = "At most 1.5 MiB. A form sends `visit`, each answer under its field's key, and the text beside an option under `<key>.text`"),
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
pub async fn submit_answers(visitor: PublicRequest, request: Request) -> Result<Response> {
    let kind = ContentType::of(request.headers()).map(|kind| kind.essence);
    if kind.as_deref() == Some("application/x-www-form-urlencoded") {
        return Ok(of_form(&visitor, request).await.into_response());
    }
    let opened = visitor.enter().await?;
    let read = read_json(&visitor.state, &opened, request).await;
    let (visit, answers) = read.map_err(|problem| visitor.charge(problem))?;
    let taken = take(&visitor, &opened, visit, answers).await;
    // These count as failures of the address already.
    let feedback_id = taken.map_err(|refused| match refused {
        NotStored::Enough(problem) | NotStored::Refused(problem) => problem,
        NotStored::Invalid(mut wrong) => {
            for problem in &mut wrong {
                problem.pointer.insert_str(0, "/answers");
            }
            Problem::invalid(wrong)
        }
    })?;
    Ok((StatusCode::CREATED, Json(Stored { feedback_id })).into_response())
}

/// The visit that a program names, and its answers, judged.
async fn read_json(
    state: &CollectState,
    opened: &Arc<Opened>,
    request: Request,
) -> Result<(Option<Uuid>, Judged)> {
    let mut permit = state.memory.permit(opened.link.account_id);
    // The form is in hand until the body has come.
    permit.grow_now_to(opened.memory())?;
    let opened = Arc::clone(opened);
    let judge = move |members| judge(&opened.link.content, members);
    json_as(&state.app, permit, request, BODY, judge).await
}

fn judge(form: &FormContent, mut members: Map<String, Value>) -> Result<(Option<Uuid>, Judged)> {
    let answers = members.remove("answers").unwrap_or_default();
    let visit = members.remove(VISIT).filter(|given| !given.is_null());
    let visit = visit.map(|given| given.as_str().and_then(parse_uuid).ok_or_else(no_visit));
    let unknown = members.keys().map(|name| {
        let detail = "not known here; known are: visit, answers";
        Invalid::of_member(name, code::UNKNOWN_MEMBER, detail)
    });
    let mut wrong: Vec<_> = unknown.take(MAX_PROBLEMS).collect();
    let visit = visit.transpose().map_err(|invalid| wrong.push(invalid));
    match visit {
        Ok(visit) if wrong.is_empty() => Ok((visit, Answers::from_json(form, &answers))),
        _ => Err(Problem::invalid(wrong)),
    }
}

async fn of_form(visitor: &PublicRequest, request: Request) -> Result<Response, PageProblem> {
    let account_id = match visitor.find().await {
        Ok(opened) => opened.link.account_id,
        Err(problem) if problem.code() == Code::NotFound => return Err(visitor.tell(problem)),
        // Also where nothing is opened: what was typed is given back.
        Err(_) => Uuid::nil(),
    };
    let permit = visitor.state.memory.permit(account_id);
    let read = read(&visitor.state.app, permit, request).await;
    // It counts as a failure: reading it was work.
    let (sent, permit) = read.map_err(|problem| visitor.tell(visitor.charge(problem)))?;
    // The form, which can be large, was let go of while the answers arrived.
    Ok(match visitor.find().await {
        Ok(opened) => match visitor.count(&opened) {
            Ok(()) => sent.submit(visitor, opened, permit).await,
            Err(busy) => sent.again(visitor, opened, &busy, permit).await,
        },
        Err(problem) if problem.code() == Code::NotFound => return Err(visitor.tell(problem)),
        // Nobody could say whether there is such a link, so what was typed is kept for it.
        Err(problem) => sent.keep(visitor, &problem, permit).await,
    })
}

/// What the body says, and the permit for the memory that it takes.
async fn read(
    app: &AppState,
    permit: MemoryPermit,
    request: Request,
) -> Result<(SentForm, MemoryPermit)> {
    plain(request.headers())?;
    let body = request.into_body();
    let (bytes, permit) = body::read(permit, body, BODY.bytes, Code::InvalidForm).await?;
    let (account_id, length) = (permit.account_id(), bytes.len());
    let work = move || Ok((SentForm::new(urlencoded(&bytes)?, length), permit));
    app.work_on(account_id, length, work).await
}

/// What a form has sent.
struct SentForm {
    pairs: Pairs,
    /// Of its body.
    bytes: usize,
    /// One that is not sent is made here, so that sending the page again is the same visit. `Err`: not one UUID.
    visit: Result<Uuid, ()>,
}

impl SentForm {
    fn new(pairs: Pairs, bytes: usize) -> Self {
        let mut visits = pairs
            .iter()
            .filter(|(name, value)| name == VISIT && !value.is_empty())
            .map(|(_, value)| parse_uuid(value));
        let visit = match (visits.next(), visits.next()) {
            (None, _) => Ok(Uuid::now_v7()),
            (Some(Some(visit)), None) => Ok(visit),
            _ => Err(()),
        };
        Self {
            pairs,
            bytes,
            visit,
        }
    }

    async fn submit(
        mut self,
        visitor: &PublicRequest,
        opened: Arc<Opened>,
        permit: MemoryPermit,
    ) -> Response {
        let token = visitor.token.as_str();
        self.pairs.retain(|(name, _)| name != VISIT);
        let link = &opened.link;
        let judge = || Answers::from_pairs(&link.content, &self.pairs);
        let app = &visitor.state.app;
        let answers = match self.visit {
            Ok(_) => app.work_here(link.account_id, self.bytes, judge).await,
            Err(()) => Err(vec![Invalid {
                pointer: String::new(),
                code: code::MALFORMED,
                detail: "The page was not sent as a whole. Please send it again.".to_owned(),
            }]),
        };
        match take(visitor, &opened, self.visit.ok(), answers).await {
            Ok(_) => {
                // Relative, because the service may be reached under another path, and by TLS, than it knows.
                let location = [(LOCATION, format!("{token}/thanks"))];
                (StatusCode::SEE_OTHER, location).into_response()
            }
            Err(NotStored::Enough(problem)) => {
                let answer = |page| answer_with(&problem, page);
                self.form(visitor, opened, FormNotice::Enough, permit, answer)
                    .await
            }
            Err(NotStored::Invalid(problems)) => {
                let answer = |page| (StatusCode::UNPROCESSABLE_ENTITY, page).into_response();
                let why = FormNotice::Invalid(&problems);
                self.form(visitor, opened, why, permit, answer).await
            }
            Err(NotStored::Refused(problem)) if problem.code() == Code::LinkGone => {
                let draw = |opened: &Opened, most| {
                    let (f, form) = (visitor.frame(opened), visitor.form(opened));
                    let page = pages::form_closed(f, &form, &self.pairs, most);
                    page.map(|page| page.fill(token, Uuid::nil()))
                };
                let answer = |page| answer_with(&problem, page);
                self.page(visitor, opened, draw, permit, answer).await
            }
            Err(NotStored::Refused(problem)) => self.again(visitor, opened, &problem, permit).await,
        }
    }

    /// The page to be sent again when the problem is over.
    async fn again(
        &self,
        visitor: &PublicRequest,
        opened: Arc<Opened>,
        problem: &Problem,
        permit: MemoryPermit,
    ) -> Response {
        let why = match problem.code() {
            Code::RateLimited => FormNotice::TooMany,
            _ => FormNotice::Unavailable,
        };
        let answer = |page| answer_with(problem, page);
        self.form(visitor, opened, why, permit, answer).await
    }

    /// The page with all that was typed, for the same visit.
    async fn form(
        &self,
        visitor: &PublicRequest,
        opened: Arc<Opened>,
        why: FormNotice<'_>,
        permit: MemoryPermit,
        answer: impl FnOnce(HtmlPage) -> Response,
    ) -> Response {
        let visit = self.visit.unwrap_or_else(|()| Uuid::now_v7());
        let draw = |opened: &Opened, most| {
            let (f, form) = (visitor.frame(opened), visitor.form(opened));
            let page = pages::form_again(f, &form, opened.reader(), &self.pairs, why, most);
            page.map(|page| page.fill(&visitor.token, visit))
        };
        self.page(visitor, opened, draw, permit, answer).await
    }

    /// A page for this reader alone, which can be far larger than what was typed. `draw` makes it, of at most so many bytes, or says
    /// how many it has. It is made once the account has memory for it, which it holds until it is sent.
    async fn page(
        &self,
        visitor: &PublicRequest,
        mut opened: Arc<Opened>,
        draw: impl Fn(&Opened, usize) -> Result<HtmlPage, usize> + Send + Sync,
        mut permit: MemoryPermit,
        answer: impl FnOnce(HtmlPage) -> Response,
    ) -> Response {
        let (app, mut most) = (&visitor.state.app, body::FREE);
        loop {
            let (account_id, size) = (opened.link.account_id, opened.size + self.bytes);
            let work = || draw(&opened, most);
            most = match app.work_here(account_id, size, work).await {
                Ok(page) => return permit.hold(answer(page)),
                Err(bytes) => bytes,
            };
            let bytes = (most + self.bytes) as u64;
            opened = match with_memory(visitor, opened, &mut permit, bytes).await {
                Ok(opened) => opened,
                Err(problem) => return self.keep(visitor, &problem, permit).await,
            };
        }
    }

    /// A page without questions that keeps what was sent, to be sent again, unless it is large and the account has no memory for it.
    async fn keep(
        &self,
        visitor: &PublicRequest,
        problem: &Problem,
        mut permit: MemoryPermit,
    ) -> Response {
        let (app, account_id) = (&visitor.state.app, permit.account_id());
        let draw = |most| pages::send_again(visitor.plain(), &self.pairs, most);
        let mut drawn = app.work_here(account_id, self.bytes, || draw(SMALL)).await;
        if let Err(bytes) = drawn {
            let held = (bytes + self.bytes) as u64;
            if permit.check(held).is_ok() && permit.grow_now_to(held).is_ok() {
                drawn = app.work_here(account_id, bytes, || draw(bytes)).await;
            }
        }
        let page = match drawn {
            Ok(page) => page.fill(&visitor.token, Uuid::nil()),
            Err(_) => pages::trouble(visitor.plain(), problem.code().status()),
        };
        permit.hold(answer_with(problem, page))
    }
}

/// What was opened, once the permit is for so many bytes. A form that has to wait for that is let go of, and found again.
async fn with_memory(
    visitor: &PublicRequest,
    opened: Arc<Opened>,
    permit: &mut MemoryPermit,
    bytes: u64,
) -> Result<Arc<Opened>> {
    permit.check(bytes)?;
    if permit.grow_now_to(bytes).is_ok() {
        return Ok(opened);
    }
    drop(opened);
    permit.grow_to(bytes).await?;
    visitor.find_for_page().await
}
