//! Narrowing a list by the tracking fields of links.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::link::TrackFields;
use url::form_urlencoded::Serializer;
use utoipa::IntoParams;

use crate::{Parameters, Problem, Result};

const TRACK_FIELD: &str = "track_field";

/// The tracking fields that a link must have.
#[derive(Clone, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TrackFieldQuery {
    /// Only what came with a link that has this tracking field, `<name>=<value>`; repeated, all of them. At most 6.
    #[param(required = false, nullable = false, max_items = 6, style = Form, explode, value_type = Option<Vec<String>>,
            pattern = "^[^=\\u0000-\\u001f\\u007f-\\u009f]{1,64}=[^\\u0000]*$")]
    pub track_field: TrackFields,
}

impl TrackFieldQuery {
    /// The URI of the list at this path, so narrowed.
    pub fn uri(&self, path: &str) -> String {
        let mut uri = path.to_owned();
        if !self.track_field.is_empty() {
            uri.push('?');
            let start = uri.len();
            let fields = self.track_field.iter();
            let pairs = fields.map(|(name, value)| (TRACK_FIELD, format!("{name}={value}")));
            uri = Serializer::for_suffix(uri, start)
                .extend_pairs(pairs)
                .finish();
        }
        uri
    }
}

impl<S: Send + Sync> FromRequestParts<S> for TrackFieldQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let parameters = Parameters::from_request_parts(parts, state).await?;
        let mut track_field = TrackFields::default();
        for text in parameters.all(TRACK_FIELD) {
            track_field
                .push(text)
                .map_err(|error| Problem::invalid_parameter(format!("track_field: {error}")))?;
        }
        Ok(Self { track_field })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(query: &str) -> Result<TrackFieldQuery> {
        let request = axum::http::Request::get(format!("/x?{query}"))
            .body(())
            .unwrap();
        TrackFieldQuery::from_request_parts(&mut request.into_parts().0, &()).await
    }

    #[tokio::test]
    async fn a_list_is_narrowed_by_up_to_six_fields() {
        let query = "track_field=a%3D1%3D2&limit=3&track_field=b%20%26=";
        let narrowed = read(query).await.unwrap();
        assert_eq!(narrowed.track_field.get("a"), Some("1=2"));
        assert_eq!(narrowed.track_field.get("b &"), Some(""));
        let uri = "/p?track_field=a%3D1%3D2&track_field=b+%26%3D";
        assert_eq!(narrowed.uri("/p"), uri);
        assert_eq!(read("").await.unwrap().uri("/p"), "/p");
        let seven: Vec<_> = (0..7).map(|n| format!("track_field=f{n}=x")).collect();
        for query in [
            "track_field=a",
            "track_field==1",
            "track_field=a=1&track_field=a=2",
            &seven.join("&"),
        ] {
            assert!(read(query).await.is_err(), "{query}");
        }
    }
}
