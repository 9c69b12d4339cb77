//! The addresses of any RabbitMQ, and virtual hosts on it through its management API.

use anyhow::{Result, ensure};
use reqwest::{Method, Url};

use crate::client::http;

/// A broker's two addresses: AMQP, and the management API (`http://user:password@host:port`).
#[derive(Clone, Debug)]
pub struct Broker {
    /// `amqp://user:password@host:port` or `amqps://…`, without a virtual host.
    pub amqp: String,
    /// `http://user:password@host:port`
    pub management: String,
}

impl Broker {
    /// `amqp://…` of a virtual host.
    pub fn url(&self, vhost: &str) -> String {
        format!("{}/{vhost}", self.amqp)
    }

    /// Makes a virtual host that the broker's user may use.
    ///
    /// # Errors
    /// When the management API is away or refuses.
    pub async fn create_vhost(&self, vhost: &str) -> Result<()> {
        let user = Url::parse(&self.management)?.username().to_owned();
        self.call(Method::PUT, &format!("/api/vhosts/{vhost}"), "{}")
            .await?;
        let all = r#"{"configure":".*","write":".*","read":".*"}"#;
        self.call(
            Method::PUT,
            &format!("/api/permissions/{vhost}/{user}"),
            all,
        )
        .await
        .map(|_| ())
    }

    /// Removes a virtual host with all its queues.
    ///
    /// # Errors
    /// When the management API is away or refuses.
    pub async fn delete_vhost(&self, vhost: &str) -> Result<()> {
        self.call(Method::DELETE, &format!("/api/vhosts/{vhost}"), "")
            .await
            .map(|_| ())
    }

    /// One call of the management API, such as `GET /api/queues/{vhost}`.
    ///
    /// # Errors
    /// When the API is away or answers with anything but success.
    pub async fn call(&self, method: Method, path: &str, body: &str) -> Result<String> {
        let mut url = Url::parse(&self.management)?.join(path)?;
        let (user, password) = (url.username().to_owned(), url.password().map(str::to_owned));
        let plain = url.set_username("").and_then(|()| url.set_password(None));
        ensure!(plain.is_ok(), "not an http address");
        let answer = http()?
            .request(method, url)
            .basic_auth(user, password)
            .body(body.to_owned())
            .send()
            .await?;
        let status = answer.status();
        let text = answer.text().await?;
        ensure!(status.is_success(), "{path}: {status} {text}");
        Ok(text)
    }
}
