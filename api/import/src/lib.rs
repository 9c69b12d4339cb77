//! The way in: imports of recipients, the batches that they become, and the recipients that are stored.
//!
//! # Layout
//! - `import`: `POST /sms/import` as its caller sees it. `ingest`: how a body of any length gets in.
//! - `batch`: what became of an import. `recipient`: who is stored. `person`: all that is. [`operations`]: what they do, for routes and for the dashboard,
//!   and what that gives.
//! - [`upload`]: files that somebody looks at before.
//! - [`explained`]: what is wrong with a row, for people. `sheets`: spreadsheets of refused rows and recipients.
//! - `schema`: what the document says of records.
//!
//! What is *not* here: records and their rules (in `domain`), SQL (in `store`), storing what was accepted (in `worker`).

mod batch;
pub mod explained;
mod import;
pub mod ingest;
pub mod operations;
mod person;
mod recipient;
mod schema;
mod sheets;
pub mod upload;

use std::path::PathBuf;

use api_http::memory::{MemoryPermit, MemoryPool};
use api_http::scoped::scoped;
use domain::scope::Scope;
use platform::config::Config;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

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
    /// The directory of the temporary files of spreadsheets.
    tmp_dir: PathBuf,
}

impl ImportState {
    pub fn new(config: &Config) -> Self {
        Self {
            memory: ingest::memory(config.memory.imports),
            max_body: config.max_body,
            max_records: config.max_records,
            tmp_dir: config.tmp_dir.clone(),
        }
    }

    /// The right to memory for a body.
    pub fn permit(&self, account_id: Uuid) -> MemoryPermit {
        self.memory.permit(account_id)
    }

    /// Bytes of one import, at most.
    pub fn max_body(&self) -> u64 {
        self.max_body
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
        .routes(routes!(batch::erase_created))
        .routes(routes!(recipient::list_recipients, recipient::erase_phone))
        .routes(routes!(recipient::read_recipient))
        .routes(routes!(recipient::erase_recipient))
        .routes(routes!(person::export_person))
        .routes(routes!(person::export_phone));
    scoped(SCOPE, "sms", sms).with_state(state)
}
