//! Which of the media types that an operation offers the caller likes best (RFC 9110, 12.5.1).

use std::iter::once;

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, ACCEPT_LANGUAGE};
use headers_accept::Accept;
use headers_core::Header;
use mediatype::names::{APPLICATION, CSV, JSON, TEXT};
use mediatype::{MediaType, MediaTypeBuf, Name};

/// A kind of answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Json,
    Csv,
    Ndjson,
    Xlsx,
}

/// The media type of a spreadsheet.
pub const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// What an answer of a kind is named, with what RFC 4180 leaves open.
pub fn content_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Json => "application/json",
        Kind::Csv => "text/csv; charset=utf-8; header=present",
        Kind::Ndjson => "application/x-ndjson",
        Kind::Xlsx => XLSX,
    }
}

fn media_type<'a>(kind: Kind) -> MediaType<'a> {
    match kind {
        Kind::Json => MediaType::new(APPLICATION, JSON),
        Kind::Csv => MediaType::new(TEXT, CSV),
        Kind::Ndjson => MediaType::new(APPLICATION, Name::new_unchecked("x-ndjson")),
        Kind::Xlsx => MediaType::new(
            APPLICATION,
            Name::new_unchecked("vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ),
    }
}

/// The best of JSON and `others` by q-value, and JSON where none fits. Never a refusal.
pub fn negotiate(headers: &HeaderMap, others: &[Kind]) -> Kind {
    let Ok(accept) = Accept::decode(&mut headers.get_all(ACCEPT).iter()) else {
        return Kind::Json;
    };
    let kinds = once(&Kind::Json).chain(others);
    let offered: Vec<_> = kinds
        .flat_map(|kind| {
            // A range with parameters matches only them, so each kind is also offered with those that the caller names.
            let named = accept.media_types().map(MediaTypeBuf::to_ref);
            let named = named.filter(|range| range.essence() == media_type(*kind));
            let offered = once(media_type(*kind)).chain(named);
            offered.map(|media_type| (media_type, *kind))
        })
        .collect();
    let best = accept.negotiate(offered.iter().map(|(media_type, _)| media_type));
    let best = offered
        .iter()
        .find(|(media_type, _)| Some(media_type) == best);
    best.map_or(Kind::Json, |(_, kind)| *kind)
}

/// The primary subtags of the languages that a reader wants, the most wanted first, by the weights of `Accept-Language`
/// (RFC 9110, 12.5.4); of the same weight in the order given.
pub fn languages(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let header = headers.get(ACCEPT_LANGUAGE);
    let header = header.and_then(|value| value.to_str().ok());
    let ranges = header.unwrap_or_default().split(',').map(|range| {
        let (range, weight) = range.split_once(';').unwrap_or((range, "q=1"));
        let code = range.trim().split('-').next().unwrap_or_default();
        let weight = weight.trim().strip_prefix("q=").unwrap_or_default();
        (weight.parse().unwrap_or(0.0), code)
    });
    let mut wanted: Vec<(f32, &str)> = ranges.filter(|(weight, _)| *weight > 0.0).collect();
    wanted.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    wanted.into_iter().map(|(_, code)| code)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, IF_MATCH};

    use super::*;
    use crate::body::{ContentEncoding, ContentType};
    use crate::precondition::IfMatch;

    fn best(accept: &'static str) -> Kind {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        negotiate(&headers, &[Kind::Csv])
    }

    #[test]
    fn the_highest_quality_wins_and_json_before_others() {
        assert_eq!(best("text/csv"), Kind::Csv);
        assert_eq!(best("TEXT/CSV;charset=utf-8"), Kind::Csv);
        assert_eq!(best("text/csv; charset=UTF-8; header=present"), Kind::Csv);
        assert_eq!(
            best("application/json;q=0.5, text/csv;header=present;q=0.4"),
            Kind::Json
        );
        assert_eq!(best("application/json;q=0.4, text/csv;q=0.5"), Kind::Csv);
        assert_eq!(best("application/json;q=0.5, text/csv;q=0.5"), Kind::Json);
        assert_eq!(best("text/csv;q=0.9, */*;q=0.8"), Kind::Csv);
        assert_eq!(best("text/*, application/json;q=0.9"), Kind::Csv);
        assert_eq!(best("*/*"), Kind::Json);
    }

    #[test]
    fn of_three_kinds_the_best_is_taken() {
        let best = |accept| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            negotiate(&headers, &[Kind::Csv, Kind::Ndjson])
        };
        assert_eq!(best("application/x-ndjson"), Kind::Ndjson);
        assert_eq!(best("text/csv;q=0.5, application/x-ndjson"), Kind::Ndjson);
        assert_eq!(
            best("application/x-ndjson;q=0.5, text/csv;q=0.6"),
            Kind::Csv
        );
        assert_eq!(best("application/*"), Kind::Json);
    }

    #[test]
    fn the_most_specific_range_decides() {
        assert_eq!(
            best("text/*;q=1, text/csv;q=0.1, application/json;q=0.5"),
            Kind::Json
        );
    }

    #[test]
    fn anything_else_gets_json() {
        for accept in [
            "",
            "image/png",
            "application/json;q=0",
            ";;,",
            "text/csv;q=0",
        ] {
            assert_eq!(best(accept), Kind::Json, "{accept}");
        }
        assert_eq!(negotiate(&HeaderMap::new(), &[Kind::Csv]), Kind::Json);
        assert_eq!(negotiate(&HeaderMap::new(), &[]), Kind::Json);
    }

    #[test]
    fn whatever_headers_say_is_read() {
        bolero::check!().for_each(|bytes: &[u8]| {
            let Ok(value) = HeaderValue::from_bytes(bytes) else {
                return;
            };
            let names = [
                ACCEPT,
                ACCEPT_LANGUAGE,
                CONTENT_TYPE,
                CONTENT_ENCODING,
                IF_MATCH,
            ];
            let headers = HeaderMap::from_iter(names.map(|name| (name, value.clone())));
            negotiate(&headers, &[Kind::Csv, Kind::Ndjson, Kind::Xlsx]);
            assert!(languages(&headers).count() <= 1 + bytes.len());
            ContentType::of(&headers);
            ContentEncoding::of(&headers);
            IfMatch::of(&headers);
        });
    }
}
