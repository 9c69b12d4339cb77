//! Groups of routes behind a scope, and what is checked of their requests in one place: the scope, before the method is (403
//! before 405), and the names of query parameters.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, MatchedPath, RawPathParams, Request};
use axum::http::Method;
use axum::middleware::{Next, from_fn};
use domain::docid::DocId;
use domain::scope::Scope;
use store::form::FormKey;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr, Required};
use utoipa_axum::router::OpenApiRouter;
use uuid::Uuid;

use crate::AppState;
use crate::auth::Caller;
use crate::body::ContentType;
use crate::deadline::{QUICK, within};
use crate::error::{Problem, method_not_allowed};
use crate::extract::{Parameters, parse_uuid};

/// The routes for keys that have the scope, whatever the method. A query parameter that the operation does not document is
/// refused: a misspelt filter never answers with everything.
pub fn scoped<S>(app: &AppState, scope: Scope, group: OpenApiRouter<S>) -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    let (router, document) = group.split_for_parts();
    let inputs = Arc::new(Inputs::of(&document));
    let app = app.clone();
    let check = move |caller: Caller, path: MatchedPath, request: Request, next: Next| {
        let (app, inputs) = (app.clone(), inputs.clone());
        async move {
            caller.check(scope)?;
            let Err(problem) = inputs.check(path.as_str(), &request) else {
                return Ok(next.run(request).await);
            };
            // 404 comes before 400.
            let (mut parts, _) = request.into_parts();
            let names = RawPathParams::from_request_parts(&mut parts, &()).await;
            let Ok(names) = names else {
                return Err(problem);
            };
            let known = has_all(&app, caller.account_id(), &parts.method, &names);
            let known = within(QUICK, known).await?;
            Err(if known { problem } else { Problem::not_found() })
        }
    };
    let router: Router<S> = router
        .method_not_allowed_fallback(method_not_allowed)
        .route_layer(from_fn(check));
    OpenApiRouter::with_openapi(document).merge(router.into())
}

/// Whether the account has everything that a path names. What cannot be a name is left to others.
async fn has_all(
    app: &AppState,
    account_id: Uuid,
    method: &Method,
    names: &RawPathParams,
) -> Result<bool, store::Error> {
    let store = app.store();
    for (name, value) in names {
        let is_known = match (name, parse_uuid(value)) {
            ("form_id" | "id", Some(form_id)) => {
                let version = store.form_data_version(FormKey::new(account_id, form_id));
                version.await?.is_some()
            }
            ("id", None) if method != Method::POST => match value.parse() {
                Ok(token) => store.link(account_id, &token).await?.is_some(),
                Err(_) => false,
            },
            ("batch_id", Some(batch_id)) => store.batch(account_id, batch_id).await?.is_some(),
            ("feedback_id", Some(feedback_id)) => {
                let form = store.form_of_feedback(account_id, feedback_id);
                form.await?.is_some()
            }
            // Erasing one that is not known is no error.
            ("docid", _) if method != Method::DELETE && DocId::parse(value).is_ok() => {
                store.recipient(account_id, value).await?.is_some()
            }
            _ => true,
        };
        if !is_known {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What the operations of a group take, by path and method.
struct Inputs(HashMap<(String, Method), Input>);

struct Input {
    /// The names of the query parameters.
    parameters: Vec<String>,
    /// The media types of the body, where there must be one.
    media_types: Vec<String>,
}

impl Inputs {
    fn of(document: &OpenApi) -> Self {
        let mut inputs = HashMap::new();
        for (path, item) in &document.paths.paths {
            for (method, operation) in [
                (Method::GET, &item.get),
                (Method::PUT, &item.put),
                (Method::POST, &item.post),
                (Method::DELETE, &item.delete),
            ] {
                let input = operation.as_ref().map(Input::of);
                inputs.extend(input.map(|input| ((path.clone(), method), input)));
            }
        }
        Self(inputs)
    }

    /// Whether the operation has the query's parameters. A body of another media type is left to the operation, because 415
    /// comes before 400.
    fn check(&self, path: &str, request: &Request) -> Result<(), Problem> {
        if request.uri().query().is_none() {
            return Ok(());
        }
        // A last segment may be left out or empty.
        let path = path.trim_end_matches('/').to_owned();
        let method = match request.method() {
            &Method::HEAD => Method::GET,
            method => method.clone(),
        };
        let Some(input) = self.0.get(&(path, method)) else {
            return Ok(());
        };
        let kind = ContentType::of(request.headers()).map(|kind| kind.essence);
        if !input.media_types.is_empty()
            && !input
                .media_types
                .iter()
                .any(|one| Some(one) == kind.as_ref())
        {
            return Ok(());
        }
        let parameters = Parameters::of(request.uri())?;
        let unknown = parameters
            .names()
            .find(|name| !input.parameters.iter().any(|one| one == name));
        unknown.map_or(Ok(()), |name| {
            let detail = format!("this operation has no parameter {name}");
            Err(Problem::invalid_parameter(detail))
        })
    }
}

impl Input {
    fn of(operation: &Operation) -> Self {
        let parameters = operation.parameters.iter().flatten();
        let parameters = parameters.filter_map(|parameter| match parameter {
            RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query => {
                Some(parameter.name.clone())
            }
            _ => None,
        });
        let media_types = match &operation.request_body {
            Some(RefOr::T(body)) if body.required == Some(Required::True) => {
                body.content.keys().cloned().collect()
            }
            _ => Vec::new(),
        };
        Self {
            parameters: parameters.collect(),
            media_types,
        }
    }
}
