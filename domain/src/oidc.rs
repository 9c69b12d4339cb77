//! What an OpenID Connect provider says of somebody, and what that gives them here.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::person::{PersonName, Role};

/// The claims of an ID token.
pub type Claims = Map<String, Value>;

/// The claim that is a mail address, of which the provider says in another claim whether it knows that it is theirs.
pub const EMAIL: &str = "email";

/// What a value of the claim gives.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    pub value: String,
    pub role: Role,
    /// By its name.
    pub account: String,
}

/// The first of the grants whose value the claim is, or has among its own. The claim is known by its name or, with dots between, by
/// those that lead to it. A mail address that the provider does not vouch for is none: anybody may have typed it.
pub fn granted<'g>(grants: &'g [Grant], claim: &str, claims: &Claims) -> Option<&'g Grant> {
    let is_verified = claims.get("email_verified") == Some(&Value::Bool(true));
    let said = find(claim, claims).filter(|_| claim != EMAIL || is_verified)?;
    let has = |value: &str| match said {
        Value::String(only) => only == value,
        Value::Array(values) => values.iter().any(|one| one.as_str() == Some(value)),
        _ => false,
    };
    grants.iter().find(|grant| has(&grant.value))
}

fn find<'c>(claim: &str, claims: &'c Claims) -> Option<&'c Value> {
    let inside = || {
        let (first, rest) = claim.split_once('.')?;
        let mut rest = rest.split('.');
        rest.try_fold(claims.get(first)?, |value, name| value.get(name))
    };
    claims.get(claim).or_else(inside)
}

/// What somebody may be called here, the best first. Others may be called so too.
pub fn names(claims: &Claims) -> impl Iterator<Item = PersonName> {
    let names = ["preferred_username", EMAIL, "name", "sub"].into_iter();
    names.filter_map(|claim| PersonName::parse_new(claims.get(claim)?.as_str()?).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims(claims: Value) -> Claims {
        serde_json::from_value(claims).unwrap()
    }

    #[test]
    fn the_first_grant_that_fits_counts() {
        let grants: Vec<Grant> = serde_json::from_value(json!([
            {"value": "boss", "role": "admin", "account": "shop"},
            {"value": "look", "role": "viewer", "account": "shop"},
            {"value": "boss", "role": "viewer", "account": "other"},
        ]))
        .unwrap();
        for (claim, said, role) in [
            (
                "roles",
                json!({"roles": ["look", "boss"]}),
                Some(Role::Admin),
            ),
            ("roles", json!({"roles": "look"}), Some(Role::Viewer)),
            ("roles", json!({"roles": ["Boss", "boss ", 7]}), None),
            ("roles", json!({"roles": {"boss": true}}), None),
            ("roles", json!({"groups": ["boss"]}), None),
            (
                "a.b.roles",
                json!({"a": {"b": {"roles": ["look"]}}}),
                Some(Role::Viewer),
            ),
            (
                "https://x.example/roles",
                json!({"https://x.example/roles": ["boss"]}),
                Some(Role::Admin),
            ),
            (
                "a.roles",
                json!({"a.roles": "boss", "a": {"roles": "look"}}),
                Some(Role::Admin),
            ),
        ] {
            let granted = granted(&grants, claim, &claims(said.clone()));
            assert_eq!(granted.map(|grant| grant.role), role, "{claim} {said}");
            assert!(granted.is_none_or(|grant| grant.account == "shop"));
        }
    }

    #[test]
    fn a_mail_address_counts_once_it_is_verified() {
        let grants: Vec<Grant> = serde_json::from_value(json!([
            {"value": "ada@shop.example", "role": "admin", "account": "shop"},
        ]))
        .unwrap();
        for (verified, is_granted) in [
            (json!(true), true),
            (json!(false), false),
            (json!("true"), false),
            (Value::Null, false),
        ] {
            let said = claims(json!({"email": "ada@shop.example", "email_verified": verified}));
            assert_eq!(
                granted(&grants, EMAIL, &said).is_some(),
                is_granted,
                "{verified}"
            );
        }
        let said = claims(json!({"email": "ada@shop.example"}));
        assert_eq!(granted(&grants, EMAIL, &said), None);
    }

    #[test]
    fn a_grant_has_a_role_that_there_is() {
        let grant = json!({"value": "x", "role": "owner", "account": "shop"});
        assert!(serde_json::from_value::<Grant>(grant).is_err());
    }

    #[test]
    fn somebody_is_called_as_they_sign_in_there() {
        let said = json!({"sub": "8f0e", "email": "Ada@shop.example", "preferred_username": "ada", "name": " "});
        let names: Vec<_> = names(&claims(said)).collect();
        let names: Vec<_> = names.iter().map(PersonName::as_str).collect();
        assert_eq!(names, ["ada", "ada@shop.example", "8f0e"]);
    }

    #[test]
    fn nobody_is_called_as_keys_are_or_as_somebody_else_looks() {
        let said = json!({"sub": "8f0e", "preferred_username": "FK_0", "email": "a\u{200b}da"});
        let names: Vec<_> = names(&claims(said)).collect();
        assert_eq!(names, [PersonName::parse("8f0e").unwrap()]);
    }
}
