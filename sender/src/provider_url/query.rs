//! The query of a sender's URL, from which parameters are taken one by one.

use std::mem;
use std::str::FromStr;

use percent_encoding::percent_decode_str;

use super::{UrlError, bad_parameter, bad_url};

/// What is left of a query. Values are percent-decoded when they are taken, and `+` stays.
pub(crate) struct Query<'a>(Vec<&'a str>);

impl<'a> Query<'a> {
    pub(crate) fn new(query: &'a str) -> Self {
        Self(query.split('&').filter(|pair| !pair.is_empty()).collect())
    }

    /// Takes the value of a parameter.
    pub(crate) fn take(&mut self, name: &'static str) -> Result<Option<String>, UrlError> {
        let is_named = |pair: &mut &str| pair.split('=').next() == Some(name);
        let named: Vec<_> = self.0.extract_if(.., is_named).collect();
        match named.as_slice() {
            [] => Ok(None),
            [pair] => {
                let value = decoded(pair.split_once('=').map_or("", |(_, value)| value));
                value
                    .map(Some)
                    .ok_or_else(|| bad_parameter(name, "is not UTF-8"))
            }
            [..] => Err(bad_parameter(name, "comes more than once")),
        }
    }

    /// Takes and parses a parameter; `what` is the end of the error if it cannot be parsed.
    pub(crate) fn parsed<T>(
        &mut self,
        name: &'static str,
        what: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, UrlError> {
        self.take(name)?
            .map(|value| read(&value).ok_or_else(|| bad_parameter(name, what)))
            .transpose()
    }

    /// Takes a parameter that is `on` or `off`.
    pub(crate) fn switch(&mut self, name: &'static str, default: bool) -> Result<bool, UrlError> {
        let switch = self.parsed(name, "is neither `on` nor `off`", |value| match value {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        });
        Ok(switch?.unwrap_or(default))
    }

    /// Takes a number, or what else is read from a text as numbers are.
    pub(crate) fn number<T: FromStr>(
        &mut self,
        name: &'static str,
        what: &'static str,
    ) -> Result<Option<T>, UrlError> {
        self.parsed(name, what, |value| value.parse().ok())
    }

    /// Takes what is left, as it was written.
    pub(crate) fn rest(&mut self) -> String {
        mem::take(&mut self.0).join("&")
    }

    /// Checks that everything was taken. The parameter is not named: a secret without its name may be one.
    pub(crate) fn finish(&self) -> Result<(), UrlError> {
        let unknown = "has a parameter that this kind of sender does not have";
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(bad_url(unknown))
        }
    }
}

/// A percent-decoded text, if it is UTF-8.
pub(super) fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    Some(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_a_plus_stays() {
        let mut query = Query::new("a=x%2By+z%20&b&c==");
        assert_eq!(query.take("a"), Ok(Some("x+y+z ".to_owned())));
        assert_eq!(query.take("b"), Ok(Some(String::new())));
        assert_eq!(query.take("c"), Ok(Some("=".to_owned())));
        assert_eq!(query.take("d"), Ok(None));
        assert_eq!(query.finish(), Ok(()));
    }

    #[test]
    fn the_rest_stays_as_it_was_written() {
        let mut query = Query::new("k=%20&rate=5&x&&k=+");
        assert_eq!(query.take("rate"), Ok(Some("5".to_owned())));
        assert_eq!(query.rest(), "k=%20&x&k=+");
    }

    #[test]
    fn what_cannot_be_taken_is_an_error() {
        let twice = Query::new("a=1&a=2").take("a");
        assert_eq!(twice, Err(bad_parameter("a", "comes more than once")));
        let bytes = Query::new("a=%FF").take("a");
        assert_eq!(bytes, Err(bad_parameter("a", "is not UTF-8")));
        assert!(Query::new("a=yes").switch("a", true).is_err());
        assert!(Query::new("a=1").finish().is_err());
    }
}
