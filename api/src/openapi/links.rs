//! How operations follow one another: what one answers is what the next is asked with. The capabilities do not know each
//! other, so it is said here and not beside the handlers.

use utoipa::openapi::link::{Link, LinkBuilder};
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{OpenApi as Document, RefOr};

use super::operations;

/// Parameters of paths, and where in a response their values are.
type Given = &'static [(&'static str, &'static str)];

const FORM: Given = &[
    ("form_id", "$response.body#/form_id"),
    ("bus_prop_id", "$response.body#/bus_props/0/bus_prop_id"),
    ("bus_prop", "$response.body#/bus_props/0/bus_prop"),
];
const LINK: Given = &[("token", "$response.body#/token")];
const FEEDBACK: Given = &[("feedback_id", "$response.body#/feedback_id")];
const BATCH: Given = &[("batch_id", "$response.body#/batch_id")];
const CAMPAIGN: Given = &[("campaign_id", "$response.body#/campaign_id")];

/// An operation, its status, and what it gives then to all operations whose paths name that.
const GIVING: [(&str, &str, Given); 7] = [
    ("create_form", "201", FORM),
    ("publish_form", "200", FORM),
    ("create_link", "201", LINK),
    ("create_plain_link", "201", LINK),
    ("submit_answers", "201", FEEDBACK),
    ("import_sms", "202", BATCH),
    ("create_campaign", "201", CAMPAIGN),
];

/// Adds links to the operations that give something.
pub fn add(document: &mut Document) {
    let all: Vec<Operation> = operations(document).map(|(_, next)| next.clone()).collect();
    for (_, operation) in operations(document) {
        let id = operation.operation_id.as_deref();
        if let Some((_, status, given)) = GIVING.iter().find(|(of, ..)| Some(*of) == id)
            && let Some(RefOr::T(response)) = operation.responses.responses.get_mut(*status)
        {
            let links = all.iter().filter_map(|next| link(next, given));
            response.links.extend(links);
        }
    }
}

/// The link to an operation whose path names something that is given.
fn link(next: &Operation, given: Given) -> Option<(String, RefOr<Link>)> {
    let id = next.operation_id.as_deref()?;
    let mut link = None;
    for parameter in next.parameters.iter().flatten() {
        let RefOr::T(parameter) = parameter else {
            continue;
        };
        let meant = match (id, parameter.name.as_str()) {
            ("create_plain_link", "id") => "form_id",
            (_, "id") => "token",
            // Only a message's link stops messages.
            ("stop_messages", _) => continue,
            (_, name) => name,
        };
        if let Some((_, value)) = given.iter().find(|(name, _)| *name == meant)
            && parameter.parameter_in == ParameterIn::Path
        {
            let begun = link.unwrap_or_else(|| LinkBuilder::new().operation_id(id));
            link = Some(begun.parameter(&parameter.name, *value));
        }
    }
    Some((id.to_owned(), link?.build().into()))
}
