//! Which of the kinds that an operation can answer in the caller would like best (RFC 9110, 12.5.1).

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// The kinds of answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Json,
    Csv,
    Ndjson,
}

impl Kind {
    fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Json => ("application", "json"),
            Self::Csv => ("text", "csv"),
            Self::Ndjson => ("application", "x-ndjson"),
        }
    }
}

/// The best of JSON and `others`: by q-value, JSON before the others, and JSON where nothing fits. Never a refusal.
pub fn negotiate(headers: &HeaderMap, others: &[Kind]) -> Kind {
    let ranges: Vec<Range> = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(Range::parse)
        .collect();
    let mut best = (Kind::Json, quality(&ranges, Kind::Json));
    for kind in others {
        let quality = quality(&ranges, *kind);
        if quality > best.1 {
            best = (*kind, quality);
        }
    }
    best.0
}

/// In thousandths; 0 is "not at all". The most specific range decides.
fn quality(ranges: &[Range<'_>], kind: Kind) -> u16 {
    let (main, sub) = kind.name();
    ranges
        .iter()
        .filter_map(|range| Some((range.fit(main, sub)?, range.quality)))
        .max_by_key(|(fit, _)| *fit)
        .map_or(0, |(_, quality)| quality)
}

/// One media range of an `Accept` header.
struct Range<'a> {
    main: &'a str,
    sub: &'a str,
    quality: u16,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (main, sub) = parts.next()?.split_once('/')?;
        let quality = parts
            .filter_map(|parameter| parameter.split_once('='))
            .find(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
            .map_or(Some(1_000), |(_, value)| thousandths(value.trim()))?;
        Some(Self {
            main: main.trim(),
            sub: sub.trim(),
            quality,
        })
    }

    /// How closely the range names the kind, if it does.
    fn fit(&self, main: &str, sub: &str) -> Option<u8> {
        let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
        match (self.main, self.sub) {
            (m, s) if same(m, main) && same(s, sub) => Some(2),
            (m, "*") if same(m, main) => Some(1),
            ("*", "*") => Some(0),
            _ => None,
        }
    }
}

/// Reads `0`, `1` and up to three decimals of them.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole = match whole {
        "0" => 0,
        "1" => 1_000,
        _ => return None,
    };
    let part: u16 = format!("{decimals:0<3}").parse().ok()?;
    Some(whole + part).filter(|sum| *sum <= 1_000)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn best(accept: &'static str) -> Kind {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        negotiate(&headers, &[Kind::Csv])
    }

    #[test]
    fn the_highest_quality_wins_and_json_before_others() {
        assert_eq!(best("text/csv"), Kind::Csv);
        assert_eq!(best("TEXT/CSV;charset=utf-8"), Kind::Csv);
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
        assert_eq!(best("text/csv, text/csv;q=0"), Kind::Json);
    }

    #[test]
    fn anything_else_gets_json() {
        for accept in [
            "",
            "image/png",
            "application/json;q=0",
            "text/csv;q=2",
            "text/csv;q=x",
            ";;,",
            "text/csv;q=0",
        ] {
            assert_eq!(best(accept), Kind::Json, "{accept}");
        }
        assert_eq!(negotiate(&HeaderMap::new(), &[Kind::Csv]), Kind::Json);
        assert_eq!(negotiate(&HeaderMap::new(), &[]), Kind::Json);
    }
}
