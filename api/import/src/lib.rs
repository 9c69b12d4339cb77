//! The way in: imports of recipients, the batches that they become, and the recipients that are stored.
//!
//! # Layout
//! - `import`: `POST /sms/import` as its caller sees it. `ingest`: how a body of any length gets in.
//! - `batch`: what became of an import. `recipient`: who is stored. [`operations`]: what both do, for routes and for the dashboard,
//!   and what that gives.
//! - `schema`: what the document says of records.
//!
//! What is *not* here: records and their rules (in `domain`), SQL (in `store`), storing what was accepted (in `worker`).

mod batch;
mod import;
mod ingest;
pub mod operations;
mod recipient;
mod schema;

use api_http::memory::MemoryPool;
use api_http::scoped::scoped;
use domain::scope::Scope;
use platform::config::Config;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use self::operations::BatchBody;

/// Of all operations here.
const SCOPE: Scope = Scope::Import;

/// What imports share, once a process. Cheap to clone.
#[derive(Clone)]
pub struct ImportState {
    memory: MemoryPool,
    /// Bytes of one import, as they come and decoded.
    max_body: u64,
    /// Records of one import, valid or not.
    max_records: u64,
}

impl ImportState {
    pub fn new(config: &Config) -> Self {
        Self {
            memory: ingest::memory(config.memory.imports),
            max_body: config.max_body,
            max_records: config.max_records,
        }
    }
}

/// Everything under `/api_v1/sms`, documented.
pub fn routes(state: ImportState) -> OpenApiRouter {
    let sms = OpenApiRouter::new()
        .routes(routes!(import::import_sms))
        .routes(routes!(batch::list_batches))
        .routes(routes!(batch::read_batch))
        .routes(routes!(batch::list_errors))
        .routes(routes!(batch::cancel_batch))
        .routes(routes!(batch::retry_batch))
        .routes(routes!(recipient::list_recipients))
        .routes(routes!(recipient::read_recipient))
        .routes(routes!(recipient::erase_recipient));
    scoped(SCOPE, "sms", sms).with_state(state)
}
