//! The OpenID Connect provider through which people sign in, as `FEEDBACK_OIDC` has it.

use std::sync::Arc;

use ::url::{Host, Url};
use domain::oidc::Grant;
use domain::text::has_control;
use serde::Deserialize;

/// Its variable.
pub(super) const OIDC: &str = "FEEDBACK_OIDC";
/// What serde says of these quotes no value, which may be the secret.
const TOLD: [&str; 3] = ["missing field", "unknown field", "unknown variant"];

/// A provider, and what its claims give. It has no `Debug`, because it knows a secret.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcSetting {
    /// As the provider writes it, to the byte.
    pub issuer: String,
    pub client_id: String,
    pub client_secret: String,
    /// What people call it.
    pub label: String,
    /// What is asked for beside `openid`.
    #[serde(default = "scopes")]
    pub scopes: Vec<String>,
    /// The claim that the grants are about.
    pub claim: String,
    /// The first that fits counts.
    pub access: Vec<Grant>,
}

fn scopes() -> Vec<String> {
    ["profile", "email"].map(ToOwned::to_owned).into()
}

impl OidcSetting {
    /// Reads the JSON of the variable.
    ///
    /// # Errors
    /// Why not, without quoting a value.
    pub(super) fn parse(text: &str) -> Result<Arc<Self>, String> {
        let setting: Self = serde_json::from_str(text).map_err(|error| refused(&error))?;
        let url = Url::parse(&setting.issuer).map_err(|error| format!("issuer: {error}"))?;
        if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback(&url)) {
            return Err("issuer: not https://…".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("issuer: it has neither ? nor #".to_owned());
        }
        let texts = [
            ("client_id", &setting.client_id),
            ("client_secret", &setting.client_secret),
            ("label", &setting.label),
            ("claim", &setting.claim),
        ];
        let is_bad = |text: &str| text.trim().is_empty() || has_control(text);
        if let Some((member, _)) = texts.into_iter().find(|(_, text)| is_bad(text)) {
            return Err(format!("{member}: empty, or with a control character"));
        }
        if setting.access.is_empty() {
            return Err("access: empty, so nobody could sign in".to_owned());
        }
        let mut grants = setting.access.iter();
        if grants.any(|grant| is_bad(&grant.value) || is_bad(&grant.account)) {
            return Err(
                "access: each line needs a value of the claim and the name of an account: one is empty, or has a control character"
                    .to_owned(),
            );
        }
        Ok(Arc::new(setting))
    }

    /// Whether the provider is one for trying, on this machine and without TLS.
    pub(crate) fn is_plain(&self) -> bool {
        self.issuer.starts_with("http:")
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn refused(error: &serde_json::Error) -> String {
    let text = error.to_string();
    if TOLD.iter().any(|begin| text.starts_with(begin)) {
        return text;
    }
    let (line, column) = (error.line(), error.column());
    format!("not the JSON that it has to be, at line {line} column {column}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn refused(change: impl FnOnce(&mut Value)) -> Option<String> {
        let mut setting = json!({
            "issuer": "https://login.example/realms/shop", "client_id": "feedback", "client_secret": "s3cret",
            "label": "Shop Ltd", "claim": "roles",
            "access": [{"value": "boss", "role": "admin", "account": "shop"}],
        });
        change(&mut setting);
        OidcSetting::parse(&setting.to_string()).err()
    }

    #[test]
    fn a_provider_is_reached_by_tls_or_on_this_machine() {
        for issuer in [
            "https://login.example",
            "http://localhost:8081/realms/shop",
            "http://127.0.0.1:1",
            "http://[::1]:1",
        ] {
            assert_eq!(
                refused(|setting| setting["issuer"] = json!(issuer)),
                None,
                "{issuer}"
            );
        }
        for issuer in [
            "http://login.example",
            "http://10.0.0.1",
            "ftp://localhost",
            "https://login.example/?x=1",
            "login.example",
        ] {
            let why = refused(|setting| setting["issuer"] = json!(issuer)).unwrap();
            assert!(why.starts_with("issuer: "), "{issuer}: {why}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_without_the_secret() {
        let secret = refused(|setting| setting["client_secret"] = json!(["s3cret"])).unwrap();
        assert!(
            secret.starts_with("not the JSON that it has to be, at line 1"),
            "{secret}"
        );
        assert!(!secret.contains("s3cret"), "{secret}");
        let unknown = refused(|setting| setting["secret"] = json!("s3cret")).unwrap();
        assert!(unknown.starts_with("unknown field `secret`"), "{unknown}");
        let role = refused(|setting| setting["access"][0]["role"] = json!("owner")).unwrap();
        assert!(role.starts_with("unknown variant `owner`"), "{role}");
        for (member, value) in [
            ("label", json!(" ")),
            ("client_id", json!("a\nb")),
            ("access", json!([])),
        ] {
            let why = refused(|setting| setting[member] = value).unwrap();
            assert!(why.starts_with(member), "{why}");
        }
        for member in ["value", "account"] {
            let why = refused(|setting| setting["access"][0][member] = json!(" ")).unwrap();
            assert!(why.starts_with("access: each line needs"), "{why}");
        }
    }
}
