//! The way past the layers for what thousands ask at once and this instance remembers: the page of a link that was opened a
//! moment ago.
//!
//! It answers at once or not at all. Whatever needs a look-up, is refused, or is not plainly this goes the whole way, so
//! nothing here decides anything that the layers decide otherwise. What they would have added is added here: the request
//! id and the metrics. There is no span: it would write no line unless debugging (measured: half of such a request's time
//! went into the layers).

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::extract::Request;
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use domain::link::Token;
use futures::future::Either;
use platform::request_id::{RequestId, X_REQUEST_ID};
use tower::Service;
use uuid::Uuid;

use crate::AppState;
use crate::observe::Meter;

/// Answers what can be answered at once, and hands on the rest.
#[derive(Clone)]
pub struct FastPath<S> {
    state: AppState,
    inner: S,
    pages: Meter,
}

impl<S> FastPath<S> {
    pub fn new(state: AppState, inner: S) -> Self {
        Self {
            state,
            inner,
            pages: Meter::new("/f/{token}", "GET", 200),
        }
    }

    fn at_once(&self, request: &Request) -> Option<Response> {
        if request.method() != Method::GET {
            return None;
        }
        let begin = Instant::now();
        let token = request.uri().path().strip_prefix("/f/")?;
        let mut response = self.page(token.parse().ok()?)?;
        identify(&mut response, request.headers());
        self.pages.count(begin.elapsed());
        Some(response)
    }

    fn page(&self, token: Token) -> Option<Response> {
        let collect = self.state.collect();
        let opened = collect.links.remembered(&token)?;
        let page = opened.prepared()?;
        if opened.link.is_gone(Utc::now()) {
            return None;
        }
        collect.link_rate.check(&opened.link.link_id).ok()?;
        Some(
            page.fill(&token.to_string(), Uuid::now_v7())
                .into_response(),
        )
    }
}

/// Gives a response the id of its request.
fn identify(response: &mut Response, asked: &HeaderMap) {
    if let Some(id) = RequestId::of(asked).value() {
        response.headers_mut().insert(X_REQUEST_ID, id);
    }
}

impl<S> Service<Request> for FastPath<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<Ready<Result<Response, Infallible>>, S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match self.at_once(&request) {
            Some(response) => Either::Left(ready(Ok(response))),
            None => Either::Right(self.inner.call(request)),
        }
    }
}
