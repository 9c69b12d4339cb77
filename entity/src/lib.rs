//! One sea-orm entity a file: the shape of a row, no logic. Queries live in `store`; tables that only
//! set-based SQL touches (chunks, payloads, rollups) have no entity.

pub mod branding;
pub mod campaign;
pub mod form;
