//! HTTP as an API client speaks it, with answers whose conventions are checked as they come in.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Body, Method};
use serde_json::Value;

use crate::app::IssuedKey;
use crate::wait::{SOON, Tries};

/// How long an answer may take: a debug build reads a large body slowly, a frozen one never answers.
const ANSWER: Duration = Duration::from_mins(2);

/// A plain HTTP client. Over TLS it takes any certificate: none has to be read first, and tests of these have clients of their own.
///
/// # Errors
/// When none can be made.
pub fn http() -> Result<reqwest::Client> {
    // The error says that one is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(reqwest::Client::builder()
        .tls_certs_only([])
        .tls_danger_accept_invalid_certs(true)
        .redirect(reqwest::redirect::Policy::none())
        .timeout(ANSWER)
        .build()?)
}

/// A client of one instance, with or without keys.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: String,
    keys: Option<(String, String)>,
}

impl Client {
    /// A client of the instance at `base` (`http://host:port` or `https://…`).
    ///
    /// # Errors
    /// When no HTTP client can be made.
    pub fn new(base: String) -> Result<Self> {
        Ok(Self {
            http: http()?,
            base,
            keys: None,
        })
    }

    /// The same with both headers of a key.
    #[must_use]
    pub fn with_keys(mut self, keys: &IssuedKey) -> Self {
        self.keys = Some((keys.api_key.clone(), keys.secret_key.clone()));
        self
    }

    /// The same keys at another instance.
    #[must_use]
    pub fn at(&self, base: String) -> Self {
        Self {
            base,
            ..self.clone()
        }
    }

    /// `http://host:port`
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The two key headers, as a program outside is given them.
    ///
    /// # Errors
    /// When the client has no keys.
    pub fn key_headers(&self) -> Result<[(&'static str, String); 2]> {
        let (api_key, secret_key) = self.keys.clone().context("a client without keys")?;
        Ok([("x-api-key", api_key), ("x-secret-key", secret_key)])
    }

    /// A call to build on.
    pub fn call(&self, method: Method, path: &str) -> Call {
        let mut request = self.http.request(method, format!("{}{path}", self.base));
        if let Some((api_key, secret_key)) = &self.keys {
            request = request
                .header("x-api-key", api_key)
                .header("x-secret-key", secret_key);
        }
        Call(request)
    }

    /// `GET path`
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn get(&self, path: &str) -> Result<Answer> {
        self.call(Method::GET, path).send().await
    }

    /// `POST path` without a body.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn post(&self, path: &str) -> Result<Answer> {
        self.call(Method::POST, path).send().await
    }

    /// `DELETE path`
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn delete(&self, path: &str) -> Result<Answer> {
        self.call(Method::DELETE, path).send().await
    }
}

/// A request being built.
#[derive(Debug)]
pub struct Call(reqwest::RequestBuilder);

impl Call {
    /// Adds a header; one of the same name stays.
    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        Self(self.0.header(name, value))
    }

    /// Sets the body.
    #[must_use]
    pub fn body(self, kind: &str, body: impl Into<Body>) -> Self {
        Self(self.0.header("content-type", kind).body(body))
    }

    /// Sets the body without a word about its kind.
    #[must_use]
    pub fn bare_body(self, body: impl Into<Body>) -> Self {
        Self(self.0.body(body))
    }

    /// Sends it.
    ///
    /// # Errors
    /// When there is no answer, or one without a request id.
    pub async fn send(self) -> Result<Answer> {
        let response = self.0.send().await?;
        let answer = Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: response.bytes().await?,
        };
        let request_id = answer.header("x-request-id").unwrap_or_default();
        ensure!(!request_id.is_empty(), "no x-request-id: {answer:?}");
        Ok(answer)
    }

    /// Sends it; the body is still to be read.
    ///
    /// # Errors
    /// When the answer is no 200.
    pub async fn open(self) -> Result<reqwest::Response> {
        let response = self.0.send().await?;
        let status = response.status();
        ensure!(status == 200, "not 200 but {status}");
        Ok(response)
    }

    /// Sends it and lets a body of any size pass.
    ///
    /// # Errors
    /// When the answer is no 200, or its body is cut.
    pub async fn pass(self) -> Result<Passed> {
        let mut response = self.open().await?;
        let mut passed = Passed::default();
        while let Some(part) = response.chunk().await? {
            passed.bytes += part.len() as u64;
            passed.lines += part
                .iter()
                .map(|byte| u64::from(*byte == b'\n'))
                .sum::<u64>();
        }
        Ok(passed)
    }
}

/// A large body that was read and not kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passed {
    /// Its bytes.
    pub bytes: u64,
    /// Its newlines.
    pub lines: u64,
}

/// A whole answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as it came.
    pub body: Bytes,
}

/// The requests of a crowd. A machine that is full for a moment answers 503 and is asked again, as any client would, but
/// not often: what needs more is a service that cannot serve the crowd.
#[derive(Debug, Default)]
pub struct Crowd {
    again: AtomicU32,
}

impl Crowd {
    /// How often a crowd may be sent away in all.
    const MOST: u32 = 20;

    /// The answer, anything but 503.
    ///
    /// # Errors
    /// When there is none, the crowd was sent away too often, or a 503 does not say when to come back.
    pub async fn served<F>(&self, mut ask: impl FnMut() -> F) -> Result<Answer>
    where
        F: Future<Output = Result<Answer>>,
    {
        let mut tries = Tries::within(SOON);
        loop {
            let answer = ask().await?;
            if answer.status != 503 {
                return Ok(answer);
            }
            ensure!(answer.header("retry-after").is_some(), "{answer:?}");
            let again = self.again.fetch_add(1, Ordering::Relaxed) + 1;
            eprintln!("503 for the {again}th time");
            ensure!(again <= Self::MOST, "sent away too often: {answer:?}");
            ensure!(tries.another().await, "sent away for too long: {answer:?}");
        }
    }
}

impl Answer {
    /// A header's value, when it is there once and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// A header's values that are text.
    pub fn headers(&self, name: &str) -> impl Iterator<Item = &str> {
        let values = self.headers.get_all(name).iter();
        values.filter_map(|value| value.to_str().ok())
    }

    /// The body as text.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub fn text(&self) -> Result<&str> {
        Ok(std::str::from_utf8(&self.body)?)
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// When it is not JSON, or does not say that it is.
    pub fn json(&self) -> Result<Value> {
        let kind = self.header("content-type").unwrap_or_default();
        ensure!(kind.contains("json"), "{kind} is not JSON: {self:?}");
        serde_json::from_slice(&self.body).with_context(|| format!("no JSON: {self:?}"))
    }

    /// Itself, when it has this status.
    ///
    /// # Errors
    /// The whole answer, when it has another.
    pub fn expect(self, status: u16) -> Result<Self> {
        ensure!(self.status == status, "not {status}: {self:?}");
        Ok(self)
    }

    /// Checks that it says when to come back, within 10 s, and what the limit is.
    ///
    /// # Errors
    /// It does not.
    pub fn tells_when_to_come_back(&self) -> Result<()> {
        let wait = self.header("retry-after").context("no Retry-After")?;
        let wait: u32 = wait.parse()?;
        ensure!((1..=10).contains(&wait), "come back in {wait} s");
        for name in ["ratelimit", "ratelimit-policy"] {
            let value = self.header(name).unwrap_or_default();
            ensure!(value.contains('='), "{name} is {value:?}");
        }
        Ok(())
    }

    /// The methods that a refusal of another says are allowed, without HEAD, in the order of their names.
    pub fn allowed(&self) -> Vec<&str> {
        let allow = self.header("allow").unwrap_or_default();
        let methods = allow.split(',').map(str::trim);
        let mut allowed: Vec<&str> = methods.filter(|method| *method != "HEAD").collect();
        allowed.sort_unstable();
        allowed
    }

    /// The problem (RFC 9457) of this status and code, checked against the shape of problems.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn problem(&self, status: u16, code: &str) -> Result<Value> {
        let kind = self.header("content-type").unwrap_or_default();
        ensure!(self.status == status, "not {status} {code}: {self:?}");
        ensure!(
            kind == "application/problem+json",
            "{kind} is no problem: {self:?}"
        );
        let problem = self.json()?;
        ensure!(problem["code"] == code, "not {code}: {problem}");
        ensure!(problem["status"] == status, "another status: {problem}");
        ensure!(
            problem["type"] == format!("/problems/{code}"),
            "another type: {problem}"
        );
        for member in ["title", "detail"] {
            let text = problem[member].as_str().unwrap_or_default();
            ensure!(!text.is_empty(), "no {member}: {problem}");
        }
        ensure!(
            problem["request_id"].as_str() == self.header("x-request-id"),
            "another request id: {problem}"
        );
        Ok(problem)
    }
}
