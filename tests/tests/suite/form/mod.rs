//! Contract §3: forms and their links.

mod forms;
mod forms_bad_input;
mod links;
mod links_bad_input;
