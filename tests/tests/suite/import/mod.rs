//! The SMS import and what is around it.

mod batches;
mod bodies;
mod broken;
mod cancel;
mod fair;
mod files;
mod idempotency;
mod json_verdicts;
mod limits;
mod lines;
mod ordering;
mod phones;
mod recipients;
mod record_errors;
mod record_fields;
mod record_verdicts;
mod sheets;
