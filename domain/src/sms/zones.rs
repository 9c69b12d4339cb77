//! The time zones of countries and of recipients.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::country::{Country, countries_of_code, country_of};
use super::slot::{SendSlot, slot};
use super::window::SendWindow;

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

/// The zones in which a recipient may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zones {
    /// Empty if none is known.
    all: Cow<'static, [Tz]>,
    /// What counts where no hour suits all of them.
    instead: Tz,
}

impl Zones {
    /// The first slot that is open at `at` or later, in all of them.
    pub fn slot(&self, window: Option<&SendWindow>, at: DateTime<Utc>) -> SendSlot {
        slot(window, &self.all, self.instead, at)
    }
}

/// The zones in which a recipient may be: the one that a tracking field names, else those of the number's country, else, of a number
/// that no plan knows, those of all countries of its calling code. Where no hour suits all of a country the account's zone counts, and
/// of a calling code that of its largest country. A field that names no zone of IANA counts as none.
pub fn zones_for(time_zone: Option<&str>, phone: &str, account_zone: Tz) -> Zones {
    let (all, instead) = if let Some(zone) = time_zone.and_then(|name| name.parse().ok()) {
        (Cow::Owned(vec![zone]), zone)
    } else if let Some(country) = country_of(phone) {
        (Cow::Borrowed(zones_of(country)), account_zone)
    } else {
        let zones = countries_of_code(phone).flat_map(zones_of).copied();
        let zones: Vec<Tz> = zones.collect();
        let first = zones.first().copied();
        (Cow::Owned(zones), first.unwrap_or(account_zone))
    };
    Zones { all, instead }
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

    fn found(time_zone: Option<&str>, phone: &str) -> (Vec<Tz>, Tz) {
        let zones = zones_for(time_zone, phone, Asia::Tokyo);
        (zones.all.into_owned(), zones.instead)
    }

    #[test]
    fn a_named_zone_comes_before_the_country() {
        let named = found(Some("America/Denver"), "+436641234567");
        assert_eq!(named.0, [America::Denver]);
        for name in [
            None,
            Some(""),
            Some("Mars/Olympus"),
            Some("CEST"),
            Some(" Asia/Tokyo"),
        ] {
            let zones = found(name, "+436641234567");
            assert_eq!(zones, (vec![Europe::Vienna], Asia::Tokyo));
        }
    }

    #[test]
    fn a_number_that_no_plan_knows_has_the_zones_of_its_calling_code() {
        let (zones, instead) = found(None, "+11111111111");
        for zone in [America::Toronto, America::Jamaica, Tz::Pacific__Honolulu] {
            assert!(zones.contains(&zone), "{zone}");
        }
        assert_eq!(instead, America::New_York);
        let (zones, instead) = found(None, "+70000000000");
        assert!(zones.contains(&Asia::Almaty) && zones.contains(&Asia::Kamchatka));
        assert_ne!(instead, Asia::Tokyo);
    }

    #[test]
    fn a_number_of_no_country_has_no_zone() {
        assert_eq!(found(None, "+80012345678"), (vec![], Asia::Tokyo));
        assert_eq!(found(Some("UTC"), "+80012345678").0, [Tz::UTC]);
    }

    /// At noon in Tokyo it is night from New York to Los Angeles.
    #[test]
    fn a_number_that_no_plan_knows_never_waits_for_the_account_s_clock() {
        for day in ["2026-01-15", "2026-07-15"] {
            let at = format!("{day}T03:00:00Z").parse().unwrap();
            let window = SendWindow::default();
            for phone in ["+11111111111", "+70000000000"] {
                let zones = zones_for(None, phone, Asia::Tokyo);
                let slot = zones.slot(Some(&window), at);
                let local = slot.opens_at.with_timezone(&zones.instead).naive_local();
                assert!(window.contains(local), "{phone}: {local}");
            }
        }
    }
}
