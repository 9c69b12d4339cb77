//! Which feedbacks: those of a form, days and a business property, narrowed by what came with their links.

use api_http::error::Problem;
use domain::form::FormContent;
use domain::link::TrackFields;
use store::report::FeedbackQuery;

use crate::request::{FormReportRequest, no_bus_prop};

impl FormReportRequest {
    /// The query for these feedbacks of a form of this content.
    ///
    /// # Errors
    /// 400: the form has no such business property.
    pub fn feedbacks(
        &self,
        form: &FormContent,
        comments_only: bool,
        track_fields: TrackFields,
    ) -> Result<FeedbackQuery, Problem> {
        let bus_prop_id = match self.bus_prop() {
            None => None,
            Some(text) => Some(form.bus_prop_by_text(text).ok_or_else(no_bus_prop)?.id),
        };
        Ok(FeedbackQuery {
            form: self.form,
            range: self.range,
            time_zone: self.time_zone,
            bus_prop_id,
            comments_only,
            track_fields,
        })
    }
}
