//! The hostile loads that come through pages: those of the dashboard, shared ones, and the one on which people sign in.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use chrono::{TimeDelta, Utc};
use futures::future::{join_all, try_join_all};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::form::PAIRS;
use tests::hostile::long_comment;
use tests::person::{PASSWORD, Person, known_cookie, try_sign_in_from};
use tests::visitor::Visitor;

/// Bytes of what a page sends.
const PAGE: usize = 8 << 20;
/// Comments of a form that is shared: as many as its page looks through.
const COMMENTS: usize = 2_000;
const AT_ONCE: usize = 16;
const SHARES: usize = 8;
const READERS: usize = 64;
/// Networks from which passwords are tried, each as large as a customer of a provider has at most.
const NETWORKS: usize = 400;
/// Where the witness signs in.
const HOME: &str = "192.0.2.1";
/// Between two of its sign-ins.
const PAUSE: Duration = Duration::from_millis(250);

/// People of the hostile account, and what they send: a page, and a body for it.
pub(super) struct Pages {
    base: String,
    bodies: Vec<(Person, &'static str, Bytes)>,
}

impl Pages {
    pub(super) async fn new(app: &App) -> Result<Self> {
        app.create_key("hostile", &[]).await?;
        let editor = app.person("editor", "hostile", "editor").await?;
        let viewer = app.person("viewer", "hostile", "viewer").await?;
        let body = |token: &str, pair: &str| {
            let body = format!("token={token}&{}", pair.repeat(PAGE / pair.len()));
            let length = body.len().min(PAGE);
            Bytes::from(body).slice(..length)
        };
        let (of_editor, of_viewer) = (editor.token().await?, viewer.token().await?);
        let pairs = "a&";
        // As many pairs as a page may send.
        let long_pairs = format!("type={}&", "x".repeat(500));
        let (new, preview) = ("/dashboard/forms/new", "/dashboard/forms/preview");
        let pages = Self {
            base: app.anonymous()?.base().to_owned(),
            bodies: vec![
                (editor.clone(), new, body(&of_editor, pairs)),
                (editor.clone(), preview, body(&of_editor, &long_pairs)),
                (editor, preview, body("", pairs)),
                (viewer, "/dashboard/password", body(&of_viewer, pairs)),
            ],
        };
        // What is sent is read as far as it may be: else there would be no load.
        for (expected, (person, path, body)) in [400, 200].into_iter().zip(&pages.bodies) {
            let answer = pages.send(person, path, body.clone()).await?;
            ensure!(answer == expected, "not {expected} but {answer}: {path}");
        }
        Ok(pages)
    }

    /// The status of the answer.
    async fn send(&self, person: &Person, path: &str, body: Bytes) -> Result<u16> {
        let call = person.call(Method::POST, path).header("origin", &self.base);
        Ok(call.body(PAIRS, body).send().await?.status)
    }

    /// Twelve at once.
    pub(super) async fn load(&self) -> Result<()> {
        let bodies = self.bodies.iter().cycle().take(12);
        let again = bodies.map(|(person, path, body)| async move {
            loop {
                // A connection that ends before all is sent is an answer, too.
                let _ = self.send(person, path, body.clone()).await;
            }
        });
        join_all(again).await;
        Ok(())
    }
}

/// Shared pages of a form with many long comments.
pub(super) struct Shared {
    public: Client,
    link: Value,
    paths: Vec<String>,
}

impl Shared {
    pub(super) async fn new(app: &App) -> Result<Self> {
        let (hostile, public) = (app.client().await?, app.anonymous()?);
        let (form, link) = commented_form(&hostile, &public, COMMENTS).await?;
        let mut paths = Vec::new();
        for days in 7..7 + SHARES {
            let form_id = form["form_id"].as_str().context("no form_id")?;
            let expires_at = Utc::now() + TimeDelta::days(1);
            let body = json!({"path": format!("/dashboard/form/{form_id}?days={days}"),
                "expires_at": expires_at.format("%FT%TZ").to_string()});
            let share = hostile.send_json(Method::POST, "/api_v1/report/share", &body);
            let share = share.await?.expect(201)?.json()?;
            let url = share["url"].as_str().context("no url")?;
            let (_, secret) = url.rsplit_once('/').context("no secret")?;
            paths.push(format!("/dashboard/shared/{secret}"));
        }
        let shared = Self {
            public,
            link,
            paths,
        };
        shared.public.get(&shared.paths[0]).await?.expect(200)?;
        Ok(shared)
    }

    /// Read by many, while answers come that make each page another one.
    pub(super) async fn load(&self) -> Result<()> {
        let read = self.paths.iter().cycle().take(READERS).map(|path| async {
            loop {
                self.public.get(path).await?;
            }
        });
        let answer = async {
            for number in COMMENTS.. {
                let visitor = Visitor::new(&self.public, &self.link)?;
                visitor.answer(&commented(number)).await?;
                tokio::time::sleep(PAUSE).await;
            }
            Ok(())
        };
        let read = try_join_all(read);
        tokio::try_join!(read, answer).map(|(_, ()): (Vec<()>, ())| ())
    }
}

/// A form with so many long comments, and the link through which they came.
pub(super) async fn commented_form(
    owner: &Client,
    public: &Client,
    comments: usize,
) -> Result<(Value, Value)> {
    let form = owner.published(&tests::form::form()).await?;
    let link = owner.link(&form, "1_3", &[]).await?;
    let answers = stream::iter(0..comments).map(async |number| {
        let visitor = Visitor::new(public, &link)?;
        visitor.stored(&commented(number)).await
    });
    let stored = answers.buffer_unordered(AT_ONCE);
    stored.try_for_each(async |_| Ok(())).await?;
    Ok((form, link))
}

fn commented(number: usize) -> Value {
    json!({"recommend": number % 11, "more": long_comment(number)})
}

/// Somebody who signs in now and then while others try passwords.
pub(super) struct SignIns {
    client: Client,
    known: String,
    /// How long each took in a browser that is known.
    took: RefCell<Vec<Duration>>,
}

impl SignIns {
    pub(super) async fn new(app: &App) -> Result<Self> {
        app.create_key("home", &[]).await?;
        app.person("witness", "home", "viewer").await?;
        let client = app.anonymous()?;
        let right = ("witness", PASSWORD);
        let answer = try_sign_in_from(&client, HOME, "", right).await?;
        Ok(Self {
            client,
            known: known_cookie(&answer.expect(303)?)?.to_owned(),
            took: RefCell::default(),
        })
    }

    /// How long each sign-in in a known browser took, in order of length.
    pub(super) fn took(self) -> Vec<Duration> {
        let mut took = self.took.into_inner();
        took.sort_unstable();
        took
    }

    /// Wrong passwords for names that nobody has, from many networks. Nobody with a right one is refused: that ends the load.
    pub(super) async fn load(&self) -> Result<()> {
        let wrong = (0..NETWORKS).map(|network| async move {
            let address = format!("10.{}.{}.7", network / 256, network % 256);
            for number in 0_u64.. {
                let name = format!("nobody-{network}-{number}");
                let tried = (name.as_str(), "wrong horse");
                try_sign_in_from(&self.client, &address, "", tried).await?;
            }
            anyhow::Ok(())
        });
        let wrong = try_join_all(wrong);
        tokio::try_join!(wrong, self.right(&self.known), self.right("")).map(drop)
    }

    async fn right(&self, cookies: &str) -> Result<()> {
        loop {
            let (tried, begin) = (("witness", PASSWORD), Instant::now());
            let answer = try_sign_in_from(&self.client, HOME, cookies, tried).await?;
            answer.expect(303)?;
            if !cookies.is_empty() {
                self.took.borrow_mut().push(begin.elapsed());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
