//! Browsers in which somebody signed in before: they keep a cookie that says so, one a name, so that nobody who tries passwords
//! elsewhere holds these people up.
//!
//! The cookie is signed under the stored hash of the person's password. So every process knows it, nothing is stored, and another
//! password ends it. So does another second factor: whoever knew the password before it tries no more codes than others.

use axum::http::HeaderMap;
use chrono::{TimeDelta, Utc};
use cookie::{Cookie, SameSite};
use domain::person::PersonName;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use store::account::Person;

use crate::cookies::cookie_of;

const KNOWN: &str = "known browser";
/// How long a browser is known.
const LIFE: TimeDelta = TimeDelta::days(180);

/// The cookie that makes a browser known for a name; `secure`: it is sent over TLS alone.
pub fn cookie(person: &Person, name: &PersonName, secure: bool) -> Option<Cookie<'static>> {
    let until = (Utc::now() + LIFE).timestamp();
    let mac = signed(person, KNOWN, until)?.finalize().into_bytes();
    let cookie = Cookie::build((cookie_name(name), spelled(until, &mac)))
        .path("/dashboard")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(secure)
        .max_age(cookie::time::Duration::seconds(LIFE.num_seconds()));
    Some(cookie.build())
}

/// What a browser says about itself for a name, unproven.
pub fn claim(headers: &HeaderMap, name: &PersonName) -> Option<String> {
    cookie_of(headers, &cookie_name(name))
}

/// Whether it is true of this person. Spelled otherwise than [`cookie`] does it is not: tries are counted by its text.
pub fn is_true(claim: &str, person: &Person) -> bool {
    let proven = || {
        let (until, mac) = claim.split_once('.')?;
        let (until, mac): (i64, _) = (until.parse().ok()?, hex::decode(mac).ok()?);
        signed(person, KNOWN, until)?.verify_slice(&mac).ok()?;
        Some(until > Utc::now().timestamp() && claim == spelled(until, &mac))
    };
    proven().unwrap_or(false)
}

fn spelled(until: i64, mac: &[u8]) -> String {
    format!("{until}.{}", hex::encode(mac))
}

/// What proves that this service said something to a person, until then or until they have another password or second factor. `None`:
/// they have none that anybody could not sign with.
pub fn signed(person: &Person, what: &str, until: i64) -> Option<Hmac<Sha256>> {
    let secret = Some(person.password_hash.as_bytes()).filter(|secret| !secret.is_empty())?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    mac.update(format!("{what} {until}").as_bytes());
    if let Some(factor) = &person.second_factor {
        mac.update(format!(" {factor}").as_bytes());
    }
    Some(mac)
}

fn cookie_name(name: &PersonName) -> String {
    let hash = hex::encode(Sha256::digest(name.as_str()));
    format!("feedback_known_{}", hash.get(..16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use domain::person::Role;
    use uuid::Uuid;

    use store::retention::Seals;

    use super::*;

    #[test]
    fn a_claim_has_one_spelling() {
        let name = PersonName::parse("ada").unwrap();
        let person = Person {
            account_id: Uuid::nil(),
            account_name: "shop".to_owned(),
            company: "shop".to_owned(),
            time_zone: chrono_tz::UTC,
            name: "ada".to_owned(),
            role: Role::Viewer,
            password_hash: "hash".to_owned(),
            must_change_password: false,
            second_factor: None,
            demands_second_factor: false,
            identity: None,
            seals: Seals::default(),
        };
        let known = cookie(&person, &name, false).unwrap();
        let claim = known.value();
        assert!(is_true(claim, &person));
        let factor = Person {
            second_factor: Some("new".to_owned()),
            ..person.clone()
        };
        assert!(!is_true(claim, &factor));
        // Whoever has no password yet has no secret to sign with.
        let nobody = Person {
            password_hash: String::new(),
            ..person.clone()
        };
        assert!(cookie(&nobody, &name, false).is_none());
        let (until, _) = claim.split_once('.').unwrap();
        let mut forged = Hmac::<Sha256>::new_from_slice(&[]).unwrap();
        forged.update(format!("{KNOWN} {until}").as_bytes());
        let forged = format!("{until}.{}", hex::encode(forged.finalize().into_bytes()));
        assert!(!is_true(&forged, &nobody));
        for other in [
            format!("0{claim}"),
            format!("+{claim}"),
            claim.to_uppercase(),
            format!("{claim} "),
        ] {
            assert!(other == claim || !is_true(&other, &person), "{other}");
        }
    }
}
