//! The time zones of countries and of recipients.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use chrono_tz::Tz;

use super::country::{Country, country_of};

static ZONES: LazyLock<HashMap<Country, Vec<Tz>>> = LazyLock::new(|| {
    let mut zones: HashMap<_, Vec<Tz>> = HashMap::new();
    for (code, name) in lines() {
        if let (Ok(country), Ok(zone)) = (code.parse(), name.parse()) {
            zones.entry(country).or_default().push(zone);
        }
    }
    zones
});

/// The codes and names of the table.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("zone.tab").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
}

/// The zones of a country; empty if none is known.
pub fn zones_of(country: Country) -> &'static [Tz] {
    ZONES.get(&country).map_or(&[], Vec::as_slice)
}

/// The country of a zone, if it is one's.
pub fn country_of_zone(zone: Tz) -> Option<Country> {
    let mut countries = ZONES.iter().filter(|(_, zones)| zones.contains(&zone));
    match (countries.next(), countries.next()) {
        (Some((country, _)), None) => Some(*country),
        _ => None,
    }
}

/// The zones in which a recipient may be: the one that a tracking field names, else those of the number's country.
/// Empty if neither is known. A field that names no zone of IANA counts as none.
pub fn zones_for(time_zone: Option<&str>, phone: &str) -> Cow<'static, [Tz]> {
    match time_zone.and_then(|name| name.parse().ok()) {
        Some(zone) => Cow::Owned(vec![zone]),
        None => Cow::Borrowed(country_of(phone).map_or(&[], zones_of)),
    }
}

#[cfg(test)]
mod tests {
    use chrono_tz::{America, Asia, Europe};
    use rlibphonenumber::PHONE_NUMBER_UTIL;

    use super::*;

    fn zones(code: &str) -> &'static [Tz] {
        zones_of(code.parse().unwrap())
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        for (code, name) in lines() {
            assert!(code.len() == 2 && code.bytes().all(|c| c.is_ascii_uppercase()));
            assert!(
                zones(code).contains(&name.parse().unwrap()),
                "{code} {name}"
            );
        }
        let kept: usize = ZONES.values().map(Vec::len).sum();
        assert_eq!(kept, lines().count());
        assert!(kept > 400, "{kept}");
    }

    #[test]
    fn every_country_that_has_numbers_has_zones() {
        for region in PHONE_NUMBER_UTIL.get_supported_regions() {
            assert!(!zones(&region.as_region_str()).is_empty(), "{region}");
        }
    }

    #[test]
    fn a_country_has_its_zones() {
        assert_eq!(zones("AT"), [Europe::Vienna]);
        assert_eq!(zones("IN"), [Asia::Kolkata]);
        assert_eq!(zones("XK"), [Europe::Belgrade]);
        assert_eq!(zones("DE"), [Europe::Berlin, Europe::Busingen]);
        assert_eq!(zones("US").len(), 29);
        assert!(zones("US").contains(&Tz::Pacific__Honolulu));
    }

    #[test]
    fn a_named_zone_comes_before_the_country() {
        let named = zones_for(Some("America/Denver"), "+436641234567");
        assert_eq!(*named, [America::Denver]);
        for name in [
            None,
            Some(""),
            Some("Mars/Olympus"),
            Some("CEST"),
            Some(" Asia/Tokyo"),
        ] {
            assert_eq!(*zones_for(name, "+436641234567"), [Europe::Vienna]);
        }
    }

    #[test]
    fn a_number_of_no_country_has_no_zone() {
        assert!(zones_for(None, "+80012345678").is_empty());
        assert_eq!(*zones_for(Some("UTC"), "+80012345678"), [Tz::UTC]);
    }
}
