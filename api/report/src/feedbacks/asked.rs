//! Which feedbacks: those of a form, days and a business property, narrowed by what came with their links.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::form::FormContent;
use domain::link::{TrackField, TrackFields};
use store::report::FeedbackQuery;
use utoipa::IntoParams;

use crate::asked::{FormAsked, no_bus_prop};
use crate::rendered::segment;
use api_http::error::Problem;
use api_http::extract::Parameters;
use api_http::list::ListQuery;

/// The query of a list of feedbacks.
#[derive(Debug)]
pub struct Narrowed {
    pub page: ListQuery,
    pub track_fields: TrackFields,
}

/// How a list is narrowed, for the document.
#[expect(dead_code, reason = "only its parameters are used")]
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TrackFieldQuery {
    /// Only feedbacks whose link has this tracking field, `<name>=<value>`; repeated, all of them. At most 6.
    #[param(required = false, nullable = false, max_items = 6, style = Form, explode)]
    track_field: Option<Vec<String>>,
}

impl Narrowed {
    /// # Errors
    /// A limit that is none, a track field that is none or a seventh, or one of its name again.
    fn read(parameters: &Parameters) -> Result<Self, Problem> {
        let mut track_fields = TrackFields::default();
        for text in parameters.all("track_field") {
            track_fields
                .push(text)
                .map_err(|error| Problem::invalid_parameter(format!("track_field: {error}")))?;
        }
        Ok(Self {
            page: ListQuery::read(parameters)?,
            track_fields,
        })
    }

    /// As names and values.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let pair = |field: &TrackField| (field.name().to_owned(), field.value().to_owned());
        self.track_fields.iter().map(pair).collect()
    }

    /// The list without its page, as path and query; what goes on with `&` or `?`.
    pub fn place(&self, path: &str) -> String {
        let mut place = format!("{path}?");
        for field in self.track_fields.iter() {
            place.push_str("track_field=");
            place.push_str(&segment(field.name()));
            place.push('=');
            place.push_str(&segment(field.value()));
            place.push('&');
        }
        place
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Narrowed {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        Self::read(&Parameters::from_request_parts(parts, state).await?)
    }
}

impl FormAsked {
    /// The query for these feedbacks of a form of this content.
    ///
    /// # Errors
    /// 400: the form has no such business property.
    pub fn feedbacks(
        &self,
        form: &FormContent,
        comments_only: bool,
        track_fields: Vec<(String, String)>,
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

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(query: &str) -> Result<Narrowed, Problem> {
        let request = axum::http::Request::get(format!("/x?{query}"))
            .body(())
            .unwrap();
        Narrowed::from_request_parts(&mut request.into_parts().0, &()).await
    }

    #[tokio::test]
    async fn a_list_is_narrowed_by_up_to_six_fields() {
        let narrowed = read("track_field=a%3D1%3D2&limit=3&track_field=b%20%26=")
            .await
            .unwrap();
        assert_eq!(
            narrowed.pairs(),
            [("a", "1=2"), ("b &", "")].map(|(n, v)| (n.to_owned(), v.to_owned()))
        );
        assert_eq!(
            narrowed.place("/p"),
            "/p?track_field=a=1%3D2&track_field=b%20%26=&"
        );
        assert_eq!(read("").await.unwrap().place("/p"), "/p?");
        let seven: Vec<_> = (0..7).map(|n| format!("track_field=f{n}=x")).collect();
        for query in [
            "track_field=a",
            "track_field==1",
            "track_field=a=1&track_field=a=2",
            "limit=0",
            &seven.join("&"),
        ] {
            assert!(read(query).await.is_err(), "{query}");
        }
    }
}
