//! People who sign in to the dashboard, as their browsers do it.

use anyhow::{Context, Result, ensure};
use reqwest::Method;

use crate::app::App;
use crate::client::{Answer, Call, Client};
use crate::form::{PAIRS, pairs};

/// The password of everybody here.
pub const PASSWORD: &str = "correct horse";

/// Where people sign in.
pub const SIGN_IN: &str = "/dashboard/sign-in";

/// Somebody who is signed in.
#[derive(Clone, Debug)]
pub struct Person {
    client: Client,
    /// The one cookie, `name=value`.
    pub cookie: String,
}

impl App {
    /// A new person of an account, signed in: `feedback user add NAME --account ACCOUNT --role ROLE --link`, with which they choose
    /// [`PASSWORD`].
    ///
    /// # Errors
    /// When the command fails, or the password is refused.
    pub async fn person(&self, name: &str, account: &str, role: &str) -> Result<Person> {
        let command = ["user", "add", name, "--account", account, "--role", role];
        let link = self.succeeds(&[&command[..], &["--link"]].concat()).await?;
        let client = self.anonymous()?;
        let answer = choose_password(&client, &path_of_link(&link), PASSWORD).await?;
        Person::of_answer(&client, &answer.expect(303)?)
    }
}

impl Person {
    /// Signs in with a name and [`PASSWORD`].
    ///
    /// # Errors
    /// When that is refused.
    pub async fn sign_in(client: &Client, name: &str) -> Result<Self> {
        let answer = try_sign_in(client, name, PASSWORD).await?.expect(303)?;
        Self::of_answer(client, &answer)
    }

    /// Whoever an answer signs in.
    ///
    /// # Errors
    /// When it sets no cookie.
    pub fn of_answer(client: &Client, answer: &Answer) -> Result<Self> {
        let cookie = answer.header("set-cookie").context("no cookie")?;
        let (cookie, flags) = cookie.split_once(';').context("a cookie without flags")?;
        for flag in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=43200"] {
            ensure!(flags.contains(flag), "no {flag}: {flags}");
        }
        Ok(Self {
            client: client.clone(),
            cookie: cookie.to_owned(),
        })
    }

    /// A call with the session's cookie.
    pub fn call(&self, method: Method, path: &str) -> Call {
        self.client
            .call(method, path)
            .header("cookie", &self.cookie)
    }

    /// A page.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn get(&self, path: &str) -> Result<Answer> {
        self.call(Method::GET, path).send().await
    }

    /// What a page sends with each change.
    ///
    /// # Errors
    /// When no page has it.
    pub async fn token(&self) -> Result<String> {
        self.token_of("/dashboard").await
    }

    async fn token_of(&self, page: &str) -> Result<String> {
        let page = self.get(page).await?.expect(200)?;
        let (_, token) = page
            .text()?
            .split_once("name=\"token\" value=\"")
            .context("no token")?;
        Ok(token.split('"').next().unwrap_or_default().to_owned())
    }

    /// Sends a form of a page.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Result<Answer> {
        self.post_from("/dashboard", path, fields).await
    }

    /// The same from a page.
    ///
    /// # Errors
    /// When there is no answer, or the page has no token.
    pub async fn post_from(
        &self,
        page: &str,
        path: &str,
        fields: &[(&str, &str)],
    ) -> Result<Answer> {
        let token = self.token_of(page).await?;
        let fields = [&[("token", token.as_str())], fields].concat();
        let call = self
            .call(Method::POST, path)
            .header("origin", self.client.base());
        call.body(PAIRS, pairs(&fields)).send().await
    }
}

/// The path of a link to sign in with, as the command line prints it.
pub fn path_of_link(link: &str) -> String {
    let (_, path) = link.trim().split_once("/dashboard").unwrap_or_default();
    format!("/dashboard{path}")
}

/// Chooses a password with a link.
///
/// # Errors
/// When there is no answer.
pub async fn choose_password(client: &Client, link: &str, password: &str) -> Result<Answer> {
    chosen(client, client.base(), link, password).await
}

/// The same of [`PASSWORD`], where people reach the service by another name.
///
/// # Errors
/// When there is no answer.
pub async fn choose_password_from(client: &Client, origin: &str, link: &str) -> Result<Answer> {
    chosen(client, origin, link, PASSWORD).await
}

async fn chosen(client: &Client, origin: &str, link: &str, password: &str) -> Result<Answer> {
    let call = client.call(Method::POST, link).header("origin", origin);
    let fields = pairs(&[("password", password)]);
    call.body(PAIRS, fields).send().await
}

/// Tries a name and a password.
///
/// # Errors
/// When there is no answer.
pub async fn try_sign_in(client: &Client, name: &str, password: &str) -> Result<Answer> {
    sign_in(client, name, password).send().await
}

/// The same from an address, behind a proxy that is trusted, in a browser with these cookies.
///
/// # Errors
/// When there is no answer.
pub async fn try_sign_in_from(
    client: &Client,
    address: &str,
    cookies: &str,
    (name, password): (&str, &str),
) -> Result<Answer> {
    let call = sign_in(client, name, password).header("x-forwarded-for", address);
    call.header("cookie", cookies).send().await
}

fn sign_in(client: &Client, name: &str, password: &str) -> Call {
    let call = client.call(Method::POST, SIGN_IN);
    let call = call.header("origin", client.base());
    call.body(PAIRS, pairs(&[("name", name), ("password", password)]))
}

/// The cookie of an answer that signs somebody in which makes the browser known for the name.
///
/// # Errors
/// When there is none.
pub fn known_cookie(answer: &Answer) -> Result<&str> {
    let cookies = answer.headers("set-cookie");
    let mut cookies = cookies.filter_map(|cookie| cookie.split(';').next());
    let known = cookies.find(|cookie| cookie.starts_with("feedback_known_"));
    known.context("the browser is not known")
}
