//! Groups of routes behind a scope, and what is checked of their requests in one place: the scope, before the method is (403
//! before 405), and the names of query parameters.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use axum::extract::{FromRequestParts, MatchedPath, RawPathParams, Request};
use axum::http::Method;
use domain::scope::Scope;
use futures::FutureExt;
use futures::future::BoxFuture;
use store::form::FormKey;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr, Required};
use utoipa_axum::router::OpenApiRouter;
use uuid::Uuid;

use crate::AppState;
use crate::auth::Caller;
use crate::body::ContentType;
use crate::deadline::{QUICK, within};
use crate::error::Problem;
use crate::extract::{Parameters, parse_uuid};

/// A name in a path, such as the id of a form.
pub struct PathParameter {
    pub app: AppState,
    pub account_id: Uuid,
    pub method: Method,
    pub name: String,
    pub value: String,
}

impl PathParameter {
    /// The value, if it is a UUID.
    pub fn uuid(&self) -> Option<Uuid> {
        parse_uuid(&self.value)
    }

    /// Whether the account has the form of this id.
    pub async fn is_form(&self, form_id: Uuid) -> Result<bool, store::Error> {
        let form = FormKey::new(self.account_id, form_id);
        let version = self.app.store().form_data_version(form).await?;
        Ok(version.is_some())
    }
}

/// The routes for keys that have the scope, whatever the method; `tag` is theirs in the document. A query parameter that the
/// operation does not document is refused: a misspelt filter never answers with everything. 404 comes before that, so
/// `exists` says whether the account has what a path names. What cannot be a name is left to others.
pub fn scoped<S, F>(
    app: &AppState,
    scope: Scope,
    tag: &str,
    exists: fn(PathParameter) -> F,
    group: OpenApiRouter<S>,
) -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    F: Future<Output = Result<bool, store::Error>> + Send + 'static,
{
    let (router, mut document) = group.split_for_parts();
    let paths: Vec<String> = document.paths.paths.keys().cloned().collect();
    let group = Arc::new(Group {
        scope,
        operations: Operations::tagged(&mut document, tag),
        exists: Box::new(move |parameter| exists(parameter).boxed()),
    });
    app.groups().add(paths, &group);
    OpenApiRouter::with_openapi(document).merge(router.into())
}

/// The groups of a process, by the paths of their routes.
#[derive(Default)]
pub struct Groups(RwLock<HashMap<String, Arc<Group>>>);

impl Groups {
    fn add(&self, paths: Vec<String>, group: &Arc<Group>) {
        let mut groups = self.0.write().unwrap_or_else(PoisonError::into_inner);
        groups.extend(paths.into_iter().map(|path| (path, group.clone())));
    }

    /// The group of a route. The last segment of a path may be left out or empty.
    pub fn of(&self, path: &MatchedPath) -> Option<Arc<Group>> {
        let groups = self.0.read().unwrap_or_else(PoisonError::into_inner);
        groups.get(path.as_str().trim_end_matches('/')).cloned()
    }
}

/// Routes behind a scope.
pub struct Group {
    scope: Scope,
    operations: Operations,
    exists: Box<dyn Fn(PathParameter) -> Exists + Send + Sync>,
}

type Exists = BoxFuture<'static, Result<bool, store::Error>>;

impl Group {
    /// Gives the request back if the caller may make it.
    ///
    /// # Errors
    /// 403; 400 for a query parameter that the operation does not have, but 404 where the path names nothing; 503.
    pub async fn check(
        &self,
        app: &AppState,
        caller: &Caller,
        path: &MatchedPath,
        request: Request,
    ) -> Result<Request, Problem> {
        caller.check(self.scope)?;
        match self.operations.check(path.as_str(), &request) {
            Ok(()) => Ok(request),
            Err(problem) => Err(Box::pin(self.refuse(app, caller, request, problem)).await),
        }
    }

    async fn refuse(
        &self,
        app: &AppState,
        caller: &Caller,
        request: Request,
        problem: Problem,
    ) -> Problem {
        let (mut parts, _) = request.into_parts();
        let names = RawPathParams::from_request_parts(&mut parts, &()).await;
        for (name, value) in names.iter().flatten() {
            let parameter = PathParameter {
                app: app.clone(),
                account_id: caller.account_id(),
                method: parts.method.clone(),
                name: name.to_owned(),
                value: value.to_owned(),
            };
            match within(QUICK, (self.exists)(parameter)).await {
                Ok(true) => {}
                Ok(false) => return Problem::not_found(),
                Err(error) => return error.into(),
            }
        }
        problem
    }
}

/// The operations of a group, by path and method.
struct Operations(HashMap<(String, Method), Operation>);

impl Operations {
    /// Those of the document, whose operations get the tag.
    fn tagged(document: &mut OpenApi, tag: &str) -> Self {
        let mut operations = HashMap::new();
        for (path, item) in &mut document.paths.paths {
            for (method, operation) in [
                (Method::GET, &mut item.get),
                (Method::PUT, &mut item.put),
                (Method::POST, &mut item.post),
                (Method::DELETE, &mut item.delete),
            ] {
                if let Some(operation) = operation {
                    operation.tags = Some(vec![tag.to_owned()]);
                    operations.insert((path.clone(), method), operation.clone());
                }
            }
        }
        Self(operations)
    }

    /// Whether an operation has the query's parameters. A body of another media type is left to the operation, because 415
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
        let Some(operation) = self.0.get(&(path, method)) else {
            return Ok(());
        };
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
        let unknown = parameters.names().find(|name| !is_known(name));
        unknown.map_or(Ok(()), |name| {
            let detail = format!("this operation has no parameter {name}");
            Err(Problem::invalid_parameter(detail))
        })
    }
}
