//! What becomes of a submission, however it came.

use chrono::Utc;
use domain::answer::{Answers, FieldProblem};
use store::collect::{NewAnswer, Recorded};
use uuid::Uuid;

use super::gone;
use crate::CollectState;
use crate::links::Opened;
use api_http::{Code, Network, Problem, QUICK, Result, within};

/// The feedback that stands for a visit, or what is wrong with the answers.
pub type Taken = Result<Uuid, Vec<FieldProblem>>;

/// What a submission comes to, in metrics.
fn outcome(taken: &Result<Taken>) -> &'static str {
    match taken {
        Ok(Ok(_)) => "stored",
        Ok(Err(_)) => "invalid",
        Err(problem) => match problem.code() {
            Code::LinkGone => "gone",
            Code::RateLimited => "limited",
            _ => "failed",
        },
    }
}

/// Stores a visit's answers if they are valid, or says what is wrong. Without a visit it is a new one. Gives the feedback that
/// stands for the visit, stored now or before; of a test message's link nothing is stored.
///
/// # Errors
/// The link takes no more answers, the address has sent too much that is refused, or the service failed.
pub async fn take(
    state: &CollectState,
    network: Network,
    opened: &Opened,
    visit: Option<Uuid>,
    answers: Result<Answers, Vec<FieldProblem>>,
) -> Result<Taken> {
    let taken = match answers {
        // What comes through a test message's link is not kept, and thanked for.
        Ok(_) if opened.link.is_test && !opened.link.is_gone(Utc::now()) => {
            return Ok(Ok(Uuid::now_v7()));
        }
        Ok(answers) if !opened.link.is_gone(Utc::now()) => {
            let stored = store(state, network, opened, visit, &answers).await;
            stored.map(Ok)
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
) -> Result<Uuid> {
    let link = &opened.link;
    let visit = visit.unwrap_or_else(Uuid::now_v7);
    let answer = NewAnswer::new(link, visit, Utc::now(), answers);
    let recorded = state.answers.commit(link.account_id, answer).await?;
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
            // Late is no guess yet, but many of them are.
            let _ = state.app.failures.take(network);
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
) -> Result<Taken> {
    state.app.failures.left(network)?;
    if let Some(visit) = visit {
        let first = state.app.store.first_answer(&opened.link, visit);
        if let Some(feedback_id) = within(QUICK, first).await? {
            return Ok(Ok(feedback_id));
        }
    }
    state.app.failures.take(network)?;
    match problems {
        Some(problems) if !opened.link.is_gone(Utc::now()) => Ok(Err(problems)),
        _ => Err(gone()),
    }
}
