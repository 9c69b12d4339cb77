//! The way in: imports of recipients, the batches that they become, and the recipients that are stored.
//!
//! # Layout
//! - `import`: `POST /sms/import` as its caller sees it. `ingest`: how a body of any length gets in.
//! - `batch`: what became of an import. `recipient`: who is stored.
//! - `schema`: what the document says of records.
//!
//! What is *not* here: records and their rules (in `domain`), SQL (in `store`), storing what was accepted (in `worker`).

mod batch;
mod import;
mod ingest;
mod recipient;
mod schema;

use api_http::AppState;
use api_http::deadline::{patient, quick};
use api_http::memory::MemoryPool;
use api_http::scoped::scoped;
use axum::middleware::from_fn;
use domain::scope::Scope;
use platform::config::Config;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

/// The state of these routes. Cheap to clone.
#[derive(Clone)]
struct ImportState {
    app: AppState,
    memory: MemoryPool,
    /// Bytes of one import, as they come and decoded.
    max_body: u64,
    /// Records of one import, valid or not.
    max_records: u64,
}

/// Everything under `/api_v1/sms`, documented.
pub fn routes(app: &AppState, config: &Config) -> OpenApiRouter {
    let sms = OpenApiRouter::new()
        .routes(routes!(import::import_sms))
        .routes(routes!(batch::list_batches).layer(from_fn(quick)))
        .routes(routes!(batch::read_batch).layer(from_fn(quick)))
        .routes(routes!(batch::list_errors).layer(from_fn(quick)))
        .routes(routes!(batch::cancel_batch).layer(from_fn(patient)))
        .routes(routes!(batch::retry_batch).layer(from_fn(patient)))
        .routes(routes!(recipient::list_recipients))
        .routes(routes!(recipient::read_recipient).layer(from_fn(quick)))
        .routes(routes!(recipient::erase_recipient).layer(from_fn(patient)));
    scoped(Scope::Import, "sms", sms).with_state(ImportState {
        app: app.clone(),
        memory: ingest::memory(config.max_records),
        max_body: config.max_body,
        max_records: config.max_records,
    })
}
