//! Signing in through a company's OpenID Connect provider, which is npm's `oidc-provider`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::app::{App, Setup};
use tests::client::{Answer, Client, http};
use tests::person::{PASSWORD, Person, SIGN_IN, try_sign_in};
use tests::process::Process;
use tests::servers::free_port;
use tests::tools::{Tool, own};
use tests::wait::{SOON, eventually};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

const BEGIN: &str = "/dashboard/sign-in/provider?next=%2Fdashboard%2Fforms";
const RETURN: &str = "/dashboard/sign-in/provider/return";
/// What the provider knows the service by. The browser here knows better.
const PUBLIC: &str = "http://feedback.example";

/// A provider, what it says of people, and its log.
struct Provider {
    port: u16,
    folder: TempDir,
}

impl Provider {
    /// One that does not run yet, and what it says of people by their subjects.
    fn new(claims: &Value) -> Result<Self> {
        let (port, folder) = (free_port()?, tempfile::tempdir()?);
        let provider = Self { port, folder };
        provider.say(claims)?;
        Ok(provider)
    }

    fn say(&self, claims: &Value) -> Result<()> {
        let file = self.folder.path().join("claims.json");
        Ok(std::fs::write(file, claims.to_string())?)
    }

    /// Runs it, with a new key.
    async fn start(&self) -> Result<Process> {
        let claims = self.folder.path().join("claims.json");
        let claims = claims.to_str().context("a path")?;
        let tool = Tool::node(&own("npm/provider.js"))?;
        let tool = tool.args([&self.port.to_string(), &format!("{PUBLIC}{RETURN}"), claims]);
        let log = self.folder.path().join("provider.log");
        tool.listening(self.port, &log).await
    }

    /// A service whose people it signs in: with `boss` admins of `shop`, with `look` viewers.
    fn service(&self) -> Setup {
        let grant = |value: &str, role: &str, account: &str| json!({"value": value, "role": role, "account": account});
        let access = [
            grant("boss", "admin", "shop"),
            grant("look", "viewer", "shop"),
            grant("lost", "viewer", "nowhere"),
        ];
        self.granting("roles", &access)
    }

    /// A service to whose people this claim gives what these lines say.
    fn granting(&self, claim: &str, access: &[Value]) -> Setup {
        let setting = json!({
            "issuer": format!("http://127.0.0.1:{}", self.port),
            "client_id": "feedback",
            "client_secret": "provider secret",
            "label": "Shop Ltd",
            "claim": claim,
            "access": access,
        });
        let app = App::setup().setting("FEEDBACK_PUBLIC_URL", PUBLIC);
        app.setting("FEEDBACK_OIDC", &setting.to_string())
    }
}

/// A browser that the service led to the provider.
struct Led {
    cookie: String,
    url: Url,
}

async fn led(client: &Client) -> Result<Led> {
    let answer = client.get(BEGIN).await?.expect(303)?;
    let cookie = answer.header("set-cookie").context("no cookie")?;
    for flag in ["HttpOnly", "SameSite=Lax", "Max-Age=600"] {
        ensure!(cookie.contains(flag), "no {flag}: {cookie}");
    }
    Ok(Led {
        cookie: cookie.split(';').next().unwrap_or_default().to_owned(),
        url: answer
            .header("location")
            .context("it leads nowhere")?
            .parse()?,
    })
}

impl Led {
    /// The same with another value in what the provider is asked.
    fn with(mut self, name: &str, value: &str) -> Self {
        let mut pairs: BTreeMap<_, _> = self.url.query_pairs().into_owned().collect();
        pairs.insert(name.to_owned(), value.to_owned());
        self.url.query_pairs_mut().clear().extend_pairs(pairs);
        self
    }

    /// Where the provider leads to once somebody has signed in there.
    async fn sign_in(&self, subject: &str) -> Result<String> {
        let http = http()?;
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair("login_hint", subject);
        let mut cookies: BTreeMap<String, String> = BTreeMap::new();
        while !url.as_str().starts_with(PUBLIC) {
            let cookie: Vec<_> = cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let call = http.get(url.clone()).header("cookie", cookie.join("; "));
            let answer = call.send().await?;
            for cookie in answer.headers().get_all("set-cookie") {
                let cookie = cookie.to_str()?.split(';').next().unwrap_or_default();
                let (name, value) = cookie.split_once('=').context("no cookie")?;
                cookies.insert(name.to_owned(), value.to_owned());
            }
            let location = answer
                .headers()
                .get("location")
                .with_context(|| format!("{url} leads nowhere"))?;
            url = url.join(location.to_str()?)?;
        }
        Ok(url.as_str().trim_start_matches(PUBLIC).to_owned())
    }

    async fn come_back(&self, client: &Client, path: &str) -> Result<Answer> {
        let call = client
            .call(Method::GET, path)
            .header("cookie", &self.cookie);
        call.send().await
    }
}

/// What the service answers whom the provider signs in.
async fn through(client: &Client, subject: &str) -> Result<Answer> {
    let led = led(client).await?;
    led.come_back(client, &led.sign_in(subject).await?).await
}

/// Checks that an answer is a page with these words that signs nobody in.
fn refuses(answer: &Answer, status: u16, words: &str) -> Result<()> {
    ensure!(answer.status == status, "not {status}: {answer:?}");
    ensure!(answer.text()?.contains(words), "no {words:?}: {answer:?}");
    let mut cookies = answer.headers("set-cookie");
    ensure!(
        !cookies.any(|cookie| cookie.starts_with("feedback_session=")),
        "{answer:?}"
    );
    Ok(())
}

#[tokio::test]
async fn the_provider_says_who_somebody_is_and_what_they_may() -> Result<()> {
    let provider = Provider::new(&json!({
        "1": {"preferred_username": "ada", "email": "ada@shop.example", "roles": ["look", "boss"]},
        "2": {"preferred_username": "Ben", "roles": "look"},
    }))?;
    let _runs = provider.start().await?;
    let app = provider.service().start().await?;
    app.create_key("shop", &[]).await?;
    app.person("ada", "shop", "admin").await?;
    let client = app.anonymous()?;
    let page = client
        .get(&format!("{SIGN_IN}?next=/dashboard/forms"))
        .await?
        .expect(200)?;
    ensure!(page.text()?.contains("Sign in with Shop Ltd"), "{page:?}");
    // The account asks everybody for a second factor: theirs is the provider's.
    app.sql("UPDATE account SET demands_second_factor = true")
        .await?;
    let answer = through(&client, "2").await?.expect(303)?;
    ensure!(
        answer.header("location") == Some("/dashboard/forms"),
        "{answer:?}"
    );
    let ben = Person::of_answer(&client, &answer)?;
    ben.get("/dashboard/forms").await?.expect(200)?;
    ben.get("/dashboard/people").await?.expect(403)?;
    let own_page = ben.get("/dashboard/password").await?.expect(200)?;
    ensure!(
        own_page
            .text()?
            .contains("You change your password and your second factor there"),
        "{own_page:?}"
    );
    ensure!(
        !own_page.text()?.contains("name=\"current\""),
        "{own_page:?}"
    );
    // Somebody else is called ada, and has a password.
    let answer = through(&client, "1").await?.expect(303)?;
    let ada = Person::of_answer(&client, &answer)?;
    let people = ada.get("/dashboard/people").await?.expect(200)?;
    for words in [
        "<h3>ada@shop.example</h3>",
        "<h3>ben</h3>",
        "gives them this role",
    ] {
        ensure!(people.text()?.contains(words), "no {words}: {people:?}");
    }
    // They are who they were, and may what the provider says by now.
    provider.say(&json!({"2": {"preferred_username": "Benjamin", "roles": ["boss"]}}))?;
    let answer = through(&client, "2").await?.expect(303)?;
    let boss = Person::of_answer(&client, &answer)?;
    let people = boss.get("/dashboard/people").await?.expect(200)?;
    ensure!(!people.text()?.contains("benjamin"), "{people:?}");
    eventually(SOON, async || {
        ben.get("/dashboard").await?.expect(303)?;
        Ok(())
    })
    .await?;
    let log = boss.get("/dashboard/audit").await?.expect(200)?;
    for words in ["ben (Viewer)", "ada@shop.example (Admin)", ">Role changed<"] {
        ensure!(log.text()?.contains(words), "no {words}: {log:?}");
    }
    // Whom the provider lets go has no other way in.
    let set = [("name", "ben"), ("value", "battery staple")];
    let refused = ada
        .post("/dashboard/people/password", &set)
        .await?
        .expect(200)?;
    ensure!(
        refused.text()?.contains("they have no password here"),
        "{refused:?}"
    );
    let why = "they have no password here: the provider of FEEDBACK_OIDC signs them in";
    app.refuses(&["user", "link", "ben"], why).await?;
    ensure!(
        try_sign_in(&client, "ben", "battery staple").await?.status == 401,
        "a password fits"
    );
    Ok(())
}

#[tokio::test]
async fn only_the_browser_that_began_is_signed_in_and_once() -> Result<()> {
    let provider = Provider::new(&json!({
        "1": {"preferred_username": "ada", "roles": ["boss"], "azp": "feedback"},
        "2": {"preferred_username": "ben", "roles": ["boss"], "azp": "another"},
    }))?;
    let _runs = provider.start().await?;
    let app = provider.service().start().await?;
    app.create_key("shop", &[]).await?;
    let client = app.anonymous()?;
    let (anew, failed) = ("Please begin again", "Shop Ltd did not sign you in");

    let first = led(&client).await?;
    let path = first.sign_in("1").await?;
    let other = led(&client).await?;
    refuses(&client.get(&path).await?, 410, anew)?;
    refuses(&other.come_back(&client, &path).await?, 410, anew)?;
    let (_, state) = path.split_once("state=").context("no state")?;
    let wrong = path.replace(state, "wrong");
    refuses(&first.come_back(&client, &wrong).await?, 410, anew)?;
    let signed_in = first.come_back(&client, &path).await?.expect(303)?;
    Person::of_answer(&client, &signed_in)?
        .get("/dashboard")
        .await?
        .expect(200)?;
    let spent = signed_in
        .headers("set-cookie")
        .any(|cookie| cookie.starts_with("feedback_oidc=;") && cookie.contains("Max-Age=0"));
    ensure!(spent, "the cookie stays: {signed_in:?}");
    refuses(&first.come_back(&client, &path).await?, 403, failed)?;

    // Of another browser's sign-in: the nonce, and the proof that goes with the code.
    for (name, value) in [
        ("nonce", "another"),
        (
            "code_challenge",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        ),
    ] {
        let led = led(&client).await?.with(name, value);
        let path = led.sign_in("1").await?;
        refuses(&led.come_back(&client, &path).await?, 403, failed)?;
    }
    let led = led(&client).await?;
    let invented = format!(
        "{RETURN}?code=invented&state={}",
        led.url
            .query_pairs()
            .find(|(name, _)| name == "state")
            .context("no state")?
            .1
    );
    refuses(&led.come_back(&client, &invented).await?, 403, failed)?;
    // A token that was made for another program.
    refuses(&through(&client, "2").await?, 403, failed)?;
    let led = self::led(&client).await?;
    let sent_back = led.sign_in("nobody").await?;
    refuses(&led.come_back(&client, &sent_back).await?, 403, failed)?;
    Ok(())
}

#[tokio::test]
async fn only_what_comes_to_nothing_is_a_failure_of_its_network() -> Result<()> {
    let provider = Provider::new(&json!({"1": {"preferred_username": "ada", "roles": ["boss"]}}))?;
    let _runs = provider.start().await?;
    let rate = provider.service().setting("FEEDBACK_ADDRESS_RATE", "1");
    let app = rate.start().await?;
    app.create_key("shop", &[]).await?;
    let client = app.anonymous()?;
    for _ in 0..15 {
        through(&client, "1").await?.expect(303)?;
    }
    let led = led(&client).await?;
    let mut asked = led.url.query_pairs();
    let state = asked.find(|(name, _)| name == "state");
    let (_, state) = state.context("no state")?;
    let refused = format!("{RETURN}?error=access_denied&state={state}");
    for _ in 0..1_000 {
        let answer = led.come_back(&client, &refused).await?;
        if answer.status == 429 {
            return Ok(());
        }
        ensure!(answer.status == 403, "{answer:?}");
    }
    bail!("it goes on for ever");
}

#[tokio::test]
async fn who_has_no_role_is_told_whom_to_ask() -> Result<()> {
    let ada = |roles: Value| json!({"1": {"preferred_username": "ada", "roles": roles}, "2": {"sub": "2"}, "3": {"roles": ["lost"]}});
    let provider = Provider::new(&ada(json!(["boss"])))?;
    let _runs = provider.start().await?;
    let app = provider.service().start().await?;
    app.create_key("shop", &[]).await?;
    let client = app.anonymous()?;
    let refused = through(&client, "2").await?;
    refuses(
        &refused,
        403,
        "Shop Ltd knows you, but gives you no role here",
    )?;
    refuses(&refused, 403, "“roles”")?;
    refuses(
        &through(&client, "3").await?,
        403,
        "a company that does not exist here",
    )?;
    let answer = through(&client, "1").await?.expect(303)?;
    let admin = Person::of_answer(&client, &answer)?;
    // The account keeps an admin.
    provider.say(&ada(json!(["look"])))?;
    refuses(
        &through(&client, "1").await?,
        403,
        "Another admin has to sign in first",
    )?;
    admin.get("/dashboard/people").await?.expect(200)?;
    let ben = app.person("ben", "shop", "admin").await?;
    let answer = through(&client, "1").await?.expect(303)?;
    let viewer = Person::of_answer(&client, &answer)?;
    viewer.get("/dashboard/people").await?.expect(403)?;
    // Whom the provider lets go is signed in nowhere any more.
    provider.say(&ada(json!([])))?;
    let nothing = "Shop Ltd knows you, but gives you no role here";
    refuses(&through(&client, "1").await?, 403, nothing)?;
    eventually(SOON, async || {
        viewer.get("/dashboard").await?.expect(303).map(drop)
    })
    .await?;
    // An admin whom it lets go is not the one that the account keeps.
    provider.say(&ada(json!(["boss"])))?;
    through(&client, "1").await?.expect(303)?;
    provider.say(&ada(json!([])))?;
    refuses(&through(&client, "1").await?, 403, nothing)?;
    let page = ben.get("/dashboard/audit").await?.expect(200)?;
    ensure!(page.text()?.contains("ada (Admin → Viewer)"), "{page:?}");
    let remove = [("name", "ben")];
    let refused = ben.post("/dashboard/people/remove", &remove).await?;
    ensure!(
        refused.text()?.contains("at least one admin"),
        "{refused:?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_mail_address_that_nobody_verified_gives_no_role() -> Result<()> {
    let mail = "ada@shop.example";
    let provider = Provider::new(&json!({
        "1": {"email": mail, "email_verified": true}, "2": {"email": mail, "email_verified": false}, "3": {"email": mail},
    }))?;
    let _runs = provider.start().await?;
    let grant = json!({"value": mail, "role": "admin", "account": "shop"});
    let app = provider.granting("email", &[grant]).start().await?;
    app.create_key("shop", &[]).await?;
    let client = app.anonymous()?;
    for unverified in ["2", "3"] {
        let refused = through(&client, unverified).await?;
        refuses(&refused, 403, "does not say that it is verified")?;
    }
    through(&client, "1").await?.expect(303).map(drop)
}

#[tokio::test]
async fn while_the_provider_is_away_passwords_and_sessions_work() -> Result<()> {
    let provider = Provider::new(&json!({"1": {"preferred_username": "ada", "roles": ["boss"]}}))?;
    let app = provider.service().start().await?;
    app.create_key("shop", &[]).await?;
    app.person("ben", "shop", "viewer").await?;
    let client = app.anonymous()?;
    let away = "Shop Ltd does not answer just now";
    // One that takes connections and says nothing.
    let silent = TcpListener::bind(("127.0.0.1", provider.port)).await?;
    refuses(&client.get(BEGIN).await?, 503, away)?;
    try_sign_in(&client, "ben", PASSWORD).await?.expect(303)?;
    drop(silent);
    let runs = provider.start().await?;
    let answer = eventually(SOON, async || through(&client, "1").await?.expect(303)).await?;
    let ada = Person::of_answer(&client, &answer)?;
    let led = led(&client).await?;
    let path = led.sign_in("1").await?;
    drop(runs);
    eventually(SOON, async || {
        let gone = TcpStream::connect(("127.0.0.1", provider.port))
            .await
            .is_err();
        ensure!(gone, "the provider still listens");
        Ok(())
    })
    .await?;
    refuses(&led.come_back(&client, &path).await?, 503, away)?;
    ada.get("/dashboard").await?.expect(200)?;
    try_sign_in(&client, "ben", PASSWORD).await?.expect(303)?;
    // It comes back with another key than the one that is known of it.
    let _runs = provider.start().await?;
    through(&client, "1").await?.expect(303)?;
    Ok(())
}
