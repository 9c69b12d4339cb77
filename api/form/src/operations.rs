//! What can be done with forms, their links and an account's branding: functions that routes and the dashboard call, each with what it
//! gives. What a form can be is judged in `domain`.

mod branding;
mod form;
mod link;

pub use self::branding::{parse_branding, read_branding, set_branding};
pub use self::form::{
    create_form, delete_form, held_form, list_forms, publish_form, read_form, replace_form,
};
pub(crate) use self::link::bus_prop_ids_problem;
pub use self::link::{
    LinkResponse, LinkWithCounts, create_link, delete_link, list_links, list_links_by_hand,
    make_sheet, read_link, read_sheet, try_form,
};
