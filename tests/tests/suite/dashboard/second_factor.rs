//! Codes beside the password: setting an app up, signing in with it, and losing it.

use anyhow::{Context, Result, ensure};
use chrono::Utc;
use reqwest::Method;
use tests::app::App;
use tests::client::{Answer, Client};
use tests::form::{PAIRS, pairs};
use tests::person::{PASSWORD, Person, choose_password, path_of_link, try_sign_in};
use tests::wait::{SOON, eventually};
use totp_rs::{Builder, Secret, Totp};

const PATH: &str = "/dashboard/second-factor";

/// What stands in a page between two texts, the first time.
fn between<'a>(page: &'a Answer, begin: &str, end: &str) -> Result<&'a str> {
    let (_, rest) = page.text()?.split_once(begin).context(begin.to_owned())?;
    Ok(rest.split(end).next().unwrap_or_default())
}

/// What a phone has of a secret in Base32.
struct Authenticator(Totp);

impl Authenticator {
    fn new(secret: &str) -> Result<Self> {
        let secret = Secret::try_from_base32(secret.replace(' ', ""));
        let secret = secret.ok().context("no Base32")?;
        let app = Builder::new().with_secret(secret).build();
        Ok(Self(app.ok().context("no secret")?))
    }

    /// The code of so many steps from now.
    fn code(&self, later: u64) -> Result<String> {
        let now = u64::try_from(Utc::now().timestamp())?;
        Ok(self.0.generate(now + 30 * later).to_string())
    }
}

/// Sets up an app for somebody; it, the code that showed it, and the recovery codes.
async fn set_up(person: &Person) -> Result<(Authenticator, String, Vec<String>)> {
    let page = person.get(PATH).await?.expect(200)?;
    ensure!(
        page.text()?.contains("src=\"data:image/svg+xml;base64,"),
        "{page:?}"
    );
    let app = Authenticator::new(between(&page, "<code>", "</code>")?)?;
    let nonce = between(&page, "name=\"nonce\" value=\"", "\"")?;
    let code = app.code(0)?;
    let send = async |code: &str, password: &str| {
        let fields = [("nonce", nonce), ("code", code), ("password", password)];
        person.post_from(PATH, PATH, &fields).await?.expect(200)
    };
    let wrong = send("12345", PASSWORD).await?;
    ensure!(wrong.text()?.contains("This code is wrong"), "{wrong:?}");
    // Whoever has no more than a session sets up none.
    let wrong = send(&code, "wrong horse").await?;
    let refusal = "current password is wrong";
    ensure!(wrong.text()?.contains(refusal), "{wrong:?}");
    let codes = send(&code, PASSWORD).await?;
    let codes = codes.text()?.split("<li><code>").skip(1);
    let codes = codes.filter_map(|rest| Some(rest.split_once('<')?.0.to_owned()));
    let codes: Vec<String> = codes.collect();
    ensure!(codes.len() == 10, "{codes:?}");
    Ok((app, code, codes))
}

/// Sends a code after the password, which alone leads nowhere.
async fn confirm(client: &Client, name: &str, code: &str) -> Result<Answer> {
    let asked = try_sign_in(client, name, PASSWORD).await?.expect(200)?;
    ensure!(asked.header("set-cookie").is_none(), "{asked:?}");
    let shown = between(&asked, "name=\"shown\" value=\"", "\"")?;
    send_code(client, shown, code).await
}

async fn send_code(client: &Client, shown: &str, code: &str) -> Result<Answer> {
    let call = client.call(Method::POST, "/dashboard/sign-in/code");
    let call = call.header("origin", client.base());
    let fields = pairs(&[
        ("shown", shown),
        ("code", code),
        ("next", "/dashboard/forms"),
    ]);
    call.body(PAIRS, fields).send().await
}

#[tokio::test]
async fn a_code_is_asked_for_beside_the_password_and_taken_once() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let ada = app.person("ada", "shop", "admin").await?;
    let client = app.anonymous()?;
    let elsewhere = Person::sign_in(&client, "ada").await?;
    let (phone, used, recovery) = set_up(&ada).await?;
    ada.get("/dashboard").await?.expect(200)?;
    // Where somebody was signed in without it they are not any more.
    eventually(SOON, async || {
        elsewhere.get("/dashboard").await?.expect(303).map(drop)
    })
    .await?;
    // The code that set it up is used.
    let used = confirm(&client, "ada", &used).await?;
    ensure!(used.status == 401, "{used:?}");
    let code = phone.code(1)?;
    let signed_in = confirm(&client, "ada", &code).await?.expect(303)?;
    ensure!(
        signed_in.header("location") == Some("/dashboard/forms"),
        "{signed_in:?}"
    );
    let there = Person::of_answer(&client, &signed_in)?;
    there.get("/dashboard").await?.expect(200)?;
    let again = confirm(&client, "ada", &code).await?;
    ensure!(again.status == 401, "a code was taken twice: {again:?}");
    let recovered = confirm(&client, "ada", &recovery[0].to_lowercase()).await?;
    recovered.expect(303)?;
    let again = confirm(&client, "ada", &recovery[0]).await?;
    ensure!(
        again.status == 401,
        "a recovery code was taken twice: {again:?}"
    );
    let left = there.get(PATH).await?.expect(200)?;
    ensure!(
        left.text()?.contains("9 recovery codes are left"),
        "{left:?}"
    );
    // Nobody gets to the code without the password.
    let forged = send_code(&client, "9999999999.00.ada", &phone.code(0)?).await?;
    ensure!(
        forged.header("location") == Some("/dashboard/sign-in"),
        "{forged:?}"
    );
    // Also a link that sets a password.
    let link = app.succeeds(&["user", "link", "ada"]).await?;
    let chosen = choose_password(&client, &path_of_link(&link), PASSWORD).await?;
    let chosen = chosen.expect(200)?;
    let shown = between(&chosen, "name=\"shown\" value=\"", "\"")?;
    let signed_in = send_code(&client, shown, &recovery[1]).await?.expect(303)?;
    let ada = Person::of_answer(&client, &signed_in)?;
    // Turning it off asks for the password.
    let off = "/dashboard/second-factor/off";
    let refused = ada.post(off, &[("password", "wrong horse")]).await?;
    ensure!(
        refused.text()?.contains("current password is wrong"),
        "{refused:?}"
    );
    ada.post(off, &[("password", PASSWORD)])
        .await?
        .expect(303)?;
    Person::sign_in(&client, "ada").await?;
    Ok(())
}

#[tokio::test]
async fn wrong_codes_are_few() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let ada = app.person("ada", "shop", "viewer").await?;
    let (_, _, recovery) = set_up(&ada).await?;
    let client = app.anonymous()?;
    let asked = try_sign_in(&client, "ada", PASSWORD).await?.expect(200)?;
    let shown = between(&asked, "name=\"shown\" value=\"", "\"")?;
    for _ in 0..10 {
        let wrong = send_code(&client, shown, "00000").await?;
        ensure!(wrong.status == 401, "{wrong:?}");
    }
    let right = send_code(&client, shown, &recovery[0]).await?;
    ensure!(right.status == 429, "{right:?}");
    ensure!(right.header("retry-after") == Some("900"), "{right:?}");
    // Of ten the first, the second, the fourth and the eighth.
    let admin = app.person("eve", "shop", "admin").await?;
    eventually(SOON, async || {
        let log = admin.get("/dashboard/audit?name=ada").await?.expect(200)?;
        let refused = log.text()?.matches(">Sign-in with a code<").count();
        ensure!(refused == 4, "{refused}: {log:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_account_asks_everybody_and_admins_take_what_was_lost() -> Result<()> {
    let app = App::start().await?;
    app.create_key("shop", &[]).await?;
    let admin = app.person("ada", "shop", "admin").await?;
    let ben = app.person("ben", "shop", "viewer").await?;
    let client = app.anonymous()?;
    set_up(&admin).await?;
    let demand = "/dashboard/company/second-factor";
    // Programs of a release before would not ask for it.
    let version = app.sql("SELECT version FROM schema_version").await?;
    app.sql("UPDATE schema_version SET version = 20").await?;
    let early = admin.post(demand, &[("demand", "on")]).await?;
    ensure!(early.status == 409, "{early:?}");
    app.sql(&format!("UPDATE schema_version SET version = {version}"))
        .await?;
    admin.post(demand, &[("demand", "on")]).await?.expect(303)?;
    let led = Person::sign_in(&client, "ben").await?;
    let led = led.get("/dashboard/forms").await?.expect(303)?;
    ensure!(led.header("location") == Some(PATH), "{led:?}");
    let page = ben.get(PATH).await?.expect(200)?;
    ensure!(
        page.text()?.contains("asks everybody for a second factor"),
        "{page:?}"
    );
    set_up(&ben).await?;
    ben.get("/dashboard").await?.expect(200)?;
    let take = "/dashboard/people/second-factor";
    let own = admin.post(take, &[("name", "ada")]).await?;
    ensure!(own.status == 404, "one's own without the password: {own:?}");
    admin.post(take, &[("name", "ben")]).await?.expect(303)?;
    // Who lost it signs in with the password, and sets up another.
    let ben = Person::sign_in(&client, "ben").await?;
    set_up(&ben).await?;
    app.succeeds(&["user", "reset-factor", "ben"]).await?;
    admin
        .post(demand, &[("demand", "off")])
        .await?
        .expect(303)?;
    let ben = Person::sign_in(&client, "ben").await?;
    ben.get("/dashboard").await?.expect(200)?;
    let log = admin.get("/dashboard/audit").await?.expect(200)?;
    for (words, count) in [
        ("Second factor set up", 3),
        ("Second factor of a person removed", 2),
        // The one that came too early too.
        ("Second factor asked of everybody", 2),
        ("Second factor left to each person", 1),
    ] {
        let found = log.text()?.matches(&format!(">{words}<")).count();
        ensure!(found == count, "{found} {words}: {log:?}");
    }
    Ok(())
}
