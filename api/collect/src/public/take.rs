//! Takes the answers of a visit, however they were sent. Of a visit the first that are stored stand, whatever it sends later.

use chrono::Utc;
use domain::answer::Answers;
use domain::invalid::Invalid;
use store::collect::{NewAnswer, Recorded};
use uuid::Uuid;

use super::{PublicRequest, gone};
use crate::links::Opened;
use api_http::{Code, Problem, QUICK, Result, within};

/// Answers, or what is wrong with them.
pub type Judged = Result<Answers, Vec<Invalid>>;

/// Why a visit's answers are not stored.
pub enum NotStored {
    /// This is wrong with them.
    Invalid(Vec<Invalid>),
    /// The address has given the link enough for an hour.
    Enough(Problem),
    /// The link takes no more answers, the address has sent too much that is refused, or the service failed.
    Refused(Problem),
}

impl From<Problem> for NotStored {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem)
    }
}

/// Stores a visit's answers if they are valid, or says why not. Without a visit it is a new one. Gives the feedback that
/// stands for the visit, stored now or before; of a test message's link nothing is stored.
///
/// # Errors
/// Why they are not stored.
pub async fn take(
    visitor: &PublicRequest,
    opened: &Opened,
    visit: Option<Uuid>,
    answers: Judged,
) -> Result<Uuid, NotStored> {
    let taken = match answers {
        // What comes through a test message's link is not kept, and thanked for.
        Ok(_) if opened.link.is_test && !opened.link.is_gone(Utc::now()) => {
            return Ok(Uuid::now_v7());
        }
        Ok(answers) if !opened.link.is_gone(Utc::now()) => {
            store(visitor, opened, visit, &answers).await
        }
        refused => refuse(visitor, opened, visit, refused.err()).await,
    };
    let outcome = match &taken {
        Ok(_) => "stored",
        Err(NotStored::Invalid(_)) => Code::ValidationFailed.as_str(),
        Err(NotStored::Enough(problem) | NotStored::Refused(problem)) => problem.code().as_str(),
    };
    metrics::counter!("feedback_answers_total", "outcome" => outcome).increment(1);
    taken
}

async fn store(
    visitor: &PublicRequest,
    opened: &Opened,
    visit: Option<Uuid>,
    answers: &Answers,
) -> Result<Uuid, NotStored> {
    let link = &opened.link;
    let PublicRequest { state, network, .. } = visitor;
    let place = match state
        .address_answers
        .take(link.link_id, link.kiosk, *network)
    {
        Ok(place) => place,
        Err(enough) => {
            let first = first(visitor, opened, visit).await?;
            return first.ok_or(NotStored::Enough(enough));
        }
    };
    let visit = visit.unwrap_or_else(Uuid::now_v7);
    // What is chosen among options is counted in a vector of all of them.
    let answer = state.app.work_here(link.account_id, opened.size, || {
        NewAnswer::new(link, visit, Utc::now(), answers)
    });
    let answer = answer.await;
    let committing = state.answers.commit(link.account_id, answer.size(), answer);
    let recorded = committing.await;
    if !matches!(recorded, Ok(Recorded::Stored(_))) {
        place.give_back();
    }
    let recorded = recorded?;
    let used_up = link.max_responses.is_some_and(|max| link.used + 1 >= max);
    if used_up || recorded == Recorded::Gone {
        state.app.recent_changes.record(link.link_id);
    }
    match recorded {
        Recorded::Stored(feedback_id) | Recorded::Repeated(feedback_id) => {
            tracing::debug!(feedback.id = %feedback_id, "answer stands");
            Ok(feedback_id)
        }
        Recorded::Gone => {
            // A single late submission is no failure of the address, but many are.
            let _ = state.app.failures.take(*network);
            Err(gone().into())
        }
    }
}

/// A visit that has answered before gets its first answer's result, whatever it sends now.
async fn refuse(
    visitor: &PublicRequest,
    opened: &Opened,
    visit: Option<Uuid>,
    problems: Option<Vec<Invalid>>,
) -> Result<Uuid, NotStored> {
    if let Some(feedback_id) = first(visitor, opened, visit).await? {
        return Ok(feedback_id);
    }
    match problems {
        Some(problems) if !opened.link.is_gone(Utc::now()) => Err(NotStored::Invalid(problems)),
        _ => Err(gone().into()),
    }
}

/// The feedback of a visit that has answered before, for a request that stores nothing. One of any other visit is a failure.
async fn first(
    visitor: &PublicRequest,
    opened: &Opened,
    visit: Option<Uuid>,
) -> Result<Option<Uuid>> {
    let app = &visitor.state.app;
    app.failures.left(visitor.network)?;
    if let Some(visit) = visit {
        let first = app.store.first_answer(&opened.link, visit);
        if let Some(feedback_id) = within(QUICK, first).await? {
            return Ok(Some(feedback_id));
        }
    }
    app.failures.take(visitor.network)?;
    Ok(None)
}
