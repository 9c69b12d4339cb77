//! What becomes of a submission, however it came.

use chrono::Utc;
use domain::answer::{Answers, FieldProblem};
use store::collect::{NewAnswer, Recorded};
use store::form::FormKey;
use uuid::Uuid;

use super::gone;
use crate::CollectState;
use crate::links::Opened;
use api_http::address::Network;
use api_http::deadline::{QUICK, within};
use api_http::error::{Code, Problem};

/// Why answers are not taken.
pub enum NotTaken {
    Invalid(Vec<FieldProblem>),
    /// The link takes no more answers, the address has sent too much that is refused, or the service failed.
    Problem(Problem),
}

impl From<Problem> for NotTaken {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// What a submission comes to, in metrics.
fn outcome(taken: &Result<Uuid, NotTaken>) -> &'static str {
    match taken {
        Ok(_) => "stored",
        Err(NotTaken::Invalid(_)) => "invalid",
        Err(NotTaken::Problem(problem)) => match problem.code() {
            Code::LinkGone => "gone",
            Code::RateLimited => "limited",
            _ => "failed",
        },
    }
}

/// Stores a visit's answers if they are valid, or says what is wrong. Without a visit it is a new one. Gives the feedback that
/// stands for the visit, stored now or before; of a test message's link nothing is stored.
pub async fn take(
    state: &CollectState,
    network: Network,
    opened: &Opened,
    visit: Option<Uuid>,
    answers: Result<Answers, Vec<FieldProblem>>,
) -> Result<Uuid, NotTaken> {
    let taken = match answers {
        // What comes through a test message's link is not kept, and thanked for.
        Ok(_) if opened.link.is_test && !opened.link.is_gone(Utc::now()) => {
            return Ok(Uuid::now_v7());
        }
        Ok(answers) if !opened.link.is_gone(Utc::now()) => {
            let stored = store(state, network, opened, visit, &answers).await;
            stored.map_err(NotTaken::Problem)
        }
        refused => refuse(state, network, opened, visit, refused.err()).await,
    };
    metrics::counter!("feedback_answers_total", "outcome" => outcome(&taken)).increment(1);
    taken
}

async fn store(
    state: &CollectState,
    network: Network,
    opened: &Opened,
    visit: Option<Uuid>,
    answers: &Answers,
) -> Result<Uuid, Problem> {
    let link = &opened.link;
    let visit = visit.unwrap_or_else(Uuid::now_v7);
    let answer = NewAnswer::new(link, visit, Utc::now(), answers);
    let form = FormKey::new(link.account_id, link.form_id);
    let recorded = state.answers.commit(form, answer).await?;
    let used_up = link.max_responses.is_some_and(|max| link.used + 1 >= max);
    if used_up || recorded == Recorded::Gone {
        state.app.recent_changes().record(link.link_id);
    }
    match recorded {
        Recorded::Stored(feedback_id) | Recorded::Repeated(feedback_id) => {
            tracing::debug!(feedback.id = %feedback_id, "answer stands");
            Ok(feedback_id)
        }
        Recorded::Gone => {
            // Late is no guess yet, but many of them are.
            let _ = state.app.failures().take(network);
            Err(gone())
        }
    }
}

/// A visit that has answered before gets its first answer's result, whatever it sends now.
async fn refuse(
    state: &CollectState,
    network: Network,
    opened: &Opened,
    visit: Option<Uuid>,
    problems: Option<Vec<FieldProblem>>,
) -> Result<Uuid, NotTaken> {
    state.app.failures().left(network)?;
    if let Some(visit) = visit {
        let first = within(QUICK, state.app.store().first_answer(&opened.link, visit)).await;
        if let Some(feedback_id) = first.map_err(Problem::from)? {
            return Ok(feedback_id);
        }
    }
    state.app.failures().take(network)?;
    match problems {
        Some(problems) if !opened.link.is_gone(Utc::now()) => Err(NotTaken::Invalid(problems)),
        _ => Err(gone().into()),
    }
}
