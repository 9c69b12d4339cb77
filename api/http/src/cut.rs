//! What ends with whoever asked, and what does not. A change that has begun goes on to its end when its client is gone, so that the audit
//! log has what it came to (`abandoned`: how many do). An answer ends before its end once whoever asked may no longer read it.

use std::future::pending;
use std::panic::resume_unwind;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use tokio::task::{JoinError, JoinHandle};
use tokio_util::task::{AbortOnDropHandle, TaskTracker};
use tracing::Instrument;

use crate::abandoned::BegunChange;
use crate::wrapper::{BodyWrapper, PolledFrame};
use crate::{Problem, Result};

/// Whoever asked is gone, or may no longer ask.
#[derive(Debug, thiserror::Error)]
#[error("whoever asked is gone, or may no longer ask")]
struct Ended;

/// Whether a request is for a preview, which changes nothing and can take long: it ends with its client.
pub fn is_preview(request: &Request) -> bool {
    let path = request.extensions().get::<MatchedPath>();
    path.is_some_and(|path| path.as_str().ends_with("/preview"))
}

/// Makes a change in a task of its own, which goes on to its end when nobody waits for the answer any more. A panic of the task is one
/// here.
pub async fn finish(
    tasks: &TaskTracker,
    begun: BegunChange,
    change: impl Future<Output = Response> + Send + 'static,
) -> Response {
    let change = held(begun.change, change);
    let answer = answer_of(tasks.spawn(change.in_current_span()).await);
    drop(begun.client);
    answer
}

/// Holds what counts a change until it has ended.
async fn held(counted: [Arc<()>; 2], change: impl Future<Output = Response>) -> Response {
    let answer = change.await;
    drop(counted);
    answer
}

/// As [`finish`], for a request whose body may still arrive. Nothing is changed until it has arrived, so until then the task ends when
/// nobody waits for it any more, or once `ended` is done.
///
/// # Errors
/// 401: `ended` was done before the body had arrived.
pub async fn finish_arrived(
    tasks: &TaskTracker,
    begun: BegunChange,
    request: Request,
    next: Next,
    ended: impl Future<Output = ()>,
) -> Result<Response> {
    let arrival = Arrival::default();
    let arrives = !request.body().is_end_stream();
    if !arrives {
        arrival.note();
    }
    let request = request.map(|body| arrival.clone().wrap(body));
    let change = held(begun.change, next.run(request));
    let mut begun = Begun {
        task: tasks.spawn(change.in_current_span()),
        arrival: arrival.clone(),
        _client: begun.client,
    };
    let ended = async {
        ended.await;
        if arrival.give_up() {
            pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        joined = &mut begun.task => Ok(answer_of(joined)),
        () = ended, if arrives => Err(Problem::unauthenticated()),
    }
}

fn answer_of(joined: Result<Response, JoinError>) -> Response {
    joined.unwrap_or_else(|error| match error.try_into_panic() {
        // The panic's own message went to the log when it happened.
        Ok(panic) => resume_unwind(panic),
        // The runtime ends.
        Err(_) => Problem::unavailable().into_response(),
    })
}

/// Whether the body of a request arrived while somebody waited for the answer. What is noted first stands.
#[derive(Clone, Default)]
struct Arrival(Arc<OnceLock<bool>>);

impl Arrival {
    /// Notes that the body has arrived. `false`: nobody waits any more.
    fn note(&self) -> bool {
        *self.0.get_or_init(|| true)
    }

    /// Notes that nobody waits any more. `true`: the body has arrived.
    fn give_up(&self) -> bool {
        *self.0.get_or_init(|| false)
    }
}

/// The task of a request. It is aborted when this is dropped, unless the body has arrived.
struct Begun {
    task: JoinHandle<Response>,
    arrival: Arrival,
    _client: [Arc<()>; 2],
}

impl Drop for Begun {
    fn drop(&mut self) {
        if !self.arrival.give_up() {
            self.task.abort();
        }
    }
}

/// Notes when a body has arrived. One that is read no further has arrived too.
impl BodyWrapper for Arrival {
    fn pass(&mut self, polled: PolledFrame) -> PolledFrame {
        if matches!(polled, Poll::Ready(None)) && !self.note() {
            // The task is aborted, and is to begin nothing until that takes effect.
            return Poll::Ready(Some(Err(axum::Error::new(Ended))));
        }
        polled
    }

    fn end(&mut self, _rest: Body) {
        self.note();
    }
}

/// The response, which is cut with an error once `ended` is done. One of a known size, which lies ready, stays as it is.
pub fn cut_when(ended: impl Future<Output = ()> + Send + 'static, response: Response) -> Response {
    if response.body().size_hint().exact().is_some() {
        return response;
    }
    // A task of its own, because nobody polls the body of a reader that does not read: a look-up begun there would hold up all
    // others of the same caller.
    let ended = AbortOnDropHandle::new(tokio::spawn(ended.in_current_span()));
    response.map(|body| {
        let begin = (body.into_data_stream(), ended);
        Body::from_stream(stream::try_unfold(
            begin,
            |(mut body, mut ended)| async move {
                tokio::select! {
                    biased;
                    _ = &mut ended => Err(axum::Error::new(Ended)),
                    data = body.next() => Ok(data.transpose()?.map(|data| (data, (body, ended)))),
                }
            },
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use axum::Router;
    use axum::extract::State;
    use axum::http::StatusCode;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use bytes::Bytes;
    use futures::{FutureExt, future};
    use http_body_util::BodyExt;
    use tokio::sync::Notify;
    use tokio_util::sync::CancellationToken;
    use tower::ServiceExt;
    use uuid::Uuid;

    use super::*;
    use crate::Code;
    use crate::abandoned::AbandonedChanges;

    fn begun() -> BegunChange {
        let begun = AbandonedChanges::default().begin(Uuid::nil(), "ada");
        begun.unwrap()
    }

    async fn door(
        State(tasks): State<TaskTracker>,
        request: Request,
        next: Next,
    ) -> Result<Response> {
        finish_arrived(&tasks, begun(), request, next, pending()).await
    }

    /// Whether a change is made whose client goes away once the change waits, for its body or for what comes after it.
    async fn is_made(body: Body) -> bool {
        let tasks = TaskTracker::new();
        let (waits, goes_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let made = Arc::new(AtomicBool::new(false));
        let handler = {
            let (waits, goes_on) = (Arc::clone(&waits), Arc::clone(&goes_on));
            let made = Arc::clone(&made);
            move |mut body: Body| async move {
                waits.notify_one();
                while body.frame().await.is_some() {}
                goes_on.notified().await;
                made.store(true, Ordering::Relaxed);
                StatusCode::NO_CONTENT
            }
        };
        let router = Router::new()
            .route("/", post(handler))
            .layer(from_fn_with_state(tasks.clone(), door));
        let request = Request::post("/").body(body).unwrap();
        tokio::select! {
            biased;
            _ = router.oneshot(request) => panic!("nobody went away"),
            () = waits.notified() => {}
        }
        goes_on.notify_one();
        tasks.close();
        tasks.wait().await;
        made.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn a_change_goes_on_without_its_client_once_its_body_has_arrived() {
        assert!(is_made(Body::empty()).await);
        assert!(is_made(Body::from("x")).await);
        let arrives = stream::pending::<Result<Bytes, axum::Error>>();
        assert!(!is_made(Body::from_stream(arrives)).await);
    }

    #[tokio::test]
    async fn what_has_arrived_too_late_is_not_taken_for_whole() {
        let arrival = Arrival::default();
        assert!(!arrival.give_up());
        let mut body = arrival.wrap(Body::from("x"));
        assert!(body.frame().await.unwrap().is_ok());
        assert!(body.frame().await.unwrap().is_err());
    }

    #[tokio::test]
    #[should_panic(expected = "on purpose")]
    async fn a_panic_of_a_change_is_one_for_whoever_waits() {
        let broken = future::lazy(|_| -> Response { panic!("on purpose") });
        finish(&TaskTracker::new(), begun(), broken).await;
    }

    #[tokio::test]
    async fn who_leaves_too_many_changes_begins_no_more_and_others_do() {
        let (tasks, abandoned) = (TaskTracker::new(), AbandonedChanges::default());
        let (shop, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let end = CancellationToken::new();
        let ask = || {
            let end = end.clone();
            let change = async move {
                end.cancelled_owned().await;
                StatusCode::NO_CONTENT.into_response()
            };
            let begun = abandoned.begin(shop, "ada").unwrap();
            let mut asked = Box::pin(finish(&tasks, begun, change));
            assert!(asked.as_mut().now_or_never().is_none());
            asked
        };
        let refusal = |account_id, name| {
            let refused = abandoned.begin(account_id, name).err()?;
            assert!(refused.headers().contains_key("retry-after"));
            Some(refused.code())
        };
        // Those who wait count for nothing, however many they are.
        let waiting: Vec<_> = (0..100).map(|_| ask()).collect();
        for _ in 0..64 {
            assert_eq!(refusal(shop, "ada"), None);
            drop(ask());
        }
        assert_eq!(refusal(shop, "ada"), Some(Code::Busy));
        assert_eq!(refusal(shop, "ben"), None);
        assert_eq!(refusal(other, "ada"), None);
        end.cancel();
        for answer in future::join_all(waiting).await {
            assert_eq!(answer.status(), StatusCode::NO_CONTENT);
        }
        tasks.close();
        tasks.wait().await;
        assert_eq!(refusal(shop, "ada"), None);
    }
}
