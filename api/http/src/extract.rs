//! What handlers take out of a path or query, parsed at the border; what cannot be is 400 `invalid_parameter`.

use axum::extract::{FromRequestParts, Path, Query, RawPathParams};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Uri};
use domain::date_range::DateRange;
use domain::docid::DocId;
pub use domain::text::parse_uuid;
use percent_encoding::percent_decode_str;
use uuid::Uuid;

use crate::{Problem, Result};

/// The id of a path that has one parameter.
#[derive(Clone, Copy, Debug)]
pub struct PathId(pub Uuid);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let parameters = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::invalid_parameter("the path is not UTF-8"))?;
        let (name, value) = parameters.iter().next().unwrap_or_default();
        parse_id(name, value).map(Self)
    }
}

/// The id that the parameter of this name must be.
///
/// # Errors
/// 400 `invalid_parameter`.
pub fn parse_id(name: &str, text: &str) -> Result<Uuid> {
    parse_uuid(text).ok_or_else(|| Problem::invalid_parameter(format!("{name} is not a UUID")))
}

/// The `{docid}` of a path.
#[derive(Clone, Debug)]
pub struct DocIdPath(pub DocId);

impl<S: Send + Sync> FromRequestParts<S> for DocIdPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::invalid_parameter("docid is not UTF-8"))?;
        DocId::parse(text)
            .map(Self)
            .map_err(|error| Problem::invalid_parameter(format!("docid {error}")))
    }
}

/// The `{start_date}` and `{end_date}` of a path.
#[derive(Clone, Copy, Debug)]
pub struct Dates(pub DateRange);

impl<S: Send + Sync> FromRequestParts<S> for Dates {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Path((start, end)) = Path::<(String, String)>::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::invalid_parameter("the dates are not UTF-8"))?;
        DateRange::parse(&start, &end)
            .map(Self)
            .map_err(|error| Problem::invalid_parameter(error.to_string()))
    }
}

/// A header that may be there once, as text.
///
/// # Errors
/// It is there again, or is not visible ASCII.
pub fn header(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, NotOnce> {
    let mut values = headers.get_all(name).into_iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| NotOnce),
        (Some(_), Some(_)) => Err(NotOnce),
    }
}

/// A header that is not there once, as text.
#[derive(Clone, Copy, Debug)]
pub struct NotOnce;

/// The parameters of a query, decoded. Whether the operation has such parameters is checked in [`crate::scoped`].
#[derive(Clone, Debug)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// # Errors
    /// They are not UTF-8.
    pub fn of(uri: &Uri) -> Result<Self> {
        // The library would put U+FFFD in the place of what is not UTF-8.
        let query = uri.query().unwrap_or_default();
        if percent_decode_str(query).decode_utf8().is_err() {
            return Err(Problem::invalid_parameter("the query is not UTF-8"));
        }
        Query::try_from_uri(uri)
            .map(|Query(pairs)| Self(pairs))
            .map_err(|_| Problem::invalid_parameter("the query cannot be read"))
    }

    /// The parameters, in their order.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of a parameter that may be given once.
    ///
    /// # Errors
    /// It is given twice.
    pub fn one(&self, name: &str) -> Result<Option<&str>> {
        let mut values = self.all(name);
        let first = values.next();
        match values.next() {
            None => Ok(first),
            Some(_) => Err(Problem::invalid_parameter(format!("{name} is given twice"))),
        }
    }

    /// Every value of a parameter that may be given again and again, in the order given.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.pairs().filter(move |(given, _)| *given == name);
        named.map(|(_, value)| value)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        Self::of(&parts.uri)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn parameters(query: &str) -> Parameters {
        let request = axum::http::Request::get(format!("/x?{query}"))
            .body(())
            .unwrap();
        Parameters::from_request_parts(&mut request.into_parts().0, &())
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn a_parameter_is_decoded_and_given_once() {
        let given = parameters("a=1+2%2B&b=&c").await;
        assert_eq!(given.one("a").unwrap(), Some("1 2+"));
        assert_eq!(given.one("b").unwrap(), Some(""));
        assert_eq!(given.one("c").unwrap(), Some(""));
        assert_eq!(given.one("d").unwrap(), None);
        assert!(parameters("a=1&a=1").await.one("a").is_err());
        let given = parameters("a=1&b=3&a=2%3D").await;
        assert_eq!(given.all("a").collect::<Vec<_>>(), ["1", "2="]);
    }

    #[tokio::test]
    async fn broken_escapes_do_no_harm() {
        for query in ["%", "&&==&", "a=%2"] {
            parameters(query).await;
        }
    }

    #[tokio::test]
    async fn what_is_not_utf_8_is_refused() {
        for query in ["a=%ff", "a=1&%c3=2", "a=%c3&%a9"] {
            let uri = format!("/?{query}");
            let request = axum::http::Request::get(uri).body(()).unwrap();
            let read = Parameters::from_request_parts(&mut request.into_parts().0, &()).await;
            assert!(read.is_err(), "{query}");
        }
    }

    #[test]
    fn only_the_form_with_hyphens_is_a_uuid() {
        let id = Uuid::from_u128(7);
        assert_eq!(parse_uuid(&id.to_string()), Some(id));
        assert_eq!(parse_uuid(&id.to_string().to_uppercase()), Some(id));
        for text in [
            id.simple().to_string(),
            id.urn().to_string(),
            id.braced().to_string(),
            String::new(),
        ] {
            assert_eq!(parse_uuid(&text), None, "{text}");
        }
    }
}
