//! The parts of a link: its token, its business properties and its tracking fields.
//!
//! The body with the tracking fields (urlencoded or multipart) is read in `api/form`; expiry and counting are queries of
//! `store`.

mod bus_prop_ids;
mod token;
pub(crate) mod track_field;

pub use self::bus_prop_ids::{BusPropIds, MAX_LINK_BUS_PROPS};
pub use self::token::Token;
pub use self::track_field::{MAX_TRACK_FIELDS, TrackFields};
