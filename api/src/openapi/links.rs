//! How operations follow one another: what one answers is what the next is asked with. The capabilities do not know each
//! other, so it is said here and not beside the handlers.

use utoipa::openapi::RefOr;
use utoipa::openapi::link::LinkBuilder;
use utoipa::openapi::path::Operation;

/// A parameter and where its value is.
type FromResponse = (&'static str, &'static str);
/// An operation and its parameters.
type Next = (&'static str, &'static [FromResponse]);

const FORM: FromResponse = ("form_id", "$response.body#/form_id");
const FORM_AS_ID: FromResponse = ("id", "$response.body#/form_id");
const BUS_PROP_ID: FromResponse = ("bus_prop_id", "$response.body#/bus_props/0/bus_prop_id");
const BUS_PROP: FromResponse = ("bus_prop", "$response.body#/bus_props/0/bus_prop");
const TOKEN: FromResponse = ("token", "$response.body#/token");
const TOKEN_AS_ID: FromResponse = ("id", "$response.body#/token");
const BATCH: FromResponse = ("batch_id", "$response.body#/batch_id");
const CAMPAIGN: FromResponse = ("campaign_id", "$response.body#/campaign_id");
const FEEDBACK: FromResponse = ("feedback_id", "$response.body#/feedback_id");

/// What can be done with a form.
const OF_FORM: &[Next] = &[
    ("read_form", &[FORM]),
    ("replace_form", &[FORM]),
    ("publish_form", &[FORM]),
    ("delete_form", &[FORM]),
    ("create_plain_link", &[FORM_AS_ID]),
    ("create_link", &[FORM, BUS_PROP_ID]),
    ("form_report", &[FORM]),
    ("form_report_of", &[FORM, BUS_PROP]),
    ("summary", &[FORM]),
    ("summary_of", &[FORM, BUS_PROP]),
    ("list_feedbacks", &[FORM]),
    ("list_feedbacks_of", &[FORM, BUS_PROP]),
    ("list_comments", &[FORM]),
    ("list_comments_of", &[FORM, BUS_PROP]),
];

/// What can be done with a link.
const OF_LINK: &[Next] = &[
    ("read_link", &[TOKEN_AS_ID]),
    ("delete_link", &[TOKEN_AS_ID]),
    ("show_form", &[TOKEN]),
    ("draw_link", &[TOKEN]),
    ("view_form", &[TOKEN]),
    ("submit_answers", &[TOKEN]),
    ("say_thanks", &[TOKEN]),
];

const OF_BATCH: &[Next] = &[
    ("read_batch", &[BATCH]),
    ("list_errors", &[BATCH]),
    ("cancel_batch", &[BATCH]),
    ("retry_batch", &[BATCH]),
];

/// What can be done with a campaign.
const OF_CAMPAIGN: &[Next] = &[
    ("read_campaign", &[CAMPAIGN]),
    ("replace_campaign", &[CAMPAIGN]),
    ("delete_campaign", &[CAMPAIGN]),
    ("preview_campaign", &[CAMPAIGN]),
    ("test_campaign", &[CAMPAIGN]),
    ("start_campaign", &[CAMPAIGN]),
    ("pause_campaign", &[CAMPAIGN]),
    ("resume_campaign", &[CAMPAIGN]),
    ("finish_campaign", &[CAMPAIGN]),
    ("cancel_campaign", &[CAMPAIGN]),
    ("list_messages", &[CAMPAIGN]),
];

/// An operation, after which status, and what follows then.
const FOLLOWING: [(&str, &str, &[Next]); 7] = [
    ("create_form", "201", OF_FORM),
    ("publish_form", "200", OF_FORM),
    ("create_link", "201", OF_LINK),
    ("create_plain_link", "201", OF_LINK),
    ("submit_answers", "201", &[("erase_feedback", &[FEEDBACK])]),
    ("import_sms", "202", OF_BATCH),
    ("create_campaign", "201", OF_CAMPAIGN),
];

/// Adds links to an operation.
pub fn add(operation: &mut Operation) {
    let id = operation.operation_id.as_deref();
    let Some((_, status, next)) = FOLLOWING.iter().find(|(of, ..)| Some(*of) == id) else {
        return;
    };
    let Some(RefOr::T(response)) = operation.responses.responses.get_mut(*status) else {
        return;
    };
    for (operation_id, parameters) in *next {
        let link = LinkBuilder::new().operation_id(*operation_id);
        let link = parameters
            .iter()
            .fold(link, |link, (name, value)| link.parameter(*name, *value));
        response
            .links
            .insert((*operation_id).to_owned(), link.build().into());
    }
}
