//! Forms and their links.

mod forms;
mod forms_bad_input;
mod large_forms;
mod link_lists;
mod links;
mod links_bad_input;
