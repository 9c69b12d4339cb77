//! What a link carries, each parsed from the text of a request.
//!
//! The body in which tracking fields come (urlencoded or multipart) is read in `api`; expiry and counting are
//! queries of `store`.

mod bus_prop_ids;
mod token;
mod track_field;

pub use self::bus_prop_ids::{BusPropIds, BusPropIdsError, MAX_LINK_BUS_PROPS};
pub use self::token::{NotAToken, Token};
pub use self::track_field::{MAX_TRACK_FIELDS, TrackField, TrackFieldError, TrackFields};
