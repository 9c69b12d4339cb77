//! The country of a phone number.

use std::collections::HashMap;
use std::sync::LazyLock;

use rlibphonenumber::PHONE_NUMBER_UTIL;
/// A country that has phone numbers, by its code: those of ISO 3166, and `AC`, `TA` and `XK`. As text `DE`.
pub use rlibphonenumber::Region as Country;

/// Countries by the calling codes that are theirs alone.
static BY_CODE: LazyLock<HashMap<String, Country>> = LazyLock::new(|| {
    let codes = PHONE_NUMBER_UTIL.get_supported_calling_codes();
    let alone = codes.filter_map(|code| {
        let mut regions = PHONE_NUMBER_UTIL.get_regions_for_country_calling_code(code)?;
        match (regions.next()?, regions.next()) {
            // Satellite networks, say, are no country's.
            (Country::World, _) | (_, Some(_)) => None,
            (country, None) => Some((code.to_string(), country)),
        }
    });
    alone.collect()
});

/// The country of a number in the form of E.164, or `None` if none is known.
///
/// Most calling codes belong to one country, and the rest of the number is not looked at. Of the others the number has
/// to be one that the country gives out.
pub fn country_of(phone: &str) -> Option<Country> {
    let digits = phone.strip_prefix('+')?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // No calling code is the beginning of another.
    let mut codes = (1..=3).filter_map(|length| digits.get(..length));
    let country = codes.find_map(|code| BY_CODE.get(code).copied());
    country.or_else(|| country_by_number(phone))
}

/// The country of a number, or, where none is known, its calling code, such as `+1`; `unknown` where nobody has that one either.
pub fn country_or_code(phone: &str) -> String {
    let country = country_of(phone).map(|country| country.to_string());
    let code = || calling_code(phone).map(|code| format!("+{code}"));
    country
        .or_else(code)
        .unwrap_or_else(|| "unknown".to_owned())
}

/// The countries that share a number's calling code, the largest first; of a satellite network, say, none.
pub(super) fn countries_of_code(phone: &str) -> impl Iterator<Item = Country> {
    let code = calling_code(phone);
    let countries =
        code.and_then(|code| PHONE_NUMBER_UTIL.get_regions_for_country_calling_code(code));
    let countries = countries.into_iter().flatten();
    countries.filter(|country| *country != Country::World)
}

/// What a number begins with, if it is somebody's.
fn calling_code(phone: &str) -> Option<i32> {
    let digits = phone
        .strip_prefix('+')
        .filter(|digits| !digits.starts_with('0'))?;
    // No calling code is the beginning of another.
    let mut codes = (1..=3).filter_map(|length| digits.get(..length)?.parse().ok());
    codes.find(|code: &i32| {
        let regions = PHONE_NUMBER_UTIL.get_regions_for_country_calling_code(*code);
        regions.is_some_and(|mut regions| regions.next().is_some())
    })
}

/// All countries with their calling codes.
pub fn countries() -> impl Iterator<Item = (Country, i32)> {
    let countries = PHONE_NUMBER_UTIL.get_supported_regions();
    let countries = countries.filter(|country| *country != Country::World);
    countries.filter_map(|country| {
        Some((
            country,
            PHONE_NUMBER_UTIL.get_country_code_for_region(country)?,
        ))
    })
}

/// The country by the numbers that countries give out.
fn country_by_number(phone: &str) -> Option<Country> {
    let number = PHONE_NUMBER_UTIL.parse(phone, None).ok()?;
    let region = PHONE_NUMBER_UTIL.get_region_for_number(&number);
    region.filter(|region| *region != Country::World)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn code_of(phone: &str) -> Option<String> {
        country_of(phone).map(|country| country.to_string())
    }

    #[test]
    fn a_number_has_the_country_of_its_calling_code() {
        for (phone, code) in [
            ("+491701234567", "DE"),
            ("+436641234567", "AT"),
            ("+3530851234567", "IE"),
            ("+8613812345678", "CN"),
            ("+97148321234", "AE"),
            ("+38343201234", "XK"),
            ("+24740123", "AC"),
            // Of a code that is one country's the rest does not matter.
            ("+491", "DE"),
        ] {
            assert_eq!(code_of(phone).as_deref(), Some(code), "{phone}");
        }
    }

    #[test]
    fn a_shared_calling_code_is_told_apart_by_the_number() {
        for (phone, code) in [
            ("+12125550123", "US"),
            ("+14165550123", "CA"),
            ("+18765550123", "JM"),
            ("+17875550123", "PR"),
            ("+79161234567", "RU"),
            ("+77011234567", "KZ"),
            ("+447400123456", "GB"),
            ("+447797123456", "JE"),
            ("+393331234567", "IT"),
            ("+390669812345", "VA"),
            ("+4740612345", "NO"),
            ("+61412345678", "AU"),
            ("+212650123456", "MA"),
            ("+262692123456", "RE"),
            ("+262639012345", "YT"),
            ("+358412345678", "FI"),
            ("+590690001234", "GP"),
            ("+59995181234", "CW"),
            ("+5997181234", "BQ"),
        ] {
            assert_eq!(code_of(phone).as_deref(), Some(code), "{phone}");
        }
    }

    #[test]
    fn a_number_of_no_country_has_none() {
        for phone in [
            "",
            "+",
            "491701234567",
            "+0491701234567",
            "+0012125550123",
            "+x91701234567",
            "+4x1701234567",
            "+2101234567",
            "+9991234567",
            "+11111111111",
            // Freephone, satellites and networks of no country.
            "+80012345678",
            "+881612345678",
            "+883510012345",
        ] {
            assert_eq!(country_of(phone), None, "{phone}");
        }
    }

    #[test]
    fn a_number_of_no_country_is_counted_by_its_calling_code() {
        for (phone, counted) in [
            ("+491701234567", "DE"),
            ("+14165550123", "CA"),
            ("+11111111111", "+1"),
            ("+70000000000", "+7"),
            ("+80012345678", "+800"),
            ("+881612345678", "+881"),
            ("+2101234567", "unknown"),
            ("+0491701234567", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(country_or_code(phone), counted, "{phone}");
        }
        assert_eq!(countries_of_code("+11111111111").next(), "US".parse().ok());
        assert_eq!(countries_of_code("+80012345678").count(), 0);
    }

    #[test]
    fn no_calling_code_is_the_beginning_of_another() {
        let codes = || PHONE_NUMBER_UTIL.get_supported_calling_codes();
        for code in codes() {
            assert!(
                codes().all(|other| code != other / 10 && code != other / 100),
                "{code}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_short_way_finds_what_the_whole_number_says(phone in r"\+[1-9][0-9]{6,14}") {
            prop_assert_eq!(country_of(&phone), country_by_number(&phone));
        }

        #[test]
        fn any_text_is_answered(text in ".{0,20}") {
            country_of(&text);
        }
    }
}
