//! A phone as a person types it.

use api_http::Result;
use api_import::upload::last_choice;
use domain::national;
use domain::phone::PhoneNumber;
use domain::sms::{countries, country_of_zone};

use crate::signed_in::SignedIn;

/// A phone as it is stored: written with the code of its country, or as in that of the account's last file. `None`: it is none.
///
/// # Errors
/// 503.
pub async fn international(person: &SignedIn, phone: &str) -> Result<Option<String>> {
    if let Ok(phone) = PhoneNumber::parse(phone) {
        return Ok(Some(phone.get().to_owned()));
    }
    let last = last_choice(&person.caller).await?;
    let country = last.and_then(|choice| choice.country());
    let country = country.or_else(|| country_of_zone(person.time_zone));
    // With the code of its country it is the same in any.
    let is_abroad = phone.trim_start().starts_with('+');
    let country = country.or_else(|| Some(countries().find(|_| is_abroad)?.0));
    Ok(country.and_then(|country| national::international(phone, country).ok()))
}
