//! Groups of routes behind a scope, and the checks that all of their requests pass: the scope, before the method (403 before
//! 405), and the names of query parameters. Also adds `Vary`, as the document says.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{FromRequestParts, MatchedPath, RawPathParams, Request, State};
use axum::http::header::VARY;
use axum::http::{HeaderValue, Method};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use domain::docid::DocId;
use domain::scope::Scope;
use store::form::FormKey;
use store::on_behalf_of;
use store::send::CampaignKey;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr, Required};
use utoipa_axum::router::OpenApiRouter;

use crate::body::ContentType;
use crate::error::method_not_allowed;
use crate::{Caller, Code, Parameters, Problem, QUICK, Result, parse_uuid, within};

/// The routes for keys that have the scope, whatever the method; `tag` is theirs in the document. A query parameter that the
/// operation does not document is refused: a misspelt filter never answers with everything.
pub fn scoped<S: Clone + Send + Sync + 'static>(
    scope: Scope,
    tag: &str,
    group: OpenApiRouter<S>,
) -> OpenApiRouter<S> {
    let (router, mut document) = group.split_for_parts();
    let group = Arc::new(ScopedRoutes {
        scope,
        operations: operations(&mut document, tag),
    });
    let router = router
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn_with_state(group, check));
    OpenApiRouter::with_openapi(document).merge(router.into())
}

/// Routes behind a scope.
struct ScopedRoutes {
    scope: Scope,
    operations: Operations,
}

/// The operations of a group, by path and method.
type Operations = HashMap<String, HashMap<Method, Operation>>;

/// The operations of a document. They get the tag.
fn operations(document: &mut OpenApi, tag: &str) -> Operations {
    let mut operations = Operations::new();
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in [
            (Method::GET, &mut item.get),
            (Method::PUT, &mut item.put),
            (Method::POST, &mut item.post),
            (Method::DELETE, &mut item.delete),
        ] {
            if let Some(operation) = operation {
                operation.tags = Some(vec![tag.to_owned()]);
                let of_path = operations.entry(path.clone()).or_default();
                of_path.insert(method, operation.clone());
            }
        }
    }
    operations
}

/// The layer of a group.
///
/// # Errors
/// 403; 400 for a query parameter that the operation does not have, but 404 where the path names nothing; 503.
async fn check(
    State(group): State<Arc<ScopedRoutes>>,
    caller: Caller,
    path: MatchedPath,
    request: Request,
    next: Next,
) -> Result<Response> {
    let matched = path.clone();
    caller.check(group.scope)?;
    let Some(operation) = group.operation(path.as_str(), request.method()) else {
        return Ok(next.run(request).await);
    };
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    let _changing = changes.then(|| caller.app.store.changing(caller.account_id()));
    let mut response = match check_query(operation, &request) {
        Ok(()) => next.run(request).await,
        Err(problem) => {
            let refused = refuse(&caller, path, request, problem);
            // In a box: most requests need no room for it.
            let refused = Box::pin(on_behalf_of(caller.account_id(), refused));
            refused.await.into_response()
        }
    };
    let problem = response.extensions().get::<Problem>();
    if problem.is_some_and(|problem| problem.code() == Code::NotFound) {
        response = Problem::new(Code::NotFound, missing(matched.as_str())).into_response();
    }
    // Callers choose among kinds of answers.
    if let Some(RefOr::T(answer)) = operation.responses.responses.get("200")
        && answer.content.len() > 1
    {
        response
            .headers_mut()
            .insert(VARY, HeaderValue::from_static("accept"));
    }
    Ok(response)
}

/// The problem of a query, unless the path names nothing.
async fn refuse(caller: &Caller, path: MatchedPath, request: Request, problem: Problem) -> Problem {
    let (mut parts, _) = request.into_parts();
    let names = RawPathParams::from_request_parts(&mut parts, &()).await;
    for name in names.iter().flatten() {
        let found = exists(caller, &parts.method, path.as_str(), name);
        match within(QUICK, found).await {
            Ok(true) => {}
            Ok(false) => return Problem::not_found(),
            Err(error) => return error.into(),
        }
    }
    problem
}

impl ScopedRoutes {
    fn operation(&self, path: &str, method: &Method) -> Option<&Operation> {
        // A last segment may be left out or empty.
        let of_path = self.operations.get(path.trim_end_matches('/'))?;
        let method = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        of_path.get(method)
    }
}

/// What is not there, by the last id in the path of an operation. Of another account is nothing there either.
fn missing(path: &str) -> &'static str {
    let ids = [
        ("{docid}", "no recipient has this docid"),
        ("{batch_id}", "no import has this id"),
        ("{campaign_id}", "no campaign has this id"),
        ("{feedback_id}", "no feedback has this id"),
        ("{share_id}", "no shared page has this id"),
        ("{form_id}", "no form has this id"),
        ("{id}", "no link has this token, and no form this id"),
    ];
    let id = ids.iter().find(|(id, _)| path.contains(id));
    id.map_or("there is nothing at this path", |(_, detail)| detail)
}

/// Whether an operation has the query's parameters. A body of another media type is left to the operation, because 415
/// comes before 400.
fn check_query(operation: &Operation, request: &Request) -> Result<()> {
    if request.uri().query().is_none() {
        return Ok(());
    }
    if let Some(RefOr::T(body)) = &operation.request_body
        && body.required == Some(Required::True)
        && ContentType::of(request.headers())
            .is_none_or(|kind| !body.content.contains_key(&kind.essence))
    {
        return Ok(());
    }
    let is_known = |name: &str| {
        let mut parameters = operation.parameters.iter().flatten();
        parameters.any(|parameter| {
            matches!(parameter, RefOr::T(known)
                if known.parameter_in == ParameterIn::Query && known.name == name)
        })
    };
    let parameters = Parameters::of(request.uri())?;
    match parameters.pairs().find(|(name, _)| !is_known(name)) {
        None => Ok(()),
        Some((name, _)) => {
            let detail = format!("this operation has no parameter {name}");
            Err(Problem::invalid_parameter(detail))
        }
    }
}

/// Whether the account has what a name in a path stands for, such as the id of a form. What cannot be a name is left to the
/// operation.
async fn exists(
    caller: &Caller,
    method: &Method,
    path: &str,
    (name, value): (&str, &str),
) -> Result<bool, store::Error> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    // Of a link: the form that it is made for, or its token.
    let makes_link = name == "id" && method == Method::POST;
    Ok(match (name, parse_uuid(value)) {
        ("form_id" | "id", Some(form_id)) if name == "form_id" || makes_link => {
            let version = store.form_data_version(FormKey::new(account_id, form_id));
            version.await?.is_some()
        }
        ("id", _) if !makes_link => match value.parse() {
            Ok(token) => store.link(account_id, &token).await?.is_some(),
            Err(_) => false,
        },
        ("batch_id", Some(batch_id)) => store.batch(account_id, batch_id).await?.is_some(),
        ("feedback_id", Some(feedback_id)) => {
            let form = store.form_of_feedback(account_id, feedback_id);
            form.await?.is_some()
        }
        ("share_id", Some(share_id)) => store.share(account_id, share_id).await?.is_some(),
        ("campaign_id", Some(campaign_id)) => {
            let campaign = store.campaign(CampaignKey::new(account_id, campaign_id));
            campaign.await?.is_some()
        }
        // Erasing one that is not known is no error.
        ("docid", _) if method != Method::DELETE && DocId::parse(value).is_ok() => {
            let lists_messages = path.ends_with("/message");
            let messages = store.recipient_messages(account_id, value, None, 1);
            store.recipient(account_id, value).await?.is_some()
                || lists_messages && !messages.await?.rows.is_empty()
        }
        _ => true,
    })
}
