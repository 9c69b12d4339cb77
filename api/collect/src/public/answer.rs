//! What becomes of a submission, however it came.

use chrono::Utc;
use domain::answer::{Answers, FieldProblem};
use store::collect::{NewAnswer, Recorded};
use uuid::Uuid;

use crate::CollectState;
use crate::links::Opened;
use api_http::address::Network;
use api_http::deadline::{QUICK, within};
use api_http::error::Problem;
use api_http::rate::Throttled;

/// What a submission comes to.
pub enum Outcome {
    /// Stored, now or before: the feedback that stands for the visit.
    Stored(Uuid),
    Invalid(Vec<FieldProblem>),
    /// The link takes no more answers.
    Gone,
    /// The address has sent too much that is refused.
    Throttled(Throttled),
    Failed(Problem),
}

impl Outcome {
    /// Its name in metrics.
    fn name(&self) -> &'static str {
        match self {
            Self::Stored(_) => "stored",
            Self::Invalid(_) => "invalid",
            Self::Gone => "gone",
            Self::Throttled(_) => "limited",
            Self::Failed(_) => "failed",
        }
    }
}

/// Stores a visit's answers if they are valid, or says what is wrong. Without a visit it is a new one.
pub async fn take(
    state: &CollectState,
    network: Network,
    opened: &Opened,
    visit: Option<Uuid>,
    answers: Result<Answers, Vec<FieldProblem>>,
) -> Outcome {
    let outcome = match answers {
        Ok(answers) if !opened.link.is_gone(Utc::now()) => {
            store(state, network, opened, visit, &answers).await
        }
        refused => refuse(state, network, opened, visit, refused.err()).await,
    };
    metrics::counter!("feedback_answers_total", "outcome" => outcome.name()).increment(1);
    outcome
}

async fn store(
    state: &CollectState,
    network: Network,
    opened: &Opened,
    visit: Option<Uuid>,
    answers: &Answers,
) -> Outcome {
    let link = &opened.link;
    let visit = visit.unwrap_or_else(Uuid::now_v7);
    let answer = NewAnswer::new(link, visit, Utc::now(), answers);
    let form = (link.account_id, link.form_id);
    let recorded = match state.answers.commit(form, answer).await {
        Ok(recorded) => recorded,
        Err(problem) => return Outcome::Failed(problem),
    };
    let used_up = link.max_responses.is_some_and(|max| link.used + 1 >= max);
    if used_up || recorded == Recorded::Gone {
        state.app.recent_changes().record(link.link_id);
    }
    match recorded {
        Recorded::Stored(feedback_id) | Recorded::Repeated(feedback_id) => {
            tracing::debug!(feedback.id = %feedback_id, "answer stands");
            Outcome::Stored(feedback_id)
        }
        Recorded::Gone => {
            // Late is no guess yet, but many of them are.
            let _ = state.app.failures().take(network);
            Outcome::Gone
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
) -> Outcome {
    if let Err(throttled) = state.app.failures().left(network) {
        return Outcome::Throttled(throttled);
    }
    if let Some(visit) = visit {
        match within(QUICK, state.app.store().first_answer(&opened.link, visit)).await {
            Ok(Some(feedback_id)) => return Outcome::Stored(feedback_id),
            Ok(None) => {}
            Err(error) => return Outcome::Failed(error.into()),
        }
    }
    if let Err(throttled) = state.app.failures().take(network) {
        return Outcome::Throttled(throttled);
    }
    match problems {
        Some(problems) if !opened.link.is_gone(Utc::now()) => Outcome::Invalid(problems),
        _ => Outcome::Gone,
    }
}
