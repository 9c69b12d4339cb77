//! The cookies of a request.

use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use cookie::Cookie;

/// The value of a request's cookie.
pub fn cookie_of(headers: &HeaderMap, name: &str) -> Option<String> {
    let values = headers.get_all(COOKIE).iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    let mut cookies = texts.flat_map(Cookie::split_parse).filter_map(Result::ok);
    let cookie = cookies.find(|cookie| cookie.name() == name)?;
    Some(cookie.value().to_owned())
}
