//! An OpenID Connect provider, through which people sign in: authorization code with PKCE.
//!
//! What the provider says of itself and of its keys is fetched when somebody first signs in, kept for an hour, and fetched anew for a
//! key that is not among them. Nobody waits long for a provider that is away, and nothing that it answers is read without a limit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use domain::oidc::{Claims, Grant, granted};
use domain::text::has_control;
use futures::future::BoxFuture;
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreIdToken, CoreJwsSigningAlgorithm,
    CoreProviderMetadata,
};
use openidconnect::{
    AsyncHttpClient, AuthType, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret,
    CsrfToken, EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IssuerUrl,
    Nonce, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope,
    SignatureVerificationError, TokenResponse,
};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;
use tokio::time::timeout;
use uuid::Uuid;

use crate::client;
use crate::config::{OidcSetting, PublicUrl};
use crate::one_line;
use crate::places::Places;

/// Where the provider leads browsers back to.
pub const RETURN: &str = "/dashboard/sign-in/provider/return";
/// How long one request to the provider may take.
const REQUEST: Duration = Duration::from_secs(3);
/// How long somebody waits for all that signing in asks of it.
const PATIENCE: Duration = Duration::from_secs(6);
/// How long what it says of itself is kept.
const KEPT: Duration = Duration::from_hours(1);
/// For unknown keys that is fetched anew so often at most.
const RENEWED: Duration = Duration::from_mins(1);
/// After it failed it is not asked for so long.
const AGAIN: Duration = Duration::from_secs(1);
/// So far the provider's clock may be ahead of the service's.
const AHEAD: TimeDelta = TimeDelta::minutes(5);
/// The most bytes of an answer.
const MAX_BODY: usize = 512 << 10;
/// Sign-ins that ask the provider at once, and those of one site; others wait.
const AT_ONCE: usize = 16;
const OF_A_SITE: usize = 4;
/// As OpenID Connect limits it.
const MAX_SUBJECT: usize = 255;
/// Signatures that need no secret of ours.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// Why nobody was signed in.
#[derive(Debug, thiserror::Error)]
pub enum OidcFault {
    /// The provider is away, or is not what the settings say.
    #[error("the OpenID Connect provider cannot be asked: {0}")]
    Away(String),
    /// Too many are signed in at once.
    #[error("too many sign in at once")]
    Busy,
    /// It takes the code for wrong, or what it answered is not to be trusted.
    #[error("a sign-in through the OpenID Connect provider failed: {0}")]
    Refused(String),
}

/// Somebody for whom the provider vouches.
#[derive(Debug)]
pub struct Vouched {
    /// Issuer and subject, with a blank between.
    pub identity: String,
    pub claims: Claims,
}

/// The provider of the settings.
pub struct OidcProvider {
    setting: Arc<OidcSetting>,
    issuer: IssuerUrl,
    redirect: RedirectUrl,
    http: Http,
    known: Mutex<Known>,
    places: Places,
}

/// What is known of it, and when that was asked for.
#[derive(Default)]
struct Known {
    metadata: Option<(Instant, Arc<CoreProviderMetadata>)>,
    renewed_at: Option<Instant>,
    failed_at: Option<Instant>,
}

type KnownClient = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

impl OidcProvider {
    /// The provider of a setting, which leads back to the service at this URL. It is not asked yet.
    ///
    /// # Errors
    /// There can be no HTTP client.
    pub fn new(setting: Arc<OidcSetting>, public_url: &PublicUrl) -> anyhow::Result<Self> {
        let client = client::builder()?
            .https_only(!setting.is_plain())
            .redirect(Policy::none())
            .timeout(REQUEST)
            .build();
        let client = client.context("no client for the OpenID Connect provider")?;
        Ok(Self {
            issuer: IssuerUrl::new(setting.issuer.clone())?,
            redirect: RedirectUrl::new(format!("{}{RETURN}", public_url.as_str()))?,
            setting,
            http: Http(client),
            known: Mutex::default(),
            places: Places::shared(AT_ONCE, OF_A_SITE),
        })
    }

    /// What people call it.
    pub fn label(&self) -> &str {
        &self.setting.label
    }

    /// The claim that says who may do what.
    pub fn claim(&self) -> &str {
        &self.setting.claim
    }

    /// What somebody's claims give them here, if anything.
    pub fn granted(&self, claims: &Claims) -> Option<&Grant> {
        granted(&self.setting.access, &self.setting.claim, claims)
    }

    /// Whether it can be asked, and is who it says.
    ///
    /// # Errors
    /// It cannot be asked.
    pub fn check(&self) -> BoxFuture<'_, Result<(), OidcFault>> {
        Box::pin(in_time(async { self.known(false).await.map(drop) }))
    }

    /// The URL under which the provider signs somebody in, in the browser that has this secret.
    ///
    /// # Errors
    /// It cannot be asked.
    pub fn begin<'a>(&'a self, secret: &'a str) -> BoxFuture<'a, Result<String, OidcFault>> {
        Box::pin(in_time(async move {
            let known = self.known(false).await?;
            let client = self.client(&known);
            let (state, nonce) = (state_of(secret), nonce_of(secret));
            let flow = CoreAuthenticationFlow::AuthorizationCode;
            let request = client.authorize_url(flow, || CsrfToken::new(state), || nonce);
            let scopes = self.setting.scopes.iter().cloned().map(Scope::new);
            let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier_of(secret));
            let request = request.add_scopes(scopes).set_pkce_challenge(challenge);
            Ok(request.url().0.into())
        }))
    }

    /// Who came back with this code to the browser that has this secret. Sites take turns at the provider.
    ///
    /// # Errors
    /// It cannot be asked, or does not vouch for anybody; too many of the site are before.
    pub fn finish<'a>(
        &'a self,
        secret: &'a str,
        code: String,
        site: Uuid,
    ) -> BoxFuture<'a, Result<Vouched, OidcFault>> {
        Box::pin(async move {
            let place = timeout(PATIENCE, self.places.take(site)).await;
            let _place = place.map_err(|_| OidcFault::Busy)?;
            in_time(self.exchange(secret, code)).await
        })
    }

    async fn exchange(&self, secret: &str, code: String) -> Result<Vouched, OidcFault> {
        let known = self.known(false).await?;
        let client = self.client(&known);
        let request = client.exchange_code(AuthorizationCode::new(code));
        let request = request.map_err(|error| OidcFault::Away(one_line(&error)))?;
        let request = request.set_pkce_verifier(verifier_of(secret));
        let tokens = request.request_async(&self.http).await;
        let tokens = tokens.map_err(|error| match &error {
            RequestTokenError::Request(_) => OidcFault::Away(one_line(&error)),
            // Without what it was caused by, which may have a token.
            _ => OidcFault::Refused(error.to_string().replace(['\n', '\r'], " ")),
        })?;
        let no_token = || OidcFault::Refused("no ID token".to_owned());
        let token = tokens.id_token().ok_or_else(no_token)?;
        let nonce = nonce_of(secret);
        match self.vouched(&known, token, &nonce) {
            Err(ClaimsVerificationError::SignatureVerification(
                SignatureVerificationError::NoMatchingKey,
            )) => {
                let renewed = self.known(true).await?;
                self.vouched(&renewed, token, &nonce)
            }
            judged => judged,
        }
        .map_err(|error| OidcFault::Refused(one_line(&error)))
    }

    /// Whom a token names, if it is the provider's, for this service, for this browser and not over.
    fn vouched(
        &self,
        known: &CoreProviderMetadata,
        token: &CoreIdToken,
        nonce: &Nonce,
    ) -> Result<Vouched, ClaimsVerificationError> {
        let client = self.client(known);
        let verifier = client
            .id_token_verifier()
            .set_allowed_algs(ALGORITHMS)
            .set_issue_time_verifier_fn(|issued_at| was_issued(issued_at, Utc::now()));
        let subject = token.claims(&verifier, nonce)?.subject();
        let unusable = |what: &str| ClaimsVerificationError::Other(what.to_owned());
        if subject.is_empty() || subject.len() > MAX_SUBJECT || has_control(subject) {
            return Err(unusable("the subject is empty, too long or no text"));
        }
        let claims = claims_of(token).ok_or_else(|| unusable("the claims are no object"))?;
        let party = claims.get("azp");
        if party.is_some_and(|party| *party != *self.setting.client_id) {
            return Err(unusable("it was made for another program (`azp`)"));
        }
        Ok(Vouched {
            identity: format!("{} {}", self.setting.issuer, subject.as_str()),
            claims,
        })
    }

    /// What the provider says of itself. `renewed`: one of its keys is not among what was known.
    async fn known(&self, renewed: bool) -> Result<Arc<CoreProviderMetadata>, OidcFault> {
        let mut known = self.known.lock().await;
        let within = |at: Option<Instant>, time| at.is_some_and(|at| at.elapsed() < time);
        let renews = renewed && !within(known.renewed_at, RENEWED);
        match &known.metadata {
            Some((at, metadata)) if !renews && at.elapsed() < KEPT => return Ok(metadata.clone()),
            _ if within(known.failed_at, AGAIN) => {
                return Err(OidcFault::Away("it failed just before".to_owned()));
            }
            _ => {}
        }
        if renews {
            known.renewed_at = Some(Instant::now());
        }
        let found = CoreProviderMetadata::discover_async(self.issuer.clone(), &self.http).await;
        let found = found.map(Arc::new).map_err(|error| {
            known.failed_at = Some(Instant::now());
            OidcFault::Away(one_line(&error))
        })?;
        known.metadata = Some((Instant::now(), found.clone()));
        Ok(found)
    }

    fn client(&self, known: &CoreProviderMetadata) -> KnownClient {
        let id = ClientId::new(self.setting.client_id.clone());
        let secret = ClientSecret::new(self.setting.client_secret.clone());
        let client = CoreClient::from_provider_metadata(known.clone(), id, Some(secret));
        let methods = known.token_endpoint_auth_methods_supported();
        let takes_basic = methods
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let auth_type = if takes_basic {
            AuthType::BasicAuth
        } else {
            AuthType::RequestBody
        };
        client
            .set_auth_type(auth_type)
            .set_redirect_uri(self.redirect.clone())
    }
}

async fn in_time<T>(work: impl Future<Output = Result<T, OidcFault>>) -> Result<T, OidcFault> {
    let done = timeout(PATIENCE, work).await;
    done.unwrap_or_else(|_| Err(OidcFault::Away("no answer in time".to_owned())))
}

/// What of a sign-in the provider and the browser's address see is a hash of the secret, so that the browser keeps nothing else.
fn derived(secret: &str, what: &str) -> String {
    let hash = Sha256::new_with_prefix(what)
        .chain_update(secret)
        .finalize();
    URL_SAFE_NO_PAD.encode(hash)
}

/// With which a browser comes back that has this secret.
pub fn state_of(secret: &str) -> String {
    derived(secret, "state ")
}

fn nonce_of(secret: &str) -> Nonce {
    Nonce::new(derived(secret, "nonce "))
}

fn verifier_of(secret: &str) -> PkceCodeVerifier {
    PkceCodeVerifier::new(derived(secret, "verifier "))
}

/// `Err`: the token was not issued yet.
fn was_issued(issued_at: DateTime<Utc>, now: DateTime<Utc>) -> Result<(), String> {
    if issued_at - now > AHEAD {
        return Err("it is from the future (`iat`)".to_owned());
    }
    Ok(())
}

/// All claims of a token that was verified.
fn claims_of(token: &CoreIdToken) -> Option<Claims> {
    let token = token.to_string();
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    serde_json::from_slice(&payload).ok()
}

/// The client of this service behind the trait of the library.
struct Http(Client);

#[derive(Debug, thiserror::Error)]
enum HttpFault {
    #[error(transparent)]
    Failed(#[from] reqwest::Error),
    #[error("it answers {0}")]
    Status(StatusCode),
    #[error("its answer is too large")]
    TooLarge,
}

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = HttpFault;
    type Future = BoxFuture<'c, Result<HttpResponse, HttpFault>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

impl Http {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let mut response = self.0.execute(request.try_into()?).await?;
        let status = response.status();
        if status.is_server_error() {
            return Err(HttpFault::Status(status));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(HttpFault::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        let mut answer = HttpResponse::new(body);
        *answer.status_mut() = status;
        *answer.headers_mut() = response.headers().clone();
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use openidconnect::core::{
        CoreEdDsaPrivateSigningKey, CoreIdTokenClaims, CoreJsonWebKeySet, CoreResponseType,
    };
    use openidconnect::{
        Audience, AuthUrl, EmptyAdditionalClaims, EmptyAdditionalProviderMetadata,
        JsonWebKeySetUrl, PrivateSigningKey, ResponseTypes, StandardClaims, SubjectIdentifier,
    };
    use tokio::net::TcpListener;

    use super::*;

    /// A provider of this issuer, which is not asked yet.
    fn provider(issuer: String) -> OidcProvider {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let setting = OidcSetting {
            issuer,
            client_id: "feedback".to_owned(),
            client_secret: "secret".to_owned(),
            label: "Shop Ltd".to_owned(),
            scopes: Vec::new(),
            claim: "roles".to_owned(),
            access: Vec::new(),
        };
        let public_url = PublicUrl::parse("https://feedback.example").unwrap();
        OidcProvider::new(Arc::new(setting), &public_url).unwrap()
    }

    /// Whether a good token vouches for this subject that was issued so long from now.
    fn is_vouched(subject: &str, ahead: TimeDelta) -> bool {
        let provider = provider("https://login.example".to_owned());
        let key = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n-----END PRIVATE KEY-----\n";
        let key = CoreEdDsaPrivateSigningKey::from_ed25519_pem(key, None).unwrap();
        let url = "https://login.example/any";
        let known = CoreProviderMetadata::new(
            provider.issuer.clone(),
            AuthUrl::new(url.to_owned()).unwrap(),
            JsonWebKeySetUrl::new(url.to_owned()).unwrap(),
            vec![ResponseTypes::new(vec![CoreResponseType::Code])],
            Vec::new(),
            Vec::new(),
            EmptyAdditionalProviderMetadata {},
        );
        let known = known.set_jwks(CoreJsonWebKeySet::new(vec![key.as_verification_key()]));
        let nonce = nonce_of("secret");
        let issued_at = Utc::now() + ahead;
        let claims = CoreIdTokenClaims::new(
            provider.issuer.clone(),
            vec![Audience::new("feedback".to_owned())],
            issued_at + TimeDelta::hours(1),
            issued_at,
            StandardClaims::new(SubjectIdentifier::new(subject.to_owned())),
            EmptyAdditionalClaims {},
        );
        let claims = claims.set_nonce(Some(nonce.clone()));
        let algorithm = CoreJwsSigningAlgorithm::EdDsa;
        let token = CoreIdToken::new(claims, &key, algorithm, None, None).unwrap();
        provider.vouched(&known, &token, &nonce).is_ok()
    }

    #[test]
    fn a_token_from_the_future_vouches_for_nobody() {
        for (ahead, is_good) in [(-30, true), (4, true), (6, false), (60 * 24 * 365, false)] {
            assert_eq!(
                is_vouched("1", TimeDelta::minutes(ahead)),
                is_good,
                "{ahead} minutes"
            );
        }
    }

    #[test]
    fn a_token_vouches_for_no_subject_that_is_no_text() {
        let longest = "a".repeat(MAX_SUBJECT);
        let longer = format!("{longest}a");
        for (subject, is_good) in [
            ("auth0|Ada Müller", true),
            (&*longest, true),
            (&*longer, false),
            ("", false),
            ("a\u{0}b", false),
            ("a\nb", false),
            ("a\u{7f}", false),
            ("\u{85}", false),
        ] {
            let is_vouched = is_vouched(subject, TimeDelta::zero());
            assert_eq!(is_vouched, is_good, "{subject:?}");
        }
    }

    #[tokio::test]
    async fn one_site_leaves_places_to_others() {
        // It takes connections and says nothing.
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = provider(format!("http://{}", silent.local_addr().unwrap()));
        let [many, one] = [Uuid::from_u128(1), Uuid::from_u128(2)];
        let finish = |_| provider.finish("secret", "code".to_owned(), many);
        let mut signing_in: Vec<_> = (0..AT_ONCE).map(finish).collect();
        for signing_in in &mut signing_in {
            assert!(signing_in.now_or_never().is_none());
        }
        assert!(provider.places.take(one).now_or_never().is_some());
    }

    #[test]
    fn what_travels_tells_neither_the_secret_nor_the_rest() {
        let parts = [
            state_of("secret"),
            nonce_of("secret").secret().clone(),
            verifier_of("secret").secret().clone(),
        ];
        for (at, part) in parts.iter().enumerate() {
            // The length that a verifier has at least.
            assert_eq!(part.len(), 43, "{part}");
            assert!(!parts[at + 1..].contains(part), "{parts:?}");
            assert_ne!(*part, state_of("another"));
        }
        assert_eq!(parts[0], state_of("secret"));
    }
}
