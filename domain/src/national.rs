//! A phone number as people write it, who leave out what everybody around them knows.

use std::collections::BTreeSet;

use rlibphonenumber::{
    PHONE_NUMBER_UTIL, PhoneNumber, PhoneNumberFormat, PhoneNumberType, ValidationError,
};

use crate::invalid::NotValid;
use crate::phone::{self, TOO_LONG, TOO_SHORT};
use crate::sms::{self, Country};

/// What may stand between digits: blanks (those of typesetters too), dots, slashes, and hyphens and dashes.
const BETWEEN: [char; 16] = [
    ' ', '\t', '\u{a0}', '\u{2007}', '\u{2009}', '\u{202f}', '.', '/', '-', '\u{2010}', '\u{2011}',
    '\u{2012}', '\u{2013}', '\u{2212}', '(', ')',
];

/// The number in the form of E.164, of a text written as in `country`: national, with `00` or `+` before the calling code or with the
/// bare calling code, with blanks, dots, slashes, hyphens and brackets between, and `(0)` after a calling code.
///
/// # Errors
/// Why it is none: other signs, such as letters or an extension, or no number that is possible there.
pub fn international(text: &str, country: Country) -> Result<String, NotValid> {
    let text = text.trim();
    if is_damaged(text) {
        return Err(DAMAGED);
    }
    if has_no_digit(text) {
        return Err(NO_DIGIT);
    }
    // From abroad nobody dials it.
    let text = match text {
        abroad if abroad.starts_with(['+', '0']) => &abroad.replacen("(0)", "", 1),
        other => other,
    };
    let (plus, rest) = match text.strip_prefix('+') {
        Some(rest) => ("+", rest),
        None => ("", text),
    };
    let digits: String = rest.chars().filter(|c| !BETWEEN.contains(c)).collect();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let detail =
            "holds something else than digits, blanks, dots, slashes, hyphens and brackets";
        return Err(NotValid(detail));
    }
    // Whatever is dialled for it there, people write `00`.
    let number = match (plus, digits.strip_prefix("00")) {
        ("", Some(abroad)) => format!("+{abroad}"),
        _ => format!("{plus}{digits}"),
    };
    let read = |number: &str| PHONE_NUMBER_UTIL.parse(number, Some(country)).ok();
    let given_out = |number: &PhoneNumber| PHONE_NUMBER_UTIL.is_valid_number(number);
    let bare = !number.starts_with(['+', '0']);
    // A number that begins as those of the country do from abroad is meant so, given out or not.
    let is_own = |found: &PhoneNumber| {
        let own = PHONE_NUMBER_UTIL.get_country_code_for_region(country);
        own == Some(found.country_code) && PHONE_NUMBER_UTIL.is_possible_number(found)
    };
    let abroad = || read(&format!("+{number}")).filter(|found| given_out(found) || is_own(found));
    // A spreadsheet takes the zero away that a number of the country begins with: a mobile one is meant so, whatever country's calling
    // code it then begins with.
    let is_mobile = |found: &PhoneNumber| {
        matches!(
            PHONE_NUMBER_UTIL.get_number_type(found),
            PhoneNumberType::Mobile | PhoneNumberType::FixedLineOrMobile
        )
    };
    let means_own = |found: &PhoneNumber| !has_trunk_prefix(found) || is_mobile(found);
    let found = match read(&number) {
        Some(found) if bare && given_out(&found) && means_own(&found) => Some(found),
        found if bare => abroad().or(found),
        found => found,
    };
    let parsed = found.ok_or(match digits.len() {
        0..7 => TOO_SHORT,
        7..16 => IMPOSSIBLE,
        _ => TOO_LONG,
    })?;
    match PHONE_NUMBER_UTIL.is_possible_number_with_reason(&parsed) {
        Ok(_) => {}
        Err(ValidationError::TooShort) => return Err(TOO_SHORT),
        Err(ValidationError::TooLong) => return Err(TOO_LONG),
        Err(_) => return Err(IMPOSSIBLE),
    }
    // A spreadsheet writes zeros for the digits that it cut, and nobody has such a number.
    if !given_out(&parsed) && digits.ends_with("000000") {
        return Err(DAMAGED);
    }
    if !given_out(&parsed) && is_cut_off(&parsed) {
        return Err(TOO_SHORT);
    }
    let whole = |number: &PhoneNumber| {
        let written = PHONE_NUMBER_UTIL.format(number, PhoneNumberFormat::E164);
        written.into_owned()
    };
    let found = whole(&parsed);
    phone::PhoneNumber::parse(&found)?;
    // Of two trunk prefixes the second would be taken away when it is read again, and it would be another person's.
    if read(&found).is_none_or(|again| whole(&again) != found) {
        return Err(IMPOSSIBLE);
    }
    Ok(found)
}

/// What a number may be in the form of E.164 that is written as in one of these countries; `None`: as in any, if that gives it out.
pub fn readings(text: &str, countries: Option<&[Country]>) -> BTreeSet<String> {
    if let Some(countries) = countries {
        let numbers = countries
            .iter()
            .map(|country| international(text, *country));
        return numbers.flatten().collect();
    }
    let is_given_out = |number: &String| {
        let number = PHONE_NUMBER_UTIL.parse(number, None);
        number.is_ok_and(|number| PHONE_NUMBER_UTIL.is_valid_number(&number))
    };
    let numbers = sms::countries().map(|(country, _)| international(text, country));
    numbers.flatten().filter(is_given_out).collect()
}

/// Whether people of its country dial more for a number than the number. Who leaves out the `+` before a calling code leaves that out
/// too, or means none.
fn has_trunk_prefix(number: &PhoneNumber) -> bool {
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let dialled = PHONE_NUMBER_UTIL.format(number, PhoneNumberFormat::National);
    let whole = PHONE_NUMBER_UTIL.format(number, PhoneNumberFormat::E164);
    digits(&dialled) + digits(&number.country_code.to_string()) > digits(&whole)
}

/// Whether a number that is not given out begins like a mobile one and lacks several of its digits. Lengths alone do not tell: a plan
/// such as Germany's has fixed lines of five digits.
fn is_cut_off(number: &PhoneNumber) -> bool {
    let begun = PHONE_NUMBER_UTIL.format(number, PhoneNumberFormat::E164);
    let is_mobile = |lacking: &usize| {
        let whole = PHONE_NUMBER_UTIL.parse(format!("{begun}{}", "0".repeat(*lacking)), None);
        whole
            .is_ok_and(|whole| PHONE_NUMBER_UTIL.get_number_type(&whole) == PhoneNumberType::Mobile)
    };
    (1..=MOST_LACKING)
        .find(is_mobile)
        .is_some_and(|lacking| lacking >= LACKING)
}

/// So few digits less than a plan says may be a number that is newer than the plan.
const LACKING: usize = 3;
/// More digits lack of no number that is possible.
const MOST_LACKING: usize = 8;

const IMPOSSIBLE: NotValid = NotValid("is no number that is possible in its country");

/// Of what [has no digit](has_no_digit).
pub(crate) const NO_DIGIT: NotValid = NotValid("holds no digit");

/// Of what [is damaged](is_damaged).
pub(crate) const DAMAGED: NotValid = NotValid(
    "lost digits on the way, because a spreadsheet made a number of it: format its column as text there and enter it again",
);

/// The faults of phones that have words of their own for people, by the names of these.
const NAMED: [(&str, NotValid); 4] = [
    ("damaged", DAMAGED),
    ("no_digit", NO_DIGIT),
    ("too_long", TOO_LONG),
    ("too_short", TOO_SHORT),
];

/// The name of what is wrong with a phone, or with a docid that is one, by the `detail` of its problem: `damaged`, `no_digit`,
/// `too_long`, `too_short`; else empty.
pub fn fault(detail: &str) -> &'static str {
    let mut named = NAMED.iter();
    let found = named.find(|(_, NotValid(words))| detail.ends_with(words));
    found.map_or("", |(name, _)| name)
}

/// Whether it is what people write where there is no number: `n/a`, `-`, `unknown`.
pub(crate) fn has_no_digit(text: &str) -> bool {
    !text.contains(char::is_numeric)
}

/// Whether a spreadsheet wrote a number with an exponent, as `4.91701E+11`: the digits behind it are gone.
pub fn is_damaged(text: &str) -> bool {
    let Some((number, exponent)) = text.split_once(['E', 'e']) else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = number.split_once(['.', ',']).unwrap_or((number, "0"));
    let whole = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    is_number(whole) && is_number(fraction) && exponent.strip_prefix('+').is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, country: &str) -> Result<String, NotValid> {
        international(text, country.parse().unwrap())
    }

    #[test]
    fn a_number_is_read_as_people_of_its_country_write_it() {
        for (country, text, number) in [
            ("DE", "0170 1234567", "+491701234567"),
            ("DE", "0170/123 45 67", "+491701234567"),
            ("DE", "(0170) 1234567", "+491701234567"),
            ("DE", "+49 (0)170 1234567", "+491701234567"),
            ("DE", "0049 (0) 170-1234567", "+491701234567"),
            ("DE", "0049 170 1234567", "+491701234567"),
            ("DE", "491701234567", "+491701234567"),
            ("DE", "170 1234567", "+491701234567"),
            // +1 512 300 0049 is given out too.
            ("DE", "15123000049", "+4915123000049"),
            ("DE", "1575 5123456", "+4915755123456"),
            ("DE", "436641234567", "+436641234567"),
            (
                "DE",
                "\u{a0}+49\u{202f}170\u{2011}1234567 ",
                "+491701234567",
            ),
            ("DE", "+43 664 1234567", "+436641234567"),
            ("AT", "0664 1234567", "+436641234567"),
            ("DE", "491511234567", "+491511234567"),
            ("DE", "0151 123 45 67", "+491511234567"),
            ("DE", "030 12345", "+493012345"),
            ("DE", "05321 123", "+495321123"),
            ("AT", "01 58858", "+43158858"),
            ("CH", "079 123 45 67", "+41791234567"),
            ("FR", "06 12 34 56 78", "+33612345678"),
            ("IT", "333 123 4567", "+393331234567"),
            ("IT", "391 234 5678", "+393912345678"),
            ("IT", "39 333 123 4567", "+393331234567"),
            ("IT", "06 6981 2345", "+390669812345"),
            ("ES", "612 34 56 78", "+34612345678"),
            ("GB", "07400 123456", "+447400123456"),
            ("US", "(212) 555-0123", "+12125550123"),
            ("US", "1-212-555-0123", "+12125550123"),
            ("US", "0049 170 1234567", "+491701234567"),
            ("BR", "(11) 96123-4567", "+5511961234567"),
            ("IN", "081234 56789", "+918123456789"),
            ("JP", "090-1234-5678", "+819012345678"),
            ("RU", "8 (912) 345-67-89", "+79123456789"),
        ] {
            assert_eq!(
                read(text, country).as_deref(),
                Ok(number),
                "{country} {text}"
            );
        }
    }

    #[test]
    fn what_is_no_number_there_is_said() {
        for (country, text, word) in [
            ("DE", "", "no digit"),
            ("DE", "n/a", "no digit"),
            ("DE", "0", "too few"),
            ("DE", "12", "too few"),
            ("DE", "0151 12", "too few"),
            ("DE", "+49 170 123", "too few"),
            ("FR", "06 12 34", "too few"),
            ("DE", "0170 123456789012345", "too many"),
            ("DE", "+", "no digit"),
            ("DE", "+999 1234567", "possible"),
            ("DE", "+49 (00 1232347", "possible"),
            ("DE", "0170-CALLNOW", "something else"),
            ("DE", "0170 1234567 ext. 5", "something else"),
            ("DE", "0170 1234567;ext=5", "something else"),
            ("DE", "++49 170 1234567", "something else"),
            ("DE", "0170 1234567 / 0171 7654321", "too many"),
            ("DE", "٠١٧٠١٢٣٤٥٦٧", "something else"),
            ("DE", "4.9E+11", "lost digits"),
            ("DE", "490000000000", "lost digits"),
            ("DE", "4,91701E+11", "lost digits"),
        ] {
            let NotValid(detail) = read(text, country).unwrap_err();
            assert!(detail.contains(word), "{country} {text}: {detail}");
        }
    }

    #[test]
    fn faults_that_people_are_told_of_have_names() {
        for (text, name) in [
            ("n/a", "no_digit"),
            ("12", "too_short"),
            ("0170 123456789012345", "too_long"),
            ("4.9E+11", "damaged"),
            ("0170-CALLNOW", ""),
        ] {
            let error = read(text, "DE").unwrap_err();
            assert_eq!(fault(&format!("phone {error}")), name, "{text}");
        }
    }

    #[test]
    fn a_number_with_an_exponent_is_damaged_and_no_name_is() {
        for text in ["4.9E+11", "4,91701E+11", "1E+05", "-1.5e+20"] {
            assert!(is_damaged(text), "{text}");
        }
        for text in [
            "", "E+1", "1E5", "A1E+05", "1.E+5", "12345", "4.9E-11", "4.9E+",
        ] {
            assert!(!is_damaged(text), "{text}");
        }
    }

    #[test]
    fn a_national_number_may_be_one_of_several_countries() {
        let german: Country = "DE".parse().unwrap();
        let read = readings("01701234567", Some(&[german]));
        assert_eq!(read, BTreeSet::from(["+491701234567".to_owned()]));
        let read = readings("01701234567", None);
        assert!(read.contains("+491701234567"), "{read:?}");
        assert!(readings("612345678", None).contains("+34612345678"));
        assert!(readings("Shop", None).is_empty());
    }

    proptest! {
        #[test]
        fn what_comes_out_is_taken(text in r"[+0-9 ()./-]{0,20}|.{0,20}") {
            if let Ok(found) = read(&text, "DE") {
                prop_assert!(phone::PhoneNumber::parse(&found).is_ok());
                prop_assert_eq!(read(&found, "US"), Ok(found.clone()));
            }
        }
    }
}
