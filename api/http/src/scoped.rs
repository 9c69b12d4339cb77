//! Groups of routes behind a scope, which is checked before the method is (403 before 405).

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use domain::scope::Scope;
use utoipa_axum::router::OpenApiRouter;

use crate::auth::{Caller, require};
use crate::error::method_not_allowed;

/// The routes for keys that have the scope, whatever the method.
pub fn scoped<S>(scope: Scope, group: OpenApiRouter<S>) -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
{
    let (router, document) = group.split_for_parts();
    let check =
        move |caller: Caller, request: Request, next: Next| require(scope, caller, request, next);
    let router: Router<S> = router
        .method_not_allowed_fallback(method_not_allowed)
        .route_layer(from_fn(check));
    OpenApiRouter::with_openapi(document).merge(router.into())
}
